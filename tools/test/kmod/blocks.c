// SPDX-License-Identifier: GPL-2.0
/*
 * Page blocks until there are no more, every second of them given back, and
 * requests beside them.
 */
#include <linux/curpage.h>
#include <linux/errno.h>
#include <linux/mm.h>

#include "test.h"

#define CT_PAGES_MAX	1000000	/* there is no bound, it seems */
#define CT_PATIENT	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)
#define CT_NOW		(GFP_NOWAIT | __GFP_NOWARN)

/* Each points to the one that was got before it, and knows its order. */
struct ct_block {
	struct ct_block *before;
	unsigned int order;
};

static struct ct_block *ct_blocks;

static int ct_block_get(gfp_t gfp, unsigned int order)
{
	struct page *page = curpage_alloc_pages(gfp, order);
	struct ct_block *block;

	if (!page)
		return -ENOMEM;
	block = page_address(page);
	block->before = ct_blocks;
	block->order = order;
	ct_blocks = block;
	return 0;
}

/* The one that was got last. */
static void ct_block_put(struct ct_block **at)
{
	struct ct_block *block = *at;

	*at = block->before;
	curpage_free_pages(virt_to_page(block), block->order);
}

/* Single pages until there are no more. */
static int ct_pages(unsigned int unused)
{
	unsigned int nr = 0;

	while (nr < CT_PAGES_MAX && !ct_block_get(CT_PATIENT, 0))
		nr++;
	ct_fact("pages %u\n", nr);
	return nr < CT_PAGES_MAX ? 0 : -EFBIG;
}

/* So many single pages. */
static int ct_some_blocks(unsigned int nr)
{
	int err = 0;

	while (!err && nr--)
		err = ct_block_get(GFP_KERNEL, 0);
	return err;
}

/* Of two buddies one goes: those blocks whose number has no bit of its order. */
static int ct_checkered(unsigned int unused)
{
	struct ct_block **at = &ct_blocks;

	while (*at) {
		if (page_to_pfn(virt_to_page(*at)) >> (*at)->order & 1)
			at = &(*at)->before;
		else
			ct_block_put(at);
	}
	return 0;
}

static int ct_blocks_end(unsigned int unused)
{
	while (ct_blocks)
		ct_block_put(&ct_blocks);
	return 0;
}

/* One more of that order, by somebody who may wait and by somebody who may not. */
static int ct_patient(unsigned int order)
{
	return ct_block_get(CT_PATIENT, order);
}

static int ct_now(unsigned int order)
{
	return ct_block_get(CT_NOW, order);
}

void ct_blocks_exit(void)
{
	ct_blocks_end(0);
}

const struct ct_command ct_blocks_commands[] = {
	{ "pages",	.run = ct_pages,	.local = true },
	{ "blocks",	.run = ct_some_blocks,	.local = true },
	{ "checkered",	.run = ct_checkered,	.local = true },
	{ "patient",	.run = ct_patient,	.local = true },
	{ "now",	.run = ct_now,		.local = true },
	{ "blocks-end",	.run = ct_blocks_end,	.local = true },
	{ }
};
