// SPDX-License-Identifier: GPL-2.0
/*
 * All processors at once, and interrupts: blocks are allocated here and freed
 * there, and in the end nothing is lost.
 */
#include "common.h"

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/smp.h>

#define SLOTS	512
#define ROUNDS	(IS_ENABLED(CONFIG_KASAN) ? 6000 : 20000)
#define THREADS	8

/* Whoever swaps a block out of its slot checks and frees it. */
struct stress {
	struct curpage_cache *cache;
	void *slots[SLOTS];
	struct page *pages[SLOTS / 8];
	atomic_t damaged;
	atomic_t failed;
	atomic_long_t allocated;
	atomic_long_t freed;
	u32 seed;
};

struct worker {
	struct stress *s;
	struct completion done;
	unsigned int nr;
};

/* A block that is ours alone keeps what we wrote. */
static void put_block(struct stress *s, unsigned int at, void *obj)
{
	unsigned int size = curpage_cache_size(s->cache);
	u8 *old;

	if (obj) {
		atomic_long_inc(&s->allocated);
		memset(obj, (unsigned long)obj >> 6, size);
	} else {
		atomic_inc(&s->failed);
	}
	old = xchg(&s->slots[at], obj);
	if (!old)
		return;
	if (memchr_inv(old, (u8)((unsigned long)old >> 6), size))
		atomic_inc(&s->damaged);
	atomic_long_inc(&s->freed);
	curpage_cache_free(s->cache, old);
}

static void put_page_block(struct stress *s, unsigned int at)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, at % 3);

	page = xchg(&s->pages[at], page);
	if (page)
		curpage_free_pages(page, at % 3);
}

static int work(void *data)
{
	struct worker *w = data;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, w->s->seed + w->nr);
	for (i = 0; i < ROUNDS; i++) {
		u32 r = prandom_u32_state(&rnd);

		put_block(w->s, r % SLOTS,
			  curpage_cache_alloc(w->s->cache, GFP_KERNEL));
		if (r >> 28 == 0)
			put_page_block(w->s, r % (SLOTS / 8));
		if (r >> 24 == 1)
			curpage_cache_shrink(w->s->cache);
		if (i % 64 == 0)
			cond_resched();
	}
	complete(&w->done);
	return 0;
}

static void start(struct kunit *test, struct worker *w, int cpu)
{
	struct task_struct *task = kthread_create(work, w, "curpage-kunit/%u",
						  w->nr);

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	init_completion(&w->done);
	kthread_bind(task, cpu);
	wake_up_process(task);
}

static struct stress *setup(struct kunit *test, unsigned int flags)
{
	struct curpage_cache_args args = { .flags = flags };
	struct stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->seed = cp_test_seed(test);
	s->cache = cp_test_cache(test, "kunit-stress", 72, &args);
	return s;
}

/* What the heaps have counted, none of it with an atomic operation. */
static void expect_exact(struct kunit *test, struct stress *s)
{
	unsigned long allocated = atomic_long_read(&s->allocated);
	unsigned long freed = atomic_long_read(&s->freed);
	struct cp_cache_sum sum;

	cp_cache_get_sum(s->cache, &sum);
	KUNIT_EXPECT_EQ(test, allocated, sum.stat[CP_ALLOC]);
	KUNIT_EXPECT_EQ(test, freed, sum.stat[CP_FREED]);
	KUNIT_EXPECT_EQ(test, allocated - freed, sum.live);
	KUNIT_EXPECT_EQ(test, 0, sum.stat[CP_LOST]);
	curpage_cache_shrink(s->cache);
	cp_cache_get_sum(s->cache, &sum);
	KUNIT_EXPECT_EQ(test, 0, sum.pending);
	KUNIT_EXPECT_EQ(test, sum.stat[CP_FREE_REMOTE],
			sum.stat[CP_COLLECTED]);
}

static void finish(struct kunit *test, struct stress *s)
{
	unsigned int i;

	expect_exact(test, s);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&s->damaged));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&s->failed));
	for (i = 0; i < SLOTS; i++)
		curpage_cache_free(s->cache, s->slots[i]);
	for (i = 0; i < ARRAY_SIZE(s->pages); i++)
		curpage_free_pages(s->pages[i], i % 3);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(s->cache));
}

static unsigned long remote_frees(struct stress *s)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(s->cache, &sum);
	return sum.stat[CP_FREE_REMOTE];
}

/* Threads on every processor, four on a machine with one. */
static void run_threads(struct kunit *test, struct stress *s)
{
	struct worker *workers = kunit_kcalloc(test, THREADS, sizeof(*workers),
					       GFP_KERNEL);
	unsigned int i, nr = min(THREADS, 2 * num_online_cpus() + 2);
	int cpu = -1;

	KUNIT_ASSERT_NOT_NULL(test, workers);
	for (i = 0; i < nr; i++) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		workers[i].s = s;
		workers[i].nr = i;
		start(test, &workers[i], cpu);
	}
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	for (i = 0; i < nr; i++)
		wait_for_completion(&workers[i].done);
}

static void all_cpus_at_once(struct kunit *test)
{
	struct stress *s = setup(test, 0);

	run_threads(test, s);
	if (num_online_cpus() > 1)
		KUNIT_EXPECT_GT(test, remote_frees(s), 0);
	finish(test, s);
}

static void all_cpus_at_once_with_check(struct kunit *test)
{
	struct stress *s = setup(test, CURPAGE_CHECK);

	run_threads(test, s);
	finish(test, s);
}

static void swap_in_interrupt(void *data)
{
	struct stress *s = data;
	unsigned int i;

	for (i = 0; i < 16; i++)
		put_block(s, get_random_u32_below(SLOTS),
			  curpage_cache_alloc(s->cache, GFP_ATOMIC));
}

static void interrupts_beside_threads(struct kunit *test)
{
	struct stress *s = setup(test, 0);
	struct worker w = { .s = s };
	unsigned int i;

	start(test, &w, cpumask_first(cpu_online_mask));
	for (i = 0; i < 500; i++) {
		cp_test_on_each_cpu(swap_in_interrupt, s);
		cond_resched();
	}
	wait_for_completion(&w.done);
	finish(test, s);
}

static struct kunit_case cp_stress_cases[] = {
	KUNIT_CASE_SLOW(all_cpus_at_once),
	KUNIT_CASE_SLOW(all_cpus_at_once_with_check),
	KUNIT_CASE_SLOW(interrupts_beside_threads),
	{}
};

CP_TEST_SUITE(stress);
