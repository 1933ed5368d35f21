/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal declarations, grouped under the file that owns them, from the
 * bottom up: a file calls into groups above its own only (types it may know).
 */
/**
 * DOC: Lock order
 *
 * An inner lock stands below its outer lock, indented::
 *
 *	tracepoints_mutex	mutex	the kernel's: a probe comes or goes
 *	cpu_hotplug_lock	rwsem	the kernel's: a CPU has gone offline
 *	  cp_caches_lock	mutex	list, watch and numbers of caches
 *	    cp_tune_lock	mutex	strategy and freetol of caches
 *	      cp_borrow_lock	mutex	the task that borrows from CPUs
 *	      cp_heap.lock	raw	side heaps only; irqs off
 *	cp_size_lock		mutex	what goes to first fit; takes no lock
 *	cp_arena.lock		raw	leaf, never inside cp_heap.lock; irqs off
 *	cp_fit.lock		raw	leaf, never inside another raw one; irqs off
 *
 * cp_tune_lock comes under cp_caches_lock by way of debugfs.  Removing the folder
 * of a cache waits for the writers of its files, and these take cp_tune_lock.  So
 * no file in caches/NAME takes cp_caches_lock.
 *
 * Heaps and stocks of a CPU have no lock: claim.h says who may use them when.
 *
 * The system is called with no raw spinlock held, nothing claimed, and preemption
 * as the caller had it: on PREEMPT_RT the system's locks sleep.
 */
#ifndef CP_INTERNAL_H
#define CP_INTERNAL_H

#include <linux/curpage.h>

#include "claim.h"
#include "hooks.h"
#include "kfence.h"
#include "sizemap.h"
#include "tag.h"

/*
 * What the papers' machines had otherwise; the lab can be built so.  The least
 * alignment of a block of this size, and the most blocks of a page.
 */
#ifndef CP_ALIGN_MIN
#define CP_ALIGN_MIN(size)	((size) < 16 ? 8 : 16)
#endif
#define CP_CAPACITY_MAX		(PAGE_SIZE / CP_ALIGN_MIN(1))

#define CP_NAME_LEN	32
#define CP_BATCH	64
#define CP_BATCH_BLOCKS	512	/* of a collect, which may be in an interrupt */

/* What its owner writes plainly, a word at most, while others look at it. */
#define cp_peek(x)	data_race(READ_ONCE(x))

/* page.c: the header of a page, laid over its struct page. */

/**
 * DOC: Header of a page
 *
 * Every page that the arena holds has the key.  A page block is known by its first
 * page, its other pages are CP_TAIL.  Use of the fields of struct page::
 *
 *	lru	 list	in a cache: the list of its heap that the page is on
 *			first page of a free block: the buddy's free list
 *			between heap, stock and arena: the list that carries it
 *		 node	in a cache whose strategy has a tree: its place there
 *		 rcu	on its way out of a cache with CURPAGE_TYPESAFE_BY_RCU
 *		 run	in a run of first fit: that run
 *		 tag	first page of a page block: the line of code that
 *			allocated it (tag.h); over lru.prev
 *	mapping	 heap	while a heap owns the page: that heap, written under
 *			the heap's claim or lock; else NULL, but the side heap
 *			in a CP_RESERVE of a cache
 *	index	 free	in a cache: number of the first free block, or CP_NIL
 *		 order	else, in the first page of a block: log2 of its pages
 *		 nr_free  in a cache: number of free blocks
 *		 link	in an inbox: number of the next page there, lower bits
 *	private	 word	0 unless the arena holds the page; then, exchanged by
 *			any CPU as a whole:
 *			key	  cp_map.key: the page is ours
 *			kind	  enum cp_page_kind
 *			use, chunk_order  of the page's chunk
 *			remote, nr_remote  the stack of blocks freed elsewhere;
 *				  in CP_BLOCK, remote is the order;
 *				  in CP_RESERVE, whose block it is (reserve.c)
 *			pins	  of CPUs that are about to push onto the stack
 *			link_high  upper bits of link
 *
 * While a page is in a cache:
 *
 * - list, free and nr_free belong to the task or CPU that may use the heap;
 * - remote, nr_remote and pins belong to any CPU;
 * - the link belongs to the CPU that made the stack non-empty, then to the heap's
 *   owner (remote.c).
 *
 * What is free on the current page of a heap is kept in the heap.  There free is
 * CP_NIL and nr_free 0, except for what CP_ONE_WAY keeps aside.  With CP_POOLED free
 * is the block freed last, if it is still free.
 *
 * The arena's lock protects kind, use and chunk_order of every page, and all fields
 * of a page that is in no cache.  Once a block has left the arena they belong to the
 * task that took it.
 */
enum cp_page_kind {
	CP_TAIL,	/* inside a page block, or on its way to the system */
	CP_FREE,	/* first page of a free block in the buddy */
	CP_BLOCK,	/* first page of a block handed out as such */
	CP_STOCK,	/* first page of one that came back, not yet in the buddy */
	CP_LOOSE,	/* a page on its way between the arena and a heap */
	CP_RUN,		/* any page of a run of first fit; fit.c */
	CP_RESERVE,	/* as CP_BLOCK, of the system's reserves; or reserve.c */
	CP_CACHE,	/* a page of a cache, owned by a heap */
	CP_DAMAGED,	/* a page of a cache that lost free blocks */
};

