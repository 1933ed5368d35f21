// SPDX-License-Identifier: GPL-2.0
/*
 * What the arena holds: never past its bound, never much more than is used,
 * nothing in the end.  Most tests have an arena of their own.
 */
#include "arena_fixture.h"

#define MANY	ARENA_FIXTURE_MANY

KUNIT_ARRAY_PARAM_DESC(policy, cp_buddy_policies, name);

/* With the policy that is the test's parameter, or the first. */
static struct arena_fixture *setup(struct kunit *test, unsigned int chunk_order,
				   unsigned long max_pages)
{
	struct cp_arena_args args = {
		.policy = test->param_value ?: &cp_buddy_policies[0],
		.desired.learn = true,
		.chunk_order = chunk_order,
		.max_pages = max_pages,
	};

	return arena_fixture_new(test, &args);
}

static void first_page_borrows_little(struct kunit *test)
{
	struct arena_fixture *f = setup(test, CURPAGE_MAX_ORDER, 0);

	arena_fixture_take(test, f, 0, CP_CACHE);
	KUNIT_EXPECT_LE(test, arena_fixture_held(f), 1 + CP_SPARE_MIN);
	arena_fixture_finish(test, f);
}

static void held_follows_a_load_of_pages(struct kunit *test)
{
	struct arena_fixture *f = setup(test, 4, 0);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, cp_test_seed(test));
	while (f->nr < MANY)
		arena_fixture_take(test, f, 0, CP_CACHE);
	while (f->nr)
		arena_fixture_give(test, f, prandom_u32_state(&rnd) % f->nr);
	arena_fixture_finish(test, f);
}

static void held_follows_a_load_of_blocks(struct kunit *test)
{
	struct arena_fixture *f = setup(test, 4, 0);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < 4000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (f->nr == MANY || (f->nr && (r & 1)))
			arena_fixture_give(test, f, (r >> 1) % f->nr);
		else
			arena_fixture_take(test, f, __ffs(r >> 1 | BIT(6)),
					   CP_BLOCK);
	}
	arena_fixture_finish(test, f);
}

/* A load that goes up and down does not go to the system each time. */
static void pages_of_blocks_are_kept_for_a_while(struct kunit *test)
{
	struct arena_fixture *f = setup(test, 4, 0);
	unsigned int i;

	for (i = 0; i < 32; i++) {
		while (f->nr < 16)
			arena_fixture_take(test, f, 4, CP_BLOCK);
		while (f->nr)
			arena_fixture_give(test, f, f->nr - 1);
		KUNIT_EXPECT_LE(test, f->a.stat[CP_CHUNK_PAGES], 2 * 16 * 16);
	}
	KUNIT_EXPECT_GT(test, arena_fixture_held(f), 128);
	/* What comes and goes then makes them leave by and by. */
	for (i = 0; i < 64 * 64; i++) {
		arena_fixture_take(test, f, 0, CP_CACHE);
		arena_fixture_give(test, f, 0);
	}
	KUNIT_EXPECT_LE(test, arena_fixture_held(f), 4 + 8);
	arena_fixture_finish(test, f);
}

static void one_live_page_pins_only_itself(struct kunit *test)
{
	struct arena_fixture *f = setup(test, CURPAGE_MAX_ORDER, 0);

	while (f->nr < MANY)
		arena_fixture_take(test, f, 0, CP_CACHE);
	swap(f->taken[0], f->taken[MANY / 2]);
	while (f->nr > 1)
		arena_fixture_give(test, f, f->nr - 1);
	cp_arena_trim(&f->a, 0);
	KUNIT_EXPECT_EQ(test, 1, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, 0, cp_arena_check(&f->a));
	arena_fixture_finish(test, f);
}

static void trim_keeps_what_it_is_told_to(struct kunit *test)
{
	struct arena_fixture *f = setup(test, 4, 0);

	arena_fixture_take(test, f, 3, CP_BLOCK);
	arena_fixture_take(test, f, 2, CP_BLOCK);
	arena_fixture_give(test, f, 1);
	KUNIT_EXPECT_EQ(test, 4, cp_arena_free_pages(&f->a));
	KUNIT_EXPECT_EQ(test, 1, cp_arena_trim(&f->a, 3));
	KUNIT_EXPECT_EQ(test, 3, cp_arena_free_pages(&f->a));
	KUNIT_EXPECT_EQ(test, 0, cp_arena_trim(&f->a, 3));
	arena_fixture_finish(test, f);
}

