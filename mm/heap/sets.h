/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Add pages to the sets of a heap and remove them.  Inlined into hot callers;
 * others use cp_heap_enter() and cp_heap_leave().
 */
#ifndef CP_SETS_H
#define CP_SETS_H

#include "arena/arena.h"
#include "heap/heap.h"

/*
 * Check whether the strategy keeps the pages of a set.  Most strategies use the
 * lists of the heap, which takes no call.
 */
static inline bool cp_heap_ordered(const struct cp_heap *h, enum cp_set set)
{
	return unlikely(!(h->flags & CP_LISTED)) &&
	       (set == CP_S3 ||
		(set == CP_S2 && cp_heap_has(h, CP_ORDERS_S2)));
}

static __always_inline void cp_heap_put_in(struct cp_heap *h,
					   struct cp_page *p)
{
	enum cp_set set = cp_heap_set_of(h, p->nr_free);

	h->nr[set]++;
	if (cp_heap_ordered(h, set))
		h->strategy->enter(h, p);
	else
		list_add(&p->list, &h->set[set]);
	if (set != CP_S2)
		h->occupancy[cp_heap_bucket(h, cp_heap_live(h, p))]++;
}

/* Remove a page from the set that it belongs to with nr_free free blocks. */
static __always_inline void cp_heap_take_out(struct cp_heap *h,
					     struct cp_page *p,
					     unsigned int nr_free)
{
	enum cp_set set = cp_heap_set_of(h, nr_free);

	h->nr[set]--;
	if (cp_heap_ordered(h, set))
		h->strategy->leave(h, p);
	else
		list_del(&p->list);
	if (set != CP_S2)
		h->occupancy[cp_heap_bucket(h, h->cache->capacity - nr_free)]--;
}

/* Make a loose page a page of the heap, in no set so far. */
static inline void cp_heap_own(struct cp_heap *h, struct cp_page *p)
{
	union cp_page_word word = cp_page_word_as(p, CP_CACHE);

	atomic_long_dec(&cp_arena.loose);
	if (unlikely(h->cache->flags & CURPAGE_RECLAIM_ACCOUNT))
		cp_vm_reclaimable(p, 1);
	WRITE_ONCE(p->heap, h);
	smp_store_release(&p->word.all, word.all);	/* cp_page_pin() */
}

#endif /* CP_SETS_H */
