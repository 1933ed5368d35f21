// SPDX-License-Identifier: GPL-2.0
/* Blocks inside a page: the stack of the free ones, and a broken link. */
#include "common.h"

struct block_case {
	const char *name;
	unsigned int size;
	struct curpage_cache_args args;
};

static void no_ctor(void *block)
{
}

static const struct block_case block_cases[] = {
	{ "8 bytes", 8 },
	{ "24 bytes", 24 },
	{ "100 bytes", 100 },
	{ "a page", PAGE_SIZE },
	{ "2 bytes", 2 },
	{ "ctor", 60, { .ctor = no_ctor } },
	{ "check", 60, { .flags = CURPAGE_CHECK } },
	{ "aligned", 40, { .align = 256 } },
};

KUNIT_ARRAY_PARAM_DESC(block, block_cases, name);

/* A page of a cache that no heap knows. */
struct fixture {
	struct curpage_cache *cache;
	struct cp_page *p;
};

static struct fixture setup(struct kunit *test, unsigned int size,
			    const struct curpage_cache_args *args)
{
	struct fixture f = {
		.cache = cp_test_cache(test, "kunit-block", size, args),
		.p = cp_system_take(GFP_KERNEL, 0),
	};

	KUNIT_ASSERT_NOT_NULL(test, f.p);
	cp_page_adopt(f.p, 0);
	cp_block_format(f.cache, f.p);
	return f;
}

static struct fixture setup_param(struct kunit *test)
{
	const struct block_case *c = test->param_value;

	return setup(test, c->size, &c->args);
}

static int check(struct fixture *f)
{
	static DECLARE_BITMAP(seen, PAGE_SIZE / 8);

	return cp_block_check(f->cache, f->p, seen);
}

static u16 *link_of(struct fixture *f, unsigned int nr)
{
	return cp_page_base(f->p) + nr * f->cache->stride + f->cache->link;
}

static void first_blocks_have_rising_addresses(struct kunit *test)
{
	struct fixture f = setup_param(test);
	unsigned int i, lost;

	KUNIT_EXPECT_EQ(test, f.cache->capacity, f.p->nr_free);
	KUNIT_EXPECT_EQ(test, 0, check(&f));
	for (i = 0; i < f.cache->capacity; i++) {
		KUNIT_EXPECT_PTR_EQ(test, cp_page_base(f.p) +
				    i * f.cache->stride,
				    cp_block_pop(f.cache, f.p, &lost));
		KUNIT_EXPECT_EQ(test, 0, lost);
	}
	KUNIT_EXPECT_EQ(test, CP_NIL, f.p->free);
	KUNIT_EXPECT_EQ(test, 0, f.p->nr_free);
	cp_system_give(f.p, 0);
}

static void block_pushed_last_is_popped_first(struct kunit *test)
{
	struct fixture f = setup(test, 1024, NULL);
	unsigned int lost;
	void *a = cp_block_pop(f.cache, f.p, &lost);
	void *b = cp_block_pop(f.cache, f.p, &lost);

	cp_block_push(f.cache, f.p, b);
	cp_block_push(f.cache, f.p, a);
	KUNIT_EXPECT_EQ(test, 0, check(&f));
	KUNIT_EXPECT_PTR_EQ(test, a, cp_block_pop(f.cache, f.p, &lost));
	KUNIT_EXPECT_PTR_EQ(test, b, cp_block_pop(f.cache, f.p, &lost));
	KUNIT_EXPECT_EQ(test, 2, f.p->nr_free);
	cp_system_give(f.p, 0);
}

static void only_starts_of_blocks_are_valid(struct kunit *test)
{
	struct fixture f = setup_param(test);
	void *base = cp_page_base(f.p);
	unsigned int at;

	for (at = 0; at < PAGE_SIZE; at++)
		KUNIT_EXPECT_EQ_MSG(test, at % f.cache->stride == 0 &&
				    at / f.cache->stride < f.cache->capacity,
				    cp_block_valid(f.cache, f.p, base + at),
				    "offset %u", at);
	cp_system_give(f.p, 0);
}

/* Each of these in the link of the first block. */
static const u16 bad_links[] = { 1, 63, 65, 4096, 8192, CP_NIL, CP_NIL - 1 };

