// SPDX-License-Identifier: GPL-2.0
/*
 * The matrix of init_on_alloc, init_on_free and __GFP_ZERO, on fresh and on
 * recycled memory.
 *
 * The keys are the whole kernel's: with init_on_free the page allocator takes
 * it that its free pages are zero, so the key is on for a call only that does
 * not go to the system.
 */
#include "common.h"

#define DIRT	0xd1

struct init_case {
	bool on_alloc;
	bool on_free;
	bool gfp_zero;
};

static const struct init_case init_cases[] = {
	{ 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 0, 1, 1 },
	{ 1, 0, 0 }, { 1, 0, 1 }, { 1, 1, 0 }, { 1, 1, 1 },
};

static void init_desc(const struct init_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "init_on_alloc=%d init_on_free=%d zero=%d", c->on_alloc,
		 c->on_free, c->gfp_zero);
}

KUNIT_ARRAY_PARAM(init, init_cases, init_desc);

/* As they were, to be put back. */
struct keys {
	bool on_alloc;
	bool on_free;
};

static void set_keys(bool on_alloc, bool on_free)
{
	if (on_alloc)
		static_branch_enable(&init_on_alloc);
	else
		static_branch_disable(&init_on_alloc);
	if (on_free)
		static_branch_enable(&init_on_free);
	else
		static_branch_disable(&init_on_free);
}

static struct keys begin(const struct init_case *c)
{
	struct keys old = {
		.on_alloc = static_key_enabled(&init_on_alloc),
		.on_free = static_key_enabled(&init_on_free),
	};

	set_keys(c->on_alloc, c->on_free);
	return old;
}

static void end(struct keys old)
{
	set_keys(old.on_alloc, old.on_free);
}

static gfp_t gfp_of(const struct init_case *c)
{
	return c->gfp_zero ? GFP_KERNEL | __GFP_ZERO : GFP_KERNEL;
}

static void *get(struct kunit *test, struct curpage_cache *cache)
{
	const struct init_case *c = test->param_value;
	struct keys old = begin(c);
	void *obj = curpage_cache_alloc(cache, gfp_of(c));

	end(old);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	return obj;
}

static void put(struct kunit *test, struct curpage_cache *cache, void *obj)
{
	struct keys old = begin(test->param_value);

	curpage_cache_free(cache, obj);
	end(old);
}

/*
 * Heaps look at the keys when they are made, as the keys do not change in real
 * life: have them made anew with those of this case.
 */
static void init_heaps(struct kunit *test, struct curpage_cache *cache)
{
	struct keys old = begin(test->param_value);
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);

		cp_heap_init(h, cache, cpu, cache->strategy, h->phi0);
	}
	end(old);
}

/* A cache whose current page is free, and dirty but for the words. */
static struct curpage_cache *setup(struct kunit *test, unsigned int size,
				   const struct curpage_cache_args *args)
{
	struct curpage_cache *cache;
	unsigned int i;
	void *obj;

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-init", size, args);
	init_heaps(test, cache);
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	for (i = 0; !cache->ctor && size > CP_WORD_SIZE &&
	     i < cache->capacity; i++)
		memset(obj + i * cache->stride + CP_WORD_SIZE, DIRT,
		       size - CP_WORD_SIZE);
	curpage_cache_free(cache, obj);
	return cache;
}

static bool is_zero(const void *obj, size_t size)
{
	return cp_filled_with(obj, 0, size);
}

static void fresh_block_is_zero_if_it_should_be(struct kunit *test)
{
	static const unsigned int sizes[] = { 2, 8, 24, 100, 1000 };
	const struct init_case *c = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct curpage_cache *cache = setup(test, sizes[i], NULL);
		void *obj = get(test, cache);

		if (c->on_alloc || c->gfp_zero)
			KUNIT_EXPECT_TRUE_MSG(test, is_zero(obj, sizes[i]),
					      "size %u", sizes[i]);
		else if (!c->on_free && sizes[i] > 8)
			KUNIT_EXPECT_FALSE_MSG(test, is_zero(obj, sizes[i]),
					       "size %u", sizes[i]);
		curpage_cache_free(cache, obj);
		cp_test_destroy(test, cache);
	}
}

static void freed_block_is_zero_if_it_should_be(struct kunit *test)
{
	const struct init_case *c = test->param_value;
	struct curpage_cache *cache = setup(test, 256, NULL);
	void *obj = get(test, cache);

	memset(obj, DIRT, 256);
	put(test, cache, obj);
	/* All but the word, which is there while the block is free. */
	KUNIT_EXPECT_EQ(test, c->on_free,
			is_zero(obj + CP_WORD_SIZE, 256 - CP_WORD_SIZE));
}

static void recycled_block_is_zero_if_it_should_be(struct kunit *test)
{
	static const unsigned int sizes[] = { 2, 8, 24, 100, 1000 };
	const struct init_case *c = test->param_value;
	bool zero = c->on_alloc || c->on_free || c->gfp_zero;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct curpage_cache *cache = setup(test, sizes[i], NULL);
		void *obj = get(test, cache);

		memset(obj, DIRT, sizes[i]);
		put(test, cache, obj);
		KUNIT_EXPECT_PTR_EQ(test, obj, get(test, cache));
		/* An allocation clears the word in any case. */
		KUNIT_EXPECT_EQ_MSG(test, zero || sizes[i] <= CP_WORD_SIZE,
				    is_zero(obj, sizes[i]), "size %u", sizes[i]);
		curpage_cache_free(cache, obj);
		cp_test_destroy(test, cache);
	}
}

