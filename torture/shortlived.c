// SPDX-License-Identifier: GPL-2.0
/*
 * Short-lived caches.  A thread creates a cache, fills it on several CPUs,
 * frees its blocks itself or on all CPUs at once, in interrupts, and destroys
 * it while the last free has hardly returned.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "torture.h"

#define CPT_SHORTLIVED_BLOCKS	256

struct cpt_shortlived {
	struct cpt_cache c;
	char name[32];
	unsigned int nr;
	atomic_t next;
	struct cpt_block block[CPT_SHORTLIVED_BLOCKS];
};

static atomic_t cpt_shortlived_last;

static void cpt_shortlived_create(struct cpt_ctx *ctx, struct cpt_shortlived *br)
{
	struct cpt_cache *c = &br->c;

	snprintf(br->name, sizeof(br->name), "torture-shortlived-%d",
		 atomic_inc_return(&cpt_shortlived_last));
	c->name = br->name;
	c->size = CPT_CTOR_BYTES +
		  cpt_random(ctx, cpt_random(ctx, 2) ? 200 : 2000);
	if (!cpt_random(ctx, 2))
		c->args.ctor = cpt_ctor;
	if (!cpt_random(ctx, 2))
		c->args.align = 1 << cpt_random(ctx, 12);
	c->args.freetol = cpt_random(ctx, PAGE_SIZE);
	c->args.flags = cpt_random(ctx, CURPAGE_CACHE_FLAGS + 1);
	c->cache = curpage_cache_create(c->name, c->size, &c->args);
	if (!c->cache)
		cpt_err("cache %s: could not be created", c->name);
}

static void cpt_shortlived_fill(struct cpt_ctx *ctx, struct cpt_shortlived *br)
{
	unsigned int i, nr = 1 + cpt_random(ctx, CPT_SHORTLIVED_BLOCKS);

	for (i = 0; i < nr; i++) {
		struct cpt_block *b = &br->block[br->nr];

		if (i == nr / 2)
			cpt_work_migrate(ctx);
		cpt_block_of_cache(b, &br->c);
		if (b->align < 8)
			b->align = 8;
		b->obj = curpage_cache_alloc(br->c.cache, ctx->gfp);
		if (!b->obj)
			continue;
		cpt_block_got(ctx, b, 0);
		br->nr++;
	}
}

/* Free the next block until none is left.  Several CPUs may do so at once. */
static void cpt_shortlived_drop(void *data)
{
	struct cpt_shortlived *br = data;
	unsigned int at;

	lockdep_hardirq_threaded();	/* this is threaded with PREEMPT_RT */
	while ((at = atomic_fetch_inc(&br->next)) < br->nr)
		if (cpt_block_done(&br->block[at]))
			curpage_cache_free(br->c.cache, br->block[at].obj);
}

void cpt_shortlived(struct cpt_ctx *ctx)
{
	struct cpt_shortlived *br = kvzalloc(sizeof(*br), GFP_KERNEL);

	if (!br)
		return;
	cpt_shortlived_create(ctx, br);
	if (br->c.cache) {
		cpt_shortlived_fill(ctx, br);
		if (!cpt_random(ctx, 4))
			cpt_work_migrate(ctx);
		else if (cpt_random(ctx, 3))
			cpt_each_cpu(cpt_shortlived_drop, br);
		cpt_shortlived_drop(br);
		if (!cpt_random(ctx, 4))
			curpage_cache_shrink(br->c.cache);
		if (curpage_cache_destroy(br->c.cache))
			cpt_err("cache %s: blocks are still live", br->name);
		cpt_count(CPT_SHORTLIVED);
	}
	kvfree(br);
}
