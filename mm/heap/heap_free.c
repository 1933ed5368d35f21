// SPDX-License-Identifier: GPL-2.0
/*
 * Frees to a heap: local frees, and remote frees when they are collected.  Also
 * tells whether a block is free already.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/report.h"
#include "heap/sets.h"

#define CP_HAS_FREE_TRIES	8

/* Add n free blocks to a page that stays in its set. */
static void cp_heap_refreed(struct cp_heap *h, struct cp_page *p,
			    unsigned int n)
{
	bool candidate = cp_heap_set_of(h, p->nr_free) == CP_S3;
	bool again = candidate && n > 1 && !(h->flags & CP_LISTED);

	if (again)
		h->strategy->leave(h, p);
	WRITE_ONCE(p->nr_free, p->nr_free + n);
	if (again)
		h->strategy->enter(h, p);
	else if (candidate)
		INDIRECT_CALL_1(h->strategy->freed, cp_mru_freed, h, p);
}

/*
 * Move a page that is not current to its set, after n blocks of it were freed.
 * Not inlined, so that frees to the current page save no registers.
 */
static noinline void cp_heap_freed(struct cp_heap *h, struct cp_page *p,
				   unsigned int n, struct list_head *release)
{
	enum cp_set from = cp_heap_set_of(h, p->nr_free);
	unsigned int live = cp_heap_live(h, p);
	enum cp_set to = cp_heap_set_of(h, p->nr_free + n);

	if (from != to) {
		cp_heap_take_out(h, p, p->nr_free);
		WRITE_ONCE(p->nr_free, p->nr_free + n);
		cp_heap_put_in(h, p);
	} else {
		cp_heap_refreed(h, p, n);
		h->occupancy[cp_heap_bucket(h, live)]--;
		h->occupancy[cp_heap_bucket(h, live - n)]++;
	}
	if (to == CP_S2) {
		h->stat[CP_EMPTIED]++;
		if (!cp_heap_has(h, CP_HOARDS))
			cp_heap_limit_s2(h, h->cache->keep, release);
	}
}

/*
 * Put n blocks, linked from first to last, in front of the free blocks of a
 * page.  With last CP_NIL the page has no free block.
 */
static void cp_heap_put(struct cp_heap *h, struct cp_page *p,
			unsigned int first, unsigned int last, unsigned int n,
			struct list_head *release)
{
	const struct curpage_cache *cache = h->cache;
	bool aside = cp_heap_has(h, CP_ONE_WAY) && p == h->cur;

	if (cp_heap_has(h, CP_POOLED)) {
		n = cp_heap_put_pool(h, p, first, n);
		if (n)
			cp_heap_freed(h, p, n, release);
	} else if (p == h->cur && !aside) {
		if (last != CP_NIL)
			cp_word_seal(cache,
				     cp_block_word(cache, h->base, last),
				     h->free);
		h->free = first;
		h->bias -= n;
		cp_heap_set_dry(h);
	} else {
		if (last != CP_NIL)
			cp_word_seal(cache,
				     cp_block_word(cache, cp_page_base(p), last),
				     p->free);
		WRITE_ONCE(p->free, first);
		if (aside)
			WRITE_ONCE(p->nr_free, p->nr_free + n);
		else
			cp_heap_freed(h, p, n, release);
	}
}

/* Take back n blocks of a page, linked from first to last. */
void cp_heap_free(struct cp_heap *h, struct cp_page *p, unsigned int first,
		  unsigned int last, unsigned int n, struct list_head *release)
{
	h->stat[CP_FREED] += n;
	cp_heap_put(h, p, first, last, n, release);
}

/*
 * Give up the free blocks of a page whose free list may be broken: it is not
 * followed any more.
 */
static void cp_heap_give_up(struct cp_heap *h, struct cp_page *p)
{
	if (cp_heap_has(h, CP_POOLED)) {
		cp_heap_lose_pool(h);
	} else if (p == h->cur) {
		h->stat[CP_LOST] += h->cache->capacity - cp_heap_taken(h) +
				    p->nr_free;
		cp_page_set_damaged(p);
		cp_heap_set_taken(h, h->cache->capacity);
		h->free = CP_NIL;
		WRITE_ONCE(p->free, CP_NIL);
		WRITE_ONCE(p->nr_free, 0);
		cp_heap_set_dry(h);
	} else {
		cp_heap_lose_page(h, p);
	}
}

/*
 * Link a page anew.  All its blocks are free and say so, but n of them were
 * freed once more remotely: the pushes have changed their words, nothing else.
 */
static noinline void cp_heap_relink(struct cp_heap *h, struct cp_page *p,
				    unsigned int n)
{
	void *base = cp_page_base(p);
	unsigned int first = CP_NIL;

	h->stat[CP_FREED] -= n;
	if (!cp_heap_has(h, CP_POOLED))
		first = cp_block_link_all(h->cache, base, 0);
	if (p != h->cur) {
		WRITE_ONCE(p->free, first);
	} else {
		WRITE_ONCE(p->free, CP_NIL);
		WRITE_ONCE(p->nr_free, 0);
		h->free = first;
		cp_heap_set_taken(h, 0);
		cp_heap_set_dry(h);
	}
	while (n--)
		cp_report(CP_BAD_DOUBLE, h->cache, base, 0);
}

