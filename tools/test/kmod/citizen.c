// SPDX-License-Identifier: GPL-2.0
/*
 * What the rest of the kernel sees of curpage, and asks of it.
 */
#include <linux/curpage.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

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
#define CT_OTHERS	1000

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

#define CT_FILL		0x5a

/* Nobody gets that page while it is referenced, and nobody writes to it. */
static int ct_stays(struct page *page)
{
	struct page *other;
	unsigned int i;

	for (i = 0; i < CT_OTHERS; i++) {
		other = curpage_alloc_pages(GFP_KERNEL, 0);
		if (!other || ct_need(page_address(other), false))
			return -ENOMEM;
		if (other == page)
			return -EEXIST;
	}
	ct_nofail_end(0);
	return memchr_inv(page_address(page), CT_FILL, PAGE_SIZE) ? -EIO : 0;
}

/* A page of a page block is referenced when the block is freed. */
static int ct_ref_pages(void)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 2);
	int err;

	if (!page)
		return -ENOMEM;
	memset(page_address(page), CT_FILL, 4 * PAGE_SIZE);
	get_page(page + 3);
	curpage_free_pages(page, 2);
	err = ct_stays(page + 3);
	ct_fact("references %d\n", page_ref_count(page + 3));
	put_page(page + 3);
	return err;
}

/* The same for a page of a cache, which is told of when it leaves its heap. */
static int ct_ref_cache(void)
{
	void *obj = curpage_cache_alloc(ct_other, GFP_KERNEL);
	struct page *page;
	int err;

	if (!obj)
		return -ENOMEM;
	page = virt_to_page(obj);
	get_page(page);
	curpage_cache_free(ct_other, obj);
	curpage_cache_shrink(ct_other);
	memset(page_address(page), CT_FILL, PAGE_SIZE);
	err = ct_stays(page);
	ct_fact("references %d\n", page_ref_count(page));
	put_page(page);
	return err;
}

/* A block is given to somebody who cannot know it, and its neighbour is whole. */
static int ct_stray(void *obj, void *neighbour, size_t size,
		    void (*stray)(void *obj))
{
	if (!obj || !neighbour)
		return -ENOMEM;
	memset(neighbour, CT_FILL, size);
	stray(obj);
	if (page_ref_count(virt_to_page(obj)) < 1)
		return -ENOENT;
	if (ct_stays(virt_to_page(obj)) == -EEXIST)
		return -EEXIST;
	return memchr_inv(neighbour, CT_FILL, size) ? -EIO : 0;
}

/* Then the block is freed as it should be, so that its page can leave. */
static int ct_stray_cache(void (*stray)(void *obj))
{
	void *obj = curpage_cache_alloc(ct_other, GFP_KERNEL);
	void *neighbour = curpage_cache_alloc(ct_other, GFP_KERNEL);
	int err = ct_stray(obj, neighbour, CT_OBJ_SIZE, stray);

	curpage_cache_free(ct_other, obj);
	curpage_cache_free(ct_other, neighbour);
	curpage_cache_shrink(ct_other);
	return err;
}

static int ct_stray_fit(void (*stray)(void *obj))
{
	void *obj = curpage_alloc(1500, GFP_KERNEL);
	void *neighbour = curpage_alloc(1500, GFP_KERNEL);
	int err = ct_stray(obj, neighbour, 1500, stray);

	curpage_free(obj);
	curpage_free(neighbour);
	return err;
}

static void ct_put(void *obj)
{
	put_page(virt_to_page(obj));
}

static void ct_kfree(void *obj)
{
	kfree(obj);
}

static void ct_kvfree(void *obj)
{
	kvfree(obj);
}

struct ct_rcu {
	struct rcu_head rcu;
};

static void ct_kfree_rcu(void *obj)
{
	int refs = page_ref_count(virt_to_page(obj));
	struct ct_rcu *block = obj;
	unsigned int i;

	kfree_rcu(block, rcu);
	/* The kernel has the block on a list for some seconds. */
	for (i = 0; i < 200 && page_ref_count(virt_to_page(obj)) == refs; i++)
		msleep(100);
}

static int ct_put_cache(void)
{
	return ct_stray_cache(ct_put);
}

static int ct_put_fit(void)
{
	return ct_stray_fit(ct_put);
}

