// SPDX-License-Identifier: GPL-2.0
/*
 * What is not used goes back at the second look that finds nothing done since
 * the one before, and not earlier.
 */
#include "common.h"

#define BLOCKS	4
#define PAGES	12	/* more than the arena keeps */
#define OBJS	(PAGES * BLOCKS)

struct fixture {
	struct curpage_cache *cache;
	void *objs[OBJS];
};

/* Some pages of blocks, all live. */
static struct fixture *setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->cache = cp_test_cache(test, "kunit-idle", PAGE_SIZE / BLOCKS, NULL);
	f->cache->keep = CP_KEEP_ALL;
	KUNIT_ASSERT_EQ(test, OBJS,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL, OBJS,
						 f->objs));
	return f;
}

static void expect_pages(struct kunit *test, unsigned long pages)
{
	struct cp_arena_sum sum;

	cp_arena_get_sum(&cp_arena, &sum, NULL);
	KUNIT_EXPECT_EQ(test, pages, sum.cache_pages);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void empty_pages_leave_at_the_second_look(struct kunit *test)
{
	struct cp_test *t = test->priv;
	struct fixture *f = setup(test);
	unsigned long idle = cp_idle_pages, held = cp_test_held();

	curpage_cache_free_bulk(f->cache, OBJS, f->objs);
	cp_idle_look();
	expect_pages(test, PAGES);
	cp_idle_look();
	expect_pages(test, 0);
	/* The arena has been given pages; it has its own two looks to wait. */
	cp_idle_look();
	KUNIT_EXPECT_EQ(test, t->held, cp_test_held());
	KUNIT_EXPECT_EQ(test, held - t->held, cp_idle_pages - idle);
}

static void use_keeps_empty_pages(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	curpage_cache_free_bulk(f->cache, OBJS, f->objs);
	for (i = 0; i < 4; i++) {
		cp_idle_look();
		curpage_cache_free(f->cache,
				   curpage_cache_alloc(f->cache, GFP_KERNEL));
		expect_pages(test, PAGES);
	}
	cp_idle_look();
	cp_idle_look();
	expect_pages(test, 0);
}

static void pages_with_live_blocks_stay(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	/*
	 * One block of the first page, none of the second, all of the others.
	 */
	curpage_cache_free_bulk(f->cache, 2 * BLOCKS - 1, f->objs + 1);
	for (i = 0; i < 4; i++)
		cp_idle_look();
	expect_pages(test, PAGES - 1);
	curpage_cache_free(f->cache, f->objs[0]);
	curpage_cache_free_bulk(f->cache, OBJS - 2 * BLOCKS,
				f->objs + 2 * BLOCKS);
}

static void free_all(void *data)
{
	struct fixture *f = data;
	unsigned int i;

	for (i = 0; i < OBJS; i++)
		curpage_cache_free(f->cache, f->objs[i]);
}

/* What was freed elsewhere waits for an owner that does nothing any more. */
static void pages_freed_elsewhere_leave(struct kunit *test)
{
	struct fixture *f = setup(test);

	cp_idle_look();
	cp_test_elsewhere(test, f->cache, free_all, f);
	expect_pages(test, PAGES);
	cp_idle_look();
	cp_idle_look();
	expect_pages(test, 0);
}

static void free_pages_leave_the_arena(struct kunit *test)
{
	struct cp_test *t = test->priv;
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 0);
	unsigned long held;

	KUNIT_ASSERT_NOT_NULL(test, page);
	cp_test_pin(test);
	cp_idle_look();
	held = cp_test_held();
	KUNIT_ASSERT_GT_MSG(test, held, t->held + 1, "a chunk of several");
	cp_idle_look();
	KUNIT_EXPECT_EQ(test, t->held + 1, cp_test_held());
	curpage_free_pages(page, 0);
	cp_idle_look();
	KUNIT_EXPECT_EQ_MSG(test, t->held + 1, cp_test_held(), "in stock");
	cp_idle_look();
	cp_idle_look();
	cp_idle_look();
	KUNIT_EXPECT_EQ(test, t->held, cp_test_held());
}

static struct kunit_case cp_idle_cases[] = {
	KUNIT_CASE(empty_pages_leave_at_the_second_look),
	KUNIT_CASE(use_keeps_empty_pages),
	KUNIT_CASE(pages_with_live_blocks_stay),
	KUNIT_CASE_PARAM(pages_freed_elsewhere_leave, cp_test_way_gen_params),
	KUNIT_CASE(free_pages_leave_the_arena),
	{}
};

CP_TEST_SUITE(idle);
