/* SPDX-License-Identifier: GPL-2.0 */
/* Hide the differences between kernels that mm/base/compat.h does not. */
#ifndef CPT_COMPAT_H
#define CPT_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

/* Since 6.13 hrtimer_setup() sets the function as well. */
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
