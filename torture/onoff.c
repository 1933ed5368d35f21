// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug: CPUs go offline and come back, as with torture_onoff of the
 * kernel.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kthread.h>

#include "torture.h"

static struct task_struct *cpt_onoff_task;

static bool cpt_onoff_can(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (cpu_is_hotpluggable(cpu) && num_online_cpus() > 1)
			return true;
	return false;
}

/*
 * Take random CPUs offline and bring them back.  A CPU that the kernel needs
 * stays online, which is no error.
 */
static int cpt_onoff(void *unused)
{
	struct cpt_ctx ctx;
	unsigned int cpu;

	cpt_ctx_init(&ctx, CPT_THREAD);
	while (cpt_thread_goes_on(cpt_params.onoff_ms)) {
		cpu = cpt_random(&ctx, nr_cpu_ids);
		if (!cpu_online(cpu) || !cpu_is_hotpluggable(cpu) ||
		    num_online_cpus() == 1)
			continue;
		if (remove_cpu(cpu))
			continue;
		cpt_count(CPT_OFF);
		/*
		 * Most of the test is to run on all CPUs, so this is shorter.
		 */
		cpt_thread_goes_on(cpt_params.onoff_ms / 4);
		if (add_cpu(cpu))
			cpt_err("CPU %u: does not come back online", cpu);
		else
			cpt_count(CPT_ON);
	}
	return 0;
}

int cpt_onoff_start(void)
{
	struct task_struct *task;

	if (!cpt_params.onoff_ms)
		return 0;
	if (!cpt_onoff_can()) {
		pr_err("parameter onoff_ms=%u: must be 0 here, no CPU can go off\n",
		       cpt_params.onoff_ms);
		return -EINVAL;
	}
	task = cpt_thread(cpt_onoff, "onoff", 0);
	if (IS_ERR(task))
		return PTR_ERR(task);
	cpt_onoff_task = task;
	return 0;
}

void cpt_onoff_stop(void)
{
	if (cpt_onoff_task)
		cpt_thread_stop(cpt_onoff_task);
	cpt_onoff_task = NULL;
}
