// SPDX-License-Identifier: GPL-2.0
/*
 * MRU: the next current page is the candidate on which a block was freed most
 * recently.  S3 is one list in that order.
 */
#include "kernel.h"
#include "internal.h"

static void cp_mru_enter(struct cp_heap *h, struct cp_page *p)
{
	list_add(&p->list, &h->set[CP_S3]);
}

void cp_mru_freed(struct cp_heap *h, struct cp_page *p)
{
	struct list_head *first = h->set[CP_S3].next;

	/* As list_move(), in a third of the instructions with CONFIG_LIST_HARDENED. */
	if (&p->list != first)
		list_bulk_move_tail(first, &p->list, &p->list);
}

static void cp_mru_leave(struct cp_heap *h, struct cp_page *p)
{
	list_del(&p->list);
}

static struct cp_page *cp_mru_pick(struct cp_heap *h)
{
	return list_first_entry_or_null(&h->set[CP_S3], struct cp_page, list);
}

const struct cp_strategy cp_strategy_mru = {
	.name	= "mru",
	.paper	= "Brent 1984, section 2.11",
	.enter	= cp_mru_enter,
	.freed	= cp_mru_freed,
	.leave	= cp_mru_leave,
	.pick	= cp_mru_pick,
};
