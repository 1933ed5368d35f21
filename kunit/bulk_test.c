// SPDX-License-Identifier: GPL-2.0
/* Several blocks at a time: all or none, and counted like single ones. */
#include "common.h"

#define MANY	300	/* several batches, and several pages */

struct fixture {
	struct curpage_cache *cache;
	void *objs[MANY];
};

static struct fixture *setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->cache = cp_test_cache(test, "kunit-bulk", 64, NULL);
	return f;
}

static unsigned long stat_of(struct fixture *f, enum cp_heap_stat stat)
{
	struct cp_cache_sum sum;

	cp_cache_sum(f->cache, &sum);
	return sum.stat[stat];
}

static void all_blocks_are_different_and_counted(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i, j;

	KUNIT_ASSERT_EQ(test, MANY,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL, MANY,
						 f->objs));
	for (i = 0; i < MANY; i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_PTR_NE(test, f->objs[i], f->objs[j]);
	KUNIT_EXPECT_EQ(test, MANY, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, MANY, stat_of(f, CP_ALLOC));
	curpage_cache_free_bulk(f->cache, MANY, f->objs);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, MANY, stat_of(f, CP_FREED));
}

static void bulk_gives_what_single_allocations_give(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;
	void *obj;

	KUNIT_ASSERT_EQ(test, MANY,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL, MANY,
						 f->objs));
	/* Blocks go back last first, so that they come again as they were. */
	for (i = MANY; i-- > 0;)
		curpage_cache_free(f->cache, f->objs[i]);
	obj = curpage_cache_alloc(f->cache, GFP_KERNEL);
	curpage_cache_free(f->cache, obj);
	KUNIT_ASSERT_EQ(test, 1,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL, 1,
						 f->objs));
	KUNIT_EXPECT_PTR_EQ(test, obj, f->objs[0]);
	curpage_cache_free_bulk(f->cache, 1, f->objs);
}

static void bulk_of_none_is_none(struct kunit *test)
{
	struct fixture *f = setup(test);

	KUNIT_EXPECT_EQ(test, 0, curpage_cache_alloc_bulk(f->cache, GFP_KERNEL,
							  0, NULL));
	curpage_cache_free_bulk(f->cache, 0, NULL);
	KUNIT_EXPECT_EQ(test, 0, stat_of(f, CP_ALLOC));
}

static void absurd_number_is_refused(struct kunit *test)
{
	struct fixture *f = setup(test);

	KUNIT_EXPECT_EQ(test, 0,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL,
						 (size_t)INT_MAX + 1, f->objs));
	KUNIT_EXPECT_EQ(test, 0, stat_of(f, CP_ALLOC));
}

static void null_among_the_freed_is_skipped(struct kunit *test)
{
	struct fixture *f = setup(test);
	void *kept;

	KUNIT_ASSERT_EQ(test, 8, curpage_cache_alloc_bulk(f->cache, GFP_KERNEL,
							  8, f->objs));
	kept = f->objs[3];
	f->objs[0] = NULL;
	f->objs[3] = NULL;
	f->objs[7] = NULL;
	curpage_cache_free_bulk(f->cache, 8, f->objs);
	KUNIT_EXPECT_EQ(test, 3, cp_cache_live(f->cache));
	curpage_cache_free(f->cache, kept);
	/* The other two are found on their page: first and last of eight. */
	curpage_cache_free(f->cache, kept - 3 * 64);
	curpage_cache_free(f->cache, kept + 4 * 64);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
}

/* Pages for a part of the blocks only: the part goes back. */
static void short_of_memory_gets_none_at_all(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned long max = cp_arena.max_pages;
	unsigned int pages;

	for (pages = 0; pages < MANY / 64; pages++) {
		cp_test_settle();
		cp_arena.max_pages = cp_test_held() + pages;
		KUNIT_EXPECT_EQ_MSG(test, 0,
				    curpage_cache_alloc_bulk(f->cache,
							     GFP_KERNEL, MANY,
							     f->objs),
				    "%u pages", pages);
		cp_arena.max_pages = max;
		KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
		KUNIT_EXPECT_EQ(test, pages + 1,
				atomic_long_read(&f->cache->failed));
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
	}
}

static void bulk_zeroes_when_asked(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		KUNIT_ASSERT_EQ(test, MANY,
				curpage_cache_alloc_bulk(f->cache, GFP_KERNEL |
							 __GFP_ZERO, MANY,
							 f->objs));
		for (i = 0; i < MANY; i++) {
			KUNIT_EXPECT_NULL(test, memchr_inv(f->objs[i], 0, 64));
			memset(f->objs[i], 0xff, 64);
		}
		curpage_cache_free_bulk(f->cache, MANY, f->objs);
	}
}

static struct kunit_case cp_bulk_cases[] = {
	KUNIT_CASE(all_blocks_are_different_and_counted),
	KUNIT_CASE(bulk_gives_what_single_allocations_give),
	KUNIT_CASE(bulk_of_none_is_none),
	KUNIT_CASE(absurd_number_is_refused),
	KUNIT_CASE(null_among_the_freed_is_skipped),
	KUNIT_CASE(short_of_memory_gets_none_at_all),
	KUNIT_CASE(bulk_zeroes_when_asked),
	{}
};

CP_TEST_SUITE(bulk);
