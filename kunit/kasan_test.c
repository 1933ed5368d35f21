// SPDX-License-Identifier: GPL-2.0
/*
 * KASAN names what is done to memory that is not a live block.  Its reports
 * stop after the first one, so the wrong is done with the kernel's parameter
 * kasan_multi_shot alone; the right is done always.
 */
#include "common.h"
#include "told.h"

#include <linux/init.h>

#define SIZE	96		/* 42 blocks a page: there is a tail */
#define ASKED	90		/* the class is larger */

#define TITLE	"BUG: KASAN: "

static bool multi_shot;

/*
 * kind: "use-after-free", "out-of-bounds"; or NULL, then nothing may be told.
 */
static void expect_report(struct kunit *test, void *addr, const char *kind)
{
	if (!kind || multi_shot)
		cp_told_expect(test, cp_told_by_touch(addr), kind);
}

/* The first and the last byte of size may be used, those around it may not. */
static void expect_bounds(struct kunit *test, u8 *obj, size_t size)
{
	expect_report(test, obj, NULL);
	expect_report(test, obj + size - 1, NULL);
	expect_report(test, obj + size, "out-of-bounds");
}

static void free_block_must_not_be_used(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kasan", SIZE,
						    NULL);
	u8 *live, *obj;

	cp_test_pin(test);
	live = curpage_cache_alloc(cache, GFP_KERNEL);
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	curpage_cache_free(cache, obj);
	expect_report(test, obj, "use-after-free");
	expect_report(test, obj + SIZE - 1, "use-after-free");
	expect_report(test, live, NULL);
	KUNIT_ASSERT_PTR_EQ(test, obj, curpage_cache_alloc(cache, GFP_KERNEL));
	expect_report(test, obj, NULL);
	curpage_cache_free_bulk(cache, 1, (void **)&obj);
	expect_report(test, obj, "use-after-free");
	curpage_cache_free(cache, live);
	expect_report(test, live, "use-after-free");
}

#define BLOCKS	(PAGE_SIZE / SIZE)

/*
 * Beyond a block: the slack of its class, and its neighbour, once that is free.
 */
static void block_must_not_be_overrun(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kasan", SIZE,
						    NULL);
	u8 *objs[BLOCKS], *first, *sized = curpage_alloc(ASKED, GFP_KERNEL);

	cp_test_pin(test);
	KUNIT_ASSERT_EQ(test, BLOCKS,
			curpage_cache_alloc_bulk(cache, GFP_KERNEL, BLOCKS,
						 (void **)objs));
	expect_bounds(test, sized, ASKED);
	first = cp_page_base(cp_test_page(objs[0]));
	expect_report(test, first + SIZE, NULL);
	curpage_cache_free(cache, first + SIZE);
	expect_report(test, first + SIZE - 1, NULL);
	expect_report(test, first + SIZE, "use-after-free");
	KUNIT_ASSERT_PTR_EQ(test, first + SIZE,
			    curpage_cache_alloc(cache, GFP_KERNEL));
	curpage_cache_free_bulk(cache, BLOCKS, (void **)objs);
	curpage_free(sized);
}

static void tail_of_a_page_must_not_be_used(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kasan", SIZE,
						    NULL);
	u8 *obj = curpage_cache_alloc(cache, GFP_KERNEL), *end;

	KUNIT_ASSERT_NOT_NULL(test, obj);
	end = cp_page_base(cp_test_page(obj)) + cache->span;
	KUNIT_ASSERT_FALSE(test, IS_ALIGNED((unsigned long)end, PAGE_SIZE));
	expect_report(test, end, "out-of-bounds");
	curpage_cache_free(cache, obj);
}

/* curpage_ksize() makes the slack behind a block accessible. */
static void ksize_may_be_used(struct kunit *test)
{
	u8 *obj = curpage_alloc(ASKED, GFP_KERNEL);
	size_t size = curpage_ksize(obj);

	KUNIT_ASSERT_GT(test, size, ASKED);
	expect_report(test, obj + size - 1, NULL);
	curpage_free(obj);
	KUNIT_EXPECT_GT(test, curpage_ksize(obj), 0);
	expect_report(test, obj, "use-after-free");
}

/* Page blocks, and what goes to first fit, by size. */
static void large_blocks_have_bounds_too(struct kunit *test)
{
	static const size_t sizes[] = { 2000, 3001, 5000, 100001 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *obj = curpage_alloc(sizes[i], GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, obj);
		expect_bounds(test, obj, sizes[i]);
		curpage_free(obj);
		expect_report(test, obj, "use-after-free");
	}
}

static void free_page_block_must_not_be_used(struct kunit *test)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 1);
	u8 *obj;

	KUNIT_ASSERT_NOT_NULL(test, page);
	obj = page_address(page);
	expect_report(test, obj + 2 * PAGE_SIZE - 1, NULL);
	curpage_free_pages(page, 1);
	expect_report(test, obj + PAGE_SIZE, "use-after-free");
}

/* A free block of such a cache keeps its contents, which nobody may look at. */
static void constructed(void *obj)
{
	memset(obj, 1, SIZE);
}

static void constructor_may_write(struct kunit *test)
{
	static const struct curpage_cache_args args = { .ctor = constructed };
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kasan", SIZE,
						    &args);
	u8 *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	expect_bounds(test, obj, SIZE);		/* there the link is */
	KUNIT_EXPECT_EQ(test, 1, obj[SIZE - 1]);
	curpage_cache_free(cache, obj);
	expect_report(test, obj, "use-after-free");
}

static int kasan_suite_init(struct kunit_suite *suite)
{
	int err;

	if (!strstr(saved_command_line, "kasan_multi_shot"))
		return 0;
	err = cp_told_begin(TITLE);
	multi_shot = !err;
	return err;
}

static void kasan_suite_exit(struct kunit_suite *suite)
{
	if (multi_shot)
		cp_told_end(TITLE);
}

static struct kunit_case cp_kasan_cases[] = {
	KUNIT_CASE(free_block_must_not_be_used),
	KUNIT_CASE(block_must_not_be_overrun),
	KUNIT_CASE(tail_of_a_page_must_not_be_used),
	KUNIT_CASE(ksize_may_be_used),
	KUNIT_CASE(large_blocks_have_bounds_too),
	KUNIT_CASE(free_page_block_must_not_be_used),
	KUNIT_CASE(constructor_may_write),
	{}
};

static struct kunit_suite cp_kasan_suite = {
	.name = "curpage_kasan",
	.suite_init = kasan_suite_init,
	.suite_exit = kasan_suite_exit,
	.init = cp_test_init,
	.exit = cp_test_exit,
	.test_cases = cp_kasan_cases,
};

kunit_test_suite(cp_kasan_suite);
