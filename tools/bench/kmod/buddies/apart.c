// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that live long, and page blocks that come and go between them.  When
 * all blocks are gone: what large blocks can be had, and how many chunks of the
 * system have pages of objects in them?
 */
#define pr_fmt(fmt) "curpage_buddies: " fmt

#include <linux/curpage.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../bench.h"
#include "buddies.h"

#define APART_SEED	1
#define APART_SIZE	256	/* of an object */
#define APART_SHARE	6	/* the objects take a part of this of the pages */
#define APART_SLOTS	64	/* blocks that are live */
#define APART_LOW	2	/* orders of the blocks */
#define APART_HIGH	6
#define APART_CHUNKS	512

static struct curpage_cache *apart_curpage;
static struct kmem_cache *apart_slub;
static void **apart_objects;
static unsigned int apart_nr;
static unsigned int apart_pinned;

static unsigned int apart_wanted(const struct bb_run *run)
{
	return run->pages / APART_SHARE * (PAGE_SIZE / APART_SIZE);
}

static void *apart_object(const struct bb_run *run)
{
	if (run->side->bounded)
		return curpage_cache_alloc(apart_curpage, BB_GFP);
	return kmem_cache_alloc(apart_slub, BB_GFP);
}

static void apart_object_free(const struct bb_run *run, void *object)
{
	if (run->side->bounded)
		curpage_cache_free(apart_curpage, object);
	else
		kmem_cache_free(apart_slub, object);
}

static int apart_prepare(struct bb_run *run)
{
	run->block = kvcalloc(max_t(unsigned int, APART_SLOTS, run->pages),
			      sizeof(*run->block), GFP_KERNEL);
	apart_objects = kvcalloc(apart_wanted(run), sizeof(*apart_objects),
				 GFP_KERNEL);
	apart_curpage = curpage_cache_create("curpage_buddies", APART_SIZE,
					     NULL);
	apart_slub = kmem_cache_create("curpage_buddies", APART_SIZE, 0,
				       CB_SLAB_FLAGS, NULL);
	return run->block && apart_objects && apart_curpage && apart_slub ?
	       0 : -ENOMEM;
}

/* A chunk and its neighbours are told apart by the address. */
static unsigned int apart_chunks(void)
{
	static unsigned long seen[APART_CHUNKS];
	unsigned int i, j, nr = 0;

	for (i = 0; i < apart_nr; i++) {
		unsigned long chunk = page_to_pfn(virt_to_page(apart_objects[i]))
				      >> BB_CHUNK_ORDER;

		for (j = 0; j < nr && seen[j] != chunk; j++)
			;
		if (j == nr && nr < APART_CHUNKS)
			seen[nr++] = chunk;
	}
	return nr;
}

static int apart_work(struct bb_run *run)
{
	unsigned int i, n = apart_wanted(run);
	struct rnd_state random;

	prandom_seed_state(&random, APART_SEED);
	run->nr = APART_SLOTS;
	bb_begin(run, "churn");
	for (i = 0; i < n; i++) {
		u32 pick = prandom_u32_state(&random);
		struct bb_block *block = &run->block[pick % APART_SLOTS];

		apart_objects[apart_nr] = apart_object(run);
		apart_nr += !!apart_objects[apart_nr];
		if (block->page)
			bb_free(run, block);
		block->order = APART_LOW + (pick >> 16) %
			       (APART_HIGH - APART_LOW + 1);
		block->page = bb_alloc(run, block->order);
	}
	bb_drop(run);
	bb_begin(run, "large");
	for (i = 0; i < run->pages >> BB_LARGE_ORDER; i++) {
		struct page *page = bb_alloc(run, BB_LARGE_ORDER);

		if (page)
			run->block[run->nr++] = (struct bb_block){
				page, BB_LARGE_ORDER };
	}
	bb_drop(run);
	apart_pinned = apart_chunks();
	return 0;
}

static void apart_finish(struct bb_run *run)
{
	pr_info("apart objects %u of %u chunks %u.\n", apart_nr,
		apart_wanted(run), apart_pinned);
	while (apart_nr)
		apart_object_free(run, apart_objects[--apart_nr]);
	if (apart_curpage)
		curpage_cache_destroy(apart_curpage);
	kmem_cache_destroy(apart_slub);
	kvfree(apart_objects);
}

const struct bb_load bb_apart = {
	.name = "apart",
	.prepare = apart_prepare,
	.work = apart_work,
	.finish = apart_finish,
};
