// SPDX-License-Identifier: GPL-2.0
/* Page blocks: 2^order pages straight from the arena. */
#include "kernel.h"
#include "internal.h"

#define CP_BLOCK_ID	0	/* in the tracepoints, where caches have a number */

static void cp_pages_zero(struct cp_page *p, unsigned int order)
{
	memset(cp_page_base(p), 0, PAGE_SIZE << order);
}

void *cp_pages_alloc(gfp_t gfp, unsigned int order, size_t size,
		     unsigned long caller)
{
	struct cp_page *p;

	might_alloc(gfp);
	if (order > CURPAGE_MAX_ORDER || WARN_ON_ONCE(in_nmi()) ||
	    !cp_gfp_ok(gfp, caller))
		return NULL;
	p = cp_arena_take(&cp_arena, gfp, order, CP_BLOCK);
	if (!p)
		return NULL;
	if (want_init_on_alloc(gfp))
		cp_pages_zero(p, order);
	trace_curpage_alloc(caller, cp_page_base(p), CP_BLOCK_ID, size,
			    PAGE_SIZE << order, gfp);
	return cp_page_base(p);
}

void cp_pages_free(struct cp_page *p, unsigned int order, unsigned long caller)
{
	enum cp_bad bad = cp_arena_unlend_block(&cp_arena, p, order);
	LIST_HEAD(block);

	if (unlikely(bad)) {
		cp_report(bad, NULL, cp_page_base(p), caller);
		return;
	}
	kmemleak_free(cp_page_base(p));
	trace_curpage_free(caller, cp_page_base(p), CP_BLOCK_ID, 0);
	if (want_init_on_free())
		cp_pages_zero(p, order);
	list_add(&p->list, &block);
	cp_arena_give(&cp_arena, &block);
}

/**
 * curpage_alloc_pages - allocate a block of pages
 * @gfp: as for alloc_pages(); no zone can be asked for
 * @order: 2^order pages, up to CURPAGE_MAX_ORDER
 *
 * The pages are contiguous and aligned to their number.  Each has a reference
 * of its own; they are not a compound page.  Their struct pages' lru, mapping,
 * index and private stay curpage's, and no reference to them may outlive
 * curpage_free_pages().  Any context but NMI.
 *
 * Return: the first page, or NULL.
 */
struct page *curpage_alloc_pages(gfp_t gfp, unsigned int order)
{
	void *addr;

	if (order > CURPAGE_MAX_ORDER)
		return NULL;
	addr = cp_pages_alloc(gfp, order, PAGE_SIZE << order, _RET_IP_);
	return addr ? virt_to_page(addr) : NULL;
}
EXPORT_SYMBOL_GPL(curpage_alloc_pages);

/**
 * curpage_free_pages - free a block of pages
 * @page: its first page; NULL does nothing
 * @order: as it was allocated with
 *
 * What is not such a block is reported and left alone.
 */
void curpage_free_pages(struct page *page, unsigned int order)
{
	struct cp_page *p = cp_page_of(page);

	if (!page)
		return;
	if (unlikely(!cp_page_ours(p)))
		cp_report(CP_BAD_FOREIGN, NULL, page_address(page), _RET_IP_);
	else
		cp_pages_free(p, order, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_free_pages);

/* The module goes: blocks that are still out stay with who has them. */
void cp_pages_exit(void)
{
	if (cp_arena.block_pages)
		cp_report_leak(NULL, cp_arena.block_pages, _RET_IP_);
	cp_arena_trim(&cp_arena, 0);
}
