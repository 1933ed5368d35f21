// SPDX-License-Identifier: GPL-2.0
/*
 * Cases in which two or three actors use a heap or a stock at the same time.
 * All calls are right, except a page block that is freed twice.
 */
#include "inter.h"
#include "cache/fast.h"

static struct page *inter_pages;	/* a page block */

static void free_0(void)
{
	inter_free(0);
}

static void free_1(void)
{
	inter_free(1);
}

static void free_2(void)
{
	inter_free(2);
}

static void free_3(void)
{
	inter_free(3);
}

static void free_01(void)
{
	inter_free(0);
	inter_free(1);
}

/* Free by address, without the cache. */
static void inter_free_by_address(unsigned int nr)
{
	void *obj = inter_block[nr];

	inter_block[nr] = NULL;
	curpage_free(obj);
}

static void kfree_0(void)
{
	inter_free_by_address(0);
}

static void alloc_4(void)
{
	inter_alloc(4);
}

static void alloc_45(void)
{
	inter_alloc(4);
	inter_alloc(5);
}

static void alloc_free(void)
{
	inter_alloc(4);
	inter_free(4);
}

static void alloc_kfree(void)
{
	inter_alloc(4);
	inter_free_by_address(4);
}

static void free_alloc(void)
{
	inter_free(0);
	inter_alloc(4);
}

static void alloc_free_other(void)
{
	inter_alloc(6);
	inter_free(6);
}

static void bulk_free_01(void)
{
	void *objs[2] = { inter_block[0], inter_block[1] };

	inter_block[0] = NULL;
	inter_block[1] = NULL;
	curpage_cache_free_bulk(inter_cache, 2, objs);
}

/* Drain pages and stocks of all CPUs, except where another CPU stands in. */
static void try_drain(void)
{
	struct cp_round r = {
		.cache = inter_cache, .try = true, .next = CP_SIDE,
		.heap = cp_heap_gains, .stock = cp_stock_any,
		.some = cp_drain_some,
	};

	cp_round_run(&r);
}

static void walk_heap(struct cp_heap *h, void *unused)
{
	INTER_EXPECT(!cp_heap_check(h));
}

static void walk(void)
{
	mutex_lock(&cp_caches_lock);
	cp_cache_each_heap(inter_cache, walk_heap, NULL);
	mutex_unlock(&cp_caches_lock);
}

/* Check that frees do not exceed allocations, nor collected blocks frees. */
static void count(void)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(inter_cache, &sum);
	INTER_EXPECT((long)sum.live >= 0 && sum.live <= INTER_BLOCKS);
	INTER_EXPECT((long)sum.pending >= 0 && sum.pending <= INTER_BLOCKS);
}

static void setup_1(void)
{
	inter_setup_blocks(1);
}

/* Start with a current page without live blocks. */
static void setup_empty(void)
{
	inter_setup_blocks(1);
	inter_free(0);
}

static void setup_2(void)
{
	inter_setup_blocks(2);
}

static void setup_3(void)
{
	inter_setup_blocks(3);
}

static void setup_4(void)
{
	inter_setup_blocks(4);
}

/* Start with two live blocks and a free block in a pool. */
static void setup_pool(void)
{
	inter_begin_pool();
	inter_setup_blocks(3);
	inter_free(1);
}

/* Start with two live blocks and a free block, which is on its page. */
static void setup_no_pool(void)
{
	inter_retune();
	inter_setup_blocks(3);
	inter_free(1);
}

static void from_cpu(int cpu, void (*act)(void))
{
	lab.cpu = cpu;
	act();
	lab.cpu = 0;
}

/* Start with a full page in the inbox, with a block in its stack. */
static void setup_pending(void)
{
	inter_setup_blocks(2);
	from_cpu(1, free_1);
}

static void setup_pending_3(void)
{
	inter_setup_blocks(3);
	from_cpu(1, free_1);
}

/* Start with blocks 0 and 1 on a full page, and block 2 on the current page. */
static void setup_pending_other(void)
{
	inter_setup_blocks(3);
	from_cpu(1, free_2);
	inter_alloc(3);
}

/* Start with two full pages, each with a block in its stack. */
static void setup_pending_two(void)
{
	inter_setup_blocks(4);
	from_cpu(1, free_1);
	from_cpu(1, free_3);
}

static void check_pending_2(void)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(inter_cache, &sum);
	INTER_EXPECT(sum.pending == 2);
	INTER_EXPECT(inter_heap(0)->inbox);
}

