// SPDX-License-Identifier: GPL-2.0
/*
 * Test what becomes of live blocks, and of whole pages, beside blocks that were
 * written over or freed twice and could not be told from right ones.
 */
#include "unit.h"
#include "../reports.h"

#define DAMAGE_SIZE	64
#define DAMAGE_MOST	1024	/* blocks of a case */
#define DAMAGE_FILL	0xee
#define DAMAGE_LOW	4	/* order */

static struct curpage_cache *damage_cache(const char *name, unsigned int size,
					  const char *strategy,
					  unsigned int flags)
{
	struct curpage_cache_args args = {
		.strategy = strategy, .flags = flags,
	};
	struct curpage_cache *cache = curpage_cache_create(name, size, &args);

	REQUIRE(cache);
	return cache;
}

static void damage_alloc(struct curpage_cache *cache, unsigned int n, u64 **block)
{
	while (n--) {
		*block = curpage_cache_alloc(cache, GFP_KERNEL);
		REQUIRE(*block);
		block++;
	}
}

/* Make the word of a block lead to this place, which may be none. */
static void damage_lead(const struct curpage_cache *cache, void *obj, u64 place)
{
	cp_word_seal(cache, CP_WORD_AT(obj + cache->link), place);
}

/* What the word of a block in a pool says of the first block on a page. */
static u64 damage_place(const void *obj)
{
	return (cp_page_number(cp_page_of(virt_to_page(obj))) << 12) + 1;
}

/*
 * The first pages of the machine, so that no other has them: their places are as the
 * numbers of blocks.  No page of a kernel's heap lies there.
 */
static struct page *damage_low_pages(void)
{
	struct page *low = curpage_alloc_pages(GFP_KERNEL, DAMAGE_LOW);

	REQUIRE(low == lab.map);
	return low;
}

/* In between the word is written over and does not say that the block is free. */
static void damage_free_twice(struct curpage_cache *cache, void *obj)
{
	unsigned long reports = lab_all_reports();

	curpage_cache_free(cache, obj);
	damage_lead(cache, obj, U64_MAX);
	curpage_cache_free(cache, obj);
	REQUIRE(lab_all_reports() == reports);
}

/*
 * A block is live and on the list of a pool at the same time, and its user has left
 * something there that leads to no block of the heap.
 */
static void pool_live_led(struct curpage_cache *cache, u64 place)
{
	unsigned long reports = lab_all_reports();
	unsigned int i, n = cache->capacity - 1;
	u64 *block[DAMAGE_MOST], was;

	damage_alloc(cache, n + 1, block);
	curpage_cache_free(cache, block[n]);
	damage_free_twice(cache, block[0]);
	/* It comes first or second, and its word leads to itself. */
	while (damage_alloc(cache, 1, block + n), block[n] != block[0])
		REQUIRE(++n < cache->capacity + 1);
	damage_lead(cache, block[0], place);
	was = *block[0];

	damage_alloc(cache, 100, block + n);
	for (i = n; i < n + 100; i++)
		EXPECT(block[i] != block[0]);
	EXPECT(*block[0] == was);
	EXPECT(lab_all_reports() == reports + 1);
	EXPECT(!curpage_check());
	for (i = 0; i < n + 100; i++)
		curpage_cache_free(cache, block[i]);
	EXPECT(lab_all_reports() == reports + 1);
}

/* To the last place there is, beyond all places, and to a page of another heap. */
static void pool_live(void)
{
	static const char * const strategies[] = { "stack", "queue" };
	struct page *low = damage_low_pages();
	void *other = curpage_alloc(DAMAGE_SIZE, GFP_KERNEL);
	const u64 places[] = { CP_WORD_MAX, U64_MAX, damage_place(other) };
	struct curpage_cache *cache;
	unsigned int i, j, harden;

	for (harden = 0; harden < 2; harden++) {
		cp_harden_init(harden, 0);
		for (i = 0; i < ARRAY_SIZE(strategies); i++) {
			for (j = 0; j < ARRAY_SIZE(places); j++) {
				cache = damage_cache("pool", DAMAGE_SIZE,
						     strategies[i], 0);
				pool_live_led(cache, places[j]);
				EXPECT(!curpage_cache_destroy(cache));
			}
		}
	}
	cp_harden_init(false, 0);
	curpage_free(other);
	curpage_free_pages(low, DAMAGE_LOW);
}

