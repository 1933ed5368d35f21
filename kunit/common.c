// SPDX-License-Identifier: GPL-2.0
/*
 * Checks before and after each test: the pages held are the same, each report
 * was expected, and the walker finds nothing.
 */
#include "common.h"
#include "cache/fast.h"
#include "params.h"

unsigned long cp_test_held(void)
{
	struct cp_arena_sum sum;

	cp_arena_get_sum(&cp_arena, &sum, NULL);
	return sum.held;
}

/* Reset the high-water mark of page blocks, for which the arena keeps pages. */
static void cp_test_forget(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cp_arena.lock, flags);
	cp_arena.recent = cp_arena.block_pages;
	raw_spin_unlock_irqrestore(&cp_arena.lock, flags);
}

/* Give back all pages without live blocks, so that held can be compared. */
void cp_test_settle(void)
{
	struct curpage_cache *cache;

	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list)
		cp_cache_drain(cache);
	mutex_unlock(&cp_caches_lock);
	cp_stock_drain();
	cp_fit_drain();
	cp_test_forget();
	cp_arena_trim(&cp_arena, 0);
}

/*
 * Return: the header of the page that addr points into; NULL if it is not ours.
 */
struct cp_page *cp_test_page(const void *addr)
{
	struct cp_page *p;

	return cp_page_find(addr, &p) ? p : cp_page_lookup(addr);
}

/* Return: a counter, summed over all heaps of a cache. */
unsigned long cp_test_stat(struct curpage_cache *cache, enum cp_heap_stat stat)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(cache, &sum);
	return sum.stat[stat];
}

int cp_test_init(struct kunit *test)
{
	struct cp_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	enum cp_bad bad;

	if (!t)
		return -ENOMEM;
	/* Stop the idle worker: tests release idle pages themselves. */
	cp_idle_exit();
	cp_test_settle();
	t->held = cp_test_held();
	for (bad = 0; bad < CP_NR_BAD; bad++)
		t->bad[bad] = cp_report_count(bad);
	/* Without hardening a test knows where the next block is. */
	t->harden = cp_harden.on;
	cp_harden.on = false;
	test->priv = t;
	return 0;
}

void cp_test_exit(struct kunit *test)
{
	struct cp_test *t = test->priv;
	unsigned int i;

	if (!t)
		return;
	cp_harden.on = t->harden;
	for (i = 0; i < CP_TEST_CACHES; i++)
		if (t->caches[i])
			cp_test_destroy(test, t->caches[i]);
	cp_test_settle();
	cp_test_expect_bad(test, CP_OK, 0);
	KUNIT_EXPECT_EQ_MSG(test, t->held, cp_test_held(),
			    "pages held when the test is over");
	KUNIT_EXPECT_EQ_MSG(test, 0, curpage_check(),
			    "broken invariants when the test is over");
	cp_idle_init(cp_params.idle_ms);
}

/*
 * Pin the test's thread to this CPU.  The thread ends with the test, so nothing
 * has to be undone.
 */
void cp_test_pin(struct kunit *test)
{
	int cpu = raw_smp_processor_id();

	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current,
						      cpumask_of(cpu)));
}

/* Expect these numbers of reports of each kind since the last call. */
void cp_test_expect_bads(struct kunit *test, const unsigned int nr[CP_NR_BAD])
{
	struct cp_test *t = test->priv;
	enum cp_bad i;

	for (i = CP_BAD_FOREIGN; i < CP_NR_BAD; i++) {
		unsigned long count = cp_report_count(i);

		KUNIT_EXPECT_EQ_MSG(test, nr[i], count - t->bad[i],
				    "reports of: %s", cp_bad_name[i]);
		t->bad[i] = count;
	}
}

/* Expect nr reports of one kind and none of any other since the last call. */
void cp_test_expect_bad(struct kunit *test, enum cp_bad bad, unsigned int nr)
{
	unsigned int all[CP_NR_BAD] = { };

	all[bad] = nr;
	cp_test_expect_bads(test, all);
}

/*
 * Take this CPU's heap, as if the caller were an interrupt that landed inside.
 * Leaves preemption disabled until cp_test_drop().
 */
