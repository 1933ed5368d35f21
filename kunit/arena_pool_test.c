// SPDX-License-Identifier: GPL-2.0
/*
 * What the arena keeps, what it does at its bound, which use has which chunks,
 * and what changes in use; with each policy of the buddy.
 */
#include "arena_fixture.h"

#define MANY	ARENA_FIXTURE_MANY

KUNIT_ARRAY_PARAM_DESC(policy, cp_buddy_policies, name);

/* What is held up to min_pages stays, but under memory pressure. */
static void min_pages_are_kept_once_they_are_there(struct kunit *test)
{
	struct cp_arena_args args = {
		.policy = test->param_value,
		.desired.learn = true,
		.chunk_order = 4,
		.min_pages = 64,
	};
	struct arena_fixture *f = arena_fixture_new(test, &args);

	arena_fixture_take(test, f, 0, CP_CACHE);
	KUNIT_EXPECT_EQ_MSG(test, 16, arena_fixture_held(f),
			    "a chunk at a time");
	while (f->nr < 100)
		arena_fixture_take(test, f, 0, CP_CACHE);
	while (f->nr > 1)
		arena_fixture_give(test, f, f->nr - 1);
	KUNIT_EXPECT_EQ(test, 64, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, 63, cp_arena_rest(&f->a));
	KUNIT_EXPECT_EQ(test, 0, cp_arena_trim(&f->a, cp_arena_rest(&f->a)));
	KUNIT_EXPECT_EQ(test, 63, cp_arena_trim(&f->a, 0));
	KUNIT_EXPECT_EQ(test, 1, arena_fixture_held(f));
	arena_fixture_finish(test, f);
}

/* The same through all that gives back what is not used. */
static void min_pages_stay_but_for_the_shrinker(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-min", 1024,
						    NULL);
	unsigned long old = cp_arena.min_pages;
	struct cp_test *t = test->priv;
	struct page *pages[64];
	unsigned int i;

	cp_arena.min_pages = t->held + 32;
	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = curpage_alloc_pages(GFP_KERNEL, 0);
		KUNIT_EXPECT_NOT_NULL(test, pages[i]);
	}
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		curpage_free_pages(pages[i], 0);
	KUNIT_EXPECT_GE(test, cp_test_held(), t->held + 32);
	curpage_cache_shrink(cache);
	KUNIT_EXPECT_EQ_MSG(test, t->held + 32, cp_test_held(), "shrink");
	for (i = 0; i < 3; i++)
		cp_idle_look();
	KUNIT_EXPECT_EQ_MSG(test, t->held + 32, cp_test_held(), "idle");
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	drop_slab();
	KUNIT_EXPECT_EQ_MSG(test, t->held, cp_test_held(), "shrinker");
	cp_arena.min_pages = old;
}

/* What is to be held in any case is there before anything is asked for. */
static void fill_borrows_the_least(struct kunit *test)
{
	struct cp_arena_args args = {
		.policy = test->param_value,
		.desired.learn = true,
		.chunk_order = 4,
		.min_pages = 64,
		.apart = true,
	};
	struct arena_fixture *f = arena_fixture_new(test, &args);
	struct cp_buddy *callers = &f->a.buddy[CP_FOR_CALLERS];
	struct cp_buddy *caches = &f->a.buddy[CP_FOR_CACHES];

	KUNIT_EXPECT_EQ(test, 0, cp_arena_fill(&f->a));
	KUNIT_EXPECT_EQ(test, 64, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, 4, f->a.stat[CP_CHUNK_TAKEN]);
	KUNIT_EXPECT_EQ(test, 64, callers->pages);
	KUNIT_EXPECT_EQ(test, 64, callers->whole_pages);
	arena_fixture_check(test, f);
	/* And is for caches as well: a chunk of it, not a page of each. */
	while (f->nr < 16)
		KUNIT_ASSERT_NOT_NULL(test,
				      arena_fixture_take(test, f, 0, CP_CACHE));
	KUNIT_EXPECT_EQ(test, 16, caches->pages);
	KUNIT_EXPECT_EQ(test, 48, callers->pages);
	KUNIT_EXPECT_EQ(test, 4, f->a.stat[CP_CHUNK_TAKEN]);
	arena_fixture_finish(test, f);
}