/* As in the kernel, where bit 47 of a pointer to a block is set and that of no key is. */
static u64 damage_pointer(const void *to)
{
	return (u64)to | BIT_ULL(47);
}

/* What users may have at the start of a block. */
static void pool_user_fill(struct curpage_cache *cache, u64 **block,
			   unsigned int n, const void *other)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		switch (i % 5) {
		case 0:		/* the head of an empty list */
			*block[i] = damage_pointer(block[i]);
			break;
		case 1:
			*block[i] = damage_pointer(block[(i + 1) % n]);
			break;
		case 2:
			damage_lead(cache, block[i], CP_WORD_MAX);
			break;
		case 3:
			damage_lead(cache, block[i], damage_place(other));
			break;
		default:
			*block[i] = i;
		}
	}
}

/* What makes a heap follow its pool. */
static void pool_follow_alloc(struct curpage_cache *cache)
{
	void *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	REQUIRE(obj);
	curpage_cache_free(cache, obj);
}

static void pool_follow_retune(struct curpage_cache *cache)
{
	EXPECT(!cp_cache_retune(cache, &cp_strategy_mru, 1));
}

static void pool_follow_shrink(struct curpage_cache *cache)
{
	curpage_cache_shrink(cache);
}

/* A free block of three pages is in the pool, and a page without a live block. */
static void pool_given_up(struct curpage_cache *cache,
			  void (*follow)(struct curpage_cache *cache))
{
	unsigned int i, n = 3 * cache->capacity, freed = cache->capacity - 1;
	void *other = curpage_alloc(DAMAGE_SIZE, GFP_KERNEL);
	unsigned long reports = lab_all_reports();
	u64 *block[DAMAGE_MOST], was[DAMAGE_MOST];

	damage_alloc(cache, n + cache->capacity, block);
	pool_user_fill(cache, block, n, other);
	for (i = 0; i < n; i++)
		was[i] = *block[i];
	for (i = freed; i < n; i += cache->capacity)
		curpage_cache_free(cache, block[i]);
	curpage_cache_free_bulk(cache, cache->capacity, (void **)block + n);
	/* The block that comes next, of a queue and of a stack, is written over. */
	damage_lead(cache, block[freed], U64_MAX);
	damage_lead(cache, block[n], U64_MAX);
	damage_lead(cache, block[n + cache->capacity - 1], U64_MAX);
	follow(cache);
	EXPECT(lab_all_reports() == reports + 1);
	for (i = 0; i < n; i++)
		EXPECT(i % cache->capacity == freed || *block[i] == was[i]);
	/* Each is live still. */
	for (i = 0; i < n; i++)
		if (i % cache->capacity != freed)
			curpage_cache_free(cache, block[i]);
	EXPECT(lab_all_reports() == reports + 1);
	EXPECT(!cp_cache_live(cache) && !curpage_check());
	EXPECT(!curpage_cache_destroy(cache));
	unit_lost_pages += 2;
	curpage_free(other);
}

static void pool_alone(void)
{
	static const char * const strategies[] = { "stack", "queue" };
	struct page *low = damage_low_pages();
	void (* const follow[])(struct curpage_cache *cache) = {
		pool_follow_alloc, pool_follow_retune, pool_follow_shrink,
	};
	unsigned int i, j, harden;

	for (harden = 0; harden < 2; harden++) {
		cp_harden_init(harden, 0);
		for (i = 0; i < ARRAY_SIZE(strategies); i++)
			for (j = 0; j < ARRAY_SIZE(follow); j++)
				pool_given_up(damage_cache("pool", DAMAGE_SIZE,
							   strategies[i], 0),
					      follow[j]);
	}
	cp_harden_init(false, 0);
	curpage_free_pages(low, DAMAGE_LOW);
}

/* All pages of another cache, and page blocks, lie elsewhere than this page. */
static void destroy_nobody_has(const struct page *page)
{
	struct curpage_cache *cache = damage_cache("new", DAMAGE_SIZE, NULL, 0);
	struct page *pages[8];
	u64 *block[DAMAGE_MOST];
	unsigned int i;

	damage_alloc(cache, DAMAGE_MOST, block);
	for (i = 0; i < DAMAGE_MOST; i++)
		EXPECT(virt_to_page(block[i]) != page);
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = curpage_alloc_pages(GFP_KERNEL, 0);
		EXPECT(pages[i] && pages[i] != page);
	}
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		curpage_free_pages(pages[i], 0);
	curpage_cache_free_bulk(cache, DAMAGE_MOST, (void **)block);
	EXPECT(!curpage_cache_destroy(cache));
}

