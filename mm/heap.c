// SPDX-License-Identifier: GPL-2.0
/*
 * A heap: the pages that one CPU owns in a cache, in Brent's sets (1984,
 * sections 2.7 and 4).
 *
 *	the current page	blocks come from it while it has one
 *	CP_S3	at least phi0 blocks free and one live; the strategy picks
 *		the next current page here
 *	CP_S2	no block live; a stack, taken from when S3 is empty
 *	CP_LOW	the rest: S4, and pages with fewer than phi0 free blocks,
 *		which Brent keeps on one list
 *
 * S1, pages never used, is the arena.  A block freed into the current page
 * does not move it.  Which list a page is on follows from its number of free
 * blocks and from being current or not, so nothing else says so.
 *
 * All of this runs under the heap's lock.  A page that leaves goes on the
 * caller's list, to be given to the arena when the lock is dropped.
 */
#include "kernel.h"
#include "internal.h"

void cp_heap_init(struct cp_heap *h, struct curpage_cache *cache,
		  const struct cp_strategy *strategy, unsigned int phi0)
{
	enum cp_set set;

	memset(h, 0, sizeof(*h));
	spin_lock_init(&h->lock);
	h->cache = cache;
	h->strategy = strategy;
	h->phi0 = phi0;
	for (set = 0; set < CP_NR_SETS; set++)
		INIT_LIST_HEAD(&h->set[set]);
}

static unsigned int cp_heap_live(const struct cp_heap *h,
				 const struct cp_page *p)
{
	return h->cache->capacity - p->nr_free;
}

/* Pages on a list are counted by their live blocks; the current one is not. */
static unsigned int cp_heap_bucket(const struct cp_heap *h, unsigned int live)
{
	return live >> h->cache->occ_shift;
}

static enum cp_set cp_heap_set_of(const struct cp_heap *h,
				  unsigned int nr_free)
{
	if (nr_free == h->cache->capacity)
		return CP_S2;
	return nr_free >= h->phi0 ? CP_S3 : CP_LOW;
}

static void cp_heap_enter(struct cp_heap *h, struct cp_page *p)
{
	enum cp_set set = cp_heap_set_of(h, p->nr_free);

	h->nr[set]++;
	if (set == CP_S3)
		h->strategy->enter(h, p);
	else
		list_add(&p->list, &h->set[set]);
	if (set != CP_S2)
		h->occupancy[cp_heap_bucket(h, cp_heap_live(h, p))]++;
}

/* The page leaves the set that it belonged to with nr_free free blocks. */
static void cp_heap_leave(struct cp_heap *h, struct cp_page *p,
			  unsigned int nr_free)
{
	enum cp_set set = cp_heap_set_of(h, nr_free);

	h->nr[set]--;
	if (set == CP_S3)
		h->strategy->leave(h, p);
	else
		list_del(&p->list);
	if (set != CP_S2)
		h->occupancy[cp_heap_bucket(h, h->cache->capacity - nr_free)]--;
}

static void cp_heap_make_current(struct cp_heap *h, struct cp_page *p,
				 unsigned int source)
{
	if (h->cur)
		cp_heap_enter(h, h->cur);
	h->cur = p;
	h->stat[CP_REFILL_S1 + source - 1]++;
	trace_curpage_refill(h->cache->id, cp_page_pfn(p), source, p->nr_free);
}

/* The current page has run out: choose from S3, then S2. */
static bool cp_heap_next(struct cp_heap *h)
{
	struct cp_page *p = h->strategy->pick(h);
	unsigned int source = 3;

	if (!p) {
		p = list_first_entry_or_null(&h->set[CP_S2], struct cp_page,
					     list);
		source = 2;
	}
	if (!p)
		return false;
	cp_heap_leave(h, p, p->nr_free);
	cp_heap_make_current(h, p, source);
	return true;
}

/*
 * The next block, or NULL when only a page from S1 can help.  *damaged says
 * that the free list of its page was overwritten.
 */
void *cp_heap_alloc(struct cp_heap *h, bool *damaged)
{
	unsigned int lost;
	void *obj;

	*damaged = false;

	if (!h->cur || !h->cur->nr_free)
		if (!cp_heap_next(h))
			return NULL;
	obj = cp_block_pop(h->cache, h->cur, &lost);
	h->stat[CP_ALLOC]++;
	if (unlikely(lost)) {
		h->stat[CP_LOST] += lost;
		*damaged = true;
	}
	return obj;
}

/* A page from S1, formatted, becomes the current page; it has run out. */
void cp_heap_install(struct cp_heap *h, struct cp_page *p)
{
	atomic_long_dec(&h->cache->arena->loose);
	WRITE_ONCE(p->heap, h);
	cp_heap_make_current(h, p, 1);
}

