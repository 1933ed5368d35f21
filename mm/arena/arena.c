// SPDX-License-Identifier: GPL-2.0
/*
 * The arena: takes pages from the system in chunks, keeps the free ones in
 * buddies, lends them to caches and as page blocks, and gives them back to the
 * system.
 *
 * Bound: the number of free pages is bounded by the number of used pages.  B is
 * the number of pages in page blocks, with those in runs and in stocks, R the
 * recent high-water mark of B, and U the number of pages in caches plus B.  At
 * most
 *
 *	spare(U) = U / 64 + 4 + R - B
 *
 * pages are free, or what U lacks of min_pages if that is more.  R rises with B
 * at once.  It fades as blocks come back and as time goes by, so that a load of
 * large blocks that goes up and down does not call the system each time.
 *
 * Give back: a block that comes back and takes the free pages past the bound
 * sends the excess to the system.  The excess is little more than the block
 * that came back.
 *
 * Take: a chunk has at most spare(U) pages, or what held lacks of min_pages,
 * unless a request needs a larger block.  A chunk is taken although pages
 * are free if each free block is too small for the request.  Then the rest of
 * the chunk can pass the bound, and the excess goes back at once.  A chunk is
 * split into single pages, and each page can go back alone: a live page pins
 * only itself.
 *
 * Uses: pages with different lifetimes can come from different chunks, so that
 * long-lived pages do not lie between short-lived ones.  Pages of caches and
 * runs have one buddy, blocks of callers another.  A request is served from the
 * chunks of the other use when the system has no more pages.
 *
 * Accounting: held is raised before a chunk is asked for, and lowered after its
 * pages have left.  So held is never less than what the system has lent.  At
 * any moment
 *
 *	held = cache_pages + block_pages + free pages + transit
 *
 * where transit counts pages that are being taken, returned or freed.
 */
#include "base/kernel.h"
#include "arena/arena.h"
#include "arena/system.h"

/*
 * Every CP_RECENT_GIVES frees, drop 1/CP_RECENT_FADE of recent's excess over
 * block_pages, but at most CP_RECENT_GIVES pages.
 */
#define CP_RECENT_GIVES	CP_BATCH
#define CP_RECENT_FADE	8

struct cp_arena cp_arena;

void cp_arena_init(struct cp_arena *a, const struct cp_arena_args *args)
{
	unsigned int use;

	memset(a, 0, sizeof(*a));
	raw_spin_lock_init(&a->lock);
	for (use = 0; use < CP_NR_USES; use++)
		cp_buddy_init(&a->buddy[use], args->policy, use);
	cp_buddy_set_desired(&a->buddy[CP_FOR_CALLERS], &args->desired);
	a->apart = args->apart;
	a->chunk_order = args->chunk_order;
	a->min_pages = args->min_pages;
	a->max_pages = args->max_pages ?: LONG_MAX;
}

static enum cp_use cp_arena_use(const struct cp_arena *a,
				enum cp_page_kind kind)
{
	return a->apart && kind != CP_BLOCK ? CP_FOR_CACHES : CP_FOR_CALLERS;
}

/*
 * Count the pages of a block for the kernel's statistics: lent is 1 when the
 * block is lent, -1 when it becomes free again.  Caller holds a->lock.
 */
static __always_inline void cp_arena_tell(struct cp_arena *a,
					  struct cp_page *p, int lent)
{
	long pages = lent * (1L << p->order);

	cp_vm_add(&a->vm, p, CP_VM_FREE, -pages);
	cp_vm_add(&a->vm, p, CP_VM_SLAB, pages);
}

/*
 * Lend a taken block, as a page of a cache or as a page block.  The block of a
 * run is a page block until first fit makes it a run.  Caller holds a->lock.
 */
static __always_inline void cp_arena_lend(struct cp_arena *a,
					  struct cp_page *p,
					  enum cp_page_kind kind)
{
	a->stat[CP_TAKE]++;
	a->buddy[cp_page_word(p).use].nr_used[p->order]++;
	cp_arena_tell(a, p, 1);
	if (kind == CP_CACHE) {
		a->cache_pages++;
		atomic_long_inc(&a->loose);
		cp_page_hold(p);
		cp_page_set(p, CP_LOOSE, 0);
	} else {
		a->block_pages += 1UL << p->order;
		a->recent = max(a->recent, a->block_pages);
		a->blocks[p->order]++;
		a->lent[p->order] += kind == CP_BLOCK;
		cp_page_set_kind(p, CP_STOCK);
		cp_page_set_lent(p, p->order);
	}
}

