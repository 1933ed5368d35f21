// SPDX-License-Identifier: GPL-2.0
/* What each policy of the buddy promises beyond serving requests. */
#include "buddy_fixture.h"

#define TOP	CURPAGE_MAX_ORDER
#define JOINS	(64 + TOP)	/* of one request that can do without them */

KUNIT_ARRAY_PARAM_DESC(policy, cp_buddy_policies, name);

static const struct cp_buddy_policy *revised =
	&cp_buddy_policies[CP_BUDDY_REVISED];

/* A chunk at the start of a fixture, all of it taken page by page. */
static struct buddy_fixture *setup(struct kunit *test,
				   const struct cp_buddy_policy *policy,
				   unsigned int order)
{
	struct buddy_fixture *f = buddy_fixture_new(test, policy);

	buddy_fixture_add(f, 0, order);
	KUNIT_ASSERT_EQ(test, 1U << order, buddy_fixture_take_all(test, f));
	return f;
}

static void give(struct buddy_fixture *f, unsigned int from, unsigned int nr)
{
	while (nr--)
		buddy_fixture_give(f, f->pages + from++);
}

static struct cp_page *expect_taken(struct kunit *test, struct buddy_fixture *f,
				    unsigned int order, unsigned int at)
{
	struct cp_page *p = buddy_fixture_take(test, f, order);

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ_MSG(test, at, p - f->pages, "order %u", order);
	return p;
}

/* Seen by a walk of the lists, which is not how the buddy finds out. */
static bool is_listed(const struct buddy_fixture *f, const struct cp_page *p,
		      unsigned int order)
{
	const struct cp_page *other;

	list_for_each_entry(other, &f->b.lone[order], list)
		if (other == p)
			return true;
	list_for_each_entry(other, &f->b.pair[order], list)
		if (other == p || other + (1UL << order) == p)
			return true;
	return false;
}

/* The order that a block should have once it has come back. */
static unsigned int order_to_be(const struct buddy_fixture *f,
				const struct cp_page *p)
{
	unsigned long at = p - f->pages;
	unsigned int order = p->order;

	while (order < TOP &&
	       is_listed(f, f->pages + (at ^ 1UL << order), order) &&
	       f->b.nr_free[order] + 1 > f->b.desired[order])
		at &= ~(1UL << order++);
	return order;
}

/* The three systems in one line: a list joins what it has too much of. */
static void free_joins_what_the_policy_says(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_whole(test, test->param_value);
	bool eager = cp_buddy_is_eager(test->param_value);
	bool never = f->b.desired[0] == U32_MAX;
	unsigned long joined = 0, kept = 0;
	struct rnd_state rnd;
	unsigned int i;

	buddy_fixture_desire(test, f, "40,20,10,5,3,2,2,1,1");
	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < 20000; i++) {
		unsigned long merges;
		struct cp_page *p;
		unsigned int order, to_be;

		if (!f->nr || prandom_u32_state(&rnd) & 1) {
			buddy_fixture_take(test, f,
					   __ffs(prandom_u32_state(&rnd) |
						 BIT(4)));
			continue;
		}
		p = f->taken[prandom_u32_state(&rnd) % f->nr];
		order = p->order;
		to_be = order_to_be(f, p);
		merges = buddy_fixture_merges(f);
		buddy_fixture_give(f, p);
		merges = buddy_fixture_merges(f) - merges;
		KUNIT_ASSERT_EQ(test, to_be - order, merges);
		p = f->pages + ((p - f->pages) & ~((1UL << to_be) - 1));
		KUNIT_ASSERT_TRUE(test, is_listed(f, p, to_be));
		joined += merges;
		kept += !merges;
	}
	/* That there was something to be seen. */
	KUNIT_EXPECT_EQ(test, never, !joined);
	KUNIT_EXPECT_GT(test, kept, 0);
	if (eager)
		KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	buddy_fixture_end(test, f);
}

/* Page by page: a list is filled up to the desired number, then joined. */
static void tailored_list_is_filled_before_it_joins(struct kunit *test)
{
	struct buddy_fixture *f =
		setup(test, &cp_buddy_policies[CP_BUDDY_TAILORED], 4);
	static const unsigned int nr_free[] = {
		1, 2, 3, 2, 3, 2, 3, 2,
	};
	static const unsigned int nr_merges[] = {
		0, 0, 0, 1, 1, 2, 2, 4,
	};
	unsigned int i;

	buddy_fixture_desire(test, f, "3");
	for (i = 0; i < ARRAY_SIZE(nr_free); i++) {
		give(f, i, 1);
		KUNIT_EXPECT_EQ_MSG(test, nr_free[i], f->b.nr_free[0],
				    "page %u", i);
		KUNIT_EXPECT_EQ_MSG(test, nr_merges[i], buddy_fixture_merges(f),
				    "page %u", i);
		KUNIT_EXPECT_EQ_MSG(test, i > 0, f->b.nr_pairs[0], "page %u", i);
	}
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[1]);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[2]);
	buddy_fixture_end(test, f);
}

