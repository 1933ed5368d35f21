// SPDX-License-Identifier: GPL-2.0
/* What lists are tailored to: as text, by the paper's rule, and as learnt. */
#include "buddy_fixture.h"

#define TOP	CURPAGE_MAX_ORDER
#define ROUND	64	/* requests after which a buddy has learnt anew */

struct text_case {
	const char *text;
	const char *back;	/* as it is shown, or NULL if it is no good */
};

static const struct text_case text_cases[] = {
	{ "auto", "auto" },
	{ "0", "0" },
	{ "5", "5" },
	{ "0,0,4,2", "0,0,4,2" },
	{ "0,0,4,2,0,0", "0,0,4,2" },
	{ "007,1", "7,1" },
	{ "1,2,3,4,5,6,7,8,9,10,11", "1,2,3,4,5,6,7,8,9,10,11" },
	{ "1048576", "1048576" },
	{ "1048577" }, { "4294967296" }, { "18446744073709551617" },
	{ "1,2,3,4,5,6,7,8,9,10,11,12" }, { "1,2,3,4,5,6,7,8,9,10,11," },
	{ "" }, { "," }, { "1," }, { ",1" }, { "1,,2" }, { "1 ,2" }, { "1, 2" },
	{ "-1" }, { "+1" }, { "0x10" }, { "1.5" }, { "1;2" }, { "1,2 " },
	{ "Auto" }, { "auto " }, { " auto" }, { "auto,1" }, { "automatic" },
	{ "uniform" }, { "uniform:" }, { "uniform:1" }, { "uniform:1:300" },
	{ "uniform:1:300:" }, { "uniform:0:300:4096" },
	{ "uniform:1:0:4096" }, { "uniform:1:300:0" },
	{ "uniform:301:300:4096" }, { "uniform:1:300:1048577" },
	{ "uniform:1:300:4096:" }, { "uniform:1:300:4096 " },
	{ "uniform:-1:300:4096" }, { "uniform:1,300,4096" },
	{ "uniform::300:4096" },
	/* No page of it, or no block that fits. */
	{ "uniform:1:1:3" }, { "uniform:4096:4096:4095" }, { "shares:4096:0,0" },
	{ "shares" }, { "shares:" }, { "shares:4096" }, { "shares:4096:" },
	{ "shares:0:1" }, { "shares:1048577:1" }, { "shares:4096:1," },
	{ "shares:4096:1048577" }, { "shares:4096:a" },
	{ "shares:4096:1,1,1,1,1,1,1,1,1,1,1,1" },
};

static void text_desc(const struct text_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "\"%s\"", c->text);
}

KUNIT_ARRAY_PARAM(text, text_cases, text_desc);

/*
 * What is good can be given again as it is shown; what is not changes nothing.
 */
static void text_is_read_and_shown(struct kunit *test)
{
	const struct text_case *c = test->param_value;
	struct cp_desired d, old, again;
	char buf[CP_DESIRED_TEXT];

	memset(&d, 0x5a, sizeof(d));
	d.learn = false;
	old = d;
	if (!c->back) {
		KUNIT_EXPECT_EQ(test, -EINVAL,
				cp_desired_parse("kunit ", c->text, &d));
		KUNIT_EXPECT_EQ(test, 0, memcmp(&d, &old, sizeof(d)));
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, cp_desired_parse("kunit ", c->text, &d));
	cp_desired_text(&d, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, c->back, buf);
	KUNIT_ASSERT_EQ(test, 0, cp_desired_parse("kunit ", buf, &again));
	KUNIT_EXPECT_EQ(test, d.learn, again.learn);
	KUNIT_EXPECT_EQ(test, 0, memcmp(d.nr, again.nr, sizeof(d.nr)));
}

/* The longest numbers there are have room. */
static void longest_text_is_shown_in_full(struct kunit *test)
{
	struct cp_desired d = { }, again;
	char buf[CP_DESIRED_TEXT];
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		d.nr[order] = 1 << 20;
	cp_desired_text(&d, buf, sizeof(buf));
	KUNIT_ASSERT_EQ(test, 0, cp_desired_parse("kunit ", buf, &again));
	KUNIT_EXPECT_EQ(test, 0, memcmp(d.nr, again.nr, sizeof(d.nr)));
}

