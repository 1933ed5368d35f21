// SPDX-License-Identifier: GPL-2.0
/* The buddies where the arena may hold no more, and where it gives nothing back. */
#include "unit.h"

#define POOL_ORDER	CURPAGE_MAX_ORDER
#define POOL_PAGES	BIT(POOL_ORDER)

static struct cp_buddy *const callers = &cp_arena.buddy[CP_FOR_CALLERS];

/* One chunk, which is never given back. */
static void pool_make(enum cp_buddy_policy_id id)
{
	cp_arena.chunk_order = POOL_ORDER;
	cp_arena.min_pages = POOL_PAGES;
	cp_arena.max_pages = POOL_PAGES;
	cp_arena_set_policy(&cp_arena, &cp_buddy_policies[id]);
}

/* All of the pool as single pages; then those that are to go have gone. */
static void pool_fill(struct page **pages, bool (*goes)(unsigned long i))
{
	unsigned long i;

	for (i = 0; i < POOL_PAGES; i++) {
		pages[i] = curpage_alloc_pages(GFP_KERNEL, 0);
		REQUIRE(pages[i]);
	}
	EXPECT(!curpage_alloc_pages(GFP_ATOMIC, 0));
	EXPECT(cp_arena.failed[0] == 1 && cp_arena.held == POOL_PAGES);
	for (i = 0; i < POOL_PAGES; i++) {
		unsigned long pfn = page_to_pfn(pages[i]) % POOL_PAGES;

		if (!goes(pfn))
			continue;
		curpage_free_pages(pages[i], 0);
		pages[i] = NULL;
	}
	EXPECT(!curpage_check());
}

static void pool_empty(struct page **pages)
{
	unsigned long i;

	for (i = 0; i < POOL_PAGES; i++) {
		curpage_free_pages(pages[i], 0);
		pages[i] = NULL;
	}
}

static void pool_end(struct page **pages)
{
	pool_empty(pages);
	EXPECT(!unit_live() && !curpage_check());
	EXPECT(cp_arena.held == POOL_PAGES);
	EXPECT(cp_arena_free_pages(&cp_arena) == POOL_PAGES);
	EXPECT(cp_arena_trim(&cp_arena, 0) == POOL_PAGES);
}

static bool all_go(unsigned long pfn)
{
	return true;
}

static bool even_go(unsigned long pfn)
{
	return !(pfn & 1);
}

/* Nobody may sleep: what is free has to be joined, however often. */
static void merging_serves(void)
{
	static struct page *pages[POOL_PAGES];
	enum cp_buddy_policy_id id;

	for (id = 0; id < CP_NR_BUDDY_POLICIES; id++) {
		struct page *whole;

		pool_make(id);
		pool_fill(pages, all_go);
		EXPECT(!callers->paired == (id == CP_BUDDY_BINARY));
		whole = curpage_alloc_pages(GFP_ATOMIC, POOL_ORDER);
		EXPECT(whole);
		EXPECT(!curpage_check());
		EXPECT(callers->stat[CP_SPLITS][POOL_ORDER] ==
		       callers->stat[CP_MERGES][POOL_ORDER]);
		curpage_free_pages(whole, POOL_ORDER);
		EXPECT(!cp_arena.failed[POOL_ORDER]);
		pool_end(pages);
		cp_arena.failed[0] = 0;
	}
}