static struct cp_page *no_memory(gfp_t gfp, unsigned int order)
{
	return NULL;
}

static void fill_fails_when_there_is_no_memory(struct kunit *test)
{
	struct arena_fixture *f = arena_fixture_pool(test, 6, false);

	kunit_activate_static_stub(test, cp_system_take, no_memory);
	KUNIT_EXPECT_EQ(test, -ENOMEM, cp_arena_fill(&f->a));
	kunit_deactivate_static_stub(test, cp_system_take);
	KUNIT_EXPECT_EQ(test, 0, arena_fixture_held(f));
	arena_fixture_finish(test, f);
}

static struct cp_page *single_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = order ? NULL : alloc_page(gfp);

	return page ? cp_page_of(page) : NULL;
}

/* The system has single pages, and then larger blocks: no page too many. */
static void fill_is_exact(struct kunit *test)
{
	struct cp_arena_args args = {
		.policy = test->param_value,
		.chunk_order = 4,
		.min_pages = 1,
	};
	struct arena_fixture *f = arena_fixture_new(test, &args);

	kunit_activate_static_stub(test, cp_system_take, single_pages);
	KUNIT_EXPECT_EQ(test, 0, cp_arena_fill(&f->a));
	kunit_deactivate_static_stub(test, cp_system_take);
	KUNIT_EXPECT_EQ(test, 1, arena_fixture_held(f));
	f->a.min_pages = 256;
	KUNIT_EXPECT_EQ(test, 0, cp_arena_fill(&f->a));
	KUNIT_EXPECT_EQ(test, 256, arena_fixture_held(f));
	arena_fixture_check(test, f);
	arena_fixture_finish(test, f);
}

/* Every other page of a pool is free: half of it, and no two of them. */
static struct arena_fixture *checkerboard(struct kunit *test,
					  unsigned int order)
{
	struct arena_fixture *f = arena_fixture_pool(test, order, false);
	unsigned int i;

	while (f->nr < 1U << order)
		KUNIT_ASSERT_NOT_NULL(test,
				      arena_fixture_take(test, f, 0, CP_BLOCK));
	KUNIT_ASSERT_EQ(test, 1UL << order, arena_fixture_held(f));
	for (i = f->nr; i--;)
		if (cp_page_pfn(f->taken[i]) & 1)
			arena_fixture_give(test, f, i);
	KUNIT_ASSERT_EQ(test, 1 << (order - 1), cp_arena_free_pages(&f->a));
	return f;
}

/* At the bound free blocks that are too small make room for one that is not. */
static void scattered_pages_make_room_at_the_bound(struct kunit *test)
{
	struct arena_fixture *f = checkerboard(test, 6);
	struct arena_fixture_figures *now;
	unsigned long returned;
	struct cp_page *p;

	p = arena_fixture_take_with(test, f, GFP_NOWAIT, 4, CP_BLOCK);
	KUNIT_EXPECT_NULL_MSG(test, p, "there is no time");
	now = arena_fixture_figures(test, f);
	KUNIT_EXPECT_EQ(test, 0, now->arena.stat[CP_RETURNED]);
	KUNIT_EXPECT_EQ(test, 32, now->buddy[CP_FOR_CALLERS].lone_pages);
	KUNIT_EXPECT_EQ(test, 1, now->arena.failed[4]);
	KUNIT_EXPECT_EQ(test, 32, now->arena.failed_free);
	KUNIT_EXPECT_EQ(test, 64, now->arena.failed_held);
	KUNIT_EXPECT_EQ(test, 1, f->a.stat[CP_AT_BOUND]);

	KUNIT_EXPECT_NOT_NULL(test, arena_fixture_take(test, f, 4, CP_BLOCK));
	returned = f->a.stat[CP_RETURNED_PAGES];
	KUNIT_EXPECT_EQ(test, 16, returned);
	KUNIT_EXPECT_EQ(test, 64, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, 2,
			f->a.buddy[CP_FOR_CALLERS].stat[CP_MISSED][4]);
	KUNIT_EXPECT_EQ(test, 1, f->a.failed[4]);

	/* 16 are left: too few, so they stay. */
	KUNIT_EXPECT_NULL(test, arena_fixture_take(test, f, 5, CP_BLOCK));
	KUNIT_EXPECT_EQ(test, returned, f->a.stat[CP_RETURNED_PAGES]);
	KUNIT_EXPECT_EQ(test, 1, f->a.failed[5]);
	KUNIT_EXPECT_EQ(test, 32 + 16, f->a.failed_free);
	KUNIT_EXPECT_EQ(test, 64 + 64, f->a.failed_held);
	KUNIT_EXPECT_EQ(test, 2, f->a.stat[CP_AT_BOUND]);
	arena_fixture_finish(test, f);
}