static struct cp_desired parsed(struct kunit *test, const char *text)
{
	struct cp_desired d;

	KUNIT_ASSERT_EQ_MSG(test, 0, cp_desired_parse("kunit ", text, &d), "%s",
			    text);
	return d;
}

static unsigned long pages_of(const u32 *nr)
{
	unsigned long pages = 0;
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		pages += (unsigned long)nr[order] << order;
	return pages;
}

static void expect_numbers(struct kunit *test, const char *text,
			   const char *numbers)
{
	struct cp_desired d = parsed(test, text);
	char buf[CP_DESIRED_TEXT];

	cp_desired_text(&d, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ_MSG(test, numbers, buf, "%s", text);
}

/* Table 1, whose list 2 is that of single pages when a unit is 1 KiB. */
static void rule_gives_the_table_of_the_paper(struct kunit *test)
{
	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "the table is of 1024 pages of 4 KiB");
	expect_numbers(test, "uniform:1:300:4096", "0,0,0,2,3,4,7,3");
	/* The same as shares: so many sizes of 1 to 300 are in each list. */
	expect_numbers(test, "shares:4096:4,4,8,16,32,64,128,44",
		       "0,0,0,2,3,4,7,3");
}

static void one_size_gets_it_all(struct kunit *test)
{
	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "sizes are in pages of 4 KiB");
	expect_numbers(test, "uniform:1:1:4096", "1024");
	expect_numbers(test, "uniform:4:4:4096", "1024");
	expect_numbers(test, "uniform:5:5:4096", "0,512");
	expect_numbers(test, "uniform:4096:4096:4096", "0,0,0,0,0,0,0,0,0,0,1");
	expect_numbers(test, "uniform:4096:4096:1048576",
		       "0,0,0,0,0,0,0,0,0,0,256");
	expect_numbers(test, "shares:4096:0,0,1", "0,0,256");
	expect_numbers(test, "shares:4096:0,0,1048576", "0,0,256");
}

/* The whole blocks of each share, and no room is left for one more of any. */
static void expect_shares(struct kunit *test, const u32 *weight,
			  unsigned long pages, const u32 *nr)
{
	unsigned long left = pages - pages_of(nr);
	unsigned int order;
	u64 all = pages_of(weight);

	KUNIT_ASSERT_LE(test, pages_of(nr), pages);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		u64 share = div64_u64((u64)weight[order] * pages, all);

		KUNIT_ASSERT_GE_MSG(test, nr[order], share, "order %u", order);
		if (weight[order])
			KUNIT_ASSERT_LT_MSG(test, left, 1UL << order,
					    "order %u", order);
		else
			KUNIT_ASSERT_EQ_MSG(test, 0, nr[order], "order %u",
					    order);
	}
}

/* Lists with less than one part in 256 are as if nobody asked for them. */
static void leave_out_what_is_too_small(u32 *weight)
{
	unsigned long all = pages_of(weight);
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (((unsigned long)weight[order] << order) * 256 < all)
			weight[order] = 0;
}

static void rule_gives_shares(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < 1000; i++) {
		u32 pool = 4096 + prandom_u32_state(&rnd) % 1000000;
		u32 weight[CP_NR_ORDERS];
		unsigned int order, len;
		struct cp_desired d;
		char text[160];

		len = scnprintf(text, sizeof(text), "shares:%u", pool);
		for (order = 0; order < CP_NR_ORDERS; order++) {
			u32 r = prandom_u32_state(&rnd);

			weight[order] = r & 1 ? (r >> 1) % 256 * 256 : 0;
			len += scnprintf(text + len, sizeof(text) - len,
					 "%c%u", order ? ',' : ':',
					 weight[order]);
		}
		if (!pages_of(weight))
			continue;
		leave_out_what_is_too_small(weight);
		d = parsed(test, text);
		expect_shares(test, weight,
			      (unsigned long)pool * SZ_1K / PAGE_SIZE, d.nr);
	}
}

