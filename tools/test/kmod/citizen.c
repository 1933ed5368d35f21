// SPDX-License-Identifier: GPL-2.0
/*
 * What the rest of the kernel sees of curpage, and asks of it.
 */
#include <linux/curpage.h>
#include <linux/errno.h>
#include <linux/gfp.h>

#include "test.h"

#define CT_LARGE	1024

/* A cache whose user could free its blocks: a chain, each points to the next. */
static struct curpage_cache *ct_reclaimable;
static void **ct_chain;

static int ct_fill_reclaimable(unsigned int blocks)
{
	static const struct curpage_cache_args args = {
		.flags = CURPAGE_RECLAIM_ACCOUNT,
	};

	if (!ct_reclaimable)
		ct_reclaimable = curpage_cache_create("ct-reclaimable",
						      CT_LARGE, &args);
	if (!ct_reclaimable)
		return -ENOMEM;
	while (blocks--) {
		void **obj = curpage_cache_alloc(ct_reclaimable, GFP_KERNEL);

		if (!obj)
			return -ENOMEM;
		*obj = ct_chain;
		ct_chain = obj;
	}
	return 0;
}

static int ct_empty_reclaimable(unsigned int unused)
{
	while (ct_chain) {
		void **obj = ct_chain;

		ct_chain = *obj;
		curpage_cache_free(ct_reclaimable, obj);
	}
	return 0;
}

void ct_citizen_exit(void)
{
	ct_empty_reclaimable(0);
	curpage_cache_destroy(ct_reclaimable);
}

const struct ct_command ct_citizen_commands[] = {
	{ "fill-reclaimable",	.run = ct_fill_reclaimable,  .local = true },
	{ "empty-reclaimable",	.run = ct_empty_reclaimable, .local = true },
	{ }
};
