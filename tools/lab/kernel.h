/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lab's twin of mm/base/kernel.h.  It has the same guard and is included
 * before each file, so mm/ compiles unchanged in user space.
 *
 * All pages are one array of struct page beside one mapping, so page arithmetic
 * holds.  CPUs, locks and atomic operations are in smp.h.  Calls to the system
 * under a spinlock are refused.  struct lab has what the lab and the tests
 * steer and look at.
 */
#ifndef CP_KERNEL_H
#define CP_KERNEL_H

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned int gfp_t;

/*
 * The lab as in the paper of 1984: blocks are aligned to 2 bytes only.  Some
 * are smaller than the 8-byte word of a free block, which the paper does not
 * count, so the words lie beside the memory.
 */
#ifdef LAB_UNIT
#define CP_UNIT			LAB_UNIT
#define CP_ALIGN_MIN(size)	2U
#define CP_MAP_POWERS		0
#define CP_BLOCK_MIN		2U
#define CP_WORD_AT(addr)	(lab.words + ((char *)(addr) - lab.memory) / 2)
#endif

#define U8_MAX		UINT8_MAX
#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S64_MIN		INT64_MIN
#define S64_MAX		INT64_MAX
#define SZ_1K		1024
#define SZ_1M		0x100000
#define SZ_4K		4096
#define SZ_64K		65536
#define BITS_PER_LONG	64
#define __LITTLE_ENDIAN	1234

/* Attributes, and macros that are empty outside the kernel. */
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __printf(a, b)	__attribute__((format(gnu_printf, a, b)))
#define __malloc	__attribute__((__malloc__))
#define __alloc_size(x)	__malloc	/* tests write past the end */
#define __force
#define __percpu
#define __init
#define __exit
#define __ro_after_init
#define noinline	__attribute__((__noinline__))
#define ____cacheline_aligned_in_smp __attribute__((__aligned__(64)))
#define __aligned(n)			__attribute__((__aligned__(n)))
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define INDIRECT_CALL_1(f, f1, args...)					\
	((f) == (f1) ? (f1)(args) : (f)(args))
#define EXPORT_SYMBOL_GPL(sym) extern __typeof__(sym) sym
#define ALLOW_ERROR_INJECTION(fn, type) extern __typeof__(fn) fn
#define KUNIT_STATIC_STUB_REDIRECT(fn, args...) do { } while (0)
#define THIS_MODULE	NULL
#define __module_get(m)	do { } while (0)
#define module_put(m)	do { } while (0)
#define _RET_IP_	((unsigned long)__builtin_return_address(0))
#define might_alloc(gfp) ((void)(gfp))
#define cond_resched()	do { } while (0)
#define usleep_range(min, max)	((void)(min), (void)(max))
#define in_nmi()	false
#define kmemleak_alloc(ptr, size, n, gfp) do { } while (0)
#define kmemleak_free(ptr) do { } while (0)
#define kmsan_poison_memory(ptr, size, gfp) do { } while (0)
#define kmsan_unpoison_memory(ptr, size) do { } while (0)
#define kasan_reset_tag(ptr) ((void *)(ptr))

#define WARN_ON_ONCE(cond) ({						\
	bool cond_ = (cond);						\
	if (cond_)							\
		lab_printk("WARNING: " #cond "\n");			\
	cond_;								\
})

/* 1 for an option that is defined as 1, else 0, by the trick of the kernel. */
#define LAB_COMMA_1	0,
#define LAB_SECOND(a, b, c...) b
#define LAB_IS_1(comma)	LAB_SECOND(comma 1, 0)
#define LAB_PASTE(value) LAB_IS_1(LAB_COMMA_##value)
#define IS_ENABLED(option) LAB_PASTE(option)
#define CONFIG_FLATMEM	1
#define CONFIG_SLAB_FREELIST_RANDOM 1

/* Numbers. */
#define offsetofend(type, field)						\
	(offsetof(type, field) + sizeof(((type *)NULL)->field))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define min(a, b) ({							\
	__typeof__(a) a_ = (a);						\
	__typeof__(b) b_ = (b);						\
	a_ < b_ ? a_ : b_;						\
})
#define max(a, b) ({							\
	__typeof__(a) a_ = (a);						\
	__typeof__(b) b_ = (b);						\
	a_ > b_ ? a_ : b_;						\
})
#define abs(x)		labs(x)
#define cp_count_add(counter, n) this_cpu_add(counter, n)
#define min_t(t, a, b)	min((t)(a), (t)(b))
#define max_t(t, a, b)	max((t)(a), (t)(b))
#define clamp(v, lo, hi) min(max(v, lo), hi)
#define clamp_t(t, v, lo, hi) clamp((t)(v), (t)(lo), (t)(hi))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((unsigned long long)(n), d)
#define ALIGN(x, a)	(((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define IS_ALIGNED(x, a) (((x) & ((a) - 1)) == 0)
#define div64_u64(n, d)	((u64)(n) / (u64)(d))

