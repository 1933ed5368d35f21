// SPDX-License-Identifier: GPL-2.0
/*
 * A heap: the pages that one CPU owns in a cache, in Brent's sets (1984,
 * sections 2.7 and 4).
 *
 *	the current page	allocations take its blocks while it has any
 *	CP_S3	at least phi0 blocks free and one live; the strategy picks
 *		the next current page here
 *	CP_S2	no block live; a stack, taken from when S3 is empty
 *	CP_LOW	the rest: S4, and pages with fewer than phi0 free blocks,
 *		which Brent keeps on one list
 *
 * S1, pages never used, is the arena.  A block freed into the current page
 * does not move it.  Which list a page is on follows from its number of free
 * blocks and from being current or not, so no field says so.
 *
 * Strategies of the study may do without a current page (heap_by_block.c), or
 * take no block back before its page is empty (heap_one_way.c).  Where they
 * differ a function asks cp_heap_has(), which is false without the study.
 *
 * Callers have claimed the heap, or hold the lock of a side heap; the fast path
 * (fast.h) does without these functions.  A page that leaves goes onto the
 * caller's list, which the caller gives to the arena after it has dropped the
 * claim or lock.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/report.h"
#include "heap/sets.h"

struct cp_heap cp_heap_none __ro_after_init = { .claim.taken = 1 };

DEFINE_PER_CPU(struct cp_hot, cp_hot) = CP_PER_CPU_VALUE({
	.heap = { [0 ... CP_HOT_SIZE - 1] = &cp_heap_none },
});

static_assert(offsetofend(struct cp_heap, stat[CP_ALLOC]) <= 64);

unsigned int cp_heap_traced;

/*
 * Initialize cp_hot: the module loader does not relocate pointers in the
 * initial values of per-CPU variables.
 */
void cp_hot_init(void)
{
	int i, cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i < CP_HOT_SIZE; i++)
			per_cpu_ptr(&cp_hot, cpu)->heap[i] = &cp_heap_none;
}

/* Check whether a block needs more than to be taken off its page. */
static bool cp_heap_wants_extra(const struct cp_heap *h)
{
	return h->cache->link || h->cache->flags & CP_CACHE_TAGS ||
	       want_init_on_free() ||
	       READ_ONCE(cp_heap_traced) ||
	       cp_heap_has(h, CP_BY_BLOCK | CP_ONE_WAY);
}

static void cp_heap_set_extra(struct cp_heap *h)
{
	u8 closed = h->claim.closed & ~CP_CLOSED_EXTRA;

	if (cp_heap_wants_extra(h))
		closed |= CP_CLOSED_EXTRA;
	WRITE_ONCE(h->claim.closed, closed);
}

/*
 * Set the strategy of a heap.  The heap has no page, and h->state has room for
 * the strategy.
 */
void cp_heap_set_strategy(struct cp_heap *h, const struct cp_strategy *strategy,
			  unsigned int phi0)
{
	/* A side heap has few blocks: MRU is enough. */
	h->strategy = h->cpu == CP_SIDE ? &cp_strategy_mru : strategy;
	h->flags = h->strategy->flags;
	h->phi0 = cp_heap_has(h, CP_EXACT) ? 1 : phi0;
	cp_heap_set_extra(h);
	if (h->strategy->init)
		h->strategy->init(h);
}

/*
 * Initialize a heap.  A strategy that needs memory of its own is set later, by
 * cp_heap_retune().
 */
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

static struct cp_heap **cp_heap_hot(const struct cp_heap *h)
{
	return &per_cpu_ptr(&cp_hot, h->cpu)->heap[cp_hot_index(h->base)];
}

/* Let frees find the heap by its current page. */
static void cp_heap_heat(struct cp_heap *h)
{
	if (h->cpu != CP_SIDE && !(h->claim.closed & CP_CLOSED_EXTRA))
		WRITE_ONCE(*cp_heap_hot(h), h);
}

/* Close the heap to the fast path or open it, as tracing has begun or ended. */
void cp_heap_trace(struct cp_heap *h, void *unused)
{
	cp_heap_set_extra(h);
	if (h->cur)
		cp_heap_heat(h);
}

static void cp_heap_cool(struct cp_heap *h)
{
	if (h->cpu != CP_SIDE && READ_ONCE(*cp_heap_hot(h)) == h)
		WRITE_ONCE(*cp_heap_hot(h), &cp_heap_none);
}

/*
 * Check whether the counts of the current page disagree with its free list:
 * blocks were freed twice, and had been written over, so that no check could
 * tell.
 */
static bool cp_heap_is_askew(const struct cp_heap *h)
{
	int taken = cp_heap_taken(h);

	return taken < 0 ||
	       taken + (h->free != CP_NIL) > (int)h->cache->capacity;
}

/* Give up the current page: none of its blocks is handed out any more. */
static void cp_heap_write_off(struct cp_heap *h)
{
	h->moved -= cp_heap_taken(h) - (int)h->cache->capacity;
	cp_heap_set_taken(h, h->cache->capacity);
	h->free = CP_NIL;
	cp_heap_set_dry(h);
	cp_page_set_damaged(h->cur);
	cp_report(CP_BAD_DOUBLE, h->cache, h->base, 0);
}

/* Return: the number of live blocks of the current page. */
int cp_heap_live_current(const struct cp_heap *h)
{
	return cp_heap_taken(h) - cp_heap_aside(h);
}

/*
 * Retire the current page: its free blocks go back into its header.
 *
 * Return: the page, which is in no set.
 */
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
 * Choose the next current page, from S3, then S2, as the current page has run
 * out.  With CP_ONE_WAY the current page may be empty by now, so it is retired
 * first.
 *
 * Return: false if only a page from S1 can help.
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

/*
 * Take up to n blocks of the current page.  Blocks behind a broken word are
 * lost.
 *
 * Return: the number of blocks.
 */
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

/*
 * Take up to n blocks, all of one page.
 *
 * Return: the number of blocks; 0 if only a page from S1 can help.
 */
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

/* Make a loose page with free blocks the current page, as that has run out. */
void cp_heap_install(struct cp_heap *h, struct cp_page *p, unsigned int source)
{
	cp_heap_own(h, p);
	if (cp_heap_has(h, CP_BY_BLOCK))
		cp_heap_install_by_block(h, p, source);
	else
		cp_heap_make_current(h, p, source);
}
