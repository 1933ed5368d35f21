// SPDX-License-Identifier: GPL-2.0
/*
 * Hardening: the keys of the words of free blocks, and the order in which the
 * blocks of a fresh page are handed out, are such that nobody outside can
 * foretell them.
 *
 * As in SLUB, each cache has an order of its own, drawn when the cache is
 * created, and each fresh page begins somewhere in it.  A seed makes the orders
 * the same in every run; keys stay random.
 */
#include "base/kernel.h"
#include "arena/system.h"
#include "heap/harden.h"

#define CP_GOLDEN	0x9e3779b97f4a7c15ULL

struct cp_harden cp_harden;

static atomic_long_t cp_harden_drawn;	/* beginnings drawn with a seed */

void cp_harden_init(bool on, u64 seed)
{
	cp_harden = (struct cp_harden){ .on = on, .seed = seed };
	atomic_long_set(&cp_harden_drawn, 0);
}

/*
 * Draw the key of a cache: random with hardening, except for two bits.
 *
 * Bit 0 is set, so neither a 0 nor a pointer to something aligned is a word
 * that says "free".
 *
 * Bit 47 differs from that bit of the start of the linear map, so a 0 is not
 * taken for the word of a block in a pool (cp_word_may_be_free()): on arm64 and
 * s390x bits 32 to 47 of an address may all be 0.  A pointer to memory near the
 * word may be taken for one; cp_pool_has() tells the two apart.
 */
u64 cp_harden_key(void)
{
	u64 key = (cp_harden.on ? get_random_long() : 0) | 1;

	return (key & ~BIT_ULL(47)) | (~CP_LINEAR_START & BIT_ULL(47));
}

/* Return: the upper half of the n-th number of a sequence (splitmix64). */
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
 * Draw the order in which the fresh pages of a cache hand out their blocks.
 * Without hardening, and for one block a page, the cache has no order.
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
	/* Each number changes places with one before it, or stays. */
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
 * Draw the place in the order of its cache at which a fresh page begins.
 * Called with no lock held and nothing claimed: with PREEMPT_RT random numbers
 * have a lock that sleeps.
 *
 * Return: the place; 0 if the cache has no order.
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
