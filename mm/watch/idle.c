// SPDX-License-Identifier: GPL-2.0
/*
 * Give back what is idle.  Every idle_ms milliseconds a work item looks at all
 * heaps, stocks, first fit and the arena.  What was not used since the last
 * look gives back its empty pages.  Pages of a heap go by way of the arena, so
 * an idle page is held for at most three such intervals, plus the time that the
 * CPU with the deferrable timer sleeps.  An isolated CPU is not interrupted for
 * this, and keeps its pages.
 */
#include "base/kernel.h"

#include <linux/workqueue.h>

#include "cache/borrow.h"
#include "large/large.h"
#include "watch/watch.h"

unsigned long cp_idle_pages;	/* given back so far; cp_caches_lock */

static unsigned long cp_idle_jiffies;
static unsigned long cp_idle_arena_seen;

/* Is the heap unused since the last look, and may it have empty pages? */
static bool cp_idle_heap(struct cp_heap *h)
{
	unsigned long active = cp_peek(h->stat[CP_ALLOC]) +
			       cp_heap_freed_own(h) +
			       cp_peek(h->stat[CP_COLLECTED]);
	bool idle = active == h->seen && cp_heap_gains(h);

	h->seen = active;
	return idle;
}

static void cp_idle_look_at_arena(void)
{
	struct cp_arena_sum sum;
	unsigned long active;

	cp_arena_get_sum(&cp_arena, &sum, NULL);
	active = sum.stat[CP_TAKE] + sum.stat[CP_GIVE];
	cp_idle_pages += cp_arena_age(&cp_arena, active == cp_idle_arena_seen);
	cp_idle_arena_seen = active;
}

void cp_idle_look(void)
{
	struct cp_round r = {
		.cpus = CP_HOUSEKEEPING, .next = CP_SIDE,
		.heap = cp_idle_heap, .stock = cp_stock_idle,
		.some = cp_drain_some,
	};

	mutex_lock(&cp_caches_lock);
	cp_idle_pages += cp_round_run(&r) + cp_fit_drain_idle();
	cp_idle_look_at_arena();
	mutex_unlock(&cp_caches_lock);
}

static void cp_idle_run(struct work_struct *work)
{
	cp_idle_look();
	queue_delayed_work(system_power_efficient_wq, to_delayed_work(work),
			   cp_idle_jiffies);
}

static DECLARE_DEFERRABLE_WORK(cp_idle_work, cp_idle_run);

/* Start to look every @ms milliseconds; never for 0. */
void cp_idle_init(unsigned int ms)
{
	cp_idle_jiffies = msecs_to_jiffies(ms);
	if (ms)
		queue_delayed_work(system_power_efficient_wq, &cp_idle_work,
				   cp_idle_jiffies);
}

void cp_idle_exit(void)
{
	cancel_delayed_work_sync(&cp_idle_work);
}
