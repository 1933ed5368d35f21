// SPDX-License-Identifier: GPL-2.0
/*
 * What nobody outside should be able to foretell: the keys of the words of free
 * blocks, and the order in which the blocks of a fresh page are handed out.
 *
 * As in SLUB, each cache has an order of its own, drawn when the cache is created,
 * and each fresh page begins somewhere in it.  A seed makes the orders the same in
 * every run; keys stay random.
 */
#include "kernel.h"
#include "internal.h"

#define CP_GOLDEN	0x9e3779b97f4a7c15ULL

struct cp_harden cp_harden;

static atomic_long_t cp_harden_drawn;	/* numbers drawn with a seed, for pages */

void cp_harden_init(bool on, u64 seed)
{
	cp_harden = (struct cp_harden){ .on = on, .seed = seed };
	atomic_long_set(&cp_harden_drawn, 0);
}

/*
 * Odd, so that no 0 and no pointer to something aligned is a word that says "free".
 * Bit 47 is not that of the start of the linear map, so that a 0 is not taken for the
 * word of a pool (cp_word_may_be_free()): on arm64 and s390x bits 32 to 47 of an
 * address may all be 0.  A pointer to something near may be; cp_pool_has() tells.
 */
u64 cp_harden_key(void)
{
	u64 key = (cp_harden.on ? get_random_long() : 0) | 1;

	return (key & ~BIT_ULL(47)) | (~CP_LINEAR_START & BIT_ULL(47));
}

/* The n-th number of a sequence (splitmix64). */
static u32 cp_harden_nth(u64 sequence, u64 n)
{
	u64 x = cp_harden.seed * CP_GOLDEN + sequence + n * CP_GOLDEN;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) >> 32;
}

static unsigned int cp_harden_below(u32 random, unsigned int limit)
{
	return (u64)random * limit >> 32;
}

/*
 * Draw the order of the blocks of a cache's fresh pages, where they have one.
 *
 * Return: 0, or -ENOMEM.
 */
int cp_harden_cache(struct curpage_cache *cache)
{
	unsigned int i, capacity = cache->capacity;
	u16 *order;

	if (!cp_harden.on || !IS_ENABLED(CONFIG_SLAB_FREELIST_RANDOM) ||
	    capacity < 2)
		return 0;
	order = cp_system_zalloc(capacity * sizeof(*order));
	if (!order)
		return -ENOMEM;
	/* Each one changes places with one before it, or stays. */
	for (i = 0; i < capacity; i++) {
		u32 random = cp_harden.seed ? cp_harden_nth(capacity, i) :
					      get_random_u32();
		unsigned int other = cp_harden_below(random, i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	cache->order = order;
	return 0;
}

/*
 * Where in the order of its cache, if that has one, a fresh page begins.  Called with
 * nothing held: with PREEMPT_RT random numbers have a lock that sleeps.
 */
unsigned int cp_harden_begin(const struct curpage_cache *cache)
{
	u32 random;

	if (!cache->order)
		return 0;
	random = cp_harden.seed ?
		 cp_harden_nth(0, atomic_long_inc_return(&cp_harden_drawn)) :
		 get_random_u32();
	return cp_harden_below(random, cache->capacity);
}
