/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Into a set of a heap and out of it, in line where every page of a load comes
 * by.  Everybody else calls cp_heap_enter() and cp_heap_leave().
 */
#ifndef CP_SETS_H
#define CP_SETS_H

#include "arena/arena.h"
#include "heap/heap.h"

/*
 * Is the order of the pages of a set the strategy's own business?  Most go by the
 * lists that the heap has, and there is no call for these.
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

/* The page leaves the set that it belonged to with nr_free free blocks. */
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

/* A loose page becomes one of the heap's, in no set so far. */
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
