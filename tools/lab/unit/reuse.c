// SPDX-License-Identifier: GPL-2.0
/* Test which cache gets an empty page, and when, with each flag for that. */
#include "unit.h"

#define BLOCKS	200

static struct curpage_cache *cache_of(const char *name, unsigned int flags)
{
	struct curpage_cache_args args = { .flags = flags };
	struct curpage_cache *cache = curpage_cache_create(name, 100, &args);

	REQUIRE(cache);
	cache->keep = 0;
	return cache;
}

static void fill(struct curpage_cache *cache, void **block)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++) {
		block[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		REQUIRE(block[i]);
		memset(block[i], i, 100);
	}
}

static void empty(struct curpage_cache *cache, void **block)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		curpage_cache_free(cache, block[i]);
	curpage_cache_shrink(cache);
}

static bool page_among(const void *block, void **others)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		if (virt_to_page(block) == virt_to_page(others[i]))
			return true;
	return false;
}

/* Blocks of another cache that lie on pages that these had. */
static unsigned int shared(void **block, struct curpage_cache *other)
{
	void *theirs[BLOCKS];
	unsigned int i, n = 0;

	fill(other, theirs);
	for (i = 0; i < BLOCKS; i++)
		n += page_among(theirs[i], block);
	empty(other, theirs);
	return n;
}

static void reuse_private(void)
{
	struct curpage_cache *cache = cache_of("private", CURPAGE_PRIVATE_PAGES);
	struct curpage_cache *plain = cache_of("plain", 0);
	struct curpage_cache *other = cache_of("other", 0);
	void *block[BLOCKS], *again[BLOCKS];
	unsigned long held;
	unsigned int i;

	fill(plain, block);
	empty(plain, block);
	EXPECT(shared(block, other));

	fill(cache, block);
	held = cp_arena.cache_pages;
	empty(cache, block);
	EXPECT(cp_arena.cache_pages == held);
	EXPECT(!shared(block, other));
	EXPECT(!curpage_check());

	/* Its own blocks lie there again. */
	fill(cache, again);
	for (i = 0; i < BLOCKS; i++)
		EXPECT(page_among(again[i], block));
	empty(cache, again);
	EXPECT(!curpage_check());

	EXPECT(!curpage_cache_destroy(cache));
	EXPECT(shared(block, other));
	EXPECT(!curpage_cache_destroy(plain));
	EXPECT(!curpage_cache_destroy(other));
}

/* A pool has its free blocks on no page. */
static void reuse_private_pool(void)
{
	struct curpage_cache *cache = cache_of("private", CURPAGE_PRIVATE_PAGES);
	void *block[BLOCKS];
	unsigned int i;

	EXPECT(!cp_cache_retune(cache, cp_strategy_find("queue"), 0));
	for (i = 0; i < 3; i++) {
		fill(cache, block);
		empty(cache, block);
		EXPECT(!curpage_check());
	}
	EXPECT(!curpage_cache_destroy(cache));
}

static void reuse_typesafe(void)
{
	struct curpage_cache *cache = cache_of("rcu", CURPAGE_TYPESAFE_BY_RCU);
	struct curpage_cache *other = cache_of("other", 0);
	void *block[BLOCKS];
	unsigned int i;

	fill(cache, block);
	empty(cache, block);
	/* Whoever still looks finds what was there, and nobody else writes there. */
	EXPECT(!shared(block, other));
	for (i = 0; i < BLOCKS; i++)
		EXPECT(!memchr_inv(block[i], i, 100));
	EXPECT(atomic_long_read(&cp_arena.loose));
	EXPECT(!curpage_check());
	rcu_barrier();
	EXPECT(!atomic_long_read(&cp_arena.loose));
	EXPECT(!curpage_cache_destroy(cache));
	EXPECT(!curpage_cache_destroy(other));
}

static void reuse_typesafe_ends(void)
{
	struct curpage_cache *cache = cache_of("rcu", CURPAGE_TYPESAFE_BY_RCU |
					       CURPAGE_PRIVATE_PAGES);
	void *block[BLOCKS];

	fill(cache, block);
	empty(cache, block);
	EXPECT(!atomic_long_read(&cp_arena.loose));
	EXPECT(!curpage_cache_destroy(cache));
	EXPECT(!atomic_long_read(&cp_arena.loose));
}

const struct unit_case unit_reuse_cases[] = {
	{ "private pages are nobody else's", reuse_private },
	{ "private pages of a pool", reuse_private_pool },
	{ "type-safe pages leave after a grace period", reuse_typesafe },
	{ "a type-safe cache ends after one", reuse_typesafe_ends },
	{ }
};
