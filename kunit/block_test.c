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
	cp_page_adopt(f.p, 0, CP_FOR_CACHES);
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

	bitmap_zero(seen, PAGE_SIZE / 8);
	return cp_block_check(f->cache, f->p, f->p->free, f->p->nr_free, seen);
}

static u64 *word_of(struct fixture *f, unsigned int nr)
{
	return cp_block_word(f->cache, cp_page_base(f->p), nr);
}

/* Make a free block lead to this one. */
static void lead(struct fixture *f, unsigned int nr, unsigned int next)
{
	cp_word_seal(f->cache, word_of(f, nr), next);
}

/* Up to n blocks; the page keeps count, as a heap does for it. */
static size_t pop(struct fixture *f, size_t n, void **objs, unsigned int *lost)
{
	size_t got = cp_block_pop(f->cache, cp_page_base(f->p), &f->p->free,
				  f->p->nr_free, n, objs);
	unsigned int left = f->p->nr_free - got;

	*lost = f->p->free == CP_NIL ? left : 0;
	f->p->nr_free = left - *lost;
	return got;
}

static void first_blocks_have_rising_addresses(struct kunit *test)
{
	struct fixture f = setup_param(test);
	unsigned int i, lost;
	void *obj;

	KUNIT_EXPECT_EQ(test, f.cache->capacity, f.p->nr_free);
	KUNIT_EXPECT_EQ(test, 0, check(&f));
	for (i = 0; i < f.cache->capacity; i++) {
		KUNIT_ASSERT_EQ(test, 1, pop(&f, 1, &obj, &lost));
		KUNIT_EXPECT_PTR_EQ(test, cp_page_base(f.p) +
				    i * f.cache->stride, obj);
		KUNIT_EXPECT_EQ(test, 0, lost);
		KUNIT_EXPECT_EQ(test, 0, check(&f));
	}
	KUNIT_EXPECT_EQ(test, CP_NIL, f.p->free);
	KUNIT_EXPECT_EQ(test, 0, f.p->nr_free);
	KUNIT_EXPECT_EQ(test, 0, pop(&f, 1, &obj, &lost));
	cp_system_give(f.p, 0);
}

/* The first blocks of a page rise: once in 64! that is so by chance. */
static bool rising(struct kunit *test)
{
	struct fixture f = setup(test, 64, NULL);
	unsigned int i, lost, rises = 0;
	void *objs[64];

	KUNIT_EXPECT_EQ(test, 64, pop(&f, 64, objs, &lost));
	for (i = 1; i < 64; i++)
		rises += objs[i] > objs[i - 1];
	cp_system_give(f.p, 0);
	cp_test_destroy(test, f.cache);
	return rises == 63;
}

static void hardened_blocks_have_an_order_of_their_own(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, rising(test));
	cp_harden.on = true;
	KUNIT_EXPECT_EQ(test, !IS_ENABLED(CONFIG_SLAB_FREELIST_RANDOM),
			rising(test));
}

static void several_blocks_are_those_that_come_one_by_one(struct kunit *test)
{
	struct fixture f = setup(test, 64, NULL);
	unsigned int i, at = 0, lost;
	void *objs[64 + 1];

	for (i = 1; at < 64; at += i, i += 3) {
		size_t n = min(i, 64 - at);

		KUNIT_EXPECT_EQ(test, n, pop(&f, i, objs + at, &lost));
		KUNIT_EXPECT_EQ(test, 0, lost);
		KUNIT_EXPECT_EQ(test, 0, check(&f));
	}
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_PTR_EQ(test, cp_page_base(f.p) + i * 64, objs[i]);
	cp_system_give(f.p, 0);
}

/* On the current page, and on one that is not. */
static void block_pushed_last_is_popped_first(struct kunit *test)
{
	struct curpage_cache *cache;
	void *objs[2 * 4];
	unsigned int i;

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-block", 1024, NULL);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = curpage_cache_alloc(cache, GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		curpage_cache_free(cache, objs[i]);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	for (i = 4; i-- > 0;)
		KUNIT_EXPECT_PTR_EQ(test, objs[4 + i],
				    curpage_cache_alloc(cache, GFP_KERNEL));
	for (i = 4; i-- > 0;)
		KUNIT_EXPECT_PTR_EQ(test, objs[i],
				    curpage_cache_alloc(cache, GFP_KERNEL));
	curpage_cache_free_bulk(cache, ARRAY_SIZE(objs), objs);
}

/* Every byte of a page, by plain division. */
static void expect_numbers(struct kunit *test, const struct curpage_cache *cache,
			   void *base)
{
	unsigned int at, nr = 0;

	for (at = 0; at < PAGE_SIZE; at++) {
		bool starts = at % cache->stride == 0 &&
			      at / cache->stride < cache->capacity;
		bool found = cp_block_nr(cache, base + at, &nr);

		if (starts != found || (found && nr != at / cache->stride))
			KUNIT_FAIL(test, "stride %u, offset %u: %d, block %u",
				   cache->stride, at, found, nr);
	}
}

