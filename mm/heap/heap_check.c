// SPDX-License-Identifier: GPL-2.0
/* Check a heap for the walker: every page, every free block, every counter. */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/debug.h"

struct cp_heap_walk {
	u32 occupancy[CP_OCC_BUCKETS];
	unsigned long taken;
	int broken;
};

/*
 * Check a page.  Remote frees are not walked: more of them come at any time.
 *
 * Return: false for a page that nothing more can be said of.
 */
static bool cp_heap_check_page(struct cp_heap *h, struct cp_page *p,
			       unsigned int top, unsigned int nr_free,
			       struct cp_heap_walk *w)
{
	static DECLARE_BITMAP(seen, CP_CAPACITY_MAX);	/* cp_caches_lock */
	struct curpage_cache *cache = h->cache;

	if (!cp_page_ours(p) || cp_page_kind(p) < CP_CACHE || p->heap != h ||
	    nr_free > cache->capacity) {
		w->broken += cp_broken("cache %s, pfn %lu: not a page of this heap",
				       cache->name, cp_page_pfn(p));
		return false;
	}
	bitmap_zero(seen, cache->capacity);
	/* The strategy checks the free blocks of a pool. */
	if (!cp_heap_has(h, CP_POOLED))
		w->broken += cp_block_check(cache, p, top, nr_free, seen);
	w->broken += cp_debug_check_page(cache, p, seen);
	w->taken += cache->capacity - nr_free;
	return true;
}

static void cp_heap_check_current(struct cp_heap *h, struct cp_heap_walk *w)
{
	struct cp_page *p = h->cur;
	bool dry = h->claim.closed & CP_CLOSED_DRY;
	bool none = h->free == CP_NIL;

	if (dry != none)
		w->broken += cp_broken("cache %s: the heap is %s and said not to be",
				       h->cache->name, dry ? "not dry" : "dry");
	if (!p)
		return;
	if (!cp_heap_check_page(h, p, h->free,
				h->cache->capacity - cp_heap_taken(h), w))
		return;
	w->taken -= p->nr_free;
	if (h->base != cp_page_base(p) || cp_heap_has(h, CP_BY_BLOCK) ||
	    (!cp_heap_has(h, CP_ONE_WAY) &&
	     (p->free != CP_NIL || p->nr_free)))
		w->broken += cp_broken("cache %s, pfn %lu: not as a current page has to be",
				       h->cache->name, cp_page_pfn(p));
	else if (cp_heap_has(h, CP_ONE_WAY))
		w->broken += cp_heap_check_aside(h, p);
}

static void cp_heap_check_set(struct cp_heap *h, enum cp_set set,
			      struct cp_heap_walk *w)
{
	unsigned long nr = 0;
	struct cp_page *p;

	for (p = cp_heap_next_page(h, set, NULL); p;
	     p = cp_heap_next_page(h, set, p)) {
		nr++;
		/* The list cannot be followed from a page of another heap. */
		if (!cp_heap_check_page(h, p, p->free, p->nr_free, w))
			return;
		if (p == h->cur || cp_heap_set_of(h, p->nr_free) != set)
			w->broken += cp_broken("cache %s, pfn %lu: %u free blocks in set %u",
					       h->cache->name, cp_page_pfn(p),
					       p->nr_free, set);
		else if (set != CP_S2)
			w->occupancy[(h->cache->capacity - p->nr_free) >>
				     h->cache->occ_shift]++;
	}
	if (nr != h->nr[set])
		w->broken += cp_broken("cache %s: %lu pages in set %u, counted %u",
				       h->cache->name, nr, set, h->nr[set]);
}

/*
 * Check every page of the heap and every free block on it.  Caller has the
 * heap's claim, or holds the lock of a side heap, and holds cp_caches_lock.
 *
 * Return: the number of broken invariants.
 */
int cp_heap_check(struct cp_heap *h)
{
	struct cp_heap_walk w = { };
	unsigned long taken;
	enum cp_set set;

	lockdep_assert_held(&cp_caches_lock);
	for (set = 0; set < CP_NR_SETS; set++)
		cp_heap_check_set(h, set, &w);
	cp_heap_check_current(h, &w);
	if (!w.broken && h->strategy->check)
		w.broken += h->strategy->check(h);
	taken = h->stat[CP_ALLOC] - cp_heap_freed_own(h) -
		h->stat[CP_COLLECTED] + h->stat[CP_LOST] + h->moved;
	if (w.taken != taken)
		w.broken += cp_broken("cache %s: %lu blocks taken, counted %lu",
				      h->cache->name, w.taken, taken);
	if (memcmp(w.occupancy, h->occupancy, sizeof(w.occupancy)))
		w.broken += cp_broken("cache %s: histogram of pages is off",
				      h->cache->name);
	return w.broken;
}
