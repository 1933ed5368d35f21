// SPDX-License-Identifier: GPL-2.0
/*
 * The frame of a simulation: the allocator as the module starts it, requests
 * from a load, and what they cost.
 */
#include <time.h>

#include "sim.h"

#define SIM_IDLE	0.25	/* seconds between looks at first fit's pages */

static __attribute__((__noreturn__)) void sim_fail(const char *why)
{
	fprintf(stderr, "lab: sim: %s\n", why);
	exit(LAB_FAILED);
}

static double sim_cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Pages handed out, by caches and as blocks of pages. */
static unsigned long sim_pages(void)
{
	unsigned long pages = cp_arena.cache_pages;

	if (cp_arena.block_pages)
		pages += cp_arena.block_pages - cp_stock_pages();
	return pages;
}

static void sim_refilled(void *data, unsigned int cache, unsigned long pfn,
			 unsigned int source, unsigned int nr_free)
{
	struct sim *s = data;

	s->count.refills++;
}

static struct sim_count sim_count(const struct sim *s)
{
	struct sim_count c = s->count;

	c.items = lab_items(c.allocs, c.frees, c.refills);
	c.refs = s->lru.refs;
	memcpy(c.faults, s->lru.faults, sizeof(c.faults));
	return c;
}

/* Of these pages, those with a block on them, and current ones. */
static unsigned long sim_used(const struct sim *s, unsigned long pages)
{
	return pages - min(pages, s->empty + s->idle);
}

static void sim_sample(struct sim *s)
{
	struct sim_sample *p = &s->sample[s->nr_samples++];
	unsigned long pages = sim_pages();

	*p = (struct sim_sample){
		.time = s->now, .live = s->live, .pages = pages,
		.used = sim_used(s, pages), .faults = s->lru.faults[0],
	};
}

/* Add up what is in use until then. */
static void sim_pass(struct sim *s, double now)
{
	unsigned long pages = sim_pages();
	double time = now - s->now;

	s->live_time += s->live * time;
	s->requested_time += s->requested * time;
	s->pages_time += pages * time;
	s->used_time += sim_used(s, pages) * time;
	s->now = now;
}

static void sim_measure(struct sim *s)
{
	s->live_time = 0;
	s->requested_time = 0;
	s->pages_time = 0;
	s->used_time = 0;
	s->since = s->now;
	s->before = sim_count(s);
	s->measuring = true;
}

/* The load says what time it is: never less than before. */
void sim_clock(struct sim *s, double now)
{
	if (now >= s->next_idle) {
		s->idle = sim_fit_idle();
		s->next_idle = now + SIM_IDLE;
	}
	while (s->nr_samples <= SIM_SAMPLES && s->next_sample <= now) {
		sim_pass(s, s->next_sample);
		sim_sample(s);
		s->next_sample += s->seconds / SIM_SAMPLES;
	}
	if (!s->measuring && now >= s->warmup) {
		sim_pass(s, s->warmup);
		sim_measure(s);
	}
	sim_pass(s, now);
}

/* The end of what is measured; the load still has to free what it has. */
void sim_stop(struct sim *s)
{
	if (s->now < s->seconds && s->set->load->warmup)
		sim_clock(s, s->seconds);
	s->after = sim_count(s);
	s->stopped = true;
}

void sim_note(struct sim *s, const char *name, double value)
{
	if (s->nr_notes < SIM_NOTES)
		s->note[s->nr_notes++] = (struct sim_note){ name, value };
}

bool sim_variant(const struct sim *s, const char *name)
{
	return s->set->variant && !strcmp(s->set->variant, name);
}

/* By how much requests come more often than the load has it, at this time. */
double sim_rate(const struct sim *s)
{
	if (s->now < s->warmup && s->set->first_rate)
		return s->set->first_rate;
	return s->set->rate;
}

/* What a request may have changed in the heap that it went to. */
static void sim_empty(struct sim *s, const struct cp_heap *h)
{
	u32 *seen;

	if (!h)
		return;
	seen = &s->seen[h->cache->id % SIM_CACHES];
	s->empty += (long)h->nr[CP_S2] - *seen;
	*seen = h->nr[CP_S2];
}

