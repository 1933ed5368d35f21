// SPDX-License-Identifier: GPL-2.0
/*
 * Each policy of the buddy on a chunk of its own, with no arena around it.
 * The three loads are those of the tests of drm's buddy.
 */
#include "common.h"

#include <linux/prandom.h>

#define TOP	CURPAGE_MAX_ORDER
#define PAGES	BIT(TOP)

struct buddy {
	struct cp_buddy b;
	struct cp_page *chunk;
	struct cp_page *taken[PAGES];
	DECLARE_BITMAP(used, PAGES);
};

static void policy_desc(const struct cp_buddy_policy * const *p, char *desc)
{
	strscpy(desc, (*p)->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(policy, cp_buddy_policies, policy_desc);

static struct buddy *setup(struct kunit *test)
{
	const struct cp_buddy_policy * const *policy = test->param_value;
	struct buddy *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->chunk = cp_system_take(GFP_KERNEL, TOP);
	KUNIT_ASSERT_NOT_NULL(test, f->chunk);
	cp_page_adopt(f->chunk, TOP);
	cp_buddy_init(&f->b, policy - cp_buddy_policies);
	cp_buddy_mark_free(&f->b, f->chunk, TOP);
	return f;
}

static struct cp_page *take(struct buddy *f, unsigned int order)
{
	struct cp_page *p = f->b.policy->take(&f->b, order);

	if (p)
		cp_page_set(p, CP_BLOCK, order);
	return p;
}

static void give(struct buddy *f, struct cp_page *p)
{
	f->b.policy->give(&f->b, p);
}

/* All has come back: one free block, as at the start. */
static void finish(struct kunit *test, struct buddy *f)
{
	unsigned int order;

	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	KUNIT_EXPECT_EQ(test, PAGES, f->b.free_pages);
	for (order = 0; order <= TOP; order++)
		KUNIT_EXPECT_EQ_MSG(test, order == TOP, f->b.nr_free[order],
				    "free blocks of order %u", order);
	cp_system_give(f->chunk, TOP);
}

static void smallest_block_splits_every_order(struct kunit *test)
{
	struct buddy *f = setup(test);
	struct cp_page *p = take(f, 0);
	unsigned int order;

	KUNIT_EXPECT_PTR_EQ(test, f->chunk, p);
	for (order = 0; order < TOP; order++) {
		KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[order]);
		KUNIT_EXPECT_EQ(test, 1, f->b.splits[order + 1]);
	}
	KUNIT_EXPECT_EQ(test, PAGES - 1, f->b.free_pages);
	give(f, p);
	for (order = 1; order <= TOP; order++)
		KUNIT_EXPECT_EQ(test, 1, f->b.merges[order]);
	finish(test, f);
}

static void block_of_every_order_is_aligned_to_itself(struct kunit *test)
{
	struct buddy *f = setup(test);
	unsigned int order;

	for (order = 0; order <= TOP; order++) {
		struct cp_page *p = take(f, order);

		KUNIT_ASSERT_NOT_NULL(test, p);
		KUNIT_EXPECT_EQ(test, order, p->order);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(cp_page_pfn(p), 1 << order));
		KUNIT_EXPECT_EQ(test, PAGES - (1 << order), f->b.free_pages);
		KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
		give(f, p);
	}
	finish(test, f);
}

static void exhausted_buddy_gives_nothing(struct kunit *test)
{
	struct buddy *f = setup(test);
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		struct cp_page *p = take(f, 0);

		KUNIT_ASSERT_NOT_NULL(test, p);
		KUNIT_EXPECT_FALSE(test, test_and_set_bit(p - f->chunk,
							  f->used));
	}
	KUNIT_EXPECT_EQ(test, 0, f->b.free_pages);
	for (i = 0; i <= TOP; i++)
		KUNIT_EXPECT_NULL(test, take(f, i));
	/* Even pages first: nothing can be joined until the odd ones come. */
	for (i = 0; i < PAGES; i += 2)
		give(f, f->chunk + i);
	KUNIT_EXPECT_EQ(test, PAGES / 2, f->b.nr_free[0]);
	KUNIT_EXPECT_NULL(test, take(f, 1));
	for (i = 1; i < PAGES; i += 2)
		give(f, f->chunk + i);
	finish(test, f);
}

/* One block of each order below the top, and one page: just all of it. */
static void optimistic_load_fits_exactly(struct kunit *test)
{
	struct buddy *f = setup(test);
	unsigned int order, n = 0;

	for (order = TOP; order-- > 0;) {
		f->taken[n] = take(f, order);
		KUNIT_ASSERT_NOT_NULL_MSG(test, f->taken[n], "order %u", order);
		n++;
	}
	f->taken[n++] = take(f, 0);
	KUNIT_EXPECT_NOT_NULL(test, f->taken[n - 1]);
	KUNIT_EXPECT_NULL(test, take(f, 0));
	while (n)
		give(f, f->taken[--n]);
	finish(test, f);
}

/* One of each order, smallest first; then each that returns can be had twice. */
static void pessimistic_load_joins_as_it_goes(struct kunit *test)
{
	struct buddy *f = setup(test);
	unsigned int order, top;

	for (order = 0; order < TOP; order++) {
		f->taken[order] = take(f, order);
		KUNIT_ASSERT_NOT_NULL_MSG(test, f->taken[order], "order %u",
					  order);
	}
	f->taken[TOP] = take(f, 0);
	KUNIT_ASSERT_NOT_NULL(test, f->taken[TOP]);
	KUNIT_EXPECT_NULL(test, take(f, 0));

	give(f, f->taken[TOP]);
	for (top = 1; top <= TOP; top++) {
		struct cp_page *p;

		give(f, f->taken[top - 1]);
		p = take(f, top);
		KUNIT_EXPECT_NOT_NULL_MSG(test, p, "order %u", top);
		KUNIT_EXPECT_NULL(test, take(f, top));
		give(f, p);
	}
	finish(test, f);
}

