// SPDX-License-Identifier: GPL-2.0
/*
 * Frees: the way of a block back to its page.
 *
 *	curpage_cache_free()		curpage_free()
 *	claims this CPU's heap		claims the heap by cp_hot
 *		|				|
 *		+---------- current ------------+	cp_free_current()
 *		|				|
 *	cp_cache_free_unclaim()		cp_size_free_lookup()
 *	finds the page			finds the page and its heap
 *		|				|
 *		+----------- owned -------------+	cp_free_owned_unclaim()
 *		|		|
 *		|		+------ local		cp_free_local_unclaim()
 *		|
 *		+-- remote				cp_free_remote_enable()
 *			|
 *			+------ astray			cp_free_astray_enable()
 *
 * What the caller of each holds, with preemption disabled:
 *
 *	current	the claim of a heap (fast.h)
 *	owned	the claim of the heap that owns the page, which is not current
 *	local	the claim, for a block that changes the set of its page, or may
 *		be no live block
 *	remote	nothing: the page belongs to another CPU, or its heap is taken,
 *		or the page is not in the cache.  A pin keeps the page in its
 *		heap while the block is pushed onto the stack of the page
 *	astray	nothing: the page is not in the cache
 *
 * A name that ends with _unclaim drops the claim and enables preemption, a name
 * with _enable enables preemption.  A free that is wrong is reported from the
 * state that it has reached.
 */
#include "base/kernel.h"
#include "cache/fast.h"
#include "heap/remote.h"
#include "heap/report.h"

/*
 * Tell the debugging tools of a free.  With CURPAGE_TYPESAFE_BY_RCU readers may
 * look at a free block until its page leaves, so only kmemleak is told.
 */
static void cp_free_hook(const struct curpage_cache *cache, const void *obj)
{
	if (cache->flags & CURPAGE_TYPESAFE_BY_RCU)
		kmemleak_free(obj);
	else
		cp_hook_free(obj, cache->size, cache->ctor);
}

/*
 * Do what a free does beside freeing, if the cache or the kernel wants it.
 *
 * Return: CP_OK, or what is wrong with the block.
 */