/* Who may sleep gets a large block for as many small ones that lie apart. */
static void bound_makes_room(void)
{
	static struct page *pages[POOL_PAGES];
	struct page *block;

	pool_make(CP_BUDDY_BINARY);
	cp_arena.min_pages = 0;
	pool_fill(pages, all_go);
	cp_arena_trim(&cp_arena, 0);
	cp_arena.failed[0] = 0;
	cp_arena.min_pages = POOL_PAGES;
	pool_fill(pages, even_go);
	EXPECT(cp_arena_free_pages(&cp_arena) == POOL_PAGES / 2);
	EXPECT(callers->some == 1);
	EXPECT(!curpage_alloc_pages(GFP_ATOMIC, 8));
	EXPECT(cp_arena.failed[8] == 1 && callers->stat[CP_MISSED][8] == 1);
	EXPECT(cp_arena.failed_free == POOL_PAGES / 2 &&
	       cp_arena.failed_held == 3 * POOL_PAGES);
	block = curpage_alloc_pages(GFP_KERNEL, 8);
	EXPECT(block && cp_arena.held <= POOL_PAGES);
	EXPECT(cp_arena.failed[8] == 1 && callers->stat[CP_MISSED][8] == 2);
	EXPECT(!curpage_check());
	/* There are not as many as would be needed: none goes. */
	EXPECT(!curpage_alloc_pages(GFP_KERNEL, 9));
	EXPECT(cp_arena.held == POOL_PAGES && !curpage_check());
	curpage_free_pages(block, 8);
	pool_end(pages);
}

/* The system refuses what the bound would allow: what was made room for is lost. */
static void bound_and_system(void)
{
	static struct page *pages[POOL_PAGES];

	pool_make(CP_BUDDY_REVISED);
	pool_fill(pages, even_go);
	lab.order_limit = 4;
	EXPECT(!curpage_alloc_pages(GFP_KERNEL, 6));
	lab.order_limit = UINT_MAX;
	EXPECT(cp_arena.held == POOL_PAGES - 64 && !cp_arena.transit);
	EXPECT(cp_arena.stat[CP_SYSTEM_FAILED] == 1 && !curpage_check());
	curpage_free_pages(curpage_alloc_pages(GFP_KERNEL, 6), 6);
	pool_end(pages);
}

static void policy_in_use(void)
{
	static struct page *pages[POOL_PAGES];
	unsigned int turn;

	pool_make(CP_BUDDY_REVISED);
	pool_fill(pages, all_go);
	for (turn = 0; turn < 30; turn++) {
		enum cp_buddy_policy_id id = turn % CP_NR_BUDDY_POLICIES;
		struct cp_desired d = { .nr = { turn, 3, 0, turn / 2 } };
		struct page *block;

		cp_arena_set_desired(&cp_arena, &d);
		cp_arena_set_policy(&cp_arena, &cp_buddy_policies[id]);
		EXPECT(!curpage_check());
		block = curpage_alloc_pages(GFP_KERNEL, turn % 10);
		EXPECT(block && !curpage_check());
		curpage_free_pages(block, turn % 10);
		EXPECT(!curpage_check());
	}
	pool_end(pages);
}

static bool most_go(unsigned long pfn)
{
	return pfn;
}

/*
 * There is no more to be had from the system.  A chunk with a live block serves
 * both uses; one that is all free goes over to the other.
 */
static void apart_at_bound(void)
{
	static struct page *pages[POOL_PAGES];
	struct cp_buddy *caches = &cp_arena.buddy[CP_FOR_CACHES];
	struct curpage_cache *cache;
	struct page *block;
	void *blocks[8];

	cp_arena.apart = true;
	pool_make(CP_BUDDY_BINARY);
	cache = curpage_cache_create("other", 2048, NULL);
	REQUIRE(cache);
	pool_fill(pages, most_go);
	EXPECT(callers->free_pages == POOL_PAGES - 1 && !caches->pages);
	EXPECT(curpage_cache_alloc_bulk(cache, GFP_ATOMIC, 8, blocks) == 8);
	EXPECT(callers->free_pages == POOL_PAGES - 5 && !caches->pages);
	curpage_cache_free_bulk(cache, 8, blocks);
	curpage_cache_shrink(cache);
	pool_empty(pages);
	EXPECT(callers->free_pages == POOL_PAGES && !curpage_check());
	EXPECT(curpage_cache_alloc_bulk(cache, GFP_ATOMIC, 8, blocks) == 8);
	EXPECT(!callers->pages && caches->pages == POOL_PAGES);
	EXPECT(!curpage_check());
	block = curpage_alloc_pages(GFP_ATOMIC, 3);
	EXPECT(block && !callers->pages && !curpage_check());
	curpage_free_pages(block, 3);
	curpage_cache_free_bulk(cache, 8, blocks);
	EXPECT(!curpage_cache_destroy(cache));
	EXPECT(cp_arena_trim(&cp_arena, 0) == POOL_PAGES);
}

