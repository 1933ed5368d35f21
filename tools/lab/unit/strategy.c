// SPDX-License-Identifier: GPL-2.0
/* Strategies: the tree, every row of the table, and changes from one to another. */
#include "unit.h"

#define UNIT_PAGES	600
#define UNIT_STEPS	20000
#define UNIT_LIVE	3000

/* Pages of a tree, and what they should weigh; 0 for those not in it. */
struct forest {
	struct cp_tree tree;
	struct cp_page *page[UNIT_PAGES];	/* by address */
	unsigned int weight[UNIT_PAGES];
	unsigned long total;
};

static unsigned int forest_weight(const struct cp_page *p)
{
	return p->nr_free;
}

static int forest_compare(const void *a, const void *b)
{
	const struct cp_page *p = *(struct cp_page * const *)a;
	const struct cp_page *q = *(struct cp_page * const *)b;

	return p < q ? -1 : p > q;
}

/* The walk in order, both ends, and each weight as often as it should be. */
static void forest_check(struct forest *f)
{
	static unsigned int picked[UNIT_PAGES];
	struct cp_page *p = NULL, *first = NULL, *last = NULL;
	unsigned long i, k;

	for (i = 0; i < UNIT_PAGES; i++) {
		picked[i] = 0;
		if (!f->weight[i])
			continue;
		p = p ? cp_tree_next(&f->tree, p) :
			cp_tree_end(&f->tree, false);
		REQUIRE(p == f->page[i]);
		first = first ?: p;
		last = p;
	}
	EXPECT(!p || !cp_tree_next(&f->tree, p));
	EXPECT(cp_tree_end(&f->tree, false) == first);
	EXPECT(cp_tree_end(&f->tree, true) == last);
	EXPECT(cp_tree_weight(&f->tree) == f->total);
	for (k = 0; k < f->total; k++) {
		p = cp_tree_select(&f->tree, k);
		for (i = 0; f->page[i] != p; i++)
			;
		picked[i]++;
	}
	for (i = 0; i < UNIT_PAGES; i++)
		EXPECT(picked[i] == f->weight[i]);
	EXPECT(!cp_tree_check(&f->tree, forest_weight));
}

static void unit_tree(void)
{
	static struct forest f;
	unsigned int step, i;

	for (i = 0; i < UNIT_PAGES; i++) {
		f.page[i] = cp_arena_take(&cp_arena, GFP_KERNEL, 0, CP_CACHE);
		REQUIRE(f.page[i]);
	}
	qsort(f.page, UNIT_PAGES, sizeof(f.page[0]), forest_compare);
	for (step = 0; step < UNIT_STEPS; step++) {
		/* Full and nearly empty by turns. */
		bool more = unit_random(10) < (step / 3000 % 2 ? 2 : 8);

		i = unit_random(UNIT_PAGES);
		if (!f.weight[i] && more) {
			f.weight[i] = 1 + unit_random(5);
			f.page[i]->nr_free = f.weight[i];
			cp_tree_add(&f.tree, f.page[i], f.weight[i]);
			f.total += f.weight[i];
		} else if (f.weight[i] && !more) {
			cp_tree_del(&f.tree, f.page[i]);
			f.total -= f.weight[i];
			f.weight[i] = 0;
		}
		if (!(step % 500))
			forest_check(&f);
	}
	for (i = 0; i < UNIT_PAGES; i++) {
		LIST_HEAD(release);

		if (f.weight[i])
			cp_tree_del(&f.tree, f.page[i]);
		list_add(&f.page[i]->list, &release);
		cp_arena_give(&cp_arena, &release);
	}
	EXPECT(!f.tree.root);
}

/* Blocks of a cache, each full of a byte of its own. */
struct herd {
	struct curpage_cache *cache;
	u8 *block[UNIT_LIVE];
	u8 fill[UNIT_LIVE];
	unsigned int nr;
};

