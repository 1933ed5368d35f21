// SPDX-License-Identifier: GPL-2.0
/*
 * A replay from start to end: the allocator is started as the module starts
 * it, gets the requests of the trace, is checked, printed and ended, and must
 * have given back all that it was lent.
 */
#include "lab.h"

/* The module's defaults. */
#define LAB_CHUNK_ORDER	4
#define LAB_STOCK	16

static struct lab_settings lab_settings = {
	.defaults = {
		.strategy = &cp_strategy_mru,
		.freetol = 1,
		.keep = 8,
	},
};

static void lab_set_peak(struct lab_peak *p, unsigned long now)
{
	p->now = now;
	p->peak = max(p->peak, now);
}

static unsigned int lab_class_of(size_t size)
{
	if (size <= PAGE_SIZE)
		return cp_sizemap(size);
	return CP_MAX_CLASSES + get_order(size);
}

/* After each event: what it changed may be at its peak. */
static void lab_watch(struct replay *r, size_t size, bool alloc)
{
	struct lab_run *run = (struct lab_run *)r;
	struct lab_class *total = &run->total;
	struct lab_class *c = &run->class[lab_class_of(size)];
	long change = alloc ? 1 : -1;

	c->stat[alloc ? CP_ALLOC : CP_FREED]++;
	total->stat[alloc ? CP_ALLOC : CP_FREED]++;
	lab_set_peak(&c->live, c->live.now + change);
	lab_set_peak(&total->live, total->live.now + change);
	if (c->cache)
		lab_set_peak(&c->pages,
			     cp_heap_pages(per_cpu_ptr(c->cache->heaps, 0)));
	else
		lab_set_peak(&c->pages, c->live.now * size / PAGE_SIZE);
	lab_set_peak(&total->pages,
		     cp_arena.cache_pages + cp_arena.block_pages -
		     cp_stock_pages());
	lab_set_peak(&run->held, cp_arena.held);
}

static void lab_refilled(void *data, unsigned int cache, unsigned long pfn,
			 unsigned int source, unsigned int nr_free)
{
	replay_refilled(data, pfn, source);
}

/* The classes have caches in the order of the size map. */
static void lab_name_classes(struct lab_run *run)
{
	struct curpage_cache *cache;
	unsigned int i = 0, order;

	list_for_each_entry(cache, &cp_caches, list) {
		struct lab_class *c = &run->class[i++];

		c->cache = cache;
		strscpy(c->name, cache->name, sizeof(c->name));
	}
	for (order = 0; order < CP_NR_ORDERS; order++)
		snprintf(run->class[CP_MAX_CLASSES + order].name, CP_NAME_LEN,
			 "order-%u", order);
	strscpy(run->total.name, "total", CP_NAME_LEN);
}

static int lab_start(struct lab_run *run)
{
	cp_page_init_map();
	cp_arena_init(&cp_arena, LAB_CHUNK_ORDER, 0);
	cp_stock_init(LAB_STOCK);
	cp_cache_defaults = run->settings->defaults;
	if (cp_size_init()) {
		fputs("lab: out of memory\n", stderr);
		return LAB_FAILED;
	}
	replay_init(&run->replay);
	run->replay.watch = lab_watch;
	lab.refill = lab_refilled;
	lab.refill_data = &run->replay;
	lab_name_classes(run);
	return 0;
}

static bool lab_same(const struct lab_class *c, enum cp_heap_stat stat,
		     const struct cp_cache_sum *sum)
{
	if (c->stat[stat] == sum->stat[stat])
		return true;
	fprintf(stderr, "lab: %s: %lu requests seen, counter %s is %lu\n",
		c->name, c->stat[stat], cp_heap_stat_name[stat],
		sum->stat[stat]);
	return false;
}

/* Every invariant, and the counters against what the trace asked for. */
static bool lab_sum(struct lab_run *run)
{
	bool ok = !curpage_check();
	unsigned int i, stat;

	for (i = 0; i < CP_MAX_CLASSES; i++) {
		struct lab_class *c = &run->class[i];
		struct cp_cache_sum sum;

		if (!c->cache)
			continue;
		cp_cache_sum(c->cache, &sum);
		ok &= lab_same(c, CP_ALLOC, &sum);
		ok &= lab_same(c, CP_FREED, &sum);
		for (stat = CP_FREED + 1; stat < CP_NR_HEAP_STATS; stat++) {
			c->stat[stat] = sum.stat[stat];
			run->total.stat[stat] += sum.stat[stat];
		}
	}
	return ok;
}

