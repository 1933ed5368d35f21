// SPDX-License-Identifier: GPL-2.0
/*
 * Taking back what CPUs have and do not need: how often they are interrupted
 * for it, which of them, and that reclaim waits for no lock.
 */
#include "common.h"

#define CACHES		3
#define PAGES		6	/* of a CPU, in the first cache */
#define ENOUGH_MS	2000

struct fixture {
	struct curpage_cache *cache[CACHES];
	int here, there;		/* the same, where there is one CPU */
	unsigned long interrupts;	/* of there, so far */
};

/*
 * Empty pages on this CPU: some of the first cache, one of the others; a block.
 */
static void leave_empty_pages(void *data)
{
	struct fixture *f = data;
	struct page *page = curpage_alloc_pages(GFP_ATOMIC, 0);
	void *objs[PAGES];
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		objs[i] = curpage_cache_alloc(f->cache[0], GFP_ATOMIC);
	for (i = 0; i < PAGES; i++)
		curpage_cache_free(f->cache[0], objs[i]);
	for (i = 1; i < CACHES; i++)
		curpage_cache_free(f->cache[i],
				   curpage_cache_alloc(f->cache[i], GFP_ATOMIC));
	if (page)
		curpage_free_pages(page, 0);
}

static struct fixture *setup(struct kunit *test)
{
	static const char * const names[CACHES] = {
		"kunit-reclaim-a", "kunit-reclaim-b", "kunit-reclaim-c",
	};
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->here = raw_smp_processor_id();
	f->there = cp_test_other_cpu();
	for (i = 0; i < CACHES; i++) {
		f->cache[i] = cp_test_cache(test, names[i], PAGE_SIZE, NULL);
		f->cache[i]->keep = CP_KEEP_ALL;
	}
	leave_empty_pages(f);
	cp_test_on_cpu(f->there, leave_empty_pages, f);
	f->interrupts = per_cpu(cp_claim_interrupts, f->there);
	return f;
}

static unsigned long interrupts(const struct fixture *f)
{
	return per_cpu(cp_claim_interrupts, f->there) - f->interrupts;
}

static unsigned long pages_of(const struct fixture *f, int cpu)
{
	return cp_heap_pages(per_cpu_ptr(f->cache[0]->heaps, cpu));
}

static void cpu_is_interrupted_once_for_all(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned long own = per_cpu(cp_claim_interrupts, f->here);
	unsigned int i;

	KUNIT_EXPECT_GE(test, cp_reclaim(LONG_MAX), PAGES + CACHES - 1);
	for (i = 0; i < CACHES; i++) {
		struct cp_cache_sum sum;

		cp_cache_get_sum(f->cache[i], &sum);
		KUNIT_EXPECT_EQ(test, 0, sum.nr[CP_S2] + sum.current_empty);
	}
	KUNIT_EXPECT_EQ(test, 0, cp_stock_pages());
	KUNIT_EXPECT_EQ(test, f->here != f->there, interrupts(f));
	if (f->here != f->there)
		KUNIT_EXPECT_EQ(test, own,
				per_cpu(cp_claim_interrupts, f->here));
}

static void nobody_is_interrupted_for_nothing(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	cp_reclaim(LONG_MAX);
	f->interrupts = per_cpu(cp_claim_interrupts, f->there);
	cp_reclaim(LONG_MAX);
	cp_idle_look();
	for (i = 0; i < CACHES; i++)
		curpage_cache_shrink(f->cache[i]);
	KUNIT_EXPECT_EQ(test, 0, interrupts(f));
}

/*
 * The stub is in place for this thread: the CPU of there is the isolated one.
 */
static int isolated_cpu;

static bool isolated_stub(int cpu)
{
	return cpu == isolated_cpu;
}

static bool isolate(struct kunit *test, struct fixture *f)
{
	isolated_cpu = f->there;
	kunit_activate_static_stub(test, cp_claim_isolated, isolated_stub);
	return f->here != f->there;
}

