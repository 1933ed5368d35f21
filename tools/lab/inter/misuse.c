// SPDX-License-Identifier: GPL-2.0
/* Cases of misuse at any step of other actors: reported, without harm. */
#include "inter.h"
#include "../reports.h"

#define INTER_REPORTS	2	/* of one offence, at most */

static unsigned long inter_reports;	/* all kinds, so far */
static void *inter_twice;		/* block that is freed too often */

/*
 * End an order of misuse.  The offence must have been reported.  Blocks lost by
 * it keep their pages until the cache is destroyed; then nothing may be held.
 */
void inter_end_misuse(void)
{
	unsigned long reports;
	int cpu;

	inter_free_rest();
	curpage_cache_shrink(inter_cache);
	reports = lab_all_reports() - inter_reports;
	if (reports < !inter_case->may_pass || reports > INTER_REPORTS)
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

/* Start with one block, which two actors will free. */
static void setup_twice(void)
{
	inter_setup_blocks(1);
	inter_twice = inter_block[0];
	inter_block[0] = NULL;
}

/* The same, with another live block on the page, so the page stays. */
static void setup_twice_of_2(void)
{
	inter_setup_blocks(2);
	inter_twice = inter_block[0];
	inter_block[0] = NULL;
}

/*
 * Start with inter_twice as the last live block of a page that is not current.
 */
static void setup_twice_last(void)
{
	inter_setup_blocks(3);
	inter_free(1);
	inter_twice = inter_block[0];
	inter_block[0] = NULL;
}

/* Start with a block that its owner has freed once. */
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
	inter_begin_pool();
	setup_freed_of_2();
}

/* Start with a block that a remote CPU has freed once. */
static void setup_pushed(void)
{
	setup_twice_of_2();
	lab.cpu = 1;
	curpage_cache_free(inter_cache, inter_twice);
	lab.cpu = 0;
}

/*
 * Start with a freed block, and another cache of smaller blocks that may get
 * its page.  The other cache's first block must not be at the same address, as
 * freeing the address would be right then.
 */
