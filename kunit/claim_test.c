// SPDX-License-Identifier: GPL-2.0
/*
 * Claims: who finds a heap taken, or borrowed, takes another way, and nothing
 * is lost by that.
 */
#include "common.h"

#define BLOCKS	8
#define HOLD_MS	20

struct fixture {
	struct curpage_cache *cache;
	struct cp_heap *heap;
	void *first;			/* a block of that heap */
	void *objs[2 * BLOCKS];
	int got;			/* by allocating in bulk */
};

static struct fixture *setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->cache = cp_test_cache(test, "kunit-claim", PAGE_SIZE / BLOCKS, NULL);
	f->heap = raw_cpu_ptr(f->cache->heaps);
	f->first = curpage_cache_alloc(f->cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->first);
	return f;
}

enum taken { BY_ITSELF, BY_ANOTHER };

static const struct taken_case {
	const char *name;
	enum taken by;
} taken_cases[] = {
	{ "taken", BY_ITSELF },
	{ "borrowed", BY_ANOTHER },
};

KUNIT_ARRAY_PARAM_DESC(taken, taken_cases, name);

/* Make the heap one that cannot be had, as the parameter says. */
static void take(struct kunit *test, struct cp_claim *c)
{
	const struct taken_case *t = test->param_value;

	if (t->by == BY_ITSELF) {
		preempt_disable();
		WRITE_ONCE(c->taken, 1);
	} else {
		mutex_lock(&cp_borrow_lock);
		cp_claim_borrow(c, raw_smp_processor_id());
	}
}

static void drop(struct kunit *test, struct cp_claim *c)
{
	const struct taken_case *t = test->param_value;

	if (t->by == BY_ITSELF) {
		cp_claim_drop(c);
		preempt_enable();
	} else {
		cp_claim_return(c);
		mutex_unlock(&cp_borrow_lock);
	}
}

static struct cp_heap *heap_of(const void *obj)
{
	struct cp_page *p = cp_test_page(obj);

	return p ? cp_page_heap(p) : NULL;
}

/* Neither has changed what is its own. */
static void expect_as_it_was(struct kunit *test, struct fixture *f,
			     unsigned long alloc, unsigned long freed)
{
	KUNIT_EXPECT_EQ(test, alloc, f->heap->stat[CP_ALLOC]);
	KUNIT_EXPECT_EQ(test, freed, cp_heap_freed_own(f->heap));
	KUNIT_EXPECT_EQ(test, 0, f->heap->claim.taken);
	KUNIT_EXPECT_EQ(test, 0, f->heap->claim.wanted);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void block_comes_from_the_side_heap(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	take(test, &f->heap->claim);
	for (i = 0; i < ARRAY_SIZE(f->objs); i++)
		f->objs[i] = curpage_cache_alloc(f->cache, GFP_ATOMIC);
	drop(test, &f->heap->claim);
	for (i = 0; i < ARRAY_SIZE(f->objs); i++)
		KUNIT_EXPECT_PTR_EQ(test, &f->cache->side, heap_of(f->objs[i]));
	expect_as_it_was(test, f, 1, 0);
	KUNIT_EXPECT_EQ(test, 2 * BLOCKS, f->cache->side.stat[CP_ALLOC]);
	KUNIT_EXPECT_EQ(test, 2, f->cache->side.stat[CP_REFILL_S1]);
	KUNIT_EXPECT_EQ(test, 2 * BLOCKS + 1, cp_cache_live(f->cache));
	for (i = 0; i < ARRAY_SIZE(f->objs); i++)
		curpage_cache_free(f->cache, f->objs[i]);
	curpage_cache_free(f->cache, f->first);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
}

static void bulk_comes_from_the_side_heap(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	take(test, &f->heap->claim);
	f->got = curpage_cache_alloc_bulk(f->cache, GFP_ATOMIC,
					  ARRAY_SIZE(f->objs), f->objs);
	drop(test, &f->heap->claim);
	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(f->objs), f->got);
	for (i = 0; i < ARRAY_SIZE(f->objs); i++)
		KUNIT_EXPECT_PTR_EQ(test, &f->cache->side, heap_of(f->objs[i]));
	expect_as_it_was(test, f, 1, 0);
	curpage_cache_free_bulk(f->cache, ARRAY_SIZE(f->objs), f->objs);
	curpage_cache_free(f->cache, f->first);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(f->cache));
}