static void isolated_cpu_is_not_looked_at(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int i;

	if (!isolate(test, f))
		return;
	for (i = 0; i < 4; i++)
		cp_idle_look();
	KUNIT_EXPECT_EQ(test, 0, interrupts(f));
	KUNIT_EXPECT_EQ(test, PAGES, pages_of(f, f->there));
	KUNIT_EXPECT_EQ(test, 1, cp_stock_pages_of(f->there));
	KUNIT_EXPECT_EQ(test, 0, pages_of(f, f->here));
}

/* Not for what others can give, but when that is not enough. */
static void isolated_cpu_comes_last(struct kunit *test)
{
	struct fixture *f = setup(test);

	if (!isolate(test, f))
		return;
	cp_arena_trim(&cp_arena, 0);
	KUNIT_EXPECT_GE(test, cp_reclaim(PAGES), PAGES);
	KUNIT_EXPECT_EQ(test, 0, interrupts(f));
	KUNIT_EXPECT_EQ(test, PAGES, pages_of(f, f->there));
	KUNIT_EXPECT_EQ(test, 0, pages_of(f, f->here));

	KUNIT_EXPECT_GE(test, cp_reclaim(LONG_MAX), PAGES);
	KUNIT_EXPECT_EQ(test, 1, interrupts(f));
	KUNIT_EXPECT_EQ(test, 0, pages_of(f, f->there));
}

static void isolated_cpu_gives_on_request(struct kunit *test)
{
	struct fixture *f = setup(test);

	if (!isolate(test, f))
		return;
	curpage_cache_shrink(f->cache[0]);
	KUNIT_EXPECT_EQ(test, 1, interrupts(f));
	KUNIT_EXPECT_EQ(test, 0, pages_of(f, f->there));
}

static const struct lock_case {
	const char *name;
	struct mutex *lock;	/* held while another thread reclaims */
} lock_cases[] = {
	{ "list of caches", &cp_caches_lock },
	{ "standing in", &cp_borrow_lock },
};

KUNIT_ARRAY_PARAM_DESC(lock, lock_cases, name);

struct reclaimer {
	struct completion done;
	unsigned long pages;
};

static int reclaim(void *data)
{
	struct reclaimer *r = data;

	r->pages = cp_reclaim(LONG_MAX);
	complete(&r->done);
	return 0;
}

/* Another thread reclaims while this one has the lock. */
static void reclaim_waits_for_no_lock(struct kunit *test)
{
	const struct lock_case *c = test->param_value;
	struct fixture *f = setup(test);
	struct reclaimer *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct task_struct *task;
	unsigned long left;

	KUNIT_ASSERT_NOT_NULL(test, r);
	init_completion(&r->done);
	task = kthread_create(reclaim, r, "curpage-kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	mutex_lock(c->lock);
	wake_up_process(task);
	left = wait_for_completion_timeout(&r->done,
					   msecs_to_jiffies(ENOUGH_MS));
	mutex_unlock(c->lock);
	KUNIT_EXPECT_NE_MSG(test, 0, left, "it waits");
	if (!left)
		wait_for_completion(&r->done);
	KUNIT_EXPECT_EQ(test, PAGES, pages_of(f, f->here));
	KUNIT_EXPECT_EQ(test, 0, interrupts(f));
	kthread_stop(task);
	put_task_struct(task);
}

static struct kunit_case cp_reclaim_cases[] = {
	KUNIT_CASE(cpu_is_interrupted_once_for_all),
	KUNIT_CASE(nobody_is_interrupted_for_nothing),
	KUNIT_CASE(isolated_cpu_is_not_looked_at),
	KUNIT_CASE(isolated_cpu_comes_last),
	KUNIT_CASE(isolated_cpu_gives_on_request),
	KUNIT_CASE_PARAM(reclaim_waits_for_no_lock, lock_gen_params),
	{}
};

CP_TEST_SUITE(reclaim);
