// SPDX-License-Identifier: GPL-2.0
/*
 * Memory pressure.  A thread takes pages from the system, up to pressure_mb MiB
 * or until little is left, and gives them back.  The rest is for allocations
 * that cannot fail; kswapd starts when threads take it.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "torture.h"

#define CPT_PRESSURE_MS	100
#define CPT_PRESSURE_REST	(SZ_8M / PAGE_SIZE)

static struct task_struct *cpt_pressure_task;

static void cpt_pressure_take(struct list_head *pages)
{
	unsigned long nr = (unsigned long)cpt_params.pressure_mb *
			   (SZ_1M / PAGE_SIZE);
	struct page *page;

	while (nr-- && !cpt_failed() &&
	       si_mem_available() > (long)CPT_PRESSURE_REST) {
		page = alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
		if (!page)
			return;
		list_add(&page->lru, pages);
		cond_resched();
	}
}

static int cpt_pressure(void *unused)
{
	struct page *page, *next;
	bool more = true;

	while (more) {
		LIST_HEAD(pages);

		cpt_pressure_take(&pages);
		more = cpt_thread_goes_on(CPT_PRESSURE_MS);
		list_for_each_entry_safe(page, next, &pages, lru)
			__free_page(page);
	}
	return 0;
}

int cpt_pressure_start(void)
{
	struct task_struct *task;

	if (!cpt_params.pressure_mb)
		return 0;
	task = cpt_thread(cpt_pressure, "pressure", 0);
	if (IS_ERR(task))
		return PTR_ERR(task);
	cpt_pressure_task = task;
	return 0;
}

void cpt_pressure_stop(void)
{
	if (cpt_pressure_task)
		cpt_thread_stop(cpt_pressure_task);
	cpt_pressure_task = NULL;
}
