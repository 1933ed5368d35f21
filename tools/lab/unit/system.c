// SPDX-License-Identifier: GPL-2.0
/* What the rest of the kernel sees of the allocator, and asks of it. */
#include "unit.h"

/* Pages of an item over all nodes; the arena has told all that it has to. */
static long system_pages(enum node_stat_item item)
{
	struct cp_arena_sum sum;
	long all = 0;
	int node;

	cp_arena_get_sum(&cp_arena, &sum, NULL);
	for (node = 0; node < LAB_NODES; node++)
		all += lab.nodes[node].stat[item];
	return item == NR_KERNEL_MISC_RECLAIMABLE ? all :
						    all / (long)PAGE_SIZE;
}

static void expect_pages(long reclaimable)
{
	EXPECT(system_pages(NR_SLAB_RECLAIMABLE_B) == reclaimable);
	EXPECT(system_pages(NR_SLAB_UNRECLAIMABLE_B) ==
	       cp_arena.cache_pages + cp_arena.block_pages - reclaimable);
	EXPECT(system_pages(NR_KERNEL_MISC_RECLAIMABLE) ==
	       cp_arena_free_pages(&cp_arena));
	EXPECT(!curpage_check());
}

/* Each page is counted on its own node, as the other one stays at 0. */
static void vmstat_nodes(void)
{
	static struct page *page[LAB_NODES * 1024];
	unsigned int i;

	cp_arena.chunk_order = 0;
	for (i = 0; i < ARRAY_SIZE(page); i++) {
		page[i] = curpage_alloc_pages(GFP_KERNEL, 0);
		REQUIRE(page[i]);
	}
	for (i = 0; i < ARRAY_SIZE(page); i++)
		if (page_to_nid(page[i]))
			curpage_free_pages(page[i], 0);
	cp_stock_drain();
	cp_arena_trim(&cp_arena, 0);
	EXPECT(!lab.nodes[1].stat[NR_SLAB_UNRECLAIMABLE_B]);
	EXPECT(lab.nodes[0].stat[NR_SLAB_UNRECLAIMABLE_B] ==
	       cp_arena.block_pages * PAGE_SIZE);
	for (i = 0; i < ARRAY_SIZE(page); i++)
		if (!page_to_nid(page[i]))
			curpage_free_pages(page[i], 0);
}

/* Pages in caches, page blocks, runs, and free ones, as they change. */
static void vmstat_load(void)
{
	void *block[200];
	unsigned int i, n;

	for (n = 0; n < 20; n++) {
		for (i = 0; i < ARRAY_SIZE(block); i++)
			block[i] = curpage_alloc(1 + i * n * 70, GFP_KERNEL);
		expect_pages(0);
		for (i = 0; i < ARRAY_SIZE(block); i++)
			curpage_free(block[i]);
		expect_pages(0);
	}
}

static void vmstat_reclaimable(void)
{
	struct curpage_cache_args args = { .flags = CURPAGE_RECLAIM_ACCOUNT };
	struct curpage_cache *cache;
	void *block[64];

	cache = curpage_cache_create("reclaimable", 1024, &args);
	REQUIRE(cache);
	EXPECT(curpage_cache_alloc_bulk(cache, GFP_KERNEL, 64, block) == 64);
	expect_pages(16);
	curpage_cache_free_bulk(cache, 60, block);
	curpage_cache_shrink(cache);
	expect_pages(1);
	curpage_cache_free_bulk(cache, 4, block + 60);
	EXPECT(!curpage_cache_destroy(cache));
	expect_pages(0);
}

#define SYSTEM_BOUND	64