/* Of whichever of the two it is that comes back later. */
static void pair_is_known_at_once(struct kunit *test)
{
	struct buddy_fixture *f = setup(test, revised, 3);

	give(f, 0, 1);
	KUNIT_EXPECT_EQ(test, 0, f->b.nr_pairs[0]);
	give(f, 1, 1);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_pairs[0]);
	give(f, 3, 1);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_pairs[0]);
	give(f, 2, 1);
	KUNIT_EXPECT_EQ(test, 2, f->b.nr_pairs[0]);
	/* Neighbours, but no buddies. */
	give(f, 5, 2);
	KUNIT_EXPECT_EQ(test, 2, f->b.nr_pairs[0]);
	KUNIT_EXPECT_EQ(test, 6, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	/* What is joined can be one of a pair at once. */
	expect_taken(test, f, 1, 2);
	KUNIT_EXPECT_EQ(test, 0, f->b.nr_pairs[1]);
	buddy_fixture_give(f, f->pages + 2);
	expect_taken(test, f, 2, 0);
	KUNIT_EXPECT_EQ(test, 3, buddy_fixture_merges(f));
	buddy_fixture_end(test, f);
}

static void block_whose_buddy_is_free_is_kept(struct kunit *test)
{
	struct buddy_fixture *f = setup(test, revised, 3);

	give(f, 4, 1);
	give(f, 0, 2);
	expect_taken(test, f, 0, 4);
	give(f, 7, 1);
	expect_taken(test, f, 0, 7);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_pairs[0]);
	/* Then there is nothing else. */
	expect_taken(test, f, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, f->b.nr_pairs[0]);
	expect_taken(test, f, 0, 1);
	buddy_fixture_end(test, f);
}

/* A block of this order taken apart, by others than the buddy: all are lone. */
static void take_apart(struct kunit *test, struct buddy_fixture *f,
		       unsigned int at, unsigned int order, unsigned int into)
{
	struct cp_page *p = expect_taken(test, f, order, at);
	unsigned int size = 1U << into, i;

	f->nr--;
	f->b.nr_used[order]--;
	for (i = at; i < at + (1U << order); i += size) {
		p = f->pages + i;
		p->order = into;
		buddy_fixture_keep(f, p);
		buddy_fixture_give(f, p);
	}
}

static void largest_smaller_pairs_are_joined_first(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, revised);

	/* 8 blocks of 1, 4 of 2, 2 of 4 pages. */
	buddy_fixture_add(f, 0, 3);
	take_apart(test, f, 0, 3, 0);
	expect_taken(test, f, 3, 0);
	KUNIT_EXPECT_EQ_MSG(test, 7, buddy_fixture_merges(f), "out of pages");
	buddy_fixture_add(f, 8, 3);
	take_apart(test, f, 8, 3, 1);
	buddy_fixture_add(f, 16, 3);
	take_apart(test, f, 16, 3, 2);
	buddy_fixture_give(f, f->pages);
	take_apart(test, f, 0, 3, 0);
	KUNIT_EXPECT_EQ(test, 4, f->b.nr_pairs[0]);
	KUNIT_EXPECT_EQ(test, 2, f->b.nr_pairs[1]);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_pairs[2]);
	KUNIT_ASSERT_EQ(test, 0, cp_buddy_check(&f->b));

	expect_taken(test, f, 3, 16);
	KUNIT_EXPECT_EQ_MSG(test, 7 + 1, buddy_fixture_merges(f),
			    "out of 2 * 4");
	expect_taken(test, f, 3, 8);
	KUNIT_EXPECT_EQ_MSG(test, 8 + 3, buddy_fixture_merges(f),
			    "out of 4 * 2");
	expect_taken(test, f, 3, 0);
	KUNIT_EXPECT_EQ_MSG(test, 11 + 7, buddy_fixture_merges(f),
			    "out of 8 * 1");
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 3));
	buddy_fixture_end(test, f);
}

