// SPDX-License-Identifier: GPL-2.0
/*
 * The other strategies, against Brent 1984 (sections 2.1 to 2.10) and what is
 * said of those that are not in the paper.  For scripts see script.h.
 */
#include "script.h"

static void script(struct kunit *test, const char *strategy, const char *pages,
		   const char *text)
{
	struct cp_script *s = cp_script_start(test, strategy, 0);

	cp_script_expect(test, s, pages, text);
	cp_script_end(test, s);
}

/* Two blocks are free on A, one on B, three on C; D is full and current. */
#define FULL	"++++ ++++ ++++ ++++"
#define UNEVEN	FULL " 0 1 4 8 9 a "

static void least_free_takes_the_fullest(struct kunit *test)
{
	script(test, "least-free", "AAAABBBBCCCCDDDDBAACCCE", UNEVEN "+ ++ +++ +");
	/* Of those with the same number the one that came to it last. */
	script(test, "least-free", "AAAABBBBCCCCDDDDCBA", FULL " 0 4 8 +++");
}

static void most_free_takes_the_emptiest(struct kunit *test)
{
	script(test, "most-free", "AAAABBBBCCCCDDDDCCCAABE", UNEVEN "+++ ++ + +");
	script(test, "most-free", "AAAABBBBCCCCDDDDCBA", FULL " 0 4 8 +++");
	/* One that is empty is no candidate: S3 comes before S2. */
	script(test, "most-free", "AAAABBBBCCCCDDDDBAAAAE", FULL " 4 0123 + ++++ +");
}

/* A and B have 2 or 3 live blocks, which is the same; C has 1. */
static void least_free_8_goes_by_powers_of_two(struct kunit *test)
{
	script(test, "least-free-8", "AAAABBBBCCCCDDDDBBACCC",
	       FULL " 89a 0 4 5 ++ + +++");
}

static void tolerance_holds_for_current_page_strategies(struct kunit *test)
{
	static const char * const names[] = {
		"least-free", "most-free", "random-b", "least-free-8",
		"lowest-page",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct cp_script *s = cp_script_start(test, names[i],
						      PAGE_SIZE / 2);

		/* A has one free block, too few; B two. */
		cp_script_expect(test, s, "AAAABBBBCCCCBBD",
				 "++++ ++++ ++++ 0 4 5 ++ +");
		cp_script_end(test, s);
	}
}

static void stack_and_queue_go_by_block(struct kunit *test)
{
	script(test, "stack", "AAAABBBBABAC", "++++ ++++ 0 4 1 +++ +");
	script(test, "queue", "AAAABBBBABAC", "++++ ++++ 0 4 1 +++ +");
	script(test, "stack", "AAAABBBBBAAC", "++++ ++++ 0 1 4 +++ +");
	script(test, "queue", "AAAABBBBAABC", "++++ ++++ 0 1 4 +++ +");
	/* Empty pages count for nothing. */
	script(test, "stack", "AAAABBBBBAAAAC", "++++ ++++ 0123 4 + ++++ +");
}

static void quick_waits_for_an_empty_page(struct kunit *test)
{
	/* What is freed on A does not come back, nor on B, which is current. */
	script(test, "quick", "AAAABBBBC", "++++ ++ 0 4 ++ +");
	/* A is empty at last, and comes before a fresh page. */
	script(test, "quick", "AAAABBBBA", "++++ ++ 01 4 2 ++ 3 +");
	/* The current page itself was emptied. */
	script(test, "quick", "AAAAA", "++++ 0123 +");
}

static void nofree_never_looks_back(struct kunit *test)
{
	script(test, "nofree", "AAAABBBBC", "++++ 0123 ++++ 4567 +");
}

#define PAGES	8
#define CAP	16
#define BLOCKS	(PAGES * CAP)

/* Blocks of a few pages, and whether they are live. */
struct pen {
	struct curpage_cache *cache;
	void *block[BLOCKS];
	bool live[BLOCKS];
	struct rnd_state rnd;
};

