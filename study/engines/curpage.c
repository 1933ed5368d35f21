// SPDX-License-Identifier: GPL-2.0
/*
 * curpage itself: what mm/ does in this lab, with the module's defaults but for
 * what a row says.
 */
#include "engine.h"

struct curpage_row {
	unsigned int strategy;		/* enum cp_strategy_id */
	unsigned int policy;		/* enum cp_buddy_policy_id */
	unsigned int crossover;		/* larger ones go to first fit */
};

#define CURPAGE_QUARTER	(PAGE_SIZE / 4)	/* by default */
#define CURPAGE_STOCK			16

/* What the allocator has been asked for; its items follow from it. */
static u64 curpage_allocs, curpage_frees, curpage_refills;

static void curpage_count(struct engine *e)
{
	static u64 before;
	u64 now = lab_items(curpage_allocs, curpage_frees, curpage_refills);

	e->items += now - before;
	before = now;
}

static void curpage_refilled(void *data, unsigned int cache, unsigned long pfn,
			     unsigned int source, unsigned int nr_free)
{
	curpage_refills++;
}

static bool curpage_start(struct engine *e)
{
	const struct curpage_row *row = e->kind->row;
	struct cp_arena_args arena = {
		.policy = &cp_buddy_policies[row->policy],
		.desired = { .learn = true },
		.chunk_order = 4,
		.apart = true,
	};

	if (e->limit < ENGINE_SPACE)
		arena.max_pages = e->limit / PAGE_SIZE;
	cp_page_init_map();
	cp_arena_init(&cp_arena, &arena);
	cp_stock_init(CURPAGE_STOCK);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = cp_strategies[row->strategy],
		.freetol = 1,
		.keep = 8,
	};
	cp_size_set_crossover(row->crossover);
	lab.refill = curpage_refilled;
	e->base = lab.memory;
	return !cp_arena_fill(&cp_arena) && !cp_size_init();
}

static void *curpage_engine_alloc(struct engine *e, size_t size)
{
	void *block = curpage_alloc(size, GFP_KERNEL);

	curpage_allocs += !!block;
	curpage_count(e);
	return block;
}

static void curpage_engine_free(struct engine *e, void *block)
{
	curpage_free(block);
	curpage_frees++;
	curpage_count(e);
}

/* All pages that it was lent, those kept empty and the arena's free ones too. */
static size_t curpage_used(struct engine *e)
{
	return cp_arena.held * PAGE_SIZE;
}

static const char *curpage_engine_check(struct engine *e)
{
	return curpage_check() ? "an invariant does not hold, see above" : NULL;
}

static void curpage_stop(struct engine *e)
{
	cp_size_exit();
	cp_pages_exit();
}

#define ROW(label, text, picks, buddy, largest)				\
	{								\
		.name = "curpage-" label,				\
		.about = text,						\
		.row = &(const struct curpage_row){			\
			.strategy = picks,				\
			.policy = buddy,				\
			.crossover = largest },				\
		.align = 8,						\
		.outside = true,					\
		.start = curpage_start,					\
		.alloc = curpage_engine_alloc,				\
		.free = curpage_engine_free,				\
		.used = curpage_used,					\
		.check = curpage_engine_check,				\
		.stop = curpage_stop,					\
	}

static const struct engine_kind curpage_kinds[] = {
	ROW("mru", "the default: the page used last, of those with a free block",
	    CP_MRU, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("least-free", "the page with the fewest free blocks",
	    CP_LEAST_FREE, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("most-free", "the page with the most",
	    CP_MOST_FREE, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("least-free-8", "the fewest, in eighths of a page",
	    CP_LEAST_FREE_8, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("quick", "the page of the last free",
	    CP_QUICK, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("nofree", "new pages only",
	    CP_NOFREE, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("stack", "one list of free blocks, the last first",
	    CP_STACK, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("queue", "one list of free blocks, the first first",
	    CP_QUEUE, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("random", "any page",
	    CP_RANDOM, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("random-b", "the page of any free block",
	    CP_RANDOM_B, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("lowest-page", "the page with the lowest address",
	    CP_LOWEST_PAGE, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("first-fit", "the first page after the current one",
	    CP_FIRST_FIT, CP_BUDDY_REVISED, CURPAGE_QUARTER),
	ROW("mru-binary", "the default on the binary buddy",
	    CP_MRU, CP_BUDDY_BINARY, CURPAGE_QUARTER),
	ROW("mru-tailored", "the default on tailored lists",
	    CP_MRU, CP_BUDDY_TAILORED, CURPAGE_QUARTER),
	ROW("fit", "first fit for all that is not a page block",
	    CP_MRU, CP_BUDDY_REVISED, 0),
};

static const struct engine_family curpage = {
	.name = "curpage",
	.about = "this project's strategies and buddies, and first fit",
	.kind = curpage_kinds,
	.nr = ARRAY_SIZE(curpage_kinds),
};
ENGINE_FAMILY(curpage);
