// SPDX-License-Identifier: GPL-2.0
/*
 * The arena: pages borrowed from the system in chunks, kept in buddies, lent to
 * caches and as page blocks, and given back.
 *
 * What it holds is bounded by what is used.  With U pages in caches and
 * handed out as blocks, at most
 *
 *	spare(U) = U / 64 + 4
 *
 * pages are free, and as many as page blocks had more of late: the most that they
 * used fades away as blocks and pages come back, and as time goes by, so that a
 * load of large blocks that goes up and down does not go to the system each time.
 * Or as many are free as min_pages lets be held in all.
 *
 * A block that comes back and takes the free pages past that sends the excess to
 * the system, which is little more than came back.  A chunk is at most spare(U)
 * pages, or what is missing to min_pages, unless a larger block is asked for; what
 * a chunk leaves free beyond that, because there were free pages too small to
 * serve, goes back at once.  A chunk is split into pages that go back alone: a live
 * page pins none but itself.
 *
 * What lasts otherwise can come from chunks of its own, so that it does not lie
 * between what comes and goes: pages of caches and blocks of callers have a
 * buddy each.  One is served from the chunks of the other when there is no more
 * to be had from the system.
 *
 * held is counted up before a chunk is asked for and down when its pages have
 * left, so it is never less than what the system has lent.  At any moment
 *
 *	held = pages in caches + in blocks + free + in transit
 *
 * where those in transit are being borrowed, returned, or freed.
 */
#include "kernel.h"
#include "internal.h"

/* After so many blocks that came back, by one part in so many. */
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

/* The block has left the free ones to be lent (1), or has joined them (-1). */
static __always_inline void cp_arena_tell(struct cp_arena *a,
					  struct cp_page *p, int lent)
{
	long pages = lent * (1L << p->order);

	cp_vm_add(&a->vm, p, CP_VM_FREE, -pages);
	cp_vm_add(&a->vm, p, CP_VM_SLAB, pages);
}

/*
 * A taken block becomes a page of a cache or a block of its own, which that of a
 * run is until first fit makes it one.
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
 * A block out of a chunk of the other use that is all free, which becomes one of
 * ours.  Only its head has to know: what is cut off learns it from there.
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
 * What was not there at once: there is much to be joined, and the lock is let go
 * of now and then; or the other use has more than it needs.
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
		/* Lent at once, or the other use might take it back. */
		if (!p && !more && a->apart) {
			p = cp_arena_move_chunk(a, use, order);
			if (p)
				cp_arena_lend(a, p, kind);
		}
		raw_spin_unlock_irqrestore(&a->lock, flags);
	} while (more);
	return p;
}

/* Join what can be joined, a little at a time.  Process context. */
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
 * Collect what is free beyond spare pages, in the largest blocks that fit, so
 * that the smallest remain for the pages of caches.  Up to a number of blocks;
 * true when that was not enough.
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
		/* Of the use that has more. */
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
 * All that is beyond the rule: about as much as the caller brought.  Nothing stays
 * free while held is past the bound.
 */
static void cp_arena_collect(struct cp_arena *a, struct list_head *excess)
{
	unsigned long spare = cp_up_to(cp_arena_spare_now(a), a->beyond);

	if (cp_arena_free_pages(a) > spare)
		cp_arena_collect_some(a, spare, UINT_MAX, excess);
}

/* Pages in transit have left, or have not come. */
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
 * Count 2^order pages as held, unless that would pass the bound.  With force it may:
 * the caller cannot be refused.
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
 * The bound leaves no room for 2^order pages more.  Free blocks that are too small
 * to serve make some, if there are enough of them.
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

/* The bound was reached, and no smaller chunk would do. */
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
 * Borrow a chunk of order *wish, or a smaller one down to the order that is
 * needed.  Only the last try may lean on the system, and on what is free.
 */
static struct cp_page *cp_arena_borrow(struct cp_arena *a, gfp_t gfp,
				       unsigned int need, unsigned int *wish,
				       enum cp_arena_stat *why)
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

/* The order of a chunk. */
static unsigned int cp_arena_wish(const struct cp_arena *a, unsigned int need)
{
	/* Stale figures make it a little too small or too large. */
	unsigned long held = data_race(a->held);
	unsigned long room;

	/* Likewise. */
	room = max(data_race(cp_arena_rule(a)),
		   cp_up_to(a->min_pages, held));
	room = clamp(cp_up_to(a->max_pages, held), 1UL, room);
	return max(need, min_t(unsigned int, ilog2(room), a->chunk_order));
}

/* The system has none, or may not be asked for more. */
static struct cp_page *cp_arena_refused(struct cp_arena *a, unsigned int order,
					enum cp_page_kind kind,
					enum cp_arena_stat why)
{
	enum cp_use use = cp_arena_use(a, kind);
	/* Somebody may have freed what we need while we asked. */
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

/* The block is of the system's reserves, which nobody may forget. */
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
 * Borrow a chunk and lend a block of it.  Free pages that others brought in
 * meanwhile may be too many together with the rest of the chunk.  A chunk of the
 * system's reserves has no rest: larger ones than needed are asked for without.
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

