// SPDX-License-Identifier: GPL-2.0
/*
 * The header of a page, laid over its struct page: no memory of its own, no
 * further cache line on a free, and any page of the system can be ours.  The
 * use of the fields is written down in internal.h.
 */
#include "kernel.h"
#include "internal.h"

#define CP_PAGE_MATCH(field, of)					\
	static_assert(offsetof(struct page, field) ==			\
		      offsetof(struct cp_page, of))
CP_PAGE_MATCH(flags, __page_flags);
CP_PAGE_MATCH(lru, list);
CP_PAGE_MATCH(mapping, heap);
CP_PAGE_MATCH(index, free);
CP_PAGE_MATCH(private, tag);
#undef CP_PAGE_MATCH
static_assert(offsetofend(struct cp_page, tag) <=
	      offsetof(struct page, _mapcount));
static_assert(sizeof(struct cp_page) == sizeof(struct page));
static_assert(CURPAGE_MAX_ORDER <= U8_MAX);
static_assert(CP_NIL + 1 >= PAGE_SIZE);	/* no block starts at CP_NIL */

/* Makes tags of an earlier load, or values set by others, invalid. */
unsigned long cp_tag_key __ro_after_init;

void __init cp_page_init_tags(void)
{
	cp_tag_key = get_random_long();
}

/* These 2^order pages are the arena's from now on. */
void cp_page_adopt(struct cp_page *first, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		struct cp_page *p = first + i;

		INIT_LIST_HEAD(&p->list);
		p->heap = NULL;
		p->free = CP_NIL;
		p->nr_free = 0;
		p->chunk_order = order;
		cp_page_set(p, CP_TAIL, 0);
		WRITE_ONCE(p->tag, cp_page_tag(p));
	}
}

/* Leave the fields as the system wants to see them on a page that is freed. */
void cp_page_disown(struct cp_page *p)
{
	struct page *page = cp_page_to_page(p);

	WRITE_ONCE(p->tag, 0);
	INIT_LIST_HEAD(&p->list);
	page->mapping = NULL;
	page->index = 0;
}

/* The header of the page that addr points into, or NULL if it is not ours. */
struct cp_page *cp_page_lookup(const void *addr)
{
	struct cp_page *p;

	if (!virt_addr_valid(addr))
		return NULL;
	p = cp_page_of(virt_to_page(addr));
	return cp_page_ours(p) ? p : NULL;
}

/* The first page of the page block that p is in; any page of a chunk is. */
static struct cp_page *cp_page_head(struct cp_page *p)
{
	unsigned long pfn = cp_page_pfn(p);
	unsigned int order;

	for (order = 0; order <= p->chunk_order; order++) {
		struct cp_page *head = p - (pfn & ((1UL << order) - 1));

		if (cp_page_ours(head) && head->kind != CP_TAIL &&
		    head->order >= order)
			return head;
	}
	return p;
}

/*
 * Is no part of this page live?  For telling a double free from a free to the
 * wrong place; unlocked, as what is asked about is wrong in any case.
 */
bool cp_page_is_free(struct cp_page *p)
{
	struct cp_page *head = cp_page_head(p);

	return head->kind == CP_FREE || (head->kind == CP_CACHE && !head->heap);
}
