// SPDX-License-Identifier: GPL-2.0
/*
 * Every place at which the system can refuse memory, made to do so.  The stubs
 * take the place of the functions of mm/arena/system.c for this thread.
 */
#include "common.h"

/* Calls of cp_system_take(), by what it was asked for. */
static struct {
	unsigned int calls;
	unsigned int fail_from;		/* the first call that fails */
	unsigned int fail_to;		/* the first that does not, again */
	unsigned int fail_above;	/* orders above this fail */
	gfp_t last_gfp;
	gfp_t big_gfp;			/* of the last try above order 0 */
} sys;

static struct cp_page *take_stub(gfp_t gfp, unsigned int order)
{
	unsigned int call = sys.calls++;
	struct page *page;

	sys.last_gfp = gfp;
	if (order)
		sys.big_gfp = gfp;
	if ((call >= sys.fail_from && call < sys.fail_to) ||
	    order > sys.fail_above)
		return NULL;
	page = alloc_pages(GFP_KERNEL, order);
	if (page && order)
		split_page(page, order);
	return page ? cp_page_of(page) : NULL;
}

static void *zalloc_stub(size_t size)
{
	return NULL;
}

static void __percpu *heaps_stub(size_t size, size_t align)
{
	return NULL;
}

/* Calls from fail_from up to fail_to fail, and all of orders above. */
static void fail_take(struct kunit *test, unsigned int from, unsigned int to,
		      unsigned int above)
{
	memset(&sys, 0, sizeof(sys));
	sys.fail_from = from;
	sys.fail_to = to;
	sys.fail_above = above;
	kunit_activate_static_stub(test, cp_system_take, take_stub);
}

static void stop_failing(struct kunit *test)
{
	kunit_deactivate_static_stub(test, cp_system_take);
}

static void fail_all(struct kunit *test)
{
	cp_test_settle();
	fail_take(test, 0, UINT_MAX, UINT_MAX);
}

static void cache_without_a_page_gets_null(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-fail", 64,
						    NULL);
	unsigned long refused = cp_arena.stat[CP_SYSTEM_FAILED];
	unsigned long held;

	fail_all(test);
	held = cp_test_held();
	KUNIT_EXPECT_NULL(test, curpage_cache_alloc(cache, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, curpage_cache_alloc(cache, GFP_ATOMIC));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&cache->failed));
	KUNIT_EXPECT_EQ(test, refused + 2, cp_arena.stat[CP_SYSTEM_FAILED]);
	KUNIT_EXPECT_EQ(test, held, cp_test_held());
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	stop_failing(test);
	curpage_cache_free(cache, curpage_cache_alloc(cache, GFP_KERNEL));
}

static void sizes_and_page_blocks_get_null(struct kunit *test)
{
	unsigned int order;
	size_t size;

	fail_all(test);
	for (size = 1; size <= 4 * PAGE_SIZE; size *= 2) {
		KUNIT_EXPECT_NULL(test, curpage_alloc(size, GFP_KERNEL));
		KUNIT_EXPECT_NULL(test, curpage_zalloc(size, GFP_KERNEL));
	}
	for (order = 0; order < CP_NR_ORDERS; order++)
		KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL, order));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

/* Blocks that are there are handed out whatever the system says. */
static void what_is_held_is_still_handed_out(struct kunit *test)
{
	struct curpage_cache *cache;
	unsigned int i;
	void *objs[4];

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-fail", 1024, NULL);
	objs[0] = curpage_cache_alloc(cache, GFP_KERNEL);
	fail_take(test, 0, UINT_MAX, UINT_MAX);
	for (i = 1; i < 4; i++) {
		objs[i] = curpage_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_NOT_NULL(test, objs[i]);
	}
	curpage_cache_free_bulk(cache, 4, objs);
}

static void bulk_fails_as_a_whole_at_each_page(struct kunit *test)
{
	struct curpage_cache *cache;
	unsigned int from;
	void *objs[6];

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-fail", PAGE_SIZE, NULL);
	for (from = 0; from < ARRAY_SIZE(objs); from++) {
		cp_test_settle();
		fail_take(test, from, UINT_MAX, 0);
		KUNIT_EXPECT_EQ_MSG(test, 0,
				    curpage_cache_alloc_bulk(cache, GFP_KERNEL,
							     ARRAY_SIZE(objs),
							     objs),
				    "from call %u on", from);
		stop_failing(test);
		KUNIT_EXPECT_EQ(test, 0, cp_cache_live(cache));
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
	}
}

