// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are freed elsewhere: in an interrupt that finds the heap taken,
 * and on another CPU where there is one.  They wait on their page until its
 * owner runs dry.
 *
 * A page has four blocks here, A has those from 0 on, B from 4, C from 8.
 */
#include "common.h"

#define BLOCKS	4
#define PAGES	3
#define OBJS	(PAGES * BLOCKS)

struct fixture {
	struct kunit *test;
	struct curpage_cache *cache;
	struct cp_heap *heap;		/* of this CPU */
	void *objs[OBJS];
	struct cp_page *pages[PAGES];
	unsigned int nr;		/* of objs, to be freed elsewhere */
	void **some;
};

/* All blocks of three pages; the last is current, and has run out. */
static struct fixture *setup(struct kunit *test, unsigned int flags)
{
	struct curpage_cache_args args = { .flags = flags };
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned int size = PAGE_SIZE / BLOCKS, i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->test = test;
	f->cache = cp_test_cache(test, "kunit-remote",
				 flags ? size - 64 : size, &args);
	f->cache->keep = CP_KEEP_ALL;
	f->heap = raw_cpu_ptr(f->cache->heaps);
	KUNIT_ASSERT_EQ(test, BLOCKS, f->cache->capacity);
	for (i = 0; i < OBJS; i++) {
		f->objs[i] = curpage_cache_alloc(f->cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, f->objs[i]);
	}
	for (i = 0; i < PAGES; i++)
		f->pages[i] = cp_test_page(f->objs[i * BLOCKS]);
	KUNIT_ASSERT_PTR_EQ(test, f->pages[PAGES - 1], f->heap->cur);
	return f;
}

static void free_some(void *data)
{
	struct fixture *f = data;
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		curpage_cache_free(f->cache, f->some[i]);
}

static void free_some_in_bulk(void *data)
{
	struct fixture *f = data;

	curpage_cache_free_bulk(f->cache, f->nr, f->some);
}

/* These are freed elsewhere, one after the other; objs keeps them. */
static void free_elsewhere(struct fixture *f, unsigned int from,
			   unsigned int nr)
{
	f->nr = nr;
	f->some = f->objs + from;
	cp_test_elsewhere(f->test, f->cache, free_some, f);
}

static void expect_pending(struct fixture *f, unsigned int nr)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(f->cache, &sum);
	KUNIT_EXPECT_EQ(f->test, nr, sum.pending);
}

static void expect_stat(struct fixture *f, enum cp_heap_stat stat,
			unsigned long nr)
{
	KUNIT_EXPECT_EQ_MSG(f->test, nr, cp_test_stat(f->cache, stat), "%s",
			    cp_heap_stat_name[stat]);
}

/* The next block is of this page. */
static void *expect_next(struct fixture *f, unsigned int page)
{
	void *obj = curpage_cache_alloc(f->cache, GFP_KERNEL);

	KUNIT_EXPECT_PTR_EQ_MSG(f->test, f->pages[page], cp_test_page(obj),
				"page %c", 'A' + page);
	return obj;
}

/* Free what is live; the first from are not. */
static void finish(struct fixture *f, unsigned int from)
{
	KUNIT_EXPECT_EQ(f->test, 0, curpage_check());
	curpage_cache_free_bulk(f->cache, OBJS - from, f->objs + from);
	KUNIT_EXPECT_EQ(f->test, 0, cp_cache_live(f->cache));
}

static void freed_elsewhere_is_counted_and_waits(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = f->pages[0];

	free_elsewhere(f, 0, 2);
	expect_stat(f, CP_FREE_REMOTE, 2);
	expect_stat(f, CP_FREED, 2);
	expect_stat(f, CP_COLLECTED, 0);
	expect_pending(f, 2);
	KUNIT_EXPECT_EQ(test, OBJS - 2, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, 2, (unsigned int)p->word.nr_remote);
	KUNIT_EXPECT_EQ_MSG(test, 1, (unsigned int)p->word.remote, "on top");
	KUNIT_EXPECT_EQ(test, 0, p->nr_free);
	KUNIT_EXPECT_PTR_EQ(test, p, f->heap->inbox);
	finish(f, 2);
}