/* What pages are for that come from different chunks, if they do. */
enum cp_use {
	CP_FOR_CALLERS,	/* page blocks; without CP_FOR_CACHES, everything */
	CP_FOR_CACHES,	/* what small and large blocks lie in */
	CP_NR_USES
};

static inline enum cp_use cp_other_use(enum cp_use use)
{
	return use == CP_FOR_CALLERS ? CP_FOR_CACHES : CP_FOR_CALLERS;
}

#define CP_NIL		U16_MAX
#define CP_KEY_BITS	19
#define CP_LINK_LOW	32	/* bits of cp_page.link */
#define CP_LINK_HIGH	4

/* What is added to a word for a pin, or a block on the stack; where its top is. */
#define CP_WORD_PIN	BIT_ULL(33)
#define CP_WORD_ONE	BIT_ULL(21)
#define CP_WORD_TOP	9
#define CP_WORD_TOPS	GENMASK_ULL(20, CP_WORD_TOP)

/* The key is in the upper bits, where it cannot be taken for a pointer. */
union cp_page_word {
	u64 all;
	struct {
#ifdef __LITTLE_ENDIAN
		u64 kind:4;
		u64 use:1;		/* of its chunk, enum cp_use */
		u64 chunk_order:4;
		u64 remote:12;		/* number of the block on top */
		u64 nr_remote:12;
		u64 pins:8;
		u64 link_high:CP_LINK_HIGH;
		u64 key:CP_KEY_BITS;
#else
		u64 key:CP_KEY_BITS;
		u64 link_high:CP_LINK_HIGH;
		u64 pins:8;
		u64 nr_remote:12;
		u64 remote:12;
		u64 chunk_order:4;
		u64 use:1;
		u64 kind:4;
#endif
	};
};

/*
 * In place of list, for a page in a tree (tree.c).  To the rest of the kernel the
 * first bit of lru says whether this is the tail of a compound page, the second one
 * whether it is of the reserves (page_is_pfmemalloc()): it is neither.
 */
#define CP_CHILD_BITS	40
#define CP_WEIGHT_BITS	22	/* in the first word, the upper ones in the second */

struct cp_node {
#ifdef __LITTLE_ENDIAN
	u64 clear:2;			/* 0 */
	u64 left:CP_CHILD_BITS;		/* number of a page and one, 0 for none */
	u64 weight_low:CP_WEIGHT_BITS;
	u64 right:CP_CHILD_BITS;
	u64 weight_high:64 - CP_CHILD_BITS;
#else
	u64 weight_low:CP_WEIGHT_BITS;
	u64 left:CP_CHILD_BITS;
	u64 clear:2;
	u64 weight_high:64 - CP_CHILD_BITS;
	u64 right:CP_CHILD_BITS;
#endif
};

struct cp_page {
	union {
		struct {
			unsigned long __page_flags;
			union {
				struct list_head list;
				struct cp_node node;
				struct cp_run *run;
				struct rcu_head rcu;
				struct {
					unsigned long __lru_next;
					u64 tag;
				};
			};
			struct cp_heap *heap;
			union {
				u16 free;
				u16 order;
			};
			u16 nr_free;
			u32 link;
			union cp_page_word word;
		};
		struct page __page;	/* so that p + i is the i-th next page */
	};
};

static inline struct page *cp_page_to_page(struct cp_page *p)
{
	return &p->__page;
}

static inline struct cp_page *cp_page_of(struct page *page)
{
	return (struct cp_page *)page;
}

/*
 * The address of a page without the tag that KASAN puts into its upper byte.  So
 * a block has one address, it is in the linear map, and words mix with no tag.
 */
static inline void *cp_page_base(const struct cp_page *p)
{
	return kasan_reset_tag(page_address(&p->__page));
}

static inline unsigned long cp_page_pfn(struct cp_page *p)
{
	return page_to_pfn(cp_page_to_page(p));
}

/* What the way from an address to its header needs, in one cache line. */
struct cp_map {
	unsigned long start;	/* of the linear map */
	unsigned long size;
	struct cp_page *pages;	/* of start */
	u64 key;		/* of the word of each page of ours */
};

extern struct cp_map cp_map;

/*
 * The number of a page in the linear map: its place in the order of addresses.
 * cp_page_init_map() refuses a machine that has higher ones.
 */
#define CP_NUMBER_BITS	(CP_LINK_LOW + CP_LINK_HIGH)

static inline u64 cp_page_number(const struct cp_page *p)
{
	return ((unsigned long)cp_page_base(p) - cp_map.start) >> PAGE_SHIFT;
}

static inline void *cp_page_numbered_base(u64 number)
{
	return (void *)(cp_map.start + (number << PAGE_SHIFT));
}

static inline struct cp_page *cp_page_numbered(u64 number)
{
	return cp_page_of(virt_to_page(cp_page_numbered_base(number)));
}

static inline union cp_page_word cp_page_word(const struct cp_page *p)
{
	return (union cp_page_word){ .all = READ_ONCE(p->word.all) };
}