/* Many requests of each order, as often as its weight; no block is taken. */
static void ask(struct buddy_fixture *f, const u32 *weight, unsigned int rounds)
{
	while (rounds--) {
		unsigned int order, i;

		for (order = 0; order < CP_NR_ORDERS; order++)
			for (i = 0; i < weight[order]; i++)
				cp_buddy_ask(&f->b, order);
	}
}

static struct buddy_fixture *setup(struct kunit *test,
				   enum cp_buddy_policy_id policy)
{
	return buddy_fixture_whole(test, &cp_buddy_policies[policy]);
}

static void learnt_numbers_are_in_proportion(struct kunit *test)
{
	static const u32 weight[CP_NR_ORDERS] = { 8, 0, 4, 0, 3, 1 };
	struct buddy_fixture *f = setup(test, CP_BUDDY_TAILORED);
	unsigned int order;

	/* Not quite, as what came last in a round counts more. */
	ask(f, weight, 40 * ROUND / 16);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		unsigned long share =
			weight[order] * BUDDY_FIXTURE_PAGES / pages_of(weight);

		KUNIT_EXPECT_GE_MSG(test, f->b.desired[order] + share / 16 + 1,
				    share, "order %u", order);
		KUNIT_EXPECT_LE_MSG(test, f->b.desired[order], weight[order] ?
				    share + share / 16 + 2 : 0, "order %u",
				    order);
	}
	KUNIT_EXPECT_LE(test, pages_of(f->b.desired), BUDDY_FIXTURE_PAGES);
	buddy_fixture_end(test, f);
}

static void learnt_numbers_are_of_the_recent_past(struct kunit *test)
{
	static const u32 small[CP_NR_ORDERS] = { ROUND };
	static const u32 large[CP_NR_ORDERS] = { 0, 0, 0, 0, ROUND };
	struct buddy_fixture *f = setup(test, CP_BUDDY_TAILORED);
	unsigned int rounds = 0;

	ask(f, small, 100);
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES, f->b.desired[0]);
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[4]);
	while (f->b.desired[0] && rounds++ < 100)
		ask(f, large, 1);
	kunit_info(test, "forgotten after %u requests", rounds * ROUND);
	KUNIT_EXPECT_LE(test, rounds, 64);
	KUNIT_EXPECT_GT_MSG(test, rounds, 2, "a few requests count for much");
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES / 16, f->b.desired[4]);
	buddy_fixture_end(test, f);
}

/* Whatever is asked for, lists are not to hold more than there is. */
static void learnt_numbers_fit_into_the_pages(struct kunit *test)
{
	struct buddy_fixture *f =
		buddy_fixture_new(test, &cp_buddy_policies[CP_BUDDY_TAILORED]);
	unsigned int at, i, most = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (at = 0; at < BUDDY_FIXTURE_PAGES; at += 32) {
		buddy_fixture_add(f, at, 5);
		for (i = 0; i < 4 * ROUND; i++) {
			if (i % ROUND == 0)
				most = 1 + prandom_u32_state(&rnd) % TOP;
			cp_buddy_ask(&f->b, prandom_u32_state(&rnd) % most);
			KUNIT_ASSERT_LE(test, pages_of(f->b.desired),
					f->b.pages);
		}
	}
	KUNIT_EXPECT_GT(test, pages_of(f->b.desired), 0);
	buddy_fixture_end(test, f);
}

/* Only numbers that are to be learnt are, and only where they are in use. */
static void numbers_that_are_given_stay(struct kunit *test)
{
	static const u32 weight[CP_NR_ORDERS] = { ROUND };
	struct buddy_fixture *f = setup(test, CP_BUDDY_TAILORED);

	buddy_fixture_desire(test, f, "0,3");
	ask(f, weight, 10);
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[0]);
	KUNIT_EXPECT_EQ(test, 3, f->b.desired[1]);
	cp_buddy_set_policy(&f->b, &cp_buddy_policies[CP_BUDDY_BINARY]);
	ask(f, weight, 10);
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[0]);
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[1]);
	cp_buddy_set_policy(&f->b, &cp_buddy_policies[CP_BUDDY_TAILORED]);
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[0]);
	KUNIT_EXPECT_EQ(test, 3, f->b.desired[1]);
	buddy_fixture_end(test, f);
}

