// SPDX-License-Identifier: GPL-2.0
/*
 * Adoption, as it is done when a CPU has gone offline: the heap of this CPU
 * takes over what another one has.  That is the heap of another CPU, and the
 * side heap, which a machine with one CPU has as well.
 */
#include "common.h"

#define BLOCKS	4
#define MANY	(2 * CP_BATCH + 10)

struct fixture {
	struct kunit *test;
	struct curpage_cache *cache;
	struct cp_heap *heap;		/* of this CPU */
	struct cp_heap *from;
	unsigned int nr;
	void *objs[MANY];		/* of the other heap */
};

static void alloc_all(void *data)
{
	struct fixture *f = data;
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		f->objs[i] = curpage_cache_alloc(f->cache, GFP_ATOMIC);
}

/* The other heap has nr blocks of a cache, and they can be told apart. */
static struct fixture *setup(struct kunit *test, unsigned int size,
			     unsigned int nr)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->test = test;
	f->nr = nr;
	f->cache = cp_test_cache(test, "kunit-adopt", size, NULL);
	f->cache->keep = CP_KEEP_ALL;
	f->heap = raw_cpu_ptr(f->cache->heaps);
	f->from = cp_test_way_is_cpu(test) ?
		  per_cpu_ptr(f->cache->heaps, cp_test_other_cpu()) :
		  &f->cache->side;
	cp_test_elsewhere(test, f->cache, alloc_all, f);
	for (i = 0; i < nr; i++) {
		KUNIT_ASSERT_NOT_NULL(test, f->objs[i]);
		memset(f->objs[i], i, size);
	}
	KUNIT_ASSERT_EQ(test, nr, f->from->stat[CP_ALLOC]);
	return f;
}

/* At most a batch, as cp_adopt_some() does it; true when there is more. */
static bool adopt_some(struct fixture *f)
{
	bool side = f->from->cpu == CP_SIDE, more;
	struct cp_heap *h;

	mutex_lock(&cp_borrow_lock);
	if (side)
		raw_spin_lock_irq(&f->from->lock);
	else
		cp_claim_borrow(&f->from->claim, f->from->cpu);
	h = cp_test_take(f->cache);
	more = cp_heap_adopt(h, f->from);
	cp_test_drop(h);
	if (side)
		raw_spin_unlock_irq(&f->from->lock);
	else
		cp_claim_return(&f->from->claim);
	mutex_unlock(&cp_borrow_lock);
	return more;
}

static void adopt(struct fixture *f)
{
	cp_heap_give_back(f->from);
	while (adopt_some(f))
		;
}

static struct cp_heap *heap_of(const void *obj)
{
	struct cp_page *p = cp_test_page(obj);

	return p ? cp_page_heap(p) : NULL;
}

static void expect_live(struct fixture *f, unsigned long nr)
{
	KUNIT_EXPECT_EQ(f->test, nr, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(f->test, 0, curpage_check());
}

static void free_from(struct fixture *f, unsigned int from)
{
	unsigned int i;

	for (i = from; i < f->nr; i++)
		curpage_cache_free(f->cache, f->objs[i]);
	expect_live(f, 0);
}

static void live_blocks_survive_and_move(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE / BLOCKS, 3 * BLOCKS - 1);
	unsigned int i;

	adopt(f);
	for (i = 0; i < f->nr; i++) {
		KUNIT_EXPECT_PTR_EQ(test, f->heap, heap_of(f->objs[i]));
		KUNIT_EXPECT_NULL(test, memchr_inv(f->objs[i], i,
						   PAGE_SIZE / BLOCKS));
	}
	expect_live(f, f->nr);
	KUNIT_EXPECT_EQ(test, 0, cp_heap_pages(f->from));
	KUNIT_EXPECT_NULL(test, f->from->cur);
	KUNIT_EXPECT_EQ(test, 3, cp_heap_pages(f->heap));
	KUNIT_EXPECT_EQ(test, -(long)f->nr, f->from->moved);
	KUNIT_EXPECT_EQ(test, (long)f->nr, f->heap->moved);
	KUNIT_EXPECT_EQ(test, 3, f->cache->adopted);
	free_from(f, 0);
}

/* They are freed as any block of this CPU, and their pages are used. */
static void adopted_pages_are_as_any(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE / BLOCKS, 2 * BLOCKS);
	unsigned long remote = cp_test_stat(f->cache, CP_FREE_REMOTE);
	void *obj;

	adopt(f);
	curpage_cache_free(f->cache, f->objs[1]);
	KUNIT_EXPECT_EQ(test, remote, cp_test_stat(f->cache, CP_FREE_REMOTE));
	KUNIT_EXPECT_EQ(test, 1, f->heap->stat[CP_FREED]);
	obj = curpage_cache_alloc(f->cache, GFP_KERNEL);
	KUNIT_EXPECT_PTR_EQ(test, f->objs[1], obj);
	KUNIT_EXPECT_EQ(test, 0, f->heap->stat[CP_REFILL_S1]);
	free_from(f, 0);
	KUNIT_EXPECT_EQ(test, 1, f->heap->stat[CP_EMPTIED]);
}

