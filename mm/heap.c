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
 * Strategies of the study may do without a current page (heap_by_block.c), or take
 * no block back before its page is empty (heap_one_way.c).  Where they differ a
 * function asks cp_heap_has(), which is false when the study is not compiled.
 *
 * All of this is done by the one who has claimed the heap, or holds the lock of
 * a side heap; the fast path (fast.h) does without these functions.  A page
 * that leaves goes on the caller's list, to be given to the arena when the heap
 * is let go.
 */
#include "kernel.h"
#include "internal.h"
#include "fast.h"

#define CP_HAS_FREE_TRIES	8

struct cp_heap cp_heap_none __ro_after_init = { .claim.taken = 1 };

DEFINE_PER_CPU(struct cp_hot, cp_hot) = CP_PER_CPU_VALUE({
	.heap = { [0 ... CP_HOT_SIZE - 1] = &cp_heap_none },
});

static_assert(offsetofend(struct cp_heap, stat[CP_ALLOC]) <= 64);

unsigned int cp_heap_traced;

/* The loader of modules does not relocate what the variables of CPUs begin with. */
void cp_hot_init(void)
{
	int i, cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i < CP_HOT_SIZE; i++)
			per_cpu_ptr(&cp_hot, cpu)->heap[i] = &cp_heap_none;
}

/* Is there more to do for a block of the heap than to take it off its page? */
static bool cp_heap_is_odd(const struct cp_heap *h)
{
	return h->cache->link || h->cache->flags & CP_CACHE_TAGS ||
	       want_init_on_free() ||
	       READ_ONCE(cp_heap_traced) ||
	       cp_heap_has(h, CP_BY_BLOCK | CP_ONE_WAY);
}

static void cp_heap_set_odd(struct cp_heap *h)
{
	u8 closed = h->claim.closed & ~CP_CLOSED_ODD;

	if (cp_heap_is_odd(h))
		closed |= CP_CLOSED_ODD;
	WRITE_ONCE(h->claim.closed, closed);
}

/* No page is in the heap; state is as large as the strategy wants it. */
void cp_heap_set_strategy(struct cp_heap *h, const struct cp_strategy *strategy,
			  unsigned int phi0)
{
	/* A side heap is for the odd block: it has no use for more than MRU. */
	h->strategy = h->cpu == CP_SIDE ? &cp_strategy_mru : strategy;
	h->flags = h->strategy->flags;
	h->phi0 = cp_heap_has(h, CP_EXACT) ? 1 : phi0;
	cp_heap_set_odd(h);
	if (h->strategy->init)
		h->strategy->init(h);
}

