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
 * So much for the strategies with a current page.  Those of CP_BY_BLOCK have none:
 * they pick a page for each block, of S3 and S2 alike.  With CP_ONE_WAY no block
 * comes back before its page is empty: what is freed on the current page is kept
 * aside in its header, and live does not go down.
 *
 * All of this is done by the one who has claimed the heap, or holds the lock of
 * a side heap; the fast path (fast.h) does without these functions.  A page
 * that leaves goes on the caller's list, to be given to the arena when the heap
 * is let go.
 */
#include "kernel.h"
#include "internal.h"
#include "fast.h"

DEFINE_PER_CPU(struct cp_hot, cp_hot);

static_assert(offsetofend(struct cp_heap, stat[CP_FREED]) <= 64);

/* No page is in the heap; state is as large as the strategy wants it. */
void cp_heap_set_strategy(struct cp_heap *h, const struct cp_strategy *strategy,
			  unsigned int phi0)
{
	const struct curpage_cache *cache = h->cache;
	u8 closed = h->claim.closed & ~CP_CLOSED_ODD;

	/* A side heap is for the odd block: it has no use for more than MRU. */
	h->strategy = h->cpu == CP_SIDE ? &cp_strategy_mru : strategy;
	h->flags = h->strategy->flags;
	h->phi0 = h->flags & CP_TOLERANT ? phi0 : 1;
	if (cache->flags & CURPAGE_CHECK || cache->ctor || want_init_on_free() ||
	    h->flags & (CP_BY_BLOCK | CP_ONE_WAY))
		closed |= CP_CLOSED_ODD;
	WRITE_ONCE(h->claim.closed, closed);
	if (h->strategy->init)
		h->strategy->init(h);
}

/* A strategy that needs memory of its own comes later, by cp_heap_retune(). */
void cp_heap_init(struct cp_heap *h, struct curpage_cache *cache, int cpu,
		  const struct cp_strategy *strategy, unsigned int phi0)
{
	enum cp_set set;

	memset(h, 0, sizeof(*h));
	spin_lock_init(&h->lock);
	h->cache = cache;
	h->cpu = cpu;
	h->free = CP_NIL;
	h->claim.closed = CP_CLOSED_DRY;
	for (set = 0; set < CP_NR_SETS; set++)
		INIT_LIST_HEAD(&h->set[set]);
	cp_heap_set_strategy(h, strategy, phi0);
}

/* Tell the fast path whether there is a block for it. */
static void cp_heap_set_dry(struct cp_heap *h)
{
	u8 closed = h->claim.closed & ~CP_CLOSED_DRY;

	if (h->free == CP_NIL)
		closed |= CP_CLOSED_DRY;
	WRITE_ONCE(h->claim.closed, closed);
}

enum cp_set cp_heap_set_of(const struct cp_heap *h, unsigned int nr_free)
{
	if (nr_free == h->cache->capacity)
		return CP_S2;
	return nr_free >= h->phi0 ? CP_S3 : CP_LOW;
}

/*
 * Is the order of the pages of a set the strategy's own business?  Most go by the
 * lists that the heap has, and there is no call for these.
 */
static bool cp_heap_ordered(const struct cp_heap *h, enum cp_set set)
{
	return unlikely(!(h->flags & CP_LISTED)) &&
	       (set == CP_S3 || (set == CP_S2 && h->flags & CP_ORDERS_S2));
}

/* The page of a set behind this one, or the first for NULL. */
struct cp_page *cp_heap_next_page(struct cp_heap *h, enum cp_set set,
				  struct cp_page *p)
{
	struct list_head *next = p ? p->list.next : h->set[set].next;

	if (cp_heap_ordered(h, set))
		return h->strategy->next(h, set, p);
	return next == &h->set[set] ? NULL :
				      list_entry(next, struct cp_page, list);
}

/* In line where every page of a load comes by; the others call what is below. */
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

void cp_heap_enter(struct cp_heap *h, struct cp_page *p)
{
	cp_heap_put_in(h, p);
}

void cp_heap_leave(struct cp_heap *h, struct cp_page *p, unsigned int nr_free)
{
	cp_heap_take_out(h, p, nr_free);
}

/* A page whose free blocks are linked on it comes into the heap. */
void cp_heap_join(struct cp_heap *h, struct cp_page *p)
{
	if (h->flags & CP_POOLED)
		cp_pool_gather(h, p);
	cp_heap_enter(h, p);
}

static struct cp_heap **cp_heap_hot(const struct cp_heap *h)
{
	return &per_cpu_ptr(&cp_hot, h->cpu)->heap[cp_hot_index(h->base)];
}

/* Let frees find the heap by its current page. */
static void cp_heap_heat(struct cp_heap *h)
{
	if (h->cpu != CP_SIDE && !(h->claim.closed & CP_CLOSED_ODD))
		WRITE_ONCE(*cp_heap_hot(h), h);
}

