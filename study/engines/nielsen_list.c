// SPDX-License-Identifier: GPL-2.0
/* Free lists of Nielsen's allocators: a search by size, and a check. */
#include "nielsen_list.h"

/* The last block that is smaller than size, of a list in order of size. */
u32 nielsen_find_size(struct nielsen *n, const struct nielsen_list *l, u32 size)
{
	u32 prev = NIELSEN_NIL, b;

	for (b = l->head; b != NIELSEN_NIL; b = nielsen_forward(n, b)) {
		nielsen_visit(n, b);
		if (nielsen_size(n, b) >= size)
			break;
		prev = b;
	}
	return prev;
}

/* The lists for one size each, and those of buddies, are in no order. */
static bool in_order(const struct nielsen *n, const struct nielsen_list *l,
		     u32 prev, u32 b)
{
	if (prev == NIELSEN_NIL || l != &n->free)
		return true;
	switch (n->row->order) {
	case NIELSEN_MEMORY:
		return prev < b;
	case NIELSEN_SIZE:
		return nielsen_size(n, prev) <= nielsen_size(n, b);
	default:
		return true;
	}
}

/*
 * Adds the blocks on the list to nr; one that is met again and again ends it by
 * that.  All of them are of the state.  last: the block at its end.
 */
const char *nielsen_check_list(struct nielsen *n, const struct nielsen_list *l,
			       enum nielsen_state state, u32 *nr, u32 *last)
{
	u32 prev = NIELSEN_NIL, b;

	for (b = l->head; b != NIELSEN_NIL; b = nielsen_forward(n, b)) {
		if (b < n->start || b > n->end - n->least)
			return "a free list leads out of memory";
		if (nielsen_state(n, b) != state || ++*nr > n->end)
			return "a free list has what is not free or runs in a circle";
		if (n->row->links == 2 && nielsen_backward(n, b) != prev)
			return "a free list is not the same backwards";
		if (!in_order(n, l, prev, b))
			return "a free list is out of order";
		prev = b;
	}
	*last = prev;
	return NULL;
}
