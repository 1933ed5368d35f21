/* SPDX-License-Identifier: GPL-2.0 */
/* The page header, laid over struct page. */
#ifndef CP_PAGE_H
#define CP_PAGE_H

#include "base/base.h"

/*
 * The least alignment of a block of this size, and the most blocks of a page.
 * The lab may be built with those of the machines in the papers.
 */
#ifndef CP_ALIGN_MIN
#define CP_ALIGN_MIN(size)	((size) < 16 ? 8 : 16)
#endif
#define CP_CAPACITY_MAX		(PAGE_SIZE / CP_ALIGN_MIN(1))

/**
 * DOC: Header of a page
 *
 * Every page that the arena holds has the key.  A page block is known by its
 * first page, its other pages are CP_TAIL.  Use of the fields of struct page::
 *
 *	lru	 list	in a cache: links the page in a list of its heap
 *			first page of a free block: in the buddy's free list
 *			between heap, stock and arena: in the list that
 *			carries it
 *		 node	in a cache whose strategy has a tree: links in the tree
 *		 rcu	on its way out of a cache with CURPAGE_TYPESAFE_BY_RCU
 *		 run	in a run of first fit: that run
 *		 tag	first page of a page block: the line of code that
 *			allocated it (tag.h); over lru.prev
 *	mapping	 heap	while a heap owns the page: that heap, written under
 *			the heap's claim or lock; in a CP_RESERVE of a cache:
 *			the side heap; else NULL
 *	index	 free	in a cache: number of the first free block, or CP_NIL
 *		 order	else, in the first page of a block: log2 of its pages
 *		 nr_free  in a cache: number of free blocks
 *		 link	in an inbox: number of the next page there, lower bits
 *	private	 word	0 unless the arena holds the page; then, exchanged by
 *			any CPU as a whole:
 *			key	  cp_map.key: the page is ours
 *			kind	  enum cp_page_kind
 *			use, chunk_order  of the page's chunk
 *			remote, nr_remote  the stack of remote frees;
 *				  in CP_BLOCK, remote is the order;
 *				  in CP_RESERVE, the block's owner (reserve.c)
 *			pins	  of CPUs that are about to push onto the stack
 *			link_high  upper bits of link
 *
 * While a page is in a cache:
 *
 * - list, free and nr_free belong to the task or CPU that may use the heap;
 * - remote, nr_remote and pins belong to any CPU;
 * - the link belongs to the CPU that made the stack non-empty, then to the
 *   heap's owner (remote.c).
 *
 * The heap keeps the free list of its current page.  In the header of that page
 * free is CP_NIL and nr_free 0, except for the blocks that CP_ONE_WAY keeps
 * aside.  With CP_POOLED free is the block freed last, if it is still free.
 *
 * The arena's lock protects kind, use and chunk_order of every page, and all
 * fields of a page that is in no cache.  Once a block has left the arena they
 * belong to the task that took it.
 */
enum cp_page_kind {
	CP_TAIL,	/* inside a page block, or on its way to the system */
	CP_FREE,	/* first page of a free block in the buddy */
	CP_BLOCK,	/* first page of a page block that a caller has */
	CP_STOCK,	/* first page of a freed block, not yet in the buddy */
	CP_LOOSE,	/* a page on its way between the arena and a heap */
	CP_RUN,		/* any page of a run of first fit (fit.c) */
	CP_RESERVE,	/* page or block of the system's reserves (reserve.c) */
	CP_CACHE,	/* a page of a cache, owned by a heap */
	CP_DAMAGED,	/* as CP_CACHE, but free blocks of it were lost */
};

/* What a page is for.  With cp_arena.apart each use has chunks of its own. */
enum cp_use {
	CP_FOR_CALLERS,	/* page blocks; every page without cp_arena.apart */
	CP_FOR_CACHES,	/* pages of caches and of runs of first fit */
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

/* Add to a word: one pin, one block on the stack.  Bits of the stack's top. */
#define CP_WORD_PIN	BIT_ULL(33)
#define CP_WORD_ONE	BIT_ULL(21)
#define CP_WORD_TOP	9
#define CP_WORD_TOPS	GENMASK_ULL(20, CP_WORD_TOP)

/* The key is in the upper bits, so that no pointer can be taken for it. */
union cp_page_word {
	u64 all;
	struct {
#ifdef __LITTLE_ENDIAN
		u64 kind:4;
		u64 use:1;		/* enum cp_use of its chunk */
		u64 chunk_order:4;
		u64 remote:12;		/* number of the stack's top block */
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
 * Replaces list while a page is in a tree (tree.c).  The two lowest bits of lru
 * stay 0: the kernel takes the first for that of a compound tail, the second
 * for that of a page of the reserves (page_is_pfmemalloc()).
 */
#define CP_CHILD_BITS	40
#define CP_WEIGHT_BITS	22	/* lower bits of weight, in the first word */

struct cp_node {
#ifdef __LITTLE_ENDIAN
	u64 clear:2;			/* 0 */
	u64 left:CP_CHILD_BITS;		/* page number plus 1; 0: none */
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
		struct page __page;	/* size: p + 1 is the next page */
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
 * Return: the address of a page, without the tag that KASAN puts into its upper
 * byte.  So a block has one address, it is in the linear map, and no word is
 * mixed with a tag.
 */
static inline void *cp_page_base(const struct cp_page *p)
{
	return kasan_reset_tag(page_address(&p->__page));
}

static inline unsigned long cp_page_pfn(struct cp_page *p)
{
	return page_to_pfn(cp_page_to_page(p));
}

/* All that the way from an address to its header needs, in one cache line. */
struct cp_map {
	unsigned long start;	/* of the linear map */
	unsigned long size;
	struct cp_page *pages;	/* header of the page at start */
	u64 key;		/* in the word of each page of ours */
};

extern struct cp_map cp_map;

/*
 * The number of a page is its index in the linear map, so numbers rise with
 * addresses.  cp_page_init_map() refuses a machine with numbers of more bits.
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
	/* A foreign page may change meanwhile, but never into one of ours. */
	return cp_page_word_ours(data_race(cp_page_word(p)));
}

static inline enum cp_page_kind cp_page_kind(const struct cp_page *p)
{
	return cp_page_word(p).kind;
}

/*
 * Pin a page of a cache: it does not leave its heap, so that blocks can be
 * pushed onto it.  Called with preemption disabled, which it stays until the
 * pin is dropped.
 *
 * The page may have any owner by now: the exchange succeeds only on a word that
 * has our key.  If all pins of a page are taken, wait until one is dropped;
 * each is held for a few instructions.
 *
 * Return: the word with the pin, after which the page stays in its heap or
 * moves to a heap of the same cache; 0 if the page is in no heap.
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

/* Return: the heap that owns a page of ours, or NULL if no heap does. */
static inline struct cp_heap *cp_page_heap(const struct cp_page *p)
{
	return READ_ONCE(p->heap);
}

/* Return: the word for a page as another kind, without stack, pins and link. */
static inline union cp_page_word cp_page_word_as(const struct cp_page *p,
						 enum cp_page_kind kind)
{
	union cp_page_word word = cp_page_word(p);

