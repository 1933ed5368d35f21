// SPDX-License-Identifier: GPL-2.0
/* The system refuses: every way out leaves the allocator whole. */
#include "unit.h"

#define UNIT_REQUESTS	600

struct request {
	u8 *block;
	size_t size;
};

static size_t request_size(unsigned int i)
{
	static const size_t sizes[] = {
		8, 64, 100, 1000, 4096, 8192, 24, 256, 20000, 3000, 70000,
	};

	return sizes[i % ARRAY_SIZE(sizes)];
}

static void request_end(struct request *r)
{
	size_t i;

	for (i = 0; r->block && i < r->size; i += 7)
		EXPECT(r->block[i] == (u8)(uintptr_t)r);
	curpage_free(r->block);
	r->block = NULL;
}

/* Returns how many were refused; every block is written to. */
static unsigned int request_all(struct request *r)
{
	unsigned int i, refused = 0;

	for (i = 0; i < UNIT_REQUESTS; i++) {
		r[i].size = request_size(i);
		r[i].block = curpage_alloc(r[i].size, GFP_KERNEL);
		if (r[i].block) {
			memset(r[i].block, (u8)(uintptr_t)&r[i], r[i].size);
		} else {
			refused++;
			EXPECT(!curpage_check());
		}
		if (i % 5 == 4)
			request_end(&r[i - 3]);
	}
	return refused;
}

static void request_end_all(struct request *r)
{
	unsigned int i;

	for (i = 0; i < UNIT_REQUESTS; i++)
		request_end(&r[i]);
}

/* For every number of requests that the system still serves. */
static void fail_pages(void)
{
	static struct request r[UNIT_REQUESTS];
	unsigned long left;
	unsigned int refused = 1;

	for (left = 0; refused && left < 1000; left++) {
		struct curpage_cache *cache;

		lab.pages_left = left;
		refused = request_all(r);
		lab.pages_left = ULONG_MAX;
		EXPECT(!curpage_check());
		request_end_all(r);
		EXPECT(!unit_live());
		cp_fit_drain();
		list_for_each_entry(cache, &cp_caches, list)
			curpage_cache_shrink(cache);
		EXPECT(!cp_arena.held && !lab.pages_lent);
	}
	EXPECT(left > 10 && left < 1000);
	EXPECT(cp_arena.stat[CP_SYSTEM_FAILED]);
}

/* Memory is fragmented: only blocks up to some order are to be had. */
static void fail_orders(void)
{
	static struct request r[UNIT_REQUESTS];
	unsigned int limit, refused;

	for (limit = 0; limit <= 5; limit++) {
		lab.order_limit = limit;
		refused = request_all(r);
		/* 70000 bytes are 2^5 pages, and nothing larger is asked. */
		EXPECT(!refused == (limit == 5));
		EXPECT(!curpage_check());
		request_end_all(r);
	}
	EXPECT(cp_arena.stat[CP_CHUNK_LOWER]);
}

static void fail_bound(void)
{
	static struct request r[UNIT_REQUESTS];
	unsigned long failed = 0;
	struct curpage_cache *cache;
	void *block;

	EXPECT(request_all(r));
	EXPECT(cp_arena.stat[CP_AT_BOUND]);
	EXPECT(!cp_arena.stat[CP_SYSTEM_FAILED]);
	EXPECT(cp_arena.held <= 100 && lab.pages_lent <= 100);
	EXPECT(!curpage_check());
	list_for_each_entry(cache, &cp_caches, list)
		failed += atomic_long_read(&cache->failed);
	EXPECT(failed);
	request_end_all(r);
	block = curpage_alloc(64 * PAGE_SIZE, GFP_KERNEL);
	EXPECT(block);
	curpage_free(block);
	EXPECT(!curpage_alloc(128 * PAGE_SIZE, GFP_KERNEL));
}

/* The module does not load, and leaves nothing. */
static void fail_start(unsigned long left)
{
	unit_start(0);
	lab.objects_left = left;
	EXPECT(cp_size_init() == -ENOMEM);
	EXPECT(list_empty(&cp_caches));
	unit_end();
}

static void fail_start_first(void)
{
	fail_start(0);
}

static void fail_start_heaps(void)
{
	fail_start(1);
}

static void fail_start_later(void)
{
	fail_start(20);
}

static void fail_start_last(void)
{
	unsigned long needed;

	unit_start(0);
	REQUIRE(!cp_size_init());
	needed = lab.objects_lent;
	cp_size_exit();
	fail_start(needed - 1);
}

static struct curpage_cache *late_cache;
static void *late_block;

static void free_late(void)
{
	curpage_cache_free(late_cache, late_block);
}

