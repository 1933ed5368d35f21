// SPDX-License-Identifier: GPL-2.0
/*
 * KFENCE takes samples of curpage and reports each misuse of one.  The suite is
 * skipped with the kernel's parameter kfence.sample_interval=0.
 */
#include "common.h"
#include "told.h"

#include <linux/delay.h>
#include <linux/init.h>

#define SIZE		96
#define ASKED		90		/* of a class that is larger */
#define TRIES		3000		/* sample intervals to wait */
#define FEW_TRIES	20
#define BATCH		100		/* allocations without a pause */
#define TITLE		"BUG: KFENCE: "

/* An allocation; the functions that allocate by size ignore cache. */
typedef void *(*alloc_fn)(struct curpage_cache *cache);

static void *alloc_cached(struct curpage_cache *cache)
{
	return curpage_cache_alloc(cache, GFP_KERNEL);
}

static void *alloc_cached_zeroed(struct curpage_cache *cache)
{
	return curpage_cache_alloc(cache, GFP_KERNEL | __GFP_ZERO);
}

static void *alloc_sized(struct curpage_cache *cache)
{
	return curpage_alloc(ASKED, GFP_KERNEL);
}

/* A size whose class is aligned to 128. */
static void *alloc_aligned(struct curpage_cache *cache)
{
	return curpage_alloc(120, GFP_KERNEL);
}

/* A size that goes to first fit. */
static void *alloc_large(struct curpage_cache *cache)
{
	return curpage_alloc(3001, GFP_KERNEL);
}

/* Repeat fn until it returns a sample.  Return: NULL after tries intervals. */
static void *sample_within(unsigned int tries, struct curpage_cache *cache,
			   alloc_fn fn)
{
	unsigned long end = jiffies +
		msecs_to_jiffies(tries * kfence_sample_interval);
	unsigned int i;

	do {
		for (i = 0; i < BATCH; i++) {
			void *obj = fn(cache);

			if (!obj || is_kfence_address(obj))
				return obj;
			curpage_free(obj);
		}
		usleep_range(1000, 2000);	/* the sampling worker runs */
	} while (time_before(jiffies, end));
	return NULL;
}

static void *sample(struct curpage_cache *cache, alloc_fn fn)
{
	return sample_within(TRIES, cache, fn);
}

static long free_it(void *obj)
{
	curpage_free(obj);
	return 0;
}

/* Use all size bytes of a sample, free it, and use it again. */
static void expect_life(struct kunit *test, u8 *obj, size_t size)
{
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, size, curpage_ksize(obj));
	memset(obj, 0xee, size);
	cp_told_expect(test, cp_told_by(free_it, obj), NULL);
	cp_told_expect(test, cp_told_by_touch(obj), "use-after-free");
}

static void every_way_is_sampled(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kfence", SIZE,
						    NULL);

	expect_life(test, sample(cache, alloc_cached), SIZE);
	expect_life(test, sample(NULL, alloc_sized), ASKED);
	expect_life(test, sample(NULL, alloc_aligned), 120);
	expect_life(test, sample(NULL, alloc_large), 3001);
}

static void every_free_takes_samples(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kfence", SIZE,
						    NULL);
	void *obj = sample(cache, alloc_cached);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	curpage_cache_free(cache, obj);
	cp_told_expect(test, cp_told_by_touch(obj), "use-after-free");
	obj = sample(cache, alloc_cached);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	curpage_cache_free_bulk(cache, 1, &obj);
	cp_told_expect(test, cp_told_by_touch(obj), "use-after-free");
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(cache));
}

/* KFENCE places a sample at the start of its page, or at the end. */
static void overrun_is_told(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kfence", SIZE,
						    NULL);
	bool start = false, end = false;
	unsigned int i;

	for (i = 0; i < TRIES && !(start && end); i++) {
		u8 *obj = sample(cache, alloc_cached);

		KUNIT_ASSERT_NOT_NULL(test, obj);
		if (offset_in_page(obj)) {
			end = true;
			cp_told_expect(test, cp_told_by_touch(obj + SIZE),
				       "out-of-bounds");
		} else {
			start = true;
			cp_told_expect(test, cp_told_by_touch(obj - 1),
				       "out-of-bounds");
		}
		curpage_cache_free(cache, obj);
	}
	KUNIT_EXPECT_TRUE(test, start && end);
}