struct cp_heap *cp_test_take(struct curpage_cache *cache)
{
	struct cp_heap *h;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	WRITE_ONCE(h->claim.taken, 1);
	return h;
}

void cp_test_drop(struct cp_heap *h)
{
	cp_claim_drop(&h->claim);
	preempt_enable();
}

/* Return: another CPU that is online, or this CPU if there is none. */
int cp_test_other_cpu(void)
{
	int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	return cpu < nr_cpu_ids ? cpu : raw_smp_processor_id();
}

/* Parameters of tests: what "elsewhere" is in cp_test_elsewhere(). */
static const char * const cp_test_ways[] = { "interrupt", "another CPU" };

const void *cp_test_way_gen_params(const void *prev, char *desc)
{
	const char * const *way = prev ? (const char * const *)prev + 1 :
					 cp_test_ways;

	if (way == cp_test_ways + (num_online_cpus() > 1 ? 2 : 1))
		return NULL;
	strscpy(desc, *way, KUNIT_PARAM_DESC_SIZE);
	return way;
}

bool cp_test_way_is_cpu(struct kunit *test)
{
	return test->param_value == cp_test_ways + 1;
}

struct cp_test_call {
	void (*fn)(void *data);
	void *data;
};

static void cp_test_interrupt(void *data)
{
	struct cp_test_call *call = data;

	/*
	 * Tell lockdep that PREEMPT_RT would run this in a thread: locks may
	 * sleep.
	 */
	lockdep_hardirq_threaded();
	call->fn(call->data);
}

/* Call fn in an interrupt on another CPU. */
void cp_test_on_cpu(int cpu, void (*fn)(void *data), void *data)
{
	struct cp_test_call call = { fn, data };

	smp_call_function_single(cpu, cp_test_interrupt, &call, 1);
}

/* Call fn in interrupts on all other CPUs, and on this CPU. */
void cp_test_on_each_cpu(void (*fn)(void *data), void *data)
{
	struct cp_test_call call = { fn, data };

	on_each_cpu(cp_test_interrupt, &call, 1);
}

/*
 * Call fn with this CPU's heap taken, or on another CPU, as the parameter says.
 */
void cp_test_elsewhere(struct kunit *test, struct curpage_cache *cache,
		       void (*fn)(void *data), void *data)
{
	struct cp_heap *h;

	if (cp_test_way_is_cpu(test)) {
		cp_test_on_cpu(cp_test_other_cpu(), fn, data);
		return;
	}
	h = cp_test_take(cache);
	fn(data);
	cp_test_drop(h);
}

/* Create a cache.  It is destroyed at the end of the test at the latest. */
struct curpage_cache *cp_test_cache(struct kunit *test, const char *name,
				    unsigned int size,
				    const struct curpage_cache_args *args)
{
	struct cp_test *t = test->priv;
	unsigned int i = 0;

	while (i < CP_TEST_CACHES && t->caches[i])
		i++;
	KUNIT_ASSERT_LT(test, i, CP_TEST_CACHES);
	t->caches[i] = curpage_cache_create(name, size, args);
	KUNIT_ASSERT_NOT_NULL(test, t->caches[i]);
	return t->caches[i];
}

void cp_test_destroy(struct kunit *test, struct curpage_cache *cache)
{
	struct cp_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < CP_TEST_CACHES; i++)
		if (t->caches[i] == cache)
			t->caches[i] = NULL;
	KUNIT_EXPECT_EQ_MSG(test, 0, curpage_cache_destroy(cache),
			    "a block of a test's cache is live");
}

static uint cp_test_given_seed;
module_param_named(test_seed, cp_test_given_seed, uint, 0444);
MODULE_PARM_DESC(test_seed, "seed of the KUnit tests that are random, 0 for a random one (default 0)");

/*
 * Return: the seed for a random test.  Logs it, so that a failure can be
 * repeated.
 */
u32 cp_test_seed(struct kunit *test)
{
	u32 seed = cp_test_given_seed ?: get_random_u32();

	kunit_info(test, "seed %u", seed);
	return seed;
}
