// SPDX-License-Identifier: GPL-2.0
/*
 * Each policy of the buddy, with no arena around it: the three loads of the
 * tests of drm's buddy, and random ones beside a bitmap that tries everything.
 */
#include "buddy_fixture.h"

#define TOP	CURPAGE_MAX_ORDER
#define PAGES	BUDDY_FIXTURE_PAGES
#define REQUESTS	100000

KUNIT_ARRAY_PARAM_DESC(policy, cp_buddy_policies, name);

static struct buddy_fixture *setup(struct kunit *test)
{
	return buddy_fixture_whole(test, test->param_value);
}

/* One free block, as at the start. */
static void finish(struct kunit *test, struct buddy_fixture *f)
{
	unsigned int order;

	while (f->nr)
		buddy_fixture_give(f, f->taken[f->nr - 1]);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	if (cp_buddy_is_eager(f->b.policy))
		KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[TOP]);
	cp_buddy_merge(&f->b, UINT_MAX);
	for (order = 0; order <= TOP; order++)
		KUNIT_EXPECT_EQ_MSG(test, order == TOP, f->b.nr_free[order],
				    "free blocks of order %u", order);
	buddy_fixture_end(test, f);
}

static void smallest_block_splits_every_order(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	struct cp_page *p = buddy_fixture_take(test, f, 0);
	unsigned int order;

	KUNIT_EXPECT_PTR_EQ(test, f->pages, p);
	for (order = 0; order < TOP; order++) {
		KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[order]);
		KUNIT_EXPECT_EQ(test, 1, f->b.stat[CP_SPLITS][order + 1]);
	}
	KUNIT_EXPECT_EQ(test, TOP, f->b.stat[CP_SEARCHES][0]);
	KUNIT_EXPECT_EQ(test, PAGES - 1, f->b.free_pages);
	finish(test, f);
	for (order = 1; order <= TOP; order++)
		KUNIT_EXPECT_EQ(test, 1, f->b.stat[CP_MERGES][order]);
}

static void block_of_every_order_is_aligned_to_itself(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	unsigned int order;

	for (order = 0; order <= TOP; order++) {
		struct cp_page *p = buddy_fixture_take(test, f, order);

		KUNIT_ASSERT_NOT_NULL(test, p);
		KUNIT_EXPECT_EQ(test, order, p->order);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(cp_page_pfn(p), 1 << order));
		KUNIT_EXPECT_EQ(test, PAGES - (1 << order), f->b.free_pages);
		KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
		buddy_fixture_give(f, p);
	}
	finish(test, f);
}

static void exhausted_buddy_gives_nothing(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, PAGES, buddy_fixture_take_all(test, f));
	KUNIT_EXPECT_EQ(test, 0, f->b.free_pages);
	for (i = 0; i <= TOP; i++)
		KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, i));
	/* Even pages first: nothing can be joined until the odd ones come. */
	for (i = 0; i < PAGES; i += 2)
		buddy_fixture_give(f, f->pages + i);
	KUNIT_EXPECT_EQ(test, PAGES / 2, f->b.nr_free[0]);
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 1));
	finish(test, f);
}

/* One block of each order below the top, and one page: just all of it. */
static void optimistic_load_fits_exactly(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	unsigned int order;

	for (order = TOP; order-- > 0;)
		KUNIT_ASSERT_NOT_NULL_MSG(test,
					  buddy_fixture_take(test, f, order),
					  "order %u", order);
	KUNIT_EXPECT_NOT_NULL(test, buddy_fixture_take(test, f, 0));
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 0));
	finish(test, f);
}

/*
 * One of each order, smallest first; then each that returns can be had twice.
 */
static void pessimistic_load_joins_as_it_goes(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	struct cp_page *p[CP_NR_ORDERS];
	unsigned int order;

	for (order = 0; order < TOP; order++) {
		p[order] = buddy_fixture_take(test, f, order);
		KUNIT_ASSERT_NOT_NULL_MSG(test, p[order], "order %u", order);
	}
	p[TOP] = buddy_fixture_take(test, f, 0);
	KUNIT_ASSERT_NOT_NULL(test, p[TOP]);
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 0));

	buddy_fixture_give(f, p[TOP]);
	for (order = 1; order <= TOP; order++) {
		struct cp_page *again;

		buddy_fixture_give(f, p[order - 1]);
		again = buddy_fixture_take(test, f, order);
		KUNIT_ASSERT_NOT_NULL_MSG(test, again, "order %u", order);
		KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, order));
		buddy_fixture_give(f, again);
	}
	finish(test, f);
}

/*
 * Of each two buddies one page is free: half the chunk, and nothing but pages.
 */
