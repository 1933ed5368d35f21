// SPDX-License-Identifier: GPL-2.0
/*
 * Caches: blocks of one size, from one heap per CPU.
 *
 * Allocations use the heap of this CPU.  If it has run out, the caller drops
 * the claim, takes a page from the arena, formats it, and tries the heap of the
 * CPU that it is on by then.  A free may have refilled that heap: then the page
 * goes back, so that S1 is used only when S3 and S2 are empty.
 *
 * An interrupt that finds the heap taken, and any caller that finds it
 * borrowed, allocate from the side heap of the cache, under its lock.  In NMI
 * context only the blocks of the CPU's heap can be had.  free.c has the frees.
 */
#include "base/kernel.h"
#include "arena/stock.h"
#include "cache/fast.h"
#include "heap/remote.h"
#include "heap/report.h"

void *cp_cache_zero(struct curpage_cache *cache, void *obj)
{
	return memset(obj, 0, cache->size);
}

/* Check a block of a cache with CURPAGE_CHECK that @caller gets. */
static noinline void cp_cache_alloc_checked(struct curpage_cache *cache,
					    void *obj, unsigned long caller)
{
	enum cp_bad bad = cp_debug_check_alloc(cache, obj);

	/* Report while the track still has the last owners. */
	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	cp_debug_set_live(cache, obj, caller);
}

/*
 * Make an allocated block what the caller wants, and tell the debugging tools.
 */
void *cp_cache_alloc_hooks(struct curpage_cache *cache, void *obj, gfp_t gfp,
			   size_t size, unsigned long caller)
{
	if (unlikely(cache->flags & CURPAGE_CHECK))
		cp_cache_alloc_checked(cache, obj, caller);
	cp_cache_tag(cache, obj);
	if (want_init_on_alloc(gfp) || want_init_on_free())
		cp_block_init_alloc(cache, obj, gfp);
	cp_hook_alloc(obj, size, cache->size, gfp,
		      cp_hook_init(cache->ctor || want_init_on_alloc(gfp)));
	trace_curpage_alloc(caller, obj, cache->id, size, cache->size, gfp);
	return obj;
}

struct cp_request {
	struct cp_page *page;		/* for a heap that has run out */
	unsigned int source;		/* 1: from S1, 2: kept by side heap */
	void **objs;
	size_t want;
	size_t got;
	unsigned long caller;
	struct list_head release;
};

static void cp_request_serve(struct cp_heap *h, struct cp_request *r)
{
	if (h->free == CP_NIL && !in_nmi())
		cp_remote_collect(h, &r->release);
	r->got = cp_heap_alloc(h, r->want, r->objs, r->caller);
	if (r->got || !r->page)
		return;
	cp_heap_install(h, r->page, r->source);
	r->page = NULL;
	r->got = cp_heap_alloc(h, r->want, r->objs, r->caller);
}

/* Serve a request from the heap of this CPU, or from the side heap. */
static void cp_request_run(struct curpage_cache *cache, struct cp_request *r)
{
	struct cp_heap *h;
	unsigned long flags;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (likely(cp_claim_try(&h->claim))) {
		cp_request_serve(h, r);
		cp_claim_drop(&h->claim);
		preempt_enable();
		return;
	}
	preempt_enable();
	if (in_nmi())
		return;
	h = &cache->side;
	raw_spin_lock_irqsave(&h->lock, flags);
	cp_request_serve(h, r);
	raw_spin_unlock_irqrestore(&h->lock, flags);
}

/*
 * Try to allocate up to n blocks, with a page for a heap that has run out.  The
 * page goes back if it was not needed.
 *
 * Return: the number of blocks.
 */
static size_t cp_cache_try(struct curpage_cache *cache, struct cp_page *page,
			   unsigned int source, size_t n, void **objs,
			   unsigned long caller)
{
	struct cp_request r = {
		.page = page, .source = source, .objs = objs, .want = n,
		.caller = caller,
	};

	INIT_LIST_HEAD(&r.release);
	cp_request_run(cache, &r);
	if (r.page && cache->flags & CURPAGE_PRIVATE_PAGES) {
		cp_heap_keep(cache, r.page);
	} else if (r.page) {
		r.page->order = 0;	/* in the place of free */
		list_add(&r.page->list, &r.release);
	}
	if (!list_empty(&r.release))
		cp_arena_give(&cp_arena, &r.release);
	return r.got;
}

/*
 * Refuse pages of the reserves, which go back at once, to caches whose pages
 * must not go back at once.
 */
static gfp_t cp_cache_page_gfp(const struct curpage_cache *cache, gfp_t gfp)
{
	if (cache->flags & (CURPAGE_PRIVATE_PAGES | CURPAGE_TYPESAFE_BY_RCU))
		return (gfp & ~__GFP_MEMALLOC) | __GFP_NOMEMALLOC;
	return gfp;
}

