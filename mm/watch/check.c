// SPDX-License-Identifier: GPL-2.0
/*
 * The walker: check every invariant of every structure.  It borrows one heap at
 * a time, or locks the arena.  So figures that must agree between them are read
 * again until they do, or until it is clear that pages keep moving.
 */
#include "base/kernel.h"
#include "cache/borrow.h"
#include "large/large.h"

#define CP_WALK_TRIES	20

static void cp_walk_heap(struct cp_heap *h, void *broken)
{
	*(int *)broken += cp_heap_check(h);
}

static unsigned long cp_walk_count(void)
{
	struct curpage_cache *cache;
	unsigned long pages = 0;
	int cpu;

	list_for_each_entry(cache, &cp_caches, list) {
		pages += cp_heap_pages(&cache->side);
		for_each_possible_cpu(cpu)
			pages += cp_heap_pages(per_cpu_ptr(cache->heaps, cpu));
	}
	return pages;
}

/* Check that the heaps have the pages that the arena counts in caches. */
static int cp_walk_pages(void)
{
	struct cp_arena_sum before, after;
	unsigned long pages;
	int try;

	for (try = 0; try < CP_WALK_TRIES; try++) {
		/* Wait for CPUs that were moving a page. */
		if (try)
			synchronize_rcu();
		cp_arena_get_sum(&cp_arena, &before, NULL);
		pages = cp_walk_count() + atomic_long_read(&cp_arena.loose);
		cp_arena_get_sum(&cp_arena, &after, NULL);
		if (pages == before.cache_pages && pages == after.cache_pages)
			return 0;
	}
	/* Pages keep moving: the counts cannot be compared. */
	if (before.stat[CP_TAKE] != after.stat[CP_TAKE] ||
	    before.stat[CP_GIVE] != after.stat[CP_GIVE])
		return 0;
	return cp_broken("arena: %lu pages in caches, counted %lu", pages,
			 after.cache_pages);
}

/**
 * curpage_check - verify every structure of the allocator
 *
 * Walks all pages and all free blocks, for debugging and tests.  While a heap
 * is walked, its CPU allocates from other heaps.  Called in process context.
 *
 * Return: 0, or the number of broken invariants, each named in the log.
 */
int curpage_check(void)
{
	struct curpage_cache *cache;
	int broken;

	mutex_lock(&cp_caches_lock);
	broken = cp_arena_check(&cp_arena) + cp_fit_check();
	list_for_each_entry(cache, &cp_caches, list)
		cp_cache_each_heap(cache, cp_walk_heap, &broken);
	broken += cp_walk_pages();
	mutex_unlock(&cp_caches_lock);
	return broken;
}
EXPORT_SYMBOL_GPL(curpage_check);