static inline bool cp_page_word_ours(union cp_page_word word)
{
	return word.key == cp_map.key;
}

static inline bool cp_page_ours(const struct cp_page *p)
{
	/* A foreign page may change under our eyes, but not into one of ours. */
	return cp_page_word_ours(data_race(cp_page_word(p)));
}

static inline enum cp_page_kind cp_page_kind(const struct cp_page *p)
{
	return cp_page_word(p).kind;
}

/*
 * Keep a page of a cache from leaving its heap, so that blocks can be pushed onto
 * it.  Called with preemption disabled, which it stays until the pin is dropped.
 *
 * The page may be anybody's by now: the exchange succeeds only with a word that has
 * our key.  Where all pins of a page are taken the caller waits for one to be
 * dropped; each is held for a few instructions.
 *
 * Return: the word with the pin, after which the page's heap stays or is one of the
 * same cache; 0 when the page is in no heap.
 */
static __always_inline union cp_page_word cp_page_pin(struct cp_page *p)
{
	union cp_page_word old = cp_page_word(p), new;

	for (;;) {
		if (unlikely(!cp_page_word_ours(old) || old.kind < CP_CACHE))
			return (union cp_page_word){ };
		new.all = old.all + CP_WORD_PIN;
		if (unlikely(!new.pins)) {
			cpu_relax();
			old = cp_page_word(p);
		} else if (likely(try_cmpxchg_acquire(&p->word.all, &old.all,
						      new.all))) {
			return new;
		}
	}
}

/* The heap that owns a page of ours; NULL for others, and on their way. */
static inline struct cp_heap *cp_page_heap(const struct cp_page *p)
{
	return READ_ONCE(p->heap);
}

/* The same page as another kind, with nothing freed elsewhere. */
static inline union cp_page_word cp_page_word_as(const struct cp_page *p,
						 enum cp_page_kind kind)
{
	union cp_page_word word = cp_page_word(p);

	return (union cp_page_word){
		.kind = kind, .use = word.use, .chunk_order = word.chunk_order,
		.key = word.key,
	};
}

/* The kind of a block that is the caller's alone. */
static __always_inline void cp_page_set_kind(struct cp_page *p,
					     enum cp_page_kind kind)
{
	WRITE_ONCE(p->word.all, cp_page_word_as(p, kind).all);
}

static inline void cp_page_set(struct cp_page *p, enum cp_page_kind kind,
			       unsigned int order)
{
	p->order = order;
	cp_page_set_kind(p, kind);
}

/* What makes the word of a CP_STOCK that of a CP_BLOCK, when added to it. */
static __always_inline u64 cp_word_lent(unsigned int order)
{
	return (u64)CP_BLOCK - CP_STOCK + ((u64)order << CP_WORD_TOP);
}

/* Hand out a CP_STOCK. */
static __always_inline void cp_page_set_lent(struct cp_page *p,
					     unsigned int order)
{
	WRITE_ONCE(p->word.all, cp_page_word(p).all + cp_word_lent(order));
}

/*
 * References to each page of a cache and of first fit beside the one that every page
 * of ours has.  Blocks of others lie on it, so kfree() of a block, which drops one,
 * must not free it: not even of each block once.
 */
#define CP_PAGE_REFS	1024

static inline void cp_page_hold(struct cp_page *p)
{
	page_ref_add(cp_page_to_page(p), CP_PAGE_REFS);
}

/* What others hold of a page that is held; less than 0, what they have dropped. */
static inline int cp_page_foreign_refs(struct cp_page *p)
{
	return page_ref_count(cp_page_to_page(p)) - CP_PAGE_REFS - 1;
}

/*
 * Drop these references again.  False: somebody else holds one, or has dropped one
 * of ours.  Then the page must go to the system; after a drop all others stay, so
 * that the system never gets it.
 */
static inline bool cp_page_unhold(struct cp_page *p)
{
	int others = cp_page_foreign_refs(p);

	if (unlikely(others < 0))
		return false;
	page_ref_sub(cp_page_to_page(p), CP_PAGE_REFS);
	return likely(!others);
}

int cp_page_init_map(void);
struct cp_page *cp_page_find_slow(const void *addr);
void cp_page_adopt(struct cp_page *first, unsigned int order,
		   enum cp_use use);
void cp_page_disown(struct cp_page *p);
void cp_page_unpin(struct cp_page *p);
bool cp_page_try_leave(struct cp_page *p);
void cp_page_set_damaged(struct cp_page *p);
bool cp_page_is_free(struct cp_page *p);

/* stats.c: counters, an enum and an array of names each. */
enum cp_heap_stat {
	CP_ALLOC,		/* blocks handed out */
	CP_FREED,		/* blocks that came back; in a heap, to its owner */
	CP_FREE_REMOTE,		/* of these, freed here and owned elsewhere */
	CP_COLLECTED,		/* of those, taken in by the heap that owns them */
	CP_REFILL_S1,		/* current pages that came from S1 */
	CP_REFILL_S2,
	CP_REFILL_S3,
	CP_EMPTIED,		/* pages, not current, that lost their last block */
	CP_RELEASED,		/* pages that left for the arena */
	CP_LOST,		/* free blocks given up, their list was broken */
	CP_NR_HEAP_STATS
};

