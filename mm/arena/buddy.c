// SPDX-License-Identifier: GPL-2.0
/*
 * The buddy: finds, splits and merges free blocks of 2^k pages.  Caller holds
 * the arena's lock.
 *
 * Blocks are merged within the chunk that they were split from, never across
 * two chunks.  So what happens does not depend on where the chunks of the
 * system happen to lie.
 *
 * The lower block of a pair is on the list pair[], the upper block on no list.
 * A block whose buddy is not free is on the list lone[], and is taken before
 * any pair is broken.
 */
#include "base/kernel.h"
#include "arena/buddy.h"

/*
 * Merges for one request before a larger block is split, or the lock dropped.
 */
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
 * Find the buddy of a block.  Part of a chunk may have gone back to the system
 * and may belong to others by now.  Its header may be read all the same: the
 * memory map has no holes within a chunk.
 *
 * Return: the buddy if it is free and has the same order, else NULL.
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

/* Make a pair of p and its buddy alone, which was on lone[] until now. */
static noinline void cp_buddy_pair_up(struct cp_buddy *b, struct cp_page *p,
				      struct cp_page *alone)
{
	unsigned int order = p->order;

	list_del_init(&alone->list);
	list_add(&min(p, alone)->list, &b->pair[order]);
	b->nr_pairs[order]++;
	b->paired |= 1U << order;
}

/*
 * Put a chunk that is entirely free.  It goes to the tail of its list, so that
 * blocks of chunks that are already split are taken first.
 */
static noinline void cp_buddy_put_whole(struct cp_buddy *b, struct cp_page *p)
{
	list_add_tail(&p->list, &b->lone[p->order]);
	b->whole_pages += 1UL << p->order;
}

/* Make a block free.  buddy is what cp_buddy_of() returned for it. */
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

/* Uncount a free block.  The caller sets its kind before it drops the lock. */
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

/* Uncount a free block and take it off its list. */
static __always_inline void cp_buddy_unput(struct cp_buddy *b,
					   struct cp_page *p)
{
	list_del_init(&p->list);
	cp_buddy_uncount(b, p);
}

/*
 * Take the lower block of a pair.  Its upper block stays free and counted, on
 * no list: the caller has to handle it.
 */
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

/* Take a free block of an order.  Called only if bit order of some is set. */
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

/* Split a taken block in two.  Return: the upper half, also taken. */
static struct cp_page *cp_buddy_halve(struct cp_buddy *b, struct cp_page *p)
{
	unsigned int order = p->order - 1;
	struct cp_page *upper = p + (1UL << order);

	trace_curpage_split(cp_page_pfn(p), p->order);
	b->stat[CP_SPLITS][p->order]++;
	p->order = order;
	/* Copy the use, which the chunk may have changed since. */
	WRITE_ONCE(upper->word.all, cp_page_word(p).all);
	upper->order = order;
	return upper;
}

/* Split a taken block down to an order.  All upper halves become free. */
static struct cp_page *cp_buddy_cut(struct cp_buddy *b, struct cp_page *p,
				    unsigned int order)
{
	while (p->order > order)
		cp_buddy_put(b, cp_buddy_halve(b, p), NULL);
	return p;
}

/* Merge a taken block with its buddy, also taken.  Return: the merged block. */
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
 * Merge a pair of an order, and go on merging the result while its buddy is
 * free, up to a block of order top.  Adds the number of merges to *joins.
 *
 * Return: the merged block, taken.
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
 * Make a block of an order by merging smaller blocks, pairs of the largest
 * order first.
 *
 * Return: the block; NULL if no pairs are left that can make one, or after
 * CP_JOINS merges.
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

/*
 * Make a block of an order that has no free block: merge smaller blocks, or
 * split the smallest larger block.
 */
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

/*
 * Take a block of an order.  The caller sets its kind before it calls the buddy
 * again or drops the lock: until then the block looks free.
 *
 * Return: the block, or NULL: see cp_buddy_unfinished().
 */
struct cp_page *cp_buddy_take(struct cp_buddy *b, unsigned int order)
{
	if (likely(b->some & 1U << order))
		return cp_buddy_pop(b, order);
	return cp_buddy_make(b, order);
}

/* Give a block back, whose order is in its header. */
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

/*
 * Count a request that cp_buddy_take() could not serve, and the search of all
 * lists of larger orders for it.
 */
void cp_buddy_miss(struct cp_buddy *b, unsigned int order)
{
	b->stat[CP_MISSED][order]++;
	b->stat[CP_SEARCHES][order] += CURPAGE_MAX_ORDER - order;
}

/*
 * Take a chunk that is entirely free and has at least order least, for another
 * buddy.  Such chunks are at the tails of their lists: see
 * cp_buddy_put_whole().
 *
 * Return: the chunk, or NULL.
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
 * Take a block for the system, without merging: the system takes single pages.
 * The block has this order, split from a larger one if need be; if all blocks
 * are smaller, it is one of the largest.
 *
 * Return: the block, or NULL if nothing is free.
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

/*
 * Merge pairs until no pair is left, or this many merges are done.  Return:
 * true if pairs are left.
 */
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

/*
 * Return: the pages by which the lists below an order fall short of their
 * desired numbers.  Blocks in use count as if they were on their lists.
 */
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
 * Make a fresh block free.  With the tailored policy it is first split as in
 * the paper: as far as lists of smaller orders lack blocks, and no further.
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
 * Add a chunk after cp_page_adopt().  If need is an order and not -1, take a
 * block of that order from it.
 *
 * Return: that block, or NULL.
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
	/*
	 * For cp_buddy_lacking() the block is used; arena.c counts it for good.
	 */
	b->nr_used[need]++;
	while (chunk->order > need)
		cp_buddy_put_fresh(b, cp_buddy_halve(b, chunk));
	b->nr_used[need]--;
	return chunk;
}