static void page_is_in_the_inbox_once(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	free_elsewhere(f, 0, 1);
	free_elsewhere(f, 4, 1);
	free_elsewhere(f, 1, 1);
	KUNIT_EXPECT_PTR_EQ(test, f->pages[1], f->heap->inbox);
	KUNIT_EXPECT_EQ(test, (u32)(cp_page_number(f->pages[0]) + 1),
			f->pages[1]->link);
	KUNIT_EXPECT_EQ(test, 0, f->pages[0]->link);
	f->objs[4] = NULL;
	finish(f, 2);
}

/* The current page has blocks: nothing is collected until it has none. */
static void collected_when_the_owner_runs_dry(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	unsigned int i;

	curpage_cache_free(f->cache, f->objs[8]);
	curpage_cache_free(f->cache, f->objs[9]);
	free_elsewhere(f, 0, 1);
	for (i = 8; i < 10; i++) {
		f->objs[i] = expect_next(f, 2);
		expect_pending(f, 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, f->objs[0], expect_next(f, 0));
	expect_pending(f, 0);
	expect_stat(f, CP_COLLECTED, 1);
	KUNIT_EXPECT_NULL(test, f->heap->inbox);
	KUNIT_EXPECT_EQ(test, 0, (unsigned int)f->pages[0]->word.nr_remote);
	finish(f, 0);
}

/* A page without a free block serves again, and none comes from S1 for it. */
static void full_page_is_revived(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	free_elsewhere(f, 4, 1);
	KUNIT_EXPECT_PTR_EQ(test, f->objs[4], expect_next(f, 1));
	expect_stat(f, CP_REFILL_S1, PAGES);
	expect_stat(f, CP_REFILL_S3, 1);
	finish(f, 0);
}

/* As with frees by the owner: MRU, by the first block freed on each. */
static void pages_are_collected_in_the_order_of_frees(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	free_elsewhere(f, 0, 1);
	free_elsewhere(f, 4, 1);
	KUNIT_EXPECT_PTR_EQ(test, f->objs[4], expect_next(f, 1));
	KUNIT_EXPECT_PTR_EQ(test, f->objs[0], expect_next(f, 0));
	expect_stat(f, CP_REFILL_S1, PAGES);
	finish(f, 0);
}

static void block_of_the_current_page_is_collected(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	free_elsewhere(f, 8, 2);
	KUNIT_EXPECT_PTR_EQ(test, f->objs[9], expect_next(f, 2));
	expect_stat(f, CP_REFILL_S3, 0);
	expect_pending(f, 0);
	KUNIT_EXPECT_EQ(test, BLOCKS - 1, cp_heap_taken(f->heap));
	KUNIT_EXPECT_PTR_EQ(test, f->objs[8], expect_next(f, 2));
	finish(f, 0);
}

/* All blocks of A: it is empty when they are collected, and is used as such. */
static void emptied_page_goes_to_s2(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	void *obj;

	free_elsewhere(f, 0, BLOCKS);
	expect_stat(f, CP_EMPTIED, 0);
	obj = expect_next(f, 0);
	expect_stat(f, CP_EMPTIED, 1);
	expect_stat(f, CP_REFILL_S2, 1);
	expect_stat(f, CP_REFILL_S1, PAGES);
	curpage_cache_free(f->cache, obj);
	finish(f, BLOCKS);
}

static void emptied_page_leaves_when_none_is_kept(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	void *obj;

	f->cache->keep = 0;
	free_elsewhere(f, 0, BLOCKS);
	free_elsewhere(f, BLOCKS, 1);
	obj = expect_next(f, 1);
	expect_stat(f, CP_RELEASED, 1);
	KUNIT_EXPECT_NULL(test, cp_page_heap(f->pages[0]));
	f->objs[BLOCKS] = obj;
	finish(f, BLOCKS);
}

/* Nobody allocates any more: who gives back has to collect first. */
static void shrink_collects(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	unsigned long held = cp_test_held();

	free_elsewhere(f, 0, 2 * BLOCKS);
	expect_pending(f, 2 * BLOCKS);
	KUNIT_EXPECT_GE(test, curpage_cache_shrink(f->cache), 2);
	expect_pending(f, 0);
	KUNIT_EXPECT_LE(test, cp_test_held(), held - 2);
	finish(f, 2 * BLOCKS);
}

static void bulk_is_pushed_by_page(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	void *mixed[] = {
		f->objs[4], f->objs[0], f->objs[5], f->objs[1], f->objs[2],
	};

	f->some = mixed;
	f->nr = ARRAY_SIZE(mixed);
	cp_test_elsewhere(test, f->cache, free_some_in_bulk, f);
	expect_stat(f, CP_FREE_REMOTE, 5);
	expect_pending(f, 5);
	KUNIT_EXPECT_EQ(test, 3, (unsigned int)f->pages[0]->word.nr_remote);
	KUNIT_EXPECT_EQ(test, 2, (unsigned int)f->pages[1]->word.nr_remote);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_cache_shrink(f->cache);
	expect_stat(f, CP_COLLECTED, 5);
	expect_stat(f, CP_LOST, 0);
	f->objs[4] = NULL;
	f->objs[5] = NULL;
	finish(f, 3);
}

/* A page may have moved to another heap while it was in the inbox. */
static void inbox_hands_a_moved_page_on(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_heap *side = &f->cache->side, *h;
	LIST_HEAD(release);
	unsigned long flags;

	free_elsewhere(f, 0, 2);
	free_elsewhere(f, 4, 1);
	h = cp_test_take(f->cache);
	raw_spin_lock_irqsave(&side->lock, flags);
	while (cp_heap_adopt(side, h))
		;
	cp_remote_collect(h, &release);
	raw_spin_unlock_irqrestore(&side->lock, flags);
	cp_test_drop(h);
	KUNIT_EXPECT_NULL(test, h->inbox);
	KUNIT_EXPECT_PTR_EQ(test, f->pages[1], side->inbox);
	expect_stat(f, CP_COLLECTED, 0);
	expect_pending(f, 3);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());

	raw_spin_lock_irqsave(&side->lock, flags);
	cp_remote_collect(side, &release);
	raw_spin_unlock_irqrestore(&side->lock, flags);
	KUNIT_EXPECT_TRUE(test, list_empty(&release));
	KUNIT_EXPECT_EQ(test, 3, side->stat[CP_COLLECTED]);
	expect_pending(f, 0);
	f->objs[4] = NULL;
	finish(f, 2);
}

