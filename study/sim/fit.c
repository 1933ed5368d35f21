// SPDX-License-Identifier: GPL-2.0
/*
 * First fit in a simulation.  Runs are larger than the pages that Brent's first
 * fit takes, so a page of a run that no block reaches into is taken not to be in
 * use: what is counted of a run is what a page at a time would have cost.
 */
#include "sim.h"
#include "large/fit.h"

/*
 * A free block of a page or more is the last that starts on its page, and covers
 * those up to the next page on which one starts.
 */
static unsigned long sim_run_idle(const struct cp_run *run)
{
	unsigned int pages = cp_run_pages(run), page, next;
	unsigned long idle = 0;

	if (!run->live)
		return pages;
	for (page = 0; page < pages; page = next) {
		next = page + 1;
		if (run->largest_of[pages + page] < PAGE_SIZE / CP_FIT_UNIT)
			continue;
		while (next < pages && run->first[next] == CP_FIT_NONE)
			next++;
		idle += next - page - 1;
	}
	return idle;
}

/* Pages of all runs that no block is on. */
unsigned long sim_fit_idle(void)
{
	unsigned long idle = 0;
	struct rb_node *node;

	for (node = rb_first(&cp_fit.runs); node; node = rb_next(node))
		idle += sim_run_idle(cp_run_of(node));
	return idle;
}
