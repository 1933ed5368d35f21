// SPDX-License-Identifier: GPL-2.0
/* Does a load when it is loaded; the figures are lines of the log. */
#define pr_fmt(fmt) "curpage_buddies: " fmt

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buddies.h"

static char *side = "curpage";
module_param(side, charp, 0444);
MODULE_PARM_DESC(side, "who serves the requests: curpage or kernel (default curpage)");

static char *load = "";
module_param(load, charp, 0444);
MODULE_PARM_DESC(load, "what is requested: events, checkerboard, checkerboard-2, lifetimes, random or apart");

static unsigned int mb = 4;
module_param(mb, uint, 0444);
MODULE_PARM_DESC(mb, "MiB that there are, 4 to 1024, a multiple of 4; the bound of curpage itself is its own parameter (default 4)");

char *bb_events_path = "/events";
module_param_named(events, bb_events_path, charp, 0444);
MODULE_PARM_DESC(events, "the file of events (default /events)");

static const struct bb_load * const bb_loads[] = {
	&bb_events, &bb_checkerboard, &bb_checkerboard2, &bb_lifetimes,
	&bb_random, &bb_apart,
};

static struct bb_run bb_run;

/* What is live goes back, uncounted. */
void bb_drop(struct bb_run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr; i++) {
		if (run->block[i].page)
			run->side->free(run->block[i].page,
					run->block[i].order);
		run->block[i].page = NULL;
	}
	run->nr = 0;
}

static void bb_show(const struct bb_load *of, const struct bb_run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr_phases; i++) {
		const struct bb_phase *phase = &run->phase[i];

		pr_info("%s %s requests %u failed %u ticks %llu worst %llu.\n",
			of->name, phase->name, phase->requests, phase->failed,
			phase->ticks, phase->worst);
	}
}

/* On the page allocator nobody else may have a turn meanwhile. */
static int bb_work(const struct bb_load *of, struct bb_run *run)
{
	unsigned int largest = 0;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	if (!run->side->bounded)
		bb_hold_all_but(run->pages);
	err = of->work(run);
	if (!run->side->bounded) {
		largest = bb_largest(run->side);
		bb_drop(run);
		bb_hold_none();
	}
	local_irq_restore(flags);
	if (!run->side->bounded)
		pr_info("%s largest %u.\n", of->name, largest);
	return err;
}

static int bb_do(const struct bb_load *of)
{
	struct bb_run *run = &bb_run;
	int err;

	bb_calibrate();
	err = of->prepare(run) ?: bb_work(of, run);
	if (!err)
		bb_show(of, run);
	if (of->finish)
		of->finish(run);
	if (err) {
		bb_drop(run);
		kvfree(run->block);
		pr_err("load %s: error %d\n", of->name, err);
	} else {
		pr_info("done\n");
	}
	return err;
}

static int __init bb_init(void)
{
	unsigned int i;

	bb_run.side = bb_side_find(side);
	if (!bb_run.side) {
		pr_err("parameter side=%s: must be curpage or kernel\n", side);
		return -EINVAL;
	}
	if (mb < 4 || mb > 1024 || mb % 4) {
		pr_err("parameter mb=%u: must be 4 to 1024, a multiple of 4\n",
		       mb);
		return -EINVAL;
	}
	bb_run.pages = mb << (20 - PAGE_SHIFT);
	for (i = 0; i < ARRAY_SIZE(bb_loads); i++)
		if (!strcmp(bb_loads[i]->name, load))
			return bb_do(bb_loads[i]);
	pr_err("parameter load=%s: must be events, checkerboard, checkerboard-2, lifetimes, random or apart\n",
	       load);
	return -EINVAL;
}

static void __exit bb_exit(void)
{
	bb_drop(&bb_run);
	kvfree(bb_run.block);
}

module_init(bb_init);
module_exit(bb_exit);

MODULE_DESCRIPTION("Loads of page blocks, through curpage and the page allocator");
MODULE_LICENSE("GPL");
