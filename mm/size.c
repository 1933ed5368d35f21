// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation by size: a cache for each class of the size map, and page blocks
 * for what does not fit on a page.
 */
#include "kernel.h"
#include "internal.h"
#include "fast.h"

#define CP_SIZE_STEP	8	/* sizes between multiples of it are never told apart */

/*
 * By size, so that a request has one load to its cache.  NULL for a size of 0,
 * and for all before our init and after it failed, when the module is built in.
 */
static struct curpage_cache *cp_size_caches[PAGE_SIZE / CP_SIZE_STEP + 1];

static struct curpage_cache *cp_size_cache_create(unsigned int size)
{
	struct curpage_cache_args args = {
		/* A power of two is aligned to itself, red zones or not. */
		.align = is_power_of_2(size) ? size : 0,
	};
	char name[CP_NAME_LEN];

	snprintf(name, sizeof(name), "size-%u", size);
	return cp_cache_create(name, size, &args);
}

int __init cp_size_init(void)
{
	unsigned int class, size = CP_SIZE_STEP;

	cp_sizemap_init();
	for (class = 0; class < cp_sizemap_count(); class++) {
		struct curpage_cache *cache =
			cp_size_cache_create(cp_sizemap_size(class));

		if (!cache) {
			cp_size_exit();
			return -ENOMEM;
		}
		for (; size <= cp_sizemap_size(class); size += CP_SIZE_STEP)
			cp_size_caches[size / CP_SIZE_STEP] = cache;
	}
	return 0;
}

void cp_size_exit(void)
{
	struct curpage_cache *last = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cp_size_caches); i++) {
		struct curpage_cache *cache = cp_size_caches[i];

		if (cache && cache != last)
			cp_cache_destroy(cache, _RET_IP_);
		last = cache;
		cp_size_caches[i] = NULL;
	}
}

/* As with kmalloc(), what such memory points to is not leaked. */
static void *cp_size_alloc_pages(size_t size, gfp_t gfp, unsigned long caller)
{
	void *obj = cp_pages_alloc(gfp, get_order(size), size, caller);

	kmemleak_alloc(obj, size, 1, gfp);
	return obj;
}

static noinline void *cp_size_alloc_other(size_t size, gfp_t gfp,
					  unsigned long caller)
{
	if (!size)
		return ZERO_SIZE_PTR;
	return size > PAGE_SIZE ? cp_size_alloc_pages(size, gfp, caller) : NULL;
}

static __always_inline void *cp_size_alloc(size_t size, gfp_t gfp)
{
	struct curpage_cache *cache = NULL;

	if (likely(size <= PAGE_SIZE))
		cache = cp_size_caches[DIV_ROUND_UP(size, CP_SIZE_STEP)];
	if (unlikely(!cache))
		return cp_size_alloc_other(size, gfp, _RET_IP_);
	return cp_cache_alloc(cache, gfp, size);
}

/**
 * curpage_alloc - allocate memory by size
 * @size: bytes, up to 2^CURPAGE_MAX_ORDER pages
 * @gfp: as for kmalloc(); no zone can be asked for
 *
 * The memory is aligned to 8 bytes, to 16 from a size of 16 on, and to itself
 * if @size is a power of two.
 *
 * Return: the memory, ZERO_SIZE_PTR for a size of 0, NULL on failure.
 */
void *curpage_alloc(size_t size, gfp_t gfp)
{
	return cp_size_alloc(size, gfp);
}
EXPORT_SYMBOL_GPL(curpage_alloc);

/**
 * curpage_zalloc - allocate zeroed memory by size
 * @size: as for curpage_alloc()
 * @gfp: as for curpage_alloc()
 *
 * Return: the memory, ZERO_SIZE_PTR for a size of 0, NULL on failure.
 */
void *curpage_zalloc(size_t size, gfp_t gfp)
{
	return cp_size_alloc(size, gfp | __GFP_ZERO);
}
EXPORT_SYMBOL_GPL(curpage_zalloc);

