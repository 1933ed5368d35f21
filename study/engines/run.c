// SPDX-License-Identifier: GPL-2.0
/* One engine on one trace: the requests are made, and what they cost counted. */
#include <time.h>

#include "run.h"

struct run {
	const struct engine_settings *set;
	const struct engine_trace *trace;
	struct engine_result *result;
	struct engine engine;
	struct engine_verify verify;
	struct sim_lru lru;
	struct xarray pages;	/* that had a block: a number of their own */
	void **block;		/* by ID, while it is live and was not refused */
	u32 *size;		/* by ID, as asked of the engine */
	u32 spans;		/* numbers of pages outside */
	size_t live, live_peak;	/* as asked for, of blocks that are there */
	u64 asked;		/* in all */
	size_t reached;		/* the end of the block that lay highest */
	size_t held_at_peak;	/* when the most was live */
	size_t live_at_held;	/* when the most was held first */
	double ratios;		/* sum of held / live */
	u64 points;
};

/* Counted by name where instructions are counted: each a call of its own. */
noinline void *engine_alloc(struct engine *e, size_t size)
{
	void *block = e->kind->alloc(e, size);

	asm volatile("" : : : "memory");	/* no tail call */
	return block;
}

noinline void engine_free(struct engine *e, void *block)
{
	e->kind->free(e, block);
	asm volatile("" : : : "memory");	/* no tail call */
}

/* Bytes of the engine for each one that is said. */
static unsigned int run_unit(const struct engine_settings *s)
{
	return s->pure ? ENGINE_PURE : 1;
}

/* What is asked of the engine for size bytes. */
static size_t run_size(const struct run *r, size_t size)
{
	size_t header = r->engine.kind->header;

	if (!r->set->pure)
		return size;
	return max(size * ENGINE_PURE, header + 1) - header;
}

static size_t run_asked(const struct run *r, size_t size)
{
	return size * run_unit(r->set);
}

static void run_wrong(struct run *r, const char *why, size_t event)
{
	snprintf(r->result->why, sizeof(r->result->why), "event %zu: %s",
		 event + 1, why);
}

/* The page of an address as a number that paging knows. */
static u32 run_page(struct run *r, unsigned long page)
{
	void *entry = xa_load(&r->pages, page);
	u32 number;

	if (entry)
		return xa_to_value(entry);
	number = r->engine.kind->outside ? r->spans++ :
		 page - ((unsigned long)r->engine.base >> PAGE_SHIFT);
	xa_store(&r->pages, page, xa_mk_value(number), GFP_KERNEL);
	r->result->pages++;
	return number;
}

/* A user writes to each page of a block, and does it again before it is freed. */
static void run_touch(struct run *r, char *block, size_t size, bool fresh)
{
	unsigned long page = (unsigned long)block >> PAGE_SHIFT;
	unsigned long last = ((unsigned long)block + size - 1) >> PAGE_SHIFT;
	char *at = block;

	for (; page <= last; page++) {
		if (fresh && !r->set->verify)
			*(volatile char *)at = 1;
		at = (char *)((page + 1) << PAGE_SHIFT);
		if (r->engine.paging)
			sim_lru_touch(&r->lru, run_page(r, page));
		else if (fresh)
			run_page(r, page);
	}
}

static void run_refused(struct run *r, size_t event)
{
	if (!r->result->failures++)
		r->result->first_failure = event + 1;
}

static void run_alloc(struct run *r, const struct engine_event *ev, size_t event)
{
	size_t size = run_size(r, ev->size);
	u64 items = r->engine.items;
	char *block = engine_alloc(&r->engine, size);
	const char *why;

	r->result->items_alloc += r->engine.items - items;
	r->result->allocs++;
	r->asked += ev->size;
	r->block[ev->id] = block;
	r->size[ev->id] = ev->size;
	if (!block) {
		run_refused(r, event);
		return;
	}
	r->live += run_asked(r, ev->size);
	if (r->engine.kind->fixed)
		r->reached = max_t(size_t, r->reached,
				   block + size - r->engine.base);
	if (r->set->verify) {
		why = engine_verify_alloc(&r->verify, &r->engine, block, ev->id,
					  size);
		if (why)
			run_wrong(r, why, event);
	}
	if (!*r->result->why)
		run_touch(r, block, size, true);
}

static void run_free(struct run *r, u32 id, size_t event)
{
	char *block = r->block[id];
	size_t size = run_size(r, r->size[id]);
	const char *why;

	if (!block)
		return;
	r->block[id] = NULL;
	if (r->set->verify) {
		why = engine_verify_free(&r->verify, block, id, size);
		if (why)
			run_wrong(r, why, event);
	}
	if (r->engine.paging)
		run_touch(r, block, size, false);
	r->live -= run_asked(r, r->size[id]);
	engine_free(&r->engine, block);
}

