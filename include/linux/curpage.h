/* SPDX-License-Identifier: GPL-2.0 */
/*
 * curpage: a slab and page allocator that keeps live objects on few pages.
 *
 * A cache hands out blocks of one size from its current page.  It chooses the
 * next current page so that partly used pages fill and others run empty
 * (R. P. Brent, 1984).  Emptied pages go back to the system.
 */
#ifndef _LINUX_CURPAGE_H
#define _LINUX_CURPAGE_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/types.h>
#ifdef CONFIG_MEM_ALLOC_PROFILING
#include <linux/alloc_tag.h>
#include <linux/sched.h>
#endif

struct curpage_cache;
struct page;

/* The largest page block is 2^CURPAGE_MAX_ORDER pages. */
#define CURPAGE_MAX_ORDER	10

/* For curpage_cache_args.freetol: the value of the module parameter. */
#define CURPAGE_FREETOL_DEFAULT	0

/**
 * enum curpage_cache_flags - optional properties of a cache
 * @CURPAGE_HWCACHE_ALIGN: align blocks to cache lines, if they are larger than
 *	half of one
 * @CURPAGE_CHECK: red zones, poison and owner tracking, as with the module
 *	parameter check=1
 * @CURPAGE_RECLAIM_ACCOUNT: a shrinker of the user can free blocks under memory
 *	pressure: count the pages of the cache as SReclaimable in /proc/meminfo,
 *	not as SUnreclaim
 * @CURPAGE_PRIVATE_PAGES: keep pages of this cache from all others while the
 *	cache exists, so that a dangling pointer to a block never comes to point
 *	into another cache; empty pages do not go back to the system either
 * @CURPAGE_TYPESAFE_BY_RCU: as SLAB_TYPESAFE_BY_RCU: a page leaves the cache
 *	only after a grace period; a freed block may be reused at once, and
 *	keeps its contents until then
 * @CURPAGE_CACHE_FLAGS: all flags that curpage_cache_create() knows
 */
enum curpage_cache_flags {
	CURPAGE_HWCACHE_ALIGN	= 1 << 0,
	CURPAGE_CHECK		= 1 << 1,
	CURPAGE_RECLAIM_ACCOUNT	= 1 << 2,
	CURPAGE_PRIVATE_PAGES	= 1 << 3,
	CURPAGE_TYPESAFE_BY_RCU	= 1 << 4,
	CURPAGE_CACHE_FLAGS	= CURPAGE_HWCACHE_ALIGN | CURPAGE_CHECK |
				  CURPAGE_RECLAIM_ACCOUNT |
				  CURPAGE_PRIVATE_PAGES |
				  CURPAGE_TYPESAFE_BY_RCU,
};

/**
 * struct curpage_cache_args - the less common arguments of a cache
 * @align: alignment of blocks, a power of two up to the page size; 0 for the
 *	default (8 bytes, and 16 bytes for blocks of 16 bytes and more)
 * @ctor: constructor, called once for each block of a page when the page is
 *	taken; a block has to be freed in the constructed state, and takes 8
 *	bytes more
 * @strategy: name of the strategy that picks the next current page, as in the
 *	module parameter; NULL for the value of the module parameter.
 *	One for comparison needs a module built with STUDY=1
 * @freetol: bytes that have to be free on a page before it can become the
 *	current page again (Brent's FREETOL), at most the page size;
 *	CURPAGE_FREETOL_DEFAULT for the value of the module parameter
 * @flags: bits of &enum curpage_cache_flags
 */
struct curpage_cache_args {
	unsigned int align;
	void (*ctor)(void *block);
	const char *strategy;
	unsigned int freetol;
	unsigned int flags;
};

struct curpage_cache *
curpage_cache_create(const char *name, unsigned int size,
		     const struct curpage_cache_args *args);
int curpage_cache_destroy(struct curpage_cache *cache);
void *curpage_cache_alloc(struct curpage_cache *cache, gfp_t gfp) __malloc;
void curpage_cache_free(struct curpage_cache *cache, void *obj);
int curpage_cache_alloc_bulk(struct curpage_cache *cache, gfp_t gfp,
			     size_t n, void **objs);
void curpage_cache_free_bulk(struct curpage_cache *cache, size_t n,
			     void **objs);
int curpage_cache_shrink(struct curpage_cache *cache);
unsigned int curpage_cache_size(const struct curpage_cache *cache);

void *curpage_alloc(size_t size, gfp_t gfp) __alloc_size(1);
void *curpage_zalloc(size_t size, gfp_t gfp) __alloc_size(1);
void curpage_free(const void *obj);
size_t curpage_ksize(const void *obj);

struct page *curpage_alloc_pages(gfp_t gfp, unsigned int order);
void curpage_free_pages(struct page *page, unsigned int order);

int curpage_check(void);

/*
 * With memory allocation profiling each line of code that allocates is counted
 * in /proc/allocinfo.  A function that allocates for its callers calls
 * NAME_noprof() and is itself called by alloc_hooks(): then the lines of its
 * callers are counted.
 */
#define curpage_cache_alloc_noprof	(curpage_cache_alloc)
#define curpage_cache_alloc_bulk_noprof	(curpage_cache_alloc_bulk)
#define curpage_alloc_noprof		(curpage_alloc)
#define curpage_zalloc_noprof		(curpage_zalloc)
#define curpage_alloc_pages_noprof	(curpage_alloc_pages)

#ifdef CONFIG_MEM_ALLOC_PROFILING
#define curpage_cache_alloc(...)					\
	alloc_hooks(curpage_cache_alloc_noprof(__VA_ARGS__))
#define curpage_cache_alloc_bulk(...)					\
	alloc_hooks(curpage_cache_alloc_bulk_noprof(__VA_ARGS__))
#define curpage_alloc(...)						\
	alloc_hooks(curpage_alloc_noprof(__VA_ARGS__))
#define curpage_zalloc(...)						\
	alloc_hooks(curpage_zalloc_noprof(__VA_ARGS__))
#define curpage_alloc_pages(...)					\
	alloc_hooks(curpage_alloc_pages_noprof(__VA_ARGS__))
#endif

#endif /* _LINUX_CURPAGE_H */
