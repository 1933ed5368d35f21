// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation by size: a cache for each class of the size map, first fit for
 * sizes above a crossover, page blocks for sizes that first fit does not serve.
 */
#include "base/kernel.h"
#include "cache/fast.h"
#include "heap/report.h"
#include "large/large.h"
#include "size/size.h"

#define CP_SIZE_STEP	8	/* sizes per entry of cp_size_caches */

/*
 * The heap of cp_size_none, which is always taken, so that a request need not
 * test for NULL.  Only the claim of the heap exists.
 */
struct cp_taken_heap {
	struct cp_claim claim;
} __aligned(__alignof__(struct cp_heap));

static DEFINE_PER_CPU(struct cp_taken_heap, cp_size_none_heap) =
	CP_PER_CPU_VALUE({ .claim = { .taken = 1 } });

static struct curpage_cache cp_size_none = {
	.heaps = (struct cp_heap __percpu *)&cp_size_none_heap,
};

/*
 * Caches by size, so that a request needs one load to find its cache.
 * cp_size_none stands for size 0, for sizes of first fit, and for all sizes
 * before cp_size_init() or after it failed, if curpage is built in.
 */
static struct curpage_cache *cp_size_caches[PAGE_SIZE / CP_SIZE_STEP + 1] = {
	[0 ... PAGE_SIZE / CP_SIZE_STEP] = &cp_size_none,
};

/* Caches by class, also of classes that no request goes to at the moment. */
static struct curpage_cache *cp_size_classes[CP_MAX_CLASSES];

/* Brent's FFCROSSOVER: larger sizes go to first fit.  Under cp_size_lock. */
static unsigned int cp_size_ff = PAGE_SIZE / 4;
static DEFINE_MUTEX(cp_size_lock);

static struct curpage_cache *cp_size_cache_create(unsigned int size)
{
	struct curpage_cache_args args = {
		/* Align a power of two to its size, red zones or not. */
		.align = is_power_of_2(size) ? size : 0,
	};
	char name[CP_NAME_LEN];

	/* For DMA the kernel copies all sizes of a class or none. */
	if (cp_dma_wants(size))
		args.align = max_t(unsigned int, args.align, cp_dma_align());
	snprintf(name, sizeof(name), "size-%u", size);
	return cp_cache_create(name, size, &args);
}

/*
 * Check whether a size fills its block, as a power of two does: it is aligned
 * to itself.  With crossover 0 it goes to first fit all the same, as in the
 * paper.
 */
static bool cp_size_fills(size_t size, unsigned int crossover)
{
	return CP_MAP_POWERS && crossover && is_power_of_2(size);
}

/* Check whether a size goes to a cache, not to first fit. */
static bool cp_size_cached(size_t size, unsigned int crossover)
{
	return size <= ALIGN(crossover, CP_SIZE_STEP) ||
	       cp_size_fills(size, crossover);
}

/*
 * Check whether a size of a cache gets a page block instead: a block that fills
 * its page has no room for a tag, a page block has.
 */
static bool cp_size_paged(size_t size)
{
	const struct curpage_cache *cache;

	if (!cp_tags_on() || size > PAGE_SIZE ||
	    !cp_size_cached(size, READ_ONCE(cp_size_ff)))
		return false;
	cache = cp_size_classes[cp_sizemap(size)];
	return cache && !(cache->flags & CP_CACHE_TAGS);
}

/* Fill cp_size_caches for the current crossover. */
static void cp_size_fill(void)
{
	unsigned int i;

	lockdep_assert_held(&cp_size_lock);
	for (i = 1; i < ARRAY_SIZE(cp_size_caches); i++) {
		size_t size = i * CP_SIZE_STEP;
		bool cached = cp_size_cached(size, cp_size_ff) &&
			      !cp_size_paged(size);

		WRITE_ONCE(cp_size_caches[i],
			   cached ? cp_size_classes[cp_sizemap(size)] :
				    &cp_size_none);
	}
}

/*
 * Set the crossover for requests from now on.  Live blocks go back to where
 * they came from.  May be called before cp_size_init().
 */
void cp_size_set_crossover(unsigned int bytes)
{
	mutex_lock(&cp_size_lock);
	WRITE_ONCE(cp_size_ff, bytes);
	if (cp_size_classes[0])
		cp_size_fill();
	mutex_unlock(&cp_size_lock);
}

unsigned int cp_size_crossover(void)
{
	return READ_ONCE(cp_size_ff);
}

