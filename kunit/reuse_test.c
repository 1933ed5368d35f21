// SPDX-License-Identifier: GPL-2.0
/* Test which cache gets an empty page, and when, with each flag for that. */
#include "common.h"

#define BLOCKS	200
#define SIZE	100

static struct curpage_cache *setup(struct kunit *test, unsigned int flags,
				   void **block)
{
	struct curpage_cache_args args = { .flags = flags };
	struct curpage_cache *cache;
	unsigned int i;

	cache = cp_test_cache(test, "kunit-reuse", SIZE, &args);
	cache->keep = 0;
	for (i = 0; i < BLOCKS; i++) {
		block[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, block[i]);
		memset(block[i], i, SIZE);
	}
	return cache;
}

/* Pages that are a cache's, or on their way: nobody else can get them. */
static unsigned int apart(void **block)
{
	unsigned int i, n = 0;

	for (i = 0; i < BLOCKS; i++) {
		struct cp_page *p = cp_page_of(virt_to_page(block[i]));
		enum cp_page_kind kind = cp_page_kind(p);

		n += cp_page_ours(p) && (kind == CP_CACHE || kind == CP_LOOSE);
	}
	return n;
}

static void private_pages_stay_until_the_cache_ends(struct kunit *test)
{
	struct curpage_cache *cache;
	struct cp_cache_sum sum;
	void *block[BLOCKS];

	cache = setup(test, CURPAGE_PRIVATE_PAGES, block);
	curpage_cache_free_bulk(cache, BLOCKS, block);
	curpage_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, BLOCKS, apart(block));
	cp_cache_get_sum(cache, &sum);
	KUNIT_EXPECT_EQ(test, 0, sum.live);
	KUNIT_EXPECT_EQ(test, 0, sum.stat[CP_RELEASED]);
	KUNIT_EXPECT_EQ(test, DIV_ROUND_UP(BLOCKS, cache->capacity),
			cache->side.nr[CP_S2]);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, cache);
	KUNIT_EXPECT_EQ(test, 0, apart(block));
}

/* A pool has its free blocks on no page; they come back to the same pages. */
static void private_pages_serve_again(struct kunit *test)
{
	struct curpage_cache *cache;
	void *block[BLOCKS];
	unsigned int pages, i, turn;

	cp_test_pin(test);
	cache = setup(test, CURPAGE_PRIVATE_PAGES, block);
	for (turn = 0; turn < 4; turn++) {
		if (turn == 2)
			KUNIT_EXPECT_EQ(test, 0,
					cp_cache_retune(cache,
							cp_strategy_find("queue"),
							0));
		curpage_cache_free_bulk(cache, BLOCKS, block);
		curpage_cache_shrink(cache);
		KUNIT_EXPECT_EQ(test, BLOCKS, apart(block));
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
		pages = cp_arena.cache_pages;
		for (i = 0; i < BLOCKS; i++)
			block[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, pages, cp_arena.cache_pages);
	}
	curpage_cache_free_bulk(cache, BLOCKS, block);
	cp_test_destroy(test, cache);
}

/* One by one, as a bulk free is free to. */
static void type_safe_pages_leave_after_a_grace_period(struct kunit *test)
{
	struct curpage_cache *cache;
	void *block[BLOCKS];
	unsigned int i;

	cache = setup(test, CURPAGE_TYPESAFE_BY_RCU, block);
	rcu_read_lock();
	for (i = 0; i < BLOCKS; i++)
		curpage_cache_free(cache, block[i]);
	KUNIT_EXPECT_EQ(test, BLOCKS, apart(block));
	for (i = 0; i < BLOCKS; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(block[i], i, SIZE));
	rcu_read_unlock();
	curpage_cache_shrink(cache);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, 0, apart(block));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, cache);
}

/* The end of the cache waits for the grace period. */
static void private_type_safe_pages_leave_with_the_cache(struct kunit *test)
{
	struct curpage_cache *cache;
	void *block[BLOCKS];
	unsigned int i;

	cache = setup(test, CURPAGE_TYPESAFE_BY_RCU | CURPAGE_PRIVATE_PAGES,
		      block);
	for (i = 0; i < BLOCKS; i++)
		curpage_cache_free(cache, block[i]);
	curpage_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&cp_arena.loose));
	KUNIT_EXPECT_EQ(test, BLOCKS, apart(block));
	cp_test_destroy(test, cache);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&cp_arena.loose));
	KUNIT_EXPECT_EQ(test, 0, apart(block));
}

static void other_pages_leave_at_once(struct kunit *test)
{
	struct curpage_cache *cache;
	void *block[BLOCKS];

	cache = setup(test, 0, block);
	curpage_cache_free_bulk(cache, BLOCKS, block);
	curpage_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, 0, apart(block));
	cp_test_destroy(test, cache);
}

static struct kunit_case cp_reuse_cases[] = {
	KUNIT_CASE(private_pages_stay_until_the_cache_ends),
	KUNIT_CASE(private_pages_serve_again),
	KUNIT_CASE(type_safe_pages_leave_after_a_grace_period),
	KUNIT_CASE(private_type_safe_pages_leave_with_the_cache),
	KUNIT_CASE(other_pages_leave_at_once),
	{}
};

CP_TEST_SUITE(reuse);
