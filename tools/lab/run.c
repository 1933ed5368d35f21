// SPDX-License-Identifier: GPL-2.0
/*
 * A replay from start to end: the allocator is started as the module starts
 * it, gets the requests of the trace, is checked, printed and ended, and must
 * have given back all that it was lent.
 */
#include "lab.h"

/* The module's defaults. */
static struct lab_settings lab_settings = {
	.defaults = {
		.strategy = &cp_strategy_mru,
		.freetol = 1,
		.keep = 8,
	},
	.arena = {
		.policy = &cp_buddy_policies[CP_BUDDY_REVISED],
		.desired = { .learn = true },
		.chunk_order = 4,
		.apart = true,
	},
	.stock = 16,
};

static void lab_set_peak(struct lab_peak *p, unsigned long now)
{
	p->now = now;
	p->peak = max(p->peak, now);
}

/* The class of a block that is live, as a place in struct lab_run. */
static unsigned int lab_sort(struct replay *r, const void *block)
{
	struct lab_run *run = (struct lab_run *)r;
	struct cp_page *p = cp_page_of(virt_to_page(block));
	struct cp_heap *h = cp_page_heap(p);

	if (unlikely(run->settings->lru.nr))
		sim_lru_touch(&run->paging.lru, cp_page_pfn(p));
	if (h)
		return h->cache->id - run->first_cache;
	return cp_page_kind(p) == CP_BLOCK ? LAB_ORDERS + p->order : LAB_FIT;
}

/* Pages in use, as the arena has them. */
static unsigned long lab_pages_used(void)
{
	return cp_arena.cache_pages + cp_arena.block_pages - cp_stock_pages();
}

/*
 * Of the pages in use it can only be a new one, or one that no cache has, that
 * makes a new peak.
 */
static void lab_set_pages(struct lab_run *run)
{
	lab_set_peak(&run->total.pages, lab_pages_used());
	lab_set_peak(&run->held, cp_arena.held);
}

static void lab_set_class_pages(struct lab_run *run, unsigned int sort)
{
	struct lab_class *c = &run->class[sort];
	struct cp_fit_sum fit;

	if (sort == LAB_FIT) {
		cp_fit_get_sum(&fit);
		lab_set_peak(&c->pages, fit.pages);
		return;
	}
	if (c->cache)
		lab_set_peak(&c->pages,
			     cp_heap_pages(per_cpu_ptr(c->cache->heaps, 0)));
	else if (sort >= LAB_ORDERS)
		lab_set_peak(&c->pages, c->live.now << (sort - LAB_ORDERS));
}

/* What an event changed may be at its peak. */
static void lab_count(struct lab_run *run, unsigned int sort, bool alloc,
		      bool fresh)
{
	struct lab_class *c = &run->class[sort];

	if (!alloc) {
		c->stat[CP_FREED]++;
		c->live.now--;
		run->total.live.now--;
		return;
	}
	c->stat[CP_ALLOC]++;
	lab_set_peak(&c->live, c->live.now + 1);
	lab_set_peak(&run->total.live, run->total.live.now + 1);
	if (fresh || !c->cache) {
		lab_set_class_pages(run, sort);
		lab_set_pages(run);
	}
}

/* After each event. */
static void lab_watch(struct replay *r, unsigned int sort, bool alloc)
{
	struct lab_run *run = (struct lab_run *)r;
	unsigned long every = run->settings->sample;

	lab_count(run, sort, alloc, r->fresh);
	if (unlikely(every && !(r->events % every)))
		lab_record_sample(&run->record, r->events, run->total.live.now,
				  lab_pages_used());
}

/* The same, with what was asked for. */
static int lab_also(struct replay *r, const struct replay_event *e)
{
	struct lab_run *run = (struct lab_run *)r;

	lab_paging_event(&run->paging, e, lab_pages_used());
	return 0;
}

