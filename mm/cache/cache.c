// SPDX-License-Identifier: GPL-2.0
/*
 * Caches: blocks of one size, from one heap per CPU.
 *
 * A block is allocated from the heap of the CPU at hand, and goes back to the
 * heap that owns its page.  When a heap has run out it is let go, a page is
 * taken from the arena and formatted, and the heap of whatever CPU that is now
 * is tried again: a free may have refilled it, and then the page goes back, so
 * that S1 is only used when S3 and S2 are empty.
 *
 * An interrupt that finds the heap taken, and anybody who finds it borrowed,
 * allocates from the side heap of the cache, under its lock, and frees as if
 * on another CPU.  In NMI context there is only what the CPU's heap has.
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
	enum cp_bad bad = cp_debug_alloc(cache, obj);

	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	cp_debug_own(cache, obj, caller);
}

/* A block that has left its page is made what the caller wants. */
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
	unsigned int source;		/* 1: from S1, 2: kept by the side heap */
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

/* With the heap of this CPU, or with the side heap. */
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

/* Up to n blocks; a page that was not needed goes back. */
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
		r.page->order = 0;	/* where free is */
		list_add(&r.page->list, &r.release);
	}
	if (!list_empty(&r.release))
		cp_arena_give(&cp_arena, &r.release);
	return r.got;
}

/* Pages of the reserves go back at once, which these caches' may not. */
static gfp_t cp_cache_page_gfp(const struct curpage_cache *cache, gfp_t gfp)
{
	if (cache->flags & (CURPAGE_PRIVATE_PAGES | CURPAGE_TYPESAFE_BY_RCU))
		return (gfp & ~__GFP_MEMALLOC) | __GFP_NOMEMALLOC;
	return gfp;
}

/* The heap has run out: up to n blocks of a page from S1. */
static size_t cp_cache_refill(struct curpage_cache *cache, gfp_t gfp, size_t n,
			      void **objs, unsigned long caller)
{
	struct cp_page *p;
	size_t got = 0;

	if (unlikely(cache->flags & CURPAGE_PRIVATE_PAGES)) {
		p = cp_heap_take_kept(cache);
		if (p)
			got = cp_cache_try(cache, p, 2, n, objs, caller);
		/* Its blocks may have been written over meanwhile. */
		if (got)
			return got;
	}
	p = cp_stock_take(&cp_arena, cp_cache_page_gfp(cache, gfp), 0, CP_CACHE);
	if (unlikely(p && cp_page_kind(p) == CP_RESERVE))
		return cp_reserve_get(cache, p, objs);
	if (p)
		cp_block_format(cache, p);
	/* Somebody may have freed one while the system said no. */
	return cp_cache_try(cache, p, 1, n, objs, caller);
}

