/* SPDX-License-Identifier: GPL-2.0 */
/* An arena of a test's own, and what the test has taken from it. */
#ifndef CP_KUNIT_YARD_H
#define CP_KUNIT_YARD_H

#include "common.h"

#include <linux/prandom.h>

#define CP_YARD_MANY	512

struct cp_yard {
	struct cp_arena a;
	struct cp_page *taken[CP_YARD_MANY];
	unsigned int nr;
	unsigned long used;
	unsigned long blocks;		/* of used, in blocks */
	unsigned long most_blocks;	/* ever */
};

struct cp_yard_figures {
	struct cp_arena_sum arena;
	struct cp_buddy_sum buddy[CP_NR_USES];
};

struct cp_yard *cp_yard_new(struct kunit *test,
			    const struct cp_arena_args *args);
struct cp_yard *cp_yard_pool(struct kunit *test, unsigned int order,
			     bool apart);
unsigned long cp_yard_held(struct cp_yard *f);
void cp_yard_check(struct kunit *test, struct cp_yard *f);
struct cp_page *cp_yard_take_with(struct kunit *test, struct cp_yard *f,
				  gfp_t gfp, unsigned int order,
				  enum cp_page_kind kind);
struct cp_page *cp_yard_take(struct kunit *test, struct cp_yard *f,
			     unsigned int order, enum cp_page_kind kind);
void cp_yard_give(struct kunit *test, struct cp_yard *f, unsigned int pick);
void cp_yard_finish(struct kunit *test, struct cp_yard *f);
struct cp_yard_figures *cp_yard_figures(struct kunit *test, struct cp_yard *f);

#endif /* CP_KUNIT_YARD_H */