static void cp_heap_cool(struct cp_heap *h)
{
	if (h->cpu != CP_SIDE && READ_ONCE(*cp_heap_hot(h)) == h)
		WRITE_ONCE(*cp_heap_hot(h), NULL);
}

/*
 * More blocks were taken from the current page than it has, or all of them and
 * there are some left: somebody freed a block twice, and its free list is a ring.
 */
static bool cp_heap_is_ring(const struct cp_heap *h)
{
	return h->live + (h->free != CP_NIL) > (int)h->cache->capacity;
}

/* Give the ring up.  Nobody is handed a block of it any more. */
static void cp_heap_cut_ring(struct cp_heap *h)
{
	h->moved -= h->live - (int)h->cache->capacity;
	h->live = h->cache->capacity;
	h->free = CP_NIL;
	cp_heap_set_dry(h);
	cp_report(CP_BAD_DOUBLE, h->cache, h->base, 0);
}

/* Blocks of the current page that are live. */
unsigned int cp_heap_live_current(const struct cp_heap *h)
{
	return h->live - h->cur->nr_free;
}

/* Free blocks of the current page, linked before those that were kept aside. */
static noinline unsigned int cp_heap_rejoin(struct cp_heap *h,
					    struct cp_page *p)
{
	unsigned int left = h->cache->capacity - h->live, found, last;

	found = cp_block_walk(h->cache, h->base, h->free, left, CP_NIL, &last);
	h->stat[CP_LOST] += left - found;
	*cp_block_link(h->cache, h->base, last) = p->free;
	return found;
}

/* The current page is one no more; its free blocks go back into its header. */
struct cp_page *cp_heap_retire(struct cp_heap *h)
{
	struct cp_page *p = h->cur;
	unsigned int left;

	if (unlikely(cp_heap_is_ring(h)))
		cp_heap_cut_ring(h);
	cp_heap_cool(h);
	if (h->free != CP_NIL) {
		left = likely(p->free == CP_NIL) ?
		       h->cache->capacity - h->live : cp_heap_rejoin(h, p);
		WRITE_ONCE(p->free, h->free);
		WRITE_ONCE(p->nr_free, p->nr_free + left);
	}
	WRITE_ONCE(h->cur, NULL);
	h->base = NULL;
	h->free = CP_NIL;
	h->live = 0;
	cp_heap_set_dry(h);
	return p;
}

static void cp_heap_make_current(struct cp_heap *h, struct cp_page *p,
				 unsigned int source)
{
	if (h->cur)
		cp_heap_put_in(h, cp_heap_retire(h));
	trace_curpage_refill(h->cache->id, cp_page_pfn(p), source, p->nr_free);
	WRITE_ONCE(h->cur, p);
	h->base = cp_page_base(p);
	cp_heap_heat(h);
	h->free = p->free;
	h->live = cp_heap_live(h, p);
	WRITE_ONCE(p->free, CP_NIL);
	WRITE_ONCE(p->nr_free, 0);
	cp_heap_set_dry(h);
	h->stat[CP_REFILL_S1 + source - 1]++;
}

/*
 * The current page has run out: choose from S3, then S2.  If no block comes back
 * before its page is empty, the current page may be that.
 */
static bool cp_heap_next(struct cp_heap *h)
{
	unsigned int flags = h->flags, source = 3;
	struct cp_page *p;

	if (unlikely(flags & CP_ONE_WAY && h->cur))
		cp_heap_put_in(h, cp_heap_retire(h));
	p = INDIRECT_CALL_1(h->strategy->pick, cp_mru_pick, h);
	if (!p && !(flags & CP_WASTES)) {
		p = cp_heap_next_page(h, CP_S2, NULL);
		source = 2;
	}
	if (!p)
		return false;
	cp_heap_take_out(h, p, p->nr_free);
	cp_heap_make_current(h, p, source);
	return true;
}

/* What is free on a page, not the current one, is nobody's any more. */
static void cp_heap_lose_page(struct cp_heap *h, struct cp_page *p)
{
	h->stat[CP_LOST] += p->nr_free;
	cp_heap_leave(h, p, p->nr_free);
	WRITE_ONCE(p->free, CP_NIL);
	WRITE_ONCE(p->nr_free, 0);
	cp_heap_enter(h, p);
}

/* The pool cannot be followed: all free blocks are lost. */
static noinline void cp_heap_lose_pool(struct cp_heap *h)
{
	enum cp_set set;

	cp_pool_forget(h);
	for (set = CP_S3; set < CP_NR_SETS; set++) {
		struct cp_page *p;

		while ((p = cp_heap_next_page(h, set, NULL)))
			cp_heap_lose_page(h, p);
	}
}

