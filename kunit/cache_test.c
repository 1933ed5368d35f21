// SPDX-License-Identifier: GPL-2.0
/* Caches as a whole: what may be asked for, and how blocks come out. */
#include "common.h"

static int ctor_calls;

static void stamp_ctor(void *block)
{
	ctor_calls++;
	memset(block, 0x5c, 64);
}

struct bad_case {
	const char *desc;
	const char *name;
	unsigned int size;
	struct curpage_cache_args args;
};

static const struct bad_case bad_cases[] = {
	{ "no name", NULL, 64 },
	{ "empty name", "", 64 },
	{ "slash in the name", "kunit/a", 64 },
	{ "space in the name", "kunit a", 64 },
	{ "line in the name", "kunit\n", 64 },
	{ "leading dot", ".kunit", 64 },
	{ "leading hash", "#kunit", 64 },
	{ "name of 32", "kunit-78901234567890123456789012", 64 },
	{ "name taken", "size-64", 64 },
	{ "size 0", "kunit-a", 0 },
	{ "size past the page", "kunit-a", PAGE_SIZE + 1 },
	{ "size of a wrapped sum", "kunit-a", UINT_MAX },
	{ "align 3", "kunit-a", 64, { .align = 3 } },
	{ "align past the page", "kunit-a", 64, { .align = 2 * PAGE_SIZE } },
	{ "strategy unknown", "kunit-a", 64, { .strategy = "MRU" } },
	{ "strategy empty", "kunit-a", 64, { .strategy = "" } },
	{ "freetol past the page", "kunit-a", 64, { .freetol = PAGE_SIZE + 1 } },
	{ "flag unknown", "kunit-a", 64, { .flags = BIT(31) } },
	{ "ctor on a full page", "kunit-a", PAGE_SIZE, { .ctor = stamp_ctor } },
};

KUNIT_ARRAY_PARAM_DESC(bad, bad_cases, desc);

static unsigned int count_caches(void)
{
	struct curpage_cache *cache;
	unsigned int nr = 0;

	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list)
		nr++;
	mutex_unlock(&cp_caches_lock);
	return nr;
}

static void bad_argument_gets_null(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	unsigned int before = count_caches();

	KUNIT_EXPECT_NULL(test, curpage_cache_create(c->name, c->size,
						     &c->args));
	KUNIT_EXPECT_EQ(test, before, count_caches());
}

/* Just on the allowed side of each of these. */
static const struct bad_case good_cases[] = {
	{ "name of 31", "kunit-7890123456789012345678901", 64 },
	{ "size 1", "kunit-a", 1 },
	{ "size of the page", "kunit-a", PAGE_SIZE },
	{ "align of the page", "kunit-a", 64, { .align = PAGE_SIZE } },
	{ "strategy by name", "kunit-a", 64, { .strategy = "mru" } },
	{ "freetol of the page", "kunit-a", 64, { .freetol = PAGE_SIZE } },
	{ "every flag", "kunit-a", 64, { .flags = CURPAGE_CACHE_FLAGS } },
	{ "check on a full page", "kunit-a", PAGE_SIZE,
	  { .flags = CURPAGE_CHECK } },
	{ "ctor beside a link", "kunit-a", PAGE_SIZE - 16,
	  { .ctor = stamp_ctor } },
};

KUNIT_ARRAY_PARAM_DESC(good, good_cases, desc);

static void argument_at_the_limit_is_taken(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct curpage_cache *cache = cp_test_cache(test, c->name, c->size,
						    &c->args);
	void *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	KUNIT_EXPECT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, c->size, curpage_cache_size(cache));
	KUNIT_EXPECT_EQ(test, c->size, curpage_ksize(obj));
	KUNIT_EXPECT_GE(test, cache->stride, c->size);
	memset(obj, 0x11, c->size);
	curpage_cache_free(cache, obj);
}

static void name_can_be_used_again_after_destroy(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-again", 8,
						    NULL);

	KUNIT_EXPECT_NULL(test, curpage_cache_create("kunit-again", 8, NULL));
	cp_test_destroy(test, cache);
	cp_test_destroy(test, cp_test_cache(test, "kunit-again", 8, NULL));
}

/* All blocks of a page, so that luck cannot help. */
static void expect_aligned(struct kunit *test, unsigned int size,
			   const struct curpage_cache_args *args,
			   unsigned long align)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-align", size,
						    args);
	unsigned int i, n = cache->capacity + 1;
	void **objs = kunit_kcalloc(test, n, sizeof(*objs), GFP_KERNEL);

	KUNIT_ASSERT_EQ(test, n, curpage_cache_alloc_bulk(cache, GFP_KERNEL, n,
							  objs));
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_TRUE_MSG(test,
				      IS_ALIGNED((unsigned long)objs[i], align),
				      "size %u align %lu", size, align);
	curpage_cache_free_bulk(cache, n, objs);
	cp_test_destroy(test, cache);
}

