/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Heaps, and the caches as far as heaps need them.  Callers have claimed the
 * heap, or hold the lock of a side heap, unless a function says otherwise.
 */
#ifndef CP_HEAP_H
#define CP_HEAP_H

#include "arena/claim.h"
#include "heap/strategy.h"

#define CP_OCC_BUCKETS	17	/* live >> occ_shift is at most 16 */

/* Reasons why a heap is closed to the fast path. */
#define CP_CLOSED_DRY	1	/* no block is free on the current page */
#define CP_CLOSED_EXTRA	2	/* blocks of this cache need more work */

#define CP_SIDE		(-1)	/* cp_heap.cpu of a side heap */

struct cp_heap {
	/* The fast path reads fields up to stat[CP_ALLOC], one cache line. */
	struct cp_claim claim;		/* of the fields below, and the pages */
	u16 free;			/* first free block, or CP_NIL */
	s16 cpu;
	u32 bias;			/* see cp_heap_taken() */
	u16 phi0;
	u16 flags;			/* of its strategy */
	void *base;			/* of the current page */
	struct cp_page *cur;
	struct curpage_cache *cache;
	unsigned long back;		/* fast frees to cur, not in CP_FREED */
	unsigned long stat[CP_NR_HEAP_STATS];

	struct list_head set[CP_NR_SETS];
	u32 nr[CP_NR_SETS];
	u32 occupancy[CP_OCC_BUCKETS];

	/* Written by other CPUs: pages with remote frees. */
	struct cp_page *inbox ____cacheline_aligned_in_smp;
	/* Seldom used, so they may share its cache line. */
	raw_spinlock_t lock;		/* side heaps only, no claim */
	struct cp_page *todo;		/* of the inbox, not yet collected */
	long moved;			/* live blocks of adopted pages */
	unsigned long seen;		/* activity at the last look */
	const struct cp_strategy *strategy;	/* under the claim */
	void *state;			/* of the strategy; under the claim */
};

/* Sums over the heaps of a cache. */
struct cp_cache_sum {
	unsigned long stat[CP_NR_HEAP_STATS];
	unsigned long nr[CP_NR_SETS];
	unsigned long occupancy[CP_OCC_BUCKETS];	/* current pages too */
	unsigned long current_live;	/* current pages with a live block */
	unsigned long current_empty;	/* current pages without one */
	unsigned long live;		/* blocks */
	unsigned long pending;		/* remote frees, not yet collected */
};

#define CP_KEEP_ALL	UINT_MAX

struct curpage_cache {
	/* Read by the fast path, one cache line. */
	struct cp_heap __percpu *heaps;
	unsigned long span;		/* stride * capacity */
	u64 key;			/* mixed into words of free blocks */
	unsigned long capacity;		/* blocks a page: Brent's c */
	u32 magic;			/* 2^32 / stride, rounded up */
	unsigned int stride;		/* from one block to the next */
	u16 size;			/* of a block, as the user asked */
	u16 link;			/* offset of a free block's word */
	u16 flags;
	u8 occ_shift;			/* log2 of a histogram bucket's size */
	u8 occ_mask;			/* bucket size minus 1 */

	unsigned int keep;		/* empty pages that a heap keeps */
	unsigned int id;		/* in tracepoints */
	u16 *order;			/* of a fresh page's blocks, or NULL */
	u16 align;
	u16 freetol;			/* written under cp_tune_lock */
	unsigned int adopted;		/* pages of dead CPUs; cp_caches_lock */
	const struct cp_strategy *strategy;	/* written under cp_tune_lock */
	void (*ctor)(void *block);
	struct list_head list;		/* in cp_caches; cp_caches_lock */
	atomic_t failed;		/* allocations that got NULL */
	atomic_t reserve_alloc;		/* blocks on pages of reserve.c */
	atomic_t reserve_freed;
	atomic_t bad[CP_NR_BAD - 1];	/* see cp_cache_bad() */
	char name[CP_NAME_LEN];
	struct cp_heap side;		/* used while the CPU's heap is taken */
};

/* Check whether a free block keeps what its user left there. */
static inline bool cp_cache_keeps(const struct curpage_cache *cache)
{
	return cache->ctor || cache->flags & CURPAGE_TYPESAFE_BY_RCU;
}

/* Return: the counter of reports of a kind, which is not CP_OK. */
static inline atomic_t *cp_cache_bad(struct curpage_cache *cache,
				     enum cp_bad bad)
{
	return &cache->bad[bad - 1];
}

