// SPDX-License-Identifier: GPL-2.0
/*
 * One CPU allocates, another frees.  They take turns: while one works, with
 * interrupts off, the other has nothing to do and halts.  The figure is what
 * both spend on a block; remote-alloc and remote-free are its two parts.
 */
#define pr_fmt(fmt) "curpage_bench: " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/workqueue.h>

#include "loops.h"

/* Until the other CPU has gone idle. */
#define CB_QUIET_MS	20

static unsigned int alloc_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_fill(w, turns, cb_curpage_alloc);
}

static unsigned int alloc_slub(struct cb_work *w, unsigned int turns)
{
	return cb_fill(w, turns, cb_slub_alloc);
}

static unsigned int alloc_empty(struct cb_work *w, unsigned int turns)
{
	return cb_fill(w, turns, cb_no_alloc);
}

static unsigned int free_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_drain(w, turns, cb_curpage_free);
}

static unsigned int free_slub(struct cb_work *w, unsigned int turns)
{
	return cb_drain(w, turns, cb_slub_free);
}

static unsigned int free_empty(struct cb_work *w, unsigned int turns)
{
	return cb_drain(w, turns, cb_no_free);
}

static const cb_loop remote_alloc[CB_NR_SIDES] = {
	alloc_curpage, alloc_slub, alloc_empty
};

static const cb_loop remote_free[CB_NR_SIDES] = {
	free_curpage, free_slub, free_empty
};

struct remote_job {
	cb_loop loop;
	struct cb_work *w;
	u64 *ticks;
};

static long remote_job(void *data)
{
	struct remote_job *job = data;

	msleep(CB_QUIET_MS);
	return cb_time(job->loop, job->w, job->w->n, job->ticks);
}

static int remote_on(unsigned int cpu, cb_loop loop, struct cb_work *w,
		     u64 *ticks)
{
	struct remote_job job = { loop, w, ticks };

	return work_on_cpu(cpu, remote_job, &job);
}

static int remote_round(const struct cb_case *c, struct cb_work *w,
			unsigned int round, bool shown)
{
	u64 alloc[CB_NR_SIDES], free[CB_NR_SIDES], sum[CB_NR_SIDES];
	unsigned int side;
	int err = 0;

	for (side = 0; side < CB_NR_SIDES && !err; side++) {
		err = remote_on(0, remote_alloc[side], w, &alloc[side]) ?:
		      remote_on(1, remote_free[side], w, &free[side]);
		sum[side] = alloc[side] + free[side];
	}
	if (err || !shown)
		return err;
	cb_show(c->name, round, w->n, sum);
	cb_show("remote-alloc/64", round, w->n, alloc);
	cb_show("remote-free/64", round, w->n, free);
	return 0;
}

static int remote_run(const struct cb_case *c)
{
	unsigned int round;
	struct cb_work w;
	int err;

	if (num_online_cpus() < 2 || !cpu_online(1)) {
		pr_err("case %s: needs the processors 0 and 1\n", c->name);
		return -ENODEV;
	}
	err = cb_work_init(&w, c);
	if (err)
		return err;
	/* Twice to warm up: the second finds what the first freed. */
	err = remote_round(c, &w, 0, false) ?: remote_round(c, &w, 0, false);
	for (round = 0; round < cb_rounds && !err; round++)
		err = remote_round(c, &w, round, true);
	cb_work_exit(&w);
	return err;
}

const struct cb_case cb_remote_cases[] = {
	{ .name = "remote/64", .size = 64, .n = 1000, .run = remote_run,
	  .named = true },
	{ }
};
