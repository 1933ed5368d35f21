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
	if (cache->flags & CURPAGE_CHECK || cache->ctor || want_init_on_free())
		h->claim.closed |= CP_CLOSED_ODD;
	h->strategy = strategy;
	h->phi0 = phi0;
	for (set = 0; set < CP_NR_SETS; set++)
		INIT_LIST_HEAD(&h->set[set]);
}

/* Tell the fast path whether there is a block for it. */
static void cp_heap_set_dry(struct cp_heap *h)
{
	u8 closed = h->claim.closed & ~CP_CLOSED_DRY;

	if (h->free == CP_NIL)
		closed |= CP_CLOSED_DRY;
	WRITE_ONCE(h->claim.closed, closed);
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

enum cp_set cp_heap_set_of(const struct cp_heap *h, unsigned int nr_free)
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

/* The current page is one no more; its free blocks go back into its header. */
static struct cp_page *cp_heap_retire(struct cp_heap *h)
{
	struct cp_page *p = h->cur;

	if (unlikely(cp_heap_is_ring(h)))
		cp_heap_cut_ring(h);
	cp_heap_cool(h);
	WRITE_ONCE(p->free, h->free);
	WRITE_ONCE(p->nr_free, h->cache->capacity - h->live);
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
		cp_heap_enter(h, cp_heap_retire(h));
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
 * Up to n blocks, all of one page; 0 when only a page from S1 can help.
 * *damaged says that the free list of the page was overwritten, which shows in
 * the last of them.
 */
size_t cp_heap_alloc(struct cp_heap *h, size_t n, void **objs, bool *damaged)
{
	unsigned int left, lost;
	size_t got;

	*damaged = false;
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

/*
 * A page from S1, formatted, becomes the current page; it has run out.  What was
 * pushed before, by who freed a block twice, is dropped.
 */
void cp_heap_install(struct cp_heap *h, struct cp_page *p)
{
	union cp_page_word word = {
		.kind = CP_CACHE, .chunk_order = cp_page_word(p).chunk_order,
	};

	atomic_long_dec(&h->cache->arena->loose);
	WRITE_ONCE(p->word.all, word.all);
	WRITE_ONCE(p->heap, h);
	cp_heap_make_current(h, p, 1);
}

/* No heap owns the page from here on, which a stale free may see. */
static void cp_heap_release(struct cp_heap *h, struct cp_page *p,
			    struct list_head *release)
{
	WRITE_ONCE(p->heap, NULL);
	p->order = 0;
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

/* n blocks were freed on a page that is not current: to which set now? */
static void cp_heap_freed(struct cp_heap *h, struct cp_page *p, unsigned int n,
			  struct list_head *release)
{
	enum cp_set from = cp_heap_set_of(h, p->nr_free);
	unsigned int live = cp_heap_live(h, p);
	enum cp_set to = cp_heap_set_of(h, p->nr_free + n);

	if (from != to) {
		cp_heap_leave(h, p, p->nr_free);
		WRITE_ONCE(p->nr_free, p->nr_free + n);
		cp_heap_enter(h, p);
	} else {
		WRITE_ONCE(p->nr_free, p->nr_free + n);
		if (to == CP_S3)
			h->strategy->freed(h, p);
		h->occupancy[cp_heap_bucket(h, live)]--;
		h->occupancy[cp_heap_bucket(h, live - n)]++;
	}
	if (to == CP_S2) {
		h->stat[CP_EMPTIED]++;
		cp_heap_limit_s2(h, h->cache->keep, release);
	}
}

/* n blocks, linked from first to last, come before those that are free. */
static void cp_heap_put(struct cp_heap *h, struct cp_page *p,
			unsigned int first, unsigned int last, unsigned int n,
			struct list_head *release)
{
	if (p == h->cur) {
		*cp_block_link(h->cache, h->base, last) = h->free;
		h->free = first;
		h->live -= n;
		cp_heap_set_dry(h);
	} else {
		*cp_block_link(h->cache, cp_page_base(p), last) = p->free;
		WRITE_ONCE(p->free, first);
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
	if (p == h->cur) {
		h->stat[CP_LOST] += h->cache->capacity - h->live;
		h->live = h->cache->capacity;
		h->free = CP_NIL;
		cp_heap_set_dry(h);
	} else {
		h->stat[CP_LOST] += p->nr_free;
		cp_heap_leave(h, p, p->nr_free);
		WRITE_ONCE(p->free, CP_NIL);
		WRITE_ONCE(p->nr_free, 0);
		cp_heap_enter(h, p);
	}
}

/*
 * Take in a stack of n blocks that were freed elsewhere.  Where it is broken the
 * rest is lost.  When one of them is free already, pushing it has changed the
 * link of a free block: then all that is free on the page is lost.
 */
void cp_heap_take_in(struct cp_heap *h, struct cp_page *p, unsigned int top,
		     unsigned int n, struct list_head *release)
{
	unsigned int live = p == h->cur ? max(h->live, 0) : cp_heap_live(h, p);
	unsigned int old = p == h->cur ? h->free : p->free;
	void *base = cp_page_base(p);
	unsigned int found, last, twice;

	found = cp_block_walk(h->cache, base, top, n, old, &last);
	h->stat[CP_COLLECTED] += n;
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

/*
 * Let go of pages without a live block, the current one included; true when
 * there are more of them than a batch.
 */
bool cp_heap_drain(struct cp_heap *h, struct list_head *release)
{
	if (h->cur && !h->live)
		cp_heap_release(h, cp_heap_retire(h), release);
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

/* Any page with live blocks but the current one, out of its set; or NULL. */
static struct cp_page *cp_heap_take_live(struct cp_heap *h)
{
	struct cp_page *p = h->strategy->pick(h);

	if (!p)
		p = list_first_entry_or_null(&h->set[CP_LOW], struct cp_page,
					     list);
	if (p)
		cp_heap_leave(h, p, p->nr_free);
	return p;
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
		cp_heap_release(h, cp_heap_retire(h), release);
	p = cp_heap_take_live(h);
	if (p)
		cp_heap_release(h, p, release);
	return p;
}

/*
 * Take over at most a batch of pages with live blocks from the heap of another
 * CPU, whose empty ones have gone; true when there are more.
 */
bool cp_heap_adopt(struct cp_heap *h, struct cp_heap *from)
{
	struct cp_page *p = NULL;
	unsigned int n;

	if (from->cur)
		cp_heap_enter(from, cp_heap_retire(from));
	for (n = 0; n < CP_BATCH; n++) {
		p = cp_heap_take_live(from);
		if (!p)
			break;
		from->moved -= cp_heap_live(from, p);
		h->moved += cp_heap_live(h, p);
		h->cache->adopted++;
		WRITE_ONCE(p->heap, h);
		cp_heap_enter(h, p);
	}
	return p;
}

/*
 * Add what this heap has counted, but for what came back.  Its owner goes on
 * meanwhile, so the figures are of about the same time.
 */
void cp_heap_sum(const struct cp_heap *h, struct cp_cache_sum *sum)
{
	unsigned int live = clamp(cp_peek(h->live), 0, (int)h->cache->capacity);
	unsigned int i;

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
 * Pages that cp_heap_drain() would release.  An estimate: the owner goes on.
 */
unsigned long cp_heap_empty(const struct cp_heap *h)
{
	bool empty = cp_peek(h->cur) && !cp_peek(h->live);

	return cp_peek(h->nr[CP_S2]) + empty;
}

/* Pages of the heap, whatever their set. */
unsigned long cp_heap_pages(const struct cp_heap *h)
{
	return cp_peek(h->nr[CP_LOW]) + cp_peek(h->nr[CP_S3]) +
	       cp_peek(h->nr[CP_S2]) + !!cp_peek(h->cur);
}
