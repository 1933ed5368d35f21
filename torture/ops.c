// SPDX-License-Identifier: GPL-2.0
/*
 * The operations of curpage, and the table of all allocators that can be
 * tested.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "torture.h"

static const struct cpt_ops * const cpt_all_ops[] = {
	&cpt_curpage_ops,
	&cpt_busted_ops,
};

const struct cpt_ops *cpt_ops_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpt_all_ops); i++)
		if (!strcmp(cpt_all_ops[i]->name, name))
			return cpt_all_ops[i];
	return NULL;
}

void *cpt_curpage_alloc(struct cpt_block *b, gfp_t gfp)
{
	struct page *page;

	switch (b->how) {
	case CPT_BY_CACHE:
		return curpage_cache_alloc(b->cache, gfp);
	case CPT_BY_PAGES:
		page = curpage_alloc_pages(gfp, b->order);
		return page ? page_address(page) : NULL;
	default:
		return gfp & __GFP_ZERO ?
		       curpage_zalloc(b->size, gfp & ~__GFP_ZERO) :
		       curpage_alloc(b->size, gfp);
	}
}

/*
 * Free a block.  A block of a cache may be freed by its cache or by its
 * address.
 */
void cpt_curpage_free(struct cpt_ctx *ctx, struct cpt_block *b)
{
	if (b->how == CPT_BY_PAGES)
		curpage_free_pages(virt_to_page(b->obj), b->order);
	else if (b->how == CPT_BY_CACHE && cpt_random(ctx, 8))
		curpage_cache_free(b->cache, b->obj);
	else
		curpage_free(b->obj);
}

const struct cpt_ops cpt_curpage_ops = {
	.name	= "curpage",
	.alloc	= cpt_curpage_alloc,
	.free	= cpt_curpage_free,
};