/*
 * By the counters of the cache no block is live when it is destroyed, but one is.  Its
 * page stays with its user.
 */
static void destroy_live(const char *strategy, unsigned int flags)
{
	unsigned long lent = lab.pages_lent;
	struct curpage_cache *cache;
	u64 *block[2];

	cache = damage_cache("old", DAMAGE_SIZE, strategy, flags);
	damage_alloc(cache, 2, block);
	REQUIRE(virt_to_page(block[0]) == virt_to_page(block[1]));
	memset(block[1], DAMAGE_FILL, cache->stride);
	damage_free_twice(cache, block[0]);
	REQUIRE(!cp_cache_live(cache));
	EXPECT(!curpage_cache_destroy(cache));
	destroy_nobody_has(virt_to_page(block[1]));
	EXPECT(!memchr_inv(block[1], DAMAGE_FILL, DAMAGE_SIZE));
	cp_stock_drain();
	cp_arena_trim(&cp_arena, 0);
	EXPECT(!cp_arena.held && lab.pages_lent == lent + 1);
	EXPECT(!curpage_check());
	unit_lost_pages++;
}

static void destroy_with_live(void)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		destroy_live(cp_strategies[i]->name, 0);
	destroy_live(NULL, CURPAGE_TYPESAFE_BY_RCU);
	destroy_live(NULL, CURPAGE_PRIVATE_PAGES);
	destroy_live("stack", CURPAGE_PRIVATE_PAGES);
	destroy_live(NULL, CURPAGE_RECLAIM_ACCOUNT);
}

/*
 * More frees than allocations were counted, as happens on a current page: elsewhere the
 * last right free is refused.  Nothing is left behind.
 */
static void destroy_below_0(void)
{
	unsigned int i;
	u64 *block[2];

	for (i = 0; i < CP_NR_STRATEGIES; i++) {
		struct curpage_cache *cache;

		if (cp_strategies[i]->flags & (CP_BY_BLOCK | CP_ONE_WAY))
			continue;
		cache = damage_cache("old", DAMAGE_SIZE,
				     cp_strategies[i]->name, 0);
		damage_alloc(cache, 2, block);
		damage_free_twice(cache, block[0]);
		curpage_cache_free(cache, block[1]);
		EXPECT((long)cp_cache_live(cache) == -1);
		EXPECT(!curpage_cache_destroy(cache));
		EXPECT(!cp_report_count(CP_BAD_LEAK));
		cp_arena_trim(&cp_arena, 0);
		EXPECT(!lab.pages_lent && !curpage_check());
	}
}

/* Pages without a live block in S2 of the heap, each with as many blocks. */
static struct cp_heap *limit_heap(struct curpage_cache *cache, unsigned int n,
				  u64 **block)
{
	struct cp_heap *h = per_cpu_ptr(cache->heaps, 0);
	unsigned int blocks = n * cache->capacity;

	cache->keep = CP_KEEP_ALL;
	/* One page more, which may be current. */
	damage_alloc(cache, blocks + 1, block);
	curpage_cache_free_bulk(cache, blocks, (void **)block);
	REQUIRE(h->nr[CP_S2] == n);
	return h;
}

/* Have pages leave S2 until there are no more; returns how often that was tried. */
static unsigned int limit_all(struct cp_heap *h)
{
	unsigned int calls = 1;
	LIST_HEAD(release);

	while (cp_heap_limit_s2(h, 0, &release) && calls < 1000)
		calls++;
	cp_arena_give(&cp_arena, &release);
	return calls;
}

static void limit_pinned(const char *strategy, unsigned int n, unsigned int nr)
{
	struct curpage_cache *cache = damage_cache("pin", PAGE_SIZE, strategy, 0);
	u64 *block[DAMAGE_MOST];
	struct cp_heap *h = limit_heap(cache, n, block);
	struct cp_page *p = cp_page_of(virt_to_page(block[nr]));

	REQUIRE(cp_page_pin(p).pins);
	EXPECT(limit_all(h) <= n / CP_BATCH + 1);
	EXPECT(h->nr[CP_S2] == 1 && cp_page_heap(p) == h);
	EXPECT(!curpage_check());
	cp_page_unpin(p);
	limit_all(h);
	EXPECT(!h->nr[CP_S2]);
	curpage_cache_free(cache, block[n]);
	EXPECT(!curpage_cache_destroy(cache));
}