static void herd_add(struct herd *h, void *block)
{
	REQUIRE(block);
	/* What was its word is wiped, too. */
	if (lab.init_on_free && !(h->cache->flags & CURPAGE_CHECK))
		EXPECT(!memchr_inv(block, 0, min_t(size_t, h->cache->size,
							CP_WORD_SIZE)));
	h->fill[h->nr] = unit_random(256);
	memset(block, h->fill[h->nr], h->cache->size);
	h->block[h->nr++] = block;
}

static void *herd_take(struct herd *h, unsigned int i)
{
	u8 *block = h->block[i];

	REQUIRE(!memchr_inv(block, h->fill[i], h->cache->size));
	h->block[i] = h->block[--h->nr];
	h->fill[i] = h->fill[h->nr];
	return block;
}

static void herd_alloc(struct herd *h)
{
	herd_add(h, curpage_cache_alloc(h->cache, GFP_KERNEL));
}

static void herd_alloc_bulk(struct herd *h)
{
	void *blocks[16];
	unsigned int i;

	REQUIRE(curpage_cache_alloc_bulk(h->cache, GFP_KERNEL,
					 ARRAY_SIZE(blocks), blocks));
	for (i = 0; i < ARRAY_SIZE(blocks); i++)
		herd_add(h, blocks[i]);
}

/* Some frees come while the heap is taken, as from another CPU. */
static void herd_free(struct herd *h, unsigned int i)
{
	struct cp_claim *claim = &per_cpu_ptr(h->cache->heaps, 0)->claim;
	void *block = herd_take(h, i);

	claim->taken = !unit_random(5);
	if (unit_random(2))
		curpage_cache_free(h->cache, block);
	else
		curpage_free(block);
	claim->taken = 0;
}

/* The last ones together, some of them of one page. */
static void herd_free_bulk(struct herd *h)
{
	void *blocks[16];
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(blocks) && h->nr; n++)
		blocks[n] = herd_take(h, h->nr - 1);
	curpage_cache_free_bulk(h->cache, n, blocks);
}

static void herd_step(struct herd *h, unsigned int target)
{
	bool more = unit_random(10) < (h->nr < target ? 7 : 3);

	if (!h->nr || (more && h->nr < UNIT_LIVE - 16))
		unit_random(20) ? herd_alloc(h) : herd_alloc_bulk(h);
	else if (unit_random(20))
		herd_free(h, unit_random(h->nr));
	else
		herd_free_bulk(h);
}

static void herd_make(struct herd *h, unsigned int size, unsigned int flags,
		      const char *strategy)
{
	struct curpage_cache_args args = {
		.strategy = strategy, .flags = flags,
	};

	*h = (struct herd){ .cache = curpage_cache_create("herd", size, &args) };
	REQUIRE(h->cache);
}

static void herd_end(struct herd *h)
{
	while (h->nr)
		herd_free(h, h->nr - 1);
	EXPECT(!curpage_check());
	EXPECT(!curpage_cache_destroy(h->cache));
}

/* Each strategy alone, with and without red zones, shrunk from time to time. */
static void unit_rows(void)
{
	static const unsigned int sizes[] = { 8, 64, 272, 2048, 4096 };
	unsigned int row, i, step;
	static struct herd h;

	for (row = 0; row < CP_NR_STRATEGIES; row++) {
		for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
			unsigned int size = sizes[i / 2];

			if (size >= PAGE_SIZE && i % 2)
				continue;
			herd_make(&h, min(size, (unsigned int)PAGE_SIZE),
				  i % 2 ? CURPAGE_CHECK : 0,
				  cp_strategies[row]->name);
			for (step = 0; step < UNIT_STEPS / 4; step++) {
				herd_step(&h, step / 1000 % 2 ? 50 : 1000);
				if (step % 700 == 699)
					curpage_cache_shrink(h.cache);
				if (step % 500 == 499)
					REQUIRE(!curpage_check());
			}
			herd_end(&h);
		}
	}
}

static void unit_rows_wiped(void)
{
	lab.init_on_free = true;
	unit_rows();
}