/* Each call of a fixed run fails once, wherever that leads. */
static void one_failure_anywhere_harms_nothing(struct kunit *test)
{
	unsigned int from, i, failed, calls = 1;
	void *objs[24];

	for (from = 0; from < calls; from++) {
		cp_test_settle();
		fail_take(test, from, from + 1, UINT_MAX);
		for (i = 0, failed = 0; i < ARRAY_SIZE(objs); i++) {
			size_t size = i % 2 ? 700 * (i + 1) :
					      PAGE_SIZE << i % 6;

			objs[i] = curpage_alloc(size, GFP_KERNEL);
			failed += !objs[i];
		}
		calls = sys.calls;
		stop_failing(test);
		KUNIT_EXPECT_LE_MSG(test, failed, 1, "call %u", from);
		KUNIT_EXPECT_EQ_MSG(test, 0, curpage_check(), "call %u", from);
		for (i = 0; i < ARRAY_SIZE(objs); i++)
			curpage_free(objs[i]);
	}
	KUNIT_EXPECT_GT(test, calls, 10);
}

/* Fragmented memory: no chunk, but single pages. */
static void smaller_chunks_do_when_large_ones_fail(struct kunit *test)
{
	unsigned long lower = cp_arena.stat[CP_CHUNK_LOWER];
	struct curpage_cache *cache = cp_test_cache(test, "kunit-fail",
						    PAGE_SIZE, NULL);
	void *objs[8];

	cp_test_settle();
	fail_take(test, UINT_MAX, UINT_MAX, 0);
	KUNIT_EXPECT_EQ(test, 8, curpage_cache_alloc_bulk(cache, GFP_KERNEL, 8,
							  objs));
	KUNIT_EXPECT_EQ(test, lower + 8, cp_arena.stat[CP_CHUNK_LOWER]);
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL, 1));
	stop_failing(test);
	curpage_cache_free_bulk(cache, 8, objs);
}

/* Only the last try, for no more than is needed, leans on the system. */
static void only_the_needed_order_reclaims_and_warns(struct kunit *test)
{
	struct page *page;

	cp_test_settle();
	fail_take(test, UINT_MAX, UINT_MAX, 0);
	page = curpage_alloc_pages(GFP_KERNEL, 0);
	stop_failing(test);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, 0, (__force u32)(sys.big_gfp & __GFP_RECLAIM));
	KUNIT_EXPECT_NE(test, 0, (__force u32)(sys.big_gfp & __GFP_NOWARN));
	KUNIT_EXPECT_EQ(test, (__force u32)GFP_KERNEL,
			(__force u32)sys.last_gfp);
	curpage_free_pages(page, 0);
}

/* Pages are shared, so nobody is charged, and chunks are as large as ever. */
static void nobody_is_charged(struct kunit *test)
{
	struct page *page;

	cp_test_settle();
	fail_take(test, UINT_MAX, UINT_MAX, UINT_MAX);
	page = curpage_alloc_pages(GFP_KERNEL_ACCOUNT, 0);
	stop_failing(test);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, 1, sys.calls);
	KUNIT_EXPECT_NE(test, 0, (__force u32)sys.big_gfp);
	curpage_free_pages(page, 0);
}

/* While the others are refused. */
static void nofail_goes_past_the_bound(struct kunit *test)
{
	unsigned long beyond = cp_arena.stat[CP_BEYOND_BOUND];
	unsigned long max = cp_arena.max_pages;
	struct page *page, *more;

	cp_test_settle();
	page = curpage_alloc_pages(GFP_KERNEL, 3);
	cp_arena.max_pages = cp_test_held();
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL, 4));
	more = curpage_alloc_pages(GFP_KERNEL | __GFP_NOFAIL, 1);
	KUNIT_EXPECT_NOT_NULL(test, more);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_free_pages(more, 1);
	curpage_free_pages(page, 3);
	cp_test_settle();
	KUNIT_EXPECT_EQ(test, 0, cp_arena.beyond);
	KUNIT_EXPECT_LE(test, cp_arena.stat[CP_BEYOND_BOUND], beyond + 1);
	cp_arena.max_pages = max;
}

/* While we asked somebody else freed a page: that one will do. */
static struct page *freed_meanwhile;
static bool drained_meanwhile;

static struct cp_page *freeing_stub(gfp_t gfp, unsigned int order)
{
	if (freed_meanwhile)
		curpage_free_pages(freed_meanwhile, 0);
	if (drained_meanwhile)
		cp_stock_drain();
	freed_meanwhile = NULL;
	return NULL;
}

static void expect_page_freed_meanwhile(struct kunit *test)
{
	struct page *page;

	cp_test_settle();
	fail_take(test, UINT_MAX, UINT_MAX, 0);
	freed_meanwhile = curpage_alloc_pages(GFP_KERNEL, 0);
	stop_failing(test);
	KUNIT_ASSERT_NOT_NULL(test, freed_meanwhile);
	page = freed_meanwhile;
	kunit_activate_static_stub(test, cp_system_take, freeing_stub);
	KUNIT_EXPECT_PTR_EQ(test, page, curpage_alloc_pages(GFP_KERNEL, 0));
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_KERNEL, 0));
	kunit_deactivate_static_stub(test, cp_system_take);
	curpage_free_pages(page, 0);
}

/* It may be in the stock by then, or in the arena. */
static void page_freed_meanwhile_serves_after_a_failure(struct kunit *test)
{
	cp_test_pin(test);
	drained_meanwhile = false;
	expect_page_freed_meanwhile(test);
	drained_meanwhile = true;
	expect_page_freed_meanwhile(test);
}