static noinline enum cp_bad cp_free_hooks(struct curpage_cache *cache,
					  void *obj, bool remote,
					  unsigned long caller)
{
	enum cp_bad bad = cp_debug_free(cache, obj, caller);

	if (bad != CP_BAD_DOUBLE) {
		bad = cp_cache_untag(cache, obj) ?: bad;
		cp_block_init_free(cache, obj);
		/*
		 * While the block is ours, so that its next allocation is
		 * traced later.
		 */
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
 * Check a block of a page that the caller owns, or has pinned, and find its
 * number.  A free block that was written over is noticed only while its page
 * has no live block.
 *
 * Return: CP_OK, or what is wrong with the block.
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
 * Free a block of the claimed heap that may change the set of its page.  Not
 * called in NMI context, as it may end in the arena.
 */
static noinline void cp_free_local_unclaim(struct cp_heap *h, struct cp_page *p,
					   void *obj, unsigned long caller)
	__cp_unclaims
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
 * Check a block whose page is not in the cache.  If the page is of the system's
 * reserves, the block is freed.
 *
 * Return: CP_OK, or what is wrong with the block.
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

static noinline void cp_free_astray_enable(struct curpage_cache *cache,
					   struct cp_page *p, void *obj,
					   unsigned long caller)
{
	enum cp_bad bad;
	LIST_HEAD(blocks);

	bad = cp_free_astray(cache, p, obj, &blocks, caller);
	if (bad)
		cp_report(bad, cache, obj, caller);
	preempt_enable();
	if (unlikely(!list_empty(&blocks)))
		cp_arena_expel(&cp_arena, &blocks);
}

/*
 * Push a block onto the stack of its page, which the caller has pinned, and
 * drop the pin.  h is the page's heap, word is what cp_page_pin() returned.
 *
 * Return: CP_OK, or what is wrong with the block.
 */
static __always_inline enum cp_bad
cp_free_push_unpin(const struct cp_heap *h, struct cp_page *p,
		   union cp_page_word word, void *obj, unsigned long caller)
{
	struct curpage_cache *cache = h->cache;
	unsigned int nr;
	enum cp_bad bad = cp_free_judge(h, p, obj, 1, &nr);

	if (unlikely(bad))
		goto unpin;
	cp_free_hook(cache, obj);
	if (unlikely(cp_free_hooked(cache))) {
		bad = cp_free_hooks(cache, obj, true, caller);
		if (bad == CP_BAD_DOUBLE)
			goto unpin;
	}
	/* Count first, so that CP_COLLECTED never exceeds CP_FREE_REMOTE. */
	cp_count_add(cache->heaps->stat[CP_FREE_REMOTE], 1);
	if (likely(cp_remote_push_unpin(cache, p, word, nr,
					CP_WORD_AT(obj + cache->link), 1)))
		return bad;
	cp_count_add(cache->heaps->stat[CP_FREE_REMOTE], -1);
	return CP_BAD_DOUBLE;
unpin:
	cp_page_unpin(p);
	return bad;
}

/*
 * Free a block on another CPU than the owner, or in an interrupt: push it onto
 * the stack of its page.  The page may have left its heap since the caller read
 * it.
 */
static noinline void cp_free_remote_enable(struct curpage_cache *cache,
					   struct cp_page *p, void *obj,
					   unsigned long caller)
{
	union cp_page_word word = cp_page_pin(p);
	const struct cp_heap *h;
	enum cp_bad bad;

	if (unlikely(!word.pins))
		return cp_free_astray_enable(cache, p, obj, caller);
	h = cp_page_heap(p);
	if (unlikely(h->cache != cache)) {
		cp_page_unpin(p);
		return cp_free_astray_enable(cache, p, obj, caller);
	}
	bad = cp_free_push_unpin(h, p, word, obj, caller);
	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	preempt_enable();
}

/*
 * Free a block on a page of ours.  The cache exists until preemption is
 * enabled, even if the block is not live.
 */
static __always_inline void cp_free_block_enable(struct curpage_cache *cache,
						 struct cp_page *p, void *obj,
						 unsigned long caller)
{
	struct cp_heap *h = raw_cpu_ptr(cache->heaps);

	if (cp_heap_claim_owner(h, p))
		cp_free_local_unclaim(h, p, obj, caller);
	else
		cp_free_remote_enable(cache, p, obj, caller);
}

void cp_cache_free_block_enable(struct curpage_cache *cache, struct cp_page *p,
				void *obj, unsigned long caller)
{
	cp_free_block_enable(cache, p, obj, caller);
}

/* Find the page of a block, and free it. */
void cp_cache_free_lookup(struct curpage_cache *cache, void *obj,
			  unsigned long caller)
{
	struct cp_page *p;

	obj = kasan_reset_tag(obj);
	if (unlikely(!cp_page_find(obj, &p))) {
		p = cp_page_lookup(obj);
		if (!p) {
			if (cp_free_foreign(obj, caller))
				cp_report(CP_BAD_FOREIGN, cache, obj, caller);
			return;
		}
	}
	preempt_disable();
	cp_free_block_enable(cache, p, obj, caller);
}

/*
 * Tell the strategy of a free.  Not inlined, so that the steps before it save
 * no registers.
 */
static noinline void cp_free_tell_unclaim(struct cp_heap *h, struct cp_page *p)
	__cp_unclaims
{
	h->strategy->freed(h, p);
	cp_claim_drop(&h->claim);
	preempt_enable();
}

/*
 * Free a block of a page that the claimed heap owns, and that is not current.
 * In NMI context the first and the last block of a page are freed as remote.
 */
static __always_inline void cp_free_owned_unclaim(struct curpage_cache *cache,
						  struct cp_heap *h,
						  struct cp_page *p, void *obj,
						  unsigned long caller)
	__cp_unclaims
{
	unsigned int nr;

	if (likely(cp_block_nr(cache, obj, &nr) &&
		   cp_free_candidate(h, cache, p, nr, obj))) {
		cp_hook_free(obj, cache->size, false);
		if (unlikely(!(h->flags & CP_RECENT)))
			return cp_free_tell_unclaim(h, p);
		cp_heap_move_first(h, p);
		cp_claim_drop(&h->claim);
		preempt_enable();
	} else if (likely(!in_nmi())) {
		cp_free_local_unclaim(h, p, obj, caller);
	} else {
		cp_claim_drop(&h->claim);
		cp_free_remote_enable(cache, p, obj, caller);
	}
}

void cp_cache_free_owned_unclaim(struct cp_heap *h, struct cp_page *p, void *obj,
				 unsigned long caller)
	__cp_unclaims
{
	cp_free_owned_unclaim(h->cache, h, p, obj, caller);
}

/* Free a block that is not on the current page of the claimed heap. */
static noinline void cp_cache_free_unclaim(struct curpage_cache *cache,
					   struct cp_heap *h, void *obj,
					   unsigned long caller)
	__cp_unclaims
{
	unsigned long owner;
	struct cp_page *p;

	if (unlikely(!cp_page_find_any(obj, &p, &owner))) {
		cp_claim_drop(&h->claim);
		preempt_enable();
		return cp_cache_free_lookup(cache, obj, caller);
	}
	if (likely(owner == (unsigned long)h))
		return cp_free_owned_unclaim(cache, h, p, obj, caller);
	cp_claim_drop(&h->claim);
	cp_free_remote_enable(cache, p, obj, caller);
}

/**
 * curpage_cache_free - free a block of a cache
 * @cache: the cache that it came from
 * @obj: the block; NULL is allowed and does nothing
 *
 * Called in any context, on any CPU.  A pointer that is not a live block of
 * @cache is reported and left alone, except for a block that was freed before
 * and written over since.  Such a free does no harm; see
 * Documentation/reports.rst.
 */
void curpage_cache_free(struct curpage_cache *cache, void *obj)
{
	struct cp_heap *h;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (unlikely(!cp_claim_try_fast(&h->claim))) {
		preempt_enable();
		cp_cache_free_lookup(cache, obj, _RET_IP_);
	} else if (likely(cp_free_current(h, cache, obj))) {
		cp_claim_drop(&h->claim);
		preempt_enable();
	} else {
		cp_cache_free_unclaim(cache, h, obj, _RET_IP_);
	}
}
EXPORT_SYMBOL_GPL(curpage_cache_free);
