// SPDX-License-Identifier: GPL-2.0
/* A million double frees, each of which has to be told at the second free. */
#include "unit.h"

#define DOUBLE_TOTAL	1000000
#define DOUBLE_LIVE	200

/* Where the block is when it is freed again. */
enum double_place {
	DOUBLE_CURRENT,
	DOUBLE_PARTIAL,
	DOUBLE_STACK,		/* freed elsewhere, not yet taken in */
	DOUBLE_EMPTY,
	DOUBLE_ARENA,
	DOUBLE_SYSTEM,
	DOUBLE_PLACES
};

static const char * const double_place_name[DOUBLE_PLACES] = {
	[DOUBLE_CURRENT] = "current page",
	[DOUBLE_PARTIAL] = "partly used page",
	[DOUBLE_STACK] = "page with blocks freed elsewhere",
	[DOUBLE_EMPTY] = "empty page of a heap",
	[DOUBLE_ARENA] = "page in the arena",
	[DOUBLE_SYSTEM] = "page gone to the system",
};

static unsigned long double_done[DOUBLE_PLACES][2];
static unsigned long double_told[DOUBLE_PLACES][2];

struct double_pool {
	struct curpage_cache *cache;
	void *block[DOUBLE_LIVE];
};

static enum double_place double_place(const struct curpage_cache *cache,
				      void *obj)
{
	struct cp_page *p = cp_page_of(virt_to_page(obj));

	if (!cp_page_ours(p))
		return DOUBLE_SYSTEM;
	if (cp_page_kind(p) != CP_CACHE)
		return DOUBLE_ARENA;
	if (p->word.nr_remote)
		return DOUBLE_STACK;
	if (p == p->heap->cur)
		return DOUBLE_CURRENT;
	return p->nr_free == cache->capacity ? DOUBLE_EMPTY : DOUBLE_PARTIAL;
}

/* By the owner, or as from elsewhere: the heap is taken meanwhile. */
static void double_free(struct curpage_cache *cache, void *obj, bool elsewhere)
{
	struct cp_heap *h = raw_cpu_ptr(cache->heaps);

	h->claim.taken = elsewhere;
	if (unit_random(2))
		curpage_cache_free(cache, obj);
	else
		curpage_free(obj);
	h->claim.taken = 0;
}

/* Free the last n blocks of the pool, or allocate them again. */
static void double_others(struct double_pool *pool, unsigned int n, bool alloc)
{
	unsigned int i;

	for (i = DOUBLE_LIVE - n; i < DOUBLE_LIVE; i++) {
		if (alloc)
			pool->block[i] = curpage_cache_alloc(pool->cache,
							     GFP_KERNEL);
		else
			double_free(pool->cache, pool->block[i],
				    !unit_random(4));
		REQUIRE(pool->block[i]);
	}
}

static void double_swap(struct double_pool *pool, unsigned int i,
			unsigned int j)
{
	void *block = pool->block[i];

	pool->block[i] = pool->block[j];
	pool->block[j] = block;
}

/* Free any block, then others, then the first one again. */
static void double_inject(struct double_pool *pool, unsigned int others)
{
	unsigned long doubles, foreign;
	bool elsewhere = unit_random(2);
	enum double_place place;
	unsigned int i;
	void *victim;

	for (i = DOUBLE_LIVE - others - 1; i < DOUBLE_LIVE; i++)
		double_swap(pool, i, unit_random(DOUBLE_LIVE));
	victim = pool->block[DOUBLE_LIVE - others - 1];
	double_free(pool->cache, victim, !unit_random(4));
	double_others(pool, others, false);

	place = double_place(pool->cache, victim);
	doubles = cp_report_count(CP_BAD_DOUBLE);
	foreign = cp_report_count(CP_BAD_FOREIGN);
	double_free(pool->cache, victim, elsewhere);
	double_done[place][elsewhere]++;
	double_told[place][elsewhere] +=
		cp_report_count(CP_BAD_DOUBLE) - doubles +
		(place == DOUBLE_SYSTEM) *
		(cp_report_count(CP_BAD_FOREIGN) - foreign);
	double_others(pool, others + 1, true);
}

static void double_round(unsigned int size, unsigned int others,
			 unsigned int keep, unsigned long n)
{
	struct double_pool pool;
	unsigned int i;

	pool.cache = curpage_cache_create("double", size, NULL);
	REQUIRE(pool.cache);
	pool.cache->keep = keep;
	for (i = 0; i < DOUBLE_LIVE; i++)
		pool.block[i] = curpage_cache_alloc(pool.cache, GFP_KERNEL);
	while (n--)
		double_inject(&pool, others);
	EXPECT(!curpage_check());
	EXPECT(cp_cache_live(pool.cache) == DOUBLE_LIVE);
	curpage_cache_free_bulk(pool.cache, DOUBLE_LIVE, pool.block);
	EXPECT(!curpage_cache_destroy(pool.cache));
}

/* The table of Documentation/reports.rst. */
static void double_print(void)
{
	enum double_place place;

	for (place = 0; place < DOUBLE_PLACES; place++) {
		printf("# %-34s %7lu of %7lu %7lu of %7lu\n",
		       double_place_name[place], double_told[place][0],
		       double_done[place][0], double_told[place][1],
		       double_done[place][1]);
		EXPECT(double_done[place][0] && double_done[place][1]);
		EXPECT(!memcmp(double_told[place], double_done[place],
			       sizeof(double_done[place])));
	}
}

static void double_million(void)
{
	static const unsigned int sizes[] = { 8, 16, 64, 1024 };
	static const unsigned int others[] = { 0, 1, 10, 100 };
	unsigned int i, j, keep;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (j = 0; j < ARRAY_SIZE(others); j++)
			for (keep = 0; keep < 2; keep++)
				double_round(sizes[i], others[j],
					     keep ? CP_KEEP_ALL : 0,
					     DOUBLE_TOTAL /
					     ARRAY_SIZE(sizes) /
					     ARRAY_SIZE(others) / 2);
	double_print();
}

const struct unit_case unit_double_cases[] = {
	{ "a million double frees are told", double_million },
	{ }
};
