// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of the system's reserves, lent for __GFP_MEMALLOC or PF_MEMALLOC.  They
 * are for requests that help to free memory, so no other request may get them.
 *
 * Such a page serves the one request that it was lent for, and goes back to the
 * system when that block is freed.  It is never in a buddy, a stock or a heap.
 * Its kind is CP_RESERVE, and page_is_pfmemalloc() is true of it, as for pages
 * of the system.
 *
 * For a request of a cache the page is formatted as any page of the cache, but
 * only its first block is handed out.  Field heap points to the side heap of
 * the cache, which does not own the page: a free finds the cache there, and no
 * CPU can pin the page.
 */
#include "base/kernel.h"
#include "arena/arena.h"
#include "cache/cache.h"
#include "heap/block.h"
#include "heap/debug.h"

/*
 * Compute the word of such a page while its block is live.  No block of the
 * page is ever pushed as freed elsewhere, so the bits of that stack name the
 * owner of the block: the id of the cache, or 0 for a page block.
 */
static union cp_page_word cp_reserve_word(const struct cp_page *p,
					  const struct curpage_cache *cache,
					  unsigned int order)
{
	return (union cp_page_word){
		.kind = CP_RESERVE, .use = cp_page_word(p).use,
		.chunk_order = order,
		.remote = cache ? cache->id & 0xfff : 0,
		.nr_remote = cache ? cache->id >> 12 & 0xfff : 0,
		.key = cp_map.key,
	};
}

/*
 * Claim the page for freeing a block of this cache, or a page block of this
 * order if cache is NULL.  The exchange fails if the page was freed and lent
 * again meanwhile, to another cache or as another order: so nothing is taken
 * from the new user.
 *
 * Return: whether the caller owns the page.
 */
static bool cp_reserve_claim(struct cp_page *p,
			     const struct curpage_cache *cache,
			     unsigned int order)
{
	union cp_page_word old = cp_reserve_word(p, cache, order);
	union cp_page_word new = {
		.kind = CP_STOCK, .use = old.use, .chunk_order = order,
		.key = cp_map.key,
	};

	if (!try_cmpxchg(&p->word.all, &old.all, new.all))
		return false;
	WRITE_ONCE(p->heap, NULL);
	return true;
}

static void cp_reserve_give(struct cp_arena *a, struct cp_page *p)
{
	LIST_HEAD(block);

	list_add(&p->list, &block);
	cp_arena_expel(a, &block);
}

/*
 * Format the page for a cache and hand out its first block.  Return: 1 block.
 */
size_t cp_reserve_get(struct curpage_cache *cache, struct cp_page *p,
		      void **objs)
{
	void *base = cp_page_base(p);

	cp_block_format(cache, p);
	WRITE_ONCE(*cp_block_word(cache, base, 0), 0);
	objs[0] = base;
	p->order = 0;	/* free was here: the same field */
	WRITE_ONCE(p->heap, &cache->side);
	WRITE_ONCE(p->word.all, cp_reserve_word(p, cache, 0).all);
	atomic_inc(&cache->reserve_alloc);
	return 1;
}

/*
 * Free a block of a cache that may be on such a page.  Called with preemption
 * disabled, so that the cache stays.  The page is put on the list blocks: the
 * caller calls cp_arena_expel() with preemption enabled.  In an NMI the arena
 * cannot be called, so the block stays live.
 *
 * Return: CP_OK, or what is wrong with the free.
 */
enum cp_bad cp_reserve_free(struct curpage_cache *cache, struct cp_page *p,
			    void *obj, struct list_head *blocks,
			    unsigned long caller)
{
	enum cp_bad bad;

	if (cp_page_heap(p) != &cache->side)
		return CP_BAD_CACHE;
	if (obj != cp_page_base(p))
		return CP_BAD_INSIDE;
	if (in_nmi())
		return CP_OK;
	if (!cp_reserve_claim(p, cache, 0))
		return CP_BAD_DOUBLE;
	cp_hook_free(obj, cache->size, cache->ctor);
	bad = cp_debug_free(cache, obj, caller);
	bad = cp_cache_untag(cache, obj) ?: bad;
	trace_curpage_free(caller, obj, cache->id, false);
	list_add(&p->list, blocks);
	/* The cache may end after this, once preemption is enabled. */
	atomic_inc(&cache->reserve_freed);
	return bad;
}

/* Free a page block of the reserves.  Return: CP_OK, or what is wrong. */
enum cp_bad cp_reserve_free_pages(struct cp_page *p, unsigned int order,
				  unsigned long caller)
{
	if (cp_page_heap(p))
		return CP_BAD_INSIDE;
	if (READ_ONCE(p->order) != order)
		return CP_BAD_ORDER;
	if (!cp_reserve_claim(p, NULL, order))
		return CP_BAD_DOUBLE;
	cp_hook_free(cp_page_base(p), PAGE_SIZE << order, false);
	cp_pages_tell_free(p, order, caller);
	cp_reserve_give(&cp_arena, p);
	return CP_OK;
}