static void constructed(void *block)
{
	memset(block, 0xc0, 60);
}

/* What the constructor left is never wiped. */
static void constructed_block_stays_constructed(struct kunit *test)
{
	static const struct curpage_cache_args args = { .ctor = constructed };
	struct curpage_cache *cache = setup(test, 60, &args);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		void *obj = get(test, cache);

		KUNIT_EXPECT_TRUE(test, cp_filled_with(obj, 0xc0, 60));
		put(test, cache, obj);
		KUNIT_EXPECT_TRUE(test, cp_filled_with(obj, 0xc0, 60));
	}
}

/* Poison is there to be seen, unless zero is asked for. */
static void checked_block_is_poisoned_or_zero_as_asked(struct kunit *test)
{
	static const struct curpage_cache_args args = { .flags = CURPAGE_CHECK };
	const struct init_case *c = test->param_value;
	struct curpage_cache *cache = cp_test_cache(test, "kunit-init", 60,
						    &args);
	u8 *obj;

	cp_test_pin(test);
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	memset(obj, DIRT, 60);
	put(test, cache, obj);
	KUNIT_EXPECT_TRUE(test, cp_filled_with(obj, 0x6b, 60));
	KUNIT_EXPECT_PTR_EQ(test, (void *)obj, get(test, cache));
	KUNIT_EXPECT_TRUE(test, cp_filled_with(obj, c->gfp_zero ? 0 : 0x6b,
					       60));
	curpage_cache_free(cache, obj);
}

static void expect_page_block(struct kunit *test, bool drain)
{
	const struct init_case *c = test->param_value;
	bool zero = c->on_alloc || c->on_free || c->gfp_zero;
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 1), *again;
	struct keys old;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page_address(page), DIRT, 2 * PAGE_SIZE);
	old = begin(c);
	curpage_free_pages(page, 1);
	if (drain)
		cp_stock_drain();
	again = curpage_alloc_pages(gfp_of(c), 1);
	end(old);
	KUNIT_EXPECT_PTR_EQ(test, page, again);
	KUNIT_EXPECT_EQ(test, zero,
			is_zero(page_address(again), 2 * PAGE_SIZE));
	curpage_free_pages(again, 1);
}

/* From the stock, and from the arena; the system is not asked. */
static void page_block_is_zero_if_it_should_be(struct kunit *test)
{
	cp_test_pin(test);
	expect_page_block(test, false);
	cp_test_settle();
	expect_page_block(test, true);
}

/* Of first fit; the run stays for the block beside it. */
static void large_block_is_zero_if_it_should_be(struct kunit *test)
{
	const struct init_case *c = test->param_value;
	void *fence = curpage_alloc(5000, GFP_KERNEL);
	void *obj = curpage_alloc(5000, GFP_KERNEL), *again;
	struct keys old;

	KUNIT_ASSERT_NOT_NULL(test, obj);
	memset(obj, DIRT, 5000);
	old = begin(c);
	curpage_free(obj);
	again = curpage_alloc(5000, gfp_of(c));
	end(old);
	KUNIT_EXPECT_PTR_EQ(test, obj, again);
	KUNIT_EXPECT_EQ(test, c->on_alloc || c->on_free || c->gfp_zero,
			is_zero(again, 5000));
	curpage_free(again);
	curpage_free(fence);
}

static void zalloc_is_zero_at_every_size(struct kunit *test)
{
	size_t size;

	for (size = 1; size <= 3 * PAGE_SIZE; size += 1 + size / 7) {
		void *obj = curpage_alloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, obj);
		/* Fortified, memset() would go by what was asked for. */
		OPTIMIZER_HIDE_VAR(obj);
		memset(obj, DIRT, curpage_ksize(obj));
		curpage_free(obj);
		obj = curpage_zalloc(size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, obj);
		OPTIMIZER_HIDE_VAR(obj);
		KUNIT_EXPECT_TRUE_MSG(test, is_zero(obj, curpage_ksize(obj)),
				      "size %zu", size);
		curpage_free(obj);
	}
}

#define MATRIX_CASE(fn)	KUNIT_CASE_PARAM(fn, init_gen_params)

static struct kunit_case cp_init_cases[] = {
	MATRIX_CASE(fresh_block_is_zero_if_it_should_be),
	MATRIX_CASE(freed_block_is_zero_if_it_should_be),
	MATRIX_CASE(recycled_block_is_zero_if_it_should_be),
	MATRIX_CASE(constructed_block_stays_constructed),
	MATRIX_CASE(checked_block_is_poisoned_or_zero_as_asked),
	MATRIX_CASE(page_block_is_zero_if_it_should_be),
	MATRIX_CASE(large_block_is_zero_if_it_should_be),
	KUNIT_CASE(zalloc_is_zero_at_every_size),
	{}
};

CP_TEST_SUITE(init);
