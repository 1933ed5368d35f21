// SPDX-License-Identifier: GPL-2.0
/*
 * The arena: pages borrowed from the system in chunks, kept in a buddy, lent
 * to caches and as page blocks, and given back.
 *
 * What it holds is bounded by what is used.  With U pages in caches and
 * handed out as blocks, at most
 *
 *	spare(U) = U / 64 + 4
 *
 * pages are free.  A block that comes back and takes the free pages past that
 * sends the excess to the system, which is no more pages than came back (and
 * one for each 64 of them).  A chunk is at most spare(U) pages unless a larger
 * block is asked for; what a chunk leaves free beyond spare(U), because there
 * were free pages too small to serve, goes back at once.  A chunk is split into
 * pages that go back alone: a live page pins none but itself.
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

struct cp_arena cp_arena;

void cp_arena_init(struct cp_arena *a, unsigned int chunk_order,
		   unsigned long max_pages)
{
	memset(a, 0, sizeof(*a));
	spin_lock_init(&a->lock);
	cp_buddy_init(&a->buddy, CP_BUDDY_BINARY);
	a->chunk_order = chunk_order;
	a->max_pages = max_pages ?: LONG_MAX;
}

static unsigned long cp_arena_used(const struct cp_arena *a)
{
	return a->cache_pages + a->block_pages;
}

static unsigned long cp_spare(unsigned long used)
{
	return (used >> CP_SPARE_SHIFT) + CP_SPARE_MIN;
}

unsigned long cp_arena_spare(const struct cp_arena *a)
{
	return cp_spare(cp_arena_used(a));
}

/* A taken block becomes a page of a cache or a block of its own. */
static void cp_arena_lend(struct cp_arena *a, struct cp_page *p,
			  enum cp_page_kind kind)
{
	a->stat[CP_TAKE]++;
	if (kind == CP_CACHE) {
		a->cache_pages++;
		atomic_long_inc(&a->loose);
	} else {
		a->block_pages += 1UL << p->order;
		a->blocks[p->order]++;
	}
	cp_page_set(p, kind, p->order);
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
	struct cp_buddy *b = &a->buddy;

	while (b->free_pages > spare) {
		int order = min(CURPAGE_MAX_ORDER,
				ilog2(b->free_pages - spare));
		struct cp_page *p = NULL;

		if (!blocks--)
			return true;
		for (; order >= 0 && !p; order--)
			p = b->policy->take(b, order);
		if (!p)
			break;
		order = p->order;
		trace_curpage_chunk_return(cp_page_pfn(p), order);
		a->stat[CP_RETURNED]++;
		a->stat[CP_RETURNED_PAGES] += 1UL << order;
		a->transit += 1UL << order;
		list_add_tail(&p->list, excess);
	}
	return false;
}

/* All that is beyond the rule: about as much as the caller brought. */
static void cp_arena_collect(struct cp_arena *a, struct list_head *excess)
{
	cp_arena_collect_some(a, cp_arena_spare(a), UINT_MAX, excess);
}

static unsigned long cp_arena_return(struct cp_arena *a,
				     struct list_head *excess)
{
	struct cp_page *p, *next;
	unsigned long pages = 0;
	unsigned long flags;

	if (list_empty(excess))
		return 0;
	list_for_each_entry_safe(p, next, excess, list) {
		unsigned int order = p->order;

		cp_system_give(p, order);
		pages += 1UL << order;
	}
	spin_lock_irqsave(&a->lock, flags);
	a->held -= pages;
	a->transit -= pages;
	spin_unlock_irqrestore(&a->lock, flags);
	return pages;
}

/* Count 2^order pages as held, unless that would pass the bound. */
static bool cp_arena_reserve(struct cp_arena *a, unsigned int order)
{
	unsigned long pages = 1UL << order;
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&a->lock, flags);
	ok = a->held + pages <= a->max_pages;
	if (ok) {
		a->held += pages;
		a->transit += pages;
	}
	spin_unlock_irqrestore(&a->lock, flags);
	return ok;
}

static void cp_arena_unreserve(struct cp_arena *a, unsigned int order)
{
	unsigned long flags;

	spin_lock_irqsave(&a->lock, flags);
	a->held -= 1UL << order;
	a->transit -= 1UL << order;
	spin_unlock_irqrestore(&a->lock, flags);
}

/*
 * Borrow a chunk of order *wish, or a smaller one down to the order that is
 * needed.  Only the last try may lean on the system.
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
		if (cp_arena_reserve(a, order)) {
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

/*
 * Borrow a chunk and lend a block of it.  Free pages that others brought in
 * meanwhile may be too many together with the rest of the chunk.
 */