/* The system refuses what the bound would allow: what made room is gone. */
static void room_is_made_in_vain(struct kunit *test)
{
	struct arena_fixture *f = checkerboard(test, 6);

	kunit_activate_static_stub(test, cp_system_take, no_memory);
	KUNIT_EXPECT_NULL(test, arena_fixture_take(test, f, 4, CP_BLOCK));
	kunit_deactivate_static_stub(test, cp_system_take);
	KUNIT_EXPECT_EQ(test, 64 - 16, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, 0, f->a.transit);
	KUNIT_EXPECT_EQ(test, 1, f->a.stat[CP_SYSTEM_FAILED]);
	KUNIT_EXPECT_NOT_NULL(test, arena_fixture_take(test, f, 4, CP_BLOCK));
	arena_fixture_finish(test, f);
}

/* A request that cannot wait gets what joining makes, whatever the policy. */
static void request_never_fails_while_joining_would_serve_it(struct kunit *test)
{
	struct arena_fixture *f = arena_fixture_pool(test, 9, false);
	unsigned int order;
	struct cp_page *p;

	while (f->nr < 1U << 9)
		KUNIT_ASSERT_NOT_NULL(test,
				      arena_fixture_take(test, f, 0, CP_BLOCK));
	for (order = 0; order <= 9; order++) {
		while (f->nr)
			arena_fixture_give(test, f, f->nr / 2);
		p = arena_fixture_take_with(test, f, GFP_NOWAIT, order,
					    CP_BLOCK);
		KUNIT_EXPECT_NOT_NULL_MSG(test, p, "order %u", order);
		while (arena_fixture_take_with(test, f, GFP_NOWAIT, 0,
					       CP_BLOCK))
			;
		KUNIT_EXPECT_EQ(test, 1 << 9, f->used);
	}
	KUNIT_EXPECT_EQ(test, 1, f->a.stat[CP_CHUNK_TAKEN]);
	arena_fixture_finish(test, f);
}

static bool same_chunk(struct cp_page *a, struct cp_page *b)
{
	unsigned int order = a->word.chunk_order;

	return order == b->word.chunk_order &&
	       cp_page_pfn(a) >> order == cp_page_pfn(b) >> order;
}

/* Pairs of one page of a cache and one block that lie in the same chunk. */
static unsigned int mixed_chunks(struct arena_fixture *f)
{
	unsigned int i, j, nr = 0;

	for (i = 0; i < f->nr; i++)
		for (j = 0; j < i; j++)
			nr += cp_page_kind(f->taken[i]) !=
			      cp_page_kind(f->taken[j]) &&
			      same_chunk(f->taken[i], f->taken[j]);
	return nr;
}

/* Pages of caches and blocks of callers come and go; returns mixed_chunks(). */
static unsigned int load_of_both(struct kunit *test, bool apart, u32 seed)
{
	struct cp_arena_args args = {
		.policy = test->param_value,
		.desired.learn = true,
		.chunk_order = 4,
		.min_pages = MANY,
		.apart = apart,
	};
	struct arena_fixture *f = arena_fixture_new(test, &args);
	unsigned int i, mixed = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, seed);
	for (i = 0; i < 4000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (f->nr == MANY || (f->nr && r % 16 < 7))
			arena_fixture_give(test, f, (r >> 4) % f->nr);
		else if (r & BIT(4))
			arena_fixture_take(test, f, 0, CP_CACHE);
		else
			arena_fixture_take(test, f, __ffs(r >> 5 | BIT(3)),
					   CP_BLOCK);
		if (i % 500 == 499)
			mixed += mixed_chunks(f);
	}
	KUNIT_EXPECT_EQ(test, apart, f->a.buddy[CP_FOR_CACHES].pages > 0);
	arena_fixture_finish(test, f);
	return mixed;
}