enum cp_arena_stat {
	CP_TAKE,		/* blocks taken out of the arena */
	CP_GIVE,		/* blocks given to it */
	CP_CHUNK_TAKEN,		/* chunks borrowed from the system */
	CP_CHUNK_PAGES,		/* pages in them */
	CP_CHUNK_LOWER,		/* chunks taken smaller than wished for */
	CP_RETURNED,		/* blocks returned to the system */
	CP_RETURNED_PAGES,	/* pages in them */
	CP_EXPELLED_PAGES,	/* of these, not to be handed out by us again */
	CP_RESERVE_TAKEN,	/* chunks out of the system's reserves */
	CP_AT_BOUND,		/* allocations refused by arena_max_mb */
	CP_BEYOND_BOUND,	/* chunks past it, as they could not be refused */
	CP_SYSTEM_FAILED,	/* allocations refused by the system */
	CP_NR_ARENA_STATS
};

enum cp_stock_stat {
	CP_STOCK_ALLOC,		/* page blocks handed out from a stock */
	CP_STOCK_FREE,		/* page blocks that went into one */
	CP_STOCK_DRAINED,	/* of these, on to the arena, unasked for */
	CP_NR_STOCK_STATS
};

enum cp_fit_stat {
	CP_FIT_ALLOC,		/* blocks handed out by first fit */
	CP_FIT_FREED,		/* blocks that came back to it */
	CP_FIT_FAILED,		/* allocations that got NULL */
	CP_FIT_RUN_TAKEN,	/* runs of pages taken from the arena */
	CP_FIT_RUN_GIVEN,	/* runs given back to it */
	CP_FIT_SPLIT,		/* free blocks that an allocation left */
	CP_FIT_MERGE,		/* free blocks that a free was merged with */
	CP_FIT_SEARCH,		/* for the lowest run with a large enough block */
	CP_FIT_VISITED,		/* items looked at, 2 for one that is put in */
	CP_FIT_LOST,		/* runs given up, a header in them was broken */
	CP_NR_FIT_STATS
};

enum cp_bad {
	CP_OK,
	CP_BAD_FOREIGN,		/* not a block of curpage */
	CP_BAD_INSIDE,		/* inside a block, not at its start */
	CP_BAD_CACHE,		/* a block of another cache */
	CP_BAD_DOUBLE,		/* a free block */
	CP_BAD_REDZONE,		/* written past the end of the block */
	CP_BAD_POISON,		/* written after it was freed */
	CP_BAD_ORDER,		/* a page block freed with another order */
	CP_BAD_REFERENCED,	/* its page is, when it is to leave its heap */
	CP_BAD_PUT,		/* its page was put, or freed, by somebody else */
	CP_BAD_LEAK,		/* still live when its owner goes away */
	CP_NR_BAD
};

extern const char * const cp_heap_stat_name[CP_NR_HEAP_STATS];
extern const char * const cp_arena_stat_name[CP_NR_ARENA_STATS];
extern const char * const cp_stock_stat_name[CP_NR_STOCK_STATS];
extern const char * const cp_fit_stat_name[CP_NR_FIT_STATS];
extern const char * const cp_bad_name[CP_NR_BAD];
extern const char * const cp_bad_stat_name[CP_NR_BAD];

/* report.c: what the user did wrong, and what the walker found broken. */
struct curpage_cache;
struct cp_owners;

extern u32 cp_report_burst;

void cp_report(enum cp_bad bad, struct curpage_cache *cache, const void *addr,
	       unsigned long caller);
void cp_report_print(enum cp_bad bad, const struct curpage_cache *cache,
		     const void *addr, unsigned long caller,
		     const struct cp_owners *owners);
void cp_report_leak(struct curpage_cache *cache, unsigned long nr,
		    unsigned long caller);
void cp_report_refs(struct curpage_cache *cache, struct cp_page *p);
unsigned long cp_report_count(enum cp_bad bad);
__printf(1, 2) int cp_broken(const char *fmt, ...);

/* system.c: all memory comes from here. */
struct cp_page *cp_system_take(gfp_t gfp, unsigned int order);
void cp_system_give(struct cp_page *p, unsigned int order);
void *cp_system_zalloc(size_t size);
void *cp_system_zalloc_gfp(size_t size, gfp_t gfp);
struct cp_heap __percpu *cp_system_alloc_heaps(void);

/* buddy.c and its parts: free blocks of pages, under the arena's lock. */
#include "buddy.h"

/* vmstat.c: what the kernel's statistics say of the arena's pages. */
enum cp_vm_item {
	CP_VM_SLAB,		/* in caches and page blocks */
	CP_VM_FREE,		/* in the buddies */
	CP_NR_VM_ITEMS
};

/* Under the arena's lock. */
struct cp_vm {
	int node;			/* of the pages in pages[] */
	long pages[CP_NR_VM_ITEMS];	/* that the kernel is still to be told of */
	long told[CP_NR_VM_ITEMS];	/* of all nodes */
};