static void lab_refilled(void *data, unsigned int cache, unsigned long pfn,
			 unsigned int source, unsigned int nr_free)
{
	struct lab_run *run = data;

	replay_refilled(&run->replay, pfn, source);
	if (source == 1 && run->settings->placements)
		lab_record_page(&run->record, cache, pfn);
}

static void lab_ran(void *data, unsigned long pfn, unsigned int order,
		    bool taken)
{
	struct lab_run *run = data;

	if (!taken) {
		replay_run_gone(&run->replay, pfn, order);
		return;
	}
	replay_run_taken(&run->replay, pfn, order);
	if (run->settings->placements)
		lab_record_run(&run->record, pfn, order);
}

/* The classes have caches in the order of the size map. */
static void lab_name_classes(struct lab_run *run)
{
	struct curpage_cache *cache;
	unsigned int i = 0, order;

	list_for_each_entry(cache, &cp_caches, list) {
		struct lab_class *c = &run->class[i++];

		if (c == run->class)
			run->first_cache = cache->id;
		c->cache = cache;
		strscpy(c->name, cache->name, sizeof(c->name));
	}
	for (order = 0; order < CP_NR_ORDERS; order++)
		snprintf(run->class[LAB_ORDERS + order].name, CP_NAME_LEN,
			 "order-%u", order);
	strscpy(run->class[LAB_FIT].name, "fit", CP_NAME_LEN);
	strscpy(run->total.name, "total", CP_NAME_LEN);
}