/* Of five pages a block of the first and of the third were written over. */
static void limit_damaged(const char *strategy)
{
	struct curpage_cache *cache = damage_cache("word", PAGE_SIZE / 2,
						   strategy, 0);
	u64 *block[11];
	struct cp_heap *h = limit_heap(cache, 5, block);
	unsigned long poison = cp_report_count(CP_BAD_POISON);
	unsigned long released = h->stat[CP_RELEASED];

	damage_lead(cache, block[0], U64_MAX);
	damage_lead(cache, block[4], U64_MAX);
	EXPECT(limit_all(h) == 1);
	EXPECT(!h->nr[CP_S2]);
	EXPECT(h->stat[CP_RELEASED] == released + 3);
	EXPECT(cp_report_count(CP_BAD_POISON) == poison + 2);
	EXPECT(!curpage_check());
	curpage_cache_free(cache, block[10]);
	EXPECT(!curpage_cache_destroy(cache));
	unit_lost_pages += 2;
}

static const char * const limit_strategies[] = { "mru", "first-fit", "random" };

static void limit_beside_pinned(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limit_strategies); i++) {
		limit_pinned(limit_strategies[i], 8, 0);
		limit_pinned(limit_strategies[i], 8, 7);
		limit_pinned(limit_strategies[i], 200, 0);
		limit_pinned(limit_strategies[i], 200, 100);
		limit_pinned(limit_strategies[i], 200, 199);
	}
}

static void limit_beside_damaged(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limit_strategies); i++)
		limit_damaged(limit_strategies[i]);
}

/* The shrinker is not told of pages that it cannot get. */
static void private_not_offered(void)
{
	struct curpage_cache *cache = damage_cache("own", PAGE_SIZE / 4, NULL,
						   CURPAGE_PRIVATE_PAGES);
	u64 *block[40];

	damage_alloc(cache, 40, block);
	curpage_cache_free_bulk(cache, 40, (void **)block);
	curpage_cache_shrink(cache);
	EXPECT(cache->side.nr[CP_S2] == 10);
	EXPECT(!cp_heap_empty(&cache->side) && !cp_heap_gains(&cache->side));
	EXPECT(!curpage_cache_destroy(cache));
}

/*
 * A free that nobody could tell from a right one makes the next allocation link a page
 * anew, with the heap claimed.
 */
static void relink_at_alloc(void)
{
	unsigned long doubles = cp_report_count(CP_BAD_DOUBLE);
	struct curpage_cache *cache;
	unsigned int i, capacity;
	struct cp_heap *h;
	u64 *block[DAMAGE_MOST];

	cp_harden_init(true, 0);
	cache = damage_cache("order", PAGE_SIZE / 4, NULL, 0);
	REQUIRE(cache->order);
	h = per_cpu_ptr(cache->heaps, 0);
	capacity = cache->capacity;
	damage_alloc(cache, 2 * capacity, block);
	/* As in an interrupt that lands while the heap of its CPU is taken. */
	h->claim.taken = 1;
	curpage_cache_free(cache, block[0]);
	h->claim.taken = 0;
	damage_lead(cache, block[0], U64_MAX);
	for (i = 0; i < capacity; i++)
		curpage_cache_free(cache, block[i]);
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == doubles);
	damage_alloc(cache, capacity, block);
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == doubles + 1);
	EXPECT(virt_to_page(block[0]) == virt_to_page(block[capacity - 1]));
	EXPECT(!curpage_check());
	curpage_cache_free_bulk(cache, 2 * capacity, (void **)block);
	EXPECT(lab_all_reports() == doubles + 1);
	EXPECT(!curpage_cache_destroy(cache));
	cp_harden_init(false, 0);
}

const struct unit_case unit_damage_cases[] = {
	{ "a live block on the list of a pool is not handed out", pool_live },
	{ "a pool that is given up leaves live blocks alone", pool_alone },
	{ "a cache at its end gives nobody a page with a live block",
	  destroy_with_live },
	{ "a cache with fewer live blocks than none can be destroyed",
	  destroy_below_0 },
	{ "pages leave beside one that is pinned", limit_beside_pinned },
	{ "pages leave beside damaged ones", limit_beside_damaged },
	{ "pages of a private cache are not offered to the shrinker",
	  private_not_offered },
	{ "a page is linked anew without a random number", relink_at_alloc },
	{ }
};