static void only_starts_of_blocks_are_valid(struct kunit *test)
{
	struct fixture f = setup_param(test);

	expect_numbers(test, f.cache, cp_page_base(f.p));
	cp_system_give(f.p, 0);
}

/* The number of a block is found by a product that stands for a quotient. */
static void numbers_are_those_of_a_division(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	unsigned int size, last = 0, strides = 0;

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (size = 8; size <= PAGE_SIZE; size += 8) {
		struct curpage_cache *cache =
			cp_test_cache(test, "kunit-stride", size, NULL);

		if (cache->stride != last) {
			expect_numbers(test, cache, page_address(page));
			strides++;
		}
		last = cache->stride;
		cp_test_destroy(test, cache);
	}
	/* 8, and all multiples of 16. */
	KUNIT_EXPECT_EQ(test, PAGE_SIZE / 16 + 1, strides);
	__free_page(page);
}

static void expect_lost(struct kunit *test, struct fixture *f, size_t n,
			size_t got, u64 word)
{
	unsigned int lost;
	void *objs[64];

	KUNIT_EXPECT_EQ_MSG(test, got, pop(f, n, objs, &lost), "word %#llx",
			    (unsigned long long)word);
	KUNIT_EXPECT_EQ_MSG(test, f->cache->capacity - got, lost,
			    "word %#llx", (unsigned long long)word);
	KUNIT_EXPECT_EQ(test, 0, f->p->nr_free);
	KUNIT_EXPECT_EQ(test, CP_NIL, f->p->free);
	KUNIT_EXPECT_EQ(test, 0, pop(f, n, objs, &lost));
	cp_system_give(f->p, 0);
	cp_test_destroy(test, f->cache);
}

/* Each of these in the word of the first block. */
static const u64 bad_words[] = { 0, 1, 63, CP_NIL, U64_MAX };

/* A block whose word was written over is not handed out. */
static void block_written_over_is_given_up_with_the_rest(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_words); i++) {
		struct fixture f = setup(test, 64, NULL);

		*word_of(&f, 0) = bad_words[i];
		expect_lost(test, &f, i ? 64 : 1, 0, bad_words[i]);
	}
}

/* Nor is one that leads to the number of no block. */
static void broken_link_gives_up_what_is_behind_it(struct kunit *test)
{
	static const u16 bad[] = { 64, 65, 4096, 8192, CP_NIL - 1, CP_NIL };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct fixture f = setup(test, 64, NULL);

		lead(&f, 0, bad[i]);
		/* CP_NIL is what the last block leads to. */
		expect_lost(test, &f, i ? 64 : 1, bad[i] == CP_NIL, bad[i]);
	}
}

/* The blocks before it are handed out. */
static void blocks_before_a_broken_one_are_handed_out(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		struct fixture f = setup(test, 64, NULL);

		*word_of(&f, i) ^= BIT_ULL(i);
		/* An upper bit may lead to the number of another block. */
		if (i >= 48)
			lead(&f, i, 64 + i);
		expect_lost(test, &f, 64, i, i);
	}
}

/*
 * Not even when more blocks are asked for than there are; the caller is told.
 */
static void link_behind_the_last_block_is_not_followed(struct kunit *test)
{
	unsigned int i, lost;
	void *objs[8];

	for (i = 1; i < ARRAY_SIZE(objs); i++) {
		struct fixture f = setup(test, 1024, NULL);
		size_t got = 0;

		lead(&f, 3, 0);
		while (got < 4) {
			size_t n = pop(&f, i, objs + got, &lost);

			KUNIT_ASSERT_NE(test, 0, n);
			KUNIT_EXPECT_EQ(test, 0, lost);
			got += n;
		}
		KUNIT_EXPECT_EQ(test, 4, got);
		KUNIT_EXPECT_EQ(test, 0, f.p->nr_free);
		KUNIT_EXPECT_EQ(test, 0, f.p->free);
		KUNIT_EXPECT_EQ(test, 0, pop(&f, i, objs, &lost));
		cp_system_give(f.p, 0);
		cp_test_destroy(test, f.cache);
	}
}

static void expect_walk(struct kunit *test, struct fixture *f,
			unsigned int from, unsigned int count,
			unsigned int to, unsigned int nr)
{
	unsigned int last = CP_NIL;

	KUNIT_EXPECT_EQ_MSG(test, nr,
			    cp_block_walk(f->cache, cp_page_base(f->p), from,
					  count, &last),
			    "%u blocks from %u on", count, from);
	KUNIT_EXPECT_EQ(test, to, last);
}

/* A stack that came from elsewhere, and ends where it is broken. */
static void walk_ends_at_a_broken_link(struct kunit *test)
{
	struct fixture f = setup(test, 64, NULL);

	expect_walk(test, &f, 0, 64, 63, 64);
	expect_walk(test, &f, 2, 9, 10, 9);
	expect_walk(test, &f, 7, 1, 7, 1);
	lead(&f, 5, 64);
	expect_walk(test, &f, 2, 9, 5, 4);
	expect_walk(test, &f, 2, 4, 5, 4);
	expect_walk(test, &f, 5, 3, 5, 1);
	*word_of(&f, 5) = 6;
	expect_walk(test, &f, 2, 9, 4, 3);
	expect_walk(test, &f, 2, 4, 4, 3);
	expect_walk(test, &f, 2, 3, 4, 3);
	expect_walk(test, &f, 5, 3, CP_NIL, 0);
	cp_system_give(f.p, 0);
}