/* More than the bound, by every way; with less than the bound all is well again. */
static void nofail(void)
{
	static const size_t sizes[] = { 64, 1000, 1500, 5000, 70000 };
	struct curpage_cache *cache = curpage_cache_create("bulk", 4096, NULL);
	void *block[6 * 100], *bulk[SYSTEM_BOUND];
	gfp_t gfp = GFP_KERNEL | __GFP_NOFAIL;
	unsigned int i, way;

	REQUIRE(cache);
	for (i = 0; i < ARRAY_SIZE(block); i++) {
		way = i % 6;
		block[i] = way < 5 ? curpage_alloc(sizes[way], gfp) :
				     page_address(curpage_alloc_pages(gfp, 1));
		REQUIRE(block[i]);
		EXPECT(!curpage_check());
	}
	EXPECT(curpage_cache_alloc_bulk(cache, gfp, SYSTEM_BOUND, bulk));
	EXPECT(cp_arena.held > SYSTEM_BOUND);
	EXPECT(cp_arena.stat[CP_BEYOND_BOUND] > 100);
	EXPECT(!curpage_alloc(70000, GFP_KERNEL) && !curpage_check());
	curpage_cache_free_bulk(cache, SYSTEM_BOUND, bulk);
	for (i = 0; i < ARRAY_SIZE(block); i++) {
		curpage_free(block[i]);
		EXPECT(!curpage_check());
	}
	curpage_cache_shrink(cache);
	EXPECT(!curpage_cache_destroy(cache));
	cp_fit_drain();
	EXPECT(cp_arena.held <= SYSTEM_BOUND && !cp_arena.beyond);
	block[0] = curpage_alloc_pages(GFP_KERNEL, 5);
	EXPECT(block[0] && !curpage_check());
	curpage_free_pages(block[0], 5);
}

/* What is in stock serves before the bound is passed. */
static void nofail_stock(void)
{
	struct page *page[SYSTEM_BOUND], *block;
	unsigned int i;

	cp_stock_limit[0] = 4;
	for (i = 0; i < ARRAY_SIZE(page); i++) {
		page[i] = curpage_alloc_pages(GFP_KERNEL, 0);
		REQUIRE(page[i]);
	}
	for (i = 0; i < 4; i++)
		curpage_free_pages(page[i], 0);
	block = curpage_alloc_pages(GFP_KERNEL | __GFP_NOFAIL, 2);
	EXPECT(block && !cp_arena.stat[CP_BEYOND_BOUND]);
	curpage_free_pages(block, 2);
	for (i = 4; i < ARRAY_SIZE(page); i++)
		curpage_free_pages(page[i], 0);
	cp_stock_drain();
}

/* Free pages that the rule would keep go back, as long as held is past the bound. */
static void nofail_returns_free_pages(void)
{
	struct page *page[SYSTEM_BOUND / 8], *more;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(page); i++) {
		page[i] = curpage_alloc_pages(GFP_KERNEL, 3);
		REQUIRE(page[i]);
	}
	cp_stock_drain();
	cp_arena.max_pages = cp_arena.held;
	more = curpage_alloc_pages(GFP_KERNEL | __GFP_NOFAIL, 2);
	EXPECT(more && cp_arena.beyond);
	for (i = 0; i < ARRAY_SIZE(page); i++) {
		curpage_free_pages(page[i], 3);
		cp_stock_drain();
		EXPECT(cp_arena.held <= cp_arena.max_pages);
	}
	EXPECT(!cp_arena.beyond && !curpage_check());
	curpage_free_pages(more, 2);
}

/* Flags that mean nothing for memory that is handed out again: lab.c asserts. */
static void flags_are_dropped(void)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ACCOUNT | __GFP_RECLAIMABLE |
		    __GFP_MOVABLE | __GFP_HIGHMEM | __GFP_COMP;
	static const size_t sizes[] = { 64, 1500, 5000, 70000 };
	struct page *page = curpage_alloc_pages(gfp, 2);
	unsigned int i;

	EXPECT(page);
	curpage_free_pages(page, 2);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *block = curpage_alloc(sizes[i], gfp);

		EXPECT(block);
		curpage_free(block);
	}
	EXPECT(!lab.messages);
	EXPECT(!curpage_alloc_pages(GFP_KERNEL | __GFP_DMA32, 0));
	EXPECT(lab.messages == 1);
}

/* As get_page() and put_page(). */
static void get(struct page *page)
{
	page->_refcount.counter++;
}

/* Page blocks that are referenced, by the first or the last page. */
static void referenced_block(unsigned int order, unsigned int nr)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, order);
	unsigned long lent = lab.pages_lent;
	char *data;

	REQUIRE(page);
	data = page_address(page + nr);
	*data = 'x';
	get(page + nr);
	curpage_free_pages(page, order);
	EXPECT(!curpage_check() && !lab.messages);
	EXPECT(*data == 'x' && !page[nr].private && page[nr]._refcount.counter == 1);
	EXPECT(lab.pages_lent <= lent - (1UL << order) + 1);
	EXPECT(cp_arena.stat[CP_EXPELLED_PAGES] >= 1UL << order);
	/* Nobody gets it while it is referenced. */
	cp_arena_trim(&cp_arena, 0);
	EXPECT(lab.pages_lent == cp_arena.held + 1);
	__free_page(page + nr);
	EXPECT(lab.pages_lent == cp_arena.held);
}

