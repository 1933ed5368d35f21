// SPDX-License-Identifier: GPL-2.0
/*
 * Free blocks of 2^k pages: how they are found, cut and joined.  All of it runs
 * under the arena's lock.
 *
 * Blocks are joined within the chunk that they were cut from and never across
 * two chunks, so that what happens does not depend on where the system's
 * chunks happen to lie.
 *
 * Of a pair the lower block is on a list, the upper one on none.  A block whose
 * buddy is free is not handed out while there is one whose buddy is not.
 */
#include "kernel.h"
#include "internal.h"

/* Joins in one request while there is a larger block to cut instead. */
#define CP_JOINS	64

void cp_buddy_init(struct cp_buddy *b, const struct cp_buddy_policy *policy,
		   unsigned int use)
{
	unsigned int order;

	memset(b, 0, sizeof(*b));
	b->use = use;
	for (order = 0; order < CP_NR_ORDERS; order++) {
		INIT_LIST_HEAD(&b->lone[order]);
		INIT_LIST_HEAD(&b->pair[order]);
	}
	b->tailored.learn = true;
	b->until_learnt = 1;
	cp_buddy_set_policy(b, policy);
}

/*
 * The buddy of a block if it is free and as large, else NULL.  Part of a chunk
 * may have gone back to the system and belong to somebody else by now; the
 * memory map has no holes within a chunk, so looking is allowed.
 */
struct cp_page *cp_buddy_of(struct cp_page *p)
{
	union cp_page_word free = cp_page_word_as(p, CP_FREE);
	unsigned long pfn = cp_page_pfn(p);
	unsigned long size = 1UL << p->order;
	struct cp_page *buddy;

	if (p->order >= free.chunk_order)
		return NULL;
	buddy = pfn & size ? p - size : p + size;
	if (cp_page_word(buddy).all != free.all || buddy->order != p->order)
		return NULL;
	return buddy;
}

/* Of two buddies that are free one was alone until now. */
static noinline void cp_buddy_pair_up(struct cp_buddy *b, struct cp_page *p,
				      struct cp_page *alone)
{
	unsigned int order = p->order;

	list_del_init(&alone->list);
	list_add(&min(p, alone)->list, &b->pair[order]);
	b->nr_pairs[order]++;
	b->paired |= 1U << order;
}

/* All of a chunk is free: it is broken into after those that are already. */
static noinline void cp_buddy_put_whole(struct cp_buddy *b, struct cp_page *p)
{
	list_add_tail(&p->list, &b->lone[p->order]);
	b->whole_pages += 1UL << p->order;
}

/* A block becomes free; buddy as cp_buddy_of() says. */
static void cp_buddy_put(struct cp_buddy *b, struct cp_page *p,
			 struct cp_page *buddy)
{
	unsigned int order = p->order;

	cp_page_set(p, CP_FREE, order);
	b->nr_free[order]++;
	b->free_pages += 1UL << order;
	b->some |= 1U << order;
	if (buddy)
		cp_buddy_pair_up(b, p, buddy);
	else if (order != cp_page_word(p).chunk_order)
		list_add(&p->list, &b->lone[order]);
	else
		cp_buddy_put_whole(b, p);
}

/* A block is free no more.  Whoever has it sets its kind, under the lock. */
static __always_inline void cp_buddy_uncount(struct cp_buddy *b,
					     struct cp_page *p)
{
	unsigned int order = p->order;

	if (!--b->nr_free[order])
		b->some &= ~(1U << order);
	b->free_pages -= 1UL << order;
	if (order == cp_page_word(p).chunk_order)
		b->whole_pages -= 1UL << order;
}

/* The same for one that is on a list. */
static __always_inline void cp_buddy_unput(struct cp_buddy *b,
					   struct cp_page *p)
{
	list_del_init(&p->list);
	cp_buddy_uncount(b, p);
}

/* The lower block of a pair; the upper one is left to the caller. */
static struct cp_page *cp_buddy_unpair(struct cp_buddy *b, unsigned int order)
{
	struct cp_page *p = list_first_entry(&b->pair[order], struct cp_page,
					     list);

	if (!--b->nr_pairs[order])
		b->paired &= ~(1U << order);
	cp_buddy_unput(b, p);
	return p;
}