static void setup_freed_and_other(void)
{
	if (!inter_other)
		inter_other = curpage_cache_create("other", INTER_FILLED, NULL);
	INTER_EXPECT(inter_other);
	inter_other->keep = 0;
	inter_setup_blocks(2);
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

/* Move the page to the other cache and use it there. */
static void move_page(void)
{
	u8 *obj;

	inter_take_pages();
	obj = curpage_cache_alloc(inter_other, GFP_ATOMIC);
	INTER_EXPECT(obj);
	memset(obj, INTER_FILL, INTER_FILLED);
	synchronize_rcu();
	INTER_EXPECT(!memchr_inv(obj, INTER_FILL, INTER_FILLED));
	curpage_cache_free(inter_other, obj);
}

/*
 * Start with a pool of blocks from three pages, one without a live block.
 * inter_twice is in the middle of the pool, on a page that stays.
 */
static void setup_pool_in_use(void)
{
	inter_begin_pool();
	inter_setup_blocks(6);
	inter_free(4);
	inter_free(1);
	inter_twice = inter_block[3];
	inter_free(3);
	inter_free(5);
}

/* Write to a freed block, as its former user.  Its link is invalid then. */
static void write_freed(void)
{
	lab_step(inter_twice, sizeof(u64), true, _RET_IP_);
	memset(inter_twice, 0x55, sizeof(u64));
}

/*
 * Allocate every free block.  None may be live, and the damage is found on the
 * way.  The walker must find nothing broken then.
 */
static void check_rest_whole(void)
{
	unsigned int i;

	for (i = 0; i < INTER_BLOCKS; i++)
		if (!inter_block[i])
			inter_alloc(i);
	INTER_EXPECT(!curpage_check());
	/* Let all memory go back: empty the pool, repair the block. */
	inter_retune();
	for (i = 0; i < INTER_BLOCKS; i++)
		if (inter_block[i] == inter_twice)
			return;
	cp_word_seal(inter_cache, inter_twice, CP_NIL);
}

static bool is_reserve(const void *obj, struct curpage_cache *cache)
{
	const struct cp_page *p = cp_page_of(virt_to_page(obj));

	return cp_page_kind(p) == CP_RESERVE && cp_page_heap(p) == &cache->side;
}

/* Allocate a block while the system lends from its reserves only. */
static void *alloc_reserve(struct curpage_cache *cache)
{
	void *obj;

	lab.pages_left = 0;
	obj = curpage_cache_alloc(cache, GFP_ATOMIC | __GFP_MEMALLOC);
	lab.pages_left = ULONG_MAX;
	INTER_EXPECT(obj);
	return obj;
}

static void setup_reserve(void)
{
	inter_twice = alloc_reserve(inter_cache);
	INTER_EXPECT(is_reserve(inter_twice, inter_cache));
}

static void setup_reserve_and_other(void)
{
	if (!inter_other)
		inter_other = curpage_cache_create("other", 2048, NULL);
	INTER_EXPECT(inter_other);
	setup_reserve();
}

static u8 *inter_others;		/* block of the other cache */

/* Free the block and have its page lent to the other cache. */
static void lend_again(void)
{
	free_twice();
	inter_others = alloc_reserve(inter_other);
	INTER_EXPECT(is_reserve(inter_others, inter_other));
	memset(inter_others, INTER_FILL, INTER_FILLED);
}

/* Check that the block of the other cache is intact and can be freed. */
static void check_others(void)
{
	INTER_EXPECT(is_reserve(inter_others, inter_other));
	INTER_EXPECT(!memchr_inv(inter_others, INTER_FILL, INTER_FILLED));
	curpage_cache_free(inter_other, inter_others);
	INTER_EXPECT(!cp_cache_live(inter_other));
}

static struct page *inter_page;		/* page block that is freed twice */

/* Start with a page of a chunk of two, so that a free merges both. */
static void setup_page(void)
{
	cp_arena.chunk_order = 1;
	inter_page = curpage_alloc_pages(GFP_ATOMIC, 0);
	INTER_EXPECT(inter_page);
}

static void free_page_twice(void)
{
	curpage_free_pages(inter_page, 0);
}

/* Free the page, allocate it as the first of two pages, and free these. */
static void lend_two(void)
{
	struct page *two;

	free_page_twice();
	cp_stock_drain();
	two = curpage_alloc_pages(GFP_ATOMIC, 1);
	INTER_EXPECT(two);
	curpage_free_pages(two, 1);
}

/* Ask for the size of the block: its own, that of its page, or 0 if freed. */
static void ksize_twice(void)
{
	size_t size = curpage_ksize(inter_twice);

	INTER_EXPECT(size == inter_cache->size || size == PAGE_SIZE || !size);
}

/* Start with the second block freed, on a page without live blocks. */
static void setup_freed_inner(void)
{
	inter_setup_blocks(2);
	inter_twice = inter_block[1];
	inter_free(0);
	inter_free(1);
}

#define INTER_MAPPING	((void *)0x5550)	/* following it faults */

static void set_mapping(struct page *page, void *mapping)
{
	lab_step(&page->mapping, sizeof(page->mapping), true, _RET_IP_);
	page->mapping = mapping;
}

/* Give the page to the system, where a file maps it, and get it back. */
static void map_page(void)
{
	struct page *page, *was = virt_to_page(inter_twice);

	inter_drain();
	page = alloc_pages(GFP_ATOMIC, 0);
	INTER_EXPECT(page);
	if (page == was) {
		set_mapping(page, INTER_MAPPING);
		set_mapping(page, NULL);
	}
	__free_page(page);
	page = curpage_alloc_pages(GFP_ATOMIC, 0);
	INTER_EXPECT(page);
	synchronize_rcu();
	curpage_free_pages(page, 0);
}

/* Start with two of four blocks freed; inter_twice is the first of these. */
static void setup_freed_first(void)
{
	inter_setup_blocks(4);
	inter_twice = inter_block[0];
	inter_free(0);
	inter_free(1);
}

/* Free again; the report must come at once, not when the list is walked. */
static void free_twice_told(void)
{
	unsigned long told = cp_report_count(CP_BAD_DOUBLE);

	free_twice();
	INTER_EXPECT(cp_report_count(CP_BAD_DOUBLE) == told + 1);
}

static void alloc_4(void)
{
	inter_alloc(4);
}

#define MISUSE(what, prepare, actors...)				\
	{ "misuse: " what, .misuse = true, .setup = prepare,		\
	  .actor = { actors } }

/* Misuse that may stay without a report. */
#define MISUSE_MAY_PASS(what, prepare, look, actors...)			\
	{ "misuse: " what, .misuse = true, .may_pass = true,		\
	  .setup = prepare, .check = look, .actor = { actors } }

const struct inter_case inter_misuse_cases[] = {
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
	       { "borrower", 2, inter_drain }, { "pusher", 1, free_twice }),
	MISUSE("freed again by address while its page leaves", setup_freed,
	       { "borrower", 2, inter_drain }, { "pusher", 1, kfree_twice }),
	MISUSE("freed again by the owner while its page leaves", setup_freed,
	       { "borrower", 2, inter_drain }, { "owner", 0, kfree_twice }),
	MISUSE("freed again while a push is collected", setup_pushed,
	       { "borrower", 2, inter_take_pages }, { "pusher", 1, free_twice }),
	MISUSE("freed again by the owner, pushed before", setup_pushed,
	       { "borrower", 2, inter_take_pages }, { "owner", 0, free_twice }),
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
	       { "borrower", 2, inter_drain }, { "pusher", 1, free_inside }),
	MISUSE("freed to the wrong cache while its page leaves",
	       setup_freed_and_other,
	       { "mover", 2, move_page }, { "pusher", 1, free_to_other }),
	MISUSE("freed again while a pool ends", setup_freed_to_pool,
	       { "borrower", 2, inter_retune }, { "pusher", 1, free_twice }),
	MISUSE("freed again in bulk while a pool ends", setup_freed_to_pool,
	       { "borrower", 2, inter_retune }, { "pusher", 1, bulk_free_twice }),
	MISUSE("freed again while the page is adopted", setup_freed_of_2,
	       { "reaper", 2, inter_cpu_0_dies }, { "pusher", 1, free_twice }),
	MISUSE("freed again while the page is adopted, pushed before",
	       setup_pushed,
	       { "reaper", 2, inter_cpu_0_dies }, { "pusher", 1, free_twice }),
	MISUSE_MAY_PASS("written to while a pool ends", setup_pool_in_use,
			check_rest_whole,
			{ "borrower", 2, inter_retune }, { "user", 1, write_freed }),
	MISUSE_MAY_PASS("written to while a pool is drained", setup_pool_in_use,
			check_rest_whole,
			{ "borrower", 2, inter_drain }, { "user", 1, write_freed }),
	{ "misuse: freed again, its page of the reserves lent to another cache",
	  .misuse = true, .setup = setup_reserve_and_other, .actor = {
		{ "borrower", 2, lend_again }, { "pusher", 1, free_twice } },
	  .check = check_others },
	MISUSE("a page freed again, and lent as the first of two", setup_page,
	       { "lender", 2, lend_two }, { "pusher", 1, free_page_twice }),
	MISUSE("freed again by address while a file maps its page",
	       setup_freed_inner,
	       { "system", 2, map_page }, { "pusher", 1, kfree_twice }),
	{ "misuse: freed again while the page is adopted and used", 1024,
	  .misuse = true, .setup = setup_freed_first, .actor = {
		{ "reaper", 2, inter_cpu_0_dies }, { "user", 2, alloc_4, true },
		{ "pusher", 1, free_twice_told } } },
	{ "misuse: the size of a block of the reserves that is freed",
	  .offends = true, .setup = setup_reserve, .actor = {
		{ "asker", 2, ksize_twice }, { "freer", 1, kfree_twice } } },
	{ }
};
