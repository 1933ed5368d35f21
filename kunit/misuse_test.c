// SPDX-License-Identifier: GPL-2.0
/*
 * Each class of misuse gets one report for each offence, of the right kind,
 * and harms nothing: cp_test_expect_bad() and cp_test_exit() see to that.
 */
#include "common.h"

#include <linux/vmalloc.h>

static const struct curpage_cache_args with_check = {
	.flags = CURPAGE_CHECK,
};

struct misuse_case {
	const char *name;
	const struct curpage_cache_args *args;
};

static const struct misuse_case misuse_cases[] = {
	{ "without check", NULL },
	{ "with check", &with_check },
};

KUNIT_ARRAY_PARAM_DESC(check, misuse_cases, name);

static struct curpage_cache *setup(struct kunit *test)
{
	const struct misuse_case *c = test->param_value;

	cp_test_pin(test);
	return cp_test_cache(test, "kunit-misuse", 100, c ? c->args : NULL);
}

static struct curpage_cache *setup_checked(struct kunit *test)
{
	cp_test_pin(test);
	return cp_test_cache(test, "kunit-misuse", 100, &with_check);
}

static void *alloc(struct kunit *test, struct curpage_cache *cache)
{
	void *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	return obj;
}

/* Whichever way it is freed, this is nobody's. */
static void expect_foreign(struct kunit *test, struct curpage_cache *cache,
			   void *obj)
{
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	curpage_cache_free_bulk(cache, 1, &obj);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(obj));
}

static void foreign_pointers_are_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	static int data;
	int stack;
	void *slab = kunit_kzalloc(test, 64, GFP_KERNEL);
	void *mapped = vmalloc(PAGE_SIZE);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	expect_foreign(test, cache, &stack);
	expect_foreign(test, cache, &data);
	expect_foreign(test, cache, foreign_pointers_are_reported);
	expect_foreign(test, cache, slab);
	expect_foreign(test, cache, mapped);
	expect_foreign(test, cache, page_address(page));
	expect_foreign(test, cache, (void *)0x1008);
	expect_foreign(test, cache, (void *)-8);
	curpage_free_pages(page, 0);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	KUNIT_EXPECT_EQ(test, 1, page_count(page));
	__free_page(page);
	vfree(mapped);
}

static void null_is_not_an_offence(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *nothing[2] = { };

	curpage_cache_free(cache, NULL);
	curpage_cache_free_bulk(cache, ARRAY_SIZE(nothing), nothing);
	curpage_free(NULL);
	curpage_free(ZERO_SIZE_PTR);
	curpage_free_pages(NULL, 0);
	KUNIT_EXPECT_EQ(test, 0, curpage_cache_destroy(NULL));
	cp_test_expect_bad(test, CP_OK, 0);
}

static void pointers_inside_a_block_are_reported(struct kunit *test)
{
	static const unsigned int offsets[] = { 1, 2, 8, 16, 99, 100, 111 };
	struct curpage_cache *cache = setup(test);
	void *obj = alloc(test, cache);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		curpage_cache_free(cache, obj + offsets[i]);
		cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
		curpage_free(obj + offsets[i]);
		cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	}
	/* The rest of the page, behind its last block. */
	curpage_cache_free(cache, cp_page_base(cp_test_page(obj)) +
			   cache->capacity * cache->stride);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	KUNIT_EXPECT_EQ(test, 2 * i + 1,
			atomic_read(&cache->bad[CP_BAD_INSIDE]));
	curpage_cache_free(cache, obj);
}

static void block_of_another_cache_is_reported_and_stays_live(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	struct curpage_cache *other = cp_test_cache(test, "kunit-other", 100,
						    NULL);
	void *obj = alloc(test, cache);

	curpage_cache_free(other, obj);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&other->bad[CP_BAD_CACHE]));
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(other));
	curpage_cache_free(cache, obj);
}

