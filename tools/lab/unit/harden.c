// SPDX-License-Identifier: GPL-2.0
/* Orders of fresh blocks: drawn, complete, the same for the same seed. */
#include "unit.h"

#define PAGES	8

/* The slots of the blocks of some fresh pages, in the order they come. */
struct slots {
	unsigned int capacity;
	u16 slot[PAGES * 512];
};

static bool slots_rise(const u16 *slot, unsigned int capacity)
{
	unsigned int i;

	for (i = 0; i < capacity; i++)
		if (slot[i] != i)
			return false;
	return true;
}

/* Every slot of the page once. */
static bool slots_complete(const u16 *slot, unsigned int capacity)
{
	DECLARE_BITMAP(seen, 512);
	unsigned int i;

	bitmap_zero(seen, 512);
	for (i = 0; i < capacity; i++)
		if (slot[i] >= capacity || __test_and_set_bit(slot[i], seen))
			return false;
	return true;
}

static void slots_get(struct slots *s, unsigned int size, bool on, u64 seed)
{
	struct curpage_cache *cache;
	void *block[PAGES * 512];
	unsigned int i;

	cp_harden_init(on, seed);
	cache = curpage_cache_create("order", size, NULL);
	REQUIRE(cache);
	s->capacity = cache->capacity;
	for (i = 0; i < PAGES * s->capacity; i++) {
		block[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		REQUIRE(block[i]);
		s->slot[i] = offset_in_page(block[i]) / cache->stride;
	}
	for (i = 0; i < PAGES; i++)
		EXPECT(slots_complete(s->slot + i * s->capacity, s->capacity));
	EXPECT(!curpage_check());
	curpage_cache_free_bulk(cache, PAGES * s->capacity, block);
	EXPECT(!curpage_cache_destroy(cache));
	cp_harden_init(false, 0);
}

static bool slots_same(const struct slots *a, const struct slots *b)
{
	return !memcmp(a->slot, b->slot, PAGES * a->capacity * sizeof(u16));
}

static void harden_orders(void)
{
	static const unsigned int sizes[] = { 8, 24, 64, 100, 1000 };
	struct slots a, b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		slots_get(&a, sizes[i], true, 1);
		slots_get(&b, sizes[i], true, 1);
		EXPECT(slots_same(&a, &b));
		slots_get(&b, sizes[i], true, 2);
		EXPECT(!slots_same(&a, &b));
		EXPECT(!slots_rise(a.slot, a.capacity));
		/* Pages begin at different places. */
		EXPECT(memcmp(a.slot, a.slot + a.capacity,
			      a.capacity * sizeof(u16)));
	}
}

static void harden_none(void)
{
	struct slots s;
	unsigned int i;

	slots_get(&s, 64, false, 1);
	for (i = 0; i < PAGES; i++)
		EXPECT(slots_rise(s.slot + i * s.capacity, s.capacity));
}

/* A page of one block has no order, and needs no memory for one. */
static void harden_one(void)
{
	struct curpage_cache *cache;

	cp_harden_init(true, 1);
	cache = curpage_cache_create("one", 4096, NULL);
	REQUIRE(cache);
	EXPECT(!cache->order);
	EXPECT(!curpage_cache_destroy(cache));
	cp_harden_init(false, 0);
}

/* For every number of objects that the system still serves. */
static void harden_fails(void)
{
	unsigned long lent = lab.objects_lent;
	struct curpage_cache *cache = NULL;
	unsigned long left;

	cp_harden_init(true, 0);
	for (left = 0; !cache; left++) {
		lab.objects_left = left;
		cache = curpage_cache_create("order", 64, NULL);
		lab.objects_left = ULONG_MAX;
		EXPECT(cache || lab.objects_lent == lent);
	}
	EXPECT(left > 3);
	EXPECT(cache->order);
	EXPECT(!curpage_cache_destroy(cache));
	EXPECT(lab.objects_lent == lent);
	cp_harden_init(false, 0);
}

const struct unit_case unit_harden_cases[] = {
	{ "fresh blocks come in an order that is drawn", harden_orders },
	{ "without hardening they rise", harden_none },
	{ "a page of one block has no order", harden_one },
	{ "no memory for an order", harden_fails },
	{ }
};