/* Free blocks that are in a pool go back to their pages. */
void cp_heap_settle(struct cp_heap *h)
{
	if (h->flags & CP_POOLED && !cp_pool_settle(h)) {
		cp_heap_lose_pool(h);
		cp_report(CP_BAD_POISON, h->cache, NULL, 0);
	}
}

/* The next block of the pool, on this page, which is out of its set. */
static void *cp_heap_take_pooled(struct cp_heap *h, struct cp_page *p,
				 bool *damaged)
{
	enum cp_bad bad;
	void *obj = cp_pool_take(h, p, &bad);

	*damaged = bad == CP_BAD_POISON;
	WRITE_ONCE(p->nr_free, p->nr_free - 1);
	cp_heap_enter(h, p);
	if (unlikely(bad))
		cp_heap_lose_pool(h);
	if (unlikely(bad == CP_BAD_DOUBLE))
		cp_report(bad, h->cache, obj, 0);
	return obj;
}

/* A block of the page that the strategy picks for it. */
static noinline size_t cp_heap_alloc_block(struct cp_heap *h, void **obj,
					   bool *damaged)
{
	struct cp_page *p = h->strategy->pick(h);
	unsigned int lost = 0;
	u16 top;

	if (!p)
		return 0;
	cp_heap_leave(h, p, p->nr_free);
	h->stat[CP_ALLOC]++;
	if (h->flags & CP_POOLED) {
		*obj = cp_heap_take_pooled(h, p, damaged);
		return 1;
	}
	top = p->free;
	cp_block_pop(h->cache, cp_page_base(p), &top, p->nr_free, 1, obj,
		     &lost);
	WRITE_ONCE(p->free, top);
	WRITE_ONCE(p->nr_free, p->nr_free - 1 - lost);
	cp_heap_enter(h, p);
	h->stat[CP_LOST] += lost;
	*damaged = lost;
	return 1;
}

/*
 * Up to n blocks, all of one page; 0 when only a page from S1 can help.
 * *damaged says that the free list of the page was overwritten, which shows in
 * the last of them.
 */
size_t cp_heap_alloc(struct cp_heap *h, size_t n, void **objs, bool *damaged)
{
	unsigned int left, lost;
	size_t got;

	*damaged = false;
	if (unlikely(h->flags & CP_BY_BLOCK))
		return n ? cp_heap_alloc_block(h, objs, damaged) : 0;
	if (h->free != CP_NIL && unlikely(cp_heap_is_ring(h)))
		cp_heap_cut_ring(h);
	if (h->free == CP_NIL && !cp_heap_next(h))
		return 0;
	left = h->cache->capacity - h->live;
	got = cp_block_pop(h->cache, h->base, &h->free, left, n, objs, &lost);
	h->live += got + lost;
	h->stat[CP_ALLOC] += got;
	if (h->free == CP_NIL)
		cp_heap_set_dry(h);
	if (unlikely(lost)) {
		h->stat[CP_LOST] += lost;
		*damaged = true;
	}
	return got;
}

/* A page from S1, formatted, becomes the current page; it has run out. */
void cp_heap_install(struct cp_heap *h, struct cp_page *p)
{
	union cp_page_word word = cp_page_word_as(p, CP_CACHE);

	atomic_long_dec(&h->cache->arena->loose);
	WRITE_ONCE(p->heap, h);
	smp_store_release(&p->word.all, word.all);	/* cp_page_pin() */
	if (likely(!(h->flags & CP_BY_BLOCK))) {
		cp_heap_make_current(h, p, 1);
		return;
	}
	trace_curpage_refill(h->cache->id, cp_page_pfn(p), 1, p->nr_free);
	h->stat[CP_REFILL_S1]++;
	cp_heap_join(h, p);
}

/*
 * A page that is in no set, without a live block, leaves the heap.  False: it may
 * not yet, since somebody frees a block of it once more; it is back in its set.
 */
bool cp_heap_release(struct cp_heap *h, struct cp_page *p,
		     struct list_head *release)
{
	if (unlikely(!cp_page_try_leave(p))) {
		cp_heap_enter(h, p);
		return false;
	}
	p->order = 0;
	atomic_long_inc(&h->cache->arena->loose);
	h->stat[CP_RELEASED]++;
	trace_curpage_page_release(h->cache->id, cp_page_pfn(p));
	list_add_tail(&p->list, release);
	return true;
}

/* Of the pages in S2 the one that was emptied first is the coldest. */
static struct cp_page *cp_heap_coldest(struct cp_heap *h)
{
	if (h->strategy->last)
		return h->strategy->last(h, CP_S2);
	return list_last_entry(&h->set[CP_S2], struct cp_page, list);
}

/*
 * Not more than a batch at a time; true when there are more.  Pages that may not
 * leave are tried once and kept beside the others.
 */
bool cp_heap_limit_s2(struct cp_heap *h, unsigned long keep,
		      struct list_head *release)
{
	unsigned int n;

