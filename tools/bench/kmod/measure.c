// SPDX-License-Identifier: GPL-2.0
/* One case: round by round, curpage and its peer by turns. */
#define pr_fmt(fmt) "curpage_bench: " fmt

#include <linux/curpage.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#ifdef CONFIG_UML
#include <linux/ktime.h>
#else
#include <linux/timex.h>
#endif

#include "bench.h"

/*
 * Nanoseconds on user-mode Linux, which has no other clock; else the cycle
 * counter, which QEMU's -icount shift=0 moves on by one with each instruction.
 */
static __always_inline u64 cb_clock(void)
{
#ifdef CONFIG_UML
	return ktime_get_ns();
#else
	return get_cycles();
#endif
}

int cb_time(cb_loop loop, struct cb_work *w, unsigned int turns, u64 *ticks)
{
	unsigned long flags;
	unsigned int left;
	u64 start;

	local_irq_save(flags);
	start = cb_clock();
	left = loop(w, turns);
	*ticks = cb_clock() - start;
	local_irq_restore(flags);
	return left ? -ENOMEM : 0;
}

/* A line of the log, which is all that the tools read; its end is marked. */
void cb_show(const char *name, unsigned int round, u64 blocks,
	     const u64 ticks[CB_NR_SIDES])
{
	pr_info("%s round %u blocks %llu curpage %llu peer %llu empty %llu.\n",
		name, round, blocks, ticks[CB_CURPAGE], ticks[CB_PEER],
		ticks[CB_EMPTY]);
}

int cb_work_init(struct cb_work *w, const struct cb_case *c)
{
	unsigned int i;

	*w = (struct cb_work) { .n = c->n };
	if (!c->size)
		return 0;
	w->objs = kvcalloc(w->n, sizeof(*w->objs), GFP_KERNEL);
	w->order = kvcalloc(w->n, sizeof(*w->order), GFP_KERNEL);
	w->curpage = curpage_cache_create("curpage_bench", c->size, NULL);
	w->slub = kmem_cache_create("curpage_bench", c->size, 0, CB_SLAB_FLAGS,
				    NULL);
	if (!w->objs || !w->order || !w->curpage || !w->slub) {
		cb_work_exit(w);
		return -ENOMEM;
	}
	for (i = 0; i < w->n; i++)
		w->order[i] = i;
	return 0;
}

void cb_work_exit(struct cb_work *w)
{
	kmem_cache_destroy(w->slub);
	if (w->curpage)
		curpage_cache_destroy(w->curpage);
	kvfree(w->order);
	kvfree(w->objs);
}

void cb_shuffle(struct cb_work *w)
{
	unsigned int i;

	for (i = w->n; i > 1; i--) {
		unsigned int other = get_random_u32() % i;

		swap(w->order[i - 1], w->order[other]);
	}
}

/* Once to warm up, then for the figure. */
static int cb_measure_side(const struct cb_case *c, struct cb_work *w,
			   enum cb_side side, u64 *ticks)
{
	unsigned int turns = c->turns * cb_scale;
	u64 warm;

	return cb_time(c->loop[side], w, min(turns, c->turns), &warm) ?:
	       cb_time(c->loop[side], w, turns, ticks);
}

static int cb_measure_round(const struct cb_case *c, struct cb_work *w,
			    unsigned int round)
{
	bool peer_first = round % 2;
	u64 ticks[CB_NR_SIDES];
	int err;

	if (c->size)
		cb_shuffle(w);
	err = cb_measure_side(c, w, peer_first, &ticks[peer_first]) ?:
	      cb_measure_side(c, w, !peer_first, &ticks[!peer_first]) ?:
	      cb_measure_side(c, w, CB_EMPTY, &ticks[CB_EMPTY]);
	if (!err)
		cb_show(c->name, round, (u64)c->turns * cb_scale *
			(c->size ? c->n : 1), ticks);
	return err;
}

int cb_measure(const struct cb_case *c)
{
	struct cb_work w;
	unsigned int round;
	int err;

	err = cb_work_init(&w, c);
	if (err)
		return err;
	for (round = 0; round < cb_rounds && !err; round++) {
		err = cb_measure_round(c, &w, round);
		cond_resched();
	}
	cb_work_exit(&w);
	return err;
}
