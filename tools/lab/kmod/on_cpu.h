/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REPLAY_ON_CPU_H
#define REPLAY_ON_CPU_H

#include <linux/cpu.h>
#include <linux/workqueue.h>

/*
 * As work_on_cpu_safe(), which 7.x does not have: fail if the CPU is offline.
 */
static inline long replay_work_on_cpu(int cpu, long (*fn)(void *arg), void *arg)
{
	long ret = -ENODEV;

	cpus_read_lock();
	if (cpu_online(cpu))
		ret = work_on_cpu(cpu, fn, arg);
	cpus_read_unlock();
	return ret;
}

#endif /* REPLAY_ON_CPU_H */