/* What is freed to the side heap is used there before another page is taken. */
static void side_heap_uses_its_pages_again(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		take(test, &f->heap->claim);
		for (i = 0; i < BLOCKS; i++)
			f->objs[i] = curpage_cache_alloc(f->cache, GFP_ATOMIC);
		drop(test, &f->heap->claim);
		curpage_cache_free_bulk(f->cache, BLOCKS, f->objs);
	}
	KUNIT_EXPECT_EQ(test, 1, f->cache->side.stat[CP_REFILL_S1]);
	KUNIT_EXPECT_EQ(test, 2 * BLOCKS, f->cache->side.stat[CP_COLLECTED]);
	KUNIT_EXPECT_EQ(test, 3 * BLOCKS,
			cp_test_stat(f->cache, CP_FREE_REMOTE));
	curpage_cache_free(f->cache, f->first);
}

/* Each of the ways to free takes it to the stack of its page. */
static void block_goes_back_as_from_elsewhere(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	for (i = 0; i < 4; i++)
		f->objs[i] = curpage_cache_alloc(f->cache, GFP_KERNEL);
	take(test, &f->heap->claim);
	curpage_cache_free(f->cache, f->objs[0]);
	curpage_free(f->objs[1]);
	curpage_cache_free_bulk(f->cache, 2, f->objs + 2);
	drop(test, &f->heap->claim);
	expect_as_it_was(test, f, 5, 0);
	KUNIT_EXPECT_EQ(test, 4, f->heap->stat[CP_FREE_REMOTE]);
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(f->cache));
	curpage_cache_shrink(f->cache);
	KUNIT_EXPECT_EQ(test, 4, f->heap->stat[CP_COLLECTED]);
	KUNIT_EXPECT_EQ(test, 1, cp_heap_taken(f->heap));
	curpage_cache_free(f->cache, f->first);
}

/* By size: where the cache is found by a table of current pages. */
static void size_class_is_as_any_cache(struct kunit *test)
{
	struct cp_heap *h;
	void *a, *b;

	cp_test_pin(test);
	a = curpage_alloc(200, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a);
	h = heap_of(a);
	KUNIT_ASSERT_NOT_NULL(test, h);
	take(test, &h->claim);
	b = curpage_alloc(200, GFP_ATOMIC);
	curpage_free(a);
	drop(test, &h->claim);
	KUNIT_EXPECT_PTR_EQ(test, &h->cache->side, heap_of(b));
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(h->cache));
	curpage_free(b);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(h->cache));
}

static void heap_is_used_again_when_it_is_let_go(struct kunit *test)
{
	struct fixture *f = setup(test);
	void *obj;

	take(test, &f->heap->claim);
	drop(test, &f->heap->claim);
	obj = curpage_cache_alloc(f->cache, GFP_KERNEL);
	KUNIT_EXPECT_PTR_EQ(test, f->heap, heap_of(obj));
	curpage_cache_free(f->cache, obj);
	expect_as_it_was(test, f, 2, 1);
	KUNIT_EXPECT_EQ(test, 0, cp_test_stat(f->cache, CP_FREE_REMOTE));
	curpage_cache_free(f->cache, f->first);
}

/* With no page to be had, either, there is none, and nothing has happened. */
static void nothing_is_lost_at_the_bound(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned long max = cp_arena.max_pages;
	void *obj;

	cp_arena_trim(&cp_arena, 0);
	cp_arena.max_pages = cp_test_held();
	take(test, &f->heap->claim);
	obj = curpage_cache_alloc(f->cache, GFP_ATOMIC);
	drop(test, &f->heap->claim);
	cp_arena.max_pages = max;
	KUNIT_EXPECT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&f->cache->failed));
	expect_as_it_was(test, f, 1, 0);
	curpage_cache_free(f->cache, f->first);
}

