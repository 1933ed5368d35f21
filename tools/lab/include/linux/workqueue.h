/* SPDX-License-Identifier: GPL-2.0 */
/* Time does not pass in the lab: the idle work runs when a test calls it. */
#ifndef LAB_WORKQUEUE_H
#define LAB_WORKQUEUE_H

struct work_struct;

#define DECLARE_DEFERRABLE_WORK(name, fn)				\
	void (*const name)(struct work_struct *work) = (fn)
#define to_delayed_work(work)	(work)
#define queue_delayed_work(queue, work, delay) ((void)(work), (void)(delay))
#define cancel_delayed_work_sync(work) ((void)(work))
#define msecs_to_jiffies(ms)	(ms)

#endif /* LAB_WORKQUEUE_H */