/* Allocate up to n blocks of a page from S1, as the heap has run out. */
static size_t cp_cache_refill(struct curpage_cache *cache, gfp_t gfp, size_t n,
			      void **objs, unsigned long caller)
{
	struct cp_page *p;
	size_t got = 0;

	if (unlikely(cache->flags & CURPAGE_PRIVATE_PAGES)) {
		p = cp_heap_take_kept(cache);
		if (p)
			got = cp_cache_try(cache, p, 2, n, objs, caller);
		/* No block if their words were written over meanwhile. */
		if (got)
			return got;
	}
	p = cp_stock_take(&cp_arena, cp_cache_page_gfp(cache, gfp), 0, CP_CACHE);
	if (unlikely(p && cp_page_kind(p) == CP_RESERVE))
		return cp_reserve_get(cache, p, objs);
	if (p)
		cp_block_format(cache, p);
	/* Even without a page: a block may have been freed meanwhile. */
	return cp_cache_try(cache, p, 1, n, objs, caller);
}

/*
 * Allocate one block at least and up to n, all of one page.  dry says that only
 * a page from S1 can help.
 *
 * Return: the number of blocks; 0 if there is no page.
 */
size_t cp_cache_get(struct curpage_cache *cache, gfp_t gfp, bool dry, size_t n,
		    void **objs, unsigned long caller)
{
	size_t got = 0;

	if (!dry)
		got = cp_cache_try(cache, NULL, 0, n, objs, caller);
	if (!got && !in_nmi())
		got = cp_cache_refill(cache, gfp, n, objs, caller);
	if (!got)
		atomic_inc(&cache->failed);
	return got;
}

/*
 * Take the last block of the current page, or the first of the next page.
 * Takes none if there are remote frees to collect, or if the heap is taken.
 * Sets *dry if only a page from S1 can help.
 *
 * Return: the block, or NULL.
 */
static void *cp_cache_next(struct curpage_cache *cache, bool *dry,
			   unsigned long caller)
{
	struct cp_heap *h;
	void *obj = NULL;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (likely(!cp_remote_any(h) && cp_claim_try(&h->claim))) {
		*dry = !cp_heap_alloc(h, 1, &obj, caller);
		cp_claim_drop(&h->claim);
	}
	preempt_enable();
	return obj;
}

/*
 * Allocate a block off the hot path.  The order of the arguments is that of
 * curpage_alloc(), so that they stay in their registers.
 */
void *cp_cache_alloc_refill(size_t size, gfp_t gfp, struct curpage_cache *cache,
			    unsigned long caller)
{
	bool dry = false;
	size_t got = 1;
	void *obj;

	might_alloc(gfp);
	if (!cp_gfp_ok(gfp, caller))
		return NULL;
	obj = cp_cache_next(cache, &dry, caller);
	if (unlikely(!obj))
		got = cp_cache_get(cache, gfp, dry, 1, &obj, caller);
	if (unlikely(!got))
		return NULL;
	return cp_cache_alloc_hooks(cache, obj, gfp, size ?: cache->size,
				    caller);
}

#undef curpage_cache_alloc	/* callers use a macro of this name */

/**
 * curpage_cache_alloc - allocate a block from a cache
 * @cache: the cache
 * @gfp: as for kmem_cache_alloc(); no zone can be asked for
 *
 * Called in any context.  Like kmem_cache_alloc(), it sleeps only if @gfp
 * allows it.  In NMI context it can take only blocks that this CPU has at hand,
 * often none; with CONFIG_DEBUG_KMEMLEAK allocations and frees are not allowed
 * there.  In a cache with a constructor __GFP_ZERO is ignored.  The pages of
 * blocks must not be referenced beyond the free, so blocks are not for
 * zero-copy I/O that keeps references.
 *
 * Return: the block; NULL if neither the system nor the bound of the arena
 * leaves a page for it.
 */
void *curpage_cache_alloc(struct curpage_cache *cache, gfp_t gfp)
{
	return cp_cache_alloc(cache, gfp, 0, cp_cache_alloc_refill);
}
EXPORT_SYMBOL_GPL(curpage_cache_alloc);
ALLOW_ERROR_INJECTION(curpage_cache_alloc, NULL);

/**
 * curpage_cache_size - the size of a cache's blocks
 * @cache: the cache
 *
 * Return: the size that the cache was created with.
 */
unsigned int curpage_cache_size(const struct curpage_cache *cache)
{
	return cache->size;
}
EXPORT_SYMBOL_GPL(curpage_cache_size);
