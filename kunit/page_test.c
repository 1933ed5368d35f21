// SPDX-License-Identifier: GPL-2.0
/* The header of a page: whose page is it, and what part of which block. */
#include "common.h"

#define ORDER	3

static struct cp_page *take(struct kunit *test)
{
	struct cp_page *p = cp_system_take(GFP_KERNEL, ORDER);

	KUNIT_ASSERT_NOT_NULL(test, p);
	cp_page_adopt(p, ORDER, CP_FOR_CALLERS);
	return p;
}

static void adopted_pages_are_ours_and_tails(struct kunit *test)
{
	struct cp_page *p = take(test);
	unsigned int i;

	for (i = 0; i < 1 << ORDER; i++) {
		KUNIT_EXPECT_TRUE(test, cp_page_ours(p + i));
		KUNIT_EXPECT_EQ(test, CP_TAIL, cp_page_kind(p + i));
		KUNIT_EXPECT_EQ(test, ORDER,
				(unsigned int)p[i].word.chunk_order);
		KUNIT_EXPECT_NULL(test, p[i].heap);
	}
	cp_system_give(p, ORDER);
}

/* Words are changed as numbers, too: their bit fields say the same. */
static void constants_agree_with_bit_fields(struct kunit *test)
{
	union cp_page_word word = { };
	struct cp_page *p;

	word.pins = 1;
	KUNIT_EXPECT_EQ(test, CP_WORD_PIN, word.all);
	word.all = 0;
	word.nr_remote = 1;
	KUNIT_EXPECT_EQ(test, CP_WORD_ONE, word.all);
	word.all = 0;
	word.remote = 1;
	KUNIT_EXPECT_EQ(test, BIT_ULL(CP_WORD_TOP), word.all);
	word.remote = ~0;
	KUNIT_EXPECT_EQ(test, CP_WORD_TOPS, word.all);
	word.all = 0;
	word.key = ~0;
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(63, 64 - CP_KEY_BITS), word.all);

	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	memset(&p->node, 0xff, sizeof(p->node));
	p->node.clear = 0;
	KUNIT_EXPECT_EQ(test, ~3UL, (unsigned long)p->__page.lru.next);
}

/*
 * KASAN may give a page a tag, which page_address() has in its upper byte.  A
 * block comes without it, and is the same block with it.
 */
static void tags_of_addresses_do_not_matter(struct kunit *test)
{
	static const size_t sizes[] = { 8, 64, 1000, 1500, 5000, 20 * SZ_4K };
	struct curpage_cache *cache = cp_test_cache(test, "kunit-tag", 64,
						    NULL);
	unsigned int i;
	void *obj;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		obj = curpage_alloc(sizes[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, obj);
		KUNIT_EXPECT_PTR_EQ(test, obj, kasan_reset_tag(obj));
		obj = page_address(virt_to_page(obj)) + offset_in_page(obj);
		KUNIT_EXPECT_GE(test, curpage_ksize(obj), sizes[i]);
		curpage_free(obj);
	}
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	obj = page_address(virt_to_page(obj)) + offset_in_page(obj);
	curpage_cache_free(cache, obj);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	obj = page_address(virt_to_page(obj)) + offset_in_page(obj);
	curpage_cache_free_bulk(cache, 1, &obj);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void lookup_finds_the_page_from_any_byte(struct kunit *test)
{
	struct cp_page *p = take(test);
	unsigned long at;

	for (at = 0; at < PAGE_SIZE << ORDER; at += 511)
		KUNIT_EXPECT_PTR_EQ(test, p + at / PAGE_SIZE,
				    cp_test_page(cp_page_base(p) + at));
	for (at = 0; at < PAGE_SIZE << ORDER; at += 511)
		KUNIT_EXPECT_PTR_EQ_MSG(test, p + at / PAGE_SIZE,
					cp_page_lookup(cp_page_base(p) + at),
					"the slow way");
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
	KUNIT_EXPECT_NULL(test, cp_test_page(base));
	KUNIT_EXPECT_NULL(test, page->mapping);
	KUNIT_EXPECT_EQ(test, 0, page->cp_page_index);
	KUNIT_EXPECT_EQ(test, 0, page_private(page));
	KUNIT_EXPECT_TRUE(test, list_empty(&page->lru));
	KUNIT_EXPECT_NOT_NULL(test, cp_test_page(base + PAGE_SIZE));
	cp_system_give(p, ORDER);
}

static void addresses_of_others_are_foreign(struct kunit *test)
{
	static int data;
	int stack;
	void *slab = kunit_kzalloc(test, 64, GFP_KERNEL);
	void *mapped = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, slab);
	KUNIT_EXPECT_NULL(test, cp_test_page(NULL));
	KUNIT_EXPECT_NULL(test, cp_test_page(&stack));
	KUNIT_EXPECT_NULL(test, cp_test_page(&data));
	KUNIT_EXPECT_NULL(test, cp_test_page("rodata"));
	KUNIT_EXPECT_NULL(test, cp_test_page(addresses_of_others_are_foreign));
	KUNIT_EXPECT_NULL(test, cp_test_page(slab));
	KUNIT_EXPECT_NULL(test, cp_test_page(mapped));
	KUNIT_EXPECT_NULL(test, cp_test_page((void *)0x10000));
	KUNIT_EXPECT_NULL(test, cp_test_page((void *)-1));
	vfree(mapped);
}

