// SPDX-License-Identifier: GPL-2.0
/*
 * The order of pages, against Brent 1984 by hand: sections 2.7 (sets), 2.11
 * (MRU), 2.13 (tolerance) and 4 (lists).  For scripts see script.h.
 */
#include "script.h"

static struct cp_script *setup(struct kunit *test, unsigned int freetol)
{
	return cp_script_start(test, "mru", freetol);
}

/* 2.7: blocks come from the current page while it has one. */
static void current_page_is_used_up_first(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBBC", "++++ ++++ +");
	cp_script_expect(test, m, "CCC", "0 4 +++");
	cp_script_end(test, m);
}

/* 4: "When a block in C is freed, the header H(C) is not moved". */
static void block_freed_into_the_current_page_does_not_move_it(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBB", "++++ ++++");
	/* B is current and has room: it is used before A, freed on later. */
	cp_script_expect(test, m, "BB", "7 6 0 ++");
	/* B is empty and still current, so it is not in S2. */
	cp_script_expect(test, m, "BBBBA", "4 5 8 9 +++++");
	cp_script_end(test, m);
}

/* 2.11: the page on which a block was freed last is the next one. */
static void most_recently_freed_page_is_next(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBBCCCCDDDD", "++++ ++++ ++++ ++++");
	cp_script_expect(test, m, "BCAE", "0 8 4 ++++");
	/* A second free on a page moves it to the front again. */
	cp_script_expect(test, m, "EEE", "+++");
	cp_script_expect(test, m, "AABC", "1 9 5 2 ++++");
	cp_script_end(test, m);
}

/* A page chosen with several free blocks is used up before the next. */
static void chosen_page_is_used_up_before_the_next(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBBCCCC", "++++ ++++ ++++");
	cp_script_expect(test, m, "BBBAA", "0 1 4 5 6 +++ ++");
	cp_script_end(test, m);
}

/* 2.7: S3 is used before S2, and S2 before S1. */
static void partly_used_pages_come_before_empty_ones(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBBCCCC", "++++ ++++ ++++");
	/* A is empty, and was freed last; B has one free block. */
	cp_script_expect(test, m, "BAAAAD", "4 0123 + ++++ +");
	cp_script_end(test, m);
}

/* 2.7: "using the stack, i.e. last-in, first-out principle". */
static void empty_pages_are_a_stack(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBBCCCCDDDD", "++++ ++++ ++++ ++++");
	cp_script_expect(test, m, "CCCCAAAABBBBE",
			 "4567 0123 89ab ++++ ++++ ++++ +");
	cp_script_end(test, m);
}

/* A current page that ran out was freed on, and only then is left. */
static void page_left_behind_enters_behind_none(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAAB", "++++ +");
	/* A is in S4 now; one free makes it the only candidate. */
	cp_script_expect(test, m, "BBBAC", "0 +++ + +");
	cp_script_end(test, m);
}

/* 2.13: pages with fewer than phi0 free blocks are not considered. */
static void page_short_of_the_tolerance_is_passed_over(struct kunit *test)
{
	struct cp_script *m = setup(test, PAGE_SIZE / 2);	/* phi0 = 2 */

	cp_script_expect(test, m, "AAAABBBBC", "++++ ++++ +");
	cp_script_expect(test, m, "CCCBBD", "5 0 6 +++ ++ +");
	/*
	 * The second block freed on A makes it a candidate, the first did not.
	 */
	cp_script_expect(test, m, "DDDAA", "1 +++ ++");
	cp_script_end(test, m);
}

/*
 * 4: the list below phi0 has no order that counts; the free that passes does.
 */
static void tolerance_is_reached_in_the_order_of_frees(struct kunit *test)
{
	struct cp_script *m = setup(test, PAGE_SIZE / 2);

	cp_script_expect(test, m, "AAAABBBBCCCC", "++++ ++++ ++++");
	cp_script_expect(test, m, "AABBD", "0 4 5 1 ++ ++ +");
	cp_script_end(test, m);
}

/* A page that empties leaves for S2 whatever the tolerance. */
static void empty_page_is_below_no_tolerance(struct kunit *test)
{
	struct cp_script *m = setup(test, PAGE_SIZE);		/* phi0 = c */

	cp_script_expect(test, m, "AAAABBBB", "++++ ++++");
	cp_script_expect(test, m, "C", "012 +");
	cp_script_expect(test, m, "CCCAAAAD", "3 +++ ++++ +");
	cp_script_end(test, m);
}

