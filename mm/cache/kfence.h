/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples: blocks that KFENCE allocates in place of a cache, each on a page
 * of its own between two guard pages.
 *
 * KFENCE does not export its functions, so only a curpage built into the
 * kernel takes samples.  A sample lies on no page of the arena.  A free
 * therefore finds it on the path that reports foreign pointers, and the hot
 * path of a free does not test for it.  No counter of a cache includes
 * samples.
 */
#ifndef CP_KFENCE_H
#define CP_KFENCE_H

#include "heap/heap.h"

#if defined(CONFIG_KFENCE) && !defined(MODULE)
#define CP_KFENCE	1

void cp_kfence_init(void);
void *cp_kfence_take(const struct curpage_cache *cache, size_t size, gfp_t gfp,
		     unsigned long caller);
bool cp_kfence_free(const void *obj, unsigned long caller);
size_t cp_kfence_size(const void *obj);

/* Test on the hot path of an allocation whether a sample is due. */
static __always_inline bool cp_kfence_due(void)
{
	return static_branch_unlikely(&kfence_allocation_key) &&
	       unlikely(atomic_read(&kfence_allocation_gate) <= 0);
}

#else
#define CP_KFENCE	0

static inline void cp_kfence_init(void) { }

static inline void *cp_kfence_take(const struct curpage_cache *cache,
				   size_t size, gfp_t gfp, unsigned long caller)
{
	return NULL;
}

static inline bool cp_kfence_free(const void *obj, unsigned long caller)
{
	return false;
}

static inline size_t cp_kfence_size(const void *obj) { return 0; }
static __always_inline bool cp_kfence_due(void) { return false; }
#endif

#endif /* CP_KFENCE_H */
