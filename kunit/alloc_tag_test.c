// SPDX-License-Identifier: GPL-2.0
/*
 * Test that /proc/allocinfo shows the live blocks of each call in this file, if
 * the kernel was booted with sysctl.vm.mem_profiling=1.  Without that parameter
 * the same tests expect that nothing is counted.
 *
 * A call is found by the name of the function that it is in.
 */
#include "common.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>

#define BLOCKS	200

static struct vfsmount *proc;

static noinline void *tagged_cache(struct curpage_cache *cache)
{
	return curpage_cache_alloc(cache, GFP_KERNEL);
}

static noinline int tagged_bulk(struct curpage_cache *cache, size_t n,
				void **objs)
{
	return curpage_cache_alloc_bulk(cache, GFP_KERNEL, n, objs);
}

static noinline void *tagged_size(size_t size)
{
	return curpage_alloc(size, GFP_KERNEL);
}

static noinline void *tagged_zero(size_t size)
{
	return curpage_zalloc(size, GFP_KERNEL);
}

static noinline struct page *tagged_pages(unsigned int order)
{
	return curpage_alloc_pages(GFP_KERNEL, order);
}

/*
 * Allocate a block whose word the test overwrites.  Its free cannot find the
 * tag then, so the kernel counts the block for good.
 */
static noinline void *tagged_lost(struct curpage_cache *cache, size_t size)
{
	return cache ? curpage_cache_alloc(cache, GFP_KERNEL) :
		       curpage_alloc(size, GFP_KERNEL);
}

static bool line_is_of(const char *line, const char *func)
{
	static const char before[] = " func:";
	const char *name = strstr(line, before);
	size_t len = strlen(func);

	if (!name)
		return false;
	name += sizeof(before) - 1;
	return !strncmp(name, func, len) && (!name[len] || name[len] == ' ');
}

/* Read the line of a function's call, as a process would. */
static struct alloc_tag_counters shown(struct kunit *test, const char *func)
{
	static char text[PAGE_SIZE];
	struct alloc_tag_counters sum = { };
	struct file *file;
	loff_t pos = 0;
	ssize_t n;

	file = file_open_root_mnt(proc, "allocinfo", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	while ((n = kernel_read(file, text, sizeof(text) - 1, &pos)) > 0) {
		char *line, *next = text;
		s64 bytes, calls;	/* less than 0: taken off twice */

		text[n] = '\0';
		while ((line = strsep(&next, "\n")))
			if (line_is_of(line, func) &&
			    sscanf(line, "%lld %lld", &bytes, &calls) == 2) {
				sum.bytes += bytes;
				sum.calls += calls;
			}
	}
	fput(file);
	KUNIT_EXPECT_EQ(test, 0, n);
	return sum;
}

static void expect_shown(struct kunit *test, const char *func, u64 calls,
			 u64 bytes)
{
	struct alloc_tag_counters sum = shown(test, func);
	bool on = cp_tags_on();

	KUNIT_EXPECT_EQ_MSG(test, on ? calls : 0, sum.calls, "of %s", func);
	KUNIT_EXPECT_EQ_MSG(test, on ? bytes : 0, sum.bytes, "of %s", func);
}

static void construct(void *block)
{
	memset(block, 0x5c, 100);
}

struct cache_case {
	const char *name;
	unsigned int size;
	struct curpage_cache_args args;
};

static const struct cache_case cache_cases[] = {
	{ "8 bytes", 8 },
	{ "64 bytes", 64 },
	{ "100 bytes, aligned to 256", 100, { .align = 256 } },
	{ "cache lines", 100, { .flags = CURPAGE_HWCACHE_ALIGN } },
	{ "constructor", 100, { .ctor = construct } },
	{ "check", 100, { .flags = CURPAGE_CHECK } },
	{ "type-safe by RCU", 100, { .flags = CURPAGE_TYPESAFE_BY_RCU } },
	{ "private pages", 100, { .flags = CURPAGE_PRIVATE_PAGES } },
	{ "stack", 100, { .strategy = "stack" } },
	{ "nofree", 100, { .strategy = "nofree" } },
	{ "lowest-page", 100, { .strategy = "lowest-page" } },
	{ "one block a page", 2048 },
	{ "the largest with a tag", PAGE_SIZE - 16 },
};

KUNIT_ARRAY_PARAM_DESC(cache, cache_cases, name);

/* Allocate and free in every way, and write to the whole of each block. */
static void blocks_of_a_cache_are_shown(struct kunit *test)
{
	const struct cache_case *c = test->param_value;
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", c->size,
						    &c->args);
	unsigned int i, nr = BLOCKS / 4;
	static void *objs[BLOCKS];