/* Whoever frees it second, and wherever. */
static void block_freed_twice_is_reported(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	free_elsewhere(f, 0, 1);
	free_elsewhere(f, 0, 1);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_cache_free(f->cache, f->objs[4]);
	free_elsewhere(f, 4, 1);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	expect_stat(f, CP_FREE_REMOTE, 1);
	expect_stat(f, CP_FREED, 2);
	KUNIT_EXPECT_EQ(test, OBJS - 2, cp_cache_live(f->cache));
	expect_next(f, 0);
	expect_stat(f, CP_COLLECTED, 1);
	f->objs[4] = NULL;
	finish(f, 0);
}

/* Free on the current page, which its owner alone counts. */
static void block_freed_here_first_is_reported(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	curpage_cache_free(f->cache, f->objs[8]);
	curpage_cache_free(f->cache, f->objs[9]);
	free_elsewhere(f, 8, 2);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 2);
	expect_pending(f, 0);
	KUNIT_EXPECT_EQ(test, OBJS - 2, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, BLOCKS - 2, cp_heap_taken(f->heap));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	KUNIT_EXPECT_PTR_EQ(test, f->objs[9], expect_next(f, 2));
	KUNIT_EXPECT_PTR_EQ(test, f->objs[8], expect_next(f, 2));
	expect_stat(f, CP_LOST, 0);
	finish(f, 0);
}

