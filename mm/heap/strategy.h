/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strategies: which page is allocated from next.  A heap (heap.c) has the pages
 * and their sets, a strategy has the order of those that can be chosen.
 *
 * A strategy keeps that order in the lists of the heap, in lists or trees of
 * its own (cp_heap.state), or in the free blocks.
 *
 * Strategies for comparison only are the study.  They are compiled with
 * CONFIG_CURPAGE_STUDY, out of the kernel's tree with make STUDY=1.
 */
#ifndef CP_STRATEGY_H
#define CP_STRATEGY_H

#include "heap/tree.h"

struct cp_heap;
struct cp_page;
struct curpage_cache;

enum cp_set {
	CP_LOW,		/* S4, and S3 with fewer than phi0 free blocks */
	CP_S3,		/* candidates for the next current page */
	CP_S2,		/* no live block, still held */
	CP_NR_SETS
};

/* Flags of a strategy: how a heap works under it. */
#define CP_LISTED	BIT(0)	/* enter, leave and next: the heap's lists */
#define CP_RECENT	BIT(1)	/* freed is cp_mru_freed() */
/* Flags of the study: cp_heap_has() tests them, false without the study. */
#define CP_BY_BLOCK	BIT(2)	/* a page for each block, none is current */
#define CP_POOLED	BIT(3)	/* free blocks are in a pool, not on pages */
#define CP_ONE_WAY	BIT(4)	/* no page is reused before it is empty */
#define CP_HOARDS	BIT(5)	/* empty pages stay until a drain */
#define CP_WASTES	BIT(6)	/* empty pages are not used again */
#define CP_EXACT	BIT(7)	/* phi0 is 1, whatever the tolerance */
#define CP_ORDERS_S2	BIT(8)	/* the strategy keeps S2, too */
#define CP_EMPTIEST	BIT(9)	/* stacks: the fewest live blocks are best */
#define CP_WEIGHED	BIT(10)	/* trees: a page weighs its free blocks */
#define CP_COARSE	BIT(11)	/* stacks: eight, whatever the size */
#define CP_FIFO		BIT(12)	/* pool: the block freed first is next */

/**
 * struct cp_strategy - a rule for choosing a page
 * @name: in the module parameter, debugfs, KUnit and the lab
 * @paper: the paper or program that describes it
 * @flags: CP_LISTED and others, how a heap works under it
 * @state_size: return the bytes of memory that a heap needs for it.  May be
 *	NULL
 * @init: initialize that memory, without a page in it.  With @state_size
 * @enter: add a page that became a candidate
 * @freed: one more block of a candidate was freed
 * @leave: remove a candidate that was emptied or chosen
 * @pick: return the next current page, or the page for the next block; NULL
 *	for none
 * @next: return the candidate behind a page, or the first for NULL; in the
 *	order of @pick if it has one.  NULL behind the last
 * @last: return the page to release first.  With CP_ORDERS_S2
 * @check: check what else the strategy promises, return the number of broken
 *	promises.  May be NULL
 *
 * With CP_ORDERS_S2, enter, leave and next are for pages of S2 as well.  With
 * CP_LISTED the heap uses its own lists instead: the page that entered last is
 * first.
 */
struct cp_strategy {
	const char *name;
	const char *paper;
	unsigned int flags;
	size_t (*state_size)(const struct curpage_cache *cache);
	void (*init)(struct cp_heap *h);
	void (*enter)(struct cp_heap *h, struct cp_page *p);
	void (*freed)(struct cp_heap *h, struct cp_page *p);
	void (*leave)(struct cp_heap *h, struct cp_page *p);
	struct cp_page *(*pick)(struct cp_heap *h);
	struct cp_page *(*next)(struct cp_heap *h, enum cp_set set,
				struct cp_page *p);
	struct cp_page *(*last)(struct cp_heap *h, enum cp_set set);
	int (*check)(struct cp_heap *h);
};

enum cp_strategy_id {
	CP_MRU,
	CP_LEAST_FREE,
	CP_MOST_FREE,
	CP_RANDOM_B,
	CP_QUICK,
	CP_FIRST_FIT,
	CP_STACK,
	CP_QUEUE,
	CP_RANDOM,
	CP_NOFREE,
	CP_LEAST_FREE_8,
	CP_LOWEST_PAGE,
	CP_NR_STRATEGIES
};