static void referenced_blocks(void)
{
	unsigned int order;

	cp_stock_init(16);
	lab.init_on_free = true;
	for (order = 0; order < CP_NR_ORDERS; order++) {
		referenced_block(order, 0);
		referenced_block(order, (1U << order) - 1);
	}
	cp_stock_drain();
}

/* A page of a cache that somebody holds: reported, and free when it is put. */
static void referenced_cache_page(void)
{
	struct curpage_cache *cache = curpage_cache_create("held", 1024, NULL);
	struct page *page;
	void *block;

	REQUIRE(cache);
	block = curpage_cache_alloc(cache, GFP_KERNEL);
	REQUIRE(block);
	page = virt_to_page(block);
	get(page);
	curpage_cache_free(cache, block);
	EXPECT(!lab.messages);
	curpage_cache_shrink(cache);
	EXPECT(lab.messages == 1 && cp_report_count(CP_BAD_REFERENCED) == 1);
	EXPECT(page->_refcount.counter == 1 && !page->private && !curpage_check());
	EXPECT(lab.pages_lent == cp_arena.held + 1);
	__free_page(page);
	EXPECT(!curpage_cache_destroy(cache));
}

/* What kfree() does to a block: drop a reference to its page. */
static void put_cache_page(void)
{
	struct curpage_cache *cache = curpage_cache_create("put", 64, NULL);
	void *block[64];
	struct page *page;
	unsigned int i;

	REQUIRE(cache);
	EXPECT(curpage_cache_alloc_bulk(cache, GFP_KERNEL, 64, block) == 64);
	page = virt_to_page(block[0]);
	for (i = 0; i < 64; i++)
		EXPECT(virt_to_page(block[i]) == page);
	for (i = 0; i < 64; i++)
		__free_page(page);
	EXPECT(page->private && page->_refcount.counter > 0 && !curpage_check());
	curpage_cache_free_bulk(cache, 64, block);
	curpage_cache_shrink(cache);
	EXPECT(lab.messages == 1 && cp_report_count(CP_BAD_PUT) == 1);
	EXPECT(!page->private && page->_refcount.counter > 0 && !curpage_check());
	/* It is lost, and nobody else has it. */
	EXPECT(lab.pages_lent == cp_arena.held + 1);
	page->_refcount.counter = 1;
	__free_page(page);
	EXPECT(!curpage_cache_destroy(cache));
}

/* The same to a run of first fit, and to a page block. */
static void put_others(void)
{
	void *block = curpage_alloc(5000, GFP_KERNEL), *neighbour;
	struct page *page = virt_to_page(block);

	neighbour = curpage_alloc(5000, GFP_KERNEL);
	memset(neighbour, 0x5a, 5000);
	__free_page(page);
	EXPECT(page->private && !curpage_check());
	curpage_free(block);
	EXPECT(!memchr_inv(neighbour, 0x5a, 5000));
	curpage_free(neighbour);
	cp_fit_drain();
	EXPECT(cp_report_count(CP_BAD_PUT) == 1 && !curpage_check());
	cp_arena_trim(&cp_arena, 0);
	EXPECT(lab.pages_lent == cp_arena.held + 1);
	page->_refcount.counter = 1;
	__free_page(page);

	page = curpage_alloc_pages(GFP_KERNEL, 1);
	page[0]._refcount.counter = 0;
	curpage_free_pages(page, 1);
	EXPECT(cp_report_count(CP_BAD_PUT) == 2 && !curpage_check());
	page[0]._refcount.counter = 1;
	curpage_free_pages(page, 1);
}

#define SYSTEM_RESERVE	(GFP_ATOMIC | __GFP_MEMALLOC)

