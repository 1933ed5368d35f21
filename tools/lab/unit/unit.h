/* SPDX-License-Identifier: GPL-2.0 */
/* Tests in C: what a trace cannot reach. */
#ifndef UNIT_H
#define UNIT_H

#include "arena/stock.h"
#include "arena/system.h"
#include "cache/borrow.h"
#include "cache/cache.h"
#include "heap/debug.h"
#include "heap/harden.h"
#include "heap/remote.h"
#include "heap/report.h"
#include "large/large.h"
#include "size/size.h"
#include "watch/watch.h"

/* Each case has a process and an allocator of its own. */
struct unit_case {
	const char *name;
	void (*run)(void);
	unsigned long max_pages;	/* bound of the arena, 0 for none */
	enum cp_buddy_policy_id policy;
	bool apart;
	bool bare;			/* starts and ends the allocator itself */
};

extern const struct unit_case unit_damage_cases[];
extern const struct unit_case unit_double_cases[];
extern const struct unit_case unit_fail_cases[];
extern const struct unit_case unit_sim_cases[];
extern const struct unit_case unit_sizemap_cases[];
extern const struct unit_case unit_strategy_cases[];
extern const struct unit_case unit_system_cases[];

extern unsigned int unit_failures;

/* Damaged pages that belong to nobody when a case ends: the case says how many. */
extern unsigned long unit_lost_pages;

#define EXPECT(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,	\
			__LINE__, #cond);				\
		unit_failures++;					\
	}								\
} while (0)

/* Ends the case: what follows would make no sense. */
#define REQUIRE(cond) do {						\
	EXPECT(cond);							\
	if (unit_failures)						\
		exit(1);						\
} while (0)

void unit_start(unsigned long max_pages);
void unit_end(void);
unsigned long unit_live(void);
unsigned int unit_random(unsigned int below);

#endif /* UNIT_H */