/* A larger block is cut when joining has not helped, and not before. */
static void larger_block_is_split_last(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, revised);

	buddy_fixture_add(f, 0, 4);
	buddy_fixture_add(f, 16, 3);
	take_apart(test, f, 16, 3, 1);
	expect_taken(test, f, 2, 20);
	KUNIT_EXPECT_EQ(test, 1, buddy_fixture_merges(f));
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[4]);
	/* The last pair is joined in vain: 16 to 19 are too few. */
	expect_taken(test, f, 3, 0);
	KUNIT_EXPECT_EQ(test, 2, buddy_fixture_merges(f));
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[2]);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[3]);
	KUNIT_EXPECT_EQ(test, 1, f->b.stat[CP_SPLITS][4]);
	buddy_fixture_end(test, f);
}

static unsigned long searches(const struct buddy_fixture *f, unsigned int order)
{
	return f->b.stat[CP_SEARCHES][order];
}

/* Each list above that of the request; those that are joined cost joins. */
static void searches_are_the_lists_looked_at(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, revised);

	buddy_fixture_add(f, 0, 5);
	expect_taken(test, f, 2, 0);
	KUNIT_EXPECT_EQ(test, 3, searches(f, 2));
	expect_taken(test, f, 2, 4);
	KUNIT_EXPECT_EQ_MSG(test, 3, searches(f, 2), "its own list");
	expect_taken(test, f, 3, 8);
	KUNIT_EXPECT_EQ(test, 0, searches(f, 3));
	buddy_fixture_give(f, f->pages);
	buddy_fixture_give(f, f->pages + 4);
	expect_taken(test, f, 3, 0);
	KUNIT_EXPECT_EQ_MSG(test, 0, searches(f, 3), "the list below");
	expect_taken(test, f, 4, 16);
	KUNIT_EXPECT_EQ(test, 0, searches(f, 4));
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 4));
	KUNIT_EXPECT_EQ_MSG(test, 0, searches(f, 4), "none is larger");
	buddy_fixture_end(test, f);
}

/* Rounds of 32 pages of which one is live: no joining makes 32 of them. */
static void pepper(struct buddy_fixture *f, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++)
		if (i % 32)
			give(f, i, 1);
}

static void request_joins_a_bounded_number(struct kunit *test)
{
	struct buddy_fixture *f = setup(test, revised, 9);
	unsigned long before;
	struct cp_page *p;

	pepper(f, 9);
	buddy_fixture_add(f, 512, 6);
	KUNIT_ASSERT_EQ(test, 16 * 15, f->b.nr_pairs[0]);
	p = cp_buddy_take(&f->b, 5);
	KUNIT_ASSERT_PTR_EQ_MSG(test, f->pages + 512, p, "cut at once");
	KUNIT_EXPECT_LE(test, buddy_fixture_merges(f), JOINS);
	KUNIT_EXPECT_GT(test, buddy_fixture_pairs(f), 0);
	buddy_fixture_keep(f, p);
	expect_taken(test, f, 5, 512 + 32);

	/* Nothing larger is left: as many calls as it takes, each bounded. */
	do {
		before = buddy_fixture_merges(f);
		p = cp_buddy_take(&f->b, 5);
		KUNIT_EXPECT_NULL(test, p);
		KUNIT_ASSERT_LE(test, buddy_fixture_merges(f), before + JOINS);
	} while (cp_buddy_unfinished(&f->b, 5));
	KUNIT_EXPECT_EQ(test, 16 * 26, buddy_fixture_merges(f));
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	buddy_fixture_end(test, f);
}

static void merge_joins_a_bounded_number(struct kunit *test)
{
	struct buddy_fixture *f = setup(test, revised, TOP);
	unsigned int calls = 0;
	unsigned long before;
	bool more;

	give(f, 0, BUDDY_FIXTURE_PAGES);
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES / 2, f->b.nr_pairs[0]);
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_merges(f));
	do {
		before = buddy_fixture_merges(f);
		more = cp_buddy_merge(&f->b, 10);
		KUNIT_ASSERT_LE(test, buddy_fixture_merges(f),
				before + 10 + TOP);
		KUNIT_ASSERT_EQ(test, more, !!buddy_fixture_pairs(f));
		calls++;
	} while (more);
	KUNIT_EXPECT_GT(test, calls, BUDDY_FIXTURE_PAGES / (10 + TOP) - 1);
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES - 1, buddy_fixture_merges(f));
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[TOP]);
	buddy_fixture_end(test, f);
}