/* A block comes back while a page is being fetched: the page is not used. */
static void refilled_meanwhile(void)
{
	void *blocks[4], *again;
	unsigned int i;

	late_cache = curpage_cache_create("late", 2048, NULL);
	REQUIRE(late_cache);
	/* No page to spare. */
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
	});
	for (i = 0; i < 4; i++)
		blocks[i] = curpage_cache_alloc(late_cache, GFP_KERNEL);
	late_block = blocks[0];
	lab.interrupt = free_late;
	again = curpage_cache_alloc(late_cache, GFP_KERNEL);
	EXPECT(again == blocks[0]);
	EXPECT(late_cache->heaps->stat[CP_REFILL_S1] == 2);
	EXPECT(late_cache->heaps->stat[CP_REFILL_S3] == 1);
	EXPECT(!curpage_check());
	curpage_cache_free_bulk(late_cache, 4, blocks);
	EXPECT(!curpage_cache_destroy(late_cache));
}

/* And it is long ago that so many were used. */
static void free_pages_late(void)
{
	curpage_free(late_block);
	cp_arena.recent = 0;
}

/* Many pages become free while more are being fetched: they go back. */
static void freed_meanwhile(void)
{
	void *block;

	late_block = curpage_alloc(64 * PAGE_SIZE, GFP_KERNEL);
	lab.interrupt = free_pages_late;
	block = curpage_alloc(PAGE_SIZE * 2, GFP_KERNEL);
	EXPECT(block && !curpage_check());
	EXPECT(cp_arena.held <= 2 + CP_SPARE_MIN);
	curpage_free(block);
}

/* The module goes though blocks are live: they are reported and left alone. */
static void fail_end(void)
{
	char *block, *pages;
	struct page *page;
	unsigned int i;

	unit_start(0);
	REQUIRE(!cp_size_init());
	block = curpage_alloc(64, GFP_KERNEL);
	pages = curpage_alloc(2 * PAGE_SIZE, GFP_KERNEL);
	REQUIRE(block && pages);
	memset(block, 0x11, 64);
	memset(pages, 0x22, 2 * PAGE_SIZE);
	cp_size_exit();
	cp_pages_exit();
	EXPECT(cp_report_count(CP_BAD_LEAK) == 2 && lab.messages == 2);
	EXPECT(cp_arena.held == 3 && lab.pages_lent == 3);
	EXPECT(!lab.objects_lent);
	EXPECT(!memchr_inv(block, 0x11, 64));
	EXPECT(!memchr_inv(pages, 0x22, 2 * PAGE_SIZE));
	page = virt_to_page(pages);
	for (i = 0; i < 2; i++)
		EXPECT(page[i]._refcount.counter == 1);
}

/* The module goes, a block is live: reported, and left alone. */
static void fit_end(void)
{
	u8 *obj;

	unit_start(0);
	REQUIRE(!cp_size_init());
	obj = curpage_alloc(5000, GFP_KERNEL);
	memset(obj, 0x11, 5000);
	cp_size_exit();
	cp_pages_exit();
	EXPECT(cp_report_count(CP_BAD_LEAK) == 1 && lab.messages == 1);
	EXPECT(cp_arena.held == 16 && !lab.objects_lent);
	EXPECT(!memchr_inv(obj, 0x11, 5000));
	EXPECT(cp_page_kind(cp_page_of(virt_to_page(obj))) == CP_BLOCK);
	curpage_free(obj);
	EXPECT(cp_report_count(CP_BAD_INSIDE) == 1 && lab.messages == 2);
}

/* As with check=1: every class works, the largest without red zones. */
static void all_checked(void)
{
	static struct request r[UNIT_REQUESTS];
	char *block;

	unit_start(0);
	cp_cache_defaults.check = true;
	REQUIRE(!cp_size_init());
	EXPECT(!request_all(r));
	EXPECT(!curpage_check());
	block = curpage_alloc(100, GFP_KERNEL);
	block[curpage_ksize(block)] ^= 1;
	EXPECT(curpage_check() == 1);
	block[curpage_ksize(block)] ^= 1;
	curpage_free(block);
	request_end_all(r);
	EXPECT(!unit_live());
	cp_size_exit();
	unit_end();
}

const struct unit_case unit_fail_cases[] = {
	{ "the system refuses pages after any number", fail_pages },
	{ "the same with lists that are not merged", fail_pages,
	  .policy = CP_BUDDY_REVISED },
	{ "the same with tailored lists, caches and callers apart", fail_pages,
	  .policy = CP_BUDDY_TAILORED, .apart = true },
	{ "the system has small blocks of pages only", fail_orders },
	{ "the arena is at its bound", fail_bound, 100 },
	{ "the same with lists that are not merged", fail_bound, 100,
	  CP_BUDDY_REVISED },
	{ "the same with tailored lists, caches and callers apart", fail_bound,
	  100, CP_BUDDY_TAILORED, true },
	{ "a heap is refilled while it asks for a page", refilled_meanwhile },
	{ "pages become free while more are asked for", freed_meanwhile },
	{ "the end with live blocks", fail_end, .bare = true },
	{ "first fit: the end with live blocks", fit_end, .bare = true },
	{ "all classes with checks", all_checked, .bare = true },
	{ "no memory for the first cache", fail_start_first, .bare = true },
	{ "no memory for its heaps", fail_start_heaps, .bare = true },
	{ "no memory for a later cache", fail_start_later, .bare = true },
	{ "no memory for the last cache", fail_start_last, .bare = true },
	{ }
};
