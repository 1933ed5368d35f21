/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arena: pages taken from the system, and the rules for how many of them
 * may be free.
 */
#ifndef CP_ARENA_H
#define CP_ARENA_H

#include "arena/buddy.h"
#include "arena/vmstat.h"

#define CP_SPARE_SHIFT	6
#define CP_SPARE_MIN	4

struct cp_arena {
	raw_spinlock_t lock;		/* of the fields below, but not loose */
	bool apart;			/* own chunks for each use; constant */
	struct cp_buddy buddy[CP_NR_USES];
	unsigned long held;		/* all pages that the system has lent */
	unsigned long transit;		/* being taken, returned or freed */
	unsigned long cache_pages;	/* pages in caches */
	unsigned long block_pages;	/* pages in blocks, runs, stock */
	unsigned long recent;		/* high-water mark of block_pages */
	unsigned long blocks[CP_NR_ORDERS];	/* the same by order */
	unsigned long lent[CP_NR_ORDERS];	/* ever lent to callers */
	unsigned long min_pages;	/* held pages to keep; constant */
	unsigned long max_pages;	/* bound on held, in pages; constant */
	unsigned long beyond;		/* pages held may be past max_pages */
	unsigned int chunk_order;	/* at most, unless a block needs more */
	unsigned long stat[CP_NR_ARENA_STATS];
	unsigned long failed[CP_NR_ORDERS];	/* failed requests, by order */
	unsigned long failed_free;	/* sum of free pages at failures */
	unsigned long failed_held;	/* sum of held pages at failures */
	struct cp_vm vm;
	atomic_long_t loose;	/* pages in cache_pages that no heap owns */
};

/* What a new arena is to be like. */
struct cp_arena_args {
	const struct cp_buddy_policy *policy;
	struct cp_desired desired;
	unsigned int chunk_order;
	unsigned long min_pages;
	unsigned long max_pages;	/* 0 for no bound */
	bool apart;
};

/* A copy of the figures of one buddy. */
struct cp_buddy_sum {
	unsigned long free_pages;
	unsigned long lone_pages;	/* in blocks whose buddy is in use */
	unsigned long free[CP_NR_ORDERS];
	unsigned long pairs[CP_NR_ORDERS];
	unsigned int desired[CP_NR_ORDERS];
	unsigned long stat[CP_NR_BUDDY_STATS][CP_NR_ORDERS];
};

/* A copy of the arena's figures, taken at one moment. */
struct cp_arena_sum {
	const struct cp_buddy_policy *policy;
	unsigned long held;
	unsigned long transit;
	unsigned long free_pages;
	unsigned long largest;		/* pages of the largest free block */
	unsigned long cache_pages;
	unsigned long block_pages;
	unsigned long spare;
	unsigned long blocks[CP_NR_ORDERS];
	unsigned long lent[CP_NR_ORDERS];
	unsigned long stat[CP_NR_ARENA_STATS];
	unsigned long failed[CP_NR_ORDERS];
	unsigned long failed_free;
	unsigned long failed_held;
};

extern struct cp_arena cp_arena;

static inline unsigned long cp_arena_free_pages(const struct cp_arena *a)
{
	return a->buddy[CP_FOR_CALLERS].free_pages +
	       a->buddy[CP_FOR_CACHES].free_pages;
}

static inline unsigned long cp_arena_used(const struct cp_arena *a)
{
	return a->cache_pages + a->block_pages;
}

/*
 * Compute how many pages may be free, from the pages in use now and the recent
 * high-water mark: the formula on top of arena.c, without min_pages.
 */
static inline unsigned long cp_arena_rule(const struct cp_arena *a)
{
	return (cp_arena_used(a) >> CP_SPARE_SHIFT) + CP_SPARE_MIN +
	       cp_up_to(a->recent, a->block_pages);
}

/*
 * Raise a bound on free pages to what used pages lack of min_pages, if that is
 * more.
 */
static inline unsigned long cp_arena_spare(const struct cp_arena *a,
					   unsigned long least)
{
	return max(least, cp_up_to(a->min_pages, cp_arena_used(a)));
}

static inline unsigned long cp_arena_spare_now(const struct cp_arena *a)
{
	return cp_arena_spare(a, cp_arena_rule(a));
}

/*
 * Flags that make the system try hard.  They are cleared for a chunk that may
 * also be smaller.
 */
#define CP_GFP_PUSH	(__GFP_RECLAIM | __GFP_NOFAIL | __GFP_HIGH)

void cp_gfp_refuse(gfp_t gfp, unsigned long caller);

/*
 * Flags that demand a zone.  The other flags of GFP_ZONEMASK only allow one
 * more.
 */
#define CP_GFP_ZONES	(__GFP_DMA | __GFP_DMA32)

/* Refuse a request for pages of a given zone: see cp_gfp_refuse(). */
static inline bool cp_gfp_ok(gfp_t gfp, unsigned long caller)
{
	if (likely(!(gfp & CP_GFP_ZONES)))
		return true;
	cp_gfp_refuse(gfp, caller);
	return false;
}

/*
 * The voluntary preemption point that comes with might_alloc() is left to the
 * slow path, the checks are not.
 */
static __always_inline void cp_might_alloc(gfp_t gfp)
{
	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) || IS_ENABLED(CONFIG_LOCKDEP))
		might_alloc(gfp);
}

void cp_arena_init(struct cp_arena *a, const struct cp_arena_args *args);
int cp_arena_fill(struct cp_arena *a);
void cp_arena_close(struct cp_arena *a);
struct cp_page *cp_arena_take(struct cp_arena *a, gfp_t gfp,
			      unsigned int order, enum cp_page_kind kind);
unsigned long cp_arena_give(struct cp_arena *a, struct list_head *blocks);
unsigned long cp_arena_expel(struct cp_arena *a, struct list_head *blocks);
unsigned long cp_arena_rest(const struct cp_arena *a);
unsigned long cp_arena_trim(struct cp_arena *a, unsigned long spare);
unsigned long cp_arena_age(struct cp_arena *a, bool idle);
void cp_arena_fail(struct cp_arena *a, unsigned int order);
void cp_arena_set_policy(struct cp_arena *a,
			 const struct cp_buddy_policy *policy);
void cp_arena_get_desired(struct cp_arena *a, struct cp_desired *d);
void cp_arena_set_desired(struct cp_arena *a, const struct cp_desired *d);
void cp_arena_merge(struct cp_arena *a);

/* arena_check.c */
int cp_arena_check(struct cp_arena *a);
void cp_arena_get_sum(struct cp_arena *a, struct cp_arena_sum *sum,
		      struct cp_buddy_sum *buddies);

#endif /* CP_ARENA_H */
