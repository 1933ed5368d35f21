// SPDX-License-Identifier: GPL-2.0
/*
 * What two or three actors do to a heap or a stock at a time.
 *
 * The heap of CPU 0 owns the blocks.  After each order of steps, everything is
 * freed and drained: no block may be missing or be there twice, all counters
 * are exact, and nothing is held.
 */
#include "inter.h"
#include "../../mm/fast.h"
#include "../../mm/stock.h"

#define INTER_BLOCKS	8
#define INTER_PAGES	16	/* no case has more of them */
#define INTER_FILL	0xee	/* in live blocks, so many bytes */
#define INTER_FILLED	512
#define INTER_REPORTS	2	/* of one offence that several fall over */

static const struct inter_case *inter_case;
static struct curpage_cache *inter_cache;
static struct curpage_cache *inter_other;
static void *inter_block[INTER_BLOCKS];	/* live; NULL once freed */

static struct page *inter_pages;	/* a page block */
static unsigned long inter_told;	/* double frees reported so far */
static unsigned long inter_offences;	/* that this order should have */
static unsigned long inter_reports;	/* of any kind, so far */
static void *inter_twice;		/* freed more often than it should be */

static struct cp_heap *inter_heap(int cpu)
{
	return per_cpu_ptr(inter_cache->heaps, cpu);
}

/* Anew for each order: its buddies count requests, and learn from them. */
static void inter_init_arena(void)
{
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
	});
}

/* Once for each case; what an order leaves is the same again. */
void inter_begin(const struct inter_case *c)
{
	inter_case = c;
	lab.quiet = c->offends || c->misuse || inter_brief;
	cp_page_init_map();
	inter_init_arena();
	cp_stock_init(1);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = &cp_strategy_mru, .freetol = 1, .keep = 0,
	};
	inter_cache = curpage_cache_create("inter", c->size ?: 2048, NULL);
	INTER_EXPECT(inter_cache && !cp_hotplug_init());
}

static void inter_expect_empty(void)
{
	struct cp_cache_sum sum;

	cp_cache_sum(inter_cache, &sum);
	INTER_EXPECT(!sum.live);
	INTER_EXPECT(!sum.pending);
	INTER_EXPECT(!sum.stat[CP_LOST]);
	INTER_EXPECT(!sum.nr[CP_LOW] && !sum.nr[CP_S3] && !sum.nr[CP_S2]);
	INTER_EXPECT(!sum.current_live && !sum.current_empty);
	INTER_EXPECT(!cp_stock_pages());
	INTER_EXPECT(!atomic_long_read(&cp_arena.loose));
	INTER_EXPECT(!cp_arena.held && !lab.pages_lent);
}

static unsigned long inter_all_reports(void)
{
	unsigned long sum = 0;
	enum cp_bad bad;

	for (bad = 0; bad < CP_NR_BAD; bad++)
		sum += cp_report_count(bad);
	return sum;
}

/* What is live is as its owner left it. */
static void inter_expect_intact(unsigned int nr)
{
	INTER_EXPECT(!inter_case->misuse || !inter_block[nr] ||
		     !memchr_inv(inter_block[nr], INTER_FILL, INTER_FILLED));
}

static void inter_free_rest(void)
{
	unsigned int i;

	for (i = 0; i < INTER_BLOCKS; i++) {
		inter_expect_intact(i);
		if (inter_block[i])
			curpage_cache_free(inter_cache, inter_block[i]);
		inter_block[i] = NULL;
	}
}

static void inter_heap_anew(struct cp_heap *h, int cpu)
{
	INTER_EXPECT(!cp_heap_pages(h) && !h->inbox && !h->todo);
	cp_heap_init(h, inter_cache, cpu, &cp_strategy_mru, 1);
}

/*
 * The offence has been told, whatever the order.  Blocks that were lost by it keep
 * their page until the cache ends; then nothing is held.
 */