/* From any to any other, with any tolerance, in use: nothing is lost. */
static void unit_changes(void)
{
	static struct herd h;
	unsigned int step;

	herd_make(&h, 64, 0, "mru");
	for (step = 0; step < UNIT_STEPS; step++) {
		herd_step(&h, step / 2000 % 2 ? 300 : 2500);
		if (step % 50)
			continue;
		REQUIRE(!cp_cache_retune(h.cache,
			cp_strategies[unit_random(CP_NR_STRATEGIES)],
			unit_random(2) ? unit_random(PAGE_SIZE) : 0));
		REQUIRE(!curpage_check());
		if (!unit_random(10))
			curpage_cache_shrink(h.cache);
	}
	EXPECT(h.cache->heaps->stat[CP_LOST] == 0);
	herd_end(&h);
}

/*
 * The pages of a heap go over to another one, more than a batch of them, whatever
 * the strategy; none of them looks like the tail of a compound page.
 */
static void unit_adoption(void)
{
	unsigned int row, i;

	for (row = 0; row < CP_NR_STRATEGIES; row++) {
		const struct cp_strategy *strategy = cp_strategies[row];
		static struct cp_heap other;
		static struct herd h;
		void *state;

		herd_make(&h, 256, 0, strategy->name);
		while (h.nr < UNIT_LIVE)
			herd_alloc(&h);
		for (i = 0; i < UNIT_LIVE / 2; i++)
			herd_free(&h, unit_random(h.nr));
		for (i = 0; i < h.nr; i++)
			EXPECT(!(virt_to_page(h.block[i])->lru.next &&
				 (unsigned long)virt_to_page(h.block[i])->lru.next & 1));
		cp_heap_init(&other, h.cache, 0, &cp_strategy_mru, 1);
		state = kzalloc(max(cp_strategy_state_size(strategy, h.cache),
				    (size_t)8), GFP_KERNEL);
		EXPECT(!cp_heap_retune(&other, strategy, 1, state));
		while (cp_heap_adopt(&other, h.cache->heaps))
			;
		/* The walker does not know of the other one. */
		mutex_lock(&cp_caches_lock);
		REQUIRE(!cp_heap_check(h.cache->heaps));
		REQUIRE(!cp_heap_check(&other));
		mutex_unlock(&cp_caches_lock);
		EXPECT(cp_heap_pages(&other) >= h.nr / 16);
		/* And back, so that the cache can end. */
		while (cp_heap_adopt(h.cache->heaps, &other))
			;
		kfree(state);
		herd_end(&h);
	}
}

/* Without memory for it a strategy does not come, and nothing changes. */
static void unit_change_fails(void)
{
	static struct herd h;
	unsigned int i;

	herd_make(&h, 64, 0, "least-free");
	for (i = 0; i < 500; i++)
		herd_alloc(&h);
	for (i = 0; i < 200; i++)
		herd_free(&h, unit_random(h.nr));
	for (i = 0; i < 2; i++) {
		lab.objects_left = i;
		EXPECT(cp_cache_retune(h.cache, &cp_strategy_random, 100) ==
		       -ENOMEM);
		lab.objects_left = ULONG_MAX;
		EXPECT(h.cache->strategy == &cp_strategy_least_free);
		EXPECT(h.cache->freetol == 1);
		EXPECT(!curpage_check());
	}
	herd_end(&h);
}

/*
 * A link of the pool that was written over is not followed, and is told: three
 * blocks are freed, one is written to, and blocks are taken until it was reached.
 */
static void unit_pool_damage(const char *strategy, unsigned int damaged)
{
	struct herd h;
	void *block[3];
	unsigned int i;

	herd_make(&h, 64, 0, strategy);
	for (i = 0; i < 3 * PAGE_SIZE / 64; i++)
		herd_alloc(&h);
	for (i = 0; i < 3; i++) {
		block[i] = h.block[50 * i];
		curpage_cache_free(h.cache, block[i]);
	}
	memset(block[damaged], 0xdd, CP_WORD_SIZE);
	EXPECT(curpage_cache_alloc(h.cache, GFP_KERNEL));
	EXPECT(atomic_read(cp_cache_bad(h.cache, CP_BAD_POISON)) == 1);
	EXPECT(h.cache->heaps->stat[CP_LOST] == 3);
	EXPECT(!curpage_check());
	/* None of them is seen again. */
	for (i = 0; i < 200; i++) {
		void *other = curpage_cache_alloc(h.cache, GFP_KERNEL);

		EXPECT(other && other != block[0] && other != block[1] &&
		       other != block[2]);
	}
	EXPECT(!curpage_check());
	exit(unit_failures ? 1 : 0);	/* what is lost stays lost */
}