/* 5.2: phi0 = ceil(FREETOL / s), at least 1 and at most c. */
static void phi0_comes_from_freetol(struct kunit *test)
{
	static const struct {
		unsigned int size, freetol, phi0;
	} cases[] = {
		{ 1024, 1, 1 }, { 1024, 1024, 1 }, { 1024, 1025, 2 },
		{ 1024, 4096, 4 }, { 64, 1638, 26 }, { 64, 4096, 64 },
		{ 3000, 4096, 1 }, { 100, 1000, 9 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct curpage_cache_args args = {
			.freetol = cases[i].freetol,
		};
		struct curpage_cache *cache =
			cp_test_cache(test, "kunit-phi0", cases[i].size, &args);

		KUNIT_EXPECT_EQ_MSG(test, cases[i].phi0,
				    raw_cpu_ptr(cache->heaps)->phi0,
				    "size %u, freetol %u", cases[i].size,
				    cases[i].freetol);
		cp_test_destroy(test, cache);
	}
}

static void retune(struct cp_script *m, unsigned int freetol)
{
	cp_cache_retune(m->cache, &cp_strategy_mru, freetol);
}

static void retuned_tolerance_takes_candidates_away(struct kunit *test)
{
	struct cp_script *m = setup(test, 1);

	cp_script_expect(test, m, "AAAABBBBCCCC", "++++ ++++ ++++");
	cp_script_run(test, m, "0 4 5");
	retune(m, PAGE_SIZE / 2);
	cp_script_expect(test, m, "BBD", "++ +");
	cp_script_end(test, m);
}

/* The order of those that stay is kept, and new candidates come behind. */
static void retuned_tolerance_adds_candidates_behind(struct kunit *test)
{
	struct cp_script *m = setup(test, PAGE_SIZE / 2);

	cp_script_expect(test, m, "AAAABBBBCCCCDDDD", "++++ ++++ ++++ ++++");
	cp_script_run(test, m, "0 1 8 9 4");
	retune(m, 1);
	cp_script_expect(test, m, "CCAABE", "++ ++ + +");
	cp_script_end(test, m);
}

static void retuning_to_the_same_changes_nothing(struct kunit *test)
{
	struct cp_script *m = setup(test, 1);

	cp_script_expect(test, m, "AAAABBBBCCCCDDDD", "++++ ++++ ++++ ++++");
	cp_script_run(test, m, "8 0 4");
	retune(m, 1);
	cp_script_expect(test, m, "BACE", "++++");
	cp_script_end(test, m);
}

static unsigned long stat_of(struct cp_script *m, enum cp_heap_stat stat)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(m->cache, &sum);
	return sum.stat[stat];
}

static void refills_are_counted_by_their_source(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	cp_script_expect(test, m, "AAAABBBBC", "++++ ++++ +");
	cp_script_expect(test, m, "CCCBAAAA", "0123 4 +++ + ++++");
	KUNIT_EXPECT_EQ(test, 3, stat_of(m, CP_REFILL_S1));
	KUNIT_EXPECT_EQ(test, 1, stat_of(m, CP_REFILL_S2));
	KUNIT_EXPECT_EQ(test, 1, stat_of(m, CP_REFILL_S3));
	KUNIT_EXPECT_EQ(test, 1, stat_of(m, CP_EMPTIED));
	cp_script_end(test, m);
}

/* Of the empty pages those emptied last are kept. */
static void pages_beyond_keep_are_released_coldest_first(struct kunit *test)
{
	struct cp_script *m = setup(test, 0);

	m->cache->keep = 1;
	cp_script_expect(test, m, "AAAABBBBCCCCD", "++++ ++++ ++++ +");
	cp_script_run(test, m, "0123 4567 89ab");
	KUNIT_EXPECT_EQ(test, 2, stat_of(m, CP_RELEASED));
	cp_script_expect(test, m, "DDDCCCC", "+++ ++++");
	cp_script_end(test, m);
}

static struct kunit_case cp_mru_cases[] = {
	KUNIT_CASE(current_page_is_used_up_first),
	KUNIT_CASE(block_freed_into_the_current_page_does_not_move_it),
	KUNIT_CASE(most_recently_freed_page_is_next),
	KUNIT_CASE(chosen_page_is_used_up_before_the_next),
	KUNIT_CASE(partly_used_pages_come_before_empty_ones),
	KUNIT_CASE(empty_pages_are_a_stack),
	KUNIT_CASE(page_left_behind_enters_behind_none),
	KUNIT_CASE(page_short_of_the_tolerance_is_passed_over),
	KUNIT_CASE(tolerance_is_reached_in_the_order_of_frees),
	KUNIT_CASE(empty_page_is_below_no_tolerance),
	KUNIT_CASE(phi0_comes_from_freetol),
	KUNIT_CASE(retuned_tolerance_takes_candidates_away),
	KUNIT_CASE(retuned_tolerance_adds_candidates_behind),
	KUNIT_CASE(retuning_to_the_same_changes_nothing),
	KUNIT_CASE(refills_are_counted_by_their_source),
	KUNIT_CASE(pages_beyond_keep_are_released_coldest_first),
	{}
};

CP_TEST_SUITE(mru);