int __init cp_size_init(void)
{
	unsigned int class;

	/* The parameter sizemap has chosen a map, if there are parameters. */
	if (!cp_sizemap_count() && cp_sizemap_init("brent"))
		return -EINVAL;
	if (!cp_fit_init())
		return -EINVAL;
	for (class = 0; class < cp_sizemap_count(); class++) {
		cp_size_classes[class] =
			cp_size_cache_create(cp_sizemap_size(class));
		if (!cp_size_classes[class]) {
			cp_size_exit();
			return -ENOMEM;
		}
	}
	cp_size_set_crossover(cp_size_ff);
	return 0;
}

void cp_size_exit(void)
{
	unsigned int i, class;

	for (i = 0; i < ARRAY_SIZE(cp_size_caches); i++)
		cp_size_caches[i] = &cp_size_none;
	for (class = 0; class < CP_MAX_CLASSES; class++) {
		if (cp_size_classes[class])
			cp_cache_destroy(cp_size_classes[class], _RET_IP_);
		cp_size_classes[class] = NULL;
	}
	cp_fit_exit();
}

/*
 * Allocate a page block by size.  As with kmalloc(), kmemleak is told: memory
 * that the block points to is not leaked.
 */
static void *cp_size_alloc_pages(size_t size, gfp_t gfp, unsigned long caller)
{
	void *obj = cp_pages_alloc(gfp, get_order(size), size, caller);

	kmemleak_alloc(obj, size, 1, gfp);
	return obj;
}

/*
 * Check whether a request without an entry in cp_size_caches goes to first fit.
 * A request for which the system may lend from its reserves does not: all
 * callers share a run.
 */
static bool cp_size_fits(size_t size, gfp_t gfp)
{
	if (size > CP_FIT_MAX || cp_gfp_reserves(gfp) || !cp_size_classes[0])
		return false;
	return size <= PAGE_SIZE || !cp_size_fills(size, cp_size_crossover());
}

static noinline void *cp_size_alloc_uncached(size_t size, gfp_t gfp,
					     unsigned long caller)
{
	struct curpage_cache *cache;

	if (!size)
		return ZERO_SIZE_PTR;
	if (cp_size_paged(size))
		return cp_size_alloc_pages(size, gfp, caller);
	if (cp_size_fits(size, gfp))
		return cp_fit_alloc(size, gfp, caller);
	if (size > PAGE_SIZE)
		return cp_size_alloc_pages(size, gfp, caller);
	cache = cp_size_classes[cp_sizemap(size)];
	return cache ? cp_cache_alloc_refill(size, gfp, cache, caller) : NULL;
}

static void *cp_size_alloc_dispatch(size_t size, gfp_t gfp,
				    struct curpage_cache *cache,
				    unsigned long caller)
{
	return cache == &cp_size_none ?
	       cp_size_alloc_uncached(size, gfp, caller) :
	       cp_cache_alloc_refill(size, gfp, cache, caller);
}

static __always_inline void *cp_size_alloc(size_t size, gfp_t gfp)
{
	struct curpage_cache *cache;

	if (unlikely(size > PAGE_SIZE))
		return cp_size_alloc_uncached(size, gfp, _RET_IP_);
	cache = READ_ONCE(cp_size_caches[DIV_ROUND_UP(size, CP_SIZE_STEP)]);
	return cp_cache_alloc(cache, gfp, size, cp_size_alloc_dispatch);
}

#undef curpage_alloc	/* callers use a macro of this name */

/**
 * curpage_alloc - allocate memory by size
 * @size: bytes, up to 2^CURPAGE_MAX_ORDER pages
 * @gfp: as for kmalloc(); no zone can be asked for
 *
 * The memory is aligned to 8 bytes, from a size of 16 bytes on to 16 bytes, and
 * to @size if @size is a power of two.  It can be used for DMA as memory of
 * kmalloc() can, also where DMA is not coherent.  In NMI context sizes above
 * the parameter ffcrossover fail.
 *
 * Return: the memory, ZERO_SIZE_PTR for a size of 0, NULL on failure.
 */
void *curpage_alloc(size_t size, gfp_t gfp)
{
	return cp_size_alloc(size, gfp);
}
EXPORT_SYMBOL_GPL(curpage_alloc);
ALLOW_ERROR_INJECTION(curpage_alloc, NULL);

#undef curpage_zalloc	/* callers use a macro of this name */

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
ALLOW_ERROR_INJECTION(curpage_zalloc, NULL);

static noinline void cp_size_free_uncached(struct cp_page *p, const void *obj,
					   unsigned long caller)
{
	if (ZERO_OR_NULL_PTR(obj) || cp_kfence_free(obj, caller))
		return;
	if (!p)
		cp_report(CP_BAD_FOREIGN, NULL, obj, caller);
	else if (cp_page_kind(p) == CP_RUN)
		cp_fit_free(p, obj, caller);
	else if (offset_in_page(obj))
		cp_report(cp_page_is_free(p) ? CP_BAD_DOUBLE : CP_BAD_INSIDE,
			  NULL, obj, caller);
	else
		cp_pages_free(p, READ_ONCE(p->order), caller);
}

