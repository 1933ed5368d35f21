// SPDX-License-Identifier: GPL-2.0
/*
 * The binary buddy: cut the smallest free block that is large enough, join
 * buddies as soon as both are free.
 */
#include "kernel.h"
#include "internal.h"

static struct cp_page *cp_binary_take(struct cp_buddy *b, unsigned int order)
{
	unsigned int found;
	struct cp_page *p;

	for (found = order; found < CP_NR_ORDERS; found++) {
		b->searches++;
		if (b->nr_free[found])
			break;
	}
	if (found == CP_NR_ORDERS)
		return NULL;
	p = list_first_entry(&b->free[found], struct cp_page, list);
	cp_buddy_mark_taken(b, p);
	while (p->order > order)
		cp_buddy_split(b, p);
	return p;
}

static void cp_binary_give(struct cp_buddy *b, struct cp_page *p)
{
	struct cp_page *buddy;

	cp_page_set(p, CP_TAIL, p->order);
	while ((buddy = cp_buddy_of(p)))
		p = cp_buddy_join(b, p, buddy);
	cp_buddy_mark_free(b, p, p->order);
}

/* Two free buddies of one size should have been joined. */
static int cp_binary_check(struct cp_buddy *b, struct cp_page *p)
{
	if (cp_buddy_of(p))
		return cp_broken("pfn %lu: free beside its free buddy of order %u",
				 cp_page_pfn(p), p->order);
	return 0;
}

const struct cp_buddy_policy cp_buddy_binary = {
	.name	= "binary",
	.paper	= "Kaufman 1980, section 1; Knowlton 1965",
	.take	= cp_binary_take,
	.give	= cp_binary_give,
	.check	= cp_binary_check,
};