	KUNIT_ASSERT_EQ(test, nr, tagged_bulk(cache, nr, objs));
	for (i = nr; i < BLOCKS; i++)
		objs[i] = tagged_cache(cache);
	expect_shown(test, "tagged_bulk", nr, nr * cache->stride);
	expect_shown(test, "tagged_cache", BLOCKS - nr,
		     (BLOCKS - nr) * cache->stride);
	for (i = 0; i < BLOCKS; i++) {
		KUNIT_ASSERT_NOT_NULL(test, objs[i]);
		if (c->args.ctor)
			KUNIT_EXPECT_EQ(test, 0x5c, *(u8 *)(objs[i] + 99));
		else
			memset(objs[i], i, c->size);
	}
	for (i = 0; i < nr; i++)
		curpage_cache_free(cache, objs[i]);
	expect_shown(test, "tagged_bulk", 0, 0);
	for (; i < 2 * nr; i++)
		curpage_free(objs[i]);
	curpage_cache_free_bulk(cache, BLOCKS - i, objs + i);
	expect_shown(test, "tagged_cache", 0, 0);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

/* Its page has no room for a word. */
static void block_that_fills_a_page_is_not_shown(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag",
						    PAGE_SIZE, NULL);
	void *obj = tagged_cache(cache);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	expect_shown(test, "tagged_cache", 0, 0);
	curpage_cache_free(cache, obj);
	expect_shown(test, "tagged_cache", 0, 0);
}

struct elsewhere {
	struct curpage_cache *cache;
	void *objs[BLOCKS];
};

static void free_all(void *data)
{
	struct elsewhere *e = data;
	unsigned int i;

	for (i = 0; i < BLOCKS / 2; i++)
		curpage_cache_free(e->cache, e->objs[i]);
	curpage_cache_free_bulk(e->cache, BLOCKS - i, e->objs + i);
}

static void blocks_freed_elsewhere_are_taken_off(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", 64,
						    NULL);
	static struct elsewhere e;
	unsigned int i;

	cp_test_pin(test);
	e.cache = cache;
	for (i = 0; i < BLOCKS; i++)
		e.objs[i] = tagged_cache(cache);
	expect_shown(test, "tagged_cache", BLOCKS, BLOCKS * cache->stride);
	cp_test_elsewhere(test, cache, free_all, &e);
	expect_shown(test, "tagged_cache", 0, 0);
}

static struct cp_page *refuse(gfp_t gfp, unsigned int order)
{
	return NULL;
}

/* It gets the rest of the current page and no other page. */
static void bulk_that_fails_leaves_nothing(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", 64,
						    NULL);
	static void *objs[BLOCKS];
	void *obj = tagged_cache(cache);

	cp_test_settle();
	kunit_activate_static_stub(test, cp_system_take, refuse);
	KUNIT_EXPECT_EQ(test, 0, tagged_bulk(cache, BLOCKS, objs));
	kunit_deactivate_static_stub(test, cp_system_take);
	expect_shown(test, "tagged_bulk", 0, 0);
	expect_shown(test, "tagged_cache", 1, cache->stride);
	curpage_cache_free(cache, obj);
	expect_shown(test, "tagged_cache", 0, 0);
}

