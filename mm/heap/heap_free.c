// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks come back to a heap: those that its CPU freed, and those that others
 * did.  Whether a block is free already is found out here, too.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/report.h"
#include "heap/sets.h"

#define CP_HAS_FREE_TRIES	8

/* n more blocks of a page that stays where it is. */
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
 * Move a page that is not current to its set, as n blocks of it were freed.  Apart, so
 * that frees to the current page need no registers saved.
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
 * n blocks, linked from first to last, come before those that are free.  There are
 * none if last is CP_NIL.
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

/* The free list of the page may lead to where it must not: nobody follows it. */
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
 * All blocks of the page are free and say so, and n of them were freed once more
 * elsewhere.  Pushing them has changed their words, nothing else.
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

/* The lists of free blocks of a page: where they begin, and how long they are. */
struct cp_lists {
	union cp_page_word word;
	const struct cp_heap *owner;	/* another one, once the page is adopted */
	unsigned long alloc;	/* tells one state from another */
	unsigned int length;	/* of all together */
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
 * A block may be free by its word, which the owner may change into another one that
 * says the same, of a list or of a pool: is it?  Yes, if it is on a list of its
 * page, which the caller owns, or has pinned so that there is one pin.  No, if more
 * blocks say so than the lists have, and nothing changes meanwhile.  In between,
 * where words were written over, or others are about to push, the word is believed:
 * that would be wrong if the block's user had left just these 48 bits there.
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

/* Are all blocks of a page in use, those that are kept aside apart? */
static bool cp_heap_is_full(const struct cp_heap *h, const struct cp_page *p)
{
	return p->free == CP_NIL && (p != h->cur || h->free == CP_NIL) &&
	       !cp_heap_has(h, CP_ONE_WAY | CP_POOLED);
}

/*
 * Take in a stack of n blocks that were freed elsewhere.  That of a full page is
 * its list from here on, and each block is looked at when it is taken.  Otherwise,
 * where it is broken, or has more than can be live, all that is free on the page
 * is lost: a block of it may have been free before, and pushing it has changed its
 * word.
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
		/* More than can be live were counted as freed once too often. */
		bogus = cp_up_to(n, live);
		h->stat[CP_FREED] -= bogus;
		h->stat[CP_LOST] += n - bogus;
		cp_heap_give_up(h, p);
		cp_report(CP_BAD_POISON, h->cache, base + top * h->cache->stride,
			  0);
	}
}