/* The heap that owns the page of a block; NULL when it is no cache's. */
static const struct cp_heap *sim_heap(const void *block)
{
	return cp_page_heap(cp_page_of(virt_to_page(block)));
}

static void sim_peaks(struct sim *s)
{
	unsigned long pages = sim_pages();

	s->live_peak = max(s->live_peak, s->live);
	s->pages_peak = max(s->pages_peak, pages);
	s->used_peak = max(s->used_peak, sim_used(s, pages));
}

/* Blocks of one size from now on, whatever the size map would make of them. */
void sim_cache(struct sim *s, unsigned int size)
{
	s->cache = curpage_cache_create(s->set->load->name, size, NULL);
	if (!s->cache)
		sim_fail("no cache could be made");
	if (s->set->phi0)
		cp_cache_retune(s->cache, NULL,
				min_t(unsigned long, PAGE_SIZE,
				      s->set->phi0 * s->cache->stride));
}

void *sim_alloc(struct sim *s, size_t size)
{
	void *block = s->cache ? curpage_cache_alloc(s->cache, GFP_KERNEL) :
				 curpage_alloc(size, GFP_KERNEL);

	if (!block)
		sim_fail("out of memory");
	s->count.allocs++;
	s->live++;
	s->requested += size;
	sim_empty(s, sim_heap(block));
	sim_peaks(s);
	return block;
}

/* The size is what was asked for. */
void sim_free(struct sim *s, void *block, size_t size)
{
	const struct cp_heap *h = sim_heap(block);

	if (s->cache)
		curpage_cache_free(s->cache, block);
	else
		curpage_free(block);
	sim_empty(s, h);
	s->count.frees++;
	s->live--;
	s->requested -= size;
}

/* The module's defaults. */
#define SIM_CHUNK_ORDER	4
#define SIM_STOCK	16

/* The map that Brent's simulations of blocks of various sizes have. */
static int sim_best_map(const struct sim *s)
{
	static struct cp_map_load load;
	struct cp_sizemap map;

	s->set->load->sizes(s, &load);
	if (cp_best_map(&load, CP_MAX_CLASSES, &map))
		return -ENOMEM;
	cp_sizemap_use(&map);
	return 0;
}

static int sim_start(struct sim *s)
{
	const struct sim_settings *set = s->set;

	cp_page_init_map();
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
		.chunk_order = SIM_CHUNK_ORDER,
	});
	cp_stock_init(SIM_STOCK);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = set->strategy, .freetol = set->freetol,
		.keep = set->keep,
	};
	s->seconds = set->seconds < 0 ? set->load->seconds : set->seconds;
	s->warmup = set->warmup < 0 ? set->load->warmup : set->warmup;
	s->random = set->seed;
	s->lru = set->lru;
	if (!sim_lru_init(&s->lru, lab_pages()) ||
	    (set->best ? sim_best_map(s) : cp_sizemap_init(set->sizemap)) ||
	    cp_size_init()) {
		fputs("lab: sim: out of memory\n", stderr);
		return LAB_FAILED;
	}
	lab.refill = sim_refilled;
	lab.refill_data = s;
	return 0;
}

/* All has come back, and nothing was found broken on the way. */
static int sim_end(struct sim *s)
{
	sim_lru_exit(&s->lru);
	if (s->cache && curpage_cache_destroy(s->cache))
		return LAB_FAILED;
	cp_size_exit();
	cp_pages_exit();
	if (!cp_arena.held && !lab.pages_lent && !lab.objects_lent &&
	    !lab.messages)
		return 0;
	fprintf(stderr, "lab: sim: left behind: %lu pages held, %lu pages and %lu objects of the system\n",
		cp_arena.held, lab.pages_lent, lab.objects_lent);
	return LAB_FAILED;
}

int sim_run(const struct sim_settings *set)
{
	static struct sim s;
	double cpu = sim_cpu_seconds();
	int status;

	s.set = set;
	status = sim_start(&s);
	if (status)
		return status;
	status = set->load->run(&s);
	s.cpu = sim_cpu_seconds() - cpu;
	if (!status && curpage_check())
		status = LAB_FAILED;
	if (!status && set->json)
		sim_print_json(&s, stdout);
	else if (!status)
		sim_print_table(&s, stdout);
	if (sim_end(&s) && !status)
		status = LAB_FAILED;
	return status;
}