static void claim_is_had_once(struct kunit *test)
{
	struct cp_claim c = { };

	preempt_disable();
	KUNIT_EXPECT_TRUE(test, cp_claim_try(&c));
	KUNIT_EXPECT_FALSE(test, cp_claim_try(&c));
	KUNIT_EXPECT_FALSE(test, cp_claim_try_fast(&c));
	KUNIT_EXPECT_EQ_MSG(test, 1, c.taken, "by the first");
	cp_claim_drop(&c);
	KUNIT_EXPECT_TRUE(test, cp_claim_try_fast(&c));
	cp_claim_drop(&c);

	c.closed = CP_CLOSED_DRY;
	KUNIT_EXPECT_FALSE(test, cp_claim_try_fast(&c));
	KUNIT_EXPECT_EQ(test, 0, c.taken);
	KUNIT_EXPECT_TRUE(test, cp_claim_try(&c));
	cp_claim_drop(&c);

	c.closed = 0;
	c.wanted = 1;
	KUNIT_EXPECT_FALSE(test, cp_claim_try_fast(&c));
	KUNIT_EXPECT_FALSE(test, cp_claim_try(&c));
	KUNIT_EXPECT_EQ(test, 0, c.taken);
	preempt_enable();
}

struct holder {
	struct cp_claim claim;
	struct completion taken;
	bool done;
};

/* Inside for a while, on its CPU. */
static int hold(void *data)
{
	struct holder *holder = data;

	preempt_disable();
	if (cp_claim_try(&holder->claim)) {
		complete(&holder->taken);
		mdelay(HOLD_MS);
		WRITE_ONCE(holder->done, true);
		cp_claim_drop(&holder->claim);
	}
	preempt_enable();
	return 0;
}

/* On a machine with one CPU nobody can be inside meanwhile. */
static void who_stands_in_waits_for_the_owner(struct kunit *test)
{
	struct holder *holder = kunit_kzalloc(test, sizeof(*holder), GFP_KERNEL);
	struct task_struct *task;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, holder);
	cp_test_pin(test);
	cpu = cp_test_other_cpu();
	init_completion(&holder->taken);
	task = kthread_create(hold, holder, "curpage-kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	wait_for_completion(&holder->taken);

	mutex_lock(&cp_borrow_lock);
	cp_claim_borrow(&holder->claim, cpu);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(holder->done));
	KUNIT_EXPECT_EQ(test, 0, holder->claim.taken);
	cp_claim_return(&holder->claim);
	mutex_unlock(&cp_borrow_lock);
	kthread_stop(task);
	put_task_struct(task);
}

/*
 * Nothing but the wait for owners lies between wanting claims and having them.
 */
static void claims_are_wanted_before_anybody_is_interrupted(struct kunit *test)
{
	struct cp_claim *claims = kunit_kcalloc(test, 2 * nr_cpu_ids,
						sizeof(*claims), GFP_KERNEL);
	unsigned long before, after;
	int other, cpu;

	KUNIT_ASSERT_NOT_NULL(test, claims);
	cp_test_pin(test);
	other = cp_test_other_cpu();
	mutex_lock(&cp_borrow_lock);
	before = per_cpu(cp_claim_interrupts, other);
	for_each_online_cpu(cpu) {
		cp_claim_want(&claims[2 * cpu], cpu);
		cp_claim_want(&claims[2 * cpu + 1], cpu);
	}
	KUNIT_EXPECT_EQ(test, before, per_cpu(cp_claim_interrupts, other));
	cp_claim_call();
	cp_claim_call();	/* nobody is wanted since */
	after = per_cpu(cp_claim_interrupts, other);
	KUNIT_EXPECT_EQ(test, before + (other != raw_smp_processor_id()), after);
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, 1, claims[2 * cpu].wanted);
		cp_claim_wait(&claims[2 * cpu]);
		cp_claim_return(&claims[2 * cpu]);
		KUNIT_EXPECT_EQ(test, 1, claims[2 * cpu + 1].wanted);
	}
	mutex_unlock(&cp_borrow_lock);
}

#define TAKEN_CASE(fn)	KUNIT_CASE_PARAM(fn, taken_gen_params)

static struct kunit_case cp_claim_cases[] = {
	TAKEN_CASE(block_comes_from_the_side_heap),
	TAKEN_CASE(bulk_comes_from_the_side_heap),
	TAKEN_CASE(side_heap_uses_its_pages_again),
	TAKEN_CASE(block_goes_back_as_from_elsewhere),
	TAKEN_CASE(size_class_is_as_any_cache),
	TAKEN_CASE(heap_is_used_again_when_it_is_let_go),
	TAKEN_CASE(nothing_is_lost_at_the_bound),
	KUNIT_CASE(claim_is_had_once),
	KUNIT_CASE(who_stands_in_waits_for_the_owner),
	KUNIT_CASE(claims_are_wanted_before_anybody_is_interrupted),
	{}
};

CP_TEST_SUITE(claim);