	return (union cp_page_word){
		.kind = kind, .use = word.use, .chunk_order = word.chunk_order,
		.key = word.key,
	};
}

/* Set the kind of a block that belongs to the caller alone. */
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

/* Return: the difference between the words of a CP_BLOCK and of a CP_STOCK. */
static __always_inline u64 cp_word_lent(unsigned int order)
{
	return (u64)CP_BLOCK - CP_STOCK + ((u64)order << CP_WORD_TOP);
}

/* Turn a CP_STOCK into a CP_BLOCK that is handed out. */
static __always_inline void cp_page_set_lent(struct cp_page *p,
					     unsigned int order)
{
	WRITE_ONCE(p->word.all, cp_page_word(p).all + cp_word_lent(order));
}

/*
 * References to each page of a cache and of first fit, beyond the one that
 * every page of ours has.  kfree() of a block drops a reference to its page.
 * That must not free the page, on which other blocks lie, not even after a
 * kfree() of each block.
 */
#define CP_PAGE_REFS	1024

static inline void cp_page_hold(struct cp_page *p)
{
	page_ref_add(cp_page_to_page(p), CP_PAGE_REFS);
}

/*
 * Return: the references of others to a page that has CP_PAGE_REFS; less than 0
 * if others dropped some of ours.
 */
static inline int cp_page_foreign_refs(struct cp_page *p)
{
	return page_ref_count(cp_page_to_page(p)) - CP_PAGE_REFS - 1;
}

/*
 * Drop the CP_PAGE_REFS references to a page.
 *
 * Return: false if others hold a reference, or dropped one of ours.  Then the
 * page must go to the system.  After a drop our other references stay, so that
 * the system never gets the page.
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
struct cp_page *cp_page_lookup(const void *addr);
void cp_page_adopt(struct cp_page *first, unsigned int order,
		   enum cp_use use);
void cp_page_disown(struct cp_page *p);
void cp_page_unpin(struct cp_page *p);
bool cp_page_try_leave(struct cp_page *p);
void cp_page_set_damaged(struct cp_page *p);
bool cp_page_is_free(struct cp_page *p);

/*
 * Find the header of the page that addr points into.  A wild pointer into a
 * hole of the memory may have no struct page, so a fault of the read is caught.
 *
 * Return: false if the page is not ours, or if only cp_page_lookup() can tell.
 */
static __always_inline bool cp_page_find(const void *addr, struct cp_page **p)
{
	unsigned long offset = (unsigned long)addr - cp_map.start;
	u64 word;	/* the union itself makes gcc 12 crash on Linux 6.1 */

	if (unlikely(offset >= cp_map.size))
		return false;
	*p = cp_map.pages + (offset >> PAGE_SHIFT);
	__get_kernel_nofault(&word, &(*p)->word.all, u64, none);
	return cp_page_word_ours((union cp_page_word){ .all = word });
none:
	return false;
}

/*
 * Find the header of the page that addr points into, even if the page is
 * foreign, and read its field heap.  If that is a heap that the caller has
 * claimed, the page belongs to the heap and stays: no other page points to a
 * heap of a CPU.
 *
 * Return: false if only cp_page_lookup() can tell.
 */
static __always_inline bool cp_page_find_any(const void *addr,
					     struct cp_page **p,
					     unsigned long *heap)
{
	unsigned long offset = (unsigned long)addr - cp_map.start;

	if (unlikely(offset >= cp_map.size))
		return false;
	*p = cp_map.pages + (offset >> PAGE_SHIFT);
	__get_kernel_nofault(heap, &(*p)->heap, unsigned long, none);
	return true;
none:
	return false;
}

/* Stand for a cache's number in the tracepoints. */
#define CP_FIT_ID	U32_MAX
#define CP_BLOCK_ID	0	/* page blocks and samples of KFENCE */

/* Count the free of a page block for profiling, and trace it. */
static __always_inline void cp_pages_tell_free(struct cp_page *p,
					       unsigned int order,
					       unsigned long caller)
{
	if (cp_tags_on())
		cp_tag_take(&p->tag, PAGE_SIZE << order);
	trace_curpage_free(caller, cp_page_base(p), CP_BLOCK_ID, 0);
}

#endif /* CP_PAGE_H */