static void inter_end_misuse(void)
{
	unsigned long reports;
	int cpu;

	inter_free_rest();
	curpage_cache_shrink(inter_cache);
	reports = inter_all_reports() - inter_reports;
	if (reports < 1 || reports > INTER_REPORTS)
		inter_fail("%lu reports of one offence", reports);
	inter_reports += reports;
	cp_cache_dismiss(inter_cache);
	if (inter_other)
		cp_cache_dismiss(inter_other);
	cp_stock_drain();
	cp_arena_trim(&cp_arena, 0);
	INTER_EXPECT(!atomic_long_read(&cp_arena.loose));
	INTER_EXPECT(!cp_arena.held && !lab.pages_lent);
	for_each_possible_cpu(cpu)
		inter_heap_anew(inter_heap(cpu), cpu);
	inter_heap_anew(&inter_cache->side, CP_SIDE);
	INTER_EXPECT(!curpage_check());
	inter_init_arena();
	inter_forget_objects();
}

/* Free what is left, drain, and look at everything. */
void inter_end(void)
{
	if (inter_case->misuse) {
		inter_end_misuse();
		return;
	}
	INTER_EXPECT(!curpage_check());
	inter_free_rest();
	curpage_cache_shrink(inter_cache);
	inter_expect_empty();
	INTER_EXPECT(!curpage_check());
	INTER_EXPECT(inter_case->offends || !lab.messages);
	inter_init_arena();
	inter_forget_objects();
	inter_told += inter_offences;
	inter_offences = 0;
	INTER_EXPECT(cp_report_count(CP_BAD_DOUBLE) == inter_told);
	INTER_EXPECT(!cp_report_count(CP_BAD_FOREIGN) &&
		     !cp_report_count(CP_BAD_INSIDE) &&
		     !cp_report_count(CP_BAD_CACHE) &&
		     !cp_report_count(CP_BAD_POISON));
}

static u64 inter_mix(u64 hash, u64 value)
{
	return (hash ^ value) * 0x100000001b3;
}

static u64 inter_heap_state(u64 hash, struct cp_heap *h)
{
	struct cp_page *p;
	unsigned int i;

	hash = inter_mix(hash, (unsigned long)h->cur);
	hash = inter_mix(hash, (unsigned long)h->inbox);
	hash = inter_mix(hash, h->free);
	hash = inter_mix(hash, cp_heap_taken(h));
	for (i = 0; i < CP_NR_SETS; i++)
		list_for_each_entry(p, &h->set[i], list)
			hash = inter_mix(hash, (unsigned long)p + i);
	return hash;
}

/* What an order has come to: two that end alike have the same. */
u64 inter_state(void)
{
	u64 hash = 0xcbf29ce484222325;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		hash = inter_heap_state(hash, inter_heap(cpu));
	hash = inter_heap_state(hash, &inter_cache->side);
	for (i = 0; i < INTER_BLOCKS; i++)
		hash = inter_mix(hash, (unsigned long)inter_block[i]);
	for (i = 0; i < INTER_PAGES; i++) {
		struct cp_page *p = cp_page_of(lab.map + i);

		hash = inter_mix(hash, (unsigned long)p->heap);
		hash = inter_mix(hash, p->link);
		hash = inter_mix(hash, p->word.all);
		hash = inter_mix(hash, p->free | p->nr_free << 16);
	}
	return hash;
}

/* What actors do; nobody else may have such a block. */
static void inter_alloc(unsigned int nr)
{
	void *obj = curpage_cache_alloc(inter_cache, GFP_ATOMIC);
	unsigned int i;

	INTER_EXPECT(obj);
	for (i = 0; i < INTER_BLOCKS; i++)
		INTER_EXPECT(inter_block[i] != obj);
	inter_block[nr] = obj;
	if (inter_case->misuse)
		memset(obj, INTER_FILL, INTER_FILLED);
}

/* It may be handed out again before this returns. */
static void inter_free(unsigned int nr)
{
	void *obj = inter_block[nr];

	inter_expect_intact(nr);
	inter_block[nr] = NULL;
	curpage_cache_free(inter_cache, obj);
}

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

/* The way of who does not say what cache it is. */
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

static void drain(void)
{
	curpage_cache_shrink(inter_cache);
}

/* The arena keeps them. */
static void take_pages(void)
{
	cp_heap_give_back(inter_heap(0));
}

/* Pages and blocks in stock, unless somebody else stands in for a CPU. */
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

static void retune(void)
{
	cp_cache_retune(inter_cache, &cp_strategy_mru, 1);
}

static void cpu_0_dies(void)
{
	INTER_EXPECT(!lab.cpu_dead(0));
}

