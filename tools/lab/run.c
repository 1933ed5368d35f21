// SPDX-License-Identifier: GPL-2.0
/*
 * lab replay: start the allocator as the module does, make the requests of a
 * trace, check every invariant, print the counters, and end the allocator,
 * which must have given all pages back.
 */
#include "lab.h"
#include "mm_options.h"

/* The module's own limits. */
#define LAB_MB_MAX	1048576
#define LAB_STOCK_MAX	64

/* The module's defaults. */
static struct lab_settings lab_settings = {
	.defaults = {
		.strategy = &cp_strategy_mru,
		.freetol = 1,
		.keep = 8,
	},
	.sizemap = "brent",
	.buddy = CP_BUDDY_REVISED,
	.desired = "auto",
	.chunk_order = 4,
	.apart = true,
	.stock = 16,
};

static void lab_set_peak(struct lab_peak *p, unsigned long now)
{
	p->now = now;
	p->peak = max(p->peak, now);
}

/* Return: the class of a live block, as an index of lab_run.class[]. */
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

/* Return: pages in use, as the arena counts them. */
static unsigned long lab_pages_used(void)
{
	return cp_arena.cache_pages + cp_arena.block_pages - cp_stock_pages();
}

/*
 * Update the peaks of pages.  Called after allocations that took a new page or
 * a page that is no cache's; no other event can raise the pages in use.
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

/* Count an event, and update the peaks that it can have raised. */
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

/* Called after each event. */
static void lab_watch(struct replay *r, unsigned int sort, bool alloc)
{
	struct lab_run *run = (struct lab_run *)r;
	unsigned long every = run->settings->sample;

	lab_count(run, sort, alloc, r->fresh);
	if (unlikely(every && !(r->events % every)))
		lab_record_sample(&run->record, r->events, run->total.live.now,
				  lab_pages_used());
}

/* Called after each event if paging is simulated. */
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

/* Name the classes.  Their caches are listed in the order of the size map. */
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

static void lab_start_arena(const struct lab_settings *s)
{
	struct cp_arena_args args = {
		.policy = &cp_buddy_policies[s->buddy],
		.chunk_order = s->chunk_order,
		.min_pages = s->min_mb << (20 - PAGE_SHIFT),
		.max_pages = s->max_mb << (20 - PAGE_SHIFT),
		.apart = s->apart,
	};

	if (cp_desired_parse("", s->desired, &args.desired))
		abort();	/* the option has been parsed before */
	cp_arena_init(&cp_arena, &args);
}

static int lab_start(struct lab_run *run)
{
	cp_page_init_map();
	lab_start_arena(run->settings);
	cp_stock_init(run->settings->stock);
	cp_harden_init(run->settings->harden_seed, run->settings->harden_seed);
	cp_cache_defaults = run->settings->defaults;
	if (cp_arena_fill(&cp_arena) ||
	    cp_sizemap_init(run->settings->sizemap) || cp_size_init()) {
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

/* Check every invariant, and the counters against the requests of the trace. */
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

/* End the allocator.  Return: false if it kept pages or objects. */
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

/* Check options against each other. */
static bool lab_settings_ok(const struct lab_settings *s)
{
	if (!s->max_mb || s->min_mb <= s->max_mb)
		return true;
	fprintf(stderr, "lab: --arena-min-mb '%lu': must be 0 to %lu, as --arena-max-mb\n",
		s->min_mb, s->max_mb);
	return false;
}

/* Replay, check, then print: a run that failed prints no counters. */
static int lab_replay_run(const char *path)
{
	static struct lab_run run;
	char *text = NULL;
	size_t size = 0;
	FILE *to;
	int status;

	run.settings = &lab_settings;
	if (!lab_settings_ok(&lab_settings))
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

static const struct lab_option lab_replay_options[] = {
	LAB_STRATEGY(lab_settings.defaults.strategy,
		     "picks the next current page"),
	LAB_FREETOL(lab_settings.defaults.freetol),
	LAB_KEEP(lab_settings.defaults.keep),
	LAB_SIZEMAP(lab_settings.sizemap, "size classes"),
	LAB_CROSSOVER(),
	LAB_CHOICE("buddy", "P", lab_settings.buddy, cp_buddy_policies,
		   CP_NR_BUDDY_POLICIES, "when free page blocks are merged"),
	LAB_DESIRED(lab_settings.desired,
		    "blocks that the lists of tailored should hold"),
	LAB_UINT("apart", "N", lab_settings.apart, 0, 1,
		 "1 takes pages of classes and page blocks from different chunks"),
	LAB_UINT("arena-min-mb", "N", lab_settings.min_mb, 0, LAB_MB_MAX,
		 "held before pages go back unasked", .unit = "MiB"),
	LAB_UINT("arena-max-mb", "N", lab_settings.max_mb, 0, LAB_MB_MAX,
		 "held at most, 0 for no bound", .unit = "MiB"),
	LAB_UINT("chunk-order", "N", lab_settings.chunk_order, 0,
		 CURPAGE_MAX_ORDER, "log2 of the most pages borrowed at a time"),
	LAB_UINT("harden-seed", "N", lab_settings.harden_seed, 0, U32_MAX,
		 "draws the order of fresh blocks as harden_seed= does, 0 for rising"),
	LAB_UINT("stock", "N", lab_settings.stock, 0, LAB_STOCK_MAX,
		 "freed page blocks that a CPU keeps, of each order",
		 .unit = "pages"),
	LAB_FLAG("placements", lab_settings.placements,
		 "print ID PAGE SLOT of each allocation, in order, instead"),
	SIM_WORKING_SET(lab_settings.lru,
			"also print page faults, efficiency and items visited"),
	LAB_UINT("sample", "N", lab_settings.sample, 1, U32_MAX,
		 "print EVENTS LIVE PAGES HELD after every N requests instead"),
	LAB_TEXT("chunks", "FILE", lab_settings.chunks, "the path of a file",
		 "lend only the chunks of FILE, whose lines are PFN ORDER"),
	LAB_FLAG("json", lab_settings.json,
		 "print JSON, with placements and samples if asked for"),
	LAB_FLAG("progress", lab_settings.progress,
		 "print on the standard error how many requests are done, and how fast"),
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
};
LAB_COMMAND(lab_replay);