/* All of the page are free: whichever of them it is cannot be. */
static void block_of_an_empty_current_page_is_reported(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	curpage_cache_free_bulk(f->cache, BLOCKS, f->objs + 8);
	KUNIT_ASSERT_EQ(test, 0, cp_heap_taken(f->heap));
	free_elsewhere(f, 8, 1);
	free_elsewhere(f, 10, 1);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 2);
	expect_pending(f, 0);
	curpage_cache_shrink(f->cache);
	KUNIT_EXPECT_EQ(test, 2 * BLOCKS, cp_cache_live(f->cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	memset(f->objs + 8, 0, BLOCKS * sizeof(f->objs[0]));
	finish(f, 0);
}

/* More blocks than there are on a page cannot have been live. */
static void page_takes_no_more_than_it_has(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	free_elsewhere(f, 0, BLOCKS);
	free_elsewhere(f, 0, 1);
	free_elsewhere(f, 2, 1);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 2);
	KUNIT_EXPECT_EQ(test, BLOCKS, (unsigned int)f->pages[0]->word.nr_remote);
	expect_pending(f, BLOCKS);
	curpage_cache_shrink(f->cache);
	free_elsewhere(f, 1, 1);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	finish(f, BLOCKS);
}

static void check_knows_what_was_freed_elsewhere(struct kunit *test)
{
	struct fixture *f = setup(test, CURPAGE_CHECK);

	free_elsewhere(f, 0, 3);
	free_elsewhere(f, 0, 3);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 3);
	curpage_cache_free(f->cache, f->objs[0]);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	expect_pending(f, 3);
	finish(f, 3);
}

/* The user wrote to a block that it has freed: it and the rest are given up. */
static void damaged_stack_loses_the_block_and_what_is_behind(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	void *obj;

	free_elsewhere(f, 0, 3);
	*(u64 *)f->objs[2] = 0xffee;
	obj = curpage_cache_alloc(f->cache, GFP_KERNEL);
	cp_test_expect_bad(test, CP_BAD_POISON, 1);
	KUNIT_EXPECT_PTR_NE(test, f->pages[0], cp_test_page(obj));
	KUNIT_EXPECT_EQ(test, CP_DAMAGED, cp_page_kind(f->pages[0]));
	expect_stat(f, CP_COLLECTED, 3);
	expect_stat(f, CP_LOST, 3);
	expect_pending(f, 0);
	KUNIT_EXPECT_EQ(test, OBJS - 3 + 1, cp_cache_live(f->cache));
	f->objs[2] = obj;
	finish(f, 2);
	expect_stat(f, CP_LOST, 3);
}

static void free_one(void *data)
{
	struct fixture *f = data;

	curpage_cache_free(f->cache, f->objs[1]);
}

/*
 * A block is freed elsewhere, and then here as the last one of its page: the
 * page is in an inbox, and must not leave.
 */
static void page_in_an_inbox_does_not_leave(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned int keep, i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	for (keep = 0; keep <= 8; keep += 8) {
		f->cache = cp_test_cache(test, "kunit-leave", PAGE_SIZE / 4,
					 NULL);
		f->cache->keep = keep;
		KUNIT_ASSERT_EQ(test, 8,
				curpage_cache_alloc_bulk(f->cache, GFP_KERNEL,
							 8, f->objs));
		cp_test_elsewhere(test, f->cache, free_one, f);
		for (i = 0; i < 4; i++)
			curpage_cache_free(f->cache, f->objs[i]);
		cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
		KUNIT_EXPECT_PTR_EQ(test, f->cache,
				    cp_test_page(f->objs[1])->heap->cache);
		curpage_cache_shrink(f->cache);
		KUNIT_EXPECT_EQ(test, 4, cp_cache_live(f->cache));
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
		curpage_cache_free_bulk(f->cache, 4, f->objs + 4);
		cp_test_destroy(test, f->cache);
	}
}

