// SPDX-License-Identifier: GPL-2.0
/*
 * Does the number of live blocks change what a pair costs?  One cache, first
 * with CB_FEW live blocks, then with as many as the parameter live says; the
 * few stand in the peer's place.
 */
#include <linux/sched.h>

#include "loops.h"

#define CB_FEW		1000
#define CB_BREATH	1024	/* blocks between two chances to reschedule */

static unsigned int flat_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_curpage_alloc, cb_curpage_free);
}

static unsigned int flat_empty(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_no_alloc, cb_no_free);
}

/* The live blocks are a chain: each holds the address of the one before. */
static int flat_grow(struct curpage_cache *cache, void ***chain,
		     unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		void **obj = curpage_cache_alloc(cache, GFP_KERNEL);

		if (!obj)
			return -ENOMEM;
		*obj = *chain;
		*chain = obj;
		if (i % CB_BREATH == 0)
			cond_resched();
	}
	return 0;
}

static void flat_drop(struct curpage_cache *cache, void **chain)
{
	unsigned int i;

	for (i = 0; chain; i++) {
		void **next = *chain;

		curpage_cache_free(cache, chain);
		chain = next;
		if (i % CB_BREATH == 0)
			cond_resched();
	}
}

static int flat_time(const struct cb_case *c, struct cb_work *w, u64 *ticks,
		     unsigned int side)
{
	unsigned int round, turns = c->turns * cb_scale;
	int err = 0;
	u64 warm;

	for (round = 0; round < cb_rounds && !err; round++) {
		u64 *of = ticks + round * CB_NR_SIDES;

		err = cb_time(flat_curpage, w, c->turns, &warm) ?:
		      cb_time(flat_curpage, w, turns, &of[side]) ?:
		      cb_time(flat_empty, w, turns, &of[CB_EMPTY]);
		cond_resched();
	}
	return err;
}

static int flat_run(const struct cb_case *c)
{
	unsigned int round;
	void **chain = NULL;
	struct cb_work w;
	u64 *ticks;
	int err;

	ticks = kvcalloc(cb_rounds, CB_NR_SIDES * sizeof(*ticks), GFP_KERNEL);
	if (!ticks)
		return -ENOMEM;
	err = cb_work_init(&w, c);
	if (err)
		goto free_ticks;
	err = flat_grow(w.curpage, &chain, CB_FEW) ?:
	      flat_time(c, &w, ticks, CB_PEER) ?:
	      flat_grow(w.curpage, &chain, cb_live - CB_FEW) ?:
	      flat_time(c, &w, ticks, CB_CURPAGE);
	for (round = 0; round < cb_rounds && !err; round++)
		cb_show(c->name, round, (u64)c->turns * cb_scale,
			ticks + round * CB_NR_SIDES);
	flat_drop(w.curpage, chain);
	cb_work_exit(&w);
free_ticks:
	kvfree(ticks);
	return err;
}

const struct cb_case cb_flat_cases[] = {
	{ .name = "flat/64", .size = 64, .n = 1, .turns = 1000,
	  .run = flat_run, .named = true },
	{ }
};