static int ct_kfree_cache(void)
{
	return ct_stray_cache(ct_kfree);
}

static int ct_kvfree_fit(void)
{
	return ct_stray_fit(ct_kvfree);
}

static int ct_kfree_rcu_cache(void)
{
	return ct_stray_cache(ct_kfree_rcu);
}

#define CT_NOW		(GFP_NOWAIT | __GFP_NOWARN)
#define CT_RESERVES	(CT_NOW | __GFP_MEMALLOC)
#define CT_HOARD_ORDER	9

/* All memory that ordinary requests get at once; a chain by way of the pages. */
struct ct_hoard {
	struct ct_hoard *before;
	unsigned int order;
};

static struct ct_hoard *ct_hoarded;

/* Again before each request, as the kernel frees memory all the time now. */
static void ct_hoard(void)
{
	unsigned int order = CT_HOARD_ORDER;
	struct ct_hoard *block;

	for (;;) {
		block = (void *)__get_free_pages(CT_NOW, order);
		if (!block && !order--)
			return;
		if (!block)
			continue;
		block->before = ct_hoarded;
		block->order = order;
		ct_hoarded = block;
	}
}

static void ct_hoard_end(void)
{
	while (ct_hoarded) {
		struct ct_hoard *block = ct_hoarded;

		ct_hoarded = block->before;
		free_pages((unsigned long)block, block->order);
	}
}

static struct page *ct_scarce_pages(gfp_t gfp, unsigned int order)
{
	ct_hoard();
	return curpage_alloc_pages(gfp, order);
}

static void *ct_scarce_cache(struct curpage_cache *cache, gfp_t gfp)
{
	ct_hoard();
	return curpage_cache_alloc(cache, gfp);
}

static void *ct_scarce_size(size_t size, gfp_t gfp)
{
	ct_hoard();
	return curpage_alloc(size, gfp);
}

static bool ct_reserve(void *obj)
{
	return obj && page_is_pfmemalloc(virt_to_page(obj));
}

static void ct_reserve_facts(struct curpage_cache *cache)
{
	struct page *page = alloc_pages(CT_RESERVES, 0);
	struct page *pages = ct_scarce_pages(CT_RESERVES, 1);
	void *first = ct_scarce_cache(cache, CT_RESERVES);
	void *second = ct_scarce_cache(cache, CT_RESERVES);
	void *size = ct_scarce_size(1500, CT_RESERVES);
	void *other = ct_scarce_cache(cache, CT_NOW);
	struct page *more = ct_scarce_pages(CT_NOW, 0);

	ct_fact("system %d block %d cache %d %d size %d\n",
		page && page_is_pfmemalloc(page),
		pages && page_is_pfmemalloc(pages), ct_reserve(first),
		ct_reserve(second), ct_reserve(size));
	/* They may be had from elsewhere, as others free memory. */
	ct_fact("others %d %d %d\n", other && ct_reserve(other),
		more && page_is_pfmemalloc(more),
		other && virt_to_page(other) == virt_to_page(first));
	if (page)
		__free_page(page);
	curpage_free_pages(pages, 1);
	curpage_cache_free(cache, first);
	curpage_free(second);
	curpage_free(size);
	curpage_cache_free(cache, other);
	curpage_free_pages(more, 0);
}

/* Memory is short, and a request may take the system's reserves. */
static int ct_reserves(void)
{
	struct curpage_cache *cache;

	cache = curpage_cache_create("ct-reserve", CT_LARGE, NULL);
	if (!cache)
		return -ENOMEM;
	curpage_cache_shrink(cache);
	ct_hoard();
	ct_reserve_facts(cache);
	ct_hoard_end();
	return curpage_cache_destroy(cache);
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
	{ "ref-pages",		.once = ct_ref_pages,	.local = true },
	{ "ref-cache",		.once = ct_ref_cache,	.local = true },
	{ "put-cache",		.once = ct_put_cache,	.local = true },
	{ "put-fit",		.once = ct_put_fit,	.local = true },
	{ "reserves",		.once = ct_reserves,	.local = true },
	{ "kfree-cache",	.once = ct_kfree_cache,	.local = true },
	{ "kvfree-fit",		.once = ct_kvfree_fit,	.local = true },
	{ "kfree-rcu-cache",	.once = ct_kfree_rcu_cache, .local = true },
	{ }
};