#define TINY		8
#define TINY_PAGES	3
#define TINY_BLOCKS	(PAGE_SIZE / TINY)

struct tiny {
	struct curpage_cache *cache;
	void *objs[TINY_PAGES * TINY_BLOCKS];
};

static void free_tiny(void *data)
{
	struct tiny *t = data;
	unsigned int i;

	/* All blocks but those of the last page, which is current. */
	for (i = 0; i < (TINY_PAGES - 1) * TINY_BLOCKS; i++)
		curpage_cache_free(t->cache, t->objs[i]);
}

/* As many pages as it takes, however few; the others wait. */
static void collect_is_bounded_in_blocks(struct kunit *test)
{
	struct tiny *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int n = TINY_PAGES * TINY_BLOCKS;
	struct cp_heap *h;
	void *obj;

	KUNIT_ASSERT_NOT_NULL(test, t);
	cp_test_pin(test);
	t->cache = cp_test_cache(test, "kunit-tiny", TINY, NULL);
	t->cache->keep = CP_KEEP_ALL;
	h = raw_cpu_ptr(t->cache->heaps);
	KUNIT_EXPECT_EQ(test, n, curpage_cache_alloc_bulk(t->cache, GFP_KERNEL,
							  n, t->objs));
	cp_test_elsewhere(test, t->cache, free_tiny, t);
	obj = curpage_cache_alloc(t->cache, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, round_up(CP_BATCH_BLOCKS, TINY_BLOCKS),
			cp_test_stat(t->cache, CP_COLLECTED));
	KUNIT_EXPECT_NOT_NULL(test, h->todo);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_cache_shrink(t->cache);
	KUNIT_EXPECT_EQ(test, n - TINY_BLOCKS,
			cp_test_stat(t->cache, CP_COLLECTED));
	curpage_cache_free(t->cache, obj);
	curpage_cache_free_bulk(t->cache, TINY_BLOCKS,
				t->objs + n - TINY_BLOCKS);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(t->cache));
	kvfree(t);
}

#define WAY_CASE(fn)	KUNIT_CASE_PARAM(fn, cp_test_way_gen_params)

static struct kunit_case cp_remote_cases[] = {
	WAY_CASE(freed_elsewhere_is_counted_and_waits),
	WAY_CASE(page_is_in_the_inbox_once),
	WAY_CASE(collected_when_the_owner_runs_dry),
	WAY_CASE(full_page_is_revived),
	WAY_CASE(pages_are_collected_in_the_order_of_frees),
	WAY_CASE(block_of_the_current_page_is_collected),
	WAY_CASE(emptied_page_goes_to_s2),
	WAY_CASE(emptied_page_leaves_when_none_is_kept),
	WAY_CASE(collect_is_bounded_in_blocks),
	WAY_CASE(shrink_collects),
	WAY_CASE(bulk_is_pushed_by_page),
	WAY_CASE(inbox_hands_a_moved_page_on),
	WAY_CASE(block_freed_twice_is_reported),
	WAY_CASE(block_freed_here_first_is_reported),
	WAY_CASE(block_of_an_empty_current_page_is_reported),
	WAY_CASE(page_in_an_inbox_does_not_leave),
	WAY_CASE(page_takes_no_more_than_it_has),
	WAY_CASE(check_knows_what_was_freed_elsewhere),
	WAY_CASE(damaged_stack_loses_the_block_and_what_is_behind),
	{}
};

CP_TEST_SUITE(remote);