/* All but the counters of what was asked, which are beside the point. */
static void expect_same(struct kunit *test, struct arena_fixture_figures *a,
			struct arena_fixture_figures *b)
{
	struct cp_buddy_sum *x = &a->buddy[CP_FOR_CALLERS];
	struct cp_buddy_sum *y = &b->buddy[CP_FOR_CALLERS];
	unsigned int order;

	KUNIT_EXPECT_EQ(test, a->arena.held, b->arena.held);
	KUNIT_EXPECT_EQ(test, a->arena.free_pages, b->arena.free_pages);
	KUNIT_EXPECT_EQ(test, a->arena.cache_pages, b->arena.cache_pages);
	KUNIT_EXPECT_EQ(test, a->arena.block_pages, b->arena.block_pages);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		KUNIT_EXPECT_EQ(test, x->free[order], y->free[order]);
		KUNIT_EXPECT_EQ(test, a->arena.blocks[order],
				b->arena.blocks[order]);
		KUNIT_EXPECT_EQ(test, x->stat[CP_SPLITS][order],
				y->stat[CP_SPLITS][order]);
		KUNIT_EXPECT_EQ(test, x->stat[CP_MERGES][order],
				y->stat[CP_MERGES][order]);
	}
}

static void bound_is_reached_and_not_passed(struct kunit *test)
{
	struct arena_fixture *f = setup(test, 4, 37);
	struct arena_fixture_figures *before, *after;

	while (f->nr < MANY && arena_fixture_take(test, f, 0, CP_CACHE))
		;
	KUNIT_EXPECT_EQ(test, 37, f->nr);
	KUNIT_EXPECT_EQ(test, 37, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, 1, f->a.stat[CP_AT_BOUND]);
	KUNIT_EXPECT_EQ(test, 1, f->a.failed[0]);

	before = arena_fixture_figures(test, f);
	KUNIT_EXPECT_NULL(test, arena_fixture_take(test, f, 0, CP_CACHE));
	KUNIT_EXPECT_NULL(test, arena_fixture_take(test, f, 5, CP_BLOCK));
	after = arena_fixture_figures(test, f);
	expect_same(test, before, after);
	KUNIT_EXPECT_EQ(test, 3, after->arena.stat[CP_AT_BOUND]);
	KUNIT_EXPECT_EQ(test, before->arena.stat[CP_TAKE],
			after->arena.stat[CP_TAKE]);
	KUNIT_EXPECT_EQ(test, 0, after->arena.stat[CP_SYSTEM_FAILED]);

	arena_fixture_give(test, f, 5);
	KUNIT_EXPECT_NOT_NULL(test, arena_fixture_take(test, f, 0, CP_CACHE));
	arena_fixture_finish(test, f);
}

static void block_past_the_bound_leaves_room_for_smaller(struct kunit *test)
{
	struct arena_fixture *f = setup(test, 4, 10);

	KUNIT_EXPECT_NULL(test, arena_fixture_take(test, f, 4, CP_BLOCK));
	KUNIT_EXPECT_EQ(test, 0, arena_fixture_held(f));
	KUNIT_EXPECT_NOT_NULL(test, arena_fixture_take(test, f, 3, CP_BLOCK));
	KUNIT_EXPECT_NULL(test, arena_fixture_take(test, f, 2, CP_BLOCK));
	KUNIT_EXPECT_NOT_NULL(test, arena_fixture_take(test, f, 1, CP_BLOCK));
	KUNIT_EXPECT_EQ(test, 2, f->a.stat[CP_AT_BOUND]);
	arena_fixture_finish(test, f);
}