static noinline void cp_size_free_other(struct cp_page *p, const void *obj,
					unsigned long caller)
{
	if (ZERO_OR_NULL_PTR(obj))
		return;
	if (!p)
		cp_report(CP_BAD_FOREIGN, NULL, obj, caller);
	else if (offset_in_page(obj))
		cp_report(cp_page_is_free(p) ? CP_BAD_DOUBLE : CP_BAD_INSIDE,
			  NULL, obj, caller);
	else
		cp_pages_free(p, READ_ONCE(p->order), caller);
}

/*
 * Not to a page that is current on this CPU.  As long as preemption is disabled
 * the owner that the page names stays, even when the block is not live.
 */
static noinline void cp_size_free_slow(const void *obj, unsigned long caller)
{
	struct cp_heap *owner, *h;
	struct cp_page *p = NULL;
	unsigned int nr;

	if (unlikely(!cp_page_find(obj, &p)))
		p = cp_page_find_slow(obj);
	preempt_disable();
	owner = p ? cp_page_heap(p) : NULL;
	if (unlikely(!owner)) {
		preempt_enable();
		cp_size_free_other(p, obj, caller);
		return;
	}
	h = raw_cpu_ptr(owner->cache->heaps);
	if (unlikely(owner != h || trace_curpage_free_enabled() ||
		     !cp_claim_try_fast(&h->claim)))
		goto slow;
	if (unlikely(cp_page_heap(p) != h || !cp_block_nr(h->cache, obj, &nr)))
		goto drop;
	/* A second time does no harm, should it not be done here. */
	kmemleak_free(obj);
	if (likely(cp_free_candidate(h, h->cache, p, nr, (void *)obj))) {
		INDIRECT_CALL_1(h->strategy->freed, cp_mru_freed, h, p);
		cp_claim_drop(&h->claim);
		preempt_enable();
		return;
	}
drop:
	cp_claim_drop(&h->claim);
slow:
	cp_cache_free_block(owner->cache, p, (void *)obj, caller);
}

/**
 * curpage_free - free what curpage_alloc() or curpage_zalloc() returned
 * @obj: the memory; NULL and ZERO_SIZE_PTR do nothing
 *
 * A block of any cache is taken as well.  What is reported, and what is not,
 * is as with curpage_cache_free().
 */
void curpage_free(const void *obj)
{
	struct cp_heap *h;

	preempt_disable();
	h = this_cpu_read(cp_hot.heap[cp_hot_index(obj)]);
	if (unlikely(!h || trace_curpage_free_enabled() ||
		     !cp_claim_try_fast(&h->claim)))
		goto slow;
	if (unlikely(!cp_free_current(h, h->cache, (void *)obj)))
		goto drop;
	cp_claim_drop(&h->claim);
	preempt_enable();
	return;

drop:
	cp_claim_drop(&h->claim);
slow:
	preempt_enable();
	cp_size_free_slow(obj, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_free);

/**
 * curpage_ksize - how much memory there is behind a pointer
 * @obj: what an allocation returned
 *
 * Return: the bytes that may be used, at least what was asked for; 0 for NULL,
 * ZERO_SIZE_PTR and what is on no page of curpage's.
 */
size_t curpage_ksize(const void *obj)
{
	struct cp_page *p;
	struct cp_heap *h;
	size_t size = 0;

	if (ZERO_OR_NULL_PTR(obj))
		return 0;
	p = cp_page_find_slow(obj);
	if (!p)
		return 0;
	preempt_disable();
	h = cp_page_heap(p);
	if (h)
		size = h->cache->size;
	else if (cp_page_kind(p) == CP_BLOCK)
		size = PAGE_SIZE << p->order;
	preempt_enable();
	return size;
}
EXPORT_SYMBOL_GPL(curpage_ksize);
