/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages in a digital search tree, by address.  The caller defines what a page
 * weighs.
 */
#ifndef CP_TREE_H
#define CP_TREE_H

#include "arena/page.h"

#define CP_STUDY	IS_ENABLED(CONFIG_CURPAGE_STUDY)

struct cp_tree {
	unsigned long root;
};

void cp_tree_add(struct cp_tree *t, struct cp_page *p, unsigned int weight);
void cp_tree_del(struct cp_tree *t, struct cp_page *p);
struct cp_page *cp_tree_end(const struct cp_tree *t, bool last);
struct cp_page *cp_tree_next(const struct cp_tree *t, const struct cp_page *p);
int cp_tree_check(const struct cp_tree *t,
		  unsigned int (*weight)(const struct cp_page *p));

/* tree_weight.c, of the study */
struct cp_page *cp_tree_select(const struct cp_tree *t, u64 weight);
u64 cp_tree_weight(const struct cp_tree *t);

static inline u64 cp_node_weight(const struct cp_page *p)
{
	const struct cp_node *n = &p->node;

	if (!CP_STUDY)
		return 0;
	return (u64)n->weight_high << CP_WEIGHT_BITS | n->weight_low;
}

static inline struct cp_page *cp_tree_page(u64 child)
{
	return child ? cp_page_numbered(child - 1) : NULL;
}

static inline struct cp_page *cp_node_child(const struct cp_page *p, bool right)
{
	const struct cp_node *n = &p->node;

	return cp_tree_page(right ? n->right : n->left);
}

static inline u64 cp_node_own_weight(const struct cp_page *p)
{
	const struct cp_page *left = cp_node_child(p, false);
	const struct cp_page *right = cp_node_child(p, true);

	return cp_node_weight(p) - (left ? cp_node_weight(left) : 0) -
	       (right ? cp_node_weight(right) : 0);
}

#endif /* CP_TREE_H */