/* With any alignment, and whether or not there is a struct page for it. */
static void expect_wild(struct kunit *test, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < 2 * sizeof(long); i++)
		if (cp_test_page((void *)(addr + i)))
			KUNIT_FAIL(test, "address %#lx", addr + i);
}

static void wild_pointers_are_foreign(struct kunit *test)
{
	unsigned long end = (unsigned long)high_memory;
	unsigned int i;

	for (i = 0; i < BITS_PER_LONG; i++) {
		expect_wild(test, BIT(i));
		expect_wild(test, BIT(i) - 2 * sizeof(long));
		expect_wild(test, -BIT(i));
		/* In the linear map and past it; nothing of it is ours now. */
		expect_wild(test, PAGE_OFFSET + BIT(i));
		expect_wild(test, PAGE_OFFSET - BIT(i));
		expect_wild(test, end + BIT(i));
		expect_wild(test, end - BIT(i));
	}
	expect_wild(test, 0);
	expect_wild(test, end);
	expect_wild(test, TASK_SIZE);
	expect_wild(test, 0x8000000000000000UL);
	expect_wild(test, 0xdead000000000100UL);
	expect_wild(test, 0x6b6b6b6b6b6b6b6bUL);
	expect_wild(test, VMALLOC_START);
	expect_wild(test, VMALLOC_END);
	expect_wild(test, (unsigned long)&cp_map);
	expect_wild(test, (unsigned long)cp_map.pages);
	expect_wild(test, (unsigned long)wild_pointers_are_foreign);
}

#define STEP	1024	/* pages; a hole is at least as large */

static unsigned int expect_holes_wild(struct kunit *test)
{
	unsigned int holes = 0;
	unsigned long pfn;

	for (pfn = 0; pfn < 4 * max_pfn; pfn += STEP) {
		if (pfn_valid(pfn))
			continue;
		expect_wild(test, (unsigned long)__va(PFN_PHYS(pfn)));
		holes++;
	}
	return holes;
}

/* Then as if the linear map were larger: there is not even a struct page. */
static void addresses_without_memory_are_foreign(struct kunit *test)
{
	unsigned long size = cp_map.size;

	KUNIT_EXPECT_GT(test, expect_holes_wild(test), 0);
	/* At boot only: afterwards the map cannot be written. */
	if (!IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP) ||
	    system_state > SYSTEM_SCHEDULING)
		return;
	cp_map.size = 4 * size;
	expect_holes_wild(test);
	cp_map.size = size;
}

/*
 * Nor does what others put there make it ours, or the key of an earlier load.
 */
