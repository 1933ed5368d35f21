// SPDX-License-Identifier: GPL-2.0
/*
 * Call a function here, on another CPU by this thread, in an interrupt of
 * another CPU, or in an interrupt or softirq of a timer.  The function has
 * returned when cpt_elsewhere_call() returns.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

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

struct cpt_on_cpu {
	struct work_struct work;
	void (*fn)(void *data);
	void *data;
};

static void cpt_on_cpu_run(struct work_struct *work)
{
	struct cpt_on_cpu *on = container_of(work, struct cpt_on_cpu, work);

	on->fn(on->data);
}

static void cpt_each_cpu_threaded(struct cpt_on_cpu __percpu *all,
				  void (*fn)(void *data), void *data)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct cpt_on_cpu *on = per_cpu_ptr(all, cpu);

		INIT_WORK(&on->work, cpt_on_cpu_run);
		on->fn = fn;
		on->data = data;
		queue_work_on(cpu, system_highpri_wq, &on->work);
	}
	for_each_online_cpu(cpu)
		flush_work(&per_cpu_ptr(all, cpu)->work);
	cpus_read_unlock();
}

/*
 * Call a function on all online CPUs at once, and wait for it.  It runs in
 * interrupts; with PREEMPT_RT, in threads.
 */
void cpt_each_cpu(void (*fn)(void *data), void *data)
{
	struct cpt_on_cpu __percpu *all;

	if (CPT_HARDIRQS) {
		on_each_cpu(fn, data, 1);
		return;
	}
	all = alloc_percpu(struct cpt_on_cpu);
	if (all)
		cpt_each_cpu_threaded(all, fn, data);
	free_percpu(all);
}

/* With PREEMPT_RT a thread would do this, as the system's locks sleep there. */
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
 * Call the function in a timer.  Until the timer has fired, free blocks of the
 * same cache, so that the interrupt lands in the middle of a free.  Nothing is
 * allocated, so free blocks stay free.  The first block of the table stays
 * live.
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
	if (what == 0 && CPT_HARDIRQS) {
		cpt_elsewhere_timer(e, ctx, own, true);
	} else if (what <= 1) {
		cpt_elsewhere_timer(e, ctx, own, false);
	} else if (what == 2) {
		cpt_work_migrate(ctx);
		fn(data);
	} else if (what > 5 || !CPT_HARDIRQS ||
		   smp_call_function_single(cpt_random(ctx, nr_cpu_ids),
					    cpt_elsewhere_interrupt, e, true)) {
		fn(data);
	}
}
