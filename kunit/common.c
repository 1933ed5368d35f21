// SPDX-License-Identifier: GPL-2.0
/*
 * Before and after each test: what is held has to be the same, each report
 * has to have been expected, and the walker has to be content.
 */
#include "common.h"

unsigned long cp_test_held(void)
{
	struct cp_arena_sum sum;

	cp_arena_sum(&cp_arena, &sum);
	return sum.held;
}

/* Give back all that is not live, so that held can be compared. */
void cp_test_settle(void)
{
	struct curpage_cache *cache;

	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list)
		cp_cache_drain(cache);
	mutex_unlock(&cp_caches_lock);
	cp_arena_trim(&cp_arena, 0);
}

int cp_test_init(struct kunit *test)
{
	struct cp_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	enum cp_bad bad;

	if (!t)
		return -ENOMEM;
	cp_test_settle();
	t->held = cp_test_held();
	for (bad = 0; bad < CP_NR_BAD; bad++)
		t->bad[bad] = cp_report_count(bad);
	test->priv = t;
	return 0;
}

void cp_test_exit(struct kunit *test)
{
	struct cp_test *t = test->priv;
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < CP_TEST_CACHES; i++)
		if (t->caches[i])
			cp_test_destroy(test, t->caches[i]);
	cp_test_settle();
	cp_test_expect_bad(test, CP_OK, 0);
	KUNIT_EXPECT_EQ_MSG(test, t->held, cp_test_held(),
			    "pages held when the test is over");
	KUNIT_EXPECT_EQ_MSG(test, 0, curpage_check(),
			    "broken invariants when the test is over");
}

/* The test's thread ends with the test, so nothing has to be undone. */
void cp_test_pin(struct kunit *test)
{
	int cpu = raw_smp_processor_id();

	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current,
						      cpumask_of(cpu)));
}

/* Since the last call nr reports of this kind were made, and no others. */
void cp_test_expect_bad(struct kunit *test, enum cp_bad bad, unsigned long nr)
{
	struct cp_test *t = test->priv;
	enum cp_bad i;

	for (i = CP_BAD_FOREIGN; i < CP_NR_BAD; i++) {
		unsigned long count = cp_report_count(i);

		KUNIT_EXPECT_EQ_MSG(test, i == bad ? nr : 0, count - t->bad[i],
				    "reports of: %s", cp_bad_name[i]);
		t->bad[i] = count;
	}
}

/* A cache that lasts until the end of the test at most. */
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

/* For a test that is random, so that a failure can be had again. */
u32 cp_test_seed(struct kunit *test)
{
	u32 seed = get_random_u32();

	kunit_info(test, "seed %u", seed);
	return seed;
}