static void unit_stack_damage(void)
{
	unit_pool_damage("stack", 2);
}

static void unit_queue_damage(void)
{
	unit_pool_damage("queue", 0);
}

/* The last block of a pool was written over, and no block was freed twice. */
static void unit_pool_last(void)
{
	struct herd h;
	unsigned int i;

	herd_make(&h, 64, 0, "stack");
	for (i = 0; i < PAGE_SIZE / 64; i++)
		herd_alloc(&h);
	curpage_cache_free(h.cache, h.block[0]);
	*(u8 *)h.block[0] ^= 0x80;
	EXPECT(curpage_cache_alloc(h.cache, GFP_KERNEL));
	EXPECT(atomic_read(cp_cache_bad(h.cache, CP_BAD_POISON)) == 1);
	EXPECT(!atomic_read(cp_cache_bad(h.cache, CP_BAD_DOUBLE)));
	EXPECT(!curpage_check());
	exit(unit_failures ? 1 : 0);
}

/* Two pages; four blocks of the first one are free, on its list. */
static void herd_make_listed(struct herd *h)
{
	unsigned int i;

	herd_make(h, 64, 0, "mru");
	for (i = 0; i < 2 * PAGE_SIZE / 64; i++)
		herd_alloc(h);
	for (i = 0; i < 4; i++)
		curpage_cache_free(h->cache, h->block[i]);
}

/* A free list was broken when its blocks went to a pool. */
static void unit_pool_begins(void)
{
	struct cp_cache_sum sum;
	struct herd h;
	unsigned int i;

	herd_make_listed(&h);
	memset(h.block[2], 0xdd, 64);
	EXPECT(!cp_cache_retune(h.cache, cp_strategy_find("stack"), 0));
	EXPECT(atomic_read(cp_cache_bad(h.cache, CP_BAD_POISON)) == 1);
	EXPECT(!curpage_check());
	/* What was free on the page is lost. */
	for (i = 0; i < 4; i++)
		EXPECT((u8 *)curpage_cache_alloc(h.cache, GFP_KERNEL) >
		       (u8 *)h.block[PAGE_SIZE / 64]);
	cp_cache_get_sum(h.cache, &sum);
	EXPECT(sum.stat[CP_LOST] == 4);
	exit(unit_failures ? 1 : 0);
}

/* A free list that was bent to a ring has the right number of blocks, and no end. */
static void unit_pool_ring(void)
{
	struct herd h;

	herd_make_listed(&h);
	cp_word_seal(h.cache, (u64 *)h.block[1], 3);
	EXPECT(!cp_cache_retune(h.cache, cp_strategy_find("stack"), 0));
	EXPECT(atomic_read(cp_cache_bad(h.cache, CP_BAD_POISON)) == 1);
	EXPECT(!curpage_check());
	exit(unit_failures ? 1 : 0);
}

const struct unit_case unit_strategy_cases[] = {
	{ "strategies: the tree against a sorted array", unit_tree },
	{ "strategies: every row under a random load", unit_rows },
	{ "strategies: every row, wiped when it is freed", unit_rows_wiped },
	{ "strategies: changed at random under a load", unit_changes },
	{ "strategies: every row hands its pages over", unit_adoption },
	{ "strategies: no memory for a change", unit_change_fails },
	{ "strategies: a damaged link of a stack", unit_stack_damage },
	{ "strategies: a damaged link of a queue", unit_queue_damage },
	{ "strategies: a damaged link at the end of a pool", unit_pool_last },
	{ "strategies: a damaged link when a pool begins", unit_pool_begins },
	{ "strategies: a ring when a pool begins", unit_pool_ring },
	{ }
};