static void block_freed_twice_in_a_row_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *live = alloc(test, cache);
	void *obj = alloc(test, cache);
	void *twice[] = { obj, obj };

	curpage_cache_free(cache, obj);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_cache_free_bulk(cache, 2, twice);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 2);
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
	curpage_cache_free(cache, obj);
	curpage_cache_free(cache, live);
}

/* Any block of an empty page, in whatever set the page is. */
static void block_of_an_empty_page_freed_again_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *a = alloc(test, cache);
	void *b = alloc(test, cache);

	curpage_cache_free(cache, a);
	curpage_cache_free(cache, b);
	curpage_cache_free(cache, a);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
}

static void page_full_of(struct kunit *test, struct curpage_cache *cache,
			 void **objs)
{
	KUNIT_ASSERT_EQ(test, cache->capacity,
			curpage_cache_alloc_bulk(cache, GFP_KERNEL,
						 cache->capacity, objs));
}

/* The page is the arena's again, or the system's. */
static void block_of_a_page_that_left_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	unsigned long min_pages = cp_arena.min_pages;
	void *objs[PAGE_SIZE / 100], *keep[2];

	cache->keep = 0;
	cp_arena.min_pages = cp_test_held() + 64;
	page_full_of(test, cache, objs);
	keep[0] = alloc(test, cache);		/* the page is not current */
	keep[1] = curpage_alloc_pages(GFP_KERNEL, 0);
	curpage_cache_free_bulk(cache, cache->capacity, objs);

	KUNIT_EXPECT_NOT_NULL(test, cp_test_page(objs[1]));
	curpage_cache_free(cache, objs[1]);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(objs[1]);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);

	cp_arena.min_pages = min_pages;
	cp_arena_trim(&cp_arena, 0);
	curpage_cache_free(cache, objs[1]);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	curpage_free_pages(keep[1], 0);
	curpage_cache_free(cache, keep[0]);
}

/* Only check=1 knows of blocks freed before others. */
static void check_reports_every_double_free(struct kunit *test)
{
	struct curpage_cache *cache = setup_checked(test);
	void *objs[6];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = alloc(test, cache);
	for (i = 0; i < ARRAY_SIZE(objs) - 1; i++)
		curpage_cache_free(cache, objs[i]);
	for (i = 0; i < ARRAY_SIZE(objs) - 1; i++) {
		curpage_cache_free(cache, objs[i]);
		cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	}
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	curpage_cache_free(cache, objs[i]);
}

static void write_past_the_end_is_reported_once(struct kunit *test)
{
	static const unsigned int offsets[] = { 100, 104, 107 };
	struct curpage_cache *cache = setup_checked(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		u8 *obj = alloc(test, cache);

		obj[offsets[i]] ^= 0xff;
		curpage_cache_free(cache, obj);
		cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
		KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
		curpage_cache_free(cache, obj);
		cp_test_expect_bad(test, CP_OK, 0);
	}
}

static void write_after_free_is_reported_once(struct kunit *test)
{
	static const unsigned int offsets[] = { 0, 50, 99 };
	struct curpage_cache *cache = setup_checked(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		u8 *obj = alloc(test, cache);

		curpage_cache_free(cache, obj);
		obj[offsets[i]] = 0;
		KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
		cp_test_expect_bad(test, CP_BAD_POISON, 1);
		curpage_cache_free(cache, obj);
		KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
		curpage_cache_free(cache, obj);
		cp_test_expect_bad(test, CP_OK, 0);
	}
}

static void all_bytes_asked_for_may_be_written(struct kunit *test)
{
	struct curpage_cache *cache = setup_checked(test);
	void *a = alloc(test, cache), *b = alloc(test, cache);

	memset(a, 0xff, 100);
	memset(b, 0, 100);
	curpage_cache_free(cache, a);
	KUNIT_EXPECT_NULL(test, memchr_inv(b, 0, 100));
	curpage_cache_free(cache, b);
	cp_test_expect_bad(test, CP_OK, 0);
}