static void broken_link_gives_up_what_is_behind_it(struct kunit *test)
{
	unsigned int i, lost;

	for (i = 0; i < ARRAY_SIZE(bad_links); i++) {
		struct fixture f = setup(test, 64, NULL);
		void *base = cp_page_base(f.p);

		*link_of(&f, 0) = bad_links[i];
		KUNIT_EXPECT_PTR_EQ(test, base,
				    cp_block_pop(f.cache, f.p, &lost));
		KUNIT_EXPECT_EQ_MSG(test, f.cache->capacity - 1, lost,
				    "link %u", bad_links[i]);
		KUNIT_EXPECT_EQ(test, 0, f.p->nr_free);
		KUNIT_EXPECT_EQ(test, CP_NIL, f.p->free);
		cp_system_give(f.p, 0);
		cp_test_destroy(test, f.cache);
	}
}

static void link_behind_the_last_block_is_not_followed(struct kunit *test)
{
	struct fixture f = setup(test, 1024, NULL);
	unsigned int i, lost;

	*link_of(&f, f.cache->capacity - 1) = 0;
	for (i = 0; i < f.cache->capacity; i++)
		cp_block_pop(f.cache, f.p, &lost);
	KUNIT_EXPECT_EQ(test, 0, lost);
	KUNIT_EXPECT_EQ(test, CP_NIL, f.p->free);
	cp_system_give(f.p, 0);
}

static void free_block_on_top_is_not_freed_again(struct kunit *test)
{
	struct fixture f = setup(test, 1024, NULL);
	unsigned int lost;
	void *a = cp_block_pop(f.cache, f.p, &lost);
	void *b = cp_block_pop(f.cache, f.p, &lost);

	KUNIT_EXPECT_EQ(test, CP_OK, cp_block_free_ok(f.cache, f.p, a));
	cp_block_push(f.cache, f.p, a);
	KUNIT_EXPECT_EQ(test, CP_BAD_DOUBLE,
			cp_block_free_ok(f.cache, f.p, a));
	KUNIT_EXPECT_EQ(test, CP_OK, cp_block_free_ok(f.cache, f.p, b));
	cp_block_push(f.cache, f.p, b);
	KUNIT_EXPECT_EQ(test, CP_BAD_DOUBLE,
			cp_block_free_ok(f.cache, f.p, a));
	cp_system_give(f.p, 0);
}

static void check_finds_a_broken_free_list(struct kunit *test)
{
	struct fixture f = setup(test, 64, NULL);
	u16 good = *link_of(&f, 3);

	*link_of(&f, 3) = good + 1;
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "no block's offset");
	*link_of(&f, 3) = 64;
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "a cycle");
	*link_of(&f, 3) = CP_NIL;
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "an early end");
	*link_of(&f, 3) = good;
	KUNIT_EXPECT_EQ(test, 0, check(&f));
	cp_system_give(f.p, 0);
}

/* All the way from a user who writes to a block that it has freed. */
static void broken_link_costs_a_page_until_the_cache_ends(struct kunit *test)
{
	struct curpage_cache *cache;
	struct cp_cache_sum sum;
	void *a, *b;

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-link", 1024, NULL);
	a = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a);
	curpage_cache_free(cache, a);
	*(u16 *)a = 0x1234;

	KUNIT_EXPECT_PTR_EQ(test, a, curpage_cache_alloc(cache, GFP_KERNEL));
	cp_test_expect_bad(test, CP_BAD_POISON, 1);
	cp_cache_sum(cache, &sum);
	KUNIT_EXPECT_EQ(test, cache->capacity - 1, sum.stat[CP_LOST]);
	KUNIT_EXPECT_EQ(test, 1, sum.live);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());

	b = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_PTR_NE(test, cp_page_lookup(a), cp_page_lookup(b));
	curpage_cache_free(cache, b);
	curpage_cache_free(cache, a);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, cache);
}

static struct kunit_case cp_block_cases[] = {
	KUNIT_CASE_PARAM(first_blocks_have_rising_addresses, block_gen_params),
	KUNIT_CASE(block_pushed_last_is_popped_first),
	KUNIT_CASE_PARAM(only_starts_of_blocks_are_valid, block_gen_params),
	KUNIT_CASE(broken_link_gives_up_what_is_behind_it),
	KUNIT_CASE(link_behind_the_last_block_is_not_followed),
	KUNIT_CASE(free_block_on_top_is_not_freed_again),
	KUNIT_CASE(check_finds_a_broken_free_list),
	KUNIT_CASE(broken_link_costs_a_page_until_the_cache_ends),
	{}
};

CP_TEST_SUITE(block);
