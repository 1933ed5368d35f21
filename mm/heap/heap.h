/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Heaps, and what they need to know of their cache.  A caller has claimed the
 * heap, or holds the lock of a side heap, unless a function says otherwise.
 */
#ifndef CP_HEAP_H
#define CP_HEAP_H

#include "arena/claim.h"
#include "heap/strategy.h"

#define CP_OCC_BUCKETS	17	/* live >> occ_shift is at most 16 */

/* Why a heap is closed to the fast path. */
#define CP_CLOSED_DRY	1	/* no block is free on the current page */
#define CP_CLOSED_EXTRA	2	/* there is more to do for a block of this cache */

#define CP_SIDE		(-1)	/* the CPU of a heap that belongs to none */

struct cp_heap {
	/* The fast path needs what is up to stat[CP_ALLOC], one cache line. */
	struct cp_claim claim;		/* of all that follows, and of its pages */
	u16 free;			/* number of the first free block, or CP_NIL */
	s16 cpu;
	u32 bias;			/* see cp_heap_taken() */
	u16 phi0;
	u16 flags;			/* of its strategy */
	void *base;			/* of the current page */
	struct cp_page *cur;
	struct curpage_cache *cache;
	unsigned long back;		/* of CP_FREED: on the fast path, to cur */
	unsigned long stat[CP_NR_HEAP_STATS];

	struct list_head set[CP_NR_SETS];
	u32 nr[CP_NR_SETS];
	u32 occupancy[CP_OCC_BUCKETS];

	/* Written by others: pages with blocks that were freed elsewhere. */
	struct cp_page *inbox ____cacheline_aligned_in_smp;
	/* Seldom used, so they may lie beside it. */
	raw_spinlock_t lock;		/* of a side heap, instead of the claim */
	struct cp_page *todo;		/* out of the inbox, still to be collected */
	long moved;			/* live blocks that came with adopted pages */
	unsigned long seen;		/* activity at the last look for idle heaps */
	const struct cp_strategy *strategy;	/* as the claim */
	void *state;			/* the strategy's own; likewise */
};

/* What the heaps of a cache have counted. */
struct cp_cache_sum {
	unsigned long stat[CP_NR_HEAP_STATS];
	unsigned long nr[CP_NR_SETS];
	unsigned long occupancy[CP_OCC_BUCKETS];	/* current pages too */
	unsigned long current_live;	/* current pages with a live block */
	unsigned long current_empty;	/* current pages without one */
	unsigned long live;		/* blocks */
	unsigned long pending;		/* freed elsewhere, not yet taken in */
};

#define CP_KEEP_ALL	UINT_MAX

struct curpage_cache {
	/* Read by the fast path, one cache line. */
	struct cp_heap __percpu *heaps;
	unsigned long span;		/* stride * capacity */
	u64 key;			/* of the words of free blocks */
	unsigned long capacity;		/* blocks a page: Brent's c */
	u32 magic;			/* 2^32 / stride, rounded up */
	unsigned int stride;		/* from one block to the next */
	u16 size;			/* what the user asked for */
	u16 link;			/* where a free block has its word */
	u16 flags;
	u8 occ_shift;			/* log2 of a bucket of the histogram */
	u8 occ_mask;			/* a bucket, less one */

	unsigned int keep;		/* empty pages that a heap keeps */
	unsigned int id;		/* in tracepoints */
	u16 *order;			/* of the blocks of a fresh page, or NULL */
	u16 align;
	u16 freetol;			/* written under cp_tune_lock */
	unsigned int adopted;		/* pages of CPUs that went offline; as list */
	const struct cp_strategy *strategy;	/* written under cp_tune_lock */
	void (*ctor)(void *block);
	struct list_head list;		/* in cp_caches, under its lock */
	atomic_t failed;		/* allocations that got NULL */
	atomic_t reserve_alloc;		/* blocks on pages of reserve.c */
	atomic_t reserve_freed;
	atomic_t bad[CP_NR_BAD - 1];	/* see cp_cache_bad() */
	char name[CP_NAME_LEN];
	struct cp_heap side;		/* for when the CPU's heap is taken */
};

/* Does a free block keep what its user left there? */
static inline bool cp_cache_keeps(const struct curpage_cache *cache)
{
	return cache->ctor || cache->flags & CURPAGE_TYPESAFE_BY_RCU;
}

/* How often something of a kind was wrong, which CP_OK is not. */
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

/* The set of a page that is not current. */
static inline enum cp_set cp_heap_set_of(const struct cp_heap *h, unsigned int nr_free)
{
	if (nr_free == h->cache->capacity)
		return CP_S2;
	return nr_free >= h->phi0 ? CP_S3 : CP_LOW;
}

/* Pages on a list are counted by their live blocks; the current one is not. */
static inline unsigned int cp_heap_bucket(const struct cp_heap *h,
					  unsigned int live)
{
	return live >> h->cache->occ_shift;
}

/* Blocks taken on the current page; any number, when some were freed twice. */
static inline int cp_heap_taken(const struct cp_heap *h)
{
	return cp_peek(h->stat[CP_ALLOC]) - cp_peek(h->back) + cp_peek(h->bias);
}

static inline void cp_heap_set_taken(struct cp_heap *h, int taken)
{
	h->bias += taken - cp_heap_taken(h);
}

/*
 * So many blocks of a page can be live, by what its owner counts: 0 for a page that
 * an interrupt has released before the heap was claimed.
 */
static inline unsigned int cp_heap_live_most(const struct cp_heap *h,
					     const struct cp_page *p)
{
	int blocks = p == h->cur ? cp_heap_taken(h) : (int)h->cache->capacity;

	return cp_page_heap(p) == h ? max(blocks - (int)p->nr_free, 0) : 0;
}

/* Blocks that came back to their owner. */
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

/* Tracepoints of allocations and frees that are on; under cp_caches_lock. */
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

/* A page whose free blocks are linked on it comes into the heap. */
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

/* Blocks of the current page that are free and kept aside. */
static inline unsigned int cp_heap_aside(const struct cp_heap *h)
{
	return cp_heap_has(h, CP_ONE_WAY) ? h->cur->nr_free : 0;
}

/* heap_whole.c: what is done to a heap as a whole. */
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

/* Tell the fast path whether there is a block for it. */
static inline void cp_heap_set_dry(struct cp_heap *h)
{
	u8 closed = h->claim.closed & ~CP_CLOSED_DRY;

	if (h->free == CP_NIL)
		closed |= CP_CLOSED_DRY;
	WRITE_ONCE(h->claim.closed, closed);
}

/* A candidate becomes the next current page of a heap with CP_RECENT. */
static __always_inline void cp_heap_move_first(struct cp_heap *h,
					       struct cp_page *p)
{
	struct list_head *first = h->set[CP_S3].next;

	/* As list_move(), in a third of the instructions with CONFIG_LIST_HARDENED. */
	if (&p->list != first)
		list_bulk_move_tail(first, &p->list, &p->list);
}

/*
 * The heaps of this CPU by their current page, so that a free that does not name
 * the cache need not look at struct page.  The heap says itself whether it has
 * that page: a stale entry costs time and nothing else.  Where there is none, there
 * is cp_heap_none, which is always taken.
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