static void pathological_load_leaves_half_in_pieces(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	unsigned int i;

	buddy_fixture_take_all(test, f);
	for (i = 0; i < PAGES; i++)
		if (hweight32(i) & 1)
			buddy_fixture_give(f, f->pages + i);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	KUNIT_EXPECT_EQ(test, PAGES / 2, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	for (i = 1; i <= TOP; i++)
		KUNIT_EXPECT_NULL_MSG(test, buddy_fixture_take(test, f, i),
				      "order %u", i);
	finish(test, f);
}

static void expect_sound(struct kunit *test, struct buddy_fixture *f,
			 unsigned int step)
{
	KUNIT_ASSERT_EQ_MSG(test,
			    PAGES - bitmap_weight(f->used, PAGES),
			    f->b.free_pages, "step %u", step);
	if (cp_buddy_is_eager(f->b.policy))
		KUNIT_ASSERT_EQ_MSG(test, 0, buddy_fixture_pairs(f), "step %u",
				    step);
	if (step % 1000)
		return;
	KUNIT_ASSERT_EQ_MSG(test, 0, cp_buddy_check(&f->b), "step %u", step);
	KUNIT_ASSERT_EQ_MSG(test, 0, buddy_fixture_misled(f), "step %u", step);
}

static unsigned long total(const struct buddy_fixture *f,
			   enum cp_buddy_stat stat)
{
	unsigned long sum = 0;
	unsigned int order;

	for (order = 0; order <= TOP; order++)
		sum += f->b.stat[stat][order];
	return sum;
}

/* What the bitmap has seen is of some use: each thing happened. */
static void expect_eventful(struct kunit *test, const struct buddy_fixture *f)
{
	unsigned long asked = total(f, CP_ASKED), splits = total(f, CP_SPLITS);
	unsigned long merges = buddy_fixture_merges(f);

	kunit_info(test, "%lu requests, %lu refused, %lu splits, %lu merges",
		   asked, f->refused, splits, merges);
	KUNIT_EXPECT_GT(test, f->refused, REQUESTS / 1000);
	KUNIT_EXPECT_LT(test, f->refused, asked / 2);
	KUNIT_EXPECT_GT(test, splits, REQUESTS / 100);
	KUNIT_EXPECT_GT(test, merges, REQUESTS / 100);
}

static void random_load_agrees_with_a_bitmap(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; total(f, CP_ASKED) < REQUESTS; i++) {
		buddy_fixture_random(test, f, &rnd, i);
		expect_sound(test, f, i);
	}
	expect_eventful(test, f);
	finish(test, f);
}

/* Chunks of any order all over the fixture, next to each other or not. */
static void lay_out(struct buddy_fixture *f, struct rnd_state *rnd)
{
	unsigned int at = 0;

	while (at < PAGES) {
		u32 r = prandom_u32_state(rnd);
		unsigned int order = min(__ffs(at | PAGES), r % CP_NR_ORDERS);

		if (r & 0x700)
			buddy_fixture_add(f, at, order);
		at += 1U << order;
	}
}

/* All of it to the system, and others instead. */
static void renew(struct kunit *test, struct buddy_fixture *f,
		  struct rnd_state *rnd)
{
	while (f->nr)
		buddy_fixture_give(f, f->taken[f->nr - 1]);
	while (buddy_fixture_spill(f, TOP))
		;
	KUNIT_EXPECT_EQ(test, 0, f->b.pages);
	KUNIT_EXPECT_EQ(test, 0, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, 0, f->b.whole_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	KUNIT_EXPECT_EQ(test, PAGES, bitmap_weight(f->used, PAGES));
	f->nr_gone = 0;
	lay_out(f, rnd);
}

static void set_policy(struct buddy_fixture *f, unsigned int pick)
{
	const struct cp_buddy_policy *policy =
		&cp_buddy_policies[pick % CP_NR_BUDDY_POLICIES];

	cp_buddy_set_policy(&f->b, policy);
	if (cp_buddy_is_eager(policy))
		cp_buddy_merge(&f->b, UINT_MAX);
}

static void set_desired(struct kunit *test, struct buddy_fixture *f,
			unsigned int pick)
{
	static const char * const texts[] = {
		"auto", "0", "9,8,7,6,5,4,3,2,1", "uniform:1:300:4096",
		"shares:4096:1,1,1,1,1,1,1,1,1,1,1", "1024",
	};

	buddy_fixture_desire(test, f, texts[pick % ARRAY_SIZE(texts)]);
}

/* Whatever can be done to a buddy. */
static void random_deed(struct kunit *test, struct buddy_fixture *f,
			struct rnd_state *rnd, unsigned int step)
{
	u32 r = prandom_u32_state(rnd);

	switch (r % 64) {
	case 0:
		buddy_fixture_spill(f, (r >> 8) % CP_NR_ORDERS);
		break;
	case 1:
		if (f->nr_gone)
			buddy_fixture_return(f, (r >> 8) % f->nr_gone);
		break;
	case 2:
		if (!(r >> 8 & 15))
			set_policy(f, r >> 12);
		break;
	case 3:
		set_desired(test, f, r >> 8);
		break;
	case 4:
		cp_buddy_merge(&f->b, (r >> 8) % 8);
		break;
	default:
		buddy_fixture_random(test, f, rnd, step);
	}
}

/* Chunks come and go, and so do policies; each is the first once. */
static void random_chunks_and_policies_agree_with_a_bitmap(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, test->param_value);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; total(f, CP_ASKED) < REQUESTS; i++) {
		if (i % 10000 == 0)
			renew(test, f, &rnd);
		random_deed(test, f, &rnd, i);
		expect_sound(test, f, i);
	}
	expect_eventful(test, f);
	buddy_fixture_end(test, f);
}

