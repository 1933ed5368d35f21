// SPDX-License-Identifier: GPL-2.0
/* Samples of blocks, guarded by KFENCE; see kfence.h. */
#include "base/kernel.h"
#include "cache/kfence.h"
#include "../../../slab.h"

/*
 * KFENCE finds an object's kmem_cache in a free.  All samples share this one.
 */
static struct kmem_cache *cp_kfence_cache;

/*
 * Hardened usercopy may look at a sample as at an object of SLUB.  It lets all
 * of a sample pass, as it does with a block.  If the cache cannot be created,
 * curpage runs without samples.
 */
void __init cp_kfence_init(void)
{
	unsigned int align = CP_ALIGN_MIN(PAGE_SIZE);

	cp_kfence_cache = kmem_cache_create_usercopy("curpage", PAGE_SIZE,
						     align, SLAB_NO_MERGE, 0,
						     PAGE_SIZE, NULL);
}

/*
 * Check that a sample can replace a block of a cache, or with @size memory that
 * is allocated by size.  KFENCE places a sample at the start of its page, or at
 * its end rounded down to the alignment of cp_kfence_cache.  A cache with one
 * of the flags promises which pages its blocks lie on.
 */
static bool cp_kfence_fits(const struct curpage_cache *cache, size_t size)
{
	unsigned int align = cache->align;

	if (cache->flags & (CURPAGE_PRIVATE_PAGES | CURPAGE_TYPESAFE_BY_RCU))
		return false;
	if (size)
		align = cp_dma_wants(size) ? cp_dma_align() : 1;
	else
		size = cache->size;
	return size && (align <= CP_ALIGN_MIN(PAGE_SIZE) ||
			IS_ALIGNED(size, align));
}

/*
 * Take a sample in place of a block of cache.
 *
 * @size: bytes asked for, 0 for the size of the cache's blocks
 *
 * Return: the sample, or NULL.
 */
void *cp_kfence_take(const struct curpage_cache *cache, size_t size, gfp_t gfp,
		     unsigned long caller)
{
	void *obj;

	if (!cp_kfence_cache || in_nmi() || !cp_kfence_fits(cache, size))
		return NULL;
	size = size ?: cache->size;
	if (cache->ctor)
		gfp &= ~__GFP_ZERO;
	obj = kfence_alloc(cp_kfence_cache, size, gfp);
	if (!obj)
		return NULL;
	if (cache->ctor)
		cache->ctor(obj);
	cp_hook_alloc_bare(obj, size, gfp,
			   cp_hook_init(cache->ctor ||
					want_init_on_alloc(gfp)));
	trace_curpage_alloc(caller, obj, CP_BLOCK_ID, size, size, gfp);
	return obj;
}

/* Test for a pointer into a sample, live or freed. */
static bool cp_kfence_ours(const void *obj)
{
	const struct slab *slab;

	if (!is_kfence_address(obj))
		return false;
	slab = virt_to_slab(obj);
	return slab && slab->slab_cache == cp_kfence_cache;
}

/*
 * Free a sample.  KFENCE reports a wrong free.  It locks, so that a sample
 * which is freed in an NMI stays live.
 *
 * Return: false if obj is no sample.
 */
bool cp_kfence_free(const void *obj, unsigned long caller)
{
	if (!cp_kfence_ours(obj))
		return false;
	if (in_nmi())
		return true;
	if (obj == kfence_object_start(obj)) {
		kmemleak_free(obj);
		trace_curpage_free(caller, obj, CP_BLOCK_ID, false);
	}
	__kfence_free((void *)obj);
	return true;
}

/* Return: the bytes of a sample, 0 if obj is none. */
size_t cp_kfence_size(const void *obj)
{
	return cp_kfence_ours(obj) ? kfence_ksize(obj) : 0;
}
