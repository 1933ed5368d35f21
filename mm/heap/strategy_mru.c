// SPDX-License-Identifier: GPL-2.0
/*
 * MRU: the next current page is the candidate on which a block was freed most
 * recently.  The heap's list S3 has that order.
 */
#include "base/kernel.h"
#include "heap/heap.h"

void cp_mru_freed(struct cp_heap *h, struct cp_page *p)
{
	cp_heap_move_first(h, p);
}

struct cp_page *cp_mru_pick(struct cp_heap *h)
{
	return list_first_entry_or_null(&h->set[CP_S3], struct cp_page, list);
}

const struct cp_strategy cp_strategy_mru = {
	.name	= "mru",
	.paper	= "Brent 1984, section 2.11",
	.flags	= CP_LISTED | CP_RECENT,
	.freed	= cp_mru_freed,
	.pick	= cp_mru_pick,
};
