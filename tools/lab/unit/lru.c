// SPDX-License-Identifier: GPL-2.0
/* Simulated paging against the plainest way to do it. */
#include "unit.h"
#include "../lru.h"

#define LRU_PAGES	40
#define LRU_REFS	20000

struct plain_lru {
	u64 now;
	u64 used[LRU_PAGES];	/* when last, or 0 */
	u64 faults[SIM_SETS];
};

/* A page is in memory if fewer others than fit have been used since. */
static void plain_touch(struct plain_lru *l, const struct sim_lru *like,
			unsigned int page)
{
	unsigned int newer = 0, i;

	for (i = 0; i < LRU_PAGES; i++)
		newer += l->used[i] > l->used[page];
	for (i = 0; i < like->nr; i++)
		l->faults[i] += !l->used[page] || newer >= like->size[i];
	l->used[page] = ++l->now;
}

static u32 lru_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* The working sets of an option, as a command has them. */
static struct sim_lru lru;
static const struct lab_option lru_option = SIM_WORKING_SET(lru, "");

static bool lru_set(const char *text)
{
	lru = (struct sim_lru){ };
	return lru_option.type->set(&lru_option, text);
}

static void lru_compare(const char *sets, u64 state)
{
	struct plain_lru plain = {};
	unsigned int n, i;

	REQUIRE(lru_set(sets) && sim_lru_init(&lru, LRU_PAGES));
	for (n = 0; n < LRU_REFS; n++) {
		/* Near the last page now and then, so that all depths are hit. */
		u32 spread = 1 + lru_random(&state) % LRU_PAGES;
		u32 page = lru_random(&state) % spread;

		sim_lru_touch(&lru, page);
		plain_touch(&plain, &lru, page);
	}
	for (i = 0; i < lru.nr; i++)
		EXPECT(lru.faults[i] == plain.faults[i]);
	EXPECT(lru.refs == LRU_REFS && lru.pages == LRU_PAGES);
	EXPECT(lru.faults[0] > lru.pages);
	sim_lru_exit(&lru);
}

static void lru_like_plain(void)
{
	lru_compare("1", 1);
	lru_compare("7", 2);
	lru_compare("1,2,3,4", 3);
	lru_compare("5,20,39,40", 4);
	lru_compare("10,39", 5);
}

static void lru_sets_refused(void)
{
	static const char * const bad[] = {
		"", ",", "0", "-1", "x", "5x", "5,", ",5", "5,5", "9,5", "5,,9",
		"1048577", "99999999999999999999", "1,2,3,4,5", "5 9", "5.",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT(!lru_set(bad[i]));
		EXPECT(!lru.nr);
	}
}

const struct unit_case unit_sim_cases[] = {
	{ "simulated paging is strictly by least recent use", lru_like_plain },
	{ "working sets that make no sense are refused", lru_sets_refused },
	{ }
};
