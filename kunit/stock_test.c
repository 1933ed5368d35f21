// SPDX-License-Identifier: GPL-2.0
/*
 * The stock of a CPU: page blocks that came back wait there, so many and no
 * more, and are handed out again, the last first.
 */
#include "common.h"
#include "params.h"

#define MANY	(CP_STOCK_BLOCKS + 3)

struct fixture {
	struct cp_stock *stock;		/* of this CPU */
	struct cp_stock_sum before;
	struct page *pages[MANY];
};

static struct fixture *setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_GT_MSG(test, cp_params.stock, 0, "parameter stock");
	cp_test_pin(test);
	f->stock = raw_cpu_ptr(&cp_stocks);
	cp_stock_get_sum(&f->before);
	KUNIT_ASSERT_EQ(test, 0, f->before.pages);
	return f;
}

static void get(struct kunit *test, struct fixture *f, unsigned int order,
		unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		f->pages[i] = curpage_alloc_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, f->pages[i]);
	}
}

static void put(struct fixture *f, unsigned int order, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		curpage_free_pages(f->pages[i], order);
}

/* In stock are so many blocks of this order, and none of others. */
static void expect_in_stock(struct kunit *test, unsigned int order,
			    unsigned int nr)
{
	struct cp_stock_sum sum;
	unsigned int i;

	cp_stock_get_sum(&sum);
	for (i = 0; i < CP_NR_ORDERS; i++)
		KUNIT_EXPECT_EQ_MSG(test, i == order ? nr : 0, sum.blocks[i],
				    "order %u, for order %u", i, order);
	KUNIT_EXPECT_EQ(test, (unsigned long)nr << order, sum.pages);
	KUNIT_EXPECT_EQ(test, sum.pages, cp_stock_pages());
}

/* Since the test began. */
static void expect_counted(struct kunit *test, struct fixture *f,
			   enum cp_stock_stat stat, unsigned long nr)
{
	struct cp_stock_sum sum;

	cp_stock_get_sum(&sum);
	KUNIT_EXPECT_EQ_MSG(test, nr, sum.stat[stat] - f->before.stat[stat],
			    "%s", cp_stock_stat_name[stat]);
}

/* So many pages of each order, CP_STOCK_BLOCKS blocks, but one of any. */
static unsigned int room_for(unsigned int order)
{
	unsigned int nr = cp_params.stock / (1 << order);

	if (order >= 7)
		return 0;
	return nr < 1 ? 1 : nr > CP_STOCK_BLOCKS ? CP_STOCK_BLOCKS : nr;
}

static void stock_of_each_order_is_bounded(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		unsigned int room = room_for(order);

		get(test, f, order, room + 2);
		put(f, order, room + 2);
		expect_in_stock(test, order, room);
		KUNIT_EXPECT_EQ(test, room << order, cp_arena.block_pages);
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
		cp_stock_drain();
		expect_in_stock(test, order, 0);
		KUNIT_EXPECT_EQ(test, 0, cp_arena.block_pages);
	}
}

static void block_that_came_last_goes_first(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int nr = room_for(0), i;

	get(test, f, 0, nr);
	put(f, 0, nr);
	for (i = nr; i-- > 0;)
		KUNIT_EXPECT_PTR_EQ(test, f->pages[i],
				    curpage_alloc_pages(GFP_KERNEL, 0));
	expect_in_stock(test, 0, 0);
	put(f, 0, nr);
}

/* Nor is a larger block cut for it. */
static void block_of_another_order_is_left_alone(struct kunit *test)
{
	struct fixture *f = setup(test);
	struct page *page;

	get(test, f, 2, 1);
	put(f, 2, 1);
	page = curpage_alloc_pages(GFP_KERNEL, 1);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, page < f->pages[0] || page > f->pages[0] + 3);
	expect_in_stock(test, 2, 1);
	KUNIT_EXPECT_PTR_EQ(test, f->pages[0],
			    curpage_alloc_pages(GFP_KERNEL, 2));
	expect_in_stock(test, 2, 0);
	curpage_free_pages(page, 1);
	curpage_free_pages(f->pages[0], 2);
}