/* The trace is cut into stretches of one length, each a point of the curve. */
static void run_point(struct run *r, size_t event, size_t held)
{
	unsigned int unit = run_unit(r->set);
	struct engine_point *p = &r->result->curve[event * r->set->curve /
						   r->trace->nr];

	p->live = max(p->live, r->live / unit);
	p->held = max(p->held, held / unit);
	p->asked = r->asked;
}

/*
 * The four measures, after each event.  An engine whose memory is fixed holds what
 * it has ever put a block into.
 */
static void run_measure(struct run *r, size_t event)
{
	struct engine_result *res = r->result;
	size_t used = r->engine.kind->used(&r->engine);
	size_t held = r->engine.kind->fixed ? r->reached : used;

	res->used_peak = max(res->used_peak, used);
	if (r->live > r->live_peak) {
		r->live_peak = r->live;
		r->held_at_peak = held;
	}
	if (held > res->held_peak) {
		res->held_peak = held;
		r->live_at_held = r->live;
	}
	if (r->set->curve)
		run_point(r, event, held);
	if (r->live) {
		r->ratios += (double)held / r->live;
		r->points++;
	}
}

static void run_start_measuring(struct run *r)
{
	r->result->allocs = 0;
	r->result->items_alloc = 0;
	r->engine.items = 0;
	r->engine.collections = 0;
}

static void run_event(struct run *r, size_t event)
{
	const struct engine_event *ev = &r->trace->event[event];
	const char *why;

	if (event == r->trace->warm)
		run_start_measuring(r);
	if (r->set->tune && event + 1 == r->set->tune_at &&
	    !r->engine.kind->tune(&r->engine, r->set->tune)) {
		run_wrong(r, "cannot be tuned", event);
		return;
	}
	if (ev->size)
		run_alloc(r, ev, event);
	else
		run_free(r, ev->id, event);
	run_measure(r, event);
	why = r->set->verify && !*r->result->why ?
	      engine_verify_memory(&r->verify, &r->engine) : NULL;
	if (why)
		run_wrong(r, why, event);
}

static double run_over(double more, double less)
{
	return less ? more / less - 1 : 0;
}

static void run_result(struct run *r)
{
	struct engine_result *res = r->result;
	unsigned int unit = run_unit(r->set), i;

	res->items = r->engine.items;
	res->collections = r->engine.collections;
	res->requests = r->trace->nr - r->trace->warm;
	res->fragmentation[0] = r->points ? r->ratios / r->points - 1 : 0;
	res->fragmentation[1] = run_over(r->held_at_peak, r->live_peak);
	res->fragmentation[2] = run_over(res->held_peak, r->live_at_held);
	res->fragmentation[3] = run_over(res->held_peak, r->live_peak);
	res->used_end = r->engine.kind->used(&r->engine) / unit;
	res->used_peak /= unit;
	res->held_peak /= unit;
	res->memory /= unit;
	if (!r->engine.paging)
		return;
	for (i = 0; i < r->lru.nr; i++)
		res->faults[i] = r->lru.faults[i];
}

/* What is still live is freed, in order of the IDs. */
static void run_drain(struct run *r)
{
	u32 id;

	for (id = 0; id < r->trace->ids && !*r->result->why; id++)
		run_free(r, id, r->trace->nr - 1);
}

/* Looks at all that is live, and at all memory. */
static void run_verify(struct run *r)
{
	const char *why = NULL;
	u32 id;

	for (id = 0; id < r->trace->ids && !why; id++)
		if (r->block[id])
			why = engine_verify_block(r->block[id], id,
						  run_size(r, r->size[id]));
	if (!why && r->engine.kind->check)
		why = r->engine.kind->check(&r->engine);
	if (why)
		run_wrong(r, why, r->trace->nr - 1);
}

/* In the end, and once more when nothing is left. */
static void run_finish(struct run *r)
{
	const char *why = r->result->why;

	if (r->set->verify && !*why)
		run_verify(r);
	if (!*why)
		run_result(r);
	if (!r->set->drain)
		return;
	run_drain(r);
	if (r->set->verify && !*why)
		run_verify(r);
	if (*why)
		return;
	r->result->used_after = r->engine.kind->used(&r->engine) /
				run_unit(r->set);
}

