// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on a heap as a whole, none of them on the path of an allocation:
 * empty it, take it apart, hand it over, change its strategy, add up what it
 * counted.  Caller has the heap's claim, or holds the lock of a side heap,
 * unless a function reads only.
 */
#include "base/kernel.h"
#include "heap/heap.h"

/*
 * Release pages without a live block, the current page included: a batch at
 * most, or all of them from a pool.
 *
 * Return: true if there are more.
 */
bool cp_heap_drain(struct cp_heap *h, struct list_head *release)
{
	if (h->cur && !cp_heap_live_current(h)) {
		struct cp_page *p = cp_heap_retire(h);

		cp_heap_enter(h, p);
		if (likely(p->nr_free == h->cache->capacity))
			cp_heap_release_empty(h, p, release);
	}
	if (cp_heap_has(h, CP_POOLED)) {
		cp_heap_drain_pool(h, release);
		return false;
	}
	return cp_heap_limit_s2(h, 0, release);
}

/* Move all pages of a set to a list, in order. */
static void cp_heap_empty_set(struct cp_heap *h, enum cp_set set,
			      struct list_head *pages)
{
	struct cp_page *p;

	while ((p = cp_heap_next_page(h, set, NULL))) {
		cp_heap_leave(h, p, p->nr_free);
		list_add_tail(&p->list, pages);
	}
}

/* Check whether the current page stays current when @b replaces strategy @a. */
static bool cp_heap_keeps_current(const struct cp_strategy *a,
				  const struct cp_strategy *b)
{
	return !CP_STUDY ||
	       !((a->flags | b->flags) & (CP_BY_BLOCK | CP_ONE_WAY));
}

/*
 * Change the strategy or the tolerance: sort all pages but the current one
 * anew.  @state is the memory that the new strategy needs.  Pages that become
 * candidates follow behind pages that were candidates, in the order of CP_LOW.
 * The pages that were candidates keep their order as far as the strategy has
 * one, since the first page of the list is added last.
 *
 * Return: the memory of the old strategy.
 */
void *cp_heap_retune(struct cp_heap *h, const struct cp_strategy *strategy,
		     unsigned int phi0, void *state)
{
	void *old = h->state;
	struct cp_page *p, *prev;
	LIST_HEAD(pages);

	if (h->cur && !cp_heap_keeps_current(h->strategy, strategy))
		cp_heap_enter(h, cp_heap_retire(h));
	cp_heap_settle(h);
	cp_heap_empty_set(h, CP_S3, &pages);
	cp_heap_empty_set(h, CP_LOW, &pages);
	cp_heap_empty_set(h, CP_S2, &pages);

	h->state = state;
	cp_heap_set_strategy(h, strategy, phi0);
	list_for_each_entry_safe_reverse(p, prev, &pages, list) {
		list_del(&p->list);
		cp_heap_join(h, p);
	}
	return old;
}

/*
 * Take a page with live blocks, except the current one, out of its set.
 *
 * Return: the page, or NULL if there is none.
 */
static struct cp_page *cp_heap_take_live(struct cp_heap *h)
{
	struct cp_page *p = cp_heap_next_page(h, CP_S3, NULL);

	if (!p)
		p = cp_heap_next_page(h, CP_LOW, NULL);
	if (p)
		cp_heap_leave(h, p, p->nr_free);
	return p;
}

/*
 * Release a page at the end of its cache.  A block that does not say that it is
 * free may be live, if another block was freed twice without notice.  Then the
 * page gets one reference more, so that nobody is handed the page any more.
 */
static void cp_heap_release_last(struct cp_heap *h, struct cp_page *p,
				 struct list_head *release)
{
	bool taken = cp_heap_find_taken(h, p);

	rcu_read_lock();	/* the page stays until page_ref_inc() */
	if (cp_heap_release(h, p, release) && unlikely(taken))
		page_ref_inc(cp_page_to_page(p));
	rcu_read_unlock();
}

/*
 * Release all pages of a heap without a live block.  Free blocks that were lost
 * may keep a few pages in other sets than S2.
 *
 * Return: true if there are pages left.
 */
bool cp_heap_dismiss(struct cp_heap *h, struct list_head *release)
{
	struct cp_page *p;

	if (cp_heap_drain(h, release))
		return true;
	cp_heap_settle(h);
	if (h->cur)
		cp_heap_release_last(h, cp_heap_retire(h), release);
	p = cp_heap_take_live(h);
	if (p)
		cp_heap_release_last(h, p, release);
	return cp_heap_pages(h);
}

/*
 * Take over a batch of pages with live blocks from the heap of another CPU,
 * whose empty pages are gone.  Caller has the claims of both heaps.  From a
 * pool all pages are taken over at once, as no page has its free blocks until
 * all pages have.
 *
 * Return: true if there are more.
 */
bool cp_heap_adopt(struct cp_heap *h, struct cp_heap *from)
{
	struct cp_page *p = NULL;
	unsigned int n;

	if (from->cur)
		cp_heap_enter(from, cp_heap_retire(from));
	cp_heap_settle(from);
	for (n = 0; n < CP_BATCH || cp_heap_has(from, CP_POOLED); n++) {
		p = cp_heap_take_live(from);
		if (!p)
			break;
		from->moved -= cp_heap_live(from, p);
		h->moved += cp_heap_live(h, p);
		h->cache->adopted++;
		WRITE_ONCE(p->heap, h);
		cp_heap_join(h, p);
	}
	if (cp_heap_has(from, CP_POOLED))
		cp_heap_pool_empty(from);
	return p;
}

/* Racy read of the live blocks of the current page: the owner goes on. */
static unsigned int cp_heap_peek_live(const struct cp_heap *h)
{
	const struct cp_page *p = cp_peek(h->cur);
	int live = cp_heap_taken(h) - (p ? cp_peek(p->nr_free) : 0);

	return clamp(live, 0, (int)h->cache->capacity);
}

/*
 * Add what this heap has counted to @sum, except frees.  Racy read: the owner
 * goes on, so the figures are of about the same time.
 */
void cp_heap_add_sum(const struct cp_heap *h, struct cp_cache_sum *sum)
{
	unsigned int i, live = cp_heap_peek_live(h);

	for (i = 0; i < CP_NR_HEAP_STATS; i++)
		if (i != CP_FREED && i != CP_FREE_REMOTE)
			sum->stat[i] += cp_peek(h->stat[i]);
	for (i = 0; i < CP_NR_SETS; i++)
		sum->nr[i] += cp_peek(h->nr[i]);
	for (i = 0; i < CP_OCC_BUCKETS; i++)
		sum->occupancy[i] += cp_peek(h->occupancy[i]);
	if (!cp_peek(h->cur))
		return;
	if (live) {
		sum->current_live++;
		sum->occupancy[cp_heap_bucket(h, live)]++;
	} else {
		sum->current_empty++;
	}
}

/*
 * Estimate the pages that cp_heap_drain() would release.  Racy read: the owner
 * goes on.
 */
unsigned long cp_heap_empty(const struct cp_heap *h)
{
	bool empty = cp_peek(h->cur) && !cp_heap_peek_live(h);

	if (unlikely(cp_heap_keeps(h)))
		return 0;
	return cp_peek(h->nr[CP_S2]) + empty;
}

/* Count the pages of the heap, whatever their set.  Racy read. */
unsigned long cp_heap_pages(const struct cp_heap *h)
{
	return cp_peek(h->nr[CP_LOW]) + cp_peek(h->nr[CP_S3]) +
	       cp_peek(h->nr[CP_S2]) + !!cp_peek(h->cur);
}
