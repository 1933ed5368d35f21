/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast path: take a block from the current page of this CPU, and put one
 * back onto it.
 *
 * Everything unusual closes a heap to the fast path (CP_CLOSED_DRY,
 * CP_CLOSED_EXTRA) or shows in a comparison that has to be made anyhow.  It is
 * left to the slow path, which starts over.  The link of a free block is at its
 * start, as CP_CLOSED_EXTRA closes heaps with other links.
 * Documentation/performance.rst counts the instructions.
 */
#ifndef CP_FAST_H
#define CP_FAST_H

#include "arena/arena.h"
#include "cache/cache.h"
#include "cache/kfence.h"
#include "heap/block.h"

/* Flags that make an allocation more than taking a block. */
#define CP_GFP_EXTRA	(CP_GFP_ZONES | __GFP_ZERO)

/*
 * Allocate a block from the current page.  Leaves the last block of the page to
 * slow(), as well as a word that was written over, which leads to no block.
 * size is the size asked for, or 0 for that of the cache.
 */
static __always_inline void *
cp_cache_alloc(struct curpage_cache *cache, gfp_t gfp, size_t size,
	       void *(*slow)(size_t size, gfp_t gfp,
			     struct curpage_cache *cache, unsigned long caller))
{
	struct cp_heap *h;
	void *obj;
	u64 next;

	cp_might_alloc(gfp);
	if (cp_kfence_due()) {
		obj = cp_kfence_take(cache, size, gfp, _RET_IP_);
		if (obj)
			return obj;
	}
	if (unlikely(gfp & CP_GFP_EXTRA))
		goto refer;
	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (unlikely(!cp_claim_try_fast(&h->claim)))
		goto enable;
	obj = h->base + h->free * cache->stride;
	next = cp_word_open(cache, CP_WORD_AT(obj));
	if (unlikely(next >= cache->capacity))
		goto drop;
	WRITE_ONCE(*CP_WORD_AT(obj), 0);
	h->free = next;
	h->stat[CP_ALLOC]++;
	cp_claim_drop(&h->claim);
	preempt_enable();
	cp_hook_alloc(obj, size ?: cache->size, cache->size, gfp,
		      cp_hook_init(cp_init_on_alloc()));
	return cp_init_on_alloc() ? cp_cache_zero(cache, obj) : obj;

drop:
	cp_claim_drop(&h->claim);
enable:
	preempt_enable();
refer:
	return slow(size, gfp, cache, _RET_IP_);
}

/*
 * Free a block onto the current page of a claimed heap.
 *
 * Return: false if obj is no block of that page, or is free already.
 */
static __always_inline bool
cp_free_current(struct cp_heap *h, const struct curpage_cache *cache, void *obj)
{
	unsigned long offset = obj - h->base;
	unsigned int nr, top = h->free;

	if (offset >= cache->span)
		return false;
	if (unlikely(!cp_block_at(cache, offset, &nr) ||
		     cp_word_is_free(cache, obj)))
		return false;
	cp_hook_free(obj, cache->size, false);
	cp_word_seal(cache, CP_WORD_AT(obj), top);
	h->free = nr;
	h->back++;
	return true;
}

/*
 * Free a block onto another page of a claimed heap, if the page is a candidate
 * for the next current page and stays one.  The caller has to tell the
 * strategy.
 *
 * Return: false if the free is left to cp_heap_free(), twice in the life of a
 * page.
 */
static __always_inline bool
cp_free_candidate(struct cp_heap *h, const struct curpage_cache *cache,
		  struct cp_page *p, unsigned int nr, void *obj)
{
	unsigned int nr_free = p->nr_free, top = p->free;
	unsigned int live = cache->capacity - nr_free;

	if (unlikely(nr_free < h->phi0 || live < 2 ||
		     cp_word_is_free(cache, obj)))
		return false;
	cp_word_seal(cache, CP_WORD_AT(obj), top);
	WRITE_ONCE(p->free, nr);
	WRITE_ONCE(p->nr_free, nr_free + 1);
	h->stat[CP_FREED]++;
	/* The histogram changes when live was the least of its bucket. */
	if (unlikely(!((u8)live & cache->occ_mask))) {
		h->occupancy[live >> cache->occ_shift]--;
		h->occupancy[(live - 1) >> cache->occ_shift]++;
	}
	return true;
}

#endif /* CP_FAST_H */