/* No heap owns the page from here on, which a stale free sees under the lock. */
static void cp_heap_release(struct cp_heap *h, struct cp_page *p,
			    struct list_head *release)
{
	WRITE_ONCE(p->heap, NULL);
	atomic_long_inc(&h->cache->arena->loose);
	h->stat[CP_RELEASED]++;
	trace_curpage_page_release(h->cache->id, cp_page_pfn(p));
	list_add_tail(&p->list, release);
}

/*
 * Of the pages in S2 the one that was emptied first is the coldest.  Not more
 * than a batch at a time; true when there are more.
 */
static bool cp_heap_limit_s2(struct cp_heap *h, unsigned long keep,
			     struct list_head *release)
{
	unsigned int n;

	for (n = 0; n < CP_BATCH && h->nr[CP_S2] > keep; n++) {
		struct cp_page *p = list_last_entry(&h->set[CP_S2],
						    struct cp_page, list);

		cp_heap_leave(h, p, p->nr_free);
		cp_heap_release(h, p, release);
	}
	return h->nr[CP_S2] > keep;
}

/* A block was freed on a page that is not current: to which set now? */
static void cp_heap_freed(struct cp_heap *h, struct cp_page *p,
			  struct list_head *release)
{
	unsigned int live = cp_heap_live(h, p);
	enum cp_set from = cp_heap_set_of(h, p->nr_free - 1);
	enum cp_set to = cp_heap_set_of(h, p->nr_free);

	if (from != to) {
		cp_heap_leave(h, p, p->nr_free - 1);
		cp_heap_enter(h, p);
	} else {
		if (to == CP_S3)
			h->strategy->freed(h, p);
		if (cp_heap_bucket(h, live + 1) != cp_heap_bucket(h, live)) {
			h->occupancy[cp_heap_bucket(h, live + 1)]--;
			h->occupancy[cp_heap_bucket(h, live)]++;
		}
	}
	if (to == CP_S2) {
		h->stat[CP_EMPTIED]++;
		cp_heap_limit_s2(h, h->cache->keep, release);
	}
}

/* The owner takes a block back. */
enum cp_bad cp_heap_free_local(struct cp_heap *h, struct cp_page *p, void *obj,
			       unsigned long caller, struct list_head *release)
{
	struct curpage_cache *cache = h->cache;
	enum cp_bad bad;

	/* The page may have left the heap if the block was free already. */
	if (unlikely(p->heap != h))
		return CP_BAD_DOUBLE;
	bad = cp_block_free_ok(cache, p, obj);
	if (likely(!bad))
		bad = cp_debug_free(cache, obj, caller);
	if (unlikely(bad == CP_BAD_DOUBLE))
		return bad;

	cp_block_init_free(cache, obj);
	cp_block_push(cache, p, obj);
	h->stat[CP_FREED]++;
	if (p != h->cur)
		cp_heap_freed(h, p, release);
	return bad;
}

/*
 * Another CPU than the owner gives a block back.  It takes the owner's lock
 * and acts in its place.
 */
enum cp_bad cp_heap_free_remote(struct cp_heap *h, struct cp_page *p, void *obj,
				unsigned long caller,
				struct list_head *release)
{
	enum cp_bad bad = cp_heap_free_local(h, p, obj, caller, release);

	if (bad != CP_BAD_DOUBLE)
		h->stat[CP_FREE_REMOTE]++;
	return bad;
}

/*
 * Let go of pages without a live block, the current one included; true when
 * there are more of them than a batch.
 */
bool cp_heap_drain(struct cp_heap *h, struct list_head *release)
{
	struct cp_page *p = h->cur;

	if (p && p->nr_free == h->cache->capacity) {
		h->cur = NULL;
		cp_heap_release(h, p, release);
	}
	return cp_heap_limit_s2(h, 0, release);
}

/*
 * Another strategy or tolerance: sort the pages of S3 and CP_LOW anew.  Those
 * that become candidates join behind the ones that were, in the order of
 * CP_LOW; among these the order is kept, since the first of a list is added
 * last.
 */
void cp_heap_retune(struct cp_heap *h, const struct cp_strategy *strategy,
		    unsigned int phi0)
{
	struct cp_page *p, *prev;
	LIST_HEAD(pages);

	while ((p = h->strategy->pick(h))) {
		cp_heap_leave(h, p, p->nr_free);
		list_add_tail(&p->list, &pages);
	}
	list_for_each_entry(p, &h->set[CP_LOW], list) {
		h->nr[CP_LOW]--;
		h->occupancy[cp_heap_bucket(h, cp_heap_live(h, p))]--;
	}
	list_splice_tail_init(&h->set[CP_LOW], &pages);

	h->strategy = strategy;
	h->phi0 = phi0;
	list_for_each_entry_safe_reverse(p, prev, &pages, list) {
		list_del(&p->list);
		cp_heap_enter(h, p);
	}
}

/*
 * No block is live any more: let go of all pages.  Free blocks that were lost
 * may keep a few in other sets than S2.  True when there are more than a batch.
 */
