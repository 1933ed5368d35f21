// SPDX-License-Identifier: GPL-2.0
/*
 * Where all memory comes from and goes to.  KUnit makes these fail.
 */
#include "kernel.h"
#include "internal.h"

/*
 * What the arena cannot promise for a page that it hands out again, to somebody
 * else: a compound page, a zone, mobility, and who is charged for it.  Zeroing is
 * done when a block is handed out.
 */
#define CP_GFP_DROP	(__GFP_ZERO | __GFP_COMP | __GFP_ACCOUNT |	\
			 __GFP_HIGHMEM | __GFP_MOVABLE | __GFP_RECLAIMABLE)

/*
 * 2^order pages, each of which can be given back alone.  The tail pages of a
 * higher order have no reference of their own until they are split.
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

/* Page by page, since each has a reference of its own after the split. */
void cp_system_give(struct cp_page *p, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		cp_page_disown(p + i);
		__free_page(cp_page_to_page(p + i));
	}
}

/* For the few structures of a cache. */
void *cp_system_zalloc(size_t size)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_system_zalloc, size);

	return kzalloc(size, GFP_KERNEL);
}

/* For the structure that goes with pages, as those were asked for. */
void *cp_system_zalloc_gfp(size_t size, gfp_t gfp)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_system_zalloc_gfp, size, gfp);

	return kzalloc(size, gfp & ~CP_GFP_DROP);
}

struct cp_heap __percpu *cp_system_alloc_heaps(void)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_system_alloc_heaps);

	return alloc_percpu(struct cp_heap);
}
