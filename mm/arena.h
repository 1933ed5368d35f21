/* SPDX-License-Identifier: GPL-2.0 */
/* The arena: pages borrowed from the system, and the rules for how many. */
#ifndef CP_ARENA_H
#define CP_ARENA_H

#define CP_SPARE_SHIFT	6
#define CP_SPARE_MIN	4

struct cp_arena {
	raw_spinlock_t lock;		/* of all that follows */
	bool apart;			/* each use has chunks of its own; constant */
	struct cp_buddy buddy[CP_NR_USES];
	unsigned long held;		/* every page that the system has lent */
	unsigned long transit;		/* being borrowed, returned or freed */
	unsigned long cache_pages;	/* in caches */
	unsigned long block_pages;	/* in page blocks, of users and in stock */
	unsigned long recent;		/* block_pages at most, of late */
	unsigned long blocks[CP_NR_ORDERS];	/* those blocks, by order */
	unsigned long lent[CP_NR_ORDERS];	/* page blocks in all, from here */
	unsigned long min_pages;	/* held before anything goes back; constant */
	unsigned long max_pages;	/* bound on held; constant */
	unsigned long beyond;		/* pages that held may be past it */
	unsigned int chunk_order;	/* constant */
	unsigned long stat[CP_NR_ARENA_STATS];
	unsigned long failed[CP_NR_ORDERS];	/* requests refused, by order */
	unsigned long failed_free;	/* pages free at these, in all */
	unsigned long failed_held;	/* pages held at these, in all */
	struct cp_vm vm;
	atomic_long_t loose;	/* of cache_pages, those that no heap owns */
};

/* How a new arena is to be. */
struct cp_arena_args {
	const struct cp_buddy_policy *policy;
	struct cp_desired desired;
	unsigned int chunk_order;
	unsigned long min_pages;
	unsigned long max_pages;	/* 0 for no bound */
	bool apart;
};

/* The figures of one of the buddies. */
struct cp_buddy_sum {
	unsigned long free_pages;
	unsigned long lone_pages;	/* in blocks whose buddy is in use */
	unsigned long free[CP_NR_ORDERS];
	unsigned long pairs[CP_NR_ORDERS];
	unsigned int desired[CP_NR_ORDERS];
	unsigned long stat[CP_NR_BUDDY_STATS][CP_NR_ORDERS];
};

/* A copy of the figures that belong together. */
struct cp_arena_sum {
	const struct cp_buddy_policy *policy;
	unsigned long held;
	unsigned long transit;
	unsigned long free_pages;
	unsigned long largest;		/* free block as it lies, in pages */
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

static inline unsigned long cp_up_to(unsigned long limit, unsigned long nr)
{
	return limit > nr ? limit - nr : 0;
}

/* Pages that may be free, by what is used, and was a moment ago. */
static inline unsigned long cp_arena_rule(const struct cp_arena *a)
{
	return (cp_arena_used(a) >> CP_SPARE_SHIFT) + CP_SPARE_MIN +
	       cp_up_to(a->recent, a->block_pages);
}

/* So many pages may be free, and no less than these. */
static inline unsigned long cp_arena_spare(const struct cp_arena *a,
					   unsigned long least)
{
	return max(least, cp_up_to(a->min_pages, cp_arena_used(a)));
}

static inline unsigned long cp_arena_spare_now(const struct cp_arena *a)
{
	return cp_arena_spare(a, cp_arena_rule(a));
}

/* What makes the system go out of its way: not for pages that are a wish. */
#define CP_GFP_PUSH	(__GFP_RECLAIM | __GFP_NOFAIL | __GFP_HIGH)

void cp_gfp_refuse(gfp_t gfp, unsigned long caller);

/* Flags that demand a zone; the others of GFP_ZONEMASK allow one more. */
#define CP_GFP_ZONES	(__GFP_DMA | __GFP_DMA32)

/* Pages of a given zone are not to be had. */
static inline bool cp_gfp_ok(gfp_t gfp, unsigned long caller)
{
	if (likely(!(gfp & CP_GFP_ZONES)))
		return true;
	cp_gfp_refuse(gfp, caller);
	return false;
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
void cp_arena_sum(struct cp_arena *a, struct cp_arena_sum *sum,
		  struct cp_buddy_sum *buddies);

#endif /* CP_ARENA_H */
