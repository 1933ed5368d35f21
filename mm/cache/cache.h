/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caches: allocations of one size (cache.c) and frees (free.c), blocks of the
 * system's reserves (reserve.c), and caches as a whole (caches.c).
 */
#ifndef CP_CACHE_H
#define CP_CACHE_H

#include "heap/heap.h"

/* Defaults for what the creator of a cache leaves open. */
struct cp_cache_defaults {
	const struct cp_strategy *strategy;
	unsigned int freetol;
	unsigned int keep;
	bool check;
};

/* Called when a cache is created or destroyed; set by a room above. */
struct cp_cache_watch {
	void (*created)(struct curpage_cache *cache);
	void (*destroyed)(struct curpage_cache *cache);
};

extern struct cp_cache_defaults cp_cache_defaults;

/* cache.c */
void *cp_cache_alloc_refill(size_t size, gfp_t gfp, struct curpage_cache *cache,
			    unsigned long caller);
void *cp_cache_zero(struct curpage_cache *cache, void *obj);
void *cp_cache_alloc_hooks(struct curpage_cache *cache, void *obj, gfp_t gfp,
			   size_t size, unsigned long caller);
size_t cp_cache_get(struct curpage_cache *cache, gfp_t gfp, bool dry, size_t n,
		    void **objs, unsigned long caller);

/* free.c */
void cp_cache_free_lookup(struct curpage_cache *cache, void *obj,
			  unsigned long caller);
void cp_cache_free_block_enable(struct curpage_cache *cache, struct cp_page *p,
				void *obj, unsigned long caller);
void cp_cache_free_owned_unclaim(struct cp_heap *h, struct cp_page *p, void *obj,
				 unsigned long caller) __cp_unclaims;

/*
 * Claim a heap of this CPU if it owns a page.  Called with preemption disabled.
 * Not in NMI context: a free may end in the arena.
 */
static __always_inline bool __cp_heap_claim_owner(struct cp_heap *h,
						  const struct cp_page *p)
{
	return cp_page_heap(p) == h && !in_nmi() && __cp_claim_try(&h->claim);
}

#define cp_heap_claim_owner(h, p) cp_claimed_if(__cp_heap_claim_owner(h, p))

/* caches.c */
struct curpage_cache *cp_cache_create(const char *name, unsigned int size,
				      const struct curpage_cache_args *args);
void cp_cache_destroy(struct curpage_cache *cache, unsigned long caller);
unsigned long cp_cache_live(struct curpage_cache *cache);
int cp_cache_retune(struct curpage_cache *cache,
		    const struct cp_strategy *strategy, unsigned int freetol);
void cp_cache_get_sum(struct curpage_cache *cache, struct cp_cache_sum *sum);
void cp_cache_set_watch(const struct cp_cache_watch *watch);

/* reserve.c */
size_t cp_reserve_get(struct curpage_cache *cache, struct cp_page *p,
		      void **objs);
enum cp_bad cp_reserve_free(struct curpage_cache *cache, struct cp_page *p,
			    void *obj, struct list_head *blocks,
			    unsigned long caller);
enum cp_bad cp_reserve_free_pages(struct cp_page *p, unsigned int order,
				  unsigned long caller);

/* Check whether the system may lend a page of its reserves for a request. */
static inline bool cp_gfp_reserves(gfp_t gfp)
{
	return (gfp & __GFP_MEMALLOC || current->flags & PF_MEMALLOC) &&
	       !(gfp & __GFP_NOMEMALLOC);
}

#endif /* CP_CACHE_H */