static struct cp_page *cp_arena_grow(struct cp_arena *a, gfp_t gfp,
				     unsigned int need, enum cp_page_kind kind)
{
	enum cp_arena_stat why;
	unsigned int wish, order;
	unsigned long flags;
	struct cp_page *p;
	LIST_HEAD(excess);

	/* A stale figure makes the chunk a little too small or too large. */
	order = ilog2(data_race(cp_arena_spare(a)));
	/* Who is charged for a page pays for none but that. */
	wish = gfp & __GFP_ACCOUNT ? need :
				     max(need, min(order, a->chunk_order));
	order = wish;
	p = cp_arena_borrow(a, gfp, need, &order, &why);
	if (p)
		cp_page_adopt(p, order);

	spin_lock_irqsave(&a->lock, flags);
	if (p) {
		a->stat[CP_CHUNK_TAKEN]++;
		a->stat[CP_CHUNK_PAGES] += 1UL << order;
		a->stat[CP_CHUNK_LOWER] += order < wish;
		a->transit -= 1UL << order;
		trace_curpage_chunk_take(cp_page_pfn(p), order);
		cp_buddy_mark_free(&a->buddy, p, order);
		p = a->buddy.policy->take(&a->buddy, need);
		cp_arena_lend(a, p, kind);
		cp_arena_collect(a, &excess);
	} else {
		/* Somebody may have freed what we need while we asked. */
		p = a->buddy.policy->take(&a->buddy, need);
		if (p)
			cp_arena_lend(a, p, kind);
		else
			a->stat[why]++;
	}
	spin_unlock_irqrestore(&a->lock, flags);
	cp_arena_return(a, &excess);
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
	unsigned long flags;
	struct cp_page *p;

	/* Built in, and called before our init or after it failed. */
	if (unlikely(!a->buddy.policy))
		return NULL;
	spin_lock_irqsave(&a->lock, flags);
	p = a->buddy.policy->take(&a->buddy, order);
	if (p)
		cp_arena_lend(a, p, kind);
	spin_unlock_irqrestore(&a->lock, flags);

	return p ?: cp_arena_grow(a, gfp, order, kind);
}

/* Up to a batch of blocks; returns the pages that went on to the system. */
static __always_inline unsigned long
cp_arena_give_some(struct cp_arena *a, struct list_head *blocks)
{
	struct cp_page *p, *next;
	unsigned int n = 0;
	unsigned long flags;
	LIST_HEAD(excess);

	spin_lock_irqsave(&a->lock, flags);
	list_for_each_entry_safe(p, next, blocks, list) {
		if (n++ == CP_BATCH)
			break;
		list_del_init(&p->list);
		if (p->word.kind == CP_CACHE) {
			a->cache_pages--;
			atomic_long_dec(&a->loose);
		} else {
			a->block_pages -= 1UL << p->order;
			a->blocks[p->order]--;
		}
		a->stat[CP_GIVE]++;
		a->buddy.policy->give(&a->buddy, p);
	}
	cp_arena_collect(a, &excess);
	spin_unlock_irqrestore(&a->lock, flags);
	return cp_arena_return(a, &excess);
}

/*
 * Pages that their cache has released, or blocks that were claimed as CP_STOCK;
 * returns the pages that went on to the system.
 */
unsigned long cp_arena_give(struct cp_arena *a, struct list_head *blocks)
{
	unsigned long pages = 0;

	while (!list_empty(blocks))
		pages += cp_arena_give_some(a, blocks);
	return pages;
}

/* Keep at most this many free pages; returns the pages given back. */
unsigned long cp_arena_trim(struct cp_arena *a, unsigned long spare)
{
	unsigned long pages = 0;
	bool more;

	do {
		unsigned long flags;
		LIST_HEAD(excess);

		spin_lock_irqsave(&a->lock, flags);
		more = cp_arena_collect_some(a, spare, CP_BATCH, &excess);
		spin_unlock_irqrestore(&a->lock, flags);
		pages += cp_arena_return(a, &excess);
	} while (more);
	return pages;
}

/* Every invariant of the arena; returns the number that are broken. */
int cp_arena_check(struct cp_arena *a)
{
	unsigned long used, blocks = 0;
	unsigned int order;
	unsigned long flags;
	int broken;

	spin_lock_irqsave(&a->lock, flags);
	broken = cp_buddy_check(&a->buddy);
	used = cp_arena_used(a) + a->transit;
	for (order = 0; order < CP_NR_ORDERS; order++)
		blocks += a->blocks[order] << order;
	if (blocks != a->block_pages)
		broken += cp_broken("arena: %lu pages in blocks, counted %lu",
				    blocks, a->block_pages);
	if (a->buddy.free_pages > cp_spare(used))
		broken += cp_broken("arena: %lu pages free, %lu allowed",
				    a->buddy.free_pages, cp_spare(used));
	if (a->held != used + a->buddy.free_pages)
		broken += cp_broken("arena: %lu pages held, %lu used or in transit, %lu free",
				    a->held, used, a->buddy.free_pages);
	if (a->held > a->max_pages)
		broken += cp_broken("arena: %lu pages held, %lu allowed",
				    a->held, a->max_pages);
	spin_unlock_irqrestore(&a->lock, flags);
	return broken;
}

/* A copy of the arena's figures that belong together. */
void cp_arena_sum(struct cp_arena *a, struct cp_arena_sum *sum)
{
	unsigned long flags;
	unsigned int order;

	spin_lock_irqsave(&a->lock, flags);
	sum->held = a->held;
	sum->transit = a->transit;
	sum->free_pages = a->buddy.free_pages;
	sum->cache_pages = a->cache_pages;
	sum->block_pages = a->block_pages;
	sum->spare = cp_arena_spare(a);
	sum->searches = a->buddy.searches;
	for (order = 0; order < CP_NR_ORDERS; order++) {
		sum->nr_free[order] = a->buddy.nr_free[order];
		sum->blocks[order] = a->blocks[order];
		sum->splits[order] = a->buddy.splits[order];
		sum->merges[order] = a->buddy.merges[order];
	}
	memcpy(sum->stat, a->stat, sizeof(sum->stat));
	spin_unlock_irqrestore(&a->lock, flags);
}