/* What was asked before anything was to be learnt is not lost. */
static void learning_begins_with_all_requests(struct kunit *test)
{
	static const u32 pages[CP_NR_ORDERS] = { ROUND };
	static const u32 blocks[CP_NR_ORDERS] = { 0, 0, 0, ROUND };
	struct buddy_fixture *f = setup(test, CP_BUDDY_REVISED);

	ask(f, pages, 100);
	ask(f, blocks, 100);
	cp_buddy_set_policy(&f->b, &cp_buddy_policies[CP_BUDDY_TAILORED]);
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES / 9, f->b.desired[3]);
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES / 9 + 2, f->b.desired[0]);
	buddy_fixture_desire(test, f, "1");
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[3]);
	buddy_fixture_desire(test, f, "auto");
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES / 9, f->b.desired[3]);
	/* From then on those of late count. */
	ask(f, pages, 64);
	KUNIT_EXPECT_EQ(test, 0, f->b.desired[3]);
	KUNIT_EXPECT_EQ(test, BUDDY_FIXTURE_PAGES, f->b.desired[0]);
	buddy_fixture_end(test, f);
}

/* Up to so many blocks of an order come and go; returns the merges. */
static unsigned long churn(struct kunit *test, struct buddy_fixture *f,
			   struct rnd_state *rnd, unsigned int order,
			   unsigned int most, unsigned int requests)
{
	unsigned long before = buddy_fixture_merges(f);

	while (requests) {
		unsigned int live = prandom_u32_state(rnd) % most;

		while (f->nr > live)
			buddy_fixture_give(f, f->taken[prandom_u32_state(rnd) %
						       f->nr]);
		for (; f->nr < live && requests; requests--)
			KUNIT_ASSERT_NOT_NULL(test, buddy_fixture_take(test, f,
								       order));
	}
	return buddy_fixture_merges(f) - before;
}

/*
 * The paper's own objection: numbers of yesterday have needless merges today.
 */
static unsigned long shift(struct kunit *test, const char *desired, u32 seed)
{
	struct buddy_fixture *f = setup(test, CP_BUDDY_TAILORED);
	unsigned long merges;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, seed);
	buddy_fixture_desire(test, f, desired);
	churn(test, f, &rnd, 0, BUDDY_FIXTURE_PAGES / 2, 40 * ROUND);
	while (f->nr)
		buddy_fixture_give(f, f->taken[f->nr - 1]);
	churn(test, f, &rnd, 3, BUDDY_FIXTURE_PAGES / 32, 40 * ROUND);
	merges = churn(test, f, &rnd, 3, BUDDY_FIXTURE_PAGES / 32, 40 * ROUND);
	buddy_fixture_end(test, f);
	return merges;
}

static void load_that_shifts_is_followed(struct kunit *test)
{
	u32 seed = cp_test_seed(test);
	unsigned long given = shift(test, "1024", seed);
	unsigned long learnt = shift(test, "auto", seed);

	kunit_info(test, "merges for %u requests: given %lu, learnt %lu",
		   40 * ROUND, given, learnt);
	KUNIT_EXPECT_GT(test, given, 40 * ROUND / 10);
	KUNIT_EXPECT_LT(test, learnt, given / 10);
}

static struct kunit_case cp_desired_cases[] = {
	KUNIT_CASE_PARAM(text_is_read_and_shown, text_gen_params),
	KUNIT_CASE(longest_text_is_shown_in_full),
	KUNIT_CASE(rule_gives_the_table_of_the_paper),
	KUNIT_CASE(one_size_gets_it_all),
	KUNIT_CASE(rule_gives_shares),
	KUNIT_CASE(learnt_numbers_are_in_proportion),
	KUNIT_CASE(learnt_numbers_are_of_the_recent_past),
	KUNIT_CASE(learnt_numbers_fit_into_the_pages),
	KUNIT_CASE(numbers_that_are_given_stay),
	KUNIT_CASE(learning_begins_with_all_requests),
	KUNIT_CASE(load_that_shifts_is_followed),
	{}
};

CP_TEST_SUITE(desired);