/* From any to any; pairs that the new one would have joined go step by step. */
static void policy_changes_in_use(struct kunit *test)
{
	const struct cp_buddy_policy *from = test->param_value;
	unsigned int i;

	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++) {
		const struct cp_buddy_policy *to = &cp_buddy_policies[i];
		struct buddy_fixture *f = setup(test, from, 9);
		unsigned long pairs;

		pepper(f, 9);
		pairs = buddy_fixture_pairs(f);
		cp_buddy_set_policy(&f->b, to);
		KUNIT_EXPECT_EQ(test, pairs, buddy_fixture_pairs(f));
		KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
		while (cp_buddy_is_eager(to) && cp_buddy_merge(&f->b, 1)) {
			/* Requests and frees meanwhile. */
			buddy_fixture_take(test, f, 1);
			give(f, f->taken[0] - f->pages, 1);
			KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
		}
		if (cp_buddy_is_eager(to)) {
			KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
			KUNIT_EXPECT_FALSE(test, f->b.settling);
		}
		if (from == revised)
			KUNIT_EXPECT_GT_MSG(test, pairs, 0, "nothing to settle");
		buddy_fixture_end(test, f);
	}
}

/* The paper's Table 1: lists 5 to 9 of 11 begin with 2, 3, 4, 7, 3 blocks. */
static void expect_table_1(struct kunit *test, struct buddy_fixture *f)
{
	static const unsigned int table[CP_NR_ORDERS] = {
		0, 0, 0, 2, 3, 4, 7, 3, 0, 0, 0,
	};
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		KUNIT_EXPECT_EQ_MSG(test, table[order], f->b.desired[order],
				    "desired of order %u", order);
		KUNIT_EXPECT_EQ_MSG(test, table[order], f->b.nr_free[order],
				    "order %u", order);
	}
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
}

static void fresh_chunk_is_broken_down_as_in_the_paper(struct kunit *test)
{
	struct buddy_fixture *f =
		buddy_fixture_new(test, &cp_buddy_policies[CP_BUDDY_TAILORED]);

	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "the table is of 1024 pages of 4 KiB");
	buddy_fixture_desire(test, f, "uniform:1:300:4096");
	buddy_fixture_add(f, 0, TOP);
	expect_table_1(test, f);
	buddy_fixture_end(test, f);
}

/* All desired blocks are there, or all pages are in blocks of the lowest. */
static void fresh_chunk_has_what_lists_lack(struct kunit *test)
{
	struct buddy_fixture *f =
		buddy_fixture_new(test, &cp_buddy_policies[CP_BUDDY_TAILORED]);

	buddy_fixture_desire(test, f, "3,0,2");
	buddy_fixture_add(f, 0, 5);
	KUNIT_EXPECT_GE(test, f->b.nr_free[0], 3);
	KUNIT_EXPECT_LE(test, f->b.nr_free[0], 4);
	KUNIT_EXPECT_GE(test, f->b.nr_free[2], 2);
	KUNIT_EXPECT_EQ(test, 32, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	buddy_fixture_add(f, 32, 5);
	KUNIT_EXPECT_EQ_MSG(test, 1, f->b.nr_free[5], "nothing was lacking");
	buddy_fixture_desire(test, f, "1000");
	buddy_fixture_add(f, 64, 3);
	KUNIT_EXPECT_GE(test, f->b.nr_free[0], 3 + 8);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	buddy_fixture_end(test, f);
}

/* A chunk that is borrowed for a request: the rest is broken down. */
static void rest_of_a_chunk_is_broken_down(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, test->param_value);
	bool tailored = f->b.policy->tailored;
	struct cp_page *p;

	buddy_fixture_desire(test, f, "4");
	buddy_fixture_add(f, 0, 4);
	KUNIT_EXPECT_EQ(test, tailored ? 4 : 0, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, !tailored, f->b.nr_free[4]);
	bitmap_clear(f->used, 16, 16);
	buddy_fixture_desire(test, f, "6");
	cp_page_adopt(f->pages + 16, 4, CP_FOR_CALLERS);
	p = cp_buddy_add(&f->b, f->pages + 16, 4, 2);
	KUNIT_EXPECT_PTR_EQ(test, f->pages + 16, p);
	KUNIT_EXPECT_EQ(test, 2, p->order);
	buddy_fixture_keep(f, p);
	KUNIT_EXPECT_EQ(test, 16 + 12, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, 32, f->b.pages);
	KUNIT_EXPECT_EQ(test, tailored ? 6 : 0, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	buddy_fixture_end(test, f);
}

/* The system takes what there is, in pieces: nothing is joined for it. */
static void spill_joins_nothing(struct kunit *test)
{
	struct buddy_fixture *f = setup(test, revised, 4);

	give(f, 0, 16);
	KUNIT_EXPECT_TRUE(test, buddy_fixture_spill(f, 3));
	KUNIT_EXPECT_EQ(test, 0, f->gone[0].order);
	while (buddy_fixture_spill(f, 3))
		;
	KUNIT_EXPECT_EQ(test, 16, f->nr_gone);
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_merges(f));
	KUNIT_EXPECT_EQ(test, 0, f->b.pages);
	buddy_fixture_add(f, 0, 4);
	KUNIT_EXPECT_TRUE(test, buddy_fixture_spill(f, 2));
	KUNIT_EXPECT_EQ_MSG(test, 2, f->gone[16].order, "cut to size");
	KUNIT_EXPECT_EQ(test, 12, f->b.pages);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	buddy_fixture_end(test, f);
}