/* More may not have been freed than allocated, nor taken in than freed. */
static void count(void)
{
	struct cp_cache_sum sum;

	cp_cache_sum(inter_cache, &sum);
	INTER_EXPECT((long)sum.live >= 0 && sum.live <= INTER_BLOCKS);
	INTER_EXPECT((long)sum.pending >= 0 && sum.pending <= INTER_BLOCKS);
}

/* So many blocks of CPU 0. */
static void setup_blocks(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		inter_alloc(i);
}

static void setup_1(void)
{
	setup_blocks(1);
}

/* The current page has no live block. */
static void setup_empty(void)
{
	setup_blocks(1);
	inter_free(0);
}

static void setup_2(void)
{
	setup_blocks(2);
}

static void setup_3(void)
{
	setup_blocks(3);
}

static void setup_4(void)
{
	setup_blocks(4);
}

static void begin_pool(void)
{
	INTER_EXPECT(!cp_cache_retune(inter_cache, &cp_strategy_stack, 1));
}

/* Two live blocks and a free one, which is in a pool. */
static void setup_pool(void)
{
	begin_pool();
	setup_blocks(3);
	inter_free(1);
}

/* The same, on its page. */
static void setup_no_pool(void)
{
	retune();
	setup_blocks(3);
	inter_free(1);
}

static void from_cpu(int cpu, void (*act)(void))
{
	lab.cpu = cpu;
	act();
	lab.cpu = 0;
}

/* A full page with a block in its stack already, in the inbox. */
static void setup_pending(void)
{
	setup_blocks(2);
	from_cpu(1, free_1);
}

static void setup_pending_3(void)
{
	setup_blocks(3);
	from_cpu(1, free_1);
}

/* The page of blocks 0 and 1 is full, that of 2 current. */
static void setup_pending_other(void)
{
	setup_blocks(3);
	from_cpu(1, free_2);
	inter_alloc(3);
}

/* Two full pages with a block in the stack of each, the first one's first. */
static void setup_pending_two(void)
{
	setup_blocks(4);
	from_cpu(1, free_1);
	from_cpu(1, free_3);
}

static void check_pending_2(void)
{
	struct cp_cache_sum sum;

	cp_cache_sum(inter_cache, &sum);
	INTER_EXPECT(sum.pending == 2);
	INTER_EXPECT(inter_heap(0)->inbox);
}