static void a_page_of_the_system_is_foreign(struct kunit *test)
{
	union cp_page_word word = { .key = cp_map.key };
	struct page *page = alloc_page(GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_NULL(test, cp_test_page(page_address(page)));
	for (i = 0; i < BITS_PER_LONG; i++) {
		unsigned long values[] = {
			BIT(i), BIT(i) - 1, -BIT(i), (unsigned long)page << i,
			i < BITS_PER_LONG - CP_KEY_BITS ? 0 :
							  word.all ^ BIT(i),
		};
		unsigned int j;

		for (j = 0; j < ARRAY_SIZE(values); j++) {
			set_page_private(page, values[j]);
			KUNIT_EXPECT_NULL_MSG(test,
					      cp_test_page(page_address(page)),
					      "%#lx", values[j]);
		}
	}
	set_page_private(page, 0);
	__free_page(page);
}

/*
 * Beside the key the word has what comes and goes: the page is ours throughout.
 */
static void page_is_ours_whatever_its_word(struct kunit *test)
{
	struct cp_page *p = take(test);
	unsigned int i;

	for (i = 0; i < BITS_PER_LONG; i++) {
		union cp_page_word word = { .all = BIT(i) };

		word.key = cp_map.key;
		WRITE_ONCE(p->word.all, word.all);
		KUNIT_EXPECT_PTR_EQ(test, p, cp_test_page(cp_page_base(p)));
	}
	cp_system_give(p, ORDER);
}

/* A pin is had of a page in a heap alone, and keeps it there. */
static void pinned_page_does_not_leave(struct kunit *test)
{
	struct curpage_cache *cache;
	struct cp_page *p;
	void *obj;

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-pin", PAGE_SIZE, NULL);
	cache->keep = 0;
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	p = cp_test_page(obj);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_EQ(test, 1, (unsigned int)cp_page_pin(p).pins);
	curpage_cache_free(cache, obj);
	curpage_cache_shrink(cache);
	KUNIT_EXPECT_NOT_NULL(test, cp_page_heap(p));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_page_unpin(p);
	curpage_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, 0, cp_page_pin(p).all);
}

/*
 * Free are: a block of 2 pages, and a page that came back; not a block of 4, or
 * a tail.
 */
static void page_is_as_free_as_its_block(struct kunit *test)
{
	static const bool free[] = { 0, 0, 0, 0, 1, 1, 1, 0 };
	struct cp_page *p = take(test);
	unsigned int i;

	cp_page_set(p, CP_BLOCK, 2);
	cp_page_set(p + 4, CP_FREE, 1);
	cp_page_set(p + 6, CP_STOCK, 0);
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
	p[5].word.chunk_order = 0;
	KUNIT_EXPECT_FALSE(test, cp_page_is_free(p + 5));
	cp_system_give(p, ORDER);
}

/* From the moment that a heap has it until it lets go of it. */
static void only_a_page_of_a_cache_has_a_heap(struct kunit *test)
{
	struct curpage_cache *cache;
	struct cp_page *p, *block;
	void *obj, *other;

	cp_test_pin(test);
	cache = cp_test_cache(test, "kunit-heap", PAGE_SIZE, NULL);
	cache->keep = 0;
	block = cp_page_of(curpage_alloc_pages(GFP_KERNEL, 0));
	KUNIT_ASSERT_NOT_NULL(test, block);
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	other = curpage_cache_alloc(cache, GFP_KERNEL);
	p = cp_test_page(obj);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_PTR_EQ(test, raw_cpu_ptr(cache->heaps), cp_page_heap(p));
	KUNIT_EXPECT_NULL(test, cp_page_heap(block));
	curpage_cache_free(cache, obj);
	KUNIT_EXPECT_NULL(test, cp_page_heap(p));
	curpage_cache_free(cache, other);
	curpage_free_pages(cp_page_to_page(block), 0);
	KUNIT_EXPECT_NULL(test, cp_page_heap(block));
}

static struct kunit_case cp_page_cases[] = {
	KUNIT_CASE(adopted_pages_are_ours_and_tails),
	KUNIT_CASE(constants_agree_with_bit_fields),
	KUNIT_CASE(tags_of_addresses_do_not_matter),
	KUNIT_CASE(lookup_finds_the_page_from_any_byte),
	KUNIT_CASE(disowned_page_is_as_the_system_wants_it),
	KUNIT_CASE(addresses_of_others_are_foreign),
	KUNIT_CASE(wild_pointers_are_foreign),
	KUNIT_CASE(addresses_without_memory_are_foreign),
	KUNIT_CASE(a_page_of_the_system_is_foreign),
	KUNIT_CASE(page_is_ours_whatever_its_word),
	KUNIT_CASE(pinned_page_does_not_leave),
	KUNIT_CASE(page_is_as_free_as_its_block),
	KUNIT_CASE(block_ends_with_its_chunk),
	KUNIT_CASE(only_a_page_of_a_cache_has_a_heap),
	{}
};

CP_TEST_SUITE(page);