/* Sizes for a cache, for first fit, and for page blocks. */
static const size_t sizes[] = {
	1, 64, 100, 1024, 2048, PAGE_SIZE - 6, PAGE_SIZE,
	1500, 3000, PAGE_SIZE + 904, SZ_64K - 1,
	2 * PAGE_SIZE, SZ_64K, SZ_64K + 1, 300000,
};

static void size_desc(const size_t *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%zu", *size);
}

KUNIT_ARRAY_PARAM(size, sizes, size_desc);

static void sizes_are_shown(struct kunit *test)
{
	size_t size = *(const size_t *)test->param_value;
	struct alloc_tag_counters sum;
	void *obj = tagged_size(size), *zero = tagged_zero(size);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_ASSERT_NOT_NULL(test, zero);
	KUNIT_EXPECT_NULL(test, memchr_inv(zero, 0, size));
	sum = shown(test, "tagged_size");
	KUNIT_EXPECT_EQ(test, cp_tags_on(), sum.calls);
	if (cp_tags_on()) {
		KUNIT_EXPECT_GE(test, sum.bytes, curpage_ksize(obj));
		KUNIT_EXPECT_LE(test, sum.bytes, 2 * curpage_ksize(obj) + 64);
	}
	expect_shown(test, "tagged_zero", 1, sum.bytes);
	memset(obj, 0xff, curpage_ksize(obj));
	memset(zero, 0xff, curpage_ksize(zero));
	curpage_free(zero);
	curpage_free(obj);
	expect_shown(test, "tagged_size", 0, 0);
	expect_shown(test, "tagged_zero", 0, 0);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void page_blocks_are_shown(struct kunit *test)
{
	unsigned int order;

	for (order = 0; order <= CURPAGE_MAX_ORDER; order++) {
		struct page *page = tagged_pages(order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		expect_shown(test, "tagged_pages", 1, PAGE_SIZE << order);
		curpage_free_pages(page, order + 1);
		cp_test_expect_bad(test, CP_BAD_ORDER, 1);
		expect_shown(test, "tagged_pages", 1, PAGE_SIZE << order);
		curpage_free_pages(page, order);
		expect_shown(test, "tagged_pages", 0, 0);
	}
}

/* The caller has freed the block, whoever still holds the page. */
static void page_block_with_a_reference_is_taken_off(struct kunit *test)
{
	struct page *page = tagged_pages(1);

	KUNIT_ASSERT_NOT_NULL(test, page);
	get_page(page);
	curpage_free_pages(page, 1);
	expect_shown(test, "tagged_pages", 0, 0);
	put_page(page);
}

static void double_free_takes_off_once(struct kunit *test)
{
	static const size_t size[] = { 64, PAGE_SIZE, 1500, 300000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		void *other = tagged_zero(size[i]);
		void *obj = tagged_size(size[i]);

		KUNIT_ASSERT_NOT_NULL(test, obj);
		curpage_free(obj);
		curpage_free(obj);
		cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
		expect_shown(test, "tagged_size", 0, 0);
		curpage_free(other);
		expect_shown(test, "tagged_zero", 0, 0);
	}
}

/* Of two CPUs that free the same block at once, the second finds no tag. */
static void tag_is_taken_once(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", 64,
						    NULL);
	void *obj = tagged_cache(cache);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, CP_OK, cp_cache_untag(cache, obj));
	expect_shown(test, "tagged_cache", 0, 0);
	curpage_cache_free(cache, obj);
	expect_shown(test, "tagged_cache", 0, 0);
}

static struct cp_page *lend_reserve(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(GFP_KERNEL, order);

	if (!page)
		return NULL;
	if (order)
		split_page(page, order);
	set_page_pfmemalloc(page);
	return cp_page_of(page);
}