/* Check that the dead CPU has no page, and none in its inbox. */
static void check_adopted(void)
{
	struct cp_heap *h = inter_heap(0);

	INTER_EXPECT(!h->inbox && !cp_heap_pages(h) && !h->cur);
	/* The CPU stays dead: continue on another one. */
	lab.cpu = 1;
}

static void setup_page_block(void)
{
	inter_pages = curpage_alloc_pages(GFP_ATOMIC, 0);
	INTER_EXPECT(inter_pages);
}

static void setup_stock(void)
{
	setup_page_block();
	curpage_free_pages(inter_pages, 0);
	INTER_EXPECT(cp_stock_pages() == 1);
}

static void free_pages_0(void)
{
	curpage_free_pages(inter_pages, 0);
}

/* One of the two frees is reported. */
static void check_one_told(void)
{
	inter_offences = 1;
}

static void use_stock(void)
{
	struct page *page = curpage_alloc_pages(GFP_ATOMIC, 0);

	INTER_EXPECT(page);
	INTER_EXPECT(cp_page_kind(cp_page_of(page)) == CP_BLOCK);
	curpage_free_pages(page, 0);
}

/* Times that a bare claim was taken. */
static unsigned int inter_uses;

static void setup_claims(void)
{
	inter_claims_reset();
	inter_uses = 0;
}

static void use_claims_01(void)
{
	inter_uses += inter_claim_use(0);
	inter_uses += inter_claim_use(1);
}

static void use_claim_1(void)
{
	inter_uses += inter_claim_use(1);
}

static void use_claim_2(void)
{
	inter_uses += inter_claim_use(2);
}

static void borrow_claims(void)
{
	inter_claims_borrow(0);
	inter_uses += INTER_CLAIMS;
}

static void borrow_claims_12(void)
{
	inter_claims_borrow(1);
	inter_uses += INTER_CLAIMS - 1;
}

/* Check that no use was lost: no two uses were at the same time. */
static void check_claims(void)
{
	INTER_EXPECT(inter_claims_used() == inter_uses);
}

static void drain_stock(void)
{
	cp_stock_drain();
}

/*
 * Start with a block of CPU 0, and another cache on CPU 1.  That cache's
 * current page has no live block, and is in the slot of cp_hot that a free of
 * the first block looks at.
 */
static void setup_other_cache(void)
{
	struct page *between[CP_HOT_SIZE];
	unsigned int n = 0;
	void *obj;

	inter_alloc(0);
	while (cp_hot_index(page_address(lab.map + n + 1)) !=
	       cp_hot_index(inter_block[0])) {
		between[n++] = alloc_pages(GFP_ATOMIC, 0);
		INTER_EXPECT(between[n - 1] == lab.map + n);
	}
	inter_other = curpage_cache_create("other", 2048, NULL);
	INTER_EXPECT(inter_other);
	lab.cpu = 1;
	obj = curpage_cache_alloc(inter_other, GFP_ATOMIC);
	INTER_EXPECT(cp_hot_index(obj) == cp_hot_index(inter_block[0]));
	curpage_cache_free(inter_other, obj);
	INTER_EXPECT(this_cpu_read(cp_hot.heap[cp_hot_index(obj)]) !=
		     &cp_heap_none);
	lab.cpu = 0;
	while (n)
		__free_page(between[--n]);
}

static void destroy(void)
{
	INTER_EXPECT(!curpage_cache_destroy(inter_other));
}

static void setup_traced(void)
{
	INTER_EXPECT(!cp_trace_begin());
}

static void make_cache(void)
{
	inter_other = curpage_cache_create("made", 2048, NULL);
	INTER_EXPECT(inter_other);
}

/* Check that tracing has ended: the fast path may use every heap. */
static void check_made(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INTER_EXPECT(!(per_cpu_ptr(inter_other->heaps, cpu)->claim.closed &
			       CP_CLOSED_EXTRA));
	destroy();
}