static void cache_struct_refused_means_no_cache(struct kunit *test)
{
	kunit_activate_static_stub(test, cp_system_zalloc, zalloc_stub);
	KUNIT_EXPECT_NULL(test, curpage_cache_create("kunit-fail", 64, NULL));
	kunit_deactivate_static_stub(test, cp_system_zalloc);
	cp_test_destroy(test, cp_test_cache(test, "kunit-fail", 64, NULL));
}

static void heaps_refused_means_no_cache(struct kunit *test)
{
	kunit_activate_static_stub(test, cp_system_alloc_percpu, heaps_stub);
	KUNIT_EXPECT_NULL(test, curpage_cache_create("kunit-fail", 64, NULL));
	kunit_deactivate_static_stub(test, cp_system_alloc_percpu);
	cp_test_destroy(test, cp_test_cache(test, "kunit-fail", 64, NULL));
}

#ifdef CONFIG_FUNCTION_ERROR_INJECTION
struct inject_case {
	const char *name;
	void *fn;
	bool (*gets)(struct curpage_cache *cache);
};

static bool cache_alloc_gets(struct curpage_cache *cache)
{
	void *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	curpage_cache_free(cache, obj);
	return obj;
}

static bool cache_alloc_bulk_gets(struct curpage_cache *cache)
{
	void *objs[4];
	int n = curpage_cache_alloc_bulk(cache, GFP_KERNEL, 4, objs);

	curpage_cache_free_bulk(cache, n, objs);
	return n;
}

static bool cache_create_gets(struct curpage_cache *cache)
{
	struct curpage_cache *other = curpage_cache_create("kunit-inject", 64,
							   NULL);

	return other && !curpage_cache_destroy(other);
}

static bool alloc_gets(struct curpage_cache *cache)
{
	void *obj = curpage_alloc(64, GFP_KERNEL);

	curpage_free(obj);
	return obj;
}

static bool zalloc_gets(struct curpage_cache *cache)
{
	void *obj = curpage_zalloc(64, GFP_KERNEL);

	curpage_free(obj);
	return obj;
}

static bool alloc_pages_gets(struct curpage_cache *cache)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 1);

	curpage_free_pages(page, 1);
	return page;
}

#define INJECT(name) { "curpage_" #name, curpage_##name, name##_gets }

static const struct inject_case inject_cases[] = {
	INJECT(cache_alloc), INJECT(cache_alloc_bulk), INJECT(cache_create),
	INJECT(alloc), INJECT(zalloc), INJECT(alloc_pages),
};

KUNIT_ARRAY_PARAM_DESC(inject, inject_cases, name);

static struct task_struct *inject_task;

/* As fail_function in debugfs does it. */
static int inject_null(struct kprobe *kp, struct pt_regs *regs)
{
	if (current != inject_task)
		return 0;
	regs_set_return_value(regs, 0);
	override_function_with_return(regs);
	return 1;
}

static void function_can_be_made_to_fail(struct kunit *test)
{
	const struct inject_case *c = test->param_value;
	struct curpage_cache *cache = cp_test_cache(test, "kunit-fail", 64,
						    NULL);
	struct kprobe kp = { .addr = c->fn, .pre_handler = inject_null };

	KUNIT_EXPECT_TRUE(test, within_error_injection_list((unsigned long)c->fn));
	KUNIT_EXPECT_EQ(test, EI_ETYPE_NULL,
			get_injectable_error_type((unsigned long)c->fn));
	KUNIT_EXPECT_TRUE(test, c->gets(cache));
	inject_task = current;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	KUNIT_EXPECT_FALSE(test, c->gets(cache));
	unregister_kprobe(&kp);
	KUNIT_EXPECT_TRUE(test, c->gets(cache));
}
#endif

static struct kunit_case cp_fail_cases[] = {
	KUNIT_CASE(cache_without_a_page_gets_null),
	KUNIT_CASE(sizes_and_page_blocks_get_null),
	KUNIT_CASE(what_is_held_is_still_handed_out),
	KUNIT_CASE(bulk_fails_as_a_whole_at_each_page),
	KUNIT_CASE(one_failure_anywhere_harms_nothing),
	KUNIT_CASE(smaller_chunks_do_when_large_ones_fail),
	KUNIT_CASE(only_the_needed_order_reclaims_and_warns),
	KUNIT_CASE(nobody_is_charged),
	KUNIT_CASE(nofail_goes_past_the_bound),
	KUNIT_CASE(page_freed_meanwhile_serves_after_a_failure),
	KUNIT_CASE(cache_struct_refused_means_no_cache),
	KUNIT_CASE(heaps_refused_means_no_cache),
#ifdef CONFIG_FUNCTION_ERROR_INJECTION
	KUNIT_CASE_PARAM(function_can_be_made_to_fail, inject_gen_params),
#endif
	{}
};

CP_TEST_SUITE(fail);
