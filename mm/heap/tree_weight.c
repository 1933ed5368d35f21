// SPDX-License-Identifier: GPL-2.0
/* Pages of a tree by their weight, for the random strategies of the study. */
#include "base/kernel.h"
#include "heap/tree.h"

/*
 * Select the page at a weight, from 0 to the weight of the tree less 1.  Each
 * page covers as many of these weights as it weighs.  The tree is not empty.
 */
struct cp_page *cp_tree_select(const struct cp_tree *t, u64 weight)
{
	struct cp_page *q = cp_tree_page(t->root);

	for (;;) {
		struct cp_page *left = cp_node_child(q, false);
		u64 own = cp_node_own_weight(q);

		if (weight < own)
			return q;
		weight -= own;
		if (left && weight < cp_node_weight(left)) {
			q = left;
			continue;
		}
		if (left)
			weight -= cp_node_weight(left);
		q = cp_node_child(q, true);
	}
}

u64 cp_tree_weight(const struct cp_tree *t)
{
	return t->root ? cp_node_weight(cp_tree_page(t->root)) : 0;
}