/*
 * What a burst of blocks leaves free is forgotten by and by: a free gives back
 * little more than its own pages, and looks at the arena all that is not used.
 */
static void burst_is_forgotten(void)
{
	static struct page *pages[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = curpage_alloc_pages(GFP_KERNEL, 6);
		REQUIRE(pages[i]);
	}
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		unsigned long held = cp_arena.held;

		curpage_free_pages(pages[i], 6);
		EXPECT(held - cp_arena.held <= 64 + CP_BATCH);
	}
	EXPECT(cp_arena.held > ARRAY_SIZE(pages) * 64 / 2);
	for (i = 0; i < 20; i++) {
		pages[0] = curpage_alloc_pages(GFP_KERNEL, 0);
		curpage_free_pages(pages[0], 0);
		cp_arena_age(&cp_arena, false);
		EXPECT(!curpage_check());
	}
	EXPECT(cp_arena.held <= CP_SPARE_MIN + 2);
	EXPECT(cp_arena_age(&cp_arena, true) && !cp_arena.held);
}

/* Blocks in stock serve in the end. */
static void served_is_not_failed(void)
{
	static struct page *pages[64];
	struct page *block;
	unsigned int i;

	cp_stock_limit[0] = 4;
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = curpage_alloc_pages(GFP_KERNEL, 0);
		REQUIRE(pages[i]);
	}
	for (i = 0; i < 4; i++)
		curpage_free_pages(pages[i], 0);
	EXPECT(!curpage_alloc_pages(GFP_ATOMIC, 1));
	EXPECT(cp_arena.failed[1] == 1);
	block = curpage_alloc_pages(GFP_KERNEL, 1);
	EXPECT(block && cp_arena.failed[1] == 1);
	curpage_free_pages(block, 1);
	for (i = 4; i < ARRAY_SIZE(pages); i++)
		curpage_free_pages(pages[i], 0);
	cp_stock_drain();
}

/* The system has single pages, and then larger blocks: no page too many. */
static void filled_exactly(void)
{
	cp_arena.chunk_order = 4;
	cp_arena.min_pages = 1;
	lab.order_limit = 0;
	EXPECT(!cp_arena_fill(&cp_arena));
	lab.order_limit = UINT_MAX;
	cp_arena.min_pages = 256;
	EXPECT(!cp_arena_fill(&cp_arena));
	EXPECT(cp_arena.held == 256 && !curpage_check());
	EXPECT(cp_arena_trim(&cp_arena, 0) == 256);
}

/* At the bound a page of a cache comes from the callers' chunks, as they lie. */
static void one_page_joins_none(void)
{
	static struct page *pages[POOL_PAGES];
	struct curpage_cache *cache;
	unsigned int order;
	void *obj;

	pool_make(CP_BUDDY_REVISED);
	cache = curpage_cache_create("one", 2048, NULL);
	REQUIRE(cache);
	pool_fill(pages, most_go);
	obj = curpage_cache_alloc(cache, GFP_ATOMIC);
	EXPECT(obj);
	for (order = 0; order < CP_NR_ORDERS; order++)
		EXPECT(!callers->stat[CP_MERGES][order]);
	curpage_cache_free(cache, obj);
	EXPECT(!curpage_cache_destroy(cache));
	pool_end(pages);
}

const struct unit_case unit_buddy_cases[] = {
	{ "nothing fails that merging serves", merging_serves },
	{ "at the bound small blocks make room for a large one",
	  bound_makes_room },
	{ "room is made, and the system refuses", bound_and_system },
	{ "policy and desired numbers change in use", policy_in_use },
	{ "at the bound caches and callers help each other", apart_at_bound },
	{ "what a burst leaves free is forgotten", burst_is_forgotten },
	{ "what is served in the end has not failed", served_is_not_failed,
	  .max_pages = 64 },
	{ "the arena is filled exactly", filled_exactly },
	{ "one page for a cache joins no blocks", one_page_joins_none,
	  .apart = true },
	{ }
};