void cp_vm_flush(struct cp_vm *vm);
void cp_vm_switch(struct cp_vm *vm, int node);
void cp_vm_reclaimable(struct cp_page *p, int pages);

/* Count pages of the block at p. */
static __always_inline void cp_vm_add(struct cp_vm *vm, struct cp_page *p,
				      enum cp_vm_item item, long pages)
{
	int node = page_to_nid(cp_page_to_page(p));

	if (unlikely(node != vm->node))
		cp_vm_switch(vm, node);
	vm->pages[item] += pages;
	if (unlikely(abs(vm->pages[item]) >= CP_BATCH))
		cp_vm_flush(vm);
}

/* arena.c: pages borrowed from the system. */
#include "arena.h"

/* claim.c: how others than its CPU get at what belongs to it; see claim.h. */
extern struct mutex cp_borrow_lock;

DECLARE_PER_CPU(unsigned long, cp_claim_interrupts);

void cp_claim_want(struct cp_claim *c, int cpu);
void cp_claim_call(void);
void cp_claim_wait(struct cp_claim *c);
void cp_claim_borrow(struct cp_claim *c, int cpu);
void cp_claim_return(struct cp_claim *c);
bool cp_claim_isolated(int cpu);

/* stock.c: page blocks that came back to a CPU. */
struct cp_stock_sum {
	unsigned long blocks[CP_NR_ORDERS];
	unsigned long pages;
	unsigned long alloc[CP_NR_ORDERS];	/* CP_STOCK_ALLOC, by order */
	unsigned long stat[CP_NR_STOCK_STATS];
};

void cp_stock_init(unsigned int pages);
void cp_stock_sum(struct cp_stock_sum *sum);
unsigned long cp_stock_pages(void);
unsigned long cp_stock_pages_of(int cpu);
unsigned long cp_stock_drain(void);
struct cp_page *cp_stock_take_back(struct cp_arena *a, gfp_t gfp,
				   unsigned int order, enum cp_page_kind kind);
unsigned long cp_stock_drain_cpu(int cpu);

struct cp_stock;

bool cp_stock_any(struct cp_stock *s);
bool cp_stock_idle(struct cp_stock *s);
void cp_stock_empty(struct cp_stock *s, struct list_head *blocks);

/*
 * As cp_arena_take(), and then with what is in stock, before a request that cannot
 * be refused goes past the bound.
 */
static inline struct cp_page *cp_stock_take(struct cp_arena *a, gfp_t gfp,
					    unsigned int order,
					    enum cp_page_kind kind)
{
	gfp_t first = unlikely(gfp & __GFP_NOFAIL) ?
		      (gfp & ~__GFP_NOFAIL) | __GFP_NOWARN : gfp;
	struct cp_page *p = cp_arena_take(a, first, order, kind);

	return likely(p) ? p : cp_stock_take_back(a, gfp, order, kind);
}

/* harden.c: what nobody should be able to foretell. */
struct cp_harden {
	bool on;
	u64 seed;	/* for orders; 0: none */
};

extern struct cp_harden cp_harden;

void cp_harden_init(bool on, u64 seed);
u64 cp_harden_key(void);
int cp_harden_cache(struct curpage_cache *cache);
unsigned int cp_harden_begin(const struct curpage_cache *cache);

/* reserve.c: pages that the system has lent from its reserves. */
size_t cp_reserve_get(struct curpage_cache *cache, struct cp_page *p,
		      void **objs);
enum cp_bad cp_reserve_free(struct curpage_cache *cache, struct cp_page *p,
			    void *obj, struct list_head *blocks,
			    unsigned long caller);
enum cp_bad cp_reserve_free_pages(struct cp_page *p, unsigned int order,
				  unsigned long caller);

/* Might the system lend a page from its reserves for this request? */
static inline bool cp_gfp_reserves(gfp_t gfp)
{
	return (gfp & __GFP_MEMALLOC || current->flags & PF_MEMALLOC) &&
	       !(gfp & __GFP_NOMEMALLOC);
}

/* pages.c: page blocks for users. */
void *cp_pages_alloc(gfp_t gfp, unsigned int order, size_t size,
		     unsigned long caller);
void cp_pages_free(struct cp_page *p, unsigned int order,
		   unsigned long caller);
u64 cp_pages_waste(void);
u64 cp_pages_handed_out(const struct cp_arena_sum *sum,
			const struct cp_stock_sum *stock);
void cp_pages_exit(void);

/* In the tracepoints, where caches have a number. */
#define CP_FIT_ID	U32_MAX
#define CP_BLOCK_ID	0	/* page blocks, samples of KFENCE */

/* Tell those who count or trace page blocks of a free. */
static __always_inline void cp_pages_tell_free(struct cp_page *p,
					       unsigned int order,
					       unsigned long caller)
{
	if (cp_tags_on())
		cp_tag_take(&p->tag, PAGE_SIZE << order);
	trace_curpage_free(caller, cp_page_base(p), CP_BLOCK_ID, 0);
}

/* fit.c and its parts: large blocks by first fit, in runs of pages; see fit.h. */
#define CP_FIT_MAX	SZ_64K