static struct pen *pen_start(struct kunit *test, const char *strategy)
{
	struct curpage_cache_args args = {
		.strategy = strategy,
		.align = PAGE_SIZE / CAP,
	};
	struct pen *pen = kunit_kzalloc(test, sizeof(*pen), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, pen);
	prandom_seed_state(&pen->rnd, cp_test_seed(test));
	cp_test_pin(test);
	pen->cache = cp_test_cache(test, "kunit-pen", args.align - 100, &args);
	pen->cache->keep = CP_KEEP_ALL;
	for (i = 0; i < BLOCKS; i++) {
		pen->block[i] = curpage_cache_alloc(pen->cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pen->block[i]);
		pen->live[i] = true;
	}
	return pen;
}

static void pen_end(struct kunit *test, struct pen *pen)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		if (pen->live[i])
			curpage_cache_free(pen->cache, pen->block[i]);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, pen->cache);
}

static void pen_free(struct pen *pen, unsigned int i)
{
	curpage_cache_free(pen->cache, pen->block[i]);
	pen->live[i] = false;
}

/* The number of the block that is allocated. */
static unsigned int pen_alloc(struct kunit *test, struct pen *pen)
{
	void *obj = curpage_cache_alloc(pen->cache, GFP_KERNEL);
	unsigned int i = 0;

	while (i < BLOCKS && pen->block[i] != obj)
		i++;
	KUNIT_ASSERT_LT(test, i, BLOCKS);
	KUNIT_EXPECT_FALSE(test, pen->live[i]);
	pen->live[i] = true;
	return i;
}

static unsigned long pen_base(const struct pen *pen, unsigned int i)
{
	return (unsigned long)pen->block[i] & PAGE_MASK;
}

/* Is there a free block on a page below this one? */
static bool pen_lower(const struct pen *pen, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		if (!pen->live[i] && pen_base(pen, i) < pen_base(pen, nr))
			return true;
	return false;
}

static void first_fit_takes_the_lowest_page_each_time(struct kunit *test)
{
	struct pen *pen = pen_start(test, "first-fit");
	unsigned int step, nr;

	for (step = 0; step < 2000; step++) {
		nr = prandom_u32_state(&pen->rnd) % BLOCKS;
		if (pen->live[nr])
			pen_free(pen, nr);
		else
			KUNIT_ASSERT_FALSE(test, pen_lower(pen, pen_alloc(test, pen)));
	}
	pen_end(test, pen);
}

static void lowest_page_is_used_up_then_the_lowest_is_next(struct kunit *test)
{
	struct pen *pen = pen_start(test, "lowest-page");
	unsigned int step, nr, last = BLOCKS - 1, i;

	for (step = 0; step < 2000; step++) {
		bool left = false;

		nr = prandom_u32_state(&pen->rnd) % BLOCKS;
		if (pen->live[nr]) {
			pen_free(pen, nr);
			continue;
		}
		for (i = 0; i < BLOCKS; i++)
			left |= !pen->live[i] &&
				pen_base(pen, i) == pen_base(pen, last);
		nr = pen_alloc(test, pen);
		if (left)
			KUNIT_ASSERT_EQ(test, pen_base(pen, nr),
					pen_base(pen, last));
		last = nr;
	}
	pen_end(test, pen);
}

static void expect_about(struct kunit *test, unsigned int page,
			 unsigned int hits, unsigned int expected)
{
	KUNIT_EXPECT_GT_MSG(test, hits, expected * 8 / 10, "page %u", page);
	KUNIT_EXPECT_LT_MSG(test, hits, expected * 12 / 10, "page %u", page);
}