static void wrong_free_is_told(struct kunit *test)
{
	u8 *obj = sample(NULL, alloc_sized);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	cp_told_expect(test, cp_told_by(free_it, obj + 8), "invalid free");
	cp_told_expect(test, cp_told_by(free_it, obj), NULL);
	cp_told_expect(test, cp_told_by(free_it, obj), "invalid free");
	cp_told_expect(test, cp_told_by(free_it, __kfence_pool), NULL);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
}

/* Copy all of a sample to a user, as hardened usercopy sees it. */
static void sample_can_be_copied(struct kunit *test)
{
	u8 *obj = sample(NULL, alloc_sized);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	check_object_size(obj, ASKED, true);
	check_object_size(obj + 10, ASKED - 10, false);
	curpage_free(obj);
}

static void destroy_leaves_samples(struct kunit *test)
{
	struct curpage_cache *cache = curpage_cache_create("kunit-kfence", SIZE,
							   NULL);
	u8 *obj;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	obj = sample(cache, alloc_cached);
	KUNIT_EXPECT_EQ(test, 0, curpage_cache_destroy(cache));
	expect_life(test, obj, SIZE);
}

static void construct(void *obj)
{
	memset(obj, 0x11, SIZE);
}

static void sample_has_its_contents(struct kunit *test)
{
	static const struct curpage_cache_args args = { .ctor = construct };
	struct curpage_cache *cache = cp_test_cache(test, "kunit-kfence", SIZE,
						    &args);
	struct curpage_cache *plain = cp_test_cache(test, "kunit-kfence-plain",
						    SIZE, NULL);
	void *obj = sample(cache, alloc_cached_zeroed);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_NULL(test, memchr_inv(obj, 0x11, SIZE));
	curpage_cache_free(cache, obj);
	obj = sample(plain, alloc_cached_zeroed);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_NULL(test, memchr_inv(obj, 0, SIZE));
	curpage_cache_free(plain, obj);
}

/* The cache promises where its blocks lie. */
static void some_caches_are_not_sampled(struct kunit *test)
{
	static const struct curpage_cache_args args[] = {
		{ .flags = CURPAGE_PRIVATE_PAGES },
		{ .flags = CURPAGE_TYPESAFE_BY_RCU },
		{ .align = 128 },
	};
	static const char * const names[] = { "kunit-1", "kunit-2", "kunit-3" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		struct curpage_cache *cache = cp_test_cache(test, names[i],
							    SIZE, &args[i]);

		KUNIT_EXPECT_NULL(test, sample_within(FEW_TRIES, cache,
						      alloc_cached));
	}
}

static int sampled_suite_init(struct kunit_suite *suite)
{
	return kfence_sample_interval ? cp_told_begin(TITLE) : 0;
}

static void sampled_suite_exit(struct kunit_suite *suite)
{
	if (kfence_sample_interval)
		cp_told_end(TITLE);
}

static int sampled_init(struct kunit *test)
{
	if (!kfence_sample_interval)
		kunit_skip(test, "KFENCE takes no samples");
	return cp_test_init(test);
}

static struct kunit_case cp_kfence_cases[] = {
	KUNIT_CASE(every_way_is_sampled),
	KUNIT_CASE(every_free_takes_samples),
	KUNIT_CASE(overrun_is_told),
	KUNIT_CASE(wrong_free_is_told),
	KUNIT_CASE(sample_can_be_copied),
	KUNIT_CASE(destroy_leaves_samples),
	KUNIT_CASE(sample_has_its_contents),
	KUNIT_CASE(some_caches_are_not_sampled),
	{}
};

static struct kunit_suite cp_kfence_suite = {
	.name = "curpage_kfence",
	.suite_init = sampled_suite_init,
	.suite_exit = sampled_suite_exit,
	.init = sampled_init,
	.exit = cp_test_exit,
	.test_cases = cp_kfence_cases,
};

kunit_test_suite(cp_kfence_suite);