static inline int ilog2(unsigned long n)
{
	return BITS_PER_LONG - 1 - __builtin_clzl(n);
}

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline int order_base_2(unsigned long n)
{
	return n > 1 ? ilog2(n - 1) + 1 : 0;
}

/* Bits. */
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK_ULL(h, l) (~0ULL >> (63 - (h)) & ~0ULL << (l))
#define rol64(x, n)	((x) << (n) | (x) >> (64 - (n)))
#define ror64(x, n)	((x) >> (n) | (x) << (64 - (n)))
#define __ffs(x)	((unsigned int)__builtin_ctzl(x))
#define __ffs64(x)	((unsigned int)__builtin_ctzll(x))
#define BITS_TO_LONGS(n) DIV_ROUND_UP(n, BITS_PER_LONG)
#define DECLARE_BITMAP(name, n) unsigned long name[BITS_TO_LONGS(n)]

static inline void bitmap_zero(unsigned long *map, unsigned int n)
{
	memset(map, 0, BITS_TO_LONGS(n) * sizeof(*map));
}

static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> n % BITS_PER_LONG & 1;
}

static inline void __set_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= 1UL << n % BITS_PER_LONG;
}

static inline void __clear_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] &= ~(1UL << n % BITS_PER_LONG);
}

/* Find the first set bit from n on.  Return: its number, or size. */
static inline unsigned int find_next_bit(const unsigned long *map,
					 unsigned int size, unsigned int n)
{
	while (n < size) {
		unsigned long word = map[n / BITS_PER_LONG] >> n % BITS_PER_LONG;

		if (word)
			return min(n + __builtin_ctzl(word), size);
		n = ALIGN(n + 1, BITS_PER_LONG);
	}
	return size;
}

/* Find the last set bit below size.  Return: its number, or size. */
static inline unsigned int find_last_bit(const unsigned long *map,
					 unsigned int size)
{
	unsigned int n = size;

	while (n) {
		unsigned int top = (n - 1) % BITS_PER_LONG;
		unsigned long word = map[(n - 1) / BITS_PER_LONG] <<
				     (BITS_PER_LONG - 1 - top);

		if (word)
			return n - 1 - __builtin_clzl(word);
		n -= top + 1;
	}
	return size;
}

static inline bool __test_and_set_bit(unsigned int n, unsigned long *map)
{
	bool old = test_bit(n, map);

	map[n / BITS_PER_LONG] |= 1UL << n % BITS_PER_LONG;
	return old;
}

/* Text. */
void lab_printk(const char *fmt, ...);

#define pr_fmt(fmt) "curpage: " fmt
#define pr_err(fmt, args...) lab_printk(pr_fmt(fmt), ##args)
#define pr_info(fmt, args...) lab_printk(pr_fmt(fmt), ##args)
#define WARN(cond, fmt, args...) do {					\
	if (cond)							\
		lab_printk(fmt, ##args);				\
} while (0)

/* Print every report, for tests to judge.  Only lab.quiet limits them. */
struct ratelimit_state {
	int burst;
	int printed;		/* so far; only in tests of the limit */
};

#define HZ			100
#define RATELIMIT_MSG_ON_RELEASE 1
#define RATELIMIT_STATE_INIT_FLAGS(name, interval, nr, flags) { nr }
#define __ratelimit(state)	true
#define add_taint(flag, lockdep) ((void)(lab.tainted = true))

#define pr_warn_once(fmt, args...) do {					\
	static bool said_;						\
	if (!said_)							\
		pr_err(fmt, ##args);					\
	said_ = true;							\
} while (0)

static inline void strscpy(char *to, const char *from, size_t size)
{
	snprintf(to, size, "%s", from);
}