/* A copy of the figures that belong together; in bytes but for counts. */
struct cp_fit_sum {
	unsigned long live;		/* blocks */
	unsigned long asked;		/* for them */
	unsigned long used;		/* by them, with their headers */
	unsigned long free;
	unsigned long largest;		/* free block, with its header */
	unsigned long runs;
	unsigned long pages;		/* in runs, but for those that are lost */
	unsigned long empty_pages;	/* of these, in a run without a live block */
	unsigned long lost_pages;
	unsigned long stat[CP_NR_FIT_STATS];
};

bool cp_fit_init(void);
void *cp_fit_alloc(size_t size, gfp_t gfp, unsigned long caller);
void cp_fit_free(struct cp_page *p, const void *obj, unsigned long caller);
size_t cp_fit_size(struct cp_page *p, const void *obj);
unsigned long cp_fit_empty_pages(void);
unsigned long cp_fit_drain(void);
unsigned long cp_fit_drain_idle(void);
void cp_fit_sum(struct cp_fit_sum *sum);
void cp_fit_exit(void);

/* fit_check.c */
int cp_fit_check(void);

/* debug.c: red zones, poison and owners of blocks, with CURPAGE_CHECK. */
#define CP_RED_BYTE	0xcc
#define CP_POISON_BYTE	0x6b

/* As in SLUB: poison is there to be seen, unless zero is asked for. */
static inline bool cp_debug_want_zero(bool check, gfp_t gfp)
{
	return check ? !!(gfp & __GFP_ZERO) : want_init_on_alloc(gfp);
}

unsigned int cp_debug_link(unsigned int size);
void cp_debug_init(const struct curpage_cache *cache, void *obj);
void cp_debug_alloc(struct curpage_cache *cache, void *obj,
		    unsigned long caller);
enum cp_bad cp_debug_free(const struct curpage_cache *cache, void *obj,
			  unsigned long caller);
int cp_debug_check_page(const struct curpage_cache *cache, struct cp_page *p,
			const unsigned long *free);
int cp_debug_check_free(const struct curpage_cache *cache, void *obj);

/* Callers: who got a block last, and who freed it last. */
struct cp_owners {
	unsigned long alloc;
	unsigned long free;
};

bool cp_debug_owners(enum cp_bad bad, const struct curpage_cache *cache,
		     const void *obj, struct cp_owners *owners);

/*
 * block.c: blocks inside a page.
 *
 * A free block has a word: the number of the next free block of its page, or
 * CP_NIL, mixed with the key of the cache and with its own address; in a pool the
 * place of the next one (strategy_pool.c).  A live block has none, since an
 * allocation clears it.  So a block is told to be free by one comparison, and a
 * word that was written over leads nowhere.
 */
#define CP_WORD_SIZE	sizeof(u64)
#ifndef CP_WORD_AT		/* the lab may have it beside the memory */
#define CP_WORD_AT(addr)	((u64 *)(addr))
#define CP_BLOCK_MIN		CP_WORD_SIZE
#endif
#define CP_WORD_MAX	(BIT_ULL(48) - 1)	/* of both */

void cp_block_format(const struct curpage_cache *cache, struct cp_page *p);
unsigned int cp_block_link_all(const struct curpage_cache *cache, void *base,
			       unsigned int begin);
size_t cp_block_pop(const struct curpage_cache *cache, void *base, u16 *top,
		    unsigned int left, size_t n, void **objs);
unsigned int cp_block_chain(const struct curpage_cache *cache, void *base,
			    void **objs, unsigned int n, u16 *top);
unsigned int cp_block_walk(const struct curpage_cache *cache, void *base,
			   unsigned int nr, unsigned int count,
			   unsigned int *last);
bool cp_block_stack_ok(const struct curpage_cache *cache, void *base,
		       unsigned int top, unsigned int n, unsigned int *last);
bool cp_block_listed(const struct curpage_cache *cache, void *base,
		     unsigned int top, unsigned int nr);
unsigned int cp_block_count_free(const struct curpage_cache *cache, void *base);
void cp_block_init_alloc(const struct curpage_cache *cache, void *obj,
			 gfp_t gfp);
void cp_block_init_free(const struct curpage_cache *cache, void *obj);
int cp_block_check(const struct curpage_cache *cache, struct cp_page *p,
		   unsigned int top, unsigned int count, unsigned long *seen);

#include "strategy.h"

/* heap.c: Brent's sets of pages, one heap for each owner CPU of a cache. */
#define CP_OCC_BUCKETS	17	/* live >> occ_shift is at most 16 */

/* Why a heap is closed to the fast path. */
#define CP_CLOSED_DRY	1	/* no block is free on the current page */
#define CP_CLOSED_ODD	2	/* there is more to do for a block of this cache */

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

void cp_hot_init(void);
void cp_heap_init(struct cp_heap *h, struct curpage_cache *cache, int cpu,
		  const struct cp_strategy *strategy, unsigned int phi0);
enum cp_set cp_heap_set_of(const struct cp_heap *h, unsigned int nr_free);
void cp_heap_enter(struct cp_heap *h, struct cp_page *p);
void cp_heap_leave(struct cp_heap *h, struct cp_page *p, unsigned int nr_free);
struct cp_page *cp_heap_retire(struct cp_heap *h);
struct cp_page *cp_heap_next_page(struct cp_heap *h, enum cp_set set,
				  struct cp_page *p);
