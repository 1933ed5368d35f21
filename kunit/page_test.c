// SPDX-License-Identifier: GPL-2.0
/* The header of a page: whose page is it, and what part of which block. */
#include "common.h"

#include <linux/vmalloc.h>

#define ORDER	3

static struct cp_page *take(struct kunit *test)
{
	struct cp_page *p = cp_system_take(GFP_KERNEL, ORDER);

	KUNIT_ASSERT_NOT_NULL(test, p);
	cp_page_adopt(p, ORDER);
	return p;
}

static void adopted_pages_are_ours_and_tails(struct kunit *test)
{
	struct cp_page *p = take(test);
	unsigned int i;

	for (i = 0; i < 1 << ORDER; i++) {
		KUNIT_EXPECT_TRUE(test, cp_page_ours(p + i));
		KUNIT_EXPECT_EQ(test, CP_TAIL, p[i].kind);
		KUNIT_EXPECT_EQ(test, ORDER, p[i].chunk_order);
		KUNIT_EXPECT_NULL(test, p[i].heap);
	}
	cp_system_give(p, ORDER);
}

static void lookup_finds_the_page_from_any_byte(struct kunit *test)
{
	struct cp_page *p = take(test);
	unsigned long at;

	for (at = 0; at < PAGE_SIZE << ORDER; at += 511)
		KUNIT_EXPECT_PTR_EQ(test, p + at / PAGE_SIZE,
				    cp_page_lookup(cp_page_base(p) + at));
	cp_system_give(p, ORDER);
}

static void disowned_page_is_as_the_system_wants_it(struct kunit *test)
{
	struct cp_page *p = take(test);
	struct page *page = cp_page_to_page(p);
	void *base = cp_page_base(p);

	p->heap = (void *)p;
	p->free = 0;
	cp_page_disown(p);
	KUNIT_EXPECT_NULL(test, cp_page_lookup(base));
	KUNIT_EXPECT_NULL(test, page->mapping);
	KUNIT_EXPECT_EQ(test, 0, page->index);
	KUNIT_EXPECT_EQ(test, 0, page_private(page));
	KUNIT_EXPECT_TRUE(test, list_empty(&page->lru));
	KUNIT_EXPECT_NOT_NULL(test, cp_page_lookup(base + PAGE_SIZE));
	cp_system_give(p, ORDER);
}

static void addresses_of_others_are_foreign(struct kunit *test)
{
	static int data;
	int stack;
	void *slab = kunit_kzalloc(test, 64, GFP_KERNEL);
	void *mapped = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, slab);
	KUNIT_EXPECT_NULL(test, cp_page_lookup(NULL));
	KUNIT_EXPECT_NULL(test, cp_page_lookup(&stack));
	KUNIT_EXPECT_NULL(test, cp_page_lookup(&data));
	KUNIT_EXPECT_NULL(test, cp_page_lookup("rodata"));
	KUNIT_EXPECT_NULL(test, cp_page_lookup(addresses_of_others_are_foreign));
	KUNIT_EXPECT_NULL(test, cp_page_lookup(slab));
	KUNIT_EXPECT_NULL(test, cp_page_lookup(mapped));
	KUNIT_EXPECT_NULL(test, cp_page_lookup((void *)0x10000));
	KUNIT_EXPECT_NULL(test, cp_page_lookup((void *)-1));
	vfree(mapped);
}

/* Nor does the tag of another page, or what is left of one, make it ours. */
static void a_page_of_the_system_is_foreign(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct cp_page *p = cp_page_of(page);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_NULL(test, cp_page_lookup(page_address(page)));
	set_page_private(page, cp_page_tag(p + 1));
	KUNIT_EXPECT_NULL(test, cp_page_lookup(page_address(page)));
	set_page_private(page, (unsigned long)p);
	KUNIT_EXPECT_NULL(test, cp_page_lookup(page_address(page)));
	set_page_private(page, 0);
	__free_page(page);
}

/* Free are: a block of 2 pages and a single page; not a block of 4, or a tail. */
static void page_is_as_free_as_its_block(struct kunit *test)
{
	static const bool free[] = { 0, 0, 0, 0, 1, 1, 1, 0 };
	struct cp_page *p = take(test);
	unsigned int i;

	cp_page_set(p, CP_BLOCK, 2);
	cp_page_set(p + 4, CP_FREE, 1);
	cp_page_set(p + 6, CP_FREE, 0);
	for (i = 0; i < ARRAY_SIZE(free); i++)
		KUNIT_EXPECT_EQ_MSG(test, free[i], cp_page_is_free(p + i),
				    "page %u", i);
	cp_system_give(p, ORDER);
}

/* What lies around a chunk of one page may be of any size. */
static void block_ends_with_its_chunk(struct kunit *test)
{
	struct cp_page *p = take(test);

	cp_page_set(p, CP_FREE, ORDER);
	KUNIT_EXPECT_TRUE(test, cp_page_is_free(p + 5));
	p[5].chunk_order = 0;
	KUNIT_EXPECT_FALSE(test, cp_page_is_free(p + 5));
	cp_system_give(p, ORDER);
}

static void only_a_page_of_a_cache_has_a_heap(struct kunit *test)
{
	struct cp_page *p = take(test);
	void *heap = p;

	p->heap = heap;
	KUNIT_EXPECT_NULL(test, cp_page_heap(p));
	cp_page_set(p, CP_CACHE, 0);
	KUNIT_EXPECT_PTR_EQ(test, heap, cp_page_heap(p));
	p->heap = NULL;
	KUNIT_EXPECT_NULL(test, cp_page_heap(p));
	cp_system_give(p, ORDER);
}

static struct kunit_case cp_page_cases[] = {
	KUNIT_CASE(adopted_pages_are_ours_and_tails),
	KUNIT_CASE(lookup_finds_the_page_from_any_byte),
	KUNIT_CASE(disowned_page_is_as_the_system_wants_it),
	KUNIT_CASE(addresses_of_others_are_foreign),
	KUNIT_CASE(a_page_of_the_system_is_foreign),
	KUNIT_CASE(page_is_as_free_as_its_block),
	KUNIT_CASE(block_ends_with_its_chunk),
	KUNIT_CASE(only_a_page_of_a_cache_has_a_heap),
	{}
};

CP_TEST_SUITE(page);