static void lab_print(struct lab_run *run, FILE *to)
{
	if (run->settings->json)
		lab_print_json(run, to);
	else if (run->settings->placements)
		lab_print_placements(&run->replay, to);
	else
		lab_print_table(run, to);
}

/* True when nothing that the machine has lent is left behind. */
static bool lab_end(struct lab_run *run)
{
	replay_exit(&run->replay);
	cp_size_exit();
	cp_pages_exit();
	if (!cp_arena.held && !lab.pages_lent && !lab.objects_lent)
		return true;
	fprintf(stderr, "lab: left behind: %lu pages held, %lu pages and %lu objects of the system\n",
		cp_arena.held, lab.pages_lent, lab.objects_lent);
	return false;
}

/* Nothing is printed before all of it is known to be right. */
static int lab_replay_run(void *settings, const char *path)
{
	static struct lab_run run;
	char *text = NULL;
	size_t size = 0;
	FILE *to;
	int status;

	run.settings = settings;
	status = lab_start(&run);
	if (status)
		return status;
	status = lab_trace(&run.replay, path);
	if (!status && !lab_sum(&run))
		status = LAB_FAILED;
	to = open_memstream(&text, &size);
	if (to && !status)
		lab_print(&run, to);
	if ((!to || fclose(to)) && !status)
		status = LAB_FAILED;
	if (!lab_end(&run) && !status)
		status = LAB_FAILED;
	if (!status && (fwrite(text, 1, size, stdout) != size ||
			fflush(stdout))) {
		perror("lab: standard output");
		status = LAB_FAILED;
	}
	free(text);
	return status;
}

static bool lab_set_strategy(void *settings, const char *text)
{
	struct lab_settings *s = settings;

	s->defaults.strategy = cp_strategy_find(text);
	return s->defaults.strategy;
}

static const char *lab_strategies(void)
{
	static char names[128];

	cp_strategy_names(names, sizeof(names));
	return names;
}

static bool lab_set_freetol(void *settings, const char *text)
{
	struct lab_settings *s = settings;
	u64 n;

	if (!lab_number(text, 1, PAGE_SIZE, &n))
		return false;
	s->defaults.freetol = n;
	return true;
}

static const char *lab_freetols(void)
{
	return "1 to 4096 bytes";
}

static bool lab_set_keep(void *settings, const char *text)
{
	struct lab_settings *s = settings;
	u64 n = CP_KEEP_ALL;

	if (strcmp(text, "all") && !lab_number(text, 0, 65536, &n))
		return false;
	s->defaults.keep = n;
	return true;
}

static const char *lab_keeps(void)
{
	return "0 to 65536 or all";
}

static bool lab_set_json(void *settings, const char *text)
{
	((struct lab_settings *)settings)->json = true;
	return true;
}

static bool lab_set_placements(void *settings, const char *text)
{
	((struct lab_settings *)settings)->placements = true;
	return true;
}

static const struct lab_option lab_replay_options[] = {
	{ "--strategy", "S", "picks the next current page (default mru)",
	  lab_set_strategy, lab_strategies },
	{ "--freetol", "N", "free before a page can be current again (default 1)",
	  lab_set_freetol, lab_freetols },
	{ "--keep", "N", "empty pages that a class keeps (default 8)",
	  lab_set_keep, lab_keeps },
	{ "--placements", NULL, "print ID PAGE SLOT for each allocation, in order, instead",
	  lab_set_placements, NULL },
	{ "--json", NULL, "print JSON, with the placements in it if asked for",
	  lab_set_json, NULL },
	{ }
};

const struct lab_command lab_replay = {
	.name = "replay",
	.operand = "TRACE",
	.about =
"\n"
"Makes the requests of TRACE (plain or gzip; - for the standard input) and\n"
"prints what was counted for each size class and in total. The lines of a trace:\n"
"  a ID SIZE   allocate 1 to 4194304 bytes; ID is 0 to 4294967295, not live now\n"
"  f ID        free them; the ID may then be used again\n"
"  # comment   or blank; every line has an end, the last one too\n",
	.options = lab_replay_options,
	.run = lab_replay_run,
	.settings = &lab_settings,
};
