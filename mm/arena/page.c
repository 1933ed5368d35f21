// SPDX-License-Identifier: GPL-2.0
/*
 * The header of a page, laid over its struct page.  A header needs no memory of
 * its own and a free touches no further cache line for it.  Any page of the
 * system can become ours.  page.h says which field is used for what.
 */
#include "base/kernel.h"
#include "arena/page.h"

#define CP_PAGE_MATCH(field, of)					\
	static_assert(offsetof(struct page, field) ==			\
		      offsetof(struct cp_page, of))
CP_PAGE_MATCH(flags, __page_flags);
CP_PAGE_MATCH(lru, list);
CP_PAGE_MATCH(mapping, heap);
CP_PAGE_MATCH(cp_page_index, free);
CP_PAGE_MATCH(private, word);
#undef CP_PAGE_MATCH
static_assert(sizeof(union cp_page_word) == sizeof(u64));
static_assert(CP_CAPACITY_MAX < 1 << 12);	/* remote, nr_remote */
static_assert(offsetofend(struct cp_page, word) <=
	      offsetof(struct page, _mapcount));
static_assert(sizeof(struct cp_page) == sizeof(struct page));
static_assert(CURPAGE_MAX_ORDER <= U8_MAX);
static_assert(CP_NIL + 1 >= PAGE_SIZE);	/* no block has the number CP_NIL */

struct cp_map cp_map __ro_after_init;

/*
 * Set up cp_map: the linear map, and the key that marks our pages.
 *
 * The key makes words invalid that an earlier load or others have left in
 * private.  Its two upper bits differ, while those of any pointer and any small
 * number are equal.
 *
 * Return: 0, or -E2BIG if page numbers do not fit into CP_NUMBER_BITS.
 */
int __init cp_page_init_map(void)
{
	unsigned long start = CP_LINEAR_START;
	unsigned long size = (unsigned long)high_memory - start;
	unsigned long pages = size >> PAGE_SHIFT;
	u64 key = get_random_long() & (BIT_ULL(CP_KEY_BITS - 2) - 1);

	if (pages >= BIT_ULL(CP_NUMBER_BITS)) {
		pr_err("%lu pages in the linear map: must be less than %llu\n",
		       pages, BIT_ULL(CP_NUMBER_BITS));
		return -E2BIG;
	}
	cp_map.key = key | BIT_ULL(CP_KEY_BITS - 2);
	cp_map.start = start;
	if (IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP) || IS_ENABLED(CONFIG_FLATMEM)) {
		cp_map.size = size;
		cp_map.pages = cp_page_of(virt_to_page((void *)start));
	}
	return 0;
}

/*
 * Find the header of the page that addr points into, by the kernel's own
 * functions.  For addresses outside of the linear map as it was when we were
 * loaded, for kernels whose struct pages are not one array, and where time does
 * not matter.
 *
 * Return: the header, or NULL if the page is not ours.
 */
struct cp_page *cp_page_lookup(const void *addr)
{
	struct cp_page *p;

	if (!virt_addr_valid(addr))
		return NULL;
	p = cp_page_of(virt_to_page(addr));
	return cp_page_ours(p) ? p : NULL;
}

/* Make 2^order pages ours: fresh headers, for a chunk of the arena. */
void cp_page_adopt(struct cp_page *first, unsigned int order, enum cp_use use)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		union cp_page_word word = {
			.kind = CP_TAIL, .use = use, .chunk_order = order,
			.key = cp_map.key,
		};
		struct cp_page *p = first + i;

		INIT_LIST_HEAD(&p->list);
		p->heap = NULL;
		p->order = 0;
		p->nr_free = 0;
		p->link = 0;
		/* Publish: a CPU that reads our key reads no old owner. */
		smp_store_release(&p->word.all, word.all);
	}
}

/*
 * Reset the fields of a page to what the system expects when the page is freed.
 */
void cp_page_disown(struct cp_page *p)
{
	struct page *page = cp_page_to_page(p);

	cp_hook_pages(cp_page_base(p), PAGE_SIZE, false);
	WRITE_ONCE(p->word.all, 0);
	INIT_LIST_HEAD(&p->list);
	WRITE_ONCE(page->mapping, NULL);
	page->cp_page_index = 0;
}

/* Drop a pin of cp_page_pin() without a push. */
void cp_page_unpin(struct cp_page *p)
{
	union cp_page_word old = cp_page_word(p), new;

	do {
		new.all = old.all - CP_WORD_PIN;
	} while (!try_cmpxchg_release(&p->word.all, &old.all, new.all));
}

/*
 * Let a page without a live block leave its heap.  Caller has claimed the heap.
 *
 * The page must stay while blocks are on its stack, as it is then in an inbox,
 * and while it is pinned by a CPU that is about to push.  Both happen only when
 * somebody frees a free block.  Once the page has left, no CPU can push onto
 * it.
 *
 * Return: true if the page has left.
 */
bool cp_page_try_leave(struct cp_page *p)
{
	union cp_page_word old = cp_page_word(p), new;

	do {
		if (unlikely(old.nr_remote || old.pins))
			return false;
		new = old;
		new.kind = CP_LOOSE;
		new.link_high = 0;
	} while (unlikely(!try_cmpxchg(&p->word.all, &old.all, new.all)));
	WRITE_ONCE(p->heap, NULL);
	return true;
}

/*
 * Mark a page of a heap as damaged: from now on only the words of its blocks
 * say which are free.  Caller has claimed the heap; other CPUs may push
 * meanwhile.
 */
void cp_page_set_damaged(struct cp_page *p)
{
	union cp_page_word old = cp_page_word(p), new;

	do {
		new = old;
		new.kind = CP_DAMAGED;
	} while (!try_cmpxchg(&p->word.all, &old.all, new.all));
}

/*
 * Find the first page of the page block that p is in: every page of a chunk is
 * in one.  Racy.  Return: p if none is found.
 */
static struct cp_page *cp_page_head(struct cp_page *p)
{
	unsigned int order, chunk_order = cp_page_word(p).chunk_order;
	unsigned long pfn = cp_page_pfn(p);

	for (order = 0; order <= chunk_order; order++) {
		struct cp_page *head = p - (pfn & ((1UL << order) - 1));
		enum cp_page_kind kind;

		if (!cp_page_ours(head))
			continue;
		kind = cp_page_kind(head);
		if (kind >= CP_CACHE || kind == CP_LOOSE ? !order :
		    kind != CP_TAIL && READ_ONCE(head->order) >= order)
			return head;
	}
	return p;
}

/*
 * Check whether no part of a page is live, to tell a double free from a free of
 * a wrong address.  Lockless: a racy answer will do, as the free is wrong in
 * any case.
 */
bool cp_page_is_free(struct cp_page *p)
{
	struct cp_page *head = cp_page_head(p);

	switch (cp_page_kind(head)) {
	case CP_FREE:
	case CP_STOCK:
	case CP_LOOSE:
		return true;
	default:
		return false;
	}
}
