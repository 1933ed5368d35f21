// SPDX-License-Identifier: GPL-2.0
/*
 * All CPUs on the same few pages, at the same time.  Blocks that one CPU has
 * allocated are freed by the other CPUs.  Each takes the next block, so
 * neighbours on a page are pushed together.  Meanwhile the owner allocates from
 * the same cache until it has to collect what was pushed.  All of that happens
 * in interrupts, where nothing else comes in between.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "torture.h"

#define CPT_SAME_PAGES_BLOCKS	192
#define CPT_SAME_PAGES_HELD	48

struct cpt_same_pages {
	struct cpt_cache *c;
	struct cpt_ctx ctx;	/* of the owner, during the round */
	unsigned int home;
	unsigned int nr;
	atomic_t next;
	struct cpt_block block[CPT_SAME_PAGES_BLOCKS];
	struct cpt_block held[CPT_SAME_PAGES_HELD];
};

static bool cpt_same_pages_over(struct cpt_same_pages *d)
{
	return atomic_read(&d->next) >= d->nr;
}

static void cpt_same_pages_push(struct cpt_same_pages *d)
{
	unsigned int at;

	while ((at = atomic_fetch_inc(&d->next)) < d->nr)
		if (cpt_block_done(&d->block[at]))
			curpage_cache_free(d->c->cache, d->block[at].obj);
}

/* Allocate more blocks than a page has free ones, so that the heap runs dry. */
static void cpt_same_pages_collect(struct cpt_same_pages *d)
{
	unsigned int i, nr = 0;

	while (nr < CPT_SAME_PAGES_HELD && !cpt_same_pages_over(d)) {
		struct cpt_block *b = &d->held[nr];

		cpt_block_of_cache(b, d->c);
		b->obj = curpage_cache_alloc(d->c->cache, GFP_ATOMIC);
		if (!b->obj)
			break;
		cpt_block_got(&d->ctx, b, 0);
		nr++;
	}
	for (i = 0; i < nr; i++)
		if (cpt_block_done(&d->held[i]))
			curpage_cache_free(d->c->cache, d->held[i].obj);
}

static void cpt_same_pages_run(void *data)
{
	struct cpt_same_pages *d = data;

	lockdep_hardirq_threaded();	/* this is threaded with PREEMPT_RT */
	if (raw_smp_processor_id() != d->home) {
		cpt_same_pages_push(d);
		return;
	}
	/*
	 * Twice, as other CPUs may be late.  If there is no other CPU,
	 * cpt_same_pages() frees the blocks.
	 */
	cpt_same_pages_collect(d);
	cpt_same_pages_collect(d);
}

static void cpt_same_pages_fill(struct cpt_same_pages *d)
{
	d->home = raw_smp_processor_id();
	while (d->nr < CPT_SAME_PAGES_BLOCKS) {
		struct cpt_block *b = &d->block[d->nr];

		cpt_block_of_cache(b, d->c);
		b->obj = curpage_cache_alloc(d->c->cache, d->ctx.gfp);
		if (!b->obj)
			break;
		cpt_block_got(&d->ctx, b, 0);
		d->nr++;
	}
}

void cpt_same_pages(struct cpt_ctx *ctx)
{
	struct cpt_same_pages *d = kvzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return;
	/*
	 * In a cache with many blocks a page CPUs meet on the stack of a page,
	 * in one with few on the inbox of the heap.  Not the first cache, which
	 * may be the busted one.
	 */
	d->c = &cpt_caches[1 + cpt_random(ctx, cpt_nr_caches - 1)];
	cpt_ctx_init(&d->ctx, CPT_THREAD);
	cpt_same_pages_fill(d);
	cpt_each_cpu(cpt_same_pages_run, d);
	cpt_same_pages_push(d);
	kvfree(d);
	cpt_count(CPT_SAME_PAGES);
}
