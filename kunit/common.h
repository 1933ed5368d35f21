/* SPDX-License-Identifier: GPL-2.0 */
/* What the suites share.  They use the one arena, and leave it as it was. */
#ifndef CP_KUNIT_COMMON_H
#define CP_KUNIT_COMMON_H

#include "../mm/kernel.h"

#include <kunit/test.h>

#include "../mm/internal.h"

#define CP_TEST_CACHES	4

/* Of each test, in test->priv. */
struct cp_test {
	unsigned long held;
	unsigned long bad[CP_NR_BAD];
	struct curpage_cache *caches[CP_TEST_CACHES];
};

int cp_test_init(struct kunit *test);
void cp_test_exit(struct kunit *test);
void cp_test_settle(void);
void cp_test_pin(struct kunit *test);
void cp_test_expect_bad(struct kunit *test, enum cp_bad bad, unsigned long nr);
struct curpage_cache *cp_test_cache(struct kunit *test, const char *name,
				    unsigned int size,
				    const struct curpage_cache_args *args);
void cp_test_destroy(struct kunit *test, struct curpage_cache *cache);
unsigned long cp_test_held(void);
u32 cp_test_seed(struct kunit *test);

/* A test that needs nothing but the checks of every test. */
#define CP_TEST_SUITE(id)						\
	static struct kunit_suite cp_##id##_suite = {			\
		.name = "curpage_" #id,					\
		.init = cp_test_init,					\
		.exit = cp_test_exit,					\
		.test_cases = cp_##id##_cases,				\
	};								\
	kunit_test_suite(cp_##id##_suite)

#endif /* CP_KUNIT_COMMON_H */
