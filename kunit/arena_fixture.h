/* SPDX-License-Identifier: GPL-2.0 */
/* An arena of a test's own, and what the test has taken from it. */
#ifndef CP_KUNIT_ARENA_FIXTURE_H
#define CP_KUNIT_ARENA_FIXTURE_H

#include "common.h"

#define ARENA_FIXTURE_MANY	512

struct arena_fixture {
	struct cp_arena a;
	struct cp_page *taken[ARENA_FIXTURE_MANY];
	unsigned int nr;
	unsigned long used;
	unsigned long blocks;		/* of used, in blocks */
	unsigned long most_blocks;	/* ever */
};

struct arena_fixture_figures {
	struct cp_arena_sum arena;
	struct cp_buddy_sum buddy[CP_NR_USES];
};

struct arena_fixture *arena_fixture_new(struct kunit *test,
					const struct cp_arena_args *args);
struct arena_fixture *arena_fixture_pool(struct kunit *test, unsigned int order,
					 bool apart);
unsigned long arena_fixture_held(struct arena_fixture *f);
void arena_fixture_check(struct kunit *test, struct arena_fixture *f);
struct cp_page *arena_fixture_take_with(struct kunit *test,
					struct arena_fixture *f, gfp_t gfp,
					unsigned int order,
					enum cp_page_kind kind);
struct cp_page *arena_fixture_take(struct kunit *test, struct arena_fixture *f,
				   unsigned int order, enum cp_page_kind kind);
void arena_fixture_give(struct kunit *test, struct arena_fixture *f,
			unsigned int pick);
void arena_fixture_finish(struct kunit *test, struct arena_fixture *f);
struct arena_fixture_figures *arena_fixture_figures(struct kunit *test,
						    struct arena_fixture *f);

#endif /* CP_KUNIT_ARENA_FIXTURE_H */
