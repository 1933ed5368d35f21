// SPDX-License-Identifier: GPL-2.0
/*
 * Pages in a digital search tree (Coffman and Eve 1970), for strategies that
 * need pages by address or at random.  The key is the page's number in the
 * linear map.
 *
 * A page hangs left or right below another by the next bit of its number.
 * Which page is higher up among pages with the same first bits does not matter.
 * So no operation takes more steps than a number has bits, however many pages
 * there are, and nothing has to be balanced.  A page needs only the two words
 * of a list node: its two children, and the weight of itself and all pages
 * below it.  Weights are kept for the random strategies of the study alone.
 */
#include "base/kernel.h"
#include "heap/tree.h"

static_assert(sizeof(struct cp_node) == sizeof(struct list_head));
static_assert(2 + CP_CHILD_BITS + CP_WEIGHT_BITS == 64);
static_assert(CP_NUMBER_BITS < CP_CHILD_BITS);

static void cp_node_set_weight(struct cp_page *p, u64 weight)
{
	struct cp_node *n = &p->node;

	if (!CP_STUDY)
		return;
	n->weight_low = weight & GENMASK_ULL(CP_WEIGHT_BITS - 1, 0);
	n->weight_high = weight >> CP_WEIGHT_BITS;
}

static void cp_node_set_child(struct cp_page *p, bool right, u64 child)
{
	if (right)
		p->node.right = child;
	else
		p->node.left = child;
}

#define CP_TREE_TOP	BIT_ULL(CP_NUMBER_BITS - 1)

/*
 * Add page p to the tree: it goes down where its number leads, and becomes a
 * leaf.
 */
void cp_tree_add(struct cp_tree *t, struct cp_page *p, unsigned int weight)
{
	u64 number = cp_page_number(p), bit = CP_TREE_TOP;
	struct cp_page *q = cp_tree_page(t->root);

	memset(&p->node, 0, sizeof(p->node));
	cp_node_set_weight(p, weight);
	if (!q) {
		t->root = number + 1;
		return;
	}
	for (;; bit >>= 1) {
		bool right = number & bit;
		struct cp_page *child = cp_node_child(q, right);

		cp_node_set_weight(q, cp_node_weight(q) + weight);
		if (!child) {
			cp_node_set_child(q, right, number + 1);
			return;
		}
		q = child;
	}
}

/*
 * Cut off any leaf below p, and take its weight off all pages between the two.
 * Return: the leaf, or NULL if p is a leaf itself.
 */
static struct cp_page *cp_tree_pluck(struct cp_page *p)
{
	struct cp_page *leaf = p, *above = NULL, *q;
	bool right = false;

	for (q = p; q; q = cp_node_child(leaf, right)) {
		if (q != p)
			above = leaf;
		leaf = q;
		right = !leaf->node.left;
	}
	if (!above)
		return NULL;
	for (q = p; q != leaf; q = cp_node_child(q, !q->node.left))
		if (q != p)
			cp_node_set_weight(q, cp_node_weight(q) -
					      cp_node_weight(leaf));
	cp_node_set_child(above, !above->node.left, 0);
	return leaf;
}

/*
 * Remove page p from the tree.  A leaf from below takes its place: all bits of
 * its number down to there agree with those of p.
 */
void cp_tree_del(struct cp_tree *t, struct cp_page *p)
{
	u64 number = cp_page_number(p), bit = CP_TREE_TOP;
	u64 weight = cp_node_own_weight(p), rest, child = 0;
	struct cp_page *q = cp_tree_page(t->root);
	struct cp_page *above = NULL, *leaf;
	bool right = false;

	for (; q != p; bit >>= 1) {
		cp_node_set_weight(q, cp_node_weight(q) - weight);
		above = q;
		right = number & bit;
		q = cp_node_child(q, right);
	}
	rest = cp_node_weight(p) - weight;
	leaf = cp_tree_pluck(p);
	if (leaf) {
		leaf->node = p->node;
		cp_node_set_weight(leaf, rest);
		child = cp_page_number(leaf) + 1;
	}
	if (above)
		cp_node_set_child(above, right, child);
	else
		t->root = child;
	INIT_LIST_HEAD(&p->list);
}

/* Return: the page with the lower number; a or b may be NULL. */
static struct cp_page *cp_tree_first_of(struct cp_page *a, struct cp_page *b)
{
	if (!a || !b)
		return a ?: b;
	return cp_page_number(a) < cp_page_number(b) ? a : b;
}

static struct cp_page *cp_tree_last_of(struct cp_page *a, struct cp_page *b)
{
	if (!a || !b)
		return a ?: b;
	return cp_page_number(a) < cp_page_number(b) ? b : a;
}

/*
 * Find the lowest or highest page from q down: it is on the way that keeps to
 * one side as far as it can.
 */
static struct cp_page *cp_tree_extreme(struct cp_page *q, bool last)
{
	struct cp_page *best = NULL;

	while (q) {
		best = last ? cp_tree_last_of(best, q) :
			      cp_tree_first_of(best, q);
		q = cp_node_child(q, last) ?: cp_node_child(q, !last);
	}
	return best;
}

struct cp_page *cp_tree_end(const struct cp_tree *t, bool last)
{
	return cp_tree_extreme(cp_tree_page(t->root), last);
}

/*
 * Find the lowest page above p.  It is on the way to p, or in the last right
 * branch that the way did not take.  Return: NULL if none.
 */
struct cp_page *cp_tree_next(const struct cp_tree *t, const struct cp_page *p)
{
	struct cp_page *q = cp_tree_page(t->root), *best = NULL, *aside = NULL;
	u64 number = cp_page_number(p), bit = CP_TREE_TOP;

	for (; q; bit >>= 1) {
		bool right = number & bit;

		if (cp_page_number(q) > number)
			best = cp_tree_first_of(best, q);
		if (!right)
			aside = cp_node_child(q, true) ?: aside;
		q = cp_node_child(q, right);
	}
	return cp_tree_first_of(best, cp_tree_extreme(aside, false));
}

/* Check that page p is where its number leads, and has its weight. */
static int cp_tree_check_page(const struct cp_tree *t, const struct cp_page *p,
			      unsigned int weight)
{
	u64 number = cp_page_number(p), bit = CP_TREE_TOP;
	struct cp_page *q = cp_tree_page(t->root);

	for (; q && q != p; bit >>= 1)
		q = cp_node_child(q, number & bit);
	if (q != p)
		return cp_broken("pfn %lu: not where its number leads in the tree",
				 cp_page_pfn((struct cp_page *)p));
	if ((unsigned long)p->list.next & 3)
		return cp_broken("pfn %lu: looks like a tail page or a reserve in the tree",
				 cp_page_pfn((struct cp_page *)p));
	if (CP_STUDY && cp_node_own_weight(p) != weight)
		return cp_broken("pfn %lu: weighs %llu in the tree, should %u",
				 cp_page_pfn((struct cp_page *)p),
				 (unsigned long long)cp_node_own_weight(p),
				 weight);
	return 0;
}

int cp_tree_check(const struct cp_tree *t,
		  unsigned int (*weight)(const struct cp_page *p))
{
	struct cp_page *p;
	int broken = 0;

	for (p = cp_tree_end(t, false); p && !broken; p = cp_tree_next(t, p))
		broken += cp_tree_check_page(t, p, weight(p));
	return broken;
}