void cp_heap_join(struct cp_heap *h, struct cp_page *p);
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
void cp_heap_sum(const struct cp_heap *h, struct cp_cache_sum *sum);
unsigned long cp_heap_empty(const struct cp_heap *h);
unsigned long cp_heap_pages(const struct cp_heap *h);

/* heap_check.c */
int cp_heap_check(struct cp_heap *h);

/* remote.c: blocks freed on another CPU than that of their heap. */
void cp_inbox_add(struct cp_page *p);

/* Is there something to collect?  Anybody may ask. */
static inline bool cp_remote_any(const struct cp_heap *h)
{
	return READ_ONCE(h->inbox) || cp_peek(h->todo);
}

void cp_remote_collect(struct cp_heap *h, struct list_head *release);

/* cache.c: blocks of one size; caches.c: caches as a whole. */
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

static inline unsigned int cp_heap_live(const struct cp_heap *h,
					const struct cp_page *p)
{
	return h->cache->capacity - p->nr_free;
}

/* Pages on a list are counted by their live blocks; the current one is not. */
static inline unsigned int cp_heap_bucket(const struct cp_heap *h,
					  unsigned int live)
{
	return live >> h->cache->occ_shift;
}

/*
 * The number of the block that starts so far into its page, less than span, if
 * one does.  With magic = 2^32 / stride rounded up, and offset q * stride + r,
 * the lower half of the product is less than magic only for r = 0.
 */
static __always_inline bool cp_block_at(const struct curpage_cache *cache,
					unsigned long offset, unsigned int *nr)
{
	u64 product = offset * cache->magic;

	if (unlikely((u32)product >= cache->magic))
		return false;
	*nr = product >> 32;
	return true;
}

/* The same for a pointer into a page of the cache. */
static __always_inline bool cp_block_nr(const struct curpage_cache *cache,
					const void *obj, unsigned int *nr)
{
	unsigned long offset = offset_in_page(obj);

	return offset < cache->span && cp_block_at(cache, offset, nr);
}

static __always_inline u64 *cp_block_word(const struct curpage_cache *cache,
					  void *base, unsigned int nr)
{
	return CP_WORD_AT(base + nr * cache->stride + cache->link);
}

/* The word of a block for its tag, in a cache with CP_CACHE_TAGS. */
static inline u64 *cp_block_tag(const struct curpage_cache *cache, void *obj)
{
	unsigned int nr = 0;

	cp_block_nr(cache, obj, &nr);
	return obj - offset_in_page(obj) + PAGE_SIZE - (nr + 1) * CP_TAG_SIZE;
}

static inline void cp_cache_tag(const struct curpage_cache *cache, void *obj)
{
	if (cache->flags & CP_CACHE_TAGS)
		cp_tag_set(cp_block_tag(cache, obj), cache->stride);
}

static inline enum cp_bad cp_cache_untag(const struct curpage_cache *cache,
					 void *obj)
{
	if (!(cache->flags & CP_CACHE_TAGS) ||
	    cp_tag_take(cp_block_tag(cache, obj), cache->stride))
		return CP_OK;
	return CP_BAD_REDZONE;
}

/* What a word is mixed with. */
static __always_inline u64 cp_word_mask(const struct curpage_cache *cache,
					const u64 *word)
{
	return cache->key ^ (unsigned long)word;
}

/*
 * The block becomes free; next is the number of the one behind it, or CP_NIL.  It
 * comes to the upper end of the word, where addresses do not differ: so a copy of a
 * word says nothing at another place.
 */
static __always_inline void cp_word_seal(const struct curpage_cache *cache,
					 u64 *word, u64 next)
{
	WRITE_ONCE(*word, cp_word_mask(cache, word) ^ ror64(next, 16));
}

/* What cp_word_seal() was told; more than CP_NIL: the block is not free. */
static __always_inline u64 cp_word_open(const struct curpage_cache *cache,
					const u64 *word)
{
	return rol64(READ_ONCE(*word) ^ cp_word_mask(cache, word), 16);
}

/*
 * Does the word of a block that somebody frees say that it is free?  READ_ONCE()
 * would cost an instruction.
 */
static __always_inline bool cp_word_is_free(const struct curpage_cache *cache,
					    const u64 *word)
{
	/* The block is its caller's, or this is a misuse. */
	return !((data_race(*word) ^ cp_word_mask(cache, word)) << 16);
}

