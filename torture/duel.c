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

#define CPT_DUEL_BLOCKS	192
#define CPT_DUEL_HELD	48

struct cpt_duel {
	struct cpt_cache *c;
	struct cpt_ctx ctx;	/* of the owner, during the duel */
	unsigned int home;
	unsigned int nr;
	atomic_t next;
	struct cpt_block block[CPT_DUEL_BLOCKS];
	struct cpt_block held[CPT_DUEL_HELD];
};

static bool cpt_duel_over(struct cpt_duel *d)
{
	return atomic_read(&d->next) >= d->nr;
}

static void cpt_duel_push(struct cpt_duel *d)
{
	unsigned int at;

	while ((at = atomic_fetch_inc(&d->next)) < d->nr)
		if (cpt_block_done(&d->block[at]))
			curpage_cache_free(d->c->cache, d->block[at].obj);
}

/* Allocate more blocks than a page has free ones, so that the heap runs dry. */
static void cpt_duel_collect(struct cpt_duel *d)
{
	unsigned int i, nr = 0;

	while (nr < CPT_DUEL_HELD && !cpt_duel_over(d)) {
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

static void cpt_duel_fight(void *data)
{
	struct cpt_duel *d = data;

	lockdep_hardirq_threaded();	/* this is threaded with PREEMPT_RT */
	if (raw_smp_processor_id() != d->home) {
		cpt_duel_push(d);
		return;
	}
	/*
	 * Twice, as other CPUs may be late.  If there is no other CPU,
	 * cpt_duel() frees the blocks.
	 */
	cpt_duel_collect(d);
	cpt_duel_collect(d);
}

static void cpt_duel_fill(struct cpt_duel *d)
{
	d->home = raw_smp_processor_id();
	while (d->nr < CPT_DUEL_BLOCKS) {
		struct cpt_block *b = &d->block[d->nr];

		cpt_block_of_cache(b, d->c);
		b->obj = curpage_cache_alloc(d->c->cache, d->ctx.gfp);
		if (!b->obj)
			break;
		cpt_block_got(&d->ctx, b, 0);
		d->nr++;
	}
}

void cpt_duel(struct cpt_ctx *ctx)
{
	struct cpt_duel *d = kvzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return;
	/*
	 * In a cache with many blocks a page CPUs meet on the stack of a page,
	 * in one with few on the inbox of the heap.  Not the first cache, which
	 * may be the busted one.
	 */
	d->c = &cpt_caches[1 + cpt_random(ctx, cpt_nr_caches - 1)];
	cpt_ctx_init(&d->ctx, CPT_THREAD);
	cpt_duel_fill(d);
	cpt_each_cpu(cpt_duel_fight, d);
	cpt_duel_push(d);
	kvfree(d);
	cpt_count(CPT_DUEL);
}