/* For another use: a chunk that is all free, and large enough. */
static void whole_chunk_can_be_had(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, test->param_value);
	struct cp_page *p;

	buddy_fixture_desire(test, f, "0");
	buddy_fixture_add(f, 0, 3);
	buddy_fixture_add(f, 8, 2);
	buddy_fixture_add(f, 16, 4);
	KUNIT_ASSERT_EQ(test, 28, buddy_fixture_take_all(test, f));
	give(f, 16, 15);
	KUNIT_EXPECT_NULL_MSG(test, cp_buddy_take_whole(&f->b, 0), "of none");
	give(f, 0, 12);
	cp_buddy_merge(&f->b, UINT_MAX);
	KUNIT_EXPECT_EQ(test, 12, f->b.whole_pages);
	KUNIT_EXPECT_NULL_MSG(test, cp_buddy_take_whole(&f->b, 4), "too large");
	p = cp_buddy_take_whole(&f->b, 1);
	KUNIT_ASSERT_PTR_EQ_MSG(test, f->pages + 8, p, "the smallest");
	KUNIT_EXPECT_EQ(test, 24, f->b.pages);
	KUNIT_EXPECT_EQ(test, 8, f->b.whole_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	bitmap_set(f->used, 8, 4);
	KUNIT_EXPECT_PTR_EQ(test, f->pages, cp_buddy_take_whole(&f->b, 1));
	KUNIT_EXPECT_EQ(test, 16, f->b.pages);
	KUNIT_EXPECT_NULL(test, cp_buddy_take_whole(&f->b, 0));
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	bitmap_set(f->used, 0, 8);
	buddy_fixture_end(test, f);
}

/* Each row is whole, and is found by its name; what is no name is refused. */
static void policies_are_found_by_name(struct kunit *test)
{
	static const char * const bad[] = { "", "Binary", "binary ", "buddy" };
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, cp_buddy_policies_ok());
	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++)
		KUNIT_EXPECT_PTR_EQ(test, &cp_buddy_policies[i],
				    cp_buddy_policy_get("kunit ",
							cp_buddy_policies[i].name));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_NULL(test, cp_buddy_policy_find(bad[i]));
		KUNIT_EXPECT_NULL(test, cp_buddy_policy_get("kunit ", bad[i]));
	}
}

#define POLICY_CASE(fn)	KUNIT_CASE_PARAM(fn, policy_gen_params)

static struct kunit_case cp_buddy_policy_cases[] = {
	POLICY_CASE(free_joins_what_the_policy_says),
	KUNIT_CASE(tailored_list_is_filled_before_it_joins),
	KUNIT_CASE(pair_is_known_at_once),
	KUNIT_CASE(block_whose_buddy_is_free_is_kept),
	KUNIT_CASE(largest_smaller_pairs_are_joined_first),
	KUNIT_CASE(larger_block_is_split_last),
	KUNIT_CASE(searches_are_the_lists_looked_at),
	KUNIT_CASE(request_joins_a_bounded_number),
	KUNIT_CASE(merge_joins_a_bounded_number),
	POLICY_CASE(policy_changes_in_use),
	KUNIT_CASE(fresh_chunk_is_broken_down_as_in_the_paper),
	KUNIT_CASE(fresh_chunk_has_what_lists_lack),
	POLICY_CASE(rest_of_a_chunk_is_broken_down),
	KUNIT_CASE(spill_joins_nothing),
	POLICY_CASE(whole_chunk_can_be_had),
	KUNIT_CASE(policies_are_found_by_name),
	{}
};

CP_TEST_SUITE(buddy_policy);