/* A strategy that needs memory of its own comes later, by cp_heap_retune(). */
void cp_heap_init(struct cp_heap *h, struct curpage_cache *cache, int cpu,
		  const struct cp_strategy *strategy, unsigned int phi0)
{
	enum cp_set set;

	memset(h, 0, sizeof(*h));
	raw_spin_lock_init(&h->lock);
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
	       (set == CP_S3 ||
		(set == CP_S2 && cp_heap_has(h, CP_ORDERS_S2)));
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

/* What is free on a page and cannot be reached counts as taken from here on. */
noinline void cp_heap_lose(struct cp_heap *h, struct cp_page *p,
			   unsigned int lost, unsigned long caller)
{
	h->stat[CP_LOST] += lost;
	cp_page_set_damaged(p);
	cp_report(CP_BAD_POISON, h->cache, cp_page_base(p), caller);
}

/* A page whose free blocks are linked on it comes into the heap. */
void cp_heap_join(struct cp_heap *h, struct cp_page *p)
{
	if (cp_heap_has(h, CP_POOLED))
		cp_heap_gather(h, p);
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

/* Tracing has begun or ended: close the heap to the fast path, or open it. */
void cp_heap_trace(struct cp_heap *h, void *unused)
{
	cp_heap_set_odd(h);
	if (h->cur)
		cp_heap_heat(h);
}

static void cp_heap_cool(struct cp_heap *h)
{
	if (h->cpu != CP_SIDE && READ_ONCE(*cp_heap_hot(h)) == h)
		WRITE_ONCE(*cp_heap_hot(h), &cp_heap_none);
}

/*
 * The counts of the current page are no longer those of its free list: blocks were
 * freed twice, and had been written over, so that nobody could tell.
 */
static bool cp_heap_is_askew(const struct cp_heap *h)
{
	int taken = cp_heap_taken(h);

	return taken < 0 ||
	       taken + (h->free != CP_NIL) > (int)h->cache->capacity;
}

/* Nobody is handed a block of the current page any more. */
static void cp_heap_write_off(struct cp_heap *h)
{
	h->moved -= cp_heap_taken(h) - (int)h->cache->capacity;
	cp_heap_set_taken(h, h->cache->capacity);
	h->free = CP_NIL;
	cp_heap_set_dry(h);
	cp_page_set_damaged(h->cur);
	cp_report(CP_BAD_DOUBLE, h->cache, h->base, 0);
}

/* Blocks of the current page that are live. */
int cp_heap_live_current(const struct cp_heap *h)
{
	return cp_heap_taken(h) - cp_heap_aside(h);
}

/* The current page is one no more; its free blocks go back into its header. */
struct cp_page *cp_heap_retire(struct cp_heap *h)
{
	struct cp_page *p = h->cur;
	unsigned int left;

	if (unlikely(cp_heap_is_askew(h)))
		cp_heap_write_off(h);
	cp_heap_cool(h);
	if (h->free != CP_NIL) {
		left = cp_heap_has(h, CP_ONE_WAY) ?
		       cp_heap_rejoin(h, p) :
		       h->cache->capacity - cp_heap_taken(h);
		WRITE_ONCE(p->free, h->free);
		WRITE_ONCE(p->nr_free, left + cp_heap_aside(h));
	}
	WRITE_ONCE(h->cur, NULL);
	h->base = NULL;
	h->free = CP_NIL;
	cp_heap_set_taken(h, 0);
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
	cp_heap_set_taken(h, cp_heap_live(h, p));
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
	unsigned int source = 3;
	struct cp_page *p;

	if (cp_heap_has(h, CP_ONE_WAY) && h->cur)
		cp_heap_put_in(h, cp_heap_retire(h));
	p = INDIRECT_CALL_1(h->strategy->pick, cp_mru_pick, h);
	if (!p && !cp_heap_has(h, CP_WASTES)) {
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
void cp_heap_lose_page(struct cp_heap *h, struct cp_page *p)
{
	h->stat[CP_LOST] += p->nr_free;
	cp_page_set_damaged(p);
	cp_heap_leave(h, p, p->nr_free);
	WRITE_ONCE(p->free, CP_NIL);
	WRITE_ONCE(p->nr_free, 0);
	cp_heap_enter(h, p);
}

/* Up to n blocks of the current page; what is behind a broken word is lost. */
static size_t cp_heap_alloc_current(struct cp_heap *h, size_t n, void **objs,
				    unsigned long caller)
{
	unsigned int left = h->cache->capacity - cp_heap_taken(h);
	size_t got = cp_block_pop(h->cache, h->base, &h->free, left, n, objs);

	h->stat[CP_ALLOC] += got;
	left -= got;
	if (unlikely(h->free == CP_NIL ? left : !left)) {
		h->free = CP_NIL;
		cp_heap_set_taken(h, h->cache->capacity);
		cp_heap_lose(h, h->cur, left, caller);
	}
	if (h->free == CP_NIL)
		cp_heap_set_dry(h);
	return got;
}

/* Up to n blocks, all of one page; 0 when only a page from S1 can help. */
size_t cp_heap_alloc(struct cp_heap *h, size_t n, void **objs,
		     unsigned long caller)
{
	size_t got = 0;

	if (cp_heap_has(h, CP_BY_BLOCK))
		return n ? cp_heap_alloc_block(h, objs, caller) : 0;
	if (h->free != CP_NIL && unlikely(cp_heap_is_askew(h)))
		cp_heap_write_off(h);
	while (n && !got && (h->free != CP_NIL || cp_heap_next(h)))
		got = cp_heap_alloc_current(h, n, objs, caller);
	return got;
}

/* A loose page becomes one of the heap's, in no set so far. */
static void cp_heap_own(struct cp_heap *h, struct cp_page *p)
{
	union cp_page_word word = cp_page_word_as(p, CP_CACHE);

	atomic_long_dec(&cp_arena.loose);
	if (unlikely(h->cache->flags & CURPAGE_RECLAIM_ACCOUNT))
		cp_vm_reclaimable(p, 1);
	WRITE_ONCE(p->heap, h);
	smp_store_release(&p->word.all, word.all);	/* cp_page_pin() */
}

/* A loose page with free blocks becomes the current page; it has run out. */
void cp_heap_install(struct cp_heap *h, struct cp_page *p, unsigned int source)
{
	cp_heap_own(h, p);
	if (cp_heap_has(h, CP_BY_BLOCK))
		cp_heap_install_by_block(h, p, source);
	else
		cp_heap_make_current(h, p, source);
}

/* The other way; false as below. */
static bool cp_heap_disown(struct cp_heap *h, struct cp_page *p)
{
	if (unlikely(!cp_page_try_leave(p))) {
		cp_heap_enter(h, p);
		return false;
	}
	atomic_long_inc(&cp_arena.loose);
	if (unlikely(h->cache->flags & CURPAGE_RECLAIM_ACCOUNT))
		cp_vm_reclaimable(p, -1);
	return true;
}

/*
 * A loose page of a cache with CURPAGE_PRIVATE_PAGES, its free blocks linked, waits
 * among the empty ones of the side heap until a heap takes it.
 */
void cp_heap_keep(struct curpage_cache *cache, struct cp_page *p)
{
	struct cp_heap *side = &cache->side;
	unsigned long flags;

	raw_spin_lock_irqsave(&side->lock, flags);
	cp_heap_own(side, p);
	cp_heap_enter(side, p);
	raw_spin_unlock_irqrestore(&side->lock, flags);
}

/* Such a page, loose again; or NULL. */
struct cp_page *cp_heap_take_kept(struct curpage_cache *cache)
{
	struct cp_heap *side = &cache->side;
	struct cp_page *p;
	unsigned long flags;

	raw_spin_lock_irqsave(&side->lock, flags);
	p = cp_heap_next_page(side, CP_S2, NULL);
	if (p) {
		cp_heap_leave(side, p, p->nr_free);
		if (!cp_heap_disown(side, p))
			p = NULL;
	}
	raw_spin_unlock_irqrestore(&side->lock, flags);
	return p;
}

/* Is the heap where empty pages wait that must not leave their cache? */
bool cp_heap_keeps(const struct cp_heap *h)
{
	return h->cpu == CP_SIDE && h->cache->flags & CURPAGE_PRIVATE_PAGES;
}

static void cp_heap_release_rcu(struct rcu_head *head)
{
	struct cp_page *p = container_of(head, struct cp_page, rcu);
	LIST_HEAD(release);

	list_add(&p->list, &release);
	cp_arena_give(&cp_arena, &release);
}

/*
 * A page that is in no set, and of which no block is live, leaves the heap.  False:
 * it may not yet, since somebody frees a block of it once more; it is back in its
 * set.
 */
bool cp_heap_release(struct cp_heap *h, struct cp_page *p,
		     struct list_head *release)
{
	struct curpage_cache *cache = h->cache;

	if (unlikely(!cp_heap_disown(h, p)))
		return false;
	if (unlikely(cache->flags & CURPAGE_PRIVATE_PAGES)) {
		if (cp_heap_has(h, CP_POOLED))
			p->free = cp_block_link_all(cache, cp_page_base(p), 0);
		cp_heap_keep(cache, p);
		return true;
	}
	if (unlikely(cp_page_foreign_refs(p)))
		cp_report_refs(cache, p);
	p->order = 0;
	h->stat[CP_RELEASED]++;
	trace_curpage_page_release(cache->id, cp_page_pfn(p));
	if (unlikely(cache->flags & CURPAGE_TYPESAFE_BY_RCU))
		call_rcu(&p->rcu, cp_heap_release_rcu);
	else
		list_add_tail(&p->list, release);
	return true;
}

/* Of the pages in S2 the one that was emptied first is the coldest. */
static struct cp_page *cp_heap_coldest(struct cp_heap *h)
{
	if (cp_heap_has(h, CP_ORDERS_S2))
		return h->strategy->last(h, CP_S2);
	return list_last_entry(&h->set[CP_S2], struct cp_page, list);
}

/* A block of the page that does not say that it is free, or NULL. */
void *cp_heap_find_taken(const struct cp_heap *h, struct cp_page *p)
{
	const struct curpage_cache *cache = h->cache;
	void *base = cp_page_base(p);
	unsigned int nr;

	for (nr = 0; nr < cache->capacity; nr++) {
		u64 next = cp_word_open(cache, cp_block_word(cache, base, nr));

		if (next > CP_NIL &&
		    !(cp_heap_has(h, CP_POOLED) && cp_pool_has(h, next)))
			return base + nr * cache->stride;
	}
	return NULL;
}

/*
 * A page of S2 leaves the heap, if its blocks say one by one that they are free.
 * Otherwise one was freed twice, and written over in between, while another may be
 * live: the page is full from here on and stays.
 */
bool cp_heap_release_empty(struct cp_heap *h, struct cp_page *p,
			   struct list_head *release)
{
	void *taken;

	if (unlikely(cp_heap_keeps(h)))
		return false;
	taken = cp_heap_find_taken(h, p);
	if (unlikely(taken)) {
		cp_heap_lose_page(h, p);
		cp_report(CP_BAD_POISON, h->cache, taken, 0);
		return false;
	}
	cp_heap_leave(h, p, p->nr_free);
	return cp_heap_release(h, p, release);
}

/*
 * Release pages of S2 until keep are left, but a batch at most; true when there are
 * more.  Those that may not leave are put aside meanwhile, so that each is tried once.
 */
bool cp_heap_limit_s2(struct cp_heap *h, unsigned long keep,
		      struct list_head *release)
{
	struct cp_page *p, *next;
	LIST_HEAD(stay);
	unsigned int n;
	bool more;

	if (unlikely(cp_heap_keeps(h)))
		return false;
	for (n = 0; n < CP_BATCH && h->nr[CP_S2] > keep; n++) {
		p = cp_heap_coldest(h);
		if (likely(cp_heap_release_empty(h, p, release)))
			continue;
		if (!p->nr_free)
			continue;	/* it was lost, and has left S2 */
		cp_heap_leave(h, p, p->nr_free);
		list_add(&p->list, &stay);
	}
	more = h->nr[CP_S2] > keep;
	list_for_each_entry_safe(p, next, &stay, list) {
		list_del(&p->list);
		cp_heap_enter(h, p);
	}
	return more;
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