/* Only this request is served, and nothing of it stays behind. */
static void reserve_block(unsigned int order)
{
	struct page *page = curpage_alloc_pages(SYSTEM_RESERVE, order);

	EXPECT(page && page_is_pfmemalloc(page) && !curpage_check());
	EXPECT(cp_arena.held == 1UL << order);
	EXPECT(!curpage_alloc_pages(GFP_ATOMIC, 0) && !curpage_alloc(8, 0));
	EXPECT(curpage_ksize(page_address(page)) == PAGE_SIZE << order);
	curpage_free_pages(page, order + 1);
	EXPECT(cp_report_count(CP_BAD_ORDER) == order + 1);
	curpage_free_pages(page, order);
	EXPECT(!cp_arena.held && !lab.pages_lent && !curpage_check());
}

static void reserve_blocks(void)
{
	unsigned int order;

	cp_stock_init(16);
	lab.pages_left = 0;
	for (order = 0; order < CP_NR_ORDERS - 1; order++)
		reserve_block(order);
	lab.pages_left = ULONG_MAX;
}

/* Each request has a page of its own; ordinary ones get nothing of it. */
static void reserve_cache(const struct curpage_cache_args *args)
{
	struct curpage_cache *cache = curpage_cache_create("r", 64, args);
	struct curpage_cache *other = curpage_cache_create("o", 64, NULL);
	void *block[5], *more;
	unsigned int i;

	REQUIRE(cache && other);
	lab.pages_left = 0;
	EXPECT(curpage_cache_alloc_bulk(cache, SYSTEM_RESERVE, 4, block) == 4);
	lab.task.flags = PF_MEMALLOC;
	block[4] = curpage_cache_alloc(cache, GFP_ATOMIC | __GFP_ZERO);
	EXPECT(!curpage_cache_alloc(cache, GFP_ATOMIC | __GFP_NOMEMALLOC));
	lab.task.flags = 0;
	EXPECT(cp_arena.held == 5 && cp_cache_live(cache) == 5);
	EXPECT(!curpage_cache_alloc(cache, GFP_ATOMIC) && !curpage_check());
	lab.pages_left = ULONG_MAX;
	more = curpage_cache_alloc(cache, GFP_KERNEL);
	for (i = 0; i < 5; i++) {
		REQUIRE(block[i]);
		EXPECT(page_is_pfmemalloc(virt_to_page(block[i])));
		EXPECT(curpage_ksize(block[i]) == 64);
		EXPECT(virt_to_page(block[i]) != virt_to_page(more));
		memset(block[i], 0x11, 64);
	}
	curpage_cache_free(other, block[0]);
	EXPECT(cp_report_count(CP_BAD_CACHE) == 1);
	curpage_cache_free(cache, block[0] + 64);
	curpage_free_pages(virt_to_page(block[0]), 0);
	EXPECT(cp_report_count(CP_BAD_INSIDE) == 2 && lab.messages == 3);
	EXPECT(curpage_cache_destroy(cache) == -EBUSY);
	curpage_cache_free_bulk(cache, 3, block);
	curpage_free(block[3]);
	curpage_free(block[4]);
	EXPECT(cp_cache_live(cache) == 1 && lab.messages == 4);
	curpage_cache_free(cache, more);
	curpage_cache_shrink(cache);
	EXPECT(!curpage_cache_destroy(cache) && !lab.pages_lent);
	EXPECT(!curpage_cache_destroy(other) && !curpage_check());
}

static void reserve_caches(void)
{
	struct curpage_cache_args args = { };

	reserve_cache(&args);
}

static void reserve_checked(void)
{
	struct curpage_cache_args args = { .flags = CURPAGE_CHECK };

	reserve_cache(&args);
}

/* A page of the reserves goes back at once, and these caches' may not. */
static void reserve_none(void)
{
	static const unsigned int flags[] = {
		CURPAGE_PRIVATE_PAGES, CURPAGE_TYPESAFE_BY_RCU,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct curpage_cache_args args = { .flags = flags[i] };
		struct curpage_cache *cache = curpage_cache_create("n", 64, &args);
		void *block;

		REQUIRE(cache);
		lab.pages_left = 0;
		EXPECT(!curpage_cache_alloc(cache, SYSTEM_RESERVE));
		lab.task.flags = PF_MEMALLOC;
		EXPECT(!curpage_cache_alloc_bulk(cache, GFP_ATOMIC, 1, &block));
		lab.task.flags = 0;
		lab.pages_left = ULONG_MAX;
		block = curpage_cache_alloc(cache, SYSTEM_RESERVE);
		REQUIRE(block);
		EXPECT(!page_is_pfmemalloc(virt_to_page(block)));
		curpage_cache_free(cache, block);
		EXPECT(!curpage_cache_destroy(cache) && !curpage_check());
		cp_arena_trim(&cp_arena, 0);
	}
}