static void page_block_of_wrong_order_is_reported_and_stays(struct kunit *test)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 2);
	void *obj = page_address(page);

	KUNIT_ASSERT_NOT_NULL(test, page);
	curpage_free_pages(page, 1);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	curpage_free_pages(page, 3);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	curpage_free_pages(page, UINT_MAX);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	KUNIT_EXPECT_EQ(test, PAGE_SIZE << 2, curpage_ksize(obj));
	curpage_free_pages(page, 2);
	cp_test_expect_bad(test, CP_OK, 0);
}

static void pointers_inside_a_page_block_are_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 2);
	void *obj = page_address(page);

	KUNIT_ASSERT_NOT_NULL(test, page);
	curpage_free_pages(page + 1, 0);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	curpage_free(obj + PAGE_SIZE);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	curpage_free(obj + 8);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	curpage_cache_free(cache, obj + 3 * PAGE_SIZE);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_OK, 0);
}

static void page_block_freed_twice_is_reported(struct kunit *test)
{
	struct page *keep = curpage_alloc_pages(GFP_KERNEL, 0);
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 0);

	KUNIT_ASSERT_NOT_NULL(test, page);
	curpage_free_pages(page, 0);
	KUNIT_ASSERT_NOT_NULL(test, cp_test_page(page_address(page)));
	curpage_free_pages(page, 0);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(page_address(page));
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free_pages(keep, 0);
	cp_test_settle();
	curpage_free_pages(page, 0);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
}

/* A page of a cache is not a page block. */
static void page_of_a_cache_is_not_freed_as_a_block(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *obj = alloc(test, cache);

	curpage_free_pages(virt_to_page(obj), 0);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	curpage_cache_free(cache, obj);
}

static void cache_with_live_blocks_is_not_destroyed(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *a = alloc(test, cache), *b = alloc(test, cache);

	KUNIT_EXPECT_EQ(test, -EBUSY, curpage_cache_destroy(cache));
	cp_test_expect_bad(test, CP_BAD_LEAK, 1);
	curpage_cache_free(cache, a);
	KUNIT_EXPECT_EQ(test, -EBUSY, curpage_cache_destroy(cache));
	cp_test_expect_bad(test, CP_BAD_LEAK, 1);
	KUNIT_EXPECT_PTR_EQ(test, a, alloc(test, cache));
	curpage_cache_free(cache, a);
	curpage_cache_free(cache, b);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, cache);
	cp_test_expect_bad(test, CP_OK, 0);
}

#define BOTH_CASE(fn)	KUNIT_CASE_PARAM(fn, check_gen_params)

static struct kunit_case cp_misuse_cases[] = {
	BOTH_CASE(foreign_pointers_are_reported),
	BOTH_CASE(null_is_not_an_offence),
	BOTH_CASE(pointers_inside_a_block_are_reported),
	BOTH_CASE(block_of_another_cache_is_reported_and_stays_live),
	BOTH_CASE(block_freed_twice_in_a_row_is_reported),
	BOTH_CASE(block_of_an_empty_page_freed_again_is_reported),
	BOTH_CASE(block_of_a_page_that_left_is_reported),
	KUNIT_CASE(check_reports_every_double_free),
	KUNIT_CASE(write_past_the_end_is_reported_once),
	KUNIT_CASE(write_after_free_is_reported_once),
	KUNIT_CASE(all_bytes_asked_for_may_be_written),
	KUNIT_CASE(page_block_of_wrong_order_is_reported_and_stays),
	BOTH_CASE(pointers_inside_a_page_block_are_reported),
	KUNIT_CASE(page_block_freed_twice_is_reported),
	BOTH_CASE(page_of_a_cache_is_not_freed_as_a_block),
	BOTH_CASE(cache_with_live_blocks_is_not_destroyed),
	{}
};

CP_TEST_SUITE(misuse);
