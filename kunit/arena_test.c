// SPDX-License-Identifier: GPL-2.0
/*
 * What the arena holds: never past its bound, never much more than is used,
 * nothing in the end.  Most tests have an arena of their own.
 */
#include "common.h"

#include <linux/prandom.h>

#define MANY	512

struct fixture {
	struct cp_arena a;
	struct cp_page *taken[MANY];
	unsigned int nr;
	unsigned long used;
};

static struct fixture *setup(struct kunit *test, unsigned int chunk_order,
			     unsigned long max_pages)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_arena_init(&f->a, chunk_order, max_pages);
	return f;
}

static unsigned long held(struct fixture *f)
{
	struct cp_arena_sum sum;

	cp_arena_sum(&f->a, &sum);
	return sum.held;
}

/* The promise at the top of arena.c, with its figures written out. */
static void expect_bounded(struct kunit *test, struct fixture *f)
{
	unsigned long h = held(f);

	KUNIT_EXPECT_GE(test, h, f->used);
	KUNIT_EXPECT_LE_MSG(test, h, f->used + f->used / 64 + 4,
			    "%lu pages used", f->used);
	KUNIT_EXPECT_EQ(test, 0, cp_arena_check(&f->a));
}

static struct cp_page *take(struct kunit *test, struct fixture *f,
			    unsigned int order, enum cp_page_kind kind)
{
	struct cp_page *p = cp_arena_take(&f->a, GFP_KERNEL | __GFP_NOWARN,
					  order, kind);

	if (p) {
		KUNIT_EXPECT_EQ(test, kind, cp_page_kind(p));
		KUNIT_EXPECT_EQ(test, order, p->order);
		f->taken[f->nr++] = p;
		f->used += 1UL << order;
	}
	expect_bounded(test, f);
	return p;
}

static void give(struct kunit *test, struct fixture *f, unsigned int pick)
{
	struct cp_page *p = f->taken[pick];
	unsigned int order = p->order;
	LIST_HEAD(list);

	/* As it is when somebody has freed it. */
	if (cp_page_kind(p) == CP_BLOCK)
		p->word.kind = CP_STOCK;
	list_add(&p->list, &list);
	f->taken[pick] = f->taken[--f->nr];
	f->used -= 1UL << order;
	cp_arena_give(&f->a, &list);
	expect_bounded(test, f);
}

static void finish(struct kunit *test, struct fixture *f)
{
	while (f->nr)
		give(test, f, f->nr - 1);
	cp_arena_trim(&f->a, 0);
	KUNIT_EXPECT_EQ(test, 0, held(f));
	KUNIT_EXPECT_EQ(test, f->a.stat[CP_CHUNK_PAGES],
			f->a.stat[CP_RETURNED_PAGES]);
	KUNIT_EXPECT_EQ(test, f->a.stat[CP_TAKE], f->a.stat[CP_GIVE]);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&f->a.loose));
}

static void first_page_borrows_little(struct kunit *test)
{
	struct fixture *f = setup(test, CURPAGE_MAX_ORDER, 0);

	take(test, f, 0, CP_CACHE);
	KUNIT_EXPECT_LE(test, held(f), 1 + CP_SPARE_MIN);
	finish(test, f);
}

static void held_follows_a_load_of_pages(struct kunit *test)
{
	struct fixture *f = setup(test, 4, 0);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, cp_test_seed(test));
	while (f->nr < MANY)
		take(test, f, 0, CP_CACHE);
	while (f->nr)
		give(test, f, prandom_u32_state(&rnd) % f->nr);
	finish(test, f);
}

static void held_follows_a_load_of_blocks(struct kunit *test)
{
	struct fixture *f = setup(test, 4, 0);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < 4000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (f->nr == MANY || (f->nr && (r & 1)))
			give(test, f, (r >> 1) % f->nr);
		else
			take(test, f, __ffs(r >> 1 | BIT(6)), CP_BLOCK);
	}
	finish(test, f);
}

static void one_live_page_pins_only_itself(struct kunit *test)
{
	struct fixture *f = setup(test, CURPAGE_MAX_ORDER, 0);

	while (f->nr < MANY)
		take(test, f, 0, CP_CACHE);
	swap(f->taken[0], f->taken[MANY / 2]);
	while (f->nr > 1)
		give(test, f, f->nr - 1);
	cp_arena_trim(&f->a, 0);
	KUNIT_EXPECT_EQ(test, 1, held(f));
	KUNIT_EXPECT_EQ(test, 0, cp_arena_check(&f->a));
	finish(test, f);
}