/* Runs are shared: what first fit would serve has pages of its own. */
static void reserve_sizes(void)
{
	static const size_t sizes[] = { 8, 1024, 1500, 5000, 20000, 70000 };
	unsigned int i;

	lab.pages_left = 0;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *block = curpage_alloc(sizes[i], SYSTEM_RESERVE);

		REQUIRE(block);
		EXPECT(page_is_pfmemalloc(virt_to_page(block)));
		EXPECT(!curpage_alloc(sizes[i], GFP_ATOMIC));
		curpage_free(block);
		EXPECT(!cp_arena.held && !curpage_check());
	}
	EXPECT(cp_arena.stat[CP_RESERVE_TAKEN] == ARRAY_SIZE(sizes));
	lab.pages_left = ULONG_MAX;
}

/* The bits that tell a tail page and a reserve, on each page of each heap. */
static void lru_is_clear(void)
{
	unsigned int row, i;

	for (row = 0; row < CP_NR_STRATEGIES; row++) {
		struct curpage_cache_args args = {
			.strategy = cp_strategies[row]->name,
		};
		struct curpage_cache *cache;
		void *block[2000];

		cache = curpage_cache_create("lru", 256, &args);
		REQUIRE(cache);
		EXPECT(curpage_cache_alloc_bulk(cache, GFP_KERNEL, 2000,
						block) == 2000);
		for (i = 0; i < 2000; i += 2)
			curpage_cache_free(cache, block[i * 7 % 2000]);
		for (i = 0; i < 2000; i++)
			EXPECT(!((unsigned long)virt_to_page(block[i])->lru.next
				 & 3));
		for (i = 1; i < 2000; i += 2)
			curpage_cache_free(cache, block[i]);
		EXPECT(!curpage_cache_destroy(cache));
	}
}

/* Numbers of pages have CP_NUMBER_BITS bits, not more. */
static void map_is_bounded(void)
{
	unsigned long most = (BIT(CP_NUMBER_BITS) - 1) << PAGE_SHIFT;
	unsigned long memory = lab_pages() << PAGE_SHIFT;

	EXPECT(!cp_page_init_map());
	lab.memory_beyond = most - memory;
	EXPECT(!cp_page_init_map() && !lab.messages);
	lab.memory_beyond += PAGE_SIZE;
	EXPECT(cp_page_init_map() == -E2BIG && lab.messages == 1);
	EXPECT(!strcmp(lab.said,
		       "curpage: 68719476736 pages in the linear map: must be less than 68719476736\n"));
}

const struct unit_case unit_system_cases[] = {
	{ "vmstat counts pages by node", vmstat_nodes },
	{ "vmstat counts pages in use and free ones", vmstat_load },
	{ "the same, caches and callers apart", vmstat_load, .apart = true },
	{ "vmstat counts pages of a reclaimable cache", vmstat_reclaimable },
	{ "__GFP_NOFAIL goes past the bound", nofail, SYSTEM_BOUND },
	{ "the same, caches and callers apart", nofail, SYSTEM_BOUND,
	  .apart = true },
	{ "past the bound free pages go back", nofail_returns_free_pages },
	{ "__GFP_NOFAIL takes what is in stock first", nofail_stock,
	  SYSTEM_BOUND },
	{ "flags for memory of one's own are dropped", flags_are_dropped },
	{ "referenced page blocks do not go round", referenced_blocks },
	{ "a referenced page of a cache does not go round",
	  referenced_cache_page },
	{ "a page of a cache that others have put stays whole",
	  put_cache_page },
	{ "so do runs and page blocks", put_others },
	{ "a page block of the reserves is no other request's",
	  reserve_blocks },
	{ "a block of a cache of the reserves has its page alone",
	  reserve_caches },
	{ "the same with red zones", reserve_checked },
	{ "nothing of the reserves goes to caches whose pages stay",
	  reserve_none },
	{ "nothing of the reserves goes to first fit", reserve_sizes },
	{ "the first bits of lru are clear under every strategy",
	  lru_is_clear },
	{ "a linear map that is too large is refused", map_is_bounded,
	  .bare = true },
	{ }
};