static __always_inline struct cp_page *cp_arena_lend_one(struct cp_arena *a,
							 enum cp_use use,
							 unsigned int order,
							 enum cp_page_kind kind)
{
	struct cp_page *p = cp_buddy_take(&a->buddy[use], order);

	if (likely(p))
		cp_arena_lend(a, p, kind);
	return p;
}

/*
 * Take a chunk that is entirely free from the other use, give it this use, and
 * take a block of it.  Only the head of the chunk is changed: each block that
 * is split off copies the use from there.  Caller holds a->lock.
 *
 * Return: the block, or NULL.
 */
static struct cp_page *cp_arena_move_chunk(struct cp_arena *a,
					   enum cp_use use, unsigned int order)
{
	struct cp_page *p = cp_buddy_take_whole(&a->buddy[cp_other_use(use)],
						order);
	union cp_page_word word;

	if (!p)
		return NULL;
	word = cp_page_word_as(p, CP_TAIL);
	word.use = use;
	WRITE_ONCE(p->word.all, word.all);
	return cp_buddy_add(&a->buddy[use], p, p->order, order);
}

/*
 * Take a block where the first look found none: merge all pairs there are,
 * dropping the lock after each batch, then change the use of a chunk.
 */
static noinline struct cp_page *cp_arena_find(struct cp_arena *a,
					      enum cp_use use,
					      unsigned int order,
					      enum cp_page_kind kind)
{
	struct cp_page *p;
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&a->lock, flags);
		p = cp_arena_lend_one(a, use, order, kind);
		more = !p && cp_buddy_unfinished(&a->buddy[use], order);
		/* Lend it now: unlocked, the other use might take it back. */
		if (!p && !more && a->apart) {
			p = cp_arena_move_chunk(a, use, order);
			if (p)
				cp_arena_lend(a, p, kind);
		}
		raw_spin_unlock_irqrestore(&a->lock, flags);
	} while (more);
	return p;
}

/* Merge all pairs, CP_BATCH merges at a time.  Process context. */
void cp_arena_merge(struct cp_arena *a)
{
	unsigned long flags;
	enum cp_use use;
	bool more;

	for (use = 0; use < CP_NR_USES; use++)
		do {
			raw_spin_lock_irqsave(&a->lock, flags);
			more = cp_buddy_merge(&a->buddy[use], CP_BATCH);
			raw_spin_unlock_irqrestore(&a->lock, flags);
			cond_resched();
		} while (more);
}

/*
 * Collect the excess of free pages over spare, at most this number of blocks.
 * The largest blocks that fit go first, so that small blocks remain for the
 * pages of caches.  Caller holds a->lock.
 *
 * Return: true if there is more excess.
 */
static bool cp_arena_collect_some(struct cp_arena *a, unsigned long spare,
				  unsigned int blocks,
				  struct list_head *excess)
{
	unsigned long free;

	while ((free = cp_arena_free_pages(a)) > spare) {
		struct cp_buddy *b = a->buddy;
		struct cp_page *p;

		if (!blocks--)
			return true;
		/* Take from the use that has more free pages. */
		if (2 * b->free_pages < free)
			b++;
		p = cp_buddy_spill(b, min_t(unsigned int, CURPAGE_MAX_ORDER,
					    ilog2(free - spare)));
		trace_curpage_chunk_return(cp_page_pfn(p), p->order);
		a->stat[CP_RETURNED]++;
		a->stat[CP_RETURNED_PAGES] += 1UL << p->order;
		a->transit += 1UL << p->order;
		cp_vm_add(&a->vm, p, CP_VM_FREE, -(1L << p->order));
		list_add_tail(&p->list, excess);
	}
	return false;
}

/*
 * Collect all excess over the rule: about as many pages as the caller brought.
 * While held is past max_pages, collect free pages until it is not.  Caller
 * holds a->lock.
 */
static void cp_arena_collect(struct cp_arena *a, struct list_head *excess)
{
	unsigned long free = cp_arena_free_pages(a);
	unsigned long spare = min(cp_arena_spare_now(a),
				  cp_up_to(free, a->beyond));

	if (free > spare)
		cp_arena_collect_some(a, spare, UINT_MAX, excess);
}

/*
 * Uncount pages in transit that have left, or that the system did not lend.
 * Caller holds a->lock.
 */
