// SPDX-License-Identifier: GPL-2.0
/*
 * Red-black trees, with the cases of the kernel's lib/rbtree.c.  Left and right
 * are indices, so each case stands here once.
 */
#define LAB_LEFT	0

/* Make new the child of old's parent in place of old. */
static void lab_rb_replace(struct rb_root *root, struct rb_node *old,
			   struct rb_node *new, struct rb_node *parent)
{
	if (!parent)
		root->rb_node = new;
	else
		parent->child[parent->rb_right == old] = new;
}

static void lab_rb_set_child(struct rb_node *parent, int side,
			     struct rb_node *child)
{
	parent->child[side] = child;
	if (child)
		child->parent = parent;
}

/* Rotate: the child on this side becomes the parent of its parent. */
static struct rb_node *lab_rb_lift(struct rb_root *root, struct rb_node *parent,
				   int side,
				   const struct rb_augment_callbacks *augment)
{
	struct rb_node *up = parent->child[side];

	lab_rb_set_child(parent, side, up->child[!side]);
	lab_rb_replace(root, parent, up, parent->parent);
	up->parent = parent->parent;
	lab_rb_set_child(up, !side, parent);
	augment->rotate(parent, up);
	return up;
}

void rb_insert_augmented(struct rb_node *node, struct rb_root *root,
			 const struct rb_augment_callbacks *augment)
{
	struct rb_node *parent;

	while ((parent = node->parent) && parent->red) {
		struct rb_node *above = parent->parent;
		int side = parent == above->rb_right;
		struct rb_node *uncle = above->child[!side];

		if (uncle && uncle->red) {
			uncle->red = false;
			parent->red = false;
			above->red = true;
			node = above;
			continue;
		}
		if (node == parent->child[!side])
			parent = lab_rb_lift(root, parent, !side, augment);
		lab_rb_lift(root, above, side, augment);
		parent->red = false;
		above->red = true;
		return;
	}
	if (!parent)
		node->red = false;
}

static bool lab_rb_is_red(const struct rb_node *node)
{
	return node && node->red;
}

/*
 * Restore the black height.  The side of node, which may be NULL, is 1 short.
 */
static void lab_rb_rebalance(struct rb_root *root, struct rb_node *parent,
			     const struct rb_augment_callbacks *augment)
{
	struct rb_node *node = NULL;

	while (parent) {
		int far = parent->child[LAB_LEFT] == node;
		struct rb_node *sibling = parent->child[far];

		if (sibling->red) {
			lab_rb_lift(root, parent, far, augment);
			sibling->red = false;
			parent->red = true;
			sibling = parent->child[far];
		}
		if (!lab_rb_is_red(sibling->child[far])) {
			if (!lab_rb_is_red(sibling->child[!far])) {
				sibling->red = true;
				if (parent->red) {
					parent->red = false;
					return;
				}
				node = parent;
				parent = node->parent;
				continue;
			}
			sibling = lab_rb_lift(root, sibling, !far, augment);
		}
		lab_rb_lift(root, parent, far, augment);
		sibling->red = parent->red;
		parent->red = false;
		sibling->child[far]->red = false;
		return;
	}
}

/*
 * Put the node's successor in its place.  Return: the parent of the side that
 * is one black short now, or NULL.
 */
static struct rb_node *
lab_rb_take_place(struct rb_root *root, struct rb_node *node,
		  struct rb_node *successor,
		  const struct rb_augment_callbacks *augment)
{
	struct rb_node *child = successor->rb_right, *below = successor;
	struct rb_node *rebalance;

	if (successor != node->rb_right) {
		below = successor->parent;
		lab_rb_set_child(below, LAB_LEFT, child);
		lab_rb_set_child(successor, !LAB_LEFT, node->rb_right);
		augment->copy(node, successor);
		augment->propagate(below, successor);
	} else {
		augment->copy(node, successor);
	}
	lab_rb_set_child(successor, LAB_LEFT, node->rb_left);
	lab_rb_replace(root, node, successor, node->parent);
	successor->parent = node->parent;
	rebalance = child || successor->red ? NULL : below;
	if (child)
		child->red = false;
	successor->red = node->red;
	augment->propagate(successor, NULL);
	return rebalance;
}

void rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			const struct rb_augment_callbacks *augment)
{
	struct rb_node *parent = node->parent, *rebalance = NULL;
	struct rb_node *only = node->rb_left ?: node->rb_right;

	if (node->rb_left && node->rb_right) {
		struct rb_node *successor = node->rb_right;

		while (successor->rb_left)
			successor = successor->rb_left;
		rebalance = lab_rb_take_place(root, node, successor, augment);
	} else {
		lab_rb_replace(root, node, only, parent);
		if (only) {
			only->parent = parent;
			only->red = node->red;
		} else if (!node->red) {
			rebalance = parent;
		}
		augment->propagate(parent, NULL);
	}
	lab_rb_rebalance(root, rebalance, augment);
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *above;

	if (node->rb_right) {
		struct rb_root right = { node->rb_right };

		return rb_first(&right);
	}
	while ((above = node->parent) && node == above->rb_right)
		node = above;
	return above;
}