/* NULL: a strategy of the study that is not compiled. */
extern const struct cp_strategy * const cp_strategies[CP_NR_STRATEGIES];
extern const struct cp_strategy cp_strategy_mru;
extern const struct cp_strategy cp_strategy_least_free;
extern const struct cp_strategy cp_strategy_least_free_8;
extern const struct cp_strategy cp_strategy_lowest_page;
/* The study. */
extern const struct cp_strategy cp_strategy_most_free;
extern const struct cp_strategy cp_strategy_random_b;
extern const struct cp_strategy cp_strategy_quick;
extern const struct cp_strategy cp_strategy_first_fit;
extern const struct cp_strategy cp_strategy_stack;
extern const struct cp_strategy cp_strategy_queue;
extern const struct cp_strategy cp_strategy_random;
extern const struct cp_strategy cp_strategy_nofree;

#define CP_STRATEGY_NAMES	160	/* bytes for all names */

bool cp_strategies_ok(void);
const struct cp_strategy *cp_strategy_find(const char *name);
const struct cp_strategy *cp_strategy_get(const char *what, const char *name);
const struct cp_strategy *cp_cache_strategy(const char *cache, const char *name);
void cp_strategy_names(char *buf, size_t size);
size_t cp_strategy_state_size(const struct cp_strategy *strategy,
			      const struct curpage_cache *cache);

/* cp_strategy.freed of strategies under which a free does not move a page. */
static inline void cp_strategy_unmoved(struct cp_heap *h, struct cp_page *p)
{
}

/* strategy_mru.c: the default, called directly to save an indirect call. */
void cp_mru_freed(struct cp_heap *h, struct cp_page *p);
struct cp_page *cp_mru_pick(struct cp_heap *h);

/* strategy_free.c: pages by live blocks, for strategy_study.c as well. */
#define CP_STACKS_OPERATIONS		\
	.init	= cp_stacks_init,	\
	.enter	= cp_stacks_enter,	\
	.freed	= cp_stacks_freed,	\
	.leave	= cp_stacks_leave,	\
	.pick	= cp_stacks_pick,	\
	.next	= cp_stacks_next,	\
	.check	= cp_stacks_check

size_t cp_stacks_size(const struct curpage_cache *cache);
void cp_stacks_init(struct cp_heap *h);
void cp_stacks_enter(struct cp_heap *h, struct cp_page *p);
void cp_stacks_freed(struct cp_heap *h, struct cp_page *p);
void cp_stacks_leave(struct cp_heap *h, struct cp_page *p);
struct cp_page *cp_stacks_pick(struct cp_heap *h);
struct cp_page *cp_stacks_next(struct cp_heap *h, enum cp_set set,
			       struct cp_page *p);
int cp_stacks_check(struct cp_heap *h);

/* strategy_tree.c: a tree for each set that the strategy keeps. */
struct cp_trees {
	struct cp_tree tree[CP_NR_SETS];	/* S3; with CP_ORDERS_S2, S2 */
};

#define CP_TREES_OPERATIONS		\
	.enter	= cp_trees_enter,	\
	.freed	= cp_trees_freed,	\
	.leave	= cp_trees_leave,	\
	.next	= cp_trees_next,	\
	.check	= cp_trees_check

size_t cp_trees_size(const struct curpage_cache *cache);
void cp_trees_init(struct cp_heap *h);
void cp_trees_enter(struct cp_heap *h, struct cp_page *p);
void cp_trees_freed(struct cp_heap *h, struct cp_page *p);
void cp_trees_leave(struct cp_heap *h, struct cp_page *p);
struct cp_page *cp_trees_next(struct cp_heap *h, enum cp_set set,
			      struct cp_page *p);
int cp_trees_check(struct cp_heap *h);

/* strategy_pool.c, of the study: all free blocks of a heap on one list. */
void cp_pool_put(struct cp_heap *h, struct cp_page *p, unsigned int nr);
void *cp_pool_take(struct cp_heap *h, struct cp_page *p, enum cp_bad *bad);
bool cp_pool_gather(struct cp_heap *h, struct cp_page *p);
bool cp_pool_settle(struct cp_heap *h);
bool cp_pool_purge(struct cp_heap *h);
void cp_pool_forget(struct cp_heap *h);
bool cp_pool_has(const struct cp_heap *h, u64 place);

#endif /* CP_STRATEGY_H */
