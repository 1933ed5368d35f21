// SPDX-License-Identifier: GPL-2.0
/* What the rest of the kernel sees of the allocator, and asks of it. */
#include "unit.h"

/* Pages of an item over all nodes; the arena has told all that it has to. */
static long system_pages(enum node_stat_item item)
{
	struct cp_arena_sum sum;
	long all = 0;
	int node;

	cp_arena_sum(&cp_arena, &sum, NULL);
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

const struct unit_case unit_system_cases[] = {
	{ "vmstat counts pages by node", vmstat_nodes },
	{ "vmstat counts pages in use and free ones", vmstat_load },
	{ "the same, caches and callers apart", vmstat_load, .apart = true },
	{ "vmstat counts pages of a reclaimable cache", vmstat_reclaimable },
	{ }
};