/* Beside what this CPU has already, in sets that fit. */
static void adopted_pages_join_those_that_are_there(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE / BLOCKS, 2 * BLOCKS - 1);
	void *mine = curpage_cache_alloc(f->cache, GFP_KERNEL);

	KUNIT_ASSERT_PTR_EQ(test, f->heap, heap_of(mine));
	adopt(f);
	KUNIT_EXPECT_PTR_EQ(test, cp_test_page(mine), f->heap->cur);
	KUNIT_EXPECT_EQ_MSG(test, 1, f->heap->nr[CP_LOW], "full page");
	KUNIT_EXPECT_EQ_MSG(test, 1, f->heap->nr[CP_S3], "page with one free");
	expect_live(f, f->nr + 1);
	curpage_cache_free(f->cache, mine);
	free_from(f, 0);
}

/* The empty ones go to the arena, the current one among them. */
static void empty_pages_are_not_adopted(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE, 3);
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (i != 1)
			curpage_cache_free(f->cache, f->objs[i]);
	adopt(f);
	KUNIT_EXPECT_EQ(test, 1, f->cache->adopted);
	KUNIT_EXPECT_EQ(test, 2, f->from->stat[CP_RELEASED]);
	KUNIT_EXPECT_EQ(test, 0, cp_heap_pages(f->from));
	expect_live(f, 1);
	curpage_cache_free(f->cache, f->objs[1]);
}

static void many_pages_are_adopted_a_batch_at_a_time(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE, MANY);

	KUNIT_EXPECT_TRUE(test, adopt_some(f));
	KUNIT_EXPECT_EQ(test, CP_BATCH, f->cache->adopted);
	expect_live(f, MANY);
	KUNIT_EXPECT_TRUE(test, adopt_some(f));
	KUNIT_EXPECT_FALSE(test, adopt_some(f));
	KUNIT_EXPECT_EQ(test, MANY, f->cache->adopted);
	expect_live(f, MANY);
	free_from(f, 0);
}

/* Freed here before, and not yet taken in there: nothing of it is lost. */
static void what_waits_for_the_old_owner_is_not_lost(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE / BLOCKS, 3 * BLOCKS);
	struct cp_cache_sum sum;

	curpage_cache_free_bulk(f->cache, BLOCKS + 1, f->objs);
	while (adopt_some(f))
		;
	KUNIT_EXPECT_NOT_NULL(test, f->from->inbox);
	cp_heap_give_back(f->from);	/* collects, and hands on */
	KUNIT_EXPECT_NULL(test, f->from->inbox);
	KUNIT_EXPECT_NOT_NULL(test, f->heap->inbox);
	expect_live(f, 2 * BLOCKS - 1);
	curpage_cache_shrink(f->cache);
	KUNIT_EXPECT_NULL(test, f->heap->inbox);
	KUNIT_EXPECT_EQ(test, BLOCKS + 1, f->heap->stat[CP_COLLECTED]);
	KUNIT_EXPECT_EQ(test, 2, cp_heap_pages(f->heap));
	cp_cache_get_sum(f->cache, &sum);
	KUNIT_EXPECT_EQ(test, 0, sum.pending);
	free_from(f, BLOCKS + 1);
}

static void nothing_to_adopt_changes_nothing(struct kunit *test)
{
	struct fixture *f = setup(test, PAGE_SIZE / BLOCKS, 0);

	adopt(f);
	KUNIT_EXPECT_EQ(test, 0, f->cache->adopted);
	KUNIT_EXPECT_EQ(test, 0, f->heap->moved);
	expect_live(f, 0);
}

#define WAY_CASE(fn)	KUNIT_CASE_PARAM(fn, cp_test_way_gen_params)

static struct kunit_case cp_adopt_cases[] = {
	WAY_CASE(live_blocks_survive_and_move),
	WAY_CASE(adopted_pages_are_as_any),
	WAY_CASE(adopted_pages_join_those_that_are_there),
	WAY_CASE(empty_pages_are_not_adopted),
	WAY_CASE(many_pages_are_adopted_a_batch_at_a_time),
	WAY_CASE(what_waits_for_the_old_owner_is_not_lost),
	WAY_CASE(nothing_to_adopt_changes_nothing),
	{}
};

CP_TEST_SUITE(adopt);
