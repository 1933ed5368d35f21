// SPDX-License-Identifier: GPL-2.0
/*
 * All CPUs at the same few pages, at the same time: blocks that one CPU has
 * allocated are freed by the others, each taking the next one, so neighbours
 * on a page are pushed together; and meanwhile their owner allocates from the
 * same cache until it has to take in what was pushed.  In interrupts, where
 * nothing else comes between.
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
	struct cpt_ctx ctx;	/* of the owner, for as long as it is one */
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

/* More than there are free ones on a page, so that it runs dry. */
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

	lockdep_hardirq_threaded();	/* which it would be with PREEMPT_RT */
	if (raw_smp_processor_id() != d->home) {
		cpt_duel_push(d);
		return;
	}
	/* The others may be late, and one that is alone has to do it all. */
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
	 * With many on a page they meet on its stack, with few in the inbox
	 * of the heap.  Not the first cache, which may be busted.
	 */
	d->c = &cpt_caches[1 + cpt_random(ctx, cpt_nr_caches - 1)];
	cpt_ctx_init(&d->ctx, CPT_THREAD);
	cpt_duel_fill(d);
	cpt_each_cpu(cpt_duel_fight, d);
	cpt_duel_push(d);
	kvfree(d);
	cpt_count(CPT_DUEL);
}