/* None of them may say that it is free, on this stack or another. */
static void chain_ends_at_a_block_that_is_free(struct kunit *test)
{
	struct fixture f = setup(test, 64, NULL);
	void *base = cp_page_base(f.p), *objs[8];
	unsigned int i, lost, last;
	u16 top = CP_NIL;

	KUNIT_ASSERT_EQ(test, 8, pop(&f, 8, objs, &lost));
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_FALSE(test, cp_block_listed(f.cache, base,
							 f.p->free, i));
	objs[3] = objs[1];
	KUNIT_EXPECT_EQ(test, 3, cp_block_chain(f.cache, base, objs, 8, &top));
	KUNIT_EXPECT_EQ(test, 2, top);
	KUNIT_EXPECT_EQ(test, 0, cp_block_chain(f.cache, base, objs, 8, &top));
	objs[5] = base + 8 * 64;
	KUNIT_EXPECT_EQ(test, 1, cp_block_chain(f.cache, base, objs + 4, 4,
						&top));
	KUNIT_EXPECT_EQ(test, 4, cp_block_walk(f.cache, base, top, 8, &last));
	KUNIT_EXPECT_EQ(test, 0, last);
	KUNIT_EXPECT_TRUE(test, cp_block_listed(f.cache, base, top, 1));
	KUNIT_EXPECT_FALSE(test, cp_block_listed(f.cache, base, top, 5));
	KUNIT_EXPECT_EQ(test, 64 - 4, cp_block_count_free(f.cache, base));
	cp_system_give(f.p, 0);
}

/* The first free is right, the second is told. */
static void expect_freed_once(struct kunit *test, struct curpage_cache *cache,
			      void *obj)
{
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_OK, 0);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
}

static void free_block_is_not_freed_again(struct kunit *test)
{
	struct curpage_cache *cache;
	unsigned int i, j;
	void *objs[5];

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-block", 1024, NULL);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = curpage_cache_alloc(cache, GFP_KERNEL);
	/* Of the page that was left, then of the current one. */
	for (i = 0; i < ARRAY_SIZE(objs); i++) {
		expect_freed_once(test, cache, objs[i]);
		/* Nor is any that was freed before it. */
		for (j = 0; j < i; j++)
			curpage_cache_free(cache, objs[j]);
		cp_test_expect_bad(test, CP_BAD_DOUBLE, i);
	}
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void check_finds_a_broken_free_list(struct kunit *test)
{
	struct fixture f = setup(test, 64, NULL);

	lead(&f, 3, 5);
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "one left out");
	lead(&f, 3, 64);
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "no block's number");
	lead(&f, 3, 1);
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "a cycle");
	lead(&f, 3, CP_NIL);
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "an early end");
	*word_of(&f, 3) = 4;
	KUNIT_EXPECT_EQ_MSG(test, 1, check(&f), "written over");
	lead(&f, 3, 4);
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
	*(u64 *)a = 0x1234;

	b = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b);
	KUNIT_EXPECT_PTR_NE(test, cp_test_page(a), cp_test_page(b));
	cp_test_expect_bad(test, CP_BAD_POISON, 1);
	KUNIT_EXPECT_EQ(test, CP_DAMAGED, cp_page_kind(cp_test_page(a)));
	cp_cache_get_sum(cache, &sum);
	KUNIT_EXPECT_EQ(test, cache->capacity, sum.stat[CP_LOST]);
	KUNIT_EXPECT_EQ(test, 1, sum.live);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_cache_free(cache, b);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, cache);
}

static struct kunit_case cp_block_cases[] = {
	KUNIT_CASE_PARAM(first_blocks_have_rising_addresses, block_gen_params),
	KUNIT_CASE(hardened_blocks_have_an_order_of_their_own),
	KUNIT_CASE(several_blocks_are_those_that_come_one_by_one),
	KUNIT_CASE(block_pushed_last_is_popped_first),
	KUNIT_CASE_PARAM(only_starts_of_blocks_are_valid, block_gen_params),
	KUNIT_CASE(numbers_are_those_of_a_division),
	KUNIT_CASE(block_written_over_is_given_up_with_the_rest),
	KUNIT_CASE(broken_link_gives_up_what_is_behind_it),
	KUNIT_CASE(blocks_before_a_broken_one_are_handed_out),
	KUNIT_CASE(link_behind_the_last_block_is_not_followed),
	KUNIT_CASE(walk_ends_at_a_broken_link),
	KUNIT_CASE(chain_ends_at_a_block_that_is_free),
	KUNIT_CASE(free_block_is_not_freed_again),
	KUNIT_CASE(check_finds_a_broken_free_list),
	KUNIT_CASE(broken_link_costs_a_page_until_the_cache_ends),
	{}
};

CP_TEST_SUITE(block);