const struct inter_case inter_cases[] = {
	{ "two CPUs push onto one page", 1024, .setup = setup_2, .actor = {
		{ "one", 1, free_0 }, { "two", 2, free_1 } },
	  .check = check_pending_2 },
	{ "two CPUs push onto two pages", .setup = setup_3, .actor = {
		{ "one", 1, free_0 }, { "two", 2, free_2 } },
	  .check = check_pending_2 },
	{ "a push and the owner's collect", .setup = setup_pending, .actor = {
		{ "owner", 0, alloc_4 }, { "pusher", 1, free_0 } } },
	{ "a push, the owner's collect and another page", .setup = setup_pending_other,
	  .actor = { { "owner", 0, alloc_4 }, { "pusher", 1, free_0 } } },
	{ "a push onto one of two pages, and a collect", .setup = setup_pending_two,
	  .actor = { { "owner", 0, alloc_4 }, { "pusher", 1, free_0 } } },
	{ "two pushes and the owner's collect", .setup = setup_pending_other,
	  .actor = { { "owner", 0, alloc_4 }, { "one", 1, free_0 },
		     { "two", 2, free_1 } } },
	{ "a full page is revived by two pushes", .setup = setup_2, .actor = {
		{ "owner", 0, alloc_4 }, { "one", 1, free_0 },
		{ "two", 2, free_1 } } },
	{ "a full page is revived, and again", .setup = setup_2, .actor = {
		{ "owner", 0, alloc_45 }, { "pusher", 1, free_01 } } },
	{ "the owner and a borrower", .setup = setup_1, .actor = {
		{ "owner", 0, alloc_free }, { "borrower", 1, inter_retune } } },
	{ "the owner's page is taken by a borrower", .setup = setup_empty, .actor = {
		{ "owner", 0, alloc_free }, { "borrower", 1, inter_take_pages } } },
	{ "the owner's page is taken, it frees by address", .setup = setup_empty,
	  .actor = { { "owner", 0, alloc_kfree },
		     { "borrower", 1, inter_take_pages } } },
	{ "the owner frees its last block, and a borrower", .setup = setup_1,
	  .actor = { { "owner", 0, free_0 }, { "borrower", 1, inter_drain } } },
	{ "the owner frees by address, and a borrower", .setup = setup_1,
	  .actor = { { "owner", 0, kfree_0 }, { "borrower", 1, inter_drain } } },
	{ "the owner and the walker", .setup = setup_1, .actor = {
		{ "owner", 0, alloc_free }, { "walker", 1, walk } } },
	{ "the owner is seen late, its page is taken", .late = true,
	  .setup = setup_empty, .actor = {
		{ "owner", 0, alloc_free }, { "borrower", 1, inter_take_pages } } },
	{ "a stock is seen late, used and drained", .late = true,
	  .setup = setup_stock, .actor = {
		{ "owner", 0, use_stock }, { "borrower", 1, drain_stock } } },
	{ "two claims of an owner are seen late, borrowed at once",
	  .late = true, .setup = setup_claims, .actor = {
		{ "owner", 0, use_claims_01 }, { "borrower", 1, borrow_claims } },
	  .check = check_claims },
	{ "claims of two owners are seen late, borrowed at once",
	  .late = true, .setup = setup_claims, .actor = {
		{ "one", 0, use_claim_1 }, { "two", 1, use_claim_2 },
		{ "borrower", 2, borrow_claims_12 } },
	  .check = check_claims },
	{ "claims are seen late, borrowed by a task of an owner's CPU",
	  .late = true, .setup = setup_claims, .actor = {
		{ "one", 0, use_claim_1 }, { "two", 1, use_claim_2 },
		{ "borrower", 0, borrow_claims_12 } },
	  .check = check_claims },
	{ "claims of an owner, two borrowers", .setup = setup_claims,
	  .actor = { { "owner", 0, use_claim_1 },
		{ "one", 1, borrow_claims_12 }, { "two", 2, borrow_claims_12 } },
	  .check = check_claims },
	{ "two owners free, and a round", .setup = setup_3, .actor = {
		{ "one", 0, free_0 }, { "two", 1, free_2 },
		{ "borrower", 2, try_drain } } },
	{ "the owner, a borrower and one that only tries", .setup = setup_1,
	  .actor = { { "owner", 0, free_0 }, { "borrower", 1, inter_retune },
		     { "trier", 2, try_drain } } },
	{ "a push and a borrower", 1024, .setup = setup_pending_3, .actor = {
		{ "borrower", 2, inter_drain }, { "pusher", 1, free_0 } } },
	{ "two pushes and a borrower", 1024, .setup = setup_pending_3, .actor = {
		{ "borrower", 3, inter_drain }, { "one", 1, free_0 },
		{ "two", 2, free_2 } } },
	{ "the owner, a push and a borrower", .setup = setup_2, .actor = {
		{ "owner", 0, free_1 }, { "pusher", 1, free_0 },
		{ "borrower", 2, inter_retune } } },
	{ "a push while a pool ends", .setup = setup_pool, .actor = {
		{ "borrower", 2, inter_retune }, { "pusher", 1, free_0 } } },
	{ "a bulk free elsewhere while a pool ends", .setup = setup_pool,
	  .actor = { { "borrower", 2, inter_retune }, { "pusher", 1, bulk_free_01 } } },
	{ "a push while a pool begins", .setup = setup_no_pool, .actor = {
		{ "borrower", 2, inter_begin_pool }, { "pusher", 1, free_0 } },
	  .check = inter_retune },
	{ "the owner and two borrowers", .setup = setup_1, .actor = {
		{ "owner", 0, free_0 }, { "one", 1, inter_drain },
		{ "two", 2, inter_retune } } },
	{ "an interrupt inside an allocation and a free", .setup = setup_1,
	  .actor = { { "owner", 0, alloc_free },
		     { "interrupt", 0, alloc_free_other, true } } },
	{ "an interrupt frees, the owner allocates", .setup = setup_2,
	  .actor = { { "owner", 0, alloc_45 },
		     { "interrupt", 0, free_01, true } } },
	{ "an interrupt allocates, the owner frees", .setup = setup_2,
	  .actor = { { "owner", 0, free_01 },
		     { "interrupt", 0, alloc_45, true } } },
	{ "an interrupt frees, a push, the owner allocates", .setup = setup_2,
	  .actor = { { "owner", 0, alloc_4 }, { "pusher", 1, free_0 },
		     { "interrupt", 0, free_1, true } } },
	{ "two pushes of one CPU, one in an interrupt", .setup = setup_2,
	  .actor = { { "pusher", 1, free_0 },
		     { "interrupt", 1, free_1, true } },
	  .check = check_pending_2 },
	{ "two tasks of one CPU", .setup = setup_1, .actor = {
		{ "one", 0, alloc_free }, { "two", 0, alloc_free_other } } },
	{ "a CPU dies, a push", .setup = setup_2, .actor = {
		{ "pusher", 1, free_0 }, { "reaper", 2, inter_cpu_0_dies } },
	  .check = check_adopted },
	{ "a CPU dies, two pushes", .setup = setup_3, .actor = {
		{ "one", 1, free_0 }, { "two", 2, free_1 },
		{ "reaper", 3, inter_cpu_0_dies } },
	  .check = check_adopted },
	{ "a CPU dies, an interrupt where its pages go", .setup = setup_2,
	  .actor = { { "reaper", 1, inter_cpu_0_dies },
		     { "interrupt", 1, free_alloc, true } },
	  .check = check_adopted },
	{ "a CPU dies, a borrower", .setup = setup_2, .actor = {
		{ "reaper", 1, inter_cpu_0_dies }, { "borrower", 2, inter_retune } },
	  .check = check_adopted },
	{ "a cache is destroyed that a free looks at", .setup = setup_other_cache,
	  .actor = { { "freer", 1, kfree_0 }, { "destroyer", 2, destroy } } },
	{ "a cache is made while tracing ends", .setup = setup_traced, .actor = {
		{ "maker", 1, make_cache }, { "tracer", 2, cp_trace_end } },
	  .check = check_made },
	{ "a page block is freed twice", .offends = true,
	  .setup = setup_page_block, .actor = {
		{ "one", 0, free_pages_0 }, { "two", 1, free_pages_0 } },
	  .check = check_one_told },
	{ "a stock is used and drained", .setup = setup_stock, .actor = {
		{ "owner", 0, use_stock }, { "borrower", 1, drain_stock } } },
	{ "a stock is used in an interrupt", .setup = setup_stock, .actor = {
		{ "owner", 0, use_stock },
		{ "interrupt", 0, use_stock, true } } },
	{ "a chain is pushed, and the owner's collect", .setup = setup_3,
	  .actor = { { "owner", 0, alloc_45 }, { "pusher", 1, bulk_free_01 } } },
	{ "a chain and a block are pushed onto one page", 1024,
	  .setup = setup_4, .actor = { { "one", 1, bulk_free_01 },
		{ "two", 2, free_2 }, { "owner", 0, alloc_4 } } },
	{ "counters, while blocks come and go", .setup = setup_2, .actor = {
		{ "owner", 0, alloc_4 }, { "pusher", 1, free_0 },
		{ "reader", 2, count } } },
	{ }
};
