// SPDX-License-Identifier: GPL-2.0
/*
 * LOWEST-PAGE: the candidate with the lowest address, the first one in a tree
 * of the candidates (tree.c).  Strategies of the study that choose by address
 * or at random use such trees as well (strategy_study.c).
 */
#include "base/kernel.h"
#include "heap/heap.h"

static struct cp_tree *cp_trees_of(struct cp_heap *h, const struct cp_page *p)
{
	struct cp_trees *trees = h->state;

	return &trees->tree[cp_heap_set_of(h, p->nr_free)];
}

static bool cp_trees_weighed(const struct cp_heap *h)
{
	return cp_heap_has(h, CP_WEIGHED);
}

void cp_trees_enter(struct cp_heap *h, struct cp_page *p)
{
	cp_tree_add(cp_trees_of(h, p), p,
		    cp_trees_weighed(h) ? p->nr_free : 1);
}

void cp_trees_leave(struct cp_heap *h, struct cp_page *p)
{
	cp_tree_del(cp_trees_of(h, p), p);
}

void cp_trees_freed(struct cp_heap *h, struct cp_page *p)
{
	if (!cp_trees_weighed(h))
		return;
	cp_trees_leave(h, p);
	cp_trees_enter(h, p);
}

struct cp_page *cp_trees_next(struct cp_heap *h, enum cp_set set,
			      struct cp_page *p)
{
	struct cp_trees *trees = h->state;
	struct cp_tree *t = &trees->tree[set];

	return p ? cp_tree_next(t, p) : cp_tree_end(t, false);
}

static struct cp_page *cp_lowest_pick(struct cp_heap *h)
{
	return cp_trees_next(h, CP_S3, NULL);
}

static unsigned int cp_trees_one(const struct cp_page *p)
{
	return 1;
}

static unsigned int cp_trees_nr_free(const struct cp_page *p)
{
	return p->nr_free;
}

int cp_trees_check(struct cp_heap *h)
{
	const struct cp_trees *trees = h->state;
	int broken = 0;
	enum cp_set set;

	for (set = 0; set < CP_NR_SETS; set++)
		broken += cp_tree_check(&trees->tree[set],
					cp_trees_weighed(h) ?
					cp_trees_nr_free : cp_trees_one);
	return broken;
}

size_t cp_trees_size(const struct curpage_cache *cache)
{
	return sizeof(struct cp_trees);
}

void cp_trees_init(struct cp_heap *h)
{
	memset(h->state, 0, sizeof(struct cp_trees));
}

const struct cp_strategy cp_strategy_lowest_page = {
	.name	= "lowest-page",
	.paper	= "Brent 1984, sections 2.6 and 2.7 together",
	.state_size = cp_trees_size,
	.init	= cp_trees_init,
	.pick	= cp_lowest_pick,
	CP_TREES_OPERATIONS,
};
