/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel headers that the replay uses.  The guard is that of
 * mm/base/kernel.h, so in user space the lab's twin takes their place.
 */
#ifndef CP_KERNEL_H
#define CP_KERNEL_H

#define pr_fmt(fmt) "curpage_replay: " fmt

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include <trace/events/curpage.h>

#endif /* CP_KERNEL_H */
