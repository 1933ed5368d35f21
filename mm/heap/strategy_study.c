// SPDX-License-Identifier: GPL-2.0
/*
 * Strategies for comparison, the study; STACK and QUEUE are in strategy_pool.c.
 *
 * With a current page:
 *
 * MOST-FREE: the candidate with the fewest live blocks (strategy_free.c)
 * RANDOM(B): any candidate, all equally likely (strategy_tree.c)
 * QUICK, NOFREE: no page that has a live block.  Blocks are taken from a page
 *            once, in order.  QUICK does so again when the page is empty.
 *
 * With a page for each block, in trees (strategy_tree.c) that have the pages of
 * S2, too:
 *
 * FIRST-FIT: the lowest page that has a free block
 * RANDOM:    any free block, all equally likely, so a page with the share that
 *            it has of them.  Which of its blocks is taken does not matter.
 *
 * The random numbers are the same in every run: an order that can be repeated
 * is worth more than an order that cannot be guessed.
 */
#include "base/kernel.h"
#include "heap/heap.h"

const struct cp_strategy cp_strategy_most_free = {
	.name	= "most-free",
	.paper	= "Brent 1984, section 2.9",
	.flags	= CP_EMPTIEST,
	.state_size = cp_stacks_size,
	CP_STACKS_OPERATIONS,
};

static struct cp_page *cp_quick_pick(struct cp_heap *h)
{
	return NULL;
}

const struct cp_strategy cp_strategy_quick = {
	.name	= "quick",
	.paper	= "Brent 1984, section 2.5",
	.flags	= CP_LISTED | CP_ONE_WAY | CP_EXACT,
	.freed	= cp_strategy_unmoved,
	.pick	= cp_quick_pick,
};

const struct cp_strategy cp_strategy_nofree = {
	.name	= "nofree",
	.paper	= "Brent 1984, section 2.4",
	.flags	= CP_LISTED | CP_ONE_WAY | CP_EXACT | CP_HOARDS | CP_WASTES,
	.freed	= cp_strategy_unmoved,
	.pick	= cp_quick_pick,
};

static struct cp_page *cp_trees_last(struct cp_heap *h, enum cp_set set)
{
	struct cp_trees *trees = h->state;

	return cp_tree_end(&trees->tree[set], true);
}

static struct cp_page *cp_first_fit_pick(struct cp_heap *h)
{
	struct cp_page *s3 = cp_trees_next(h, CP_S3, NULL);
	struct cp_page *s2 = cp_trees_next(h, CP_S2, NULL);

	if (!s3 || !s2)
		return s3 ?: s2;
	return cp_page_number(s3) < cp_page_number(s2) ? s3 : s2;
}

const struct cp_strategy cp_strategy_first_fit = {
	.name	= "first-fit",
	.paper	= "Brent 1984, section 2.6",
	.flags	= CP_BY_BLOCK | CP_ORDERS_S2 | CP_EXACT,
	.state_size = cp_trees_size,
	.init	= cp_trees_init,
	.pick	= cp_first_fit_pick,
	.last	= cp_trees_last,
	CP_TREES_OPERATIONS,
};

/* State of RANDOM and RANDOM(B).  Begins with trees, for strategy_tree.c. */
struct cp_random {
	struct cp_trees trees;
	u64 random;
};

static size_t cp_random_size(const struct curpage_cache *cache)
{
	return sizeof(struct cp_random);
}

static void cp_random_init(struct cp_heap *h)
{
	memset(h->state, 0, sizeof(struct cp_random));
}

/*
 * Return: a number below n, which fits into 32 bits, by SplitMix64 (Steele, Lea
 * and Flood 2014).
 */
static u64 cp_random_below(struct cp_random *r, u64 n)
{
	u64 z = r->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ((z ^ z >> 31) >> 32) * n >> 32;
}

/* Pick from S3 and S2.  Without CP_ORDERS_S2 the tree of S2 is empty. */
static struct cp_page *cp_random_pick(struct cp_heap *h)
{
	struct cp_random *r = h->state;
	const struct cp_tree *tree = r->trees.tree;
	u64 s3 = cp_tree_weight(&tree[CP_S3]);
	u64 s2 = cp_tree_weight(&tree[CP_S2]);
	u64 at;

	if (!(s3 + s2))
		return NULL;
	at = cp_random_below(r, s3 + s2);
	if (at < s3)
		return cp_tree_select(&tree[CP_S3], at);
	return cp_tree_select(&tree[CP_S2], at - s3);
}

const struct cp_strategy cp_strategy_random_b = {
	.name	= "random-b",
	.paper	= "Brent 1984, section 2.8",
	.state_size = cp_random_size,
	.init	= cp_random_init,
	.pick	= cp_random_pick,
	CP_TREES_OPERATIONS,
};

const struct cp_strategy cp_strategy_random = {
	.name	= "random",
	.paper	= "Brent 1984, section 2.3",
	.flags	= CP_BY_BLOCK | CP_ORDERS_S2 | CP_EXACT | CP_WEIGHED,
	.state_size = cp_random_size,
	.init	= cp_random_init,
	.pick	= cp_random_pick,
	.last	= cp_trees_last,
	CP_TREES_OPERATIONS,
};