/* Of each two buddies one page is free: half the chunk, and nothing but pages. */
static void pathological_load_leaves_half_in_pieces(struct kunit *test)
{
	struct buddy *f = setup(test);
	unsigned int i, n = 0;

	for (i = 0; i < PAGES; i++)
		take(f, 0);
	for (i = 0; i < PAGES; i++)
		if (hweight32(i) & 1)
			give(f, f->chunk + i);
		else
			f->taken[n++] = f->chunk + i;
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	KUNIT_EXPECT_EQ(test, PAGES / 2, f->b.free_pages);
	for (i = 1; i <= TOP; i++)
		KUNIT_EXPECT_NULL_MSG(test, take(f, i), "order %u", i);
	while (n)
		give(f, f->taken[--n]);
	finish(test, f);
}

/* Is there room for an aligned block of this order?  The trivial way. */
static bool reference_has(struct buddy *f, unsigned int order)
{
	unsigned int size = 1 << order, i;

	for (i = 0; i < PAGES; i += size)
		if (find_next_bit(f->used, i + size, i) >= i + size)
			return true;
	return false;
}

static void random_take(struct kunit *test, struct buddy *f,
			unsigned int order, unsigned int *n)
{
	bool room = reference_has(f, order);
	struct cp_page *p = take(f, order);
	unsigned int at, end;

	KUNIT_EXPECT_EQ_MSG(test, room, !!p, "order %u", order);
	if (!p)
		return;
	at = p - f->chunk;
	end = at + (1 << order);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED(at, 1 << order));
	KUNIT_EXPECT_GE_MSG(test, find_next_bit(f->used, end, at), end,
			    "page %u order %u was taken", at, order);
	bitmap_set(f->used, at, 1 << order);
	f->taken[(*n)++] = p;
}

static void random_give(struct buddy *f, unsigned int pick, unsigned int *n)
{
	struct cp_page *p = f->taken[pick];

	bitmap_clear(f->used, p - f->chunk, 1 << p->order);
	f->taken[pick] = f->taken[--*n];
	give(f, p);
}

static void random_load_agrees_with_a_bitmap(struct kunit *test)
{
	struct buddy *f = setup(test);
	struct rnd_state rnd;
	unsigned int i, n = 0;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < 20000; i++) {
		u32 r = prandom_u32_state(&rnd);

		/* Half of the blocks are pages, a quarter pairs, and so on. */
		if (n && (r & 1))
			random_give(f, (r >> 1) % n, &n);
		else
			random_take(test, f, min(__ffs(r >> 1 | BIT(30)), TOP), &n);
		KUNIT_EXPECT_EQ(test, PAGES - bitmap_weight(f->used, PAGES),
				f->b.free_pages);
		if (i % 64 == 0)
			KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	}
	while (n)
		random_give(f, n - 1, &n);
	finish(test, f);
}

/* Where the system's chunks lie must not change what happens. */
static void neighbouring_chunks_are_not_joined(struct kunit *test)
{
	struct buddy *f = setup(test);
	struct cp_page *a = f->chunk, *b = f->chunk + 1;

	KUNIT_ASSERT_PTR_EQ(test, f->chunk, take(f, TOP));
	a->word.chunk_order = 0;
	b->word.chunk_order = 0;
	cp_page_set(a, CP_BLOCK, 0);
	cp_page_set(b, CP_BLOCK, 0);
	give(f, a);
	give(f, b);
	KUNIT_EXPECT_EQ(test, 2, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	cp_system_give(f->chunk, TOP);
}

/* Its buddy went back to the system and is somebody's page by now. */
static void page_gone_to_the_system_is_not_joined(struct kunit *test)
{
	struct buddy *f = setup(test);
	struct cp_page *a, *b;

	KUNIT_ASSERT_PTR_EQ(test, f->chunk, take(f, 0));
	a = f->chunk;
	b = take(f, 0);
	KUNIT_ASSERT_PTR_EQ(test, f->chunk + 1, b);
	cp_page_disown(b);
	give(f, a);
	KUNIT_EXPECT_EQ(test, 1, f->b.nr_free[0]);
	KUNIT_EXPECT_EQ(test, PAGES - 1, f->b.free_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	cp_system_give(f->chunk, TOP);
}

static void check_finds_free_buddies_apart(struct kunit *test)
{
	struct buddy *f = setup(test);

	KUNIT_ASSERT_PTR_EQ(test, f->chunk, take(f, 1));
	cp_page_set(f->chunk, CP_TAIL, 0);
	cp_buddy_mark_free(&f->b, f->chunk, 0);
	cp_buddy_mark_free(&f->b, f->chunk + 1, 0);
	KUNIT_EXPECT_EQ(test, 2, cp_buddy_check(&f->b));
	cp_buddy_mark_taken(&f->b, f->chunk + 1);
	cp_buddy_mark_taken(&f->b, f->chunk);
	cp_page_set(f->chunk, CP_BLOCK, 1);
	give(f, f->chunk);
	finish(test, f);
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
	POLICY_CASE(neighbouring_chunks_are_not_joined),
	POLICY_CASE(page_gone_to_the_system_is_not_joined),
	POLICY_CASE(check_finds_free_buddies_apart),
	{}
};

CP_TEST_SUITE(buddy);