static void what_goes_in_and_out_is_counted(struct kunit *test)
{
	struct fixture *f = setup(test);
	unsigned int room = room_for(0);

	get(test, f, 0, room + 2);
	expect_counted(test, f, CP_STOCK_ALLOC, 0);
	put(f, 0, room + 2);
	expect_counted(test, f, CP_STOCK_FREE, room);
	get(test, f, 0, 1);
	expect_counted(test, f, CP_STOCK_ALLOC, 1);
	expect_counted(test, f, CP_STOCK_DRAINED, 0);
	cp_stock_drain();
	expect_counted(test, f, CP_STOCK_DRAINED, room - 1);
	put(f, 0, 1);
	expect_counted(test, f, CP_STOCK_FREE, room + 1);
	expect_in_stock(test, 0, 1);
}

static void shrinks_empty_the_stock(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-stock", 64,
						    NULL);
	struct cp_test *t = test->priv;
	struct fixture *f = setup(test);

	get(test, f, 1, 2);
	put(f, 1, 2);
	KUNIT_EXPECT_GT(test, cp_test_held(), t->held);
	KUNIT_EXPECT_GE(test, curpage_cache_shrink(cache), 4);
	KUNIT_EXPECT_EQ(test, t->held, cp_test_held());
	expect_in_stock(test, 1, 0);

	/* As under memory pressure. */
	get(test, f, 1, 2);
	put(f, 1, 2);
	drop_slab();
	KUNIT_EXPECT_EQ(test, t->held, cp_test_held());
	expect_in_stock(test, 1, 0);
}

/* What is in stock makes room for a request that may wait. */
static void request_that_a_stock_serves_has_not_failed(struct kunit *test)
{
	unsigned long max = cp_arena.max_pages, failed = cp_arena.failed[1];
	struct fixture *f = setup(test);
	struct page *block;

	get(test, f, 0, 4);
	cp_arena_trim(&cp_arena, 0);
	cp_arena.max_pages = cp_test_held();
	put(f, 0, 4);
	expect_in_stock(test, 0, 4);
	KUNIT_EXPECT_NULL(test, curpage_alloc_pages(GFP_ATOMIC, 1));
	KUNIT_EXPECT_EQ(test, failed + 1, cp_arena.failed[1]);
	block = curpage_alloc_pages(GFP_KERNEL, 1);
	KUNIT_EXPECT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, failed + 1, cp_arena.failed[1]);
	cp_arena.max_pages = max;
	curpage_free_pages(block, 1);
}

static void block_in_stock_is_free(struct kunit *test)
{
	struct fixture *f = setup(test);
	void *obj;

	get(test, f, 2, 1);
	obj = page_address(f->pages[0]);
	KUNIT_EXPECT_EQ(test, PAGE_SIZE << 2, curpage_ksize(obj));
	put(f, 2, 1);
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(obj));
	put(f, 2, 1);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free_pages(f->pages[0], 3);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free_pages(f->pages[0] + 1, 0);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	expect_in_stock(test, 2, 1);
	expect_counted(test, f, CP_STOCK_FREE, 1);
}

static void block_of_wrong_order_stays_out(struct kunit *test)
{
	struct fixture *f = setup(test);

	get(test, f, 2, 1);
	curpage_free_pages(f->pages[0], 1);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	curpage_free_pages(f->pages[0], CP_STOCK_ORDERS);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	expect_in_stock(test, 2, 0);
	put(f, 2, 1);
	expect_in_stock(test, 2, 1);
}