static void cp_arena_unhold(struct cp_arena *a, unsigned long pages)
{
	a->held -= pages;
	a->transit -= pages;
	a->beyond = min(a->beyond, cp_up_to(a->held, a->max_pages));
}

static noinline unsigned long cp_arena_return_all(struct cp_arena *a,
						  struct list_head *excess)
{
	struct cp_page *p, *next;
	unsigned long pages = 0;
	unsigned long flags;

	list_for_each_entry_safe(p, next, excess, list) {
		unsigned int order = p->order;

		cp_system_give(p, order);
		pages += 1UL << order;
	}
	raw_spin_lock_irqsave(&a->lock, flags);
	cp_arena_unhold(a, pages);
	cp_vm_flush(&a->vm);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return pages;
}

static unsigned long cp_arena_return(struct cp_arena *a,
				     struct list_head *excess)
{
	return list_empty(excess) ? 0 : cp_arena_return_all(a, excess);
}

/*
 * Count 2^order pages as held before they are taken.  Fails if held would
 * pass max_pages, unless force is set: then the caller cannot be refused.
 */
static bool cp_arena_reserve(struct cp_arena *a, unsigned int order, bool force)
{
	unsigned long pages = 1UL << order;
	unsigned long flags;
	bool ok;

	raw_spin_lock_irqsave(&a->lock, flags);
	ok = force || a->held + pages <= a->max_pages;
	if (ok) {
		if (unlikely(a->held + pages > a->max_pages)) {
			a->stat[CP_BEYOND_BOUND]++;
			a->beyond = a->held + pages - a->max_pages;
		}
		a->held += pages;
		a->transit += pages;
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return ok;
}

static void cp_arena_unreserve(struct cp_arena *a, unsigned int order)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	cp_arena_unhold(a, 1UL << order);
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

/*
 * Make room below max_pages for 2^order pages: give free blocks back to the
 * system, which are all too small for the request.  If all free pages together
 * are not enough, none goes back.
 *
 * Return: true if room was made.
 */
static bool cp_arena_make_room(struct cp_arena *a, unsigned int order)
{
	unsigned long over, free, flags;
	LIST_HEAD(excess);

	raw_spin_lock_irqsave(&a->lock, flags);
	over = cp_up_to(a->held + (1UL << order), a->max_pages);
	free = cp_arena_free_pages(a);
	if (over <= free)
		cp_arena_collect_some(a, free - over, UINT_MAX, &excess);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	cp_arena_return(a, &excess);
	return over <= free;
}

/*
 * Reserve 2^need pages although held is at max_pages.  A request that may sleep
 * makes room first.  A request with __GFP_NOFAIL may pass the bound.
 */
static bool cp_arena_reserve_last(struct cp_arena *a, gfp_t gfp,
				  unsigned int need)
{
	bool force = gfp & __GFP_NOFAIL;

	if (gfpflags_allow_blocking(gfp) && cp_arena_make_room(a, need) &&
	    cp_arena_reserve(a, need, false))
		return true;
	return force && cp_arena_reserve(a, need, true);
}

/*
 * Take a chunk of order *wish, or a smaller one down to order need.  Only the
 * last try, with order need, pushes the system or returns free blocks to make
 * room.
 */
static struct cp_page *
cp_arena_take_chunk(struct cp_arena *a, gfp_t gfp, unsigned int need,
		    unsigned int *wish, enum cp_arena_stat *why)
{
	unsigned int order = *wish;

	for (;;) {
		gfp_t flags = gfp;
		struct cp_page *p;

		if (order > need)
			flags = (gfp & ~CP_GFP_PUSH) | __GFP_NOWARN |
				__GFP_NOMEMALLOC;
		*why = CP_AT_BOUND;
		if (cp_arena_reserve(a, order, false) ||
		    (order == need && cp_arena_reserve_last(a, gfp, need))) {
			p = cp_system_take(flags, order);
			if (p) {
				*wish = order;
				return p;
			}
			cp_arena_unreserve(a, order);
			*why = CP_SYSTEM_FAILED;
		}
		if (order-- == need)
			return NULL;
	}
}

/* Choose the order of a chunk to ask for, at least need. */
static unsigned int cp_arena_wish(const struct cp_arena *a, unsigned int need)
{
	/* Racy reads: a stale figure makes the chunk too small or large. */
	unsigned long held = data_race(a->held);
	unsigned long room;

	/* Racy reads, as above. */
	room = max(data_race(cp_arena_rule(a)),
		   cp_up_to(a->min_pages, held));
	room = clamp(cp_up_to(a->max_pages, held), 1UL, room);
	return max(need, min_t(unsigned int, ilog2(room), a->chunk_order));
}

/*
 * Take a block after the system had none, or after max_pages refused a chunk.
 * Look again, then take from the chunks of the other use.
 */
static struct cp_page *cp_arena_refused(struct cp_arena *a, unsigned int order,
					enum cp_page_kind kind,
					enum cp_arena_stat why)
{
	enum cp_use use = cp_arena_use(a, kind);
	/* Another CPU may have freed a block while the system was asked. */
	struct cp_page *p = cp_arena_find(a, use, order, kind);
	unsigned long flags;

	if (!p && a->apart)
		p = cp_arena_find(a, cp_other_use(use), order, kind);
	raw_spin_lock_irqsave(&a->lock, flags);
	cp_buddy_miss(&a->buddy[use], order);
	if (!p)
		a->stat[why]++;
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return p;
}

static struct cp_page *cp_arena_add(struct cp_arena *a, struct cp_page *p,
				    unsigned int order, enum cp_use use,
				    int need)
{
	a->stat[CP_CHUNK_TAKEN]++;
	a->stat[CP_CHUNK_PAGES] += 1UL << order;
	a->transit -= 1UL << order;
	cp_vm_add(&a->vm, p, CP_VM_FREE, 1L << order);
	trace_curpage_chunk_take(cp_page_pfn(p), order);
	return cp_buddy_add(&a->buddy[use], p, order, need);
}

/*
 * Mark a block as one of the system's reserves, so that it serves this request
 * alone (reserve.c).
 */
static noinline void cp_arena_mark_reserve(struct cp_arena *a,
					   struct cp_page *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	a->stat[CP_RESERVE_TAKEN]++;
	cp_page_set(p, CP_RESERVE, p->order);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	set_page_pfmemalloc(cp_page_to_page(p));
}

/*
 * Borrow a chunk and lend a block of it.  The rest of the chunk can be too
 * much, together with free pages that other CPUs brought in meanwhile: the
 * excess goes back.  A chunk of the system's reserves has no rest, as only a
 * chunk of order need is asked for with access to the reserves.
 */
static noinline struct cp_page *cp_arena_grow(struct cp_arena *a, gfp_t gfp,
					      unsigned int need,
					      enum cp_page_kind kind)
{
	enum cp_use use = cp_arena_use(a, kind);
	unsigned int wish = cp_arena_wish(a, need), order = wish;
	enum cp_arena_stat why;
	unsigned long flags;
	struct cp_page *p;
	LIST_HEAD(excess);
	bool reserve;

	p = cp_arena_take_chunk(a, gfp, need, &order, &why);
	if (!p)
		return cp_arena_refused(a, need, kind, why);
	reserve = page_is_pfmemalloc(cp_page_to_page(p));
	if (unlikely(reserve && kind == CP_CACHE))
		kind = CP_RUN;	/* a reserve enters no heap */
	cp_page_adopt(p, order, use);

	raw_spin_lock_irqsave(&a->lock, flags);
	cp_buddy_miss(&a->buddy[use], need);
	a->stat[CP_CHUNK_LOWER] += order < wish;
	p = cp_arena_add(a, p, order, use, need);
	cp_arena_lend(a, p, kind);
	cp_arena_collect(a, &excess);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	cp_arena_return(a, &excess);
	if (unlikely(reserve))
		cp_arena_mark_reserve(a, p);
	return p;
}

/*
 * Report a request for pages of a given zone.  The arena cannot serve it: it
 * does not keep pages apart by zone when it lends them again.
 */
void cp_gfp_refuse(gfp_t gfp, unsigned long caller)
{
	pr_warn_once("no pages of a given zone: gfp %#x (%pGg), by %pS\n",
		     (__force unsigned int)gfp, &gfp, (void *)caller);
}

/*
 * Take a block of 2^order pages, whose contents are undefined.  Sleeps only if
 * gfp allows it; called with no spinlock held and nothing claimed.
 *
 * Return: the block, or NULL.
 */
struct cp_page *cp_arena_take(struct cp_arena *a, gfp_t gfp,
			      unsigned int order, enum cp_page_kind kind)
{
	enum cp_use use = cp_arena_use(a, kind);
	unsigned long flags;
	struct cp_page *p;
	bool more;

	/* Built in: callers may come before init, or after it failed. */
	if (unlikely(!READ_ONCE(a->buddy[use].policy)))
		return NULL;
	raw_spin_lock_irqsave(&a->lock, flags);
	cp_buddy_ask(&a->buddy[use], order);
	p = cp_arena_lend_one(a, use, order, kind);
	more = !p && (a->apart || cp_buddy_unfinished(&a->buddy[use], order));
	raw_spin_unlock_irqrestore(&a->lock, flags);
	if (unlikely(more))
		p = cp_arena_find(a, use, order, kind);

	return p ?: cp_arena_grow(a, gfp, order, kind);
}

/*
 * Lower the high-water mark of block_pages, by at most this number of pages.
 * Caller holds a->lock.
 */
static void cp_arena_fade(struct cp_arena *a, unsigned long most)
{
	unsigned long over = cp_up_to(a->recent, a->block_pages);

	a->recent -= min(most, DIV_ROUND_UP(over, CP_RECENT_FADE));
}

/* Uncount a lent block that has come back.  Caller holds a->lock. */
static __always_inline void cp_arena_unlend(struct cp_arena *a,
					    struct cp_page *p)
{
	if (cp_page_word(p).kind == CP_LOOSE) {
		a->cache_pages--;
		atomic_long_dec(&a->loose);
	} else {
		a->block_pages -= 1UL << p->order;
		a->blocks[p->order]--;
	}
	if (unlikely(!(++a->stat[CP_GIVE] % CP_RECENT_GIVES)))
		cp_arena_fade(a, CP_RECENT_GIVES);
	a->buddy[cp_page_word(p).use].nr_used[p->order]--;
}

/*
 * Give lent blocks to the system that must not be lent again.  The system frees
 * a page when the last reference to it is dropped.
 *
 * Return: the pages of the blocks and of the arena's excess, which goes with
 * them.
 */
noinline unsigned long cp_arena_expel(struct cp_arena *a,
				      struct list_head *blocks)
{
	struct cp_page *p;
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	list_for_each_entry(p, blocks, list) {
		unsigned long pages = 1UL << p->order;

		cp_arena_unlend(a, p);
		a->buddy[cp_page_word(p).use].pages -= pages;
		a->stat[CP_RETURNED]++;
		a->stat[CP_RETURNED_PAGES] += pages;
		a->stat[CP_EXPELLED_PAGES] += pages;
		a->transit += pages;
		cp_vm_add(&a->vm, p, CP_VM_SLAB, -pages);
		cp_page_set(p, CP_TAIL, p->order);
	}
	cp_arena_collect(a, blocks);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return cp_arena_return(a, blocks);
}

/*
 * Drop the references that cp_page_hold() took to pages of caches.  A page
 * moves to the list referenced if others hold a reference to it, or have
 * dropped one of ours.
 */
static __always_inline void cp_arena_unhold_pages(struct list_head *blocks,
						  struct list_head *referenced)
{
	struct cp_page *p, *next;

	list_for_each_entry_safe(p, next, blocks, list) {
		if (cp_page_kind(p) == CP_LOOSE &&
		    unlikely(!cp_page_unhold(p))) {
			list_del_init(&p->list);
			list_add_tail(&p->list, referenced);
		}
	}
}

/*
 * Give at most CP_BATCH blocks to the arena.  Return: the pages of excess that
 * went to the system.
 */
static __always_inline unsigned long
cp_arena_give_some(struct cp_arena *a, struct list_head *blocks)
{
	struct cp_page *p, *next;
	unsigned int n = 0;
	unsigned long flags;
	LIST_HEAD(excess);

	raw_spin_lock_irqsave(&a->lock, flags);
	list_for_each_entry_safe(p, next, blocks, list) {
		if (n++ == CP_BATCH)
			break;
		list_del_init(&p->list);
		cp_arena_unlend(a, p);
		cp_arena_tell(a, p, -1);
		cp_buddy_give(&a->buddy[cp_page_word(p).use], p);
	}
	cp_arena_collect(a, &excess);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return cp_arena_return(a, &excess);
}

/*
 * Give blocks to the arena: pages that their heap has released (CP_LOOSE), or
 * page blocks that the caller has claimed (CP_STOCK).  Called with no lock held
 * and nothing claimed.
 *
 * Return: the pages that went on to the system.
 */
unsigned long cp_arena_give(struct cp_arena *a, struct list_head *blocks)
{
	unsigned long pages = 0;
	LIST_HEAD(referenced);

	cp_arena_unhold_pages(blocks, &referenced);
	if (unlikely(!list_empty(&referenced)))
		pages = cp_arena_expel(a, &referenced);
	while (!list_empty(blocks))
		pages += cp_arena_give_some(a, blocks);
	return pages;
}

/*
 * Take min_pages pages for callers, when the module loads.  Pages of these
 * that go back later, under memory pressure, come again with the chunks of
 * later requests.
 */
int cp_arena_fill(struct cp_arena *a)
{
	enum cp_arena_stat why;
	unsigned long flags;
	struct cp_page *p;

	/* Plain reads: nobody else uses the arena yet. */
	while (a->held < a->min_pages) {
		unsigned int order = cp_arena_wish(a, 0);

		order = min_t(unsigned int, order,
			      ilog2(a->min_pages - a->held));
		/* __GFP_RETRY_MAYFAIL: no process is killed for min_pages. */
		p = cp_arena_take_chunk(a, GFP_KERNEL | __GFP_RETRY_MAYFAIL |
					__GFP_NOWARN, 0, &order, &why);
		if (!p) {
			pr_err("arena_min_mb: %lu pages of %lu, the system has no more\n",
			       a->held, a->min_pages);
			return -ENOMEM;
		}
		cp_page_adopt(p, order, CP_FOR_CALLERS);
		raw_spin_lock_irqsave(&a->lock, flags);
		cp_arena_add(a, p, order, CP_FOR_CALLERS, -1);
		raw_spin_unlock_irqrestore(&a->lock, flags);
	}
	return 0;
}

/* Close the arena: cp_arena_take() returns NULL from now on. */
void cp_arena_close(struct cp_arena *a)
{
	enum cp_use use;

	for (use = 0; use < CP_NR_USES; use++)
		WRITE_ONCE(a->buddy[use].policy, NULL);
}

/* Return: the number of pages that may stay free for min_pages alone. */
unsigned long cp_arena_rest(const struct cp_arena *a)
{
	/* Racy read: a stale figure will do. */
	return data_race(cp_arena_spare(a, 0));
}

/*
 * Age the arena, at each look for what is idle: halve recent's excess over
 * block_pages and give back the free pages beyond the rule.  If the arena is
 * idle, give back all but what min_pages lets it hold.
 *
 * Return: the pages given back.
 */
unsigned long cp_arena_age(struct cp_arena *a, bool idle)
{
	unsigned long spare, flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	a->recent -= cp_up_to(a->recent, a->block_pages) / 2;
	spare = idle ? cp_arena_spare(a, 0) : cp_arena_spare_now(a);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return cp_arena_trim(a, spare);
}

/*
 * Count a request that got nothing, neither here nor from a stock.  The share
 * of free pages at that time is the external fragmentation.
 */
void cp_arena_fail(struct cp_arena *a, unsigned int order)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	a->failed[order]++;
	a->failed_free += cp_arena_free_pages(a);
	a->failed_held += a->held;
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

/* Give back the free pages beyond spare.  Return: the pages given back. */
unsigned long cp_arena_trim(struct cp_arena *a, unsigned long spare)
{
	unsigned long pages = 0;
	bool more;

	do {
		unsigned long flags;
		LIST_HEAD(excess);

		raw_spin_lock_irqsave(&a->lock, flags);
		more = cp_arena_collect_some(a, spare, CP_BATCH, &excess);
		cp_vm_flush(&a->vm);
		raw_spin_unlock_irqrestore(&a->lock, flags);
		pages += cp_arena_return(a, &excess);
	} while (more);
	return pages;
}

/*
 * Change the policy in use.  An eager policy has no pairs, so those that exist
 * are merged.  Process context.
 */
void cp_arena_set_policy(struct cp_arena *a,
			 const struct cp_buddy_policy *policy)
{
	unsigned long flags;
	enum cp_use use;

	raw_spin_lock_irqsave(&a->lock, flags);
	for (use = 0; use < CP_NR_USES; use++)
		cp_buddy_set_policy(&a->buddy[use], policy);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	if (cp_buddy_is_eager(policy))
		cp_arena_merge(a);
}

void cp_arena_get_desired(struct cp_arena *a, struct cp_desired *d)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	*d = a->buddy[CP_FOR_CALLERS].tailored;
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

/*
 * Set the desired numbers for chunks of callers.  Those for chunks of caches
 * are always learnt.
 */
void cp_arena_set_desired(struct cp_arena *a, const struct cp_desired *d)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	cp_buddy_set_desired(&a->buddy[CP_FOR_CALLERS], d);
	raw_spin_unlock_irqrestore(&a->lock, flags);
}