static noinline struct cp_page *cp_buddy_pop_pair(struct cp_buddy *b,
						  unsigned int order)
{
	struct cp_page *p = cp_buddy_unpair(b, order);

	list_add(&(p + (1UL << order))->list, &b->lone[order]);
	return p;
}

/* A free block of an order of which there are some. */
static __always_inline struct cp_page *cp_buddy_pop(struct cp_buddy *b,
						    unsigned int order)
{
	struct cp_page *p;

	if (unlikely(list_empty(&b->lone[order])))
		return cp_buddy_pop_pair(b, order);
	p = list_first_entry(&b->lone[order], struct cp_page, list);
	cp_buddy_unput(b, p);
	return p;
}

/* Cut a taken block in two; returns the upper half, taken as well. */
static struct cp_page *cp_buddy_halve(struct cp_buddy *b, struct cp_page *p)
{
	unsigned int order = p->order - 1;
	struct cp_page *upper = p + (1UL << order);

	trace_curpage_split(cp_page_pfn(p), p->order);
	b->stat[CP_SPLITS][p->order]++;
	p->order = order;
	/* Its chunk may have changed its use. */
	WRITE_ONCE(upper->word.all, cp_page_word(p).all);
	upper->order = order;
	return upper;
}

/* Cut a taken block down to an order. */
static struct cp_page *cp_buddy_cut(struct cp_buddy *b, struct cp_page *p,
				    unsigned int order)
{
	while (p->order > order)
		cp_buddy_put(b, cp_buddy_halve(b, p), NULL);
	return p;
}

/* Join a taken block with its buddy, taken as well; returns the whole. */
static struct cp_page *cp_buddy_join(struct cp_buddy *b, struct cp_page *p,
				     struct cp_page *buddy)
{
	struct cp_page *low = min(p, buddy);
	unsigned int order = p->order + 1;

	cp_page_set(max(p, buddy), CP_TAIL, 0);
	low->order = order;
	b->stat[CP_MERGES][order]++;
	trace_curpage_merge(cp_page_pfn(low), order);
	return low;
}

/*
 * Join a pair of an order, and what becomes of it as long as its buddy is free,
 * up to the order below top.  The result is taken; how often is added to joins.
 */
static struct cp_page *cp_buddy_raise(struct cp_buddy *b, unsigned int order,
				      unsigned int top, unsigned int *joins)
{
	struct cp_page *p = cp_buddy_unpair(b, order);
	struct cp_page *buddy = p + (1UL << order);

	cp_buddy_uncount(b, buddy);
	p = cp_buddy_join(b, p, buddy);
	++*joins;
	while (p->order < top && (buddy = cp_buddy_of(p))) {
		cp_buddy_unput(b, buddy);
		p = cp_buddy_join(b, p, buddy);
		++*joins;
	}
	return p;
}

/*
 * Make a block of an order out of smaller ones: first of the largest that are
 * pairs.  NULL if there is none to be had, or a larger one and it takes too long.
 */
static struct cp_page *cp_buddy_coalesce(struct cp_buddy *b, unsigned int order)
{
	unsigned int joins = 0;

	while (cp_buddy_unfinished(b, order) && joins < CP_JOINS) {
		unsigned int from = ilog2(b->paired & ((1U << order) - 1));
		struct cp_page *p;

		p = cp_buddy_raise(b, from, order, &joins);
		if (p->order == order)
			return p;
		cp_buddy_put(b, p, cp_buddy_of(p));
	}
	return NULL;
}

/* There is none of this order: join smaller ones, or cut a larger one. */
static noinline struct cp_page *cp_buddy_make(struct cp_buddy *b,
					      unsigned int order)
{
	struct cp_page *p = cp_buddy_coalesce(b, order);
	unsigned int found;

	if (p)
		return p;
	if (!(b->some >> order))
		return NULL;
	found = order + __ffs(b->some >> order);
	b->stat[CP_SEARCHES][order] += found - order;
	return cp_buddy_cut(b, cp_buddy_pop(b, found), order);
}

/* A block of this order, or NULL; the caller sets its kind before all else. */
struct cp_page *cp_buddy_take(struct cp_buddy *b, unsigned int order)
{
	if (likely(b->some & 1U << order))
		return cp_buddy_pop(b, order);
	return cp_buddy_make(b, order);
}