static void blocks_are_aligned_as_asked(struct kunit *test)
{
	unsigned int align;

	for (align = 1; align <= PAGE_SIZE; align *= 2) {
		struct curpage_cache_args args = { .align = align };

		expect_aligned(test, 3, &args, align);
		expect_aligned(test, 100, &args, max(align, 16U));
		args.flags = CURPAGE_CHECK;
		expect_aligned(test, 24, &args, max(align, 16U));
	}
}

static void blocks_are_aligned_to_cache_lines_if_asked(struct kunit *test)
{
	struct curpage_cache_args args = { .flags = CURPAGE_HWCACHE_ALIGN };

	expect_aligned(test, cache_line_size(), &args, cache_line_size());
	expect_aligned(test, cache_line_size() + 1, &args, cache_line_size());
	/* Small ones share a line, as in SLUB. */
	expect_aligned(test, 8, &args, 8);
}

static void blocks_do_not_overlap(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-apart", 40,
						    NULL);
	void *objs[120];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(objs),
			curpage_cache_alloc_bulk(cache, GFP_KERNEL,
						 ARRAY_SIZE(objs), objs));
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		memset(objs[i], i, 40);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		KUNIT_EXPECT_NULL_MSG(test, memchr_inv(objs[i], i, 40),
				      "block %u", i);
	curpage_cache_free_bulk(cache, ARRAY_SIZE(objs), objs);
}

static void ctor_runs_once_a_block_of_a_page(struct kunit *test)
{
	static const struct curpage_cache_args args = { .ctor = stamp_ctor };
	struct curpage_cache *cache;
	unsigned int i;
	u8 *obj;

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-ctor", 64, &args);
	ctor_calls = 0;
	for (i = 0; i < 3; i++) {
		obj = curpage_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, obj);
		KUNIT_EXPECT_NULL_MSG(test, memchr_inv(obj, 0x5c, 64),
				      "allocation %u", i);
		curpage_cache_free(cache, obj);
	}
	KUNIT_EXPECT_EQ(test, cache->capacity, ctor_calls);
}

static void page_of_a_destroyed_cache_goes_back(struct kunit *test)
{
	struct cp_test *t = test->priv;
	struct curpage_cache *cache = cp_test_cache(test, "kunit-gone", 4096,
						    NULL);
	void *objs[20];

	KUNIT_ASSERT_EQ(test, 20, curpage_cache_alloc_bulk(cache, GFP_KERNEL,
							   20, objs));
	curpage_cache_free_bulk(cache, 20, objs);
	cp_test_destroy(test, cache);
	KUNIT_EXPECT_LE(test, cp_test_held(), t->held + CP_SPARE_MIN);
}

static void histogram_follows_the_pages(struct kunit *test)
{
	struct curpage_cache *cache;
	struct cp_cache_sum sum;
	unsigned int i;
	void *objs[9];

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-histogram", 1024, NULL);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = curpage_cache_alloc(cache, GFP_KERNEL);
	curpage_cache_free(cache, objs[0]);
	for (i = 4; i < 8; i++)
		curpage_cache_free(cache, objs[i]);
	/* Three live, none live, and the current page with one. */
	cp_cache_get_sum(cache, &sum);
	KUNIT_EXPECT_EQ(test, 4, sum.live);
	KUNIT_EXPECT_EQ(test, 1, sum.occupancy[3]);
	KUNIT_EXPECT_EQ(test, 1, sum.occupancy[1]);
	KUNIT_EXPECT_EQ(test, 1, sum.nr[CP_S2]);
	KUNIT_EXPECT_EQ(test, 1, sum.nr[CP_S3]);
	KUNIT_EXPECT_EQ(test, 1, sum.current_live);
	KUNIT_EXPECT_EQ(test, 0, sum.current_empty);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		if (i && (i < 4 || i == 8))
			curpage_cache_free(cache, objs[i]);
}

static struct kunit_case cp_cache_cases[] = {
	KUNIT_CASE_PARAM(bad_argument_gets_null, bad_gen_params),
	KUNIT_CASE_PARAM(argument_at_the_limit_is_taken, good_gen_params),
	KUNIT_CASE(name_can_be_used_again_after_destroy),
	KUNIT_CASE(blocks_are_aligned_as_asked),
	KUNIT_CASE(blocks_are_aligned_to_cache_lines_if_asked),
	KUNIT_CASE(blocks_do_not_overlap),
	KUNIT_CASE(ctor_runs_once_a_block_of_a_page),
	KUNIT_CASE(page_of_a_destroyed_cache_goes_back),
	KUNIT_CASE(histogram_follows_the_pages),
	{}
};

CP_TEST_SUITE(cache);
