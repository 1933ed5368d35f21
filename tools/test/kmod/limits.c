// SPDX-License-Identifier: GPL-2.0
/*
 * Going up to the bound of the arena, and leaving things behind.
 */
#include <linux/curpage.h>
#include <linux/errno.h>
#include <linux/mm.h>

#include "test.h"

#define CT_FILL_SIZE	1024
#define CT_FILL_MAX	1000000	/* there is no bound, it seems */
#define CT_SIZE_A	80
#define CT_SIZE_B	96
#define CT_GFP		(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/* What was got, as a chain: each block points to the one before it. */
static void *ct_filled;

static int ct_empty(unsigned int unused)
{
	while (ct_filled) {
		void **obj = ct_filled;

		ct_filled = *obj;
		curpage_free(obj);
	}
	return 0;
}

/* Allocate until there is no more. */
static int ct_fill(unsigned int unused)
{
	unsigned int blocks;
	void **obj;

	for (blocks = 0; blocks < CT_FILL_MAX; blocks++) {
		obj = curpage_alloc(CT_FILL_SIZE, CT_GFP);
		if (!obj)
			break;
		*obj = ct_filled;
		ct_filled = obj;
	}
	ct_fact("blocks %u\n", blocks);
	return blocks < CT_FILL_MAX ? 0 : -EFBIG;
}

/* One more of that size, until they are emptied. */
static int ct_keep(unsigned int size)
{
	void **obj = curpage_alloc(size, GFP_KERNEL);

	if (!obj)
		return -ENOMEM;
	*obj = ct_filled;
	ct_filled = obj;
	return 0;
}

/* So many of two sizes that share no class, until they are emptied. */
static int ct_sizes(unsigned int blocks)
{
	int err = 0;

	while (!err && blocks--)
		err = ct_keep(CT_SIZE_A) ?: ct_keep(CT_SIZE_B);
	return err;
}

/* There is still none: by size, as pages, or several at a time. */
static int ct_refused(unsigned int times)
{
	void *objs[CT_FILL_SIZE / sizeof(void *)];
	unsigned int i;

	for (i = 0; i < times; i++)
		if (curpage_alloc(CT_FILL_SIZE, CT_GFP) ||
		    curpage_alloc_pages(CT_GFP, 0) ||
		    curpage_cache_alloc_bulk(ct_plain, CT_GFP,
					     ARRAY_SIZE(objs), objs))
			return -EEXIST;
	return 0;
}

/* Blocks and page blocks that nobody will free. */
static int ct_leak(unsigned int blocks)
{
	while (blocks--)
		if (!curpage_alloc(100, GFP_KERNEL) ||
		    !curpage_alloc_pages(GFP_KERNEL, 1))
			return -ENOMEM;
	return 0;
}

/* A cache that nobody will destroy: curpage has to stay. */
static int ct_abandon(unsigned int unused)
{
	return curpage_cache_create("ct-abandoned", CT_OBJ_SIZE, NULL) ? 0 :
								     -ENOMEM;
}

/* Make a cache that asks for a strategy of the study. */
static int ct_stack(unsigned int unused)
{
	static const struct curpage_cache_args args = { .strategy = "stack" };
	struct curpage_cache *cache = curpage_cache_create("ct-stack",
							   CT_OBJ_SIZE, &args);

	return cache ? curpage_cache_destroy(cache) : -EINVAL;
}

void ct_limits_exit(void)
{
	ct_empty(0);
}

const struct ct_command ct_limits_commands[] = {
	{ "fill",	.run = ct_fill,		.local = true },
	{ "sizes",	.run = ct_sizes,	.local = true },
	{ "block",	.run = ct_keep,		.local = true },
	{ "refused",	.run = ct_refused,	.local = true },
	{ "empty",	.run = ct_empty,	.local = true },
	{ "leak",	.run = ct_leak,		.local = true },
	{ "abandon",	.run = ct_abandon },
	{ "stack",	.run = ct_stack },
	{ }
};
