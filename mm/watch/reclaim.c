// SPDX-License-Identifier: GPL-2.0
/*
 * The shrinker: under memory pressure, give back the empty pages of caches and
 * the free pages of the arena at once.  The kernel may call it from within an
 * allocation of curpage, and any task may wait for the result.  So it never
 * sleeps for a mutex: it only tries for cp_caches_lock and cp_borrow_lock.
 */
#include "base/kernel.h"
#include "cache/borrow.h"
#include "heap/remote.h"
#include "large/large.h"
#include "watch/watch.h"

static struct shrinker *cp_shrinker;

/* Estimate the empty pages of a heap.  The pages in its inbox count as one. */
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

	/* Racy read: the kernel asks for an estimate. */
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

/* Give up to @nr free pages of the arena back to the system. */
static unsigned long cp_shrink_arena(unsigned long nr)
{
	/* Racy read: a few pages more or less do no harm. */
	unsigned long free = data_race(cp_arena_free_pages(&cp_arena));

	return cp_arena_trim(&cp_arena, cp_up_to(free, nr));
}

/*
 * Empty heaps and stocks of some CPUs until *@pages is at least @nr.
 *
 * Return: true if these CPUs have nothing more to give and *@pages is less than
 * @nr.
 */
static bool cp_shrink_cpus(enum cp_round_cpus cpus, unsigned long nr,
			   unsigned long *pages)
{
	struct cp_round r = {
		.cpus = cpus, .try = true, .next = CP_SIDE,
		.heap = cp_heap_gains, .stock = cp_stock_any,
		.some = cp_drain_some,
	};

	while (*pages < nr) {
		if (!cp_round_step(&r, pages))
			return r.next >= nr_cpu_ids;
		*pages += cp_shrink_arena(cp_up_to(nr, *pages));
	}
	return false;
}

/*
 * Give back @nr pages, or as many as there are.  First comes what interrupts no
 * CPU, then all CPUs but the isolated ones, and the isolated CPUs only if it is
 * still not enough.  Never sleeps for a mutex: heaps that another task borrows
 * are left alone.
 *
 * Return: the pages that went back to the system.
 */
unsigned long cp_reclaim(unsigned long nr)
{
	unsigned long pages = cp_shrink_arena(nr);

	if (pages < nr) {
		pages += cp_fit_drain();
		pages += cp_shrink_arena(cp_up_to(nr, pages));
	}
	if (pages >= nr || !mutex_trylock(&cp_caches_lock))
		return pages;
	if (cp_shrink_cpus(CP_HOUSEKEEPING, nr, &pages))
		cp_shrink_cpus(CP_ISOLATED, nr, &pages);
	mutex_unlock(&cp_caches_lock);
	return pages;
}

static unsigned long cp_shrink_scan(struct shrinker *s,
				    struct shrink_control *sc)
{
	return cp_reclaim(sc->nr_to_scan) ?: SHRINK_STOP;
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
