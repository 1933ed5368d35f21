// SPDX-License-Identifier: GPL-2.0
/*
 * What the rest of the kernel sees of curpage, and asks of it.
 */
#include <linux/curpage.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>

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

/*
 * Requests that cannot be refused, until that many of each kind are there; then all
 * are freed.
 */
#define CT_NOFAIL	(GFP_KERNEL | __GFP_NOFAIL)

struct ct_need {
	struct ct_need *before;
	bool pages;
};

static struct ct_need *ct_needs;

static int ct_need(void *obj, bool pages)
{
	struct ct_need *need = obj;

	if (!need)
		return -ENOMEM;
	need->before = ct_needs;
	need->pages = pages;
	ct_needs = need;
	return 0;
}

static int ct_nofail(unsigned int nr)
{
	static const unsigned int sizes[] = { 1024, 1500, 5000, 8192 };
	unsigned int i;
	int err = 0;

	while (!err && nr--) {
		struct page *page = curpage_alloc_pages(CT_NOFAIL, 1);

		for (i = 0; !err && i < ARRAY_SIZE(sizes); i++)
			err = ct_need(curpage_alloc(sizes[i], CT_NOFAIL),
				      false);
		err = err ?: ct_need(page ? page_address(page) : NULL, true);
	}
	return err;
}

static int ct_nofail_end(unsigned int unused)
{
	while (ct_needs) {
		struct ct_need *need = ct_needs;

		ct_needs = need->before;
		if (need->pages)
			curpage_free_pages(virt_to_page(need), 1);
		else
			curpage_free(need);
	}
	return 0;
}

static bool ct_charged(struct page *page)
{
#ifdef CONFIG_MEMCG
	return page_folio(page)->memcg_data;
#else
	return false;
#endif
}

/*
 * Is somebody charged for pages of the system, as a control, and of curpage?  Not
 * on another CPU, whose thread is charged for nothing.
 */
static int ct_account(unsigned int nr)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_RECLAIMABLE | __GFP_NOWARN;
	struct page *page = alloc_pages(GFP_KERNEL_ACCOUNT, 0);
	unsigned int charged = 0;

	if (!page)
		return -ENOMEM;
	ct_fact("system %u\n", ct_charged(page));
	__free_page(page);
	while (nr--) {
		void *obj = curpage_alloc(1024, gfp);

		if (ct_need(obj, false))
			return -ENOMEM;
		charged += ct_charged(virt_to_page(obj));
		page = curpage_alloc_pages(gfp | __GFP_MOVABLE, 1);
		if (!page || ct_need(page_address(page), true))
			return -ENOMEM;
		charged += ct_charged(page);
	}
	ct_fact("curpage %u\n", charged);
	return ct_nofail_end(0);
}

void ct_citizen_exit(void)
{
	ct_empty_reclaimable(0);
	ct_nofail_end(0);
	curpage_cache_destroy(ct_reclaimable);
}

const struct ct_command ct_citizen_commands[] = {
	{ "fill-reclaimable",	.run = ct_fill_reclaimable,  .local = true },
	{ "empty-reclaimable",	.run = ct_empty_reclaimable, .local = true },
	{ "nofail",		.run = ct_nofail,	.local = true },
	{ "nofail-end",		.run = ct_nofail_end,	.local = true },
	{ "account",		.run = ct_account },
	{ }
};
