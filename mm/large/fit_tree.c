// SPDX-License-Identifier: GPL-2.0
/*
 * The runs of first fit in a tree by address.  Each run knows the largest free
 * block in itself and all runs below it, so one way down the tree finds the
 * lowest run with a large enough block.  Caller holds cp_fit.lock.
 */
#include "base/kernel.h"
#include "large/fit.h"

struct cp_fit cp_fit;

/*
 * Return: the units of the run's largest free block, 0 if the run was given up.
 */
unsigned int cp_run_largest(const struct cp_run *run)
{
	return run->lost ? 0 : run->largest_of[1];
}

RB_DECLARE_CALLBACKS_MAX(static, cp_fit_callbacks, struct cp_run, node,
			 unsigned int, largest, cp_run_largest)

void cp_fit_link(struct cp_run *run)
{
	struct rb_node **link = &cp_fit.runs.rb_node, *parent = NULL;

	run->largest = cp_run_largest(run);
	while (*link) {
		struct cp_run *above = cp_run_of(*link);

		cp_fit.stat[CP_FIT_VISITED]++;
		parent = *link;
		above->largest = max(above->largest, run->largest);
		link = run->base < above->base ? &parent->rb_left :
						 &parent->rb_right;
	}
	cp_fit.stat[CP_FIT_VISITED] += 2;
	rb_link_node(&run->node, parent, link);
	rb_insert_augmented(&run->node, &cp_fit.runs, &cp_fit_callbacks);
}

void cp_fit_unlink(struct cp_run *run)
{
	rb_erase_augmented(&run->node, &cp_fit.runs, &cp_fit_callbacks);
}

/*
 * Update the tree from a run up, after the run's largest free block has
 * changed.
 */
void cp_fit_update(struct cp_run *run)
{
	struct rb_node *node;

	for (node = &run->node; node; node = rb_parent(node)) {
		cp_fit.stat[CP_FIT_VISITED]++;
		if (cp_fit_callbacks_compute_max(cp_run_of(node), true))
			return;
	}
}

/* Check whether a run or one below it has a free block of size units. */
static bool cp_fit_has(struct rb_node *node, unsigned int size)
{
	if (!node)
		return false;
	cp_fit.stat[CP_FIT_VISITED]++;
	return cp_run_of(node)->largest >= size;
}

/*
 * Find the lowest run that has a free block of size units.  Return: NULL if
 * none.
 */
struct cp_run *cp_fit_leftmost(unsigned int size)
{
	struct rb_node *node = cp_fit.runs.rb_node;

	cp_fit.stat[CP_FIT_SEARCH]++;
	if (!cp_fit_has(node, size))
		return NULL;
	for (;;) {
		while (cp_fit_has(node->rb_left, size))
			node = node->rb_left;
		if (cp_run_largest(cp_run_of(node)) >= size)
			return cp_run_of(node);
		node = node->rb_right;
	}
}