static void trim_keeps_what_it_is_told_to(struct kunit *test)
{
	struct fixture *f = setup(test, 4, 0);

	take(test, f, 3, CP_BLOCK);
	take(test, f, 2, CP_BLOCK);
	give(test, f, 1);
	KUNIT_EXPECT_EQ(test, 4, f->a.buddy.free_pages);
	KUNIT_EXPECT_EQ(test, 1, cp_arena_trim(&f->a, 3));
	KUNIT_EXPECT_EQ(test, 3, f->a.buddy.free_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_arena_trim(&f->a, 3));
	finish(test, f);
}

/* All but the counters of what was asked, which are beside the point. */
static void expect_same(struct kunit *test, struct cp_arena_sum *a,
			struct cp_arena_sum *b)
{
	unsigned int order;

	KUNIT_EXPECT_EQ(test, a->held, b->held);
	KUNIT_EXPECT_EQ(test, a->free_pages, b->free_pages);
	KUNIT_EXPECT_EQ(test, a->cache_pages, b->cache_pages);
	KUNIT_EXPECT_EQ(test, a->block_pages, b->block_pages);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		KUNIT_EXPECT_EQ(test, a->nr_free[order], b->nr_free[order]);
		KUNIT_EXPECT_EQ(test, a->blocks[order], b->blocks[order]);
		KUNIT_EXPECT_EQ(test, a->splits[order], b->splits[order]);
		KUNIT_EXPECT_EQ(test, a->merges[order], b->merges[order]);
	}
}

static void bound_is_reached_and_not_passed(struct kunit *test)
{
	struct cp_arena_sum before, after;
	struct fixture *f = setup(test, 4, 37);

	while (f->nr < MANY && take(test, f, 0, CP_CACHE))
		;
	KUNIT_EXPECT_EQ(test, 37, f->nr);
	KUNIT_EXPECT_EQ(test, 37, held(f));
	KUNIT_EXPECT_EQ(test, 1, f->a.stat[CP_AT_BOUND]);

	cp_arena_sum(&f->a, &before);
	KUNIT_EXPECT_NULL(test, take(test, f, 0, CP_CACHE));
	KUNIT_EXPECT_NULL(test, take(test, f, 5, CP_BLOCK));
	cp_arena_sum(&f->a, &after);
	expect_same(test, &before, &after);
	KUNIT_EXPECT_EQ(test, 3, after.stat[CP_AT_BOUND]);
	KUNIT_EXPECT_EQ(test, before.stat[CP_TAKE], after.stat[CP_TAKE]);
	KUNIT_EXPECT_EQ(test, 0, after.stat[CP_SYSTEM_FAILED]);

	give(test, f, 5);
	KUNIT_EXPECT_NOT_NULL(test, take(test, f, 0, CP_CACHE));
	finish(test, f);
}

static void block_past_the_bound_leaves_room_for_smaller(struct kunit *test)
{
	struct fixture *f = setup(test, 4, 10);

	KUNIT_EXPECT_NULL(test, take(test, f, 4, CP_BLOCK));
	KUNIT_EXPECT_EQ(test, 0, held(f));
	KUNIT_EXPECT_NOT_NULL(test, take(test, f, 3, CP_BLOCK));
	KUNIT_EXPECT_NULL(test, take(test, f, 2, CP_BLOCK));
	KUNIT_EXPECT_NOT_NULL(test, take(test, f, 1, CP_BLOCK));
	KUNIT_EXPECT_EQ(test, 2, f->a.stat[CP_AT_BOUND]);
	finish(test, f);
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
	KUNIT_EXPECT_EQ(test, 2, atomic_long_read(&cache->failed));
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

static struct kunit_case cp_arena_cases[] = {
	KUNIT_CASE(first_page_borrows_little),
	KUNIT_CASE(held_follows_a_load_of_pages),
	KUNIT_CASE(held_follows_a_load_of_blocks),
	KUNIT_CASE(one_live_page_pins_only_itself),
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
