/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A buddy with no arena around it, whose chunks are parts of one block of the
 * system, and a bitmap that says of each page whether it is free.
 */
#ifndef CP_KUNIT_BUDDY_FIXTURE_H
#define CP_KUNIT_BUDDY_FIXTURE_H

#include "common.h"

#define BUDDY_FIXTURE_PAGES	BIT(CURPAGE_MAX_ORDER)

struct buddy_fixture {
	struct cp_buddy b;
	struct cp_page *pages;		/* as many as that, neighbours */
	struct cp_page *taken[BUDDY_FIXTURE_PAGES];
	unsigned int nr;		/* of those */
	DECLARE_BITMAP(used, BUDDY_FIXTURE_PAGES);	/* taken, or in no chunk */
	u16 chunk[BUDDY_FIXTURE_PAGES];	/* the number of a page's chunk */
	u16 chunks;
	struct buddy_fixture_gone {
		u16 at;
		u16 order;
	} gone[BUDDY_FIXTURE_PAGES];		/* went back to the system */
	unsigned int nr_gone;
	unsigned long refused;		/* requests */
};

struct buddy_fixture *buddy_fixture_new(struct kunit *test,
					const struct cp_buddy_policy *policy);
struct buddy_fixture *buddy_fixture_whole(struct kunit *test,
					  const struct cp_buddy_policy *policy);
void buddy_fixture_drop(struct buddy_fixture *f);
void buddy_fixture_end(struct kunit *test, struct buddy_fixture *f);
void buddy_fixture_desire(struct kunit *test, struct buddy_fixture *f,
			  const char *text);
void buddy_fixture_add(struct buddy_fixture *f, unsigned int at,
		       unsigned int order);
struct cp_page *buddy_fixture_try(struct buddy_fixture *f, unsigned int order);
const char *buddy_fixture_wrong(struct buddy_fixture *f, unsigned int order,
				const struct cp_page *p);
unsigned int buddy_fixture_misled(const struct buddy_fixture *f);
void buddy_fixture_keep(struct buddy_fixture *f, struct cp_page *p);
struct cp_page *buddy_fixture_take(struct kunit *test, struct buddy_fixture *f,
				   unsigned int order);
void buddy_fixture_give(struct buddy_fixture *f, struct cp_page *p);
bool buddy_fixture_spill(struct buddy_fixture *f, unsigned int order);
void buddy_fixture_return(struct buddy_fixture *f, unsigned int pick);
unsigned int buddy_fixture_take_all(struct kunit *test,
				    struct buddy_fixture *f);
void buddy_fixture_random(struct kunit *test, struct buddy_fixture *f,
			  struct rnd_state *rnd, unsigned int step);
unsigned long buddy_fixture_pairs(const struct buddy_fixture *f);
unsigned long buddy_fixture_merges(const struct buddy_fixture *f);

#endif /* CP_KUNIT_BUDDY_FIXTURE_H */