/* An interrupt that lands inside goes to the arena, both ways. */
static void stock_that_is_taken_is_passed_by(struct kunit *test)
{
	struct fixture *f = setup(test);
	struct page *page;

	get(test, f, 0, 2);
	curpage_free_pages(f->pages[0], 0);
	preempt_disable();
	WRITE_ONCE(f->stock->claim.taken, 1);
	page = curpage_alloc_pages(GFP_ATOMIC, 0);
	curpage_free_pages(f->pages[1], 0);
	cp_claim_drop(&f->stock->claim);
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_PTR_NE(test, f->pages[0], page);
	KUNIT_EXPECT_TRUE(test, cp_page_is_free(cp_page_of(f->pages[1])));
	KUNIT_EXPECT_NE(test, CP_STOCK, cp_page_kind(cp_page_of(f->pages[1])));
	expect_in_stock(test, 0, 1);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_free_pages(page, 0);
}

static void stock_that_is_borrowed_is_passed_by(struct kunit *test)
{
	struct fixture *f = setup(test);
	struct page *page;

	get(test, f, 0, 1);
	put(f, 0, 1);
	mutex_lock(&cp_borrow_lock);
	cp_claim_borrow(&f->stock->claim, raw_smp_processor_id());
	page = curpage_alloc_pages(GFP_ATOMIC, 0);
	KUNIT_EXPECT_PTR_NE(test, f->pages[0], page);
	curpage_free_pages(page, 0);
	cp_claim_return(&f->stock->claim);
	mutex_unlock(&cp_borrow_lock);
	expect_in_stock(test, 0, 1);
	KUNIT_EXPECT_EQ(test, 0, f->stock->claim.taken);
}

static void free_first(void *data)
{
	struct fixture *f = data;

	curpage_free_pages(f->pages[0], 0);
}

/* It is in the stock of the CPU that freed it, and leaves that one, too. */
static void stocks_of_all_cpus_are_drained(struct kunit *test)
{
	struct fixture *f = setup(test);
	int cpu = cp_test_other_cpu();

	get(test, f, 0, 1);
	cp_test_on_cpu(cpu, free_first, f);
	KUNIT_EXPECT_EQ(test, 1, per_cpu_ptr(&cp_stocks, cpu)->nr[0]);
	expect_in_stock(test, 0, 1);
	cp_stock_drain();
	expect_in_stock(test, 0, 0);
}

static bool no_heap(struct cp_heap *h)
{
	return false;
}

/* What the look for what is idle does to stocks. */
static void drain_idle(void)
{
	struct cp_round r = {
		.next = CP_SIDE, .heap = no_heap, .stock = cp_stock_idle,
	};

	cp_round_run(&r);
}

/* The idle worker is kept out by the lock, which it takes for all of a look. */
static void idle_stock_is_drained_at_the_second_look(struct kunit *test)
{
	struct fixture *f = setup(test);

	get(test, f, 0, 2);
	mutex_lock(&cp_caches_lock);
	put(f, 0, 2);
	drain_idle();
	expect_in_stock(test, 0, 2);
	/* Something was done meanwhile. */
	get(test, f, 0, 1);
	put(f, 0, 1);
	drain_idle();
	expect_in_stock(test, 0, 2);
	drain_idle();
	expect_in_stock(test, 0, 0);
	mutex_unlock(&cp_caches_lock);
	expect_counted(test, f, CP_STOCK_DRAINED, 2);
}

static struct kunit_case cp_stock_cases[] = {
	KUNIT_CASE(stock_of_each_order_is_bounded),
	KUNIT_CASE(block_that_came_last_goes_first),
	KUNIT_CASE(block_of_another_order_is_left_alone),
	KUNIT_CASE(what_goes_in_and_out_is_counted),
	KUNIT_CASE(shrinks_empty_the_stock),
	KUNIT_CASE(request_that_a_stock_serves_has_not_failed),
	KUNIT_CASE(block_in_stock_is_free),
	KUNIT_CASE(block_of_wrong_order_stays_out),
	KUNIT_CASE(stock_that_is_taken_is_passed_by),
	KUNIT_CASE(stock_that_is_borrowed_is_passed_by),
	KUNIT_CASE(stocks_of_all_cpus_are_drained),
	KUNIT_CASE(idle_stock_is_drained_at_the_second_look),
	{}
};

CP_TEST_SUITE(stock);
