/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buddies: free blocks of 2^k pages, split in halves and merged again.
 *
 * Kaufman's three systems are one system with a number for each list.  When a
 * block comes back and its buddy is free, the two are merged if their list
 * would then hold more than its desired number of blocks.  For the binary buddy
 * the number is 0: it always merges.  For the revised buddy it is larger than
 * any count: a free never merges.  The tailored buddy has a desired number for
 * each list.
 *
 * Two buddies that are both free and not merged are a pair.  The pair is
 * recorded when the second of them becomes free, so no list is ever searched.
 */
#ifndef CP_BUDDY_H
#define CP_BUDDY_H

#include "arena/page.h"

#define CP_NR_ORDERS	(CURPAGE_MAX_ORDER + 1)

/**
 * struct cp_buddy_policy - when free buddies are merged
 * @name: in the module parameter, debugfs, KUnit and the lab
 * @paper: where it is described
 * @desired: number of blocks that a list holds before frees merge its pairs
 * @tailored: each list has its own desired number, and @desired is unused
 */
struct cp_buddy_policy {
	const char *name;
	const char *paper;
	unsigned int desired;
	bool tailored;
};

enum cp_buddy_policy_id {
	CP_BUDDY_BINARY,
	CP_BUDDY_REVISED,
	CP_BUDDY_TAILORED,
	CP_NR_BUDDY_POLICIES
};

/*
 * desired.c: desired numbers of the tailored policy; 0 until learnt or given.
 */
struct cp_desired {
	bool learn;		/* from recent requests */
	u32 nr[CP_NR_ORDERS];	/* blocks that a list should hold */
};

/*
 * Indexed by order.  A split counts under the block it cuts, a merge under the
 * block it makes.
 */
enum cp_buddy_stat {
	CP_ASKED,		/* requests */
	CP_MISSED,		/* requests that the buddy could not serve */
	CP_SEARCHES,		/* lists of larger orders looked at */
	CP_SPLITS,
	CP_MERGES,
	CP_NR_BUDDY_STATS
};

/* Protected by the arena's lock; cp_arena_take() looks at policy without it. */
struct cp_buddy {
	const struct cp_buddy_policy *policy;
	u32 some;			/* bit k: order k has free blocks */
	u32 paired;			/* bit k: order k has pairs */
	u32 desired[CP_NR_ORDERS];	/* desired number of blocks */
	unsigned long nr_free[CP_NR_ORDERS];	/* blocks, also in pairs */
	unsigned long nr_used[CP_NR_ORDERS];	/* blocks lent by arena.c */
	unsigned long nr_pairs[CP_NR_ORDERS];
	struct list_head lone[CP_NR_ORDERS];	/* buddy not free */
	struct list_head pair[CP_NR_ORDERS];	/* lower blocks of pairs */
	unsigned long free_pages;
	unsigned long whole_pages;	/* in chunks that are all free */
	unsigned long pages;		/* pages of all chunks, free or not */
	unsigned int top;		/* order of the largest chunk so far */
	unsigned int use;		/* enum cp_use of its chunks */
	bool settling;			/* an old policy's pairs may be left */
	unsigned long stat[CP_NR_BUDDY_STATS][CP_NR_ORDERS];

	struct cp_desired tailored;	/* numbers for that policy */
	u32 until_learnt;		/* requests until the next renewal */
	u32 recent[CP_NR_ORDERS];	/* requests; old ones count less */
	unsigned long learnt[CP_NR_ORDERS];	/* stat[CP_ASKED] seen */
};

/* Check whether buddies are merged whenever both are free. */
static inline bool cp_buddy_is_eager(const struct cp_buddy_policy *policy)
{
	return !policy->tailored && !policy->desired;
}

/* buddy_policy.c */
extern const struct cp_buddy_policy cp_buddy_policies[CP_NR_BUDDY_POLICIES];

#define CP_DESIRED_TEXT	160	/* bytes for a struct cp_desired as text */
#define CP_BUDDY_NAMES	64	/* bytes for the names of all policies */

bool cp_buddy_policies_ok(void);
const struct cp_buddy_policy *cp_buddy_policy_find(const char *name);
const struct cp_buddy_policy *cp_buddy_policy_get(const char *what,
						  const char *name);
void cp_buddy_set_policy(struct cp_buddy *b,
			 const struct cp_buddy_policy *policy);
void cp_buddy_set_desired(struct cp_buddy *b, const struct cp_desired *d);

/* buddy.c */
void cp_buddy_init(struct cp_buddy *b, const struct cp_buddy_policy *policy,
		   unsigned int use);
struct cp_page *cp_buddy_add(struct cp_buddy *b, struct cp_page *chunk,
			     unsigned int order, int need);
struct cp_page *cp_buddy_take(struct cp_buddy *b, unsigned int order);
void cp_buddy_give(struct cp_buddy *b, struct cp_page *p);
void cp_buddy_miss(struct cp_buddy *b, unsigned int order);
struct cp_page *cp_buddy_take_whole(struct cp_buddy *b, unsigned int least);
struct cp_page *cp_buddy_spill(struct cp_buddy *b, unsigned int order);
bool cp_buddy_merge(struct cp_buddy *b, unsigned int joins);
struct cp_page *cp_buddy_of(struct cp_page *p);

/*
 * Check whether cp_buddy_take() failed although there are pairs that may still
 * make a block of this order.  It merges no more than a lock may be held for:
 * drop the lock and call again.
 */
static inline bool cp_buddy_unfinished(const struct cp_buddy *b,
				       unsigned int order)
{
	return order <= b->top && b->paired & ((1U << order) - 1);
}

/* buddy_check.c */
int cp_buddy_check(struct cp_buddy *b);

/* desired.c */
int cp_desired_parse(const char *what, const char *text, struct cp_desired *d);
void cp_desired_text(const struct cp_desired *d, char *buf, size_t size);
void cp_desired_start(struct cp_buddy *b);
void cp_desired_learn(struct cp_buddy *b);

/* Count a request, and learn from the requests every CP_LEARN_EVERY of them. */
static inline void cp_buddy_ask(struct cp_buddy *b, unsigned int order)
{
	b->stat[CP_ASKED][order]++;
	if (unlikely(!--b->until_learnt))
		cp_desired_learn(b);
}

#endif /* CP_BUDDY_H */