/* The memory that there is, from the most that is live; 0 for no limit. */
static size_t run_memory(const struct engine_kind *kind,
			 const struct engine_trace *t,
			 const struct engine_settings *s)
{
	double level = s->level ?: kind->fixed ? 50 : 0;
	size_t bytes;

	if (!level || kind->unbounded)
		return 0;
	bytes = t->live_peak * 100.0 / level * run_unit(s);
	return max_t(size_t, bytes & ~7UL, 8);
}

static bool run_start(struct run *r, const struct engine_kind *kind)
{
	r->engine = (struct engine){ .kind = kind };
	r->result->memory = run_memory(kind, r->trace, r->set);
	if (!kind->outside &&
	    !engine_memory(&r->engine, r->result->memory ?: ENGINE_SPACE))
		return false;
	if (kind->outside)
		r->engine.limit = r->result->memory ?: ENGINE_SPACE;
	if (kind->start(&r->engine))
		return true;
	if (!kind->outside)
		engine_memory_free(&r->engine);
	r->result->small = r->result->memory && !r->engine.why;
	snprintf(r->result->why, sizeof(r->result->why), "%s",
		 r->engine.why ?: "it cannot be started");
	return false;
}

static void run_stop(struct run *r)
{
	u32 id;

	/* One at fault may not stand it. */
	for (id = 0; id < r->trace->ids && !*r->result->why; id++)
		if (r->block[id])
			engine_free(&r->engine, r->block[id]);
	r->engine.kind->stop(&r->engine);
	if (!r->engine.kind->outside)
		engine_memory_free(&r->engine);
}

/* Nothing but requests and their time. */
static double run_time(struct run *r)
{
	struct timespec from, to;
	size_t i;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < r->trace->nr; i++) {
		const struct engine_event *ev = &r->trace->event[i];
		char *block = r->block[ev->id];

		if (i == r->trace->warm)
			clock_gettime(CLOCK_MONOTONIC, &from);
		if (r->set->tune && i + 1 == r->set->tune_at)
			r->engine.kind->tune(&r->engine, r->set->tune);
		if (ev->size) {
			block = engine_alloc(&r->engine, run_size(r, ev->size));
			r->block[ev->id] = block;
			if (block)
				*(volatile char *)block = 1;
		} else if (block) {
			engine_free(&r->engine, block);
			r->block[ev->id] = NULL;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	return to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
}

static bool run_room(struct run *r)
{
	r->block = calloc(r->trace->ids + 1, sizeof(*r->block));
	r->size = calloc(r->trace->ids + 1, sizeof(*r->size));
	xa_init(&r->pages);
	xa_init(&r->verify.pages);
	r->lru = r->set->lru;
	return r->block && r->size &&
	       (!r->lru.nr || sim_lru_init(&r->lru, ENGINE_SPACE >> PAGE_SHIFT));
}

static void run_end(struct run *r)
{
	engine_verify_end(&r->verify);
	xa_destroy(&r->pages);
	sim_lru_exit(&r->lru);
	free(r->block);
	free(r->size);
}

static void run_events(struct run *r)
{
	const char *why = r->result->why;
	size_t i;

	if (r->lru.nr)
		r->engine.paging = &r->lru;
	for (i = 0; i < r->trace->nr && !*why; i++)
		run_event(r, i);
	run_finish(r);
	r->result->ran = !*why;
}

void engine_run(const struct engine_kind *kind, const struct engine_trace *t,
		const struct engine_settings *s, struct engine_result *result)
{
	struct run r = { .set = s, .trace = t, .result = result };

	if (!run_room(&r)) {
		snprintf(result->why, sizeof(result->why), "out of memory");
	} else if (run_start(&r, kind)) {
		run_events(&r);
		run_stop(&r);
	}
	run_end(&r);
}

bool engine_tunes(const struct engine_kind *kind, const struct engine_trace *t,
		  const struct engine_settings *s)
{
	struct engine_result result = { };
	struct run r = { .set = s, .trace = t, .result = &result };
	bool takes = true;

	if (!kind->tune)
		return false;
	/* What cannot be started says so when it is to run. */
	if (run_room(&r) && run_start(&r, kind)) {
		takes = kind->tune(&r.engine, s->tune);
		run_stop(&r);
	}
	run_end(&r);
	return takes;
}

double engine_time(const struct engine_kind *kind,
		   const struct engine_trace *t,
		   const struct engine_settings *s)
{
	struct engine_result result = { };
	struct run r = { .set = s, .trace = t, .result = &result };
	double seconds = 0;

	if (run_room(&r) && run_start(&r, kind)) {
		seconds = run_time(&r);
		run_stop(&r);
	}
	run_end(&r);
	return seconds;
}