/* Page k has k + 1 free blocks, and is hit as often as it has. */
static void random_takes_any_block(struct kunit *test)
{
	struct pen *pen = pen_start(test, "random");
	unsigned int hits[PAGES] = { };
	unsigned int round, i;

	for (i = 0; i < BLOCKS; i++)
		if (i % CAP <= i / CAP)
			pen_free(pen, i);
	for (round = 0; round < 9000; round++) {
		i = pen_alloc(test, pen);
		hits[i / CAP]++;
		pen_free(pen, i);
	}
	for (i = 0; i < PAGES; i++)
		expect_about(test, i, hits[i], 9000 * (i + 1) / 36);
	pen_end(test, pen);
}

/*
 * Pages but the current one have one free block each.  The one that was current
 * gets it when another is, since a free on the current page would keep it so.
 */
static void random_b_takes_any_page(struct kunit *test)
{
	struct pen *pen = pen_start(test, "random-b");
	unsigned int current_page = PAGES - 1, hits[PAGES] = { };
	unsigned int round, i;

	for (i = 0; i < PAGES - 1; i++)
		pen_free(pen, i * CAP);
	for (round = 0; round < 8000; round++) {
		i = pen_alloc(test, pen) / CAP;
		KUNIT_ASSERT_NE(test, i, current_page);
		hits[i]++;
		pen_free(pen, current_page * CAP);
		current_page = i;
	}
	for (i = 0; i < PAGES; i++)
		expect_about(test, i, hits[i], 1000);
	pen_end(test, pen);
}

static int retune(struct pen *pen, unsigned int r)
{
	return cp_cache_retune(pen->cache, cp_strategies[r % CP_NR_STRATEGIES],
			       1 + r % PAGE_SIZE);
}

/* Under a load from any strategy to any other: all is there, and in order. */
static void strategies_change_in_use(struct kunit *test)
{
	struct pen *pen = pen_start(test, "mru");
	unsigned int step;

	for (step = 0; step < 3000; step++) {
		unsigned int r = prandom_u32_state(&pen->rnd);
		unsigned int nr = r % BLOCKS;

		if (step % 20 == 0) {
			KUNIT_ASSERT_EQ(test, 0, retune(pen, r / BLOCKS));
			KUNIT_ASSERT_EQ(test, 0, curpage_check());
		}
		if (pen->live[nr]) {
			pen_free(pen, nr);
		} else {
			/*
			 * It may come from another page than those of the pen.
			 */
			pen->block[nr] = curpage_cache_alloc(pen->cache,
							     GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, pen->block[nr]);
			pen->live[nr] = true;
		}
	}
	pen_end(test, pen);
}

static void table_has_every_name(struct kunit *test)
{
	static const char * const names[] = {
		"mru", "least-free", "most-free", "random-b", "quick",
		"first-fit", "stack", "queue", "random", "nofree",
		"least-free-8", "lowest-page",
	};
	char all[CP_STRATEGY_NAMES];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, (int)ARRAY_SIZE(names), (int)CP_NR_STRATEGIES);
	cp_strategy_names(all, sizeof(all));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_NOT_NULL(test, cp_strategy_find(names[i]));
		KUNIT_EXPECT_NOT_NULL(test, strstr(all, names[i]));
	}
	KUNIT_EXPECT_NULL(test, cp_strategy_find("best-fit"));
}

static struct kunit_case cp_strategy_cases[] = {
	KUNIT_CASE(table_has_every_name),
	KUNIT_CASE(least_free_takes_the_fullest),
	KUNIT_CASE(most_free_takes_the_emptiest),
	KUNIT_CASE(least_free_8_goes_by_powers_of_two),
	KUNIT_CASE(tolerance_holds_for_current_page_strategies),
	KUNIT_CASE(stack_and_queue_go_by_block),
	KUNIT_CASE(quick_waits_for_an_empty_page),
	KUNIT_CASE(nofree_never_looks_back),
	KUNIT_CASE(first_fit_takes_the_lowest_page_each_time),
	KUNIT_CASE(lowest_page_is_used_up_then_the_lowest_is_next),
	KUNIT_CASE(random_takes_any_block),
	KUNIT_CASE(random_b_takes_any_page),
	KUNIT_CASE(strategies_change_in_use),
	{}
};

CP_TEST_SUITE(strategy);
