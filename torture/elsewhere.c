// SPDX-License-Identifier: GPL-2.0
/*
 * A call that is made here, by this thread on another CPU, in an interrupt that
 * another CPU sends, or in an interrupt or softirq of a timer.  It has returned
 * when cpt_elsewhere_call() does.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"
#include "torture.h"

#define CPT_ELSEWHERE_NS	20000

struct cpt_elsewhere {
	struct hrtimer hard;
	struct hrtimer soft;
	void (*fn)(void *data);
	void *data;
	bool done;
};

static void cpt_elsewhere_run(struct cpt_elsewhere *e)
{
	e->fn(e->data);
	smp_store_release(&e->done, true);	/* cpt_elsewhere_timer() */
}

/* With PREEMPT_RT a thread would do this: the system's locks sleep there. */
static void cpt_elsewhere_interrupt(void *data)
{
	const struct cpt_elsewhere *e = data;

	lockdep_hardirq_threaded();
	e->fn(e->data);
}

static enum hrtimer_restart cpt_elsewhere_hard(struct hrtimer *timer)
{
	lockdep_hardirq_threaded();
	cpt_elsewhere_run(container_of(timer, struct cpt_elsewhere, hard));
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart cpt_elsewhere_soft(struct hrtimer *timer)
{
	cpt_elsewhere_run(container_of(timer, struct cpt_elsewhere, soft));
	return HRTIMER_NORESTART;
}

struct cpt_elsewhere *cpt_elsewhere_new(void)
{
	struct cpt_elsewhere *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return NULL;
	hrtimer_setup(&e->hard, cpt_elsewhere_hard, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_setup(&e->soft, cpt_elsewhere_soft, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	return e;
}

void cpt_elsewhere_free(struct cpt_elsewhere *e)
{
	if (!e)
		return;
	hrtimer_cancel(&e->hard);
	hrtimer_cancel(&e->soft);
	kfree(e);
}

/*
 * Until the timer has fired, free blocks of the same cache, so that the
 * interrupt lands in the middle of a free.  Nothing is allocated: what is free
 * stays free.  The first block of the table stays live.
 */
static void cpt_elsewhere_timer(struct cpt_elsewhere *e, struct cpt_ctx *ctx,
				struct cpt_own *own, bool hard)
{
	ktime_t time = ns_to_ktime(1 + cpt_random(ctx, CPT_ELSEWHERE_NS));

	e->done = false;
	if (hard)
		hrtimer_start(&e->hard, time, HRTIMER_MODE_REL_PINNED_HARD);
	else
		hrtimer_start(&e->soft, time, HRTIMER_MODE_REL_PINNED_SOFT);
	while (!smp_load_acquire(&e->done)) {	/* cpt_elsewhere_run() */
		cpt_own_drop(ctx, own, 1);
		cpu_relax();
		cond_resched();
	}
}

void cpt_elsewhere_call(struct cpt_elsewhere *e, struct cpt_ctx *ctx,
			struct cpt_own *own, void (*fn)(void *data),
			void *data)
{
	unsigned int what = cpt_random(ctx, 8);

	e->fn = fn;
	e->data = data;
	if (what == 0) {
		cpt_elsewhere_timer(e, ctx, own, true);
	} else if (what == 1) {
		cpt_elsewhere_timer(e, ctx, own, false);
	} else if (what == 2) {
		cpt_work_migrate(ctx);
		fn(data);
	} else if (what > 5 ||
		   smp_call_function_single(cpt_random(ctx, nr_cpu_ids),
					    cpt_elsewhere_interrupt, e, true)) {
		fn(data);
	}
}