static inline bool strstarts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Return: the bytes that were written, as in the kernel. */
#define scnprintf(buf, size, fmt, args...)				\
	min_t(int, snprintf(buf, size, fmt, ##args), (int)(size) - 1)

static inline const void *memchr_inv(const void *start, int c, size_t n)
{
	const u8 *p = start;

	for (; n; n--, p++)
		if (*p != (u8)c)
			return p;
	return NULL;
}

/* Requests for memory. */
#define __GFP_DMA		0x01u
#define __GFP_HIGHMEM		0x02u
#define __GFP_DMA32		0x04u
#define __GFP_MOVABLE		0x08u
#define GFP_ZONEMASK		0x0fu
#define __GFP_DIRECT_RECLAIM	0x10u
#define __GFP_ZERO		0x20u
#define __GFP_COMP		0x40u
#define __GFP_NOWARN		0x80u
#define __GFP_NOFAIL		0x100u
#define __GFP_HIGH		0x200u
#define __GFP_NOMEMALLOC	0x400u
#define __GFP_ACCOUNT		0x800u
#define __GFP_RETRY_MAYFAIL	0x1000u
#define __GFP_RECLAIMABLE	0x2000u
#define __GFP_MEMALLOC		0x4000u
#define __GFP_RECLAIM		__GFP_DIRECT_RECLAIM
#define GFP_KERNEL		__GFP_DIRECT_RECLAIM
#define GFP_ATOMIC		0u

#define ZERO_SIZE_PTR		((void *)16)
#define ZERO_OR_NULL_PTR(p)	((unsigned long)(p) <= 16)

/* Pages of 4096 bytes, or of 512 in the lab as in the paper of 1984. */
#ifndef LAB_PAGE_SHIFT
#define LAB_PAGE_SHIFT		12
#endif
#define PAGE_SHIFT		LAB_PAGE_SHIFT
#define PAGE_SIZE		(1UL << PAGE_SHIFT)
#define offset_in_page(p)	((unsigned long)(p) & (PAGE_SIZE - 1))

struct page {
	unsigned long flags;
	struct list_head lru;
	void *mapping;
	unsigned long cp_page_index;
	unsigned long private;
	int _mapcount;
	struct {
		int counter;
	} _refcount;		/* 1: can be freed by itself */
};

/* Two nodes, which take turns every 1024 pages, and their statistics. */
enum node_stat_item {
	NR_SLAB_RECLAIMABLE_B,
	NR_SLAB_UNRECLAIMABLE_B,
	NR_KERNEL_MISC_RECLAIMABLE,
	NR_VM_NODE_STAT_ITEMS
};

#define LAB_NODES	2
struct pglist_data {
	long stat[NR_VM_NODE_STAT_ITEMS];
};

/* Bit 1 of lru, as in the kernel. */
#define page_is_pfmemalloc(page) ((unsigned long)(page)->lru.next & 2)
#define set_page_pfmemalloc(page) ((page)->lru.next = (void *)2)
#define PF_MEMALLOC	1
#define current		(&lab.task)
#define page_ref_count(page) READ_ONCE((page)->_refcount.counter)
#define page_ref_add(page, n) ((void)((page)->_refcount.counter += (n)))
#define page_ref_sub(page, n) page_ref_add(page, -(n))
#define page_ref_inc(page) page_ref_add(page, 1)
#define page_to_nid(page) ((int)(page_to_pfn(page) / 1024 % LAB_NODES))
#define NODE_DATA(node)	(&lab.nodes[node])
#define page_pgdat(page) NODE_DATA(page_to_nid(page))
#define mod_node_page_state(node, item, n) ((void)((node)->stat[item] += (n)))

#define LAB_SAID	320	/* bytes of a message */

/* The machine: what it has lent, and what tests tell it to refuse. */
struct lab {
	struct page *map;		/* from page number 0 on */
	char *memory;			/* of these pages */
	u64 *words;			/* of free blocks, if not in memory */
	int cpu;			/* that runs now */
	unsigned int preempt;		/* depth of preempt_disable() */
	unsigned long spinning;		/* spinlocks taken */
	unsigned long pages_lent;
	unsigned long objects_lent;	/* by kzalloc() */
	unsigned int dma_align;		/* see cp_dma_align() */
	unsigned long memory_beyond;	/* end of the linear map */
	struct pglist_data nodes[LAB_NODES];
	struct {
		unsigned int flags;
	} task;
	unsigned long pages_left;	/* requests until all are refused */
	unsigned long objects_left;	/* the same for kzalloc() */
	unsigned int order_limit;	/* larger blocks of pages are refused */
	void (*interrupt)(void);	/* by the next alloc_pages(), once */
	bool init_on_alloc;
	bool init_on_free;
	bool tainted;			/* by a report */
	int (*cpu_dead)(unsigned int cpu);	/* callback for a dead CPU */
	bool quiet;			/* pr_err() prints nothing */
	char said[LAB_SAID];		/* text of the last pr_err() */
	unsigned long messages;		/* by pr_err() and the like */
	void (*refill)(void *data, unsigned int cache, unsigned long pfn,
		       unsigned int source, unsigned int nr_free);
	void *refill_data;
	/* Called when first fit takes a run of pages or gives it back. */
	void (*run)(void *data, unsigned long pfn, unsigned int order,
		    bool taken);
	void *run_data;
	/* Chooses the 2^order pages to lend next.  NULL: the lowest. */
	bool (*place)(unsigned int order, unsigned long *pfn);
};

extern struct lab lab;

#include "rbtree.h"
#include "smp.h"

unsigned long lab_pages(void);
bool lab_pages_free(unsigned long pfn, unsigned int order);
struct page *alloc_pages(gfp_t gfp, unsigned int order);
void split_page(struct page *page, unsigned int order);
void __free_page(struct page *page);
void *kzalloc(size_t size, gfp_t gfp);
void kfree(void *ptr);
#define kcalloc(n, size, gfp) kzalloc((n) * (size), gfp)
#define kvzalloc(size, gfp) kzalloc(size, gfp)
#define kvfree(ptr) kfree(ptr)
#define cache_line_size() 64U
#define cp_dma_align()	max(lab.dma_align, 1U)
#define cp_dma_wants(size) true

#define PAGE_OFFSET	((unsigned long)lab.memory)
#define CP_LINEAR_START	PAGE_OFFSET
#define high_memory	((void *)(lab.memory + (lab_pages() << PAGE_SHIFT) + \
				  lab.memory_beyond))

