// SPDX-License-Identifier: GPL-2.0
/*
 * Strategies that need no more than the lists of the heap.
 *
 * MRU: the next current page is the candidate on which a block was freed most
 * recently.  S3 is one list in that order.
 *
 * QUICK and NOFREE choose no page that has a live block: blocks are taken from a
 * page once, in order.  QUICK does so again when the page is empty.
 */
#include "kernel.h"
#include "internal.h"
#include "fast.h"

void cp_mru_freed(struct cp_heap *h, struct cp_page *p)
{
	cp_heap_move_first(h, p);
}

struct cp_page *cp_mru_pick(struct cp_heap *h)
{
	return list_first_entry_or_null(&h->set[CP_S3], struct cp_page, list);
}

static struct cp_page *cp_quick_pick(struct cp_heap *h)
{
	return NULL;
}

const struct cp_strategy cp_strategy_mru = {
	.name	= "mru",
	.paper	= "Brent 1984, section 2.11",
	.flags	= CP_LISTED | CP_TOLERANT | CP_RECENT,
	.freed	= cp_mru_freed,
	.pick	= cp_mru_pick,
};

const struct cp_strategy cp_strategy_quick = {
	.name	= "quick",
	.paper	= "Brent 1984, section 2.5",
	.flags	= CP_LISTED | CP_ONE_WAY,
	.freed	= cp_strategy_unmoved,
	.pick	= cp_quick_pick,
};

const struct cp_strategy cp_strategy_nofree = {
	.name	= "nofree",
	.paper	= "Brent 1984, section 2.4",
	.flags	= CP_LISTED | CP_ONE_WAY | CP_HOARDS | CP_WASTES,
	.freed	= cp_strategy_unmoved,
	.pick	= cp_quick_pick,
};
