// SPDX-License-Identifier: GPL-2.0
/*
 * The runs of first fit in a tree by address, in which each knows the largest free
 * block of all below it: the lowest run that has a block large enough is found
 * on one way down.  All of it under the lock of first fit.
 */
#include "kernel.h"
#include "internal.h"
#include "fit.h"

/* What a run that was given up has does not count. */
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

/* What the run has changed: so may have those above it. */
void cp_fit_update(struct cp_run *run)
{
	struct rb_node *node;

	for (node = &run->node; node; node = rb_parent(node)) {
		cp_fit.stat[CP_FIT_VISITED]++;
		if (cp_fit_callbacks_compute_max(cp_run_of(node), true))
			return;
	}
}

/* Has it a free block of that size, itself or below? */
static bool cp_fit_has(struct rb_node *node, unsigned int size)
{
	if (!node)
		return false;
	cp_fit.stat[CP_FIT_VISITED]++;
	return cp_run_of(node)->largest >= size;
}

/* The lowest run that has a free block of so many units, or NULL. */
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