/* The same of a block that may be in a pool: is the word up to CP_WORD_MAX? */
static __always_inline bool cp_word_may_be_free(const struct curpage_cache *cache,
						const u64 *word)
{
	if (!CP_STUDY)
		return cp_word_is_free(cache, word);
	/* As above. */
	return !((data_race(*word) ^ cp_word_mask(cache, word)) &
		 GENMASK_ULL(47, 32));
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

/*
 * Free n blocks of a pinned page, linked from first on, for the owner to collect,
 * and drop the pin; last is the word of the last one, pinned what cp_page_pin()
 * said.  False, and nothing was done but to drop the pin, where they cannot have
 * been live.
 */
static __always_inline bool
cp_remote_push_unpin(const struct curpage_cache *cache, struct cp_page *p,
		     union cp_page_word pinned, unsigned int first, u64 *last,
		     unsigned int n)
{
	union cp_page_word old = pinned, new;

	do {
		if (unlikely(old.nr_remote + n > cache->capacity)) {
			cp_page_unpin(p);
			return false;
		}
		cp_word_seal(cache, last, old.nr_remote ? old.remote : CP_NIL);
		new.all = (old.all & ~CP_WORD_TOPS) + n * CP_WORD_ONE -
			  CP_WORD_PIN + ((u64)first << CP_WORD_TOP);
	} while (unlikely(!try_cmpxchg_release(&p->word.all, &old.all,
					       new.all)));
	if (unlikely(!old.nr_remote))
		cp_inbox_add(p);
	return true;
}

/* What a cache gets when its creator does not say. */
struct cp_cache_defaults {
	const struct cp_strategy *strategy;
	unsigned int freetol;
	unsigned int keep;
	bool check;
};

/* Told of caches that come and go; the allocator does not know by whom. */
struct cp_cache_watch {
	void (*created)(struct curpage_cache *cache);
	void (*destroyed)(struct curpage_cache *cache);
};

extern struct mutex cp_caches_lock;
extern struct list_head cp_caches;
extern struct cp_cache_defaults cp_cache_defaults;

/* borrow.c: heaps and stocks, whoever owns them. */
enum cp_round_cpus {
	CP_EVERY_CPU,
	CP_HOUSEKEEPING,	/* but those that cp_claim_isolated() names */
	CP_ISOLATED,		/* those */
};

/* Moves pages of a heap to a list, for the arena; true when there are more. */
typedef bool cp_some_fn(struct cp_heap *h, struct list_head *release);

/*
 * A way through the heaps and stocks of CPUs that interrupts each CPU once at
 * most.  heap and stock say which of them need a visit; they are called once for
 * each.  some is done to such a heap until there is no more; a stock is emptied.
 */
struct cp_round {
	struct curpage_cache *cache;	/* its heaps; NULL: those of all caches */
	enum cp_round_cpus cpus;
	bool try;			/* never sleep */
	int next;			/* CPU; CP_SIDE: side heaps come first */
	bool (*heap)(struct cp_heap *h);
	bool (*stock)(struct cp_stock *s);	/* or NULL: no stock does */
	cp_some_fn *some;
};

bool cp_round_step(struct cp_round *r, unsigned long *pages);
unsigned long cp_round_run(struct cp_round *r);
void cp_cache_each_heap(struct curpage_cache *cache,
			void (*fn)(struct cp_heap *h, void *data), void *data);
bool cp_drain_some(struct cp_heap *h, struct list_head *release);
bool cp_heap_gains(struct cp_heap *h);
unsigned long cp_heap_give_back(struct cp_heap *h);
unsigned long cp_cache_drain(struct curpage_cache *cache);
void cp_cache_dismiss(struct curpage_cache *cache);

/* cache.c */
void *cp_cache_alloc_slow(size_t size, gfp_t gfp, struct curpage_cache *cache,
			  unsigned long caller);
void *cp_cache_zero(struct curpage_cache *cache, void *obj);
void *cp_cache_alloc_hooks(struct curpage_cache *cache, void *obj, gfp_t gfp,
			   size_t size, unsigned long caller);
void cp_cache_free_slow(struct curpage_cache *cache, void *obj,
			unsigned long caller);
void cp_cache_free_block(struct curpage_cache *cache, struct cp_page *p,
			 void *obj, unsigned long caller);
size_t cp_cache_get(struct curpage_cache *cache, gfp_t gfp, bool dry, size_t n,
		    void **objs, unsigned long caller);

/* caches.c */
struct curpage_cache *cp_cache_create(const char *name, unsigned int size,
				      const struct curpage_cache_args *args);
void cp_cache_destroy(struct curpage_cache *cache, unsigned long caller);
unsigned long cp_cache_live(struct curpage_cache *cache);
int cp_cache_retune(struct curpage_cache *cache,
		    const struct cp_strategy *strategy, unsigned int freetol);
void cp_cache_sum(struct curpage_cache *cache, struct cp_cache_sum *sum);
void cp_cache_set_watch(const struct cp_cache_watch *watch);

/* size.c: allocation by size. */
int cp_size_init(void);
void cp_size_exit(void);
void cp_size_set_crossover(unsigned int bytes);
unsigned int cp_size_crossover(void);

/* reclaim.c: the shrinker. */
unsigned long cp_reclaim(unsigned long nr);
int cp_reclaim_init(void);
void cp_reclaim_exit(void);

/* idle.c: what is not used for a while goes back. */
extern unsigned long cp_idle_pages;

void cp_idle_look(void);
void cp_idle_init(unsigned int ms);
void cp_idle_exit(void);

/* hotplug.c: what belongs to a CPU that goes offline. */
int cp_hotplug_init(void);
void cp_hotplug_exit(void);

#endif /* CP_INTERNAL_H */