	p = cp_arena_borrow(a, gfp, need, &order, &why);
	if (!p)
		return cp_arena_refused(a, need, kind, why);
	reserve = page_is_pfmemalloc(cp_page_to_page(p));
	if (unlikely(reserve && kind == CP_CACHE))
		kind = CP_RUN;	/* not into a heap */
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

/* The zone of a page that is handed out again is not known. */
void cp_gfp_refuse(gfp_t gfp, unsigned long caller)
{
	pr_warn_once("no pages of a given zone: gfp %#x (%pGg), by %pS\n",
		     (__force unsigned int)gfp, &gfp, (void *)caller);
}

/* A block of 2^order pages, its contents whatever they were; or NULL. */
struct cp_page *cp_arena_take(struct cp_arena *a, gfp_t gfp,
			      unsigned int order, enum cp_page_kind kind)
{
	enum cp_use use = cp_arena_use(a, kind);
	unsigned long flags;
	struct cp_page *p;
	bool more;

	/* Built in, and called before our init or after it failed. */
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

/* What was used of late is forgotten, but no more than so many pages at once. */
static void cp_arena_fade(struct cp_arena *a, unsigned long most)
{
	unsigned long over = cp_up_to(a->recent, a->block_pages);

	a->recent -= min(most, DIV_ROUND_UP(over, CP_RECENT_FADE));
}

/* A block that was lent is so no more. */
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
 * Blocks that were lent and must not be handed out again go to the system at once.
 * It frees a page when the last reference to it is dropped.  Returns their pages,
 * and those that went with them.
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
 * Take back the references that keep a page of a cache where it is.  If somebody
 * else holds one, or has dropped one of ours, the page is put on the other list.
 */
static __always_inline void cp_arena_unhold_pages(struct list_head *blocks,
						  struct list_head *odd)
{
	struct cp_page *p, *next;

	list_for_each_entry_safe(p, next, blocks, list) {
		if (cp_page_kind(p) == CP_LOOSE &&
		    unlikely(!cp_page_unhold(p))) {
			list_del_init(&p->list);
			list_add_tail(&p->list, odd);
		}
	}
}

/* Up to a batch of blocks; returns the pages that went on to the system. */
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
 * Pages that their cache has released, or blocks that were claimed as CP_STOCK;
 * returns the pages that went on to the system.
 */
unsigned long cp_arena_give(struct cp_arena *a, struct list_head *blocks)
{
	unsigned long pages = 0;
	LIST_HEAD(odd);

	cp_arena_unhold_pages(blocks, &odd);
	if (unlikely(!list_empty(&odd)))
		pages = cp_arena_expel(a, &odd);
	while (!list_empty(blocks))
		pages += cp_arena_give_some(a, blocks);
	return pages;
}

/*
 * Borrow what is to be held in any case, for callers; what has gone back under
 * pressure comes again with the chunks that are asked for.
 */
int cp_arena_fill(struct cp_arena *a)
{
	enum cp_arena_stat why;
	unsigned long flags;
	struct cp_page *p;

	/* Nobody else has the arena yet. */
	while (a->held < a->min_pages) {
		unsigned int order = cp_arena_wish(a, 0);

		/* Nobody is to be killed for it. */
		order = min_t(unsigned int, order,
			      ilog2(a->min_pages - a->held));
		p = cp_arena_borrow(a, GFP_KERNEL | __GFP_RETRY_MAYFAIL |
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

/* From now on there is nothing to be had. */
void cp_arena_close(struct cp_arena *a)
{
	enum cp_use use;

	for (use = 0; use < CP_NR_USES; use++)
		WRITE_ONCE(a->buddy[use].policy, NULL);
}

/* What may stay free when nothing is asked for. */
unsigned long cp_arena_rest(const struct cp_arena *a)
{
	/* A stale figure will do. */
	return data_race(cp_arena_spare(a, 0));
}

/*
 * Now and then: what is free beyond the rule, or beyond what is held in any case
 * if nothing is done with the arena.  Returns the pages given back.
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

/* A request got nothing, from wherever.  What was free then is fragmented. */
void cp_arena_fail(struct cp_arena *a, unsigned int order)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	a->failed[order]++;
	a->failed_free += cp_arena_free_pages(a);
	a->failed_held += a->held;
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

/* Keep at most this many free pages; returns the pages given back. */
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

/* In use: where buddies are always joined, those that were not are now. */
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

/* Of the blocks of callers; what caches need is one order, and learnt. */
void cp_arena_set_desired(struct cp_arena *a, const struct cp_desired *d)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	cp_buddy_set_desired(&a->buddy[CP_FOR_CALLERS], d);
	raw_spin_unlock_irqrestore(&a->lock, flags);
}