/* list.c: all caches. */
extern struct mutex cp_caches_lock;
extern struct list_head cp_caches;

static inline unsigned int cp_heap_live(const struct cp_heap *h,
					const struct cp_page *p)
{
	return h->cache->capacity - p->nr_free;
}

/* Return: the set of a page that is not current. */
static inline enum cp_set cp_heap_set_of(const struct cp_heap *h,
					 unsigned int nr_free)
{
	if (nr_free == h->cache->capacity)
		return CP_S2;
	return nr_free >= h->phi0 ? CP_S3 : CP_LOW;
}

/*
 * Return: the histogram's bucket for a page, by its live blocks.  The current
 * page is not counted.
 */
static inline unsigned int cp_heap_bucket(const struct cp_heap *h,
					  unsigned int live)
{
	return live >> h->cache->occ_shift;
}

/*
 * Return: the blocks taken on the current page; any number if some were freed
 * twice.
 */
static inline int cp_heap_taken(const struct cp_heap *h)
{
	return cp_peek(h->stat[CP_ALLOC]) - cp_peek(h->back) + cp_peek(h->bias);
}

static inline void cp_heap_set_taken(struct cp_heap *h, int taken)
{
	h->bias += taken - cp_heap_taken(h);
}

/*
 * Return: the most blocks of a page that can be live, by the counts of its
 * owner; 0 for a page that an interrupt has released before the heap was
 * claimed.
 */
static inline unsigned int cp_heap_live_most(const struct cp_heap *h,
					     const struct cp_page *p)
{
	int blocks = p == h->cur ? cp_heap_taken(h) : (int)h->cache->capacity;

	return cp_page_heap(p) == h ? max(blocks - (int)p->nr_free, 0) : 0;
}

/* Return: the number of blocks that the owner freed. */
static inline unsigned long cp_heap_freed_own(const struct cp_heap *h)
{
	return cp_peek(h->stat[CP_FREED]) + cp_peek(h->back);
}

void cp_hot_init(void);
void cp_heap_init(struct cp_heap *h, struct curpage_cache *cache, int cpu,
		  const struct cp_strategy *strategy, unsigned int phi0);
void cp_heap_enter(struct cp_heap *h, struct cp_page *p);
void cp_heap_leave(struct cp_heap *h, struct cp_page *p, unsigned int nr_free);
struct cp_page *cp_heap_retire(struct cp_heap *h);
struct cp_page *cp_heap_next_page(struct cp_heap *h, enum cp_set set,
				  struct cp_page *p);
void cp_heap_lose(struct cp_heap *h, struct cp_page *p, unsigned int lost,
		  unsigned long caller);
bool cp_heap_release(struct cp_heap *h, struct cp_page *p,
		     struct list_head *release);
void cp_heap_lose_page(struct cp_heap *h, struct cp_page *p);
bool cp_heap_keeps(const struct cp_heap *h);
void *cp_heap_find_taken(const struct cp_heap *h, struct cp_page *p);
bool cp_heap_release_empty(struct cp_heap *h, struct cp_page *p,
			   struct list_head *release);
bool cp_heap_limit_s2(struct cp_heap *h, unsigned long keep,
		      struct list_head *release);
int cp_heap_live_current(const struct cp_heap *h);
void cp_heap_set_strategy(struct cp_heap *h, const struct cp_strategy *strategy,
			  unsigned int phi0);
void cp_heap_trace(struct cp_heap *h, void *unused);

/* Tracepoints of allocations and frees with a probe; under cp_caches_lock. */
extern unsigned int cp_heap_traced;

size_t cp_heap_alloc(struct cp_heap *h, size_t n, void **objs,
		     unsigned long caller);
void cp_heap_install(struct cp_heap *h, struct cp_page *p,
		     unsigned int source);
void cp_heap_keep(struct curpage_cache *cache, struct cp_page *p);
struct cp_page *cp_heap_take_kept(struct curpage_cache *cache);
void cp_heap_free(struct cp_heap *h, struct cp_page *p, unsigned int first,
		  unsigned int last, unsigned int n, struct list_head *release);
bool cp_heap_has_free(const struct cp_heap *h, const struct cp_page *p,
		      unsigned int nr, unsigned int pins);
void cp_heap_take_in(struct cp_heap *h, struct cp_page *p, unsigned int top,
		     unsigned int n, struct list_head *release);