/* Nothing is left behind at the dead CPU, not even in its inbox. */
static void check_adopted(void)
{
	struct cp_heap *h = inter_heap(0);

	INTER_EXPECT(!h->inbox && !cp_heap_pages(h) && !h->cur);
	/* It does not come back, so what follows is done elsewhere. */
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

/* Of two who free the block one is told. */
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

/* Bare claims: how often they were had. */
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

/* No use was lost, so no two were at the same time. */
static void check_claims(void)
{
	INTER_EXPECT(inter_claims_used() == inter_uses);
}

static void drain_stock(void)
{
	cp_stock_drain();
}

/*
 * A block of CPU 0, and another cache that has its current page, without a live
 * block, on CPU 1 where a free of the first block looks.
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

/* Block 0 will be freed by two, none of whom it is written down for. */
static void setup_twice(void)
{
	setup_blocks(1);
	inter_twice = inter_block[0];
	inter_block[0] = NULL;
}

/* The same with another live block on its page, so that it stays. */
static void setup_twice_of_2(void)
{
	setup_blocks(2);
	inter_twice = inter_block[0];
	inter_block[0] = NULL;
}

/* It is the last live block of a page that is not current. */
static void setup_twice_last(void)
{
	setup_blocks(3);
	inter_free(1);
	inter_twice = inter_block[0];
	inter_block[0] = NULL;
}

/* It has been freed once, by its owner. */
static void setup_freed(void)
{
	setup_twice();
	curpage_cache_free(inter_cache, inter_twice);
}

static void setup_freed_of_2(void)
{
	setup_twice_of_2();
	curpage_cache_free(inter_cache, inter_twice);
}

static void setup_freed_to_pool(void)
{
	begin_pool();
	setup_freed_of_2();
}

/* It has been freed once, elsewhere. */
static void setup_pushed(void)
{
	setup_twice_of_2();
	lab.cpu = 1;
	curpage_cache_free(inter_cache, inter_twice);
	lab.cpu = 0;
}

/*
 * A cache of smaller blocks that could get the page.  The one that it hands out
 * first is not where the block was: freeing that would be right.
 */
static void setup_freed_and_other(void)
{
	if (!inter_other)
		inter_other = curpage_cache_create("other", INTER_FILLED, NULL);
	INTER_EXPECT(inter_other);
	inter_other->keep = 0;
	setup_blocks(2);
	inter_twice = inter_block[1];
	inter_free(0);
	inter_free(1);
}

static void free_twice(void)
{
	curpage_cache_free(inter_cache, inter_twice);
}

static void kfree_twice(void)
{
	curpage_free(inter_twice);
}

static void bulk_free_twice(void)
{
	void *objs[2] = { inter_twice, NULL };

	curpage_cache_free_bulk(inter_cache, 2, objs);
}

static void free_inside(void)
{
	curpage_cache_free(inter_cache, inter_twice + 8);
}

static void free_to_other(void)
{
	curpage_cache_free(inter_other, inter_twice);
}

/* The page goes from one cache to another, where it is used. */
static void move_page(void)
{
	u8 *obj;

	take_pages();
	obj = curpage_cache_alloc(inter_other, GFP_ATOMIC);
	INTER_EXPECT(obj);
	memset(obj, INTER_FILL, INTER_FILLED);
	synchronize_rcu();
	INTER_EXPECT(!memchr_inv(obj, INTER_FILL, INTER_FILLED));
	curpage_cache_free(inter_other, obj);
}

#define MISUSE(what, prepare, actors...)				\
	{ "misuse: " what, .misuse = true, .setup = prepare,		\
	  .actor = { actors } }

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
		{ "owner", 0, alloc_free }, { "borrower", 1, retune } } },
	{ "the owner's page is taken by a borrower", .setup = setup_empty, .actor = {
		{ "owner", 0, alloc_free }, { "borrower", 1, take_pages } } },
	{ "the owner's page is taken, it frees by address", .setup = setup_empty,
	  .actor = { { "owner", 0, alloc_kfree },
		     { "borrower", 1, take_pages } } },
	{ "the owner frees its last block, and a borrower", .setup = setup_1,
	  .actor = { { "owner", 0, free_0 }, { "borrower", 1, drain } } },
	{ "the owner frees by address, and a borrower", .setup = setup_1,
	  .actor = { { "owner", 0, kfree_0 }, { "borrower", 1, drain } } },
	{ "the owner and the walker", .setup = setup_1, .actor = {
		{ "owner", 0, alloc_free }, { "walker", 1, walk } } },
	{ "the owner is seen late, its page is taken", .late = true,
	  .setup = setup_empty, .actor = {
		{ "owner", 0, alloc_free }, { "borrower", 1, take_pages } } },
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
	  .actor = { { "owner", 0, free_0 }, { "borrower", 1, retune },
		     { "trier", 2, try_drain } } },
	{ "a push and a borrower", 1024, .setup = setup_pending_3, .actor = {
		{ "borrower", 2, drain }, { "pusher", 1, free_0 } } },
	{ "two pushes and a borrower", 1024, .setup = setup_pending_3, .actor = {
		{ "borrower", 3, drain }, { "one", 1, free_0 },
		{ "two", 2, free_2 } } },
	{ "the owner, a push and a borrower", .setup = setup_2, .actor = {
		{ "owner", 0, free_1 }, { "pusher", 1, free_0 },
		{ "borrower", 2, retune } } },
	{ "a push while a pool ends", .setup = setup_pool, .actor = {
		{ "borrower", 2, retune }, { "pusher", 1, free_0 } } },
	{ "a bulk free elsewhere while a pool ends", .setup = setup_pool,
	  .actor = { { "borrower", 2, retune }, { "pusher", 1, bulk_free_01 } } },
	{ "a push while a pool begins", .setup = setup_no_pool, .actor = {
		{ "borrower", 2, begin_pool }, { "pusher", 1, free_0 } },
	  .check = retune },
	{ "the owner and two borrowers", .setup = setup_1, .actor = {
		{ "owner", 0, free_0 }, { "one", 1, drain },
		{ "two", 2, retune } } },
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
		{ "pusher", 1, free_0 }, { "reaper", 2, cpu_0_dies } },
	  .check = check_adopted },
	{ "a CPU dies, two pushes", .setup = setup_3, .actor = {
		{ "one", 1, free_0 }, { "two", 2, free_1 },
		{ "reaper", 3, cpu_0_dies } },
	  .check = check_adopted },
	{ "a CPU dies, an interrupt where its pages go", .setup = setup_2,
	  .actor = { { "reaper", 1, cpu_0_dies },
		     { "interrupt", 1, free_alloc, true } },
	  .check = check_adopted },
	{ "a CPU dies, a borrower", .setup = setup_2, .actor = {
		{ "reaper", 1, cpu_0_dies }, { "borrower", 2, retune } },
	  .check = check_adopted },
	{ "a cache is destroyed that a free looks at", .setup = setup_other_cache,
	  .actor = { { "freer", 1, kfree_0 }, { "destroyer", 2, destroy } } },
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
	MISUSE("freed by the owner and elsewhere", setup_twice,
	       { "owner", 0, free_twice }, { "pusher", 1, free_twice }),
	MISUSE("the same by address", setup_twice,
	       { "owner", 0, kfree_twice }, { "pusher", 1, kfree_twice }),
	MISUSE("freed by the owner and elsewhere, on a page that stays",
	       setup_twice_of_2,
	       { "owner", 0, free_twice }, { "pusher", 1, free_twice }),
	MISUSE("freed by the owner and elsewhere, the last of its page",
	       setup_twice_last,
	       { "owner", 0, free_twice }, { "pusher", 1, free_twice }),
	MISUSE("freed elsewhere by two", setup_twice,
	       { "one", 1, free_twice }, { "two", 2, free_twice }),
	MISUSE("freed elsewhere by two, on a page that stays", setup_twice_of_2,
	       { "one", 1, free_twice }, { "two", 2, free_twice }),
	MISUSE("freed by the owner and in an interrupt", setup_twice_of_2,
	       { "owner", 0, free_twice },
	       { "interrupt", 0, free_twice, true }),
	MISUSE("freed by the owner and in bulk", setup_twice_of_2,
	       { "owner", 0, free_twice }, { "pusher", 1, bulk_free_twice }),
	MISUSE("freed again while its page leaves", setup_freed,
	       { "borrower", 2, drain }, { "pusher", 1, free_twice }),
	MISUSE("freed again by address while its page leaves", setup_freed,
	       { "borrower", 2, drain }, { "pusher", 1, kfree_twice }),
	MISUSE("freed again by the owner while its page leaves", setup_freed,
	       { "borrower", 2, drain }, { "owner", 0, kfree_twice }),
	MISUSE("freed again while a push is collected", setup_pushed,
	       { "borrower", 2, take_pages }, { "pusher", 1, free_twice }),
	MISUSE("freed again by the owner, pushed before", setup_pushed,
	       { "borrower", 2, take_pages }, { "owner", 0, free_twice }),
	MISUSE("freed again while its page goes to another cache",
	       setup_freed_and_other,
	       { "mover", 2, move_page }, { "pusher", 1, free_twice }),
	MISUSE("freed again by address, the page to another cache",
	       setup_freed_and_other,
	       { "mover", 2, move_page }, { "pusher", 1, kfree_twice }),
	MISUSE("freed again in bulk, the page to another cache",
	       setup_freed_and_other,
	       { "mover", 2, move_page }, { "pusher", 1, bulk_free_twice }),
	MISUSE("freed inside while its page leaves", setup_freed,
	       { "borrower", 2, drain }, { "pusher", 1, free_inside }),
	MISUSE("freed to the wrong cache while its page leaves",
	       setup_freed_and_other,
	       { "mover", 2, move_page }, { "pusher", 1, free_to_other }),
	MISUSE("freed again while a pool ends", setup_freed_to_pool,
	       { "borrower", 2, retune }, { "pusher", 1, free_twice }),
	MISUSE("freed again in bulk while a pool ends", setup_freed_to_pool,
	       { "borrower", 2, retune }, { "pusher", 1, bulk_free_twice }),
	MISUSE("freed again while the page is adopted", setup_freed_of_2,
	       { "reaper", 2, cpu_0_dies }, { "pusher", 1, free_twice }),
	MISUSE("freed again while the page is adopted, pushed before",
	       setup_pushed,
	       { "reaper", 2, cpu_0_dies }, { "pusher", 1, free_twice }),
	{ "counters, while blocks come and go", .setup = setup_2, .actor = {
		{ "owner", 0, alloc_4 }, { "pusher", 1, free_0 },
		{ "reader", 2, count } } },
	{ }
};
