// SPDX-License-Identifier: GPL-2.0
/*
 * Heaps without a current page, compiled for the study of strategies alone: the
 * strategy picks a page for each block, from S3 and S2 alike (CP_BY_BLOCK).
 *
 * With CP_POOLED the free blocks are not on their pages but in a pool
 * (strategy_pool.c), which does not know of sets of pages.  This file has what
 * a heap does with pool and sets together.
 *
 * heap.c calls these functions where cp_heap_has() says so; the heap is
 * claimed.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/report.h"

/*
 * Seal the words of blocks that were in the pool as those of free blocks on no
 * list.  Live blocks stay as they are: what a user left in a word is a place in
 * this heap once in 2^40.
 */
static void cp_heap_seal_pooled(struct cp_heap *h, struct cp_page *p)
{
	const struct curpage_cache *cache = h->cache;
	unsigned int nr;

	for (nr = 0; nr < cache->capacity; nr++) {
		u64 *word = cp_block_word(cache, cp_page_base(p), nr);
		u64 place = cp_word_open(cache, word);

		if (place > CP_NIL && cp_pool_has(h, place))
			cp_word_seal(cache, word, CP_NIL);
	}
}

/* Give up a pool that cannot be followed: all its free blocks are lost. */
noinline void cp_heap_lose_pool(struct cp_heap *h)
{
	enum cp_set set;

	cp_pool_forget(h);
	for (set = CP_S3; set < CP_NR_SETS; set++) {
		struct cp_page *p;

		while ((p = cp_heap_next_page(h, set, NULL))) {
			cp_heap_seal_pooled(h, p);
			cp_heap_lose_page(h, p);
		}
	}
}

/* Give up the pool and report it. */
static void cp_heap_break_pool(struct cp_heap *h)
{
	cp_heap_lose_pool(h);
	cp_report(CP_BAD_POISON, h->cache, NULL, 0);
}

/* Put the free blocks of the pool back on their pages. */
void cp_heap_settle_pool(struct cp_heap *h)
{
	if (!cp_pool_settle(h))
		cp_heap_break_pool(h);
}

/* Put the free blocks of a page, linked there, into the pool. */
void cp_heap_gather(struct cp_heap *h, struct cp_page *p)
{
	if (likely(cp_pool_gather(h, p)))
		return;
	cp_heap_lose(h, p, p->nr_free, 0);
	WRITE_ONCE(p->nr_free, 0);
}

/*
 * Put n blocks that were freed on a page, linked from nr on, into the pool one
 * by one.
 *
 * Return: the number of blocks put there; the rest cannot be reached and is
 * lost.
 */
unsigned int cp_heap_put_pool(struct cp_heap *h, struct cp_page *p, u64 nr,
			      unsigned int n)
{
	const struct curpage_cache *cache = h->cache;
	unsigned int left;

	/* A word may be written over after the stack was found to be whole. */
	for (left = n; left && nr < cache->capacity; left--) {
		u64 next = cp_word_open(cache,
					cp_block_word(cache, cp_page_base(p),
						      nr));

		cp_pool_put(h, p, nr);
		nr = next;
	}
	if (unlikely(left))
		cp_heap_lose(h, p, left, 0);
	return n - left;
}

/* Put the free blocks of empty pages that did not leave back into the pool. */
void cp_heap_pool_empty(struct cp_heap *h)
{
	struct cp_page *p, *next;

	for (p = cp_heap_next_page(h, CP_S2, NULL); p; p = next) {
		next = cp_heap_next_page(h, CP_S2, p);
		if (unlikely(cp_heap_find_taken(h, p))) {
			cp_heap_lose_page(h, p);
			continue;
		}
		WRITE_ONCE(p->free,
			   cp_block_link_all(h->cache, cp_page_base(p), 0));
		if (unlikely(!cp_pool_gather(h, p)))
			cp_heap_lose_page(h, p);
	}
}

/*
 * Release all pages without a live block at once, since finding their blocks
 * takes a walk over the whole pool.
 */
void cp_heap_drain_pool(struct cp_heap *h, struct list_head *release)
{
	unsigned int rounds;

	if (h->nr[CP_S2] && !cp_pool_purge(h))
		cp_heap_break_pool(h);
	/* Bounded, as some pages may not leave. */
	for (rounds = h->nr[CP_S2] / CP_BATCH + 1; rounds; rounds--)
		if (!cp_heap_limit_s2(h, 0, release))
			break;
	cp_heap_pool_empty(h);
}

/* Take the next block of the pool.  Its page, p, is out of its set. */
static void *cp_heap_take_pooled(struct cp_heap *h, struct cp_page *p,
				 unsigned long caller)
{
	enum cp_bad bad;
	void *obj = cp_pool_take(h, p, &bad);

	/* A block that may be live is lost with the pool. */
	if (likely(obj))
		WRITE_ONCE(p->nr_free, p->nr_free - 1);
	cp_heap_enter(h, p);
	if (unlikely(bad)) {
		cp_heap_lose_pool(h);
		cp_report(bad, h->cache, obj, caller);
	}
	return obj;
}

/* Take a block of the page that the strategy picks for it. */
size_t cp_heap_alloc_block(struct cp_heap *h, void **obj, unsigned long caller)
{
	unsigned int left, lost;
	struct cp_page *p;
	size_t got = 0;
	u16 top;

	while (!got && (p = h->strategy->pick(h))) {
		cp_heap_leave(h, p, p->nr_free);
		if (cp_heap_has(h, CP_POOLED)) {
			*obj = cp_heap_take_pooled(h, p, caller);
			got = !!*obj;
			h->stat[CP_ALLOC] += got;
			continue;
		}
		top = p->free;
		got = cp_block_pop(h->cache, cp_page_base(p), &top, p->nr_free,
				   1, obj);
		left = p->nr_free - got;
		lost = top == CP_NIL ? left : 0;
		WRITE_ONCE(p->free, left == lost ? CP_NIL : top);
		WRITE_ONCE(p->nr_free, left - lost);
		cp_heap_enter(h, p);
		h->stat[CP_ALLOC] += got;
		if (unlikely(top == CP_NIL ? left : !left))
			cp_heap_lose(h, p, lost, caller);
	}
	return got;
}

/* Take in a page whose free blocks are linked on it; no page is current. */
void cp_heap_install_by_block(struct cp_heap *h, struct cp_page *p,
			      unsigned int source)
{
	trace_curpage_refill(h->cache->id, cp_page_pfn(p), source,
			     p->nr_free);
	h->stat[CP_REFILL_S1 + source - 1]++;
	cp_heap_join(h, p);
}
