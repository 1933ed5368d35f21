// SPDX-License-Identifier: GPL-2.0
/* Orders of fresh blocks: drawn, complete, the same for the same seed. */
#include "common.h"

#define PAGES	8

static const unsigned int sizes[] = { 8, 24, 64, 100, 1000 };

/* The slots of the blocks of some fresh pages, in the order they come. */
struct slots {
	unsigned int capacity;
	u16 slot[PAGES * PAGE_SIZE / 8];
};

/* Every slot of the page once. */
static bool complete_page(const u16 *slot, unsigned int capacity)
{
	DECLARE_BITMAP(seen, PAGE_SIZE / 8);
	unsigned int i;

	bitmap_zero(seen, PAGE_SIZE / 8);
	for (i = 0; i < capacity; i++)
		if (slot[i] >= capacity || __test_and_set_bit(slot[i], seen))
			return false;
	return true;
}

static struct slots *draw(struct kunit *test, unsigned int size, u64 seed)
{
	struct slots *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct cp_harden was = cp_harden;
	struct curpage_cache *cache;
	unsigned int i;
	void **objs;

	KUNIT_ASSERT_NOT_NULL(test, s);
	cp_test_pin(test);
	cp_harden_init(true, seed);
	cache = cp_test_cache(test, "kunit-harden", size, NULL);
	s->capacity = cache->capacity;
	objs = kunit_kcalloc(test, PAGES * s->capacity, sizeof(*objs),
			     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, objs);
	for (i = 0; i < PAGES * s->capacity; i++) {
		objs[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objs[i]);
		s->slot[i] = offset_in_page(objs[i]) / cache->stride;
	}
	cp_harden_init(was.on, was.seed);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_TRUE_MSG(test,
				      complete_page(s->slot + i * s->capacity,
						    s->capacity),
				      "size %u, page %u", size, i);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_cache_free_bulk(cache, PAGES * s->capacity, objs);
	cp_test_destroy(test, cache);
	return s;
}

static bool same(const struct slots *a, const struct slots *b)
{
	return !memcmp(a->slot, b->slot, PAGES * a->capacity * sizeof(u16));
}

/* Without the kernel's option for it blocks rise, whatever the seed. */
static void order_is_that_of_the_seed(struct kunit *test)
{
	bool drawn = IS_ENABLED(CONFIG_SLAB_FREELIST_RANDOM);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct slots *s = draw(test, sizes[i], 1);

		KUNIT_EXPECT_TRUE(test, same(s, draw(test, sizes[i], 1)));
		KUNIT_EXPECT_EQ(test, drawn, !same(s, draw(test, sizes[i], 2)));
		/* Pages begin at different places. */
		KUNIT_EXPECT_EQ(test, drawn,
				!!memcmp(s->slot, s->slot + s->capacity,
					 s->capacity * sizeof(u16)));
	}
}

static void page_of_one_block_has_no_order(struct kunit *test)
{
	struct curpage_cache *cache;

	cp_harden.on = true;
	cache = cp_test_cache(test, "kunit-harden", PAGE_SIZE, NULL);
	KUNIT_EXPECT_NULL(test, cache->order);
}

static unsigned int left;	/* objects, until all are refused */

static void *zalloc_some(size_t size)
{
	return left ? left--, kzalloc(size, GFP_KERNEL) : NULL;
}

/* Whichever of its objects is refused, there is no cache. */
static void order_refused_means_no_cache(struct kunit *test)
{
	unsigned int orders = IS_ENABLED(CONFIG_SLAB_FREELIST_RANDOM), i;
	struct curpage_cache *cache = NULL;

	cp_harden.on = true;
	kunit_activate_static_stub(test, cp_system_zalloc, zalloc_some);
	for (i = 0; i < 10 && !cache; i++) {
		left = i;
		cache = curpage_cache_create("kunit-harden", 64, NULL);
		KUNIT_EXPECT_EQ(test, 0, left);
	}
	kunit_deactivate_static_stub(test, cp_system_zalloc);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_GT(test, i, 1 + orders);
	KUNIT_EXPECT_EQ(test, orders, !!cache->order);
	KUNIT_EXPECT_EQ(test, 0, curpage_cache_destroy(cache));
}

static struct kunit_case cp_harden_cases[] = {
	KUNIT_CASE(order_is_that_of_the_seed),
	KUNIT_CASE(page_of_one_block_has_no_order),
	KUNIT_CASE(order_refused_means_no_cache),
	{}
};

CP_TEST_SUITE(harden);