/* Every page of the machine has its struct page. */
#define __get_kernel_nofault(dst, src, type, failed) do {		\
	*(type *)(dst) = READ_ONCE(*(type *)(src));			\
	if (0)								\
		goto failed;						\
} while (0)

static inline struct page *pfn_to_page(unsigned long pfn)
{
	return lab.map + pfn;
}

static inline unsigned long page_to_pfn(const struct page *page)
{
	return page - lab.map;
}

static inline void *page_address(const struct page *page)
{
	return lab.memory + (page_to_pfn(page) << PAGE_SHIFT);
}

static inline bool virt_addr_valid(const void *addr)
{
	return (unsigned long)addr - (unsigned long)lab.memory <
	       lab_pages() << PAGE_SHIFT;
}

static inline struct page *virt_to_page(const void *addr)
{
	return lab.map + (((char *)addr - lab.memory) >> PAGE_SHIFT);
}

static inline unsigned int get_order(size_t size)
{
	return order_base_2(((size - 1) >> PAGE_SHIFT) + 1);
}

static inline bool gfpflags_allow_blocking(gfp_t gfp)
{
	return gfp & __GFP_DIRECT_RECLAIM;
}

static inline bool want_init_on_alloc(gfp_t gfp)
{
	return lab.init_on_alloc || gfp & __GFP_ZERO;
}

static inline bool want_init_on_free(void)
{
	return lab.init_on_free;
}

static inline bool cp_init_on_alloc(void)
{
	return lab.init_on_alloc;
}

static inline unsigned long get_random_long(void)
{
	return 0x5bd1e995c6a4a793;	/* the same in every run */
}

/* Check the caller: the kernel's takes a lock that sleeps with PREEMPT_RT. */
static inline u32 get_random_u32(void)
{
	assert(!lab.spinning && !lab.preempt);
	return get_random_long();
}

/* Tracepoints.  The replay uses refill, run_take and run_return. */
int cp_trace_begin(void);
void cp_trace_end(void);

#define LAB_TRACE(name, proto...)					\
	static inline void trace_curpage_##name(proto) { }		\
	static inline bool trace_curpage_##name##_enabled(void)	\
	{								\
		return false;						\
	}
LAB_TRACE(alloc, unsigned long ip, const void *ptr, unsigned int cache,
	  size_t size, size_t class_size, gfp_t gfp)
LAB_TRACE(free, unsigned long ip, const void *ptr, unsigned int cache,
	  bool remote)
LAB_TRACE(page_release, unsigned int cache, unsigned long pfn)
LAB_TRACE(split, unsigned long pfn, unsigned int order)
LAB_TRACE(merge, unsigned long pfn, unsigned int order)
LAB_TRACE(chunk_take, unsigned long pfn, unsigned int order)
LAB_TRACE(chunk_return, unsigned long pfn, unsigned int order)
#undef LAB_TRACE

static inline void trace_curpage_refill(unsigned int cache, unsigned long pfn,
					unsigned int source,
					unsigned int nr_free)
{
	if (lab.refill)
		lab.refill(lab.refill_data, cache, pfn, source, nr_free);
}

static inline void trace_curpage_run_take(unsigned long pfn, unsigned int order)
{
	if (lab.run)
		lab.run(lab.run_data, pfn, order, true);
}

static inline void trace_curpage_run_return(unsigned long pfn,
					    unsigned int order)
{
	if (lab.run)
		lab.run(lab.run_data, pfn, order, false);
}

#include "xarray.h"

#endif /* CP_KERNEL_H */