static int lab_start(struct lab_run *run)
{
	cp_page_init_map();
	cp_arena_init(&cp_arena, &run->settings->arena);
	cp_stock_init(run->settings->stock);
	cp_harden_init(run->settings->harden_seed, run->settings->harden_seed);
	cp_cache_defaults = run->settings->defaults;
	if (cp_arena_fill(&cp_arena) || cp_size_init()) {
		fputs("lab: out of memory\n", stderr);
		return LAB_FAILED;
	}
	replay_init(&run->replay);
	run->replay.sort = lab_sort;
	run->replay.watch = lab_watch;
	run->replay.keep = run->settings->placements;
	if (run->settings->lru.nr) {
		if (!lab_paging_start(&run->paging, &run->settings->lru)) {
			fputs("lab: out of memory\n", stderr);
			return LAB_FAILED;
		}
		run->replay.also = lab_also;
	}
	lab.refill = lab_refilled;
	lab.refill_data = run;
	lab.run = lab_ran;
	lab.run_data = run;
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

	lab_set_pages(run);
	for (i = 0; i < LAB_CLASSES; i++) {
		struct lab_class *c = &run->class[i];
		struct cp_cache_sum sum;

		lab_set_class_pages(run, i);
		run->total.stat[CP_ALLOC] += c->stat[CP_ALLOC];
		run->total.stat[CP_FREED] += c->stat[CP_FREED];
		if (!c->cache)
			continue;
		cp_cache_get_sum(c->cache, &sum);
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
	else if (run->settings->sample)
		lab_print_samples(&run->record, to);
	else
		lab_print_table(run, to);
}

/* True when nothing that the machine has lent is left behind. */
static bool lab_end(struct lab_run *run)
{
	replay_exit(&run->replay);
	lab_paging_end(&run->paging);
	lab_record_free(&run->record);
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
	if (!lab_arena_ok(&run.settings->arena))
		return LAB_BAD;
	status = lab_chunks_start(run.settings->chunks) ?: lab_start(&run);
	if (status)
		return status;
	status = lab_trace(&run.replay, path, run.settings->progress);
	if (!status && lab_chunks_left()) {
		fprintf(stderr, "lab: %s: %s\n", path, lab_chunks_left());
		status = LAB_BAD;
	}
	if (!status && !lab_sum(&run))
		status = LAB_FAILED;
	if (!status && run.settings->lru.nr)
		lab_paging_stop(&run.paging, &run.total);
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
	static char names[CP_STRATEGY_NAMES];

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
	static char text[32];

	snprintf(text, sizeof(text), "1 to %lu bytes", PAGE_SIZE);
	return text;
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

static bool lab_set_harden(void *settings, const char *text)
{
	struct lab_settings *s = settings;

	return lab_number(text, 0, U32_MAX, &s->harden_seed);
}

static const char *lab_hardens(void)
{
	return "0 to 4294967295";
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

static bool lab_set_progress(void *settings, const char *text)
{
	((struct lab_settings *)settings)->progress = true;
	return true;
}

static bool lab_set_chunks(void *settings, const char *text)
{
	((struct lab_settings *)settings)->chunks = text;
	return *text;
}

static const char *lab_chunks(void)
{
	return "the path of a file";
}

static bool lab_set_working_set(void *settings, const char *text)
{
	return sim_lru_set(&((struct lab_settings *)settings)->lru, text);
}

static bool lab_set_sample(void *settings, const char *text)
{
	struct lab_settings *s = settings;
	u64 n;

	if (!lab_number(text, 1, UINT32_MAX, &n))
		return false;
	s->sample = n;
	return true;
}

static const char *lab_samples(void)
{
	return "1 to 4294967295 events";
}

static const struct lab_option lab_replay_options[] = {
	{ "--strategy", "S", "picks the next current page (default mru)",
	  lab_set_strategy, lab_strategies },
	{ "--freetol", "N", "free before a page can be current again (default 1)",
	  lab_set_freetol, lab_freetols },
	{ "--keep", "N", "empty pages that a class keeps (default 8)",
	  lab_set_keep, lab_keeps },
	{ "--sizemap", "MAP", "size classes (default brent)", lab_set_sizemap,
	  lab_sizemaps },
	{ "--ffcrossover", "N", "larger ones go to first fit (default a quarter page)",
	  lab_set_crossover, lab_crossovers },
	{ "--buddy", "P", "when free page blocks are joined (default revised)",
	  lab_set_buddy, lab_buddies },
	{ "--desired", "TEXT", "blocks that tailored lists should hold (default auto)",
	  lab_set_desired, lab_desireds },
	{ "--apart", "N", "1 for pages of classes and page blocks from different chunks (default 1)",
	  lab_set_apart, lab_aparts },
	{ "--arena-min-mb", "N", "MiB that are held before any goes back unasked (default 0)",
	  lab_set_arena_min, lab_mbs },
	{ "--arena-max-mb", "N", "MiB that may be held at most, 0 for no bound (default 0)",
	  lab_set_arena_max, lab_mbs },
	{ "--chunk-order", "N", "log2 of the most pages borrowed at a time (default 4)",
	  lab_set_chunk_order, lab_chunk_orders },
	{ "--harden-seed", "N", "orders of fresh blocks that are drawn, as harden_seed= of the module (default 0: rising)",
	  lab_set_harden, lab_hardens },
	{ "--stock", "N", "pages of freed page blocks kept of each order (default 16)",
	  lab_set_stock, lab_stocks },
	{ "--placements", NULL, "print ID PAGE SLOT for each allocation, in order, instead",
	  lab_set_placements, NULL },
	{ "--working-set", "N,...", "also page faults with so many pages, efficiency, items visited",
	  lab_set_working_set, sim_lru_allowed },
	{ "--sample", "N", "print EVENTS LIVE PAGES HELD after each N events instead",
	  lab_set_sample, lab_samples },
	{ "--chunks", "FILE", "lend just the chunks of FILE: lines PFN ORDER, of a kernel",
	  lab_set_chunks, lab_chunks },
	{ "--json", NULL, "print JSON, with placements and samples if asked for",
	  lab_set_json, NULL },
	{ "--progress", NULL, "say on the standard error how far it is, and how fast",
	  lab_set_progress, NULL },
	{ }
};

static const struct lab_command lab_replay = {
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
LAB_COMMAND(lab_replay);
