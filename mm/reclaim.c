// SPDX-License-Identifier: GPL-2.0
/*
 * The shrinker: under memory pressure the empty pages of caches and the free
 * pages of the arena go back at once.  The kernel may call it from within an
 * allocation of ours, so it only tries for the list of caches.
 */
#include "kernel.h"
#include "internal.h"

static struct shrinker *cp_shrinker;

/* What is in an inbox may empty pages; one is assumed. */
static unsigned long cp_heap_gain(const struct cp_heap *h)
{
	return cp_heap_empty(h) + cp_remote_any(h);
}

static unsigned long cp_shrink_count(struct shrinker *s,
				     struct shrink_control *sc)
{
	struct curpage_cache *cache;
	unsigned long pages;
	int cpu;

	/* An estimate will do. */
	pages = data_race(cp_arena_free_pages(&cp_arena)) + cp_stock_pages() +
		cp_fit_empty_pages();

	if (!mutex_trylock(&cp_caches_lock))
		return pages ?: SHRINK_EMPTY;
	list_for_each_entry(cache, &cp_caches, list) {
		pages += cp_heap_gain(&cache->side);
		for_each_possible_cpu(cpu)
			pages += cp_heap_gain(per_cpu_ptr(cache->heaps, cpu));
	}
	mutex_unlock(&cp_caches_lock);
	return pages ?: SHRINK_EMPTY;
}

/* So many free pages of the arena. */
static unsigned long cp_shrink_arena(unsigned long nr)
{
	/* It may be a few more or less by the time. */
	unsigned long free = data_race(cp_arena_free_pages(&cp_arena));

	return cp_arena_trim(&cp_arena, cp_up_to(free, nr));
}

static unsigned long cp_shrink_scan(struct shrinker *s,
				    struct shrink_control *sc)
{
	struct curpage_cache *cache;
	unsigned long pages, drained;

	pages = cp_shrink_arena(sc->nr_to_scan);
	if (pages < sc->nr_to_scan) {
		pages += cp_stock_drain() + cp_fit_drain();
		pages += cp_shrink_arena(cp_up_to(sc->nr_to_scan, pages));
	}
	if (pages >= sc->nr_to_scan || !mutex_trylock(&cp_caches_lock))
		return pages ?: SHRINK_STOP;
	list_for_each_entry(cache, &cp_caches, list) {
		drained = cp_cache_drain(cache);
		pages += drained;
		pages += cp_shrink_arena(cp_up_to(sc->nr_to_scan, pages));
		if (pages >= sc->nr_to_scan)
			break;
	}
	mutex_unlock(&cp_caches_lock);
	return pages ?: SHRINK_STOP;
}

int cp_reclaim_init(void)
{
	cp_shrinker = cp_shrinker_register(cp_shrink_count, cp_shrink_scan);
	return cp_shrinker ? 0 : -ENOMEM;
}

void cp_reclaim_exit(void)
{
	cp_shrinker_unregister(cp_shrinker);
}
