/* SPDX-License-Identifier: GPL-2.0 */
/* Red zones, poison and owners of blocks, with CURPAGE_CHECK. */
#ifndef CP_DEBUG_H
#define CP_DEBUG_H

#include "heap/heap.h"

#define CP_RED_BYTE	0xcc
#define CP_POISON_BYTE	0x6b

/*
 * Check whether a block has to be zeroed.  As in SLUB, poison stays visible
 * unless the request asks for zero.
 */
static inline bool cp_debug_want_zero(bool check, gfp_t gfp)
{
	return check ? !!(gfp & __GFP_ZERO) : want_init_on_alloc(gfp);
}

unsigned int cp_debug_link(unsigned int size);
void cp_debug_init(const struct curpage_cache *cache, void *obj);
enum cp_bad cp_debug_check_alloc(const struct curpage_cache *cache, void *obj);
void cp_debug_set_live(const struct curpage_cache *cache, void *obj,
		       unsigned long caller);
enum cp_bad cp_debug_free(const struct curpage_cache *cache, void *obj,
			  unsigned long caller);
int cp_debug_check_page(const struct curpage_cache *cache, struct cp_page *p,
			const unsigned long *free);
int cp_debug_check_free(const struct curpage_cache *cache, void *obj);

/* The callers that allocated a block last and freed it last. */
struct cp_owners {
	unsigned long alloc;
	unsigned long free;
};

bool cp_debug_owners(enum cp_bad bad, const struct curpage_cache *cache,
		     const void *obj, struct cp_owners *owners);

#endif /* CP_DEBUG_H */
