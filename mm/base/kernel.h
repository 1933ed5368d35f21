/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All kernel headers that the allocator uses, in one list.  The lab has a twin
 * of this file with the same guard (tools/lab/kernel.h).
 */
#ifndef CP_KERNEL_H
#define CP_KERNEL_H

#define pr_fmt(fmt) "curpage: " fmt

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/error-injection.h>
#include <linux/gfp.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/kasan.h>
#include <linux/kfence.h>
#include <linux/kmemleak.h>
#include <linux/kmsan-checks.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/ratelimit.h>
#include <linux/rbtree_augmented.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmstat.h>

/* Initializer of a per-CPU variable: the lab has to write it differently. */
#define CP_PER_CPU_VALUE(value...) value

#include "base/compat.h"

#include <trace/events/curpage.h>

#endif /* CP_KERNEL_H */