/* The same through a cache: NULL, counted, and no harm done. */
static void cache_at_the_bound_gets_null(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-bound", 2048,
						    NULL);
	unsigned long max = cp_arena.max_pages;
	unsigned long refused = cp_arena.stat[CP_AT_BOUND];
	void *objs[5] = { };
	unsigned int i;

	cp_test_pin(test);
	cp_arena.max_pages = cp_test_held() + 2;
	for (i = 0; i < 4; i++) {
		objs[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_NOT_NULL(test, objs[i]);
	}
	KUNIT_EXPECT_NULL(test, curpage_cache_alloc(cache, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, curpage_cache_alloc(cache, GFP_ATOMIC));
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL, 0));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&cache->failed));
	KUNIT_EXPECT_EQ(test, refused + 3, cp_arena.stat[CP_AT_BOUND]);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());

	cp_arena.max_pages = max;
	objs[4] = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, objs[4]);
	curpage_cache_free_bulk(cache, ARRAY_SIZE(objs), objs);
}

static void page_of_a_zone_is_refused(struct kunit *test)
{
	unsigned long before = cp_test_held();

	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL | __GFP_DMA, 0));
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL | __GFP_DMA32,
						    0));
	KUNIT_EXPECT_EQ(test, before, cp_test_held());
}

static void order_past_the_largest_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL,
						    CURPAGE_MAX_ORDER + 1));
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL, UINT_MAX));
}

static void page_blocks_are_aligned_and_apart(struct kunit *test)
{
	struct page *a[CP_NR_ORDERS];
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		a[order] = curpage_alloc_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, a[order]);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(page_to_pfn(a[order]),
						   1UL << order));
		memset(page_address(a[order]), order, PAGE_SIZE << order);
	}
	for (order = 0; order < CP_NR_ORDERS; order++)
		KUNIT_EXPECT_NULL(test, memchr_inv(page_address(a[order]),
						   order, PAGE_SIZE << order));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	for (order = 0; order < CP_NR_ORDERS; order++)
		curpage_free_pages(a[order], order);
}

static void shrink_gives_all_that_is_not_live(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-shrink", 1024,
						    NULL);
	struct cp_test *t = test->priv;
	void *objs[MANY / 4];

	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(objs),
			curpage_cache_alloc_bulk(cache, GFP_KERNEL,
						 ARRAY_SIZE(objs), objs));
	curpage_cache_free_bulk(cache, ARRAY_SIZE(objs) - 1, objs);
	KUNIT_EXPECT_GT(test, cp_test_held(), t->held + 1);
	KUNIT_EXPECT_GT(test, curpage_cache_shrink(cache), 0);
	KUNIT_EXPECT_EQ(test, t->held + 1, cp_test_held());
	KUNIT_EXPECT_EQ(test, 0, curpage_cache_shrink(cache));
	curpage_cache_free(cache, objs[ARRAY_SIZE(objs) - 1]);
	KUNIT_EXPECT_GT(test, curpage_cache_shrink(cache), 0);
	KUNIT_EXPECT_EQ(test, t->held, cp_test_held());
}

/* As under memory pressure. */
static void shrinker_empties_caches_and_arena(struct kunit *test)
{
	struct cp_test *t = test->priv;
	void *objs[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = curpage_alloc(1000, GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		curpage_free(objs[i]);
	KUNIT_EXPECT_GT(test, cp_test_held(), t->held);
	drop_slab();
	KUNIT_EXPECT_EQ(test, t->held, cp_test_held());
}

#define POLICY_CASE(fn)	KUNIT_CASE_PARAM(fn, policy_gen_params)

static struct kunit_case cp_arena_cases[] = {
	KUNIT_CASE(first_page_borrows_little),
	POLICY_CASE(held_follows_a_load_of_pages),
	POLICY_CASE(held_follows_a_load_of_blocks),
	POLICY_CASE(pages_of_blocks_are_kept_for_a_while),
	POLICY_CASE(one_live_page_pins_only_itself),
	KUNIT_CASE(trim_keeps_what_it_is_told_to),
	KUNIT_CASE(bound_is_reached_and_not_passed),
	KUNIT_CASE(block_past_the_bound_leaves_room_for_smaller),
	KUNIT_CASE(cache_at_the_bound_gets_null),
	KUNIT_CASE(page_of_a_zone_is_refused),
	KUNIT_CASE(order_past_the_largest_is_refused),
	KUNIT_CASE(page_blocks_are_aligned_and_apart),
	KUNIT_CASE(shrink_gives_all_that_is_not_live),
	KUNIT_CASE(shrinker_empties_caches_and_arena),
	{}
};

CP_TEST_SUITE(arena);
