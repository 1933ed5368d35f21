// SPDX-License-Identifier: GPL-2.0
/* Several blocks at a time: all or none, and counted like single ones. */
#include "common.h"

#define MANY	300	/* several batches, and several pages */
#define BLOCKS	4	/* of a page, where it matters */

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

	cp_cache_get_sum(f->cache, &sum);
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
				atomic_read(&f->cache->failed));
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

/* Pages A, B and C, all of them full, and D with one block. */
static struct fixture *setup_pages(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->cache = cp_test_cache(test, "kunit-bulk", PAGE_SIZE / BLOCKS, NULL);
	f->cache->keep = CP_KEEP_ALL;
	KUNIT_ASSERT_EQ(test, 3 * BLOCKS + 1,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL,
						 3 * BLOCKS + 1, f->objs));
	return f;
}

static void finish(struct kunit *test, struct fixture *f)
{
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_cache_free_bulk(f->cache, 3 * BLOCKS + 1, f->objs);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
}

static void blocks_of_mixed_pages_all_go_back(struct kunit *test)
{
	static const u8 order[] = { 0, 4, 8, 12, 9, 5, 1, 6, 2, 10, 3, 7, 11 };
	struct fixture *f = setup_pages(test);
	void *mixed[ARRAY_SIZE(order)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		mixed[i] = f->objs[order[i]];
	curpage_cache_free_bulk(f->cache, ARRAY_SIZE(order), mixed);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(order), stat_of(f, CP_FREED));
	KUNIT_EXPECT_EQ(test, 3, stat_of(f, CP_EMPTIED));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

/*
 * Of A, B, B, A one by one the last block would be of A.  Together those of A
 * are freed first, so B is the page that was freed on last.
 */
static void blocks_of_a_page_go_back_together(struct kunit *test)
{
	struct fixture *f = setup_pages(test);
	void *mixed[] = { f->objs[0], f->objs[4], f->objs[5], f->objs[1] };
	unsigned int i;

	curpage_cache_free_bulk(f->cache, ARRAY_SIZE(mixed), mixed);
	KUNIT_EXPECT_EQ(test, 4, stat_of(f, CP_FREED));
	/* Use up D. */
	for (i = 0; i < BLOCKS - 1; i++)
		f->objs[13 + i] = curpage_cache_alloc(f->cache, GFP_KERNEL);
	f->objs[16] = curpage_cache_alloc(f->cache, GFP_KERNEL);
	KUNIT_EXPECT_PTR_EQ(test, cp_test_page(mixed[1]),
			    cp_test_page(f->objs[16]));
	curpage_cache_free_bulk(f->cache, BLOCKS, f->objs + 13);
	f->objs[0] = NULL;
	f->objs[1] = NULL;
	f->objs[4] = NULL;
	f->objs[5] = NULL;
	finish(test, f);
}

/* What is wrong is told, one by one, and the rest goes back. */
static void wrong_ones_among_the_freed_are_reported(struct kunit *test)
{
	static const unsigned int bad[CP_NR_BAD] = {
		[CP_BAD_FOREIGN] = 2, [CP_BAD_INSIDE] = 1,
		[CP_BAD_CACHE] = 1, [CP_BAD_DOUBLE] = 2,
	};
	struct fixture *f = setup_pages(test);
	struct curpage_cache *other = cp_test_cache(test, "kunit-other", 64,
						    NULL);
	void *obj = curpage_cache_alloc(other, GFP_KERNEL);
	void *mixed[] = {
		NULL, f->objs[8], f->objs[0], f->objs[0], &other,
		f->objs[1] + 8, obj, f->objs[4], NULL, f->objs[8],
		f->objs[12], (void *)8, f->objs[5],
	};

	KUNIT_ASSERT_NOT_NULL(test, obj);
	curpage_cache_free_bulk(f->cache, ARRAY_SIZE(mixed), mixed);
	cp_test_expect_bads(test, bad);
	KUNIT_EXPECT_EQ(test, 5, stat_of(f, CP_FREED));
	KUNIT_EXPECT_EQ(test, 3 * BLOCKS + 1 - 5, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(other));
	curpage_cache_free(other, obj);
	f->objs[0] = NULL;
	f->objs[4] = NULL;
	f->objs[5] = NULL;
	f->objs[8] = NULL;
	f->objs[12] = NULL;
	finish(test, f);
}

static struct kunit_case cp_bulk_cases[] = {
	KUNIT_CASE(all_blocks_are_different_and_counted),
	KUNIT_CASE(bulk_gives_what_single_allocations_give),
	KUNIT_CASE(bulk_of_none_is_none),
	KUNIT_CASE(absurd_number_is_refused),
	KUNIT_CASE(null_among_the_freed_is_skipped),
	KUNIT_CASE(short_of_memory_gets_none_at_all),
	KUNIT_CASE(bulk_zeroes_when_asked),
	KUNIT_CASE(blocks_of_mixed_pages_all_go_back),
	KUNIT_CASE(blocks_of_a_page_go_back_together),
	KUNIT_CASE(wrong_ones_among_the_freed_are_reported),
	{}
};

CP_TEST_SUITE(bulk);
