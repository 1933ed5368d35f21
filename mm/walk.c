// SPDX-License-Identifier: GPL-2.0
/*
 * The walker: every invariant of every structure.  Heaps and the arena are
 * locked one at a time, so what must agree between them is only compared when
 * nothing has moved meanwhile.
 */
#include "kernel.h"
#include "internal.h"

static int cp_walk_cache(struct curpage_cache *cache, unsigned long *pages)
{
	int broken = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);
		unsigned long flags;

		spin_lock_irqsave(&h->lock, flags);
		broken += cp_heap_check(h);
		*pages += cp_heap_pages(h);
		spin_unlock_irqrestore(&h->lock, flags);
	}
	return broken;
}

static bool cp_walk_moved(const struct cp_arena_sum *a,
			  const struct cp_arena_sum *b)
{
	return a->stat[CP_TAKE] != b->stat[CP_TAKE] ||
	       a->stat[CP_GIVE] != b->stat[CP_GIVE];
}

/**
 * curpage_check - verify every structure of the allocator
 *
 * Process context.  Walks all pages and all free blocks, with interrupts off
 * for a heap at a time: for debugging and tests.
 *
 * Return: 0, or the number of broken invariants, each named in the log.
 */
int curpage_check(void)
{
	struct cp_arena_sum before, after;
	struct curpage_cache *cache;
	unsigned long pages = 0;
	int broken;

	mutex_lock(&cp_caches_lock);
	cp_arena_sum(&cp_arena, &before);
	broken = cp_arena_check(&cp_arena);
	list_for_each_entry(cache, &cp_caches, list)
		broken += cp_walk_cache(cache, &pages);
	cp_arena_sum(&cp_arena, &after);
	mutex_unlock(&cp_caches_lock);

	if (cp_walk_moved(&before, &after))
		return broken;
	if (pages != after.cache_pages)
		broken += cp_broken("arena: %lu pages in caches, counted %lu",
				    pages, after.cache_pages);
	return broken;
}
EXPORT_SYMBOL_GPL(curpage_check);