static void uses_have_chunks_of_their_own(struct kunit *test)
{
	u32 seed = cp_test_seed(test);

	KUNIT_EXPECT_EQ(test, 0, load_of_both(test, true, seed));
	KUNIT_EXPECT_GT_MSG(test, load_of_both(test, false, seed), 0,
			    "nothing was there to be kept apart");
}

/* What the system does not give comes from the chunks of the other use. */
static void use_is_served_from_the_other_at_the_bound(struct kunit *test)
{
	struct arena_fixture *f = arena_fixture_pool(test, 6, true);
	struct cp_buddy *callers = &f->a.buddy[CP_FOR_CALLERS];
	struct cp_buddy *caches = &f->a.buddy[CP_FOR_CACHES];
	struct cp_page *p;

	arena_fixture_take(test, f, 0, CP_CACHE);
	KUNIT_EXPECT_EQ(test, 64, caches->pages);
	p = arena_fixture_take_with(test, f, GFP_NOWAIT, 2, CP_BLOCK);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ(test, CP_FOR_CACHES, (unsigned int)p->word.use);
	KUNIT_EXPECT_EQ(test, 1, callers->stat[CP_MISSED][2]);
	KUNIT_EXPECT_EQ(test, 0, f->a.failed[2]);
	KUNIT_EXPECT_EQ(test, 0, f->a.stat[CP_AT_BOUND]);
	KUNIT_EXPECT_EQ(test, 59, caches->free_pages);
	arena_fixture_give(test, f, 1);
	KUNIT_EXPECT_EQ_MSG(test, 63, caches->free_pages, "back where it was");
	KUNIT_EXPECT_EQ(test, 0, callers->free_pages);

	/* With time to do so, there is one of its own. */
	p = arena_fixture_take(test, f, 2, CP_BLOCK);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ(test, CP_FOR_CALLERS, (unsigned int)p->word.use);
	KUNIT_EXPECT_EQ(test, 4, callers->pages);
	KUNIT_EXPECT_EQ(test, 60, caches->pages);
	KUNIT_EXPECT_EQ(test, 64, arena_fixture_held(f));
	/*
	 * A chunk that is all free changes its use, before the system is asked.
	 */
	while (arena_fixture_take_with(test, f, GFP_NOWAIT, 0, CP_CACHE))
		;
	KUNIT_EXPECT_EQ(test, 64, f->used);
	arena_fixture_give(test, f, 1);
	p = arena_fixture_take(test, f, 0, CP_CACHE);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ(test, CP_FOR_CACHES, (unsigned int)p->word.use);
	KUNIT_EXPECT_EQ(test, 0, callers->pages);
	KUNIT_EXPECT_EQ(test, 64, caches->pages);
	KUNIT_EXPECT_EQ(test, 2, f->a.stat[CP_CHUNK_TAKEN]);
	arena_fixture_finish(test, f);
}

static unsigned long merges(struct arena_fixture *f)
{
	unsigned long nr = 0;
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		nr += f->a.buddy[CP_FOR_CALLERS].stat[CP_MERGES][order];
	return nr;
}

/*
 * At the bound a page of a cache comes from the callers' chunks, as they lie.
 */
static void page_of_a_cache_joins_no_blocks(struct kunit *test)
{
	struct arena_fixture *f = arena_fixture_pool(test, 6, true);
	unsigned long before;

	while (f->nr < 1 << 6)
		KUNIT_ASSERT_NOT_NULL(test,
				      arena_fixture_take(test, f, 0, CP_BLOCK));
	while (f->nr > 1)
		arena_fixture_give(test, f, 1);
	before = merges(f);
	KUNIT_EXPECT_NOT_NULL(test, arena_fixture_take_with(test, f, GFP_NOWAIT,
							    0, CP_CACHE));
	KUNIT_EXPECT_EQ(test, before, merges(f));
	arena_fixture_finish(test, f);
}

static unsigned long pairs(struct arena_fixture *f)
{
	unsigned long nr = 0;
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		nr += f->a.buddy[CP_FOR_CALLERS].nr_pairs[order] +
		      f->a.buddy[CP_FOR_CACHES].nr_pairs[order];
	return nr;
}