/* Take back a block, whose order is in its header. */
void cp_buddy_give(struct cp_buddy *b, struct cp_page *p)
{
	struct cp_page *buddy;

	while ((buddy = cp_buddy_of(p)) &&
	       b->nr_free[p->order] >= b->desired[p->order]) {
		cp_buddy_unput(b, buddy);
		p = cp_buddy_join(b, p, buddy);
	}
	cp_buddy_put(b, p, buddy);
}

/* A request that cp_buddy_take() had nothing for, after all lists. */
void cp_buddy_miss(struct cp_buddy *b, unsigned int order)
{
	b->stat[CP_MISSED][order]++;
	b->stat[CP_SEARCHES][order] += CURPAGE_MAX_ORDER - order;
}

/*
 * A chunk that is all free and no smaller than this order, for another buddy; or
 * NULL.  They are the last on their lists.
 */
struct cp_page *cp_buddy_take_whole(struct cp_buddy *b, unsigned int least)
{
	unsigned int order;
	struct cp_page *p;

	for (order = least; b->whole_pages && order < CP_NR_ORDERS; order++) {
		if (list_empty(&b->lone[order]))
			continue;
		p = list_last_entry(&b->lone[order], struct cp_page, list);
		if (cp_page_word(p).chunk_order != order)
			continue;
		cp_buddy_unput(b, p);
		b->pages -= 1UL << order;
		return p;
	}
	return NULL;
}

/*
 * A block for the system, which takes pages one by one: nothing is joined.  Of
 * this order, cut if need be, or the largest that there is.
 */
struct cp_page *cp_buddy_spill(struct cp_buddy *b, unsigned int order)
{
	struct cp_page *p;

	if (b->some >> order)
		p = cp_buddy_cut(b, cp_buddy_pop(b, order +
						 __ffs(b->some >> order)),
				 order);
	else if (b->some)
		p = cp_buddy_pop(b, ilog2(b->some));
	else
		return NULL;
	cp_page_set(p, CP_TAIL, p->order);
	b->pages -= 1UL << p->order;
	return p;
}

/* Join all pairs, but no more than so many; true if there are some left. */
bool cp_buddy_merge(struct cp_buddy *b, unsigned int joins)
{
	unsigned int joined = 0;

	while (b->paired && joined < joins) {
		struct cp_page *p = cp_buddy_raise(b, ilog2(b->paired),
						   CURPAGE_MAX_ORDER, &joined);

		cp_buddy_put(b, p, NULL);
	}
	if (!b->paired)
		b->settling = false;
	return b->paired;
}

/* What the lists below an order lack, in pages; blocks in use are theirs, too. */
static unsigned long cp_buddy_lacking(const struct cp_buddy *b,
				      unsigned int below)
{
	unsigned long pages = 0;
	unsigned int order;

	for (order = 0; order < below; order++) {
		unsigned long nr = b->nr_free[order] + b->nr_used[order];

		if (nr < b->desired[order])
			pages += (b->desired[order] - nr) << order;
	}
	return pages;
}

/*
 * A fresh block becomes free.  Where lists are tailored it is cut as the paper
 * begins: as far as smaller lists lack something, and no further.
 */
static void cp_buddy_put_fresh(struct cp_buddy *b, struct cp_page *p)
{
	unsigned long nr = 1, cut, i;
	unsigned int order = p->order;

	for (;; order--, nr = 2 * cut) {
		cut = b->policy->tailored ?
		      DIV_ROUND_UP(cp_buddy_lacking(b, order), 1UL << order) :
		      0;
		cut = min(cut, nr);
		for (i = 0; i < nr; i++) {
			struct cp_page *block = p + (i << order);

			if (i < cut)
				cp_buddy_halve(b, block);
			else
				cp_buddy_put(b, block, cp_buddy_of(block));
		}
		if (!cut)
			return;
	}
}

/*
 * A chunk of its own that cp_page_adopt() has seen.  If need is an order, a block
 * of it is taken at once.
 */
struct cp_page *cp_buddy_add(struct cp_buddy *b, struct cp_page *chunk,
			     unsigned int order, int need)
{
	chunk->order = order;
	b->pages += 1UL << order;
	b->top = max(b->top, order);
	if (need < 0) {
		cp_buddy_put_fresh(b, chunk);
		return NULL;
	}
	/* In use before lists are asked what they lack; who lends it counts it. */
	b->nr_used[need]++;
	while (chunk->order > need)
		cp_buddy_put_fresh(b, cp_buddy_halve(b, chunk));
	b->nr_used[need]--;
	return chunk;
}