/* Snapshot of the free lists of a page: where they begin, and their length. */
struct cp_lists {
	union cp_page_word word;
	const struct cp_heap *owner;	/* changes when the page is adopted */
	unsigned long alloc;	/* tells two snapshots apart */
	unsigned int length;	/* of all lists together */
	u16 free;
	u16 page_free;
	bool current_page;
};

static void cp_lists_get(const struct cp_heap *h, const struct cp_page *p,
			 struct cp_lists *l)
{
	memset(l, 0, sizeof(*l));
	l->word = cp_page_word(p);
	l->owner = cp_page_heap(p);
	l->alloc = cp_peek(h->stat[CP_ALLOC]);
	l->free = cp_peek(h->free);
	l->page_free = cp_peek(p->free);
	l->current_page = cp_peek(h->cur) == p;
	l->length = l->word.nr_remote + cp_peek(p->nr_free);
	if (l->current_page)
		l->length += h->cache->capacity - cp_heap_taken(h);
}

static bool cp_lists_have(const struct cp_heap *h, void *base,
			  const struct cp_lists *l, unsigned int nr)
{
	const struct curpage_cache *cache = h->cache;

	return (l->word.nr_remote &&
		cp_block_listed(cache, base, l->word.remote, nr)) ||
	       cp_block_listed(cache, base, l->page_free, nr) ||
	       (l->current_page && cp_block_listed(cache, base, l->free, nr));
}

/*
 * Check whether a block is free whose word may say so.  The owner may meanwhile
 * replace the word by another that says the same, of a list or of a pool.  The
 * caller owns the page (pins is 0), or has pinned it (pins is 1).
 *
 * True if the block is on a list of its page.  False if more blocks of the page
 * say that they are free than the lists have, while nothing changes and no
 * other CPU has a pin.  In between, where words were written over or other CPUs
 * are about to push, the word is believed: that is wrong if the block's user
 * left just these 48 bits there.
 */
bool cp_heap_has_free(const struct cp_heap *h, const struct cp_page *p,
		      unsigned int nr, unsigned int pins)
{
	void *base = cp_page_base((struct cp_page *)p);
	u64 next = cp_word_open(h->cache, cp_block_word(h->cache, base, nr));
	struct cp_lists before, after;
	unsigned int try, count;

	if (unlikely(next > CP_NIL))
		return CP_STUDY && cp_pool_has(h, next);
	if (CP_STUDY && unlikely(cp_peek(h->flags) & CP_POOLED))
		return true;
	for (try = 0; try < CP_HAS_FREE_TRIES; try++) {
		cp_lists_get(h, p, &before);
		if (cp_lists_have(h, base, &before, nr) ||
		    before.word.kind == CP_DAMAGED)
			return true;
		smp_rmb();	/* first the lists, then the words */
		count = cp_block_count_free(h->cache, base);
		smp_rmb();	/* then the lists again */
		cp_lists_get(h, p, &after);
		if (before.word.pins == pins && before.owner == h &&
		    !memcmp(&before, &after, sizeof(before)))
			return count <= before.length;
	}
	return true;
}

/* Check whether a page is full.  False with CP_ONE_WAY and CP_POOLED. */
static bool cp_heap_is_full(const struct cp_heap *h, const struct cp_page *p)
{
	return p->free == CP_NIL && (p != h->cur || h->free == CP_NIL) &&
	       !cp_heap_has(h, CP_ONE_WAY | CP_POOLED);
}

/*
 * Take in a stack of n remote frees.  The stack of a full page becomes its free
 * list, and each block is checked when it is taken.  On other pages, the stack
 * must end after n blocks.  If it does not, or if it has more blocks than can
 * be live, all free blocks of the page are lost: a block of the stack may have
 * been free before, and its push has changed its word.
 */
void cp_heap_take_in(struct cp_heap *h, struct cp_page *p, unsigned int top,
		     unsigned int n, struct list_head *release)
{
	void *base = cp_page_base(p);
	unsigned int live, bogus, last = CP_NIL;

	live = p == h->cur ? max(cp_heap_live_current(h), 0) :
			     cp_heap_live(h, p);
	h->stat[CP_COLLECTED] += n;
	if (unlikely(!live && !cp_heap_find_taken(h, p))) {
		cp_heap_relink(h, p, n);
	} else if (likely(n <= live &&
			  (cp_heap_is_full(h, p) ||
			   cp_block_stack_ok(h->cache, base, top, n, &last)))) {
		cp_heap_put(h, p, top, last, n, release);
	} else {
		/* Blocks beyond live were counted as freed once too often. */
		bogus = cp_up_to(n, live);
		h->stat[CP_FREED] -= bogus;
		h->stat[CP_LOST] += n - bogus;
		cp_heap_give_up(h, p);
		cp_report(CP_BAD_POISON, h->cache, base + top * h->cache->stride,
			  0);
	}
}
