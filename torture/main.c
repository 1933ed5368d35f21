// SPDX-License-Identifier: GPL-2.0
/*
 * Torture curpage on all CPUs at once, in the manner of the kernel's own
 * torture tests.  One thread starts all parts of the test, waits, stops them,
 * and prints the result in one line.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "torture.h"

/* Written under the lock of the parameters, or by module exit. */
static struct task_struct *cpt_task;
static bool cpt_running;
static bool cpt_loaded;
static bool cpt_run_at_init;

static unsigned int cpt_seed;
static atomic_t cpt_nr_ctx;

bool cpt_active(void)
{
	return READ_ONCE(cpt_running);
}

/*
 * Initialize a context.  Each context draws random numbers of its own, the same
 * in every run with the same seed.
 */
void cpt_ctx_init(struct cpt_ctx *ctx, enum cpt_where where)
{
	prandom_seed_state(&ctx->rnd, (u64)cpt_seed << 32 |
			   atomic_inc_return(&cpt_nr_ctx));
	ctx->where = where;
	ctx->gfp = where == CPT_THREAD ? GFP_KERNEL : GFP_ATOMIC;
	/* The test must not call the OOM killer. */
	if (cpt_params.pressure_mb)
		ctx->gfp |= __GFP_NORETRY | __GFP_NOWARN;
}

/* Start a thread that may end by itself before it is stopped. */
struct task_struct *cpt_thread(int (*fn)(void *data), const char *name,
			       unsigned int nr)
{
	struct task_struct *task = kthread_create(fn, NULL, "torture-%s/%u",
						  name, nr);

	if (!IS_ERR(task)) {
		get_task_struct(task);
		wake_up_process(task);
	}
	return task;
}

void cpt_thread_stop(struct task_struct *task)
{
	kthread_stop(task);
	put_task_struct(task);
}

/*
 * Sleep for @ms milliseconds.
 *
 * Return: true if the test goes on after that.
 */
bool cpt_thread_goes_on(unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);

	while (!kthread_should_stop() && !cpt_failed()) {
		if (time_after_eq(jiffies, end))
			return true;
		schedule_timeout_interruptible(min(end - jiffies,
						   msecs_to_jiffies(100)));
	}
	return false;
}

/*
 * Is it time to rest?  All workers and timers rest for a sixth of the time, so
 * that curpage sees idle heaps.
 */
bool cpt_resting(void)
{
	unsigned int ms = cpt_params.stutter_ms;

	return ms && jiffies_to_msecs(jiffies) / ms % 6 == 5;
}

static void cpt_check(void)
{
	int broken;

	down_write(&cpt_damage);
	broken = curpage_check();
	up_write(&cpt_damage);
	cpt_count(CPT_CHECK);
	if (broken)
		cpt_err("curpage_check() found %d broken", broken);
}

static void cpt_wait(void)
{
	unsigned long end = jiffies + cpt_params.seconds * HZ;
	unsigned int ms = cpt_params.check_ms;

	while (time_before(jiffies, end)) {
		unsigned int left = jiffies_to_msecs(end - jiffies);

		if (!cpt_thread_goes_on(ms ? min(ms, left) : left))
			return;
		if (ms)
			cpt_check();
	}
}

static const struct {
	const char *name;
	int (*start)(void);
	void (*stop)(void);
} cpt_parts[] = {
	{ "threads",	cpt_work_start,		cpt_work_stop },
	{ "timers",	cpt_irq_start,		cpt_irq_stop },
	{ "pressure",	cpt_pressure_start,	cpt_pressure_stop },
	{ "onoff",	cpt_onoff_start,	cpt_onoff_stop },
};

static void cpt_run_parts(void)
{
	int i, err = 0;

	for (i = 0; i < (int)ARRAY_SIZE(cpt_parts); i++) {
		err = cpt_parts[i].start();
		if (err) {
			cpt_err("%s: could not be started, error %d",
				cpt_parts[i].name, err);
			break;
		}
	}
	if (!err)
		cpt_wait();
	while (i--)
		cpt_parts[i].stop();
}

/*
 * Run all parts of the test, with the caches, the slots and the allocator under
 * test that they need.
 */
static void cpt_test(void)
{
	struct cpt_ctx ctx;

	cpt_ctx_init(&ctx, CPT_THREAD);
	if (cpt_caches_init()) {
		cpt_err("the caches could not be created");
		return;
	}
	if (cpt_slots_init()) {
		cpt_err("no memory for slots");
	} else if (cpt_ops->init && cpt_ops->init()) {
		cpt_err("no memory for %s", cpt_ops->name);
		cpt_slots_exit(&ctx);
	} else {
		cpt_run_parts();
		cpt_slots_exit(&ctx);
		if (cpt_ops->exit)
			cpt_ops->exit();
	}
	cpt_check();
	cpt_caches_exit();
}

static int cpt_main(void *unused)
{
	cpt_seed = cpt_params.seed ?: get_random_u32();
	atomic_set(&cpt_nr_ctx, 0);
	cpt_stats_start();
	pr_info("start of test: variant %s seed %u seconds %u threads %u irq_us %u onoff_ms %u\n",
		cpt_ops->name, cpt_seed, cpt_params.seconds,
		cpt_params.threads, cpt_params.irq_us, cpt_params.onoff_ms);
	cpt_misuse_start();
	cpt_test();
	cpt_misuse_end();
	cpt_stats_end(cpt_seed);
	WRITE_ONCE(cpt_running, false);
	return 0;
}

/*
 * Start a test.  Before cpt_init(), on a kernel's command line, only remember
 * to start it.
 */
int cpt_start(void)
{
	struct task_struct *task;

	if (cpt_active())
		return -EBUSY;
	if (!cpt_loaded) {
		cpt_run_at_init = true;
		return 0;
	}
	cpt_stop();
	WRITE_ONCE(cpt_running, true);
	task = cpt_thread(cpt_main, "main", 0);
	if (IS_ERR(task)) {
		WRITE_ONCE(cpt_running, false);
		return PTR_ERR(task);
	}
	cpt_task = task;
	return 0;
}

void cpt_stop(void)
{
	if (cpt_task)
		cpt_thread_stop(cpt_task);
	cpt_task = NULL;
	cpt_run_at_init = false;
	WRITE_ONCE(cpt_running, false);
}

static int __init cpt_init(void)
{
	cpt_loaded = true;
	return cpt_run_at_init ? cpt_start() : 0;
}

static void __exit cpt_exit(void)
{
	cpt_stop();
}

/* After curpage's initcall, if both are built in. */
late_initcall(cpt_init);
module_exit(cpt_exit);

MODULE_DESCRIPTION("torture test for curpage");
MODULE_LICENSE("GPL");