/*
 * Test the strategy of a claimed heap for flags of the study.
 *
 * Return: constant false without the study, so that the compiler drops the code
 * that depends on it.
 */
static __always_inline bool cp_heap_has(const struct cp_heap *h,
					unsigned int flags)
{
	return CP_STUDY && unlikely(h->flags & flags);
}

/* heap_by_block.c: heaps without a current page, pools.  For the study. */
size_t cp_heap_alloc_block(struct cp_heap *h, void **obj, unsigned long caller);
void cp_heap_install_by_block(struct cp_heap *h, struct cp_page *p,
			      unsigned int source);
void cp_heap_lose_pool(struct cp_heap *h);
void cp_heap_settle_pool(struct cp_heap *h);
void cp_heap_gather(struct cp_heap *h, struct cp_page *p);
unsigned int cp_heap_put_pool(struct cp_heap *h, struct cp_page *p, u64 nr,
			      unsigned int n);
void cp_heap_pool_empty(struct cp_heap *h);
void cp_heap_drain_pool(struct cp_heap *h, struct list_head *release);

/* Add a page whose free blocks are linked on it to the heap. */
static inline void cp_heap_join(struct cp_heap *h, struct cp_page *p)
{
	if (cp_heap_has(h, CP_POOLED))
		cp_heap_gather(h, p);
	cp_heap_enter(h, p);
}

/* Put free blocks that are in a pool back on their pages. */
static inline void cp_heap_settle(struct cp_heap *h)
{
	if (cp_heap_has(h, CP_POOLED))
		cp_heap_settle_pool(h);
}

/*
 * heap_one_way.c: heaps whose pages run empty before they are used again.  For
 * the study.
 */
unsigned int cp_heap_rejoin(struct cp_heap *h, struct cp_page *p);
int cp_heap_check_aside(struct cp_heap *h, struct cp_page *p);

/* Return: the free blocks of the current page that are kept aside. */
static inline unsigned int cp_heap_aside(const struct cp_heap *h)
{
	return cp_heap_has(h, CP_ONE_WAY) ? h->cur->nr_free : 0;
}

/* heap_whole.c: operations on a heap as a whole. */
bool cp_heap_drain(struct cp_heap *h, struct list_head *release);
bool cp_heap_dismiss(struct cp_heap *h, struct list_head *release);
void *cp_heap_retune(struct cp_heap *h, const struct cp_strategy *strategy,
		     unsigned int phi0, void *state);
bool cp_heap_adopt(struct cp_heap *h, struct cp_heap *from);
void cp_heap_add_sum(const struct cp_heap *h, struct cp_cache_sum *sum);
unsigned long cp_heap_empty(const struct cp_heap *h);
unsigned long cp_heap_pages(const struct cp_heap *h);

/* heap_check.c */
int cp_heap_check(struct cp_heap *h);

/* Tell the fast path whether the current page has a free block. */
static inline void cp_heap_set_dry(struct cp_heap *h)
{
	u8 closed = h->claim.closed & ~CP_CLOSED_DRY;

	if (h->free == CP_NIL)
		closed |= CP_CLOSED_DRY;
	WRITE_ONCE(h->claim.closed, closed);
}

/* Make a candidate the next current page.  The heap has CP_RECENT. */
static __always_inline void cp_heap_move_first(struct cp_heap *h,
					       struct cp_page *p)
{
	struct list_head *first = h->set[CP_S3].next;

	/*
	 * As list_move(), in a third of its instructions with
	 * CONFIG_LIST_HARDENED.
	 */
	if (&p->list != first)
		list_bulk_move_tail(first, &p->list, &p->list);
}

/*
 * The heaps of this CPU by their current page, so that a free that names no
 * cache need not read struct page.  The free asks the heap whether it has that
 * page: a stale entry costs time and nothing else.  An empty entry is
 * cp_heap_none, which is always taken.
 */
#define CP_HOT_SIZE	128

struct cp_hot {
	struct cp_heap *heap[CP_HOT_SIZE];
};

DECLARE_PER_CPU(struct cp_hot, cp_hot);

extern struct cp_heap cp_heap_none;

static __always_inline unsigned int cp_hot_index(const void *addr)
{
	return ((unsigned long)addr >> PAGE_SHIFT) % CP_HOT_SIZE;
}

#endif /* CP_HEAP_H */
