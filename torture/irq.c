// SPDX-License-Identifier: GPL-2.0
/*
 * Timers on each CPU: one fires in hard interrupts and one in softirqs, at
 * random times.  Each allocates and frees a few blocks.  Timers start and stop
 * with their CPU.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "compat.h"
#include "torture.h"

#define CPT_IRQ_STEPS	6
#define CPT_IRQ_SHARE	4	/* a timer takes a fifth of the time at most */

struct cpt_timer {
	struct hrtimer timer;
	struct cpt_ctx ctx;
};

struct cpt_timers {
	struct cpt_timer hard;
	struct cpt_timer soft;
};

static DEFINE_PER_CPU(struct cpt_timers, cpt_timers);
static int cpt_irq_state;

static s64 cpt_irq_ns(struct cpt_ctx *ctx)
{
	unsigned int us = cpt_params.irq_us;

	return NSEC_PER_USEC * (1 + us / 2 + cpt_random(ctx, us));
}

static void cpt_irq_work(struct cpt_ctx *ctx)
{
	unsigned int steps = 1 + cpt_random(ctx, CPT_IRQ_STEPS);

	if (cpt_resting())
		return;
	if (cpt_params.mix_bulk && !cpt_random(ctx, 8))
		cpt_work_bulk(ctx);
	while (steps--)
		cpt_work_swap(ctx);
}

static enum hrtimer_restart cpt_irq_fire(struct hrtimer *timer)
{
	struct cpt_timer *t = container_of(timer, struct cpt_timer, timer);
	ktime_t start = ktime_get();
	s64 spent;

	if (cpt_failed())
		return HRTIMER_NORESTART;
	/* With PREEMPT_RT a thread would do this. */
	lockdep_hardirq_threaded();
	cpt_irq_work(&t->ctx);
	/* Leave time to threads where debugging makes everything slow. */
	spent = ktime_to_ns(ktime_sub(ktime_get(), start));
	hrtimer_forward_now(timer, ns_to_ktime(max(cpt_irq_ns(&t->ctx),
						   CPT_IRQ_SHARE * spent)));
	return HRTIMER_RESTART;
}

static void cpt_irq_arm(struct cpt_timer *t, enum cpt_where where,
			enum hrtimer_mode mode)
{
	cpt_ctx_init(&t->ctx, where);
	hrtimer_setup(&t->timer, cpt_irq_fire, CLOCK_MONOTONIC, mode);
	hrtimer_start(&t->timer, ns_to_ktime(cpt_irq_ns(&t->ctx)), mode);
}

/* Start the timers of a CPU.  Called on that CPU, as cpt_irq_offline() is. */
static int cpt_irq_online(unsigned int cpu)
{
	struct cpt_timers *t = per_cpu_ptr(&cpt_timers, cpu);

	if (CPT_HARDIRQS)
		cpt_irq_arm(&t->hard, CPT_IN_HARDIRQ,
			    HRTIMER_MODE_REL_PINNED_HARD);
	cpt_irq_arm(&t->soft, CPT_IN_SOFTIRQ, HRTIMER_MODE_REL_PINNED_SOFT);
	return 0;
}

static int cpt_irq_offline(unsigned int cpu)
{
	struct cpt_timers *t = per_cpu_ptr(&cpt_timers, cpu);

	if (CPT_HARDIRQS)
		hrtimer_cancel(&t->hard.timer);
	hrtimer_cancel(&t->soft.timer);
	return 0;
}

int cpt_irq_start(void)
{
	int err;

	if (!cpt_params.irq_us)
		return 0;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "curpage/torture:online",
				cpt_irq_online, cpt_irq_offline);
	if (err < 0)
		return err;
	cpt_irq_state = err;
	return 0;
}

void cpt_irq_stop(void)
{
	if (cpt_irq_state)
		cpuhp_remove_state(cpt_irq_state);
	cpt_irq_state = 0;
}