bool cp_heap_dismiss(struct cp_heap *h, struct list_head *release)
{
	struct cp_page *p;

	if (cp_heap_drain(h, release))
		return true;
	if (h->cur)
		cp_heap_release(h, h->cur, release);
	h->cur = NULL;
	p = h->strategy->pick(h);
	if (!p)
		p = list_first_entry_or_null(&h->set[CP_LOW], struct cp_page,
					     list);
	if (!p)
		return false;
	cp_heap_leave(h, p, p->nr_free);
	cp_heap_release(h, p, release);
	return true;
}

/* Add what this heap has counted. */
void cp_heap_sum(const struct cp_heap *h, struct cp_cache_sum *sum)
{
	unsigned int i;

	for (i = 0; i < CP_NR_HEAP_STATS; i++)
		sum->stat[i] += h->stat[i];
	for (i = 0; i < CP_NR_SETS; i++)
		sum->nr[i] += h->nr[i];
	for (i = 0; i < CP_OCC_BUCKETS; i++)
		sum->occupancy[i] += h->occupancy[i];
	if (h->cur && cp_heap_live(h, h->cur)) {
		sum->current_live++;
		sum->occupancy[cp_heap_bucket(h, cp_heap_live(h, h->cur))]++;
	} else if (h->cur) {
		sum->current_empty++;
	}
}

struct cp_heap_walk {
	unsigned long occupancy[CP_OCC_BUCKETS];
	unsigned long taken;
	int broken;
};

/* False for a page that nothing more can be said of. */
static bool cp_heap_check_page(struct cp_heap *h, struct cp_page *p,
			       struct cp_heap_walk *w)
{
	static DECLARE_BITMAP(seen, PAGE_SIZE / 8);	/* cp_caches_lock */

	if (!cp_page_ours(p) || p->kind != CP_CACHE || p->heap != h ||
	    p->nr_free > h->cache->capacity) {
		w->broken += cp_broken("cache %s, pfn %lu: not a page of this heap",
				       h->cache->name, cp_page_pfn(p));
		return false;
	}
	w->broken += cp_block_check(h->cache, p, seen);
	w->taken += cp_heap_live(h, p);
	return true;
}

static void cp_heap_check_set(struct cp_heap *h, enum cp_set set,
			      struct cp_heap_walk *w)
{
	unsigned long nr = 0;
	struct cp_page *p;

	list_for_each_entry(p, &h->set[set], list) {
		nr++;
		/* Neither can the list be followed from a page of others. */
		if (!cp_heap_check_page(h, p, w))
			return;
		if (p == h->cur || cp_heap_set_of(h, p->nr_free) != set)
			w->broken += cp_broken("cache %s, pfn %lu: %u free blocks in set %u",
					       h->cache->name, cp_page_pfn(p),
					       p->nr_free, set);
		else if (set != CP_S2)
			w->occupancy[cp_heap_bucket(h, cp_heap_live(h, p))]++;
	}
	if (nr != h->nr[set])
		w->broken += cp_broken("cache %s: %lu pages in set %u, counted %lu",
				       h->cache->name, nr, set, h->nr[set]);
}

/*
 * Every page of the heap and every free block on it; under cp_caches_lock
 * also.  Returns the number of broken invariants.
 */
int cp_heap_check(struct cp_heap *h)
{
	struct cp_heap_walk w = { };
	unsigned long taken;
	enum cp_set set;

	lockdep_assert_held(&cp_caches_lock);
	for (set = 0; set < CP_NR_SETS; set++)
		cp_heap_check_set(h, set, &w);
	if (h->cur)
		cp_heap_check_page(h, h->cur, &w);
	taken = h->stat[CP_ALLOC] - h->stat[CP_FREED] + h->stat[CP_LOST];
	if (w.taken != taken)
		w.broken += cp_broken("cache %s: %lu blocks taken, counted %lu",
				      h->cache->name, w.taken, taken);
	if (memcmp(w.occupancy, h->occupancy, sizeof(w.occupancy)))
		w.broken += cp_broken("cache %s: histogram of pages is off",
				      h->cache->name);
	return w.broken;
}

/*
 * Pages that cp_heap_drain() would release.  Unlocked, for the shrinker's count,
 * which is an estimate: the current page may go while it is looked at, but its
 * struct page stays.
 */
unsigned long cp_heap_empty(const struct cp_heap *h)
{
	const struct cp_page *cur = READ_ONCE(h->cur);
	bool empty = cur && READ_ONCE(cur->nr_free) == h->cache->capacity;

	return READ_ONCE(h->nr[CP_S2]) + empty;
}

/* Pages of the heap, whatever their set. */
unsigned long cp_heap_pages(const struct cp_heap *h)
{
	return h->nr[CP_LOW] + h->nr[CP_S3] + h->nr[CP_S2] + !!h->cur;
}
