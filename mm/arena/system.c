// SPDX-License-Identifier: GPL-2.0
/*
 * The system: all memory of the allocator comes from these calls, and all pages
 * go back here.  KUnit makes the calls fail.
 */
#include "base/kernel.h"
#include "arena/system.h"

/*
 * Flags that the arena drops, as a page is later handed out to other callers:
 * it cannot keep a promise of a compound page, a zone, mobility or an account.
 * __GFP_ZERO is done when a block is handed out.
 */
#define CP_GFP_DROP	(__GFP_ZERO | __GFP_COMP | __GFP_ACCOUNT |	\
			 __GFP_HIGHMEM | __GFP_MOVABLE | __GFP_RECLAIMABLE)

/*
 * Take 2^order pages that can go back one by one: split_page() gives each tail
 * page its own reference.
 */
struct cp_page *cp_system_take(gfp_t gfp, unsigned int order)
{
	struct page *page;

	KUNIT_STATIC_STUB_REDIRECT(cp_system_take, gfp, order);

	page = alloc_pages(gfp & ~CP_GFP_DROP, order);
	if (!page)
		return NULL;
	if (order)
		split_page(page, order);
	return cp_page_of(page);
}

/* Give 2^order pages back, one by one: each has its own reference. */
void cp_system_give(struct cp_page *p, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		cp_page_disown(p + i);
		__free_page(cp_page_to_page(p + i));
	}
}

/* Allocate memory for the structures of a cache, which are few. */
void *cp_system_zalloc(size_t size)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_system_zalloc, size);

	return kzalloc(size, GFP_KERNEL);
}

/* Allocate memory for a structure that goes with pages, with their gfp. */
void *cp_system_zalloc_gfp(size_t size, gfp_t gfp)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_system_zalloc_gfp, size, gfp);

	return kzalloc(size, gfp & ~CP_GFP_DROP);
}

void __percpu *cp_system_alloc_percpu(size_t size, size_t align)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_system_alloc_percpu, size, align);

	return __alloc_percpu(size, align);
}