	for (n = 0; n < CP_BATCH && h->nr[CP_S2] > keep; n++) {
		struct cp_page *p = cp_heap_coldest(h);

		cp_heap_leave(h, p, p->nr_free);
		keep += !cp_heap_release(h, p, release);
	}
	return h->nr[CP_S2] > keep;
}

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

/* n blocks were freed on a page that is not current: to which set now? */
static void cp_heap_freed(struct cp_heap *h, struct cp_page *p, unsigned int n,
			  struct list_head *release)
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
		if (!(h->flags & CP_HOARDS))
			cp_heap_limit_s2(h, h->cache->keep, release);
	}
}

/* As below, for a pool, where each is on its own. */
static noinline void cp_heap_put_pool(struct cp_heap *h, struct cp_page *p,
				      unsigned int nr, unsigned int n)
{
	void *base = cp_page_base(p);

	while (n--) {
		unsigned int next = *cp_block_link(h->cache, base, nr);

		cp_pool_put(h, p, nr);
		nr = next;
	}
}

/* n blocks, linked from first to last, come before those that are free. */
static void cp_heap_put(struct cp_heap *h, struct cp_page *p,
			unsigned int first, unsigned int last, unsigned int n,
			struct list_head *release)
{
	unsigned int flags = h->flags;

	if (unlikely(flags & CP_POOLED)) {
		cp_heap_put_pool(h, p, first, n);
		cp_heap_freed(h, p, n, release);
	} else if (p == h->cur && !(flags & CP_ONE_WAY)) {
		*cp_block_link(h->cache, h->base, last) = h->free;
		h->free = first;
		h->live -= n;
		cp_heap_set_dry(h);
	} else {
		*cp_block_link(h->cache, cp_page_base(p), last) = p->free;
		WRITE_ONCE(p->free, first);
		if (p == h->cur)
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

/* The free list of the page leads to where it must not: nobody follows it. */
static void cp_heap_give_up(struct cp_heap *h, struct cp_page *p)
{
	if (h->flags & CP_POOLED) {
		cp_heap_lose_pool(h);
	} else if (p == h->cur) {
		h->stat[CP_LOST] += h->cache->capacity - h->live + p->nr_free;
		h->live = h->cache->capacity;
		h->free = CP_NIL;
		WRITE_ONCE(p->free, CP_NIL);
		WRITE_ONCE(p->nr_free, 0);
		cp_heap_set_dry(h);
	} else {
		cp_heap_lose_page(h, p);
	}
}

/*
 * All blocks of the page are free, and n of them were freed once more elsewhere.
 * Pushing them has written over their links, nothing else.
 */
static noinline void cp_heap_relink(struct cp_heap *h, struct cp_page *p,
				    unsigned int n)
{
	void *base = cp_page_base(p);

	h->stat[CP_FREED] -= n;
	if (!(h->flags & CP_POOLED))
		cp_block_link_all(h->cache, base);
	if (p != h->cur) {
		WRITE_ONCE(p->free, h->flags & CP_POOLED ? CP_NIL : 0);
	} else {
		WRITE_ONCE(p->free, CP_NIL);
		WRITE_ONCE(p->nr_free, 0);
		h->free = 0;
		h->live = 0;
		cp_heap_set_dry(h);
	}
	while (n--)
		cp_report(CP_BAD_DOUBLE, h->cache, base, 0);
}

/*
 * Take in a stack of n blocks that were freed elsewhere.  Where it is broken the
 * rest is lost.  When one of them is free already, pushing it has changed the
 * link of a free block: then all that is free on the page is lost.
 */
void cp_heap_take_in(struct cp_heap *h, struct cp_page *p, unsigned int top,
		     unsigned int n, struct list_head *release)
{
	unsigned int live = cp_heap_live(h, p), old = p->free;
	void *base = cp_page_base(p);
	unsigned int found, last, twice;

	if (p == h->cur) {
		live = max_t(int, cp_heap_live_current(h), 0);
		if (!(h->flags & CP_ONE_WAY))
			old = h->free;
	}
	h->stat[CP_COLLECTED] += n;
	if (unlikely(!live)) {
		cp_heap_relink(h, p, n);
		return;
	}
	found = cp_block_walk(h->cache, base, top, n, old, &last);
	if (likely(found && found <= live)) {
		h->stat[CP_LOST] += n - found;
		cp_heap_put(h, p, top, last, found, release);
		return;
	}
	/* Those that were free already have been counted as freed twice. */
	twice = found ? found - live : 1;
	h->stat[CP_FREED] -= twice;
	h->stat[CP_LOST] += n - twice;
	cp_heap_give_up(h, p);
	cp_report(CP_BAD_DOUBLE, h->cache,
		  base + (found ? top : old) * h->cache->stride, 0);
}
