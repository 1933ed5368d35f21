/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buddies: free blocks of 2^k pages, cut in halves and joined again.
 *
 * Kaufman's three systems are one, told apart by a number a list: when a block
 * comes back and its buddy is free, the two are joined if their list would then
 * hold more than its desired number of blocks.  It is 0 for the binary buddy,
 * which always joins, more than there can be for the revised one, which never
 * does, and what the list is tailored to for tailored lists.
 *
 * Two buddies that are both free and not joined are a pair, known as such from
 * the moment that the second of them becomes free: no list is ever searched.
 */
#ifndef CP_BUDDY_H
#define CP_BUDDY_H

#define CP_NR_ORDERS	(CURPAGE_MAX_ORDER + 1)

/**
 * struct cp_buddy_policy - when blocks that are free are joined
 * @name: in the module parameter, debugfs, KUnit and the lab
 * @paper: where it is described
 * @desired: so many blocks may lie on a list before it joins pairs
 * @tailored: each list has a desired number of its own, instead of @desired
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

/* desired.c: what lists are tailored to; all 0 until something is learnt. */
struct cp_desired {
	bool learn;		/* from the requests of the recent past */
	u32 nr[CP_NR_ORDERS];	/* blocks that a list should hold */
};

/* By order; of splits, of the block that was cut; of merges, that was made. */
enum cp_buddy_stat {
	CP_ASKED,		/* requests */
	CP_MISSED,		/* of these, the buddy could not serve */
	CP_SEARCHES,		/* larger lists looked at than that of the request */
	CP_SPLITS,
	CP_MERGES,
	CP_NR_BUDDY_STATS
};

/* All of it under the arena's lock. */
struct cp_buddy {
	const struct cp_buddy_policy *policy;
	u32 some;			/* bit k: there are free blocks of order k */
	u32 paired;			/* bit k: there are pairs */
	u32 desired[CP_NR_ORDERS];	/* as the policy has it */
	unsigned long nr_free[CP_NR_ORDERS];	/* blocks, those of pairs too */
	unsigned long nr_used[CP_NR_ORDERS];	/* counted by who lends them */
	unsigned long nr_pairs[CP_NR_ORDERS];
	struct list_head lone[CP_NR_ORDERS];	/* blocks whose buddy is not free */
	struct list_head pair[CP_NR_ORDERS];	/* the lower block of each pair */
	unsigned long free_pages;
	unsigned long whole_pages;	/* of these, in chunks that are all free */
	unsigned long pages;		/* of all chunks, free or not */
	unsigned int top;		/* no larger chunk has been added */
	unsigned int use;		/* enum cp_use, of its chunks */
	bool settling;			/* pairs of an earlier policy may be left */
	unsigned long stat[CP_NR_BUDDY_STATS][CP_NR_ORDERS];

	struct cp_desired tailored;	/* for when the policy is */
	u32 until_learnt;		/* requests until the numbers are made anew */
	u32 recent[CP_NR_ORDERS];	/* requests, less of those long ago */
	unsigned long learnt[CP_NR_ORDERS];	/* of stat[CP_ASKED] */
};

/* Are buddies joined whenever both are free? */
static inline bool cp_buddy_is_eager(const struct cp_buddy_policy *policy)
{
	return !policy->tailored && !policy->desired;
}

/* buddy_policy.c */
extern const struct cp_buddy_policy cp_buddy_policies[CP_NR_BUDDY_POLICIES];

#define CP_DESIRED_TEXT	160	/* room for its text */
#define CP_BUDDY_NAMES	64	/* room for the names of all policies */

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
 * cp_buddy_take() gave nothing, but has not joined all that could be: no more is
 * done in one go than what a lock may be held for.
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

/* Count a request, and now and then learn from those that were made. */
static inline void cp_buddy_ask(struct cp_buddy *b, unsigned int order)
{
	b->stat[CP_ASKED][order]++;
	if (unlikely(!--b->until_learnt))
		cp_desired_learn(b);
}

#endif /* CP_BUDDY_H */