/* Such a page serves one request, and no heap has it. */
static void blocks_of_reserves_are_shown(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", 64,
						    NULL);
	struct page *page;
	void *obj;

	cp_test_settle();
	kunit_activate_static_stub(test, cp_system_take, lend_reserve);
	obj = tagged_cache(cache);
	page = tagged_pages(3);
	kunit_deactivate_static_stub(test, cp_system_take);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, CP_RESERVE, cp_page_kind(cp_test_page(obj)));
	KUNIT_EXPECT_EQ(test, CP_RESERVE, cp_page_kind(cp_page_of(page)));
	KUNIT_EXPECT_TRUE(test, page_is_pfmemalloc(page));
	expect_shown(test, "tagged_cache", 1, cache->stride);
	expect_shown(test, "tagged_pages", 1, 8 * PAGE_SIZE);
	curpage_cache_free(cache, obj);
	curpage_free_pages(page, 3);
	expect_shown(test, "tagged_cache", 0, 0);
	expect_shown(test, "tagged_pages", 0, 0);
}

/* A write past the end of a block must not be taken for a tag. */
static void word_that_is_written_over_is_not_followed(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", 64,
						    NULL);
	void *obj, *run;

	if (!cp_tags_on())
		return;
	obj = tagged_lost(cache, 0);
	run = tagged_lost(NULL, 1500);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_ASSERT_NOT_NULL(test, run);
	memset(cp_block_tag(cache, obj), 0x41, CP_TAG_SIZE);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
	memset(run + curpage_ksize(run), 0x41, CP_TAG_SIZE);
	curpage_free(run);
	cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(cache));
}

/* A block that was counted is taken off, a block that was not is not. */
static void profiling_goes_off_and_on(struct kunit *test)
{
	struct curpage_cache *cache, *other;
	void *counted, *not;

	if (!cp_tags_on())
		return;
	cache = cp_test_cache(test, "kunit-tag", 64, NULL);
	counted = tagged_cache(cache);
	static_branch_disable(&mem_alloc_profiling_key);
	other = cp_test_cache(test, "kunit-tag2", 64, NULL);
	not = tagged_cache(cache);
	curpage_cache_free(cache, counted);
	static_branch_enable(&mem_alloc_profiling_key);
	expect_shown(test, "tagged_cache", 0, 0);
	curpage_cache_free(cache, not);
	not = tagged_cache(other);
	expect_shown(test, "tagged_cache", 0, 0);
	curpage_cache_free(other, not);
	expect_shown(test, "tagged_cache", 0, 0);
}

static int alloc_tag_suite_init(struct kunit_suite *suite)
{
	proc = kern_mount(get_fs_type("proc"));
	return PTR_ERR_OR_ZERO(proc);
}

static void alloc_tag_suite_exit(struct kunit_suite *suite)
{
	if (!IS_ERR_OR_NULL(proc))
		kern_unmount(proc);
}

static struct kunit_case cp_alloc_tag_cases[] = {
	KUNIT_CASE_PARAM(blocks_of_a_cache_are_shown, cache_gen_params),
	KUNIT_CASE(block_that_fills_a_page_is_not_shown),
	KUNIT_CASE_PARAM(blocks_freed_elsewhere_are_taken_off,
			 cp_test_way_gen_params),
	KUNIT_CASE(bulk_that_fails_leaves_nothing),
	KUNIT_CASE_PARAM(sizes_are_shown, size_gen_params),
	KUNIT_CASE(page_blocks_are_shown),
	KUNIT_CASE(page_block_with_a_reference_is_taken_off),
	KUNIT_CASE(double_free_takes_off_once),
	KUNIT_CASE(tag_is_taken_once),
	KUNIT_CASE(blocks_of_reserves_are_shown),
	KUNIT_CASE(word_that_is_written_over_is_not_followed),
	KUNIT_CASE(profiling_goes_off_and_on),
	{}
};

static struct kunit_suite cp_alloc_tag_suite = {
	.name = "curpage_alloc_tag",
	.suite_init = alloc_tag_suite_init,
	.suite_exit = alloc_tag_suite_exit,
	.init = cp_test_init,
	.exit = cp_test_exit,
	.test_cases = cp_alloc_tag_cases,
};

kunit_test_suite(cp_alloc_tag_suite);
