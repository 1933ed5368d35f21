/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between the kernels that are tortured, beside those of mm/compat.h. */
#ifndef CPT_COMPAT_H
#define CPT_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

/* The function is given with the rest since 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#endif /* CPT_COMPAT_H */