/*
 * At least one block and up to n, all of one page; 0: no page to be had.  dry: it
 * is known already that only a page from S1 can help.
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
 * The last block of the current page, or the first of the next one; *dry says
 * that only a page from S1 can help.  Neither, when something was freed elsewhere
 * or the heap is taken.
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

/* The arguments are where curpage_alloc() has them. */
void *cp_cache_alloc_slow(size_t size, gfp_t gfp, struct curpage_cache *cache,
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

/* With RCU somebody may look at a free block, until its page leaves. */
static void cp_free_hook(const struct curpage_cache *cache, const void *obj)
{
	if (cache->flags & CURPAGE_TYPESAFE_BY_RCU)
		kmemleak_free(obj);
	else
		cp_hook_free(obj, cache->size, cache->ctor);
}

/* What a free does beside freeing, where the cache or the kernel wants it. */
static noinline enum cp_bad cp_free_hooks(struct curpage_cache *cache,
					  void *obj, bool remote,
					  unsigned long caller)
{
	enum cp_bad bad = cp_debug_free(cache, obj, caller);

	if (bad != CP_BAD_DOUBLE) {
		bad = cp_cache_untag(cache, obj) ?: bad;
		cp_block_init_free(cache, obj);
		/* While the block is ours: an alloc of it is traced later. */
		trace_curpage_free(caller, obj, cache->id, remote);
	}
	return bad;
}

static __always_inline bool cp_free_hooked(const struct curpage_cache *cache)
{
	return cache->flags & (CURPAGE_CHECK | CP_CACHE_TAGS) ||
	       want_init_on_free() ||
	       trace_curpage_free_enabled();
}

/*
 * What is wrong with a block of a page that the caller owns, or has pinned; nr is
 * its number.  One that is free and was written over is known as such while its
 * page has no live block.
 */
static __always_inline enum cp_bad cp_free_judge(const struct cp_heap *h,
						 const struct cp_page *p,
						 const void *obj,
						 unsigned int pins,
						 unsigned int *nr)
{
	if (unlikely(!cp_block_nr(h->cache, obj, nr)))
		return CP_BAD_INSIDE;
	if (unlikely(cp_word_may_be_free(h->cache,
					 CP_WORD_AT(obj + h->cache->link))) &&
	    cp_heap_has_free(h, p, *nr, pins))
		return CP_BAD_DOUBLE;
	return likely(cp_peek(p->nr_free) < h->cache->capacity) ? CP_OK :
								  CP_BAD_DOUBLE;
}

/*
 * The owner takes a block back that is more than one of many on its page.  In
 * NMI context it cannot, as that may end in the arena.  Drops the claim and
 * enables preemption.
 */
static noinline void cp_free_local(struct cp_heap *h, struct cp_page *p,
				   void *obj, unsigned long caller)
{
	struct curpage_cache *cache = h->cache;
	enum cp_bad bad = CP_BAD_DOUBLE;
	unsigned int nr;
	LIST_HEAD(release);

	if (likely(cp_heap_live_most(h, p)))
		bad = cp_free_judge(h, p, obj, 0, &nr);
	if (!bad) {
		cp_free_hook(cache, obj);
		if (cp_free_hooked(cache))
			bad = cp_free_hooks(cache, obj, false, caller);
		if (bad != CP_BAD_DOUBLE)
			cp_heap_free(h, p, nr, nr, 1, &release);
	}
	cp_claim_drop(&h->claim);
	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	preempt_enable();
	/* From here on the cache may be gone, if that was its last block. */
	if (!list_empty(&release))
		cp_arena_give(&cp_arena, &release);
}

/*
 * Free a sample of KFENCE.  Any other pointer but NULL is foreign: it is on no
 * page of the arena.
 */
static enum cp_bad cp_free_foreign(void *obj, unsigned long caller)
{
	return !obj || cp_kfence_free(obj, caller) ? CP_OK : CP_BAD_FOREIGN;
}

/*
 * What is wrong with a block whose page is not in the cache.  Nothing is wrong, and
 * the block is freed, if its page is of the system's reserves.
 */
static enum cp_bad cp_free_astray(struct curpage_cache *cache,
				  struct cp_page *p, void *obj,
				  struct list_head *blocks,
				  unsigned long caller)
{
	/* NULL may be in the linear map. */
	if (!cp_page_ours(p))
		return cp_free_foreign(obj, caller);
	if (cp_page_kind(p) == CP_RESERVE)
		return cp_reserve_free(cache, p, obj, blocks, caller);
	return cp_page_is_free(p) ? CP_BAD_DOUBLE : CP_BAD_CACHE;
}

/* A block that is not put on the stack of its page.  Drops the pin, if there is one. */
static noinline void cp_free_refuse(struct curpage_cache *cache,
				    struct cp_page *p, bool pinned,
				    enum cp_bad bad, void *obj,
				    unsigned long caller)
{
	LIST_HEAD(blocks);

	if (pinned)
		cp_page_unpin(p);
	if (!bad)
		bad = cp_free_astray(cache, p, obj, &blocks, caller);
	if (bad)
		cp_report(bad, cache, obj, caller);
	preempt_enable();
	if (unlikely(!list_empty(&blocks)))
		cp_arena_expel(&cp_arena, &blocks);
}

/*
 * Another CPU than the owner, or an interrupt, gives a block back: it goes on the
 * stack of its page.  If the block is not live, its page may have left since it was
 * looked at.  Enables preemption.
 */
static noinline void cp_free_remote(struct curpage_cache *cache,
				    struct cp_page *p, void *obj,
				    unsigned long caller)
{
	union cp_page_word word = cp_page_pin(p);
	enum cp_bad bad = CP_OK;
	unsigned int nr;
	struct cp_heap *h;

	if (unlikely(!word.pins))
		return cp_free_refuse(cache, p, false, bad, obj, caller);
	h = cp_page_heap(p);
	if (unlikely(h->cache != cache))
		return cp_free_refuse(cache, p, true, bad, obj, caller);
	bad = cp_free_judge(h, p, obj, 1, &nr);
	if (unlikely(bad))
		return cp_free_refuse(cache, p, true, bad, obj, caller);
	cp_free_hook(cache, obj);
	if (unlikely(cp_free_hooked(cache))) {
		bad = cp_free_hooks(cache, obj, true, caller);
		if (bad == CP_BAD_DOUBLE)
			return cp_free_refuse(cache, p, true, bad, obj, caller);
	}
	/* Counted first, so that no more are taken in than were freed. */
	cp_count_add(cache->heaps->stat[CP_FREE_REMOTE], 1);
	if (unlikely(!cp_remote_push_unpin(cache, p, word, nr,
					   CP_WORD_AT(obj + cache->link), 1))) {
		cp_count_add(cache->heaps->stat[CP_FREE_REMOTE], -1);
		bad = CP_BAD_DOUBLE;
	}
	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	preempt_enable();
}

/*
 * A block on a page of ours.  Preemption is disabled and is enabled here: until
 * then the cache is there, even for a block that is not live.
 */
static __always_inline void cp_free_block(struct curpage_cache *cache,
					  struct cp_page *p, void *obj,
					  unsigned long caller)
{
	struct cp_heap *h = raw_cpu_ptr(cache->heaps);

	if (cp_page_heap(p) == h && !in_nmi() && cp_claim_try(&h->claim))
		cp_free_local(h, p, obj, caller);
	else
		cp_free_remote(cache, p, obj, caller);
}

void cp_cache_free_block(struct curpage_cache *cache, struct cp_page *p,
			 void *obj, unsigned long caller)
{
	cp_free_block(cache, p, obj, caller);
}

void cp_cache_free_slow(struct curpage_cache *cache, void *obj,
			unsigned long caller)
{
	struct cp_page *p;

	obj = kasan_reset_tag(obj);
	if (unlikely(!cp_page_find(obj, &p))) {
		p = cp_page_find_slow(obj);
		if (!p) {
			if (cp_free_foreign(obj, caller))
				cp_report(CP_BAD_FOREIGN, cache, obj, caller);
			return;
		}
	}
	preempt_disable();
	cp_free_block(cache, p, obj, caller);
}

/*
 * The strategy is told of a free, and the claim dropped: apart, so that the steps
 * before it need no registers saved.
 */
static noinline void cp_free_finish(struct cp_heap *h, struct cp_page *p)
{
	h->strategy->freed(h, p);
	cp_claim_drop(&h->claim);
	preempt_enable();
}

/*
 * Not to the current page; the heap of this CPU has been claimed.  In NMI context
 * the first and the last block of a page go the way of another CPU.
 */
static noinline void cp_cache_free_claimed(struct curpage_cache *cache,
					   struct cp_heap *h, void *obj,
					   unsigned long caller)
{
	unsigned long owner;
	struct cp_page *p;
	unsigned int nr;

	if (unlikely(!cp_page_find_any(obj, &p, &owner)))
		goto slow;
	if (owner != (unsigned long)h)
		goto remote;
	if (unlikely(!cp_block_nr(cache, obj, &nr) ||
		     !cp_free_candidate(h, cache, p, nr, obj))) {
		if (unlikely(in_nmi()))
			goto remote;
		return cp_free_local(h, p, obj, caller);
	}
	cp_hook_free(obj, cache->size, false);
	if (unlikely(!(h->flags & CP_RECENT)))
		return cp_free_finish(h, p);
	cp_heap_move_first(h, p);
	cp_claim_drop(&h->claim);
	preempt_enable();
	return;
remote:
	cp_claim_drop(&h->claim);
	return cp_free_remote(cache, p, obj, caller);
slow:
	cp_claim_drop(&h->claim);
	preempt_enable();
	cp_cache_free_slow(cache, obj, caller);
}

#undef curpage_cache_alloc	/* where it is called, it is a macro */

/**
 * curpage_cache_alloc - allocate a block from a cache
 * @cache: where from
 * @gfp: as for kmem_cache_alloc(); no zone can be asked for
 *
 * Any context.  Like kmem_cache_alloc(), it sleeps only if @gfp allows it.  In
 * NMI context there is only what this CPU has at hand, often nothing, and with
 * CONFIG_DEBUG_KMEMLEAK neither this nor a free is allowed.  In a cache with a
 * constructor __GFP_ZERO is ignored.  The pages of blocks must not be referenced
 * beyond the free, so blocks are not for zero-copy I/O that keeps references.
 *
 * Return: the block, or NULL when neither the system nor the bound of the
 * arena leaves a page for it.
 */
void *curpage_cache_alloc(struct curpage_cache *cache, gfp_t gfp)
{
	return cp_cache_alloc(cache, gfp, 0, cp_cache_alloc_slow);
}
EXPORT_SYMBOL_GPL(curpage_cache_alloc);
ALLOW_ERROR_INJECTION(curpage_cache_alloc, NULL);

/**
 * curpage_cache_free - free a block of a cache
 * @cache: where it came from
 * @obj: the block; NULL is allowed and does nothing
 *
 * Any context, any CPU.  What is not a live block of @cache is reported and left
 * alone, except for a block that was written over after it was freed before.  That
 * does no harm; see Documentation/reports.rst.
 */
void curpage_cache_free(struct curpage_cache *cache, void *obj)
{
	struct cp_heap *h;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (unlikely(!cp_claim_try_fast(&h->claim))) {
		preempt_enable();
		cp_cache_free_slow(cache, obj, _RET_IP_);
	} else if (likely(cp_free_current(h, cache, obj))) {
		cp_claim_drop(&h->claim);
		preempt_enable();
	} else {
		cp_cache_free_claimed(cache, h, obj, _RET_IP_);
	}
}
EXPORT_SYMBOL_GPL(curpage_cache_free);

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
