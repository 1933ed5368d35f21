// SPDX-License-Identifier: GPL-2.0
/*
 * What the clock counts: a loop of two instructions, 1000 and 3000 turns of
 * it.  Where the clock counts instructions, the second takes 4000 ticks more.
 */
#include <linux/kernel.h>

#include "bench.h"

static unsigned int unit_loop(struct cb_work *w, unsigned int turns)
{
	unsigned long left = turns;

#ifdef CONFIG_X86_64
	asm volatile("1:	dec %0\n"
		     "		jnz 1b\n" : "+r" (left) : : "cc");
#endif
	return left;
}

static int unit_run(const struct cb_case *c)
{
	struct cb_work w = { };
	unsigned int round;
	u64 ticks[CB_NR_SIDES] = { };
	int err;

	for (round = 0; round < cb_rounds; round++) {
		err = cb_time(unit_loop, &w, c->turns * cb_scale,
			      &ticks[CB_PEER]) ?:
		      cb_time(unit_loop, &w, 3 * c->turns * cb_scale,
			      &ticks[CB_CURPAGE]);
		if (err)
			return err;
		cb_show(c->name, round, 4 * c->turns * cb_scale, ticks);
	}
	return 0;
}

const struct cb_case cb_unit_cases[] = {
	{ .name = "unit/2", .turns = 1000, .run = unit_run },
	{ }
};