static void change(struct kunit *test, struct arena_fixture *f, u32 r)
{
	static const char * const texts[] = {
		"auto", "0", "64,32,16,8", "uniform:1:300:4096", "1024",
	};
	const struct cp_buddy_policy *policy =
		&cp_buddy_policies[r % CP_NR_BUDDY_POLICIES];
	struct cp_desired set, got;

	cp_arena_set_policy(&f->a, policy);
	if (cp_buddy_is_eager(policy))
		KUNIT_EXPECT_EQ(test, 0, pairs(f));
	KUNIT_ASSERT_EQ(test, 0,
			cp_desired_parse("kunit ",
					 texts[(r >> 8) % ARRAY_SIZE(texts)],
					 &set));
	cp_arena_set_desired(&f->a, &set);
	cp_arena_get_desired(&f->a, &got);
	KUNIT_EXPECT_EQ(test, set.learn, got.learn);
	if (!set.learn)
		KUNIT_EXPECT_EQ(test, 0, memcmp(set.nr, got.nr, sizeof(set.nr)));
	arena_fixture_check(test, f);
}

static void policy_changes_in_use(struct kunit *test)
{
	struct cp_arena_args args = {
		.policy = test->param_value,
		.desired.learn = true,
		.chunk_order = 6,
		.min_pages = 128,
		.apart = true,
	};
	struct arena_fixture *f = arena_fixture_new(test, &args);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < 4000; i++) {
		u32 r = prandom_u32_state(&rnd);

		if (i % 100 == 99)
			change(test, f, r);
		else if (f->nr == MANY || (f->nr && (r & 1)))
			arena_fixture_give(test, f, (r >> 2) % f->nr);
		else if (r & 2)
			arena_fixture_take(test, f, 0, CP_CACHE);
		else
			arena_fixture_take(test, f, __ffs(r >> 2 | BIT(6)),
					   CP_BLOCK);
	}
	arena_fixture_finish(test, f);
}

/* What blocks are larger than what was asked for, which runs are not. */
static void internal_fragmentation_is_that_of_page_blocks(struct kunit *test)
{
	const size_t size = 70000;
	const unsigned int order = get_order(size);
	struct arena_fixture *f = arena_fixture_pool(test, 4, false);
	u64 waste = cp_pages_waste();
	struct page *page;
	void *obj;

	obj = curpage_alloc(size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, waste + (PAGE_SIZE << order) - size,
			cp_pages_waste());
	curpage_free(obj);
	page = curpage_alloc_pages(GFP_KERNEL, order);
	KUNIT_EXPECT_EQ(test, waste + (PAGE_SIZE << order) - size,
			cp_pages_waste());
	curpage_free_pages(page, order);

	arena_fixture_take(test, f, 2, CP_BLOCK);
	KUNIT_EXPECT_EQ(test, 1, f->a.lent[2]);
	arena_fixture_take(test, f, 0, CP_CACHE);
	KUNIT_EXPECT_EQ(test, 0, f->a.lent[0]);
	arena_fixture_finish(test, f);
	KUNIT_EXPECT_EQ_MSG(test, 1, f->a.lent[2], "in all, not now");
}

#define POLICY_CASE(fn)	KUNIT_CASE_PARAM(fn, policy_gen_params)

static struct kunit_case cp_arena_pool_cases[] = {
	POLICY_CASE(min_pages_are_kept_once_they_are_there),
	KUNIT_CASE(min_pages_stay_but_for_the_shrinker),
	POLICY_CASE(fill_borrows_the_least),
	KUNIT_CASE(fill_fails_when_there_is_no_memory),
	POLICY_CASE(fill_is_exact),
	POLICY_CASE(scattered_pages_make_room_at_the_bound),
	POLICY_CASE(room_is_made_in_vain),
	POLICY_CASE(request_never_fails_while_joining_would_serve_it),
	POLICY_CASE(uses_have_chunks_of_their_own),
	POLICY_CASE(use_is_served_from_the_other_at_the_bound),
	POLICY_CASE(page_of_a_cache_joins_no_blocks),
	POLICY_CASE(policy_changes_in_use),
	KUNIT_CASE(internal_fragmentation_is_that_of_page_blocks),
	{}
};

CP_TEST_SUITE(arena_pool);
