// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation by size: a cache for each class of the size map, and page blocks
 * for what does not fit on a page.
 */
#include "kernel.h"
#include "internal.h"

/* NULL before our init and after it failed, when the module is built in. */
static struct curpage_cache *cp_size_caches[CP_MAX_CLASSES];

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
	unsigned int class;

	cp_sizemap_init();
	for (class = 0; class < cp_sizemap_count(); class++) {
		cp_size_caches[class] =
			cp_size_cache_create(cp_sizemap_size(class));
		if (!cp_size_caches[class]) {
			cp_size_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void cp_size_exit(void)
{
	unsigned int class;

	for (class = 0; class < cp_sizemap_count(); class++) {
		if (cp_size_caches[class])
			cp_cache_destroy(cp_size_caches[class], _RET_IP_);
		cp_size_caches[class] = NULL;
	}
}

/* As with kmalloc(), what such memory points to is not leaked. */
static void *cp_size_alloc_pages(size_t size, gfp_t gfp, unsigned long caller)
{
	void *obj = cp_pages_alloc(gfp, get_order(size), size, caller);

	kmemleak_alloc(obj, size, 1, gfp);
	return obj;
}

static void *cp_size_alloc(size_t size, gfp_t gfp, unsigned long caller)
{
	struct curpage_cache *cache;

	if (!size)
		return ZERO_SIZE_PTR;
	if (size > PAGE_SIZE)
		return cp_size_alloc_pages(size, gfp, caller);
	cache = cp_size_caches[cp_sizemap(size)];
	if (unlikely(!cache))
		return NULL;
	return cp_cache_alloc(cache, gfp, size, caller);
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
	return cp_size_alloc(size, gfp, _RET_IP_);
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
	return cp_size_alloc(size, gfp | __GFP_ZERO, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_zalloc);

/**
 * curpage_free - free what curpage_alloc() or curpage_zalloc() returned
 * @obj: the memory; NULL and ZERO_SIZE_PTR do nothing
 *
 * A block of any cache is taken as well.  What is reported, and what is not,
 * is as with curpage_cache_free().
 */
void curpage_free(const void *obj)
{
	void *block = (void *)obj;
	struct cp_page *p;
	struct cp_heap *h;

	if (ZERO_OR_NULL_PTR(obj))
		return;
	p = cp_page_lookup(obj);
	if (unlikely(!p)) {
		cp_report(CP_BAD_FOREIGN, NULL, obj, _RET_IP_);
		return;
	}
	h = cp_page_heap(p);
	if (likely(h))
		cp_cache_free_block(h, p, block, _RET_IP_);
	else if (unlikely(offset_in_page(obj)))
		cp_report(cp_page_is_free(p) ? CP_BAD_DOUBLE : CP_BAD_INSIDE,
			  NULL, obj, _RET_IP_);
	else
		cp_pages_free(p, READ_ONCE(p->order), _RET_IP_);
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

	if (ZERO_OR_NULL_PTR(obj))
		return 0;
	p = cp_page_lookup(obj);
	if (!p)
		return 0;
	h = cp_page_heap(p);
	if (h)
		return h->cache->size;
	return p->kind == CP_BLOCK ? PAGE_SIZE << p->order : 0;
}
EXPORT_SYMBOL_GPL(curpage_ksize);