/* Where the system's chunks lie must not change what happens. */
static void neighbouring_chunks_are_not_joined(struct kunit *test)
{
	struct buddy_fixture *f = buddy_fixture_new(test, test->param_value);

	buddy_fixture_add(f, 0, 0);
	buddy_fixture_add(f, 1, 0);
	buddy_fixture_add(f, 2, 1);
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 2));
	KUNIT_EXPECT_NOT_NULL(test, buddy_fixture_take(test, f, 1));
	KUNIT_EXPECT_NULL(test, buddy_fixture_take(test, f, 1));
	KUNIT_EXPECT_EQ(test, 2, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	buddy_fixture_end(test, f);
}

/* Its buddy went back to the system and is somebody's page by now. */
static void page_gone_to_the_system_is_not_joined(struct kunit *test)
{
	struct buddy_fixture *f = setup(test);
	struct cp_page *a = buddy_fixture_take(test, f, 0);

	KUNIT_ASSERT_PTR_EQ(test, f->pages, a);
	KUNIT_ASSERT_TRUE(test, buddy_fixture_spill(f, 0));
	KUNIT_ASSERT_EQ(test, 1, f->gone[0].at);
	/* As it looks by chance, but for the key. */
	a[1].word = cp_page_word_as(a, CP_FREE);
	a[1].word.key = 0;
	buddy_fixture_give(f, a);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, PAGES - 1, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, PAGES - 1, f->b.pages);
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	/* Back in a chunk of its own: still no buddy. */
	buddy_fixture_return(f, 0);
	KUNIT_EXPECT_EQ(test, 2, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	buddy_fixture_end(test, f);
}

/* Two pages that are a pair, and a buddy that has forgotten it. */
static void bitmap_notices_a_pair_that_is_hidden(struct kunit *test)
{
	struct buddy_fixture *f =
		buddy_fixture_new(test, &cp_buddy_policies[CP_BUDDY_REVISED]);
	struct cp_page *p;

	buddy_fixture_add(f, 0, 1);
	KUNIT_ASSERT_EQ(test, 2, buddy_fixture_take_all(test, f));
	buddy_fixture_give(f, f->pages);
	buddy_fixture_give(f, f->pages + 1);
	f->b.paired = 0;
	p = buddy_fixture_try(f, 1);
	KUNIT_EXPECT_NULL(test, p);
	KUNIT_EXPECT_NOT_NULL(test, buddy_fixture_wrong(f, 1, p));
	f->b.paired = 1;
	p = buddy_fixture_try(f, 1);
	KUNIT_EXPECT_NOT_NULL(test, p);
	KUNIT_EXPECT_NULL(test, buddy_fixture_wrong(f, 1, p));
	buddy_fixture_keep(f, p);
	buddy_fixture_end(test, f);
}

static void bitmap_notices_a_block_that_is_wrong(struct kunit *test)
{
	struct buddy_fixture *f =
		buddy_fixture_new(test, &cp_buddy_policies[CP_BUDDY_BINARY]);
	struct cp_page *p;

	buddy_fixture_add(f, 0, 2);
	buddy_fixture_add(f, 4, 2);
	p = buddy_fixture_take(test, f, 1);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 1, p), "in use");
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 0, p + 1),
				  "in use");
	buddy_fixture_give(f, p);
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 3, f->pages),
				  "in two chunks");
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 1, f->pages + 1),
				  "not aligned");
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 0, f->pages + 8),
				  "in no chunk");
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 0, f->pages - 1),
				  "a page of nobody's");
	KUNIT_EXPECT_NOT_NULL_MSG(test, buddy_fixture_wrong(f, 2, f->pages),
				  "still on a list");
	buddy_fixture_end(test, f);
}

#define POLICY_CASE(fn)	KUNIT_CASE_PARAM(fn, policy_gen_params)

static struct kunit_case cp_buddy_cases[] = {
	POLICY_CASE(smallest_block_splits_every_order),
	POLICY_CASE(block_of_every_order_is_aligned_to_itself),
	POLICY_CASE(exhausted_buddy_gives_nothing),
	POLICY_CASE(optimistic_load_fits_exactly),
	POLICY_CASE(pessimistic_load_joins_as_it_goes),
	POLICY_CASE(pathological_load_leaves_half_in_pieces),
	POLICY_CASE(random_load_agrees_with_a_bitmap),
	POLICY_CASE(random_chunks_and_policies_agree_with_a_bitmap),
	POLICY_CASE(neighbouring_chunks_are_not_joined),
	POLICY_CASE(page_gone_to_the_system_is_not_joined),
	KUNIT_CASE(bitmap_notices_a_pair_that_is_hidden),
	KUNIT_CASE(bitmap_notices_a_block_that_is_wrong),
	{}
};

CP_TEST_SUITE(buddy);
