/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the suites.  They use the one arena, and leave it as it was. */
#ifndef CP_KUNIT_COMMON_H
#define CP_KUNIT_COMMON_H

#include "kernel.h"

#include "arena/stock.h"
#include "arena/system.h"
#include "cache/borrow.h"
#include "cache/cache.h"
#include "heap/debug.h"
#include "heap/harden.h"
#include "heap/remote.h"
#include "heap/report.h"
#include "large/large.h"
#include "size/size.h"
#include "watch/watch.h"

#define CP_TEST_CACHES	4

/* State of each test, in test->priv. */
struct cp_test {
	unsigned long held;
	unsigned long bad[CP_NR_BAD];
	bool harden;
	struct curpage_cache *caches[CP_TEST_CACHES];
};

int cp_test_init(struct kunit *test);
void cp_test_exit(struct kunit *test);
void cp_test_settle(void);
struct cp_page *cp_test_page(const void *addr);
unsigned long cp_test_stat(struct curpage_cache *cache, enum cp_heap_stat stat);
void cp_test_pin(struct kunit *test);
void cp_test_expect_bad(struct kunit *test, enum cp_bad bad, unsigned int nr);
void cp_test_expect_bads(struct kunit *test, const unsigned int nr[CP_NR_BAD]);
struct cp_heap *cp_test_take(struct curpage_cache *cache);
void cp_test_drop(struct cp_heap *h);
int cp_test_other_cpu(void);
const void *cp_test_way_gen_params(const void *prev, char *desc);
bool cp_test_way_is_cpu(struct kunit *test);
void cp_test_on_cpu(int cpu, void (*fn)(void *data), void *data);
void cp_test_on_each_cpu(void (*fn)(void *data), void *data);
void cp_test_elsewhere(struct kunit *test, struct curpage_cache *cache,
		       void (*fn)(void *data), void *data);
struct curpage_cache *cp_test_cache(struct kunit *test, const char *name,
				    unsigned int size,
				    const struct curpage_cache_args *args);
void cp_test_destroy(struct kunit *test, struct curpage_cache *cache);
unsigned long cp_test_held(void);
u32 cp_test_seed(struct kunit *test);

/* Define a suite whose tests need no more than the checks of every test. */
#define CP_TEST_SUITE(id)						\
	static struct kunit_suite cp_##id##_suite = {			\
		.name = "curpage_" #id,					\
		.init = cp_test_init,					\
		.exit = cp_test_exit,					\
		.test_cases = cp_##id##_cases,				\
	};								\
	kunit_test_suite(cp_##id##_suite)

#endif /* CP_KUNIT_COMMON_H */