/*
 * Find the heap that owns a page by a racy read.  A page that has left, and has
 * a foreign mapping in place of its heap, is no longer ours; a page that has
 * come back since has another heap, or none.  Called with preemption disabled,
 * so that the heap stays even if the page leaves now.
 *
 * Return: the heap, or NULL.
 */
static __always_inline struct cp_heap *cp_size_owner(const struct cp_page *p)
{
	struct cp_heap *h = cp_page_heap(p);
	bool ours;

	smp_rmb();	/* cp_page_adopt() */
	ours = cp_page_ours(p);
	smp_rmb();	/* then the heap again */
	return likely(ours && cp_page_heap(p) == h) ? h : NULL;
}

/* Free memory that is not on a page that is current on this CPU. */
static noinline void cp_size_free_lookup(const void *obj, unsigned long caller)
{
	struct cp_heap *owner, *h;
	struct cp_page *p = NULL;

	obj = kasan_reset_tag(obj);
	if (unlikely(!cp_page_find(obj, &p)))
		p = cp_page_lookup(obj);
	preempt_disable();
	owner = p ? cp_size_owner(p) : NULL;
	if (unlikely(!owner)) {
		preempt_enable();
		cp_size_free_uncached(p, obj, caller);
		return;
	}
	h = raw_cpu_ptr(owner->cache->heaps);
	if (likely(owner == h && cp_claim_try_fast(&h->claim))) {
		if (likely(cp_page_heap(p) == h))
			return cp_cache_free_owned_unclaim(h, p, (void *)obj,
							   caller);
		cp_claim_drop(&h->claim);
	}
	cp_cache_free_block_enable(owner->cache, p, (void *)obj, caller);
}

/**
 * curpage_free - free what curpage_alloc() or curpage_zalloc() returned
 * @obj: the memory; NULL and ZERO_SIZE_PTR do nothing
 *
 * Also frees a block of any cache.  Reports what curpage_cache_free() reports.
 * In NMI context only blocks of caches can be freed.
 */
void curpage_free(const void *obj)
{
	struct cp_heap *h;

	preempt_disable();
	h = this_cpu_read(cp_hot.heap[cp_hot_index(obj)]);
	if (unlikely(!cp_claim_try_fast(&h->claim)))
		goto lookup;
	if (unlikely(!cp_free_current(h, h->cache, (void *)obj)))
		goto drop;
	cp_claim_drop(&h->claim);
	preempt_enable();
	return;

drop:
	cp_claim_drop(&h->claim);
lookup:
	preempt_enable();
	cp_size_free_lookup(obj, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_free);

/*
 * Return: the usable bytes behind a pointer into a page that is in no heap; 0
 * if there are none.  Called with preemption disabled, so that a side heap
 * found there stays.
 */
static size_t cp_size_other(struct cp_page *p, const void *obj)
{
	union cp_page_word word = cp_page_word(p);
	const struct cp_heap *side = cp_page_heap(p);

	if (cp_page_word_ours(word) && word.kind == CP_RESERVE && side)
		return side->cache->size;
	if (cp_page_word_ours(word) &&
	    (word.kind == CP_BLOCK || word.kind == CP_RESERVE))
		return PAGE_SIZE << READ_ONCE(p->order);
	return cp_page_word_ours(word) && word.kind == CP_RUN ?
	       cp_fit_size(p, obj) : 0;
}

/**
 * curpage_ksize - get the usable size of an allocation
 * @obj: what an allocation returned
 *
 * In NMI context only for blocks of caches.
 *
 * Return: the bytes that may be used, at least those asked for; 0 for NULL,
 * ZERO_SIZE_PTR, memory that is not curpage's, and a block next to which the
 * memory of its run was overwritten.
 */
size_t curpage_ksize(const void *obj)
{
	union cp_page_word word;
	struct cp_page *p;
	size_t size;

	if (ZERO_OR_NULL_PTR(obj))
		return 0;
	obj = kasan_reset_tag(obj);
	p = cp_page_lookup(obj);
	if (!p)
		return cp_kfence_size(obj);
	preempt_disable();
	word = cp_page_pin(p);
	if (word.pins) {
		size = cp_page_heap(p)->cache->size;
		cp_page_unpin(p);
	} else {
		size = cp_size_other(p, obj);
	}
	preempt_enable();
	cp_hook_ksize(obj, size);
	return size;
}
EXPORT_SYMBOL_GPL(curpage_ksize);
