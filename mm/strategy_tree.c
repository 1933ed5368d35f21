// SPDX-License-Identifier: GPL-2.0
/*
 * Strategies that go by the address of a page, or by no order at all.
 *
 * RANDOM(B):   any candidate, each as likely as the next
 * LOWEST-PAGE: the candidate with the lowest address
 * RANDOM:      for each block any that is free, so any page that has one, as
 *              likely as it has many.  Which of its blocks that is does not matter
 * FIRST-FIT:   for each block the lowest page that has one
 *
 * The random numbers are the same in every run: an order that can be repeated is
 * worth more than one that cannot be guessed.
 */
#include "kernel.h"
#include "internal.h"

struct cp_trees {
	struct cp_tree tree[CP_NR_SETS];	/* of S3, and of S2 if it is ours */
	u64 random;
};

static struct cp_tree *cp_trees_of(struct cp_heap *h, const struct cp_page *p)
{
	struct cp_trees *trees = h->state;

	return &trees->tree[cp_heap_set_of(h, p->nr_free)];
}

static bool cp_trees_weighted(const struct cp_heap *h)
{
	return h->strategy == &cp_strategy_random;
}

static void cp_trees_enter(struct cp_heap *h, struct cp_page *p)
{
	cp_tree_add(cp_trees_of(h, p), p,
		    cp_trees_weighted(h) ? p->nr_free : 1);
}

static void cp_trees_leave(struct cp_heap *h, struct cp_page *p)
{
	cp_tree_del(cp_trees_of(h, p), p);
}

static void cp_trees_freed(struct cp_heap *h, struct cp_page *p)
{
	if (!cp_trees_weighted(h))
		return;
	cp_trees_leave(h, p);
	cp_trees_enter(h, p);
}

static struct cp_page *cp_trees_next(struct cp_heap *h, enum cp_set set,
				     struct cp_page *p)
{
	struct cp_trees *trees = h->state;
	struct cp_tree *t = &trees->tree[set];

	return p ? cp_tree_next(t, p) : cp_tree_end(t, false);
}

static struct cp_page *cp_trees_last(struct cp_heap *h, enum cp_set set)
{
	struct cp_trees *trees = h->state;

	return cp_tree_end(&trees->tree[set], true);
}

static struct cp_page *cp_lowest_pick(struct cp_heap *h)
{
	return cp_trees_next(h, CP_S3, NULL);
}

static struct cp_page *cp_first_fit_pick(struct cp_heap *h)
{
	struct cp_page *s3 = cp_trees_next(h, CP_S3, NULL);
	struct cp_page *s2 = cp_trees_next(h, CP_S2, NULL);

	if (!s3 || !s2)
		return s3 ?: s2;
	return cp_page_number(s3) < cp_page_number(s2) ? s3 : s2;
}

/* SplitMix64 (Steele, Lea and Flood 2014), below n, which fits into 32 bits. */
static u64 cp_trees_random(struct cp_trees *trees, u64 n)
{
	u64 z = trees->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ((z ^ z >> 31) >> 32) * n >> 32;
}

/* Of S3, and of S2 if there is something to choose from. */
static struct cp_page *cp_random_pick(struct cp_heap *h)
{
	struct cp_trees *trees = h->state;
	u64 s3 = cp_tree_weight(&trees->tree[CP_S3]);
	u64 s2 = cp_tree_weight(&trees->tree[CP_S2]);
	u64 at;

	if (!(s3 + s2))
		return NULL;
	at = cp_trees_random(trees, s3 + s2);
	if (at < s3)
		return cp_tree_select(&trees->tree[CP_S3], at);
	return cp_tree_select(&trees->tree[CP_S2], at - s3);
}

static unsigned int cp_trees_one(const struct cp_page *p)
{
	return 1;
}

static unsigned int cp_trees_nr_free(const struct cp_page *p)
{
	return p->nr_free;
}

static int cp_trees_check(struct cp_heap *h)
{
	const struct cp_trees *trees = h->state;
	int broken = 0;
	enum cp_set set;

	for (set = 0; set < CP_NR_SETS; set++)
		broken += cp_tree_check(&trees->tree[set],
					cp_trees_weighted(h) ?
					cp_trees_nr_free : cp_trees_one);
	return broken;
}

static size_t cp_trees_size(const struct curpage_cache *cache)
{
	return sizeof(struct cp_trees);
}

static void cp_trees_init(struct cp_heap *h)
{
	memset(h->state, 0, sizeof(struct cp_trees));
}

const struct cp_strategy cp_strategy_random_b = {
	.name	= "random-b",
	.paper	= "Brent 1984, section 2.8",
	.flags	= CP_TOLERANT,
	.state_size = cp_trees_size,
	.init	= cp_trees_init,
	.enter	= cp_trees_enter,
	.freed	= cp_trees_freed,
	.leave	= cp_trees_leave,
	.pick	= cp_random_pick,
	.next	= cp_trees_next,
	.check	= cp_trees_check,
};

const struct cp_strategy cp_strategy_lowest_page = {
	.name	= "lowest-page",
	.paper	= "Brent 1984, sections 2.6 and 2.7 together",
	.flags	= CP_TOLERANT,
	.state_size = cp_trees_size,
	.init	= cp_trees_init,
	.enter	= cp_trees_enter,
	.freed	= cp_trees_freed,
	.leave	= cp_trees_leave,
	.pick	= cp_lowest_pick,
	.next	= cp_trees_next,
	.check	= cp_trees_check,
};

const struct cp_strategy cp_strategy_random = {
	.name	= "random",
	.paper	= "Brent 1984, section 2.3",
	.flags	= CP_BY_BLOCK | CP_ORDERS_S2,
	.state_size = cp_trees_size,
	.init	= cp_trees_init,
	.enter	= cp_trees_enter,
	.freed	= cp_trees_freed,
	.leave	= cp_trees_leave,
	.pick	= cp_random_pick,
	.next	= cp_trees_next,
	.last	= cp_trees_last,
	.check	= cp_trees_check,
};

const struct cp_strategy cp_strategy_first_fit = {
	.name	= "first-fit",
	.paper	= "Brent 1984, section 2.6",
	.flags	= CP_BY_BLOCK | CP_ORDERS_S2,
	.state_size = cp_trees_size,
	.init	= cp_trees_init,
	.enter	= cp_trees_enter,
	.freed	= cp_trees_freed,
	.leave	= cp_trees_leave,
	.pick	= cp_first_fit_pick,
	.next	= cp_trees_next,
	.last	= cp_trees_last,
	.check	= cp_trees_check,
};
