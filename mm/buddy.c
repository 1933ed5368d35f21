// SPDX-License-Identifier: GPL-2.0
/*
 * Free blocks of 2^k pages: the table of policies and the few changes of
 * state that they are made of.  All of it runs under the arena's lock.
 *
 * Blocks are joined within the chunk that they were cut from and never across
 * two chunks, so that what happens does not depend on where the system's
 * chunks happen to lie.
 */
#include "kernel.h"
#include "internal.h"

const struct cp_buddy_policy * const cp_buddy_policies[] = {
	[CP_BUDDY_BINARY] = &cp_buddy_binary,
};

static_assert(ARRAY_SIZE(cp_buddy_policies) == CP_NR_BUDDY_POLICIES);

/* Is every row of the table there, and all of it? */
bool cp_buddy_policies_ok(void)
{
	unsigned int i;

	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++) {
		const struct cp_buddy_policy *row = cp_buddy_policies[i];

		if (!row || !row->name || !row->paper || !row->take ||
		    !row->give)
			return false;
	}
	return true;
}

void cp_buddy_init(struct cp_buddy *b, enum cp_buddy_policy_id id)
{
	unsigned int order;

	memset(b, 0, sizeof(*b));
	b->policy = cp_buddy_policies[id];
	for (order = 0; order < CP_NR_ORDERS; order++)
		INIT_LIST_HEAD(&b->free[order]);
}

void cp_buddy_mark_free(struct cp_buddy *b, struct cp_page *p,
			unsigned int order)
{
	cp_page_set(p, CP_FREE, order);
	list_add(&p->list, &b->free[order]);
	b->nr_free[order]++;
	b->free_pages += 1UL << order;
}

/* The block is nobody's until the caller says what it is. */
void cp_buddy_mark_taken(struct cp_buddy *b, struct cp_page *p)
{
	list_del_init(&p->list);
	b->nr_free[p->order]--;
	b->free_pages -= 1UL << p->order;
	cp_page_set(p, CP_TAIL, p->order);
}

/* Cut a taken block in two: the upper half is freed, the lower one kept. */
void cp_buddy_split(struct cp_buddy *b, struct cp_page *p)
{
	unsigned int order = p->order - 1;

	trace_curpage_split(cp_page_pfn(p), p->order);
	b->splits[p->order]++;
	p->order = order;
	cp_buddy_mark_free(b, p + (1UL << order), order);
}

/* Join a taken block with its buddy, which is free; returns the whole. */
struct cp_page *cp_buddy_join(struct cp_buddy *b, struct cp_page *p,
			      struct cp_page *buddy)
{
	struct cp_page *low = min(p, buddy);
	unsigned int order = p->order + 1;

	cp_buddy_mark_taken(b, buddy);
	buddy->order = 0;
	p->order = 0;
	low->order = order;
	b->merges[order]++;
	trace_curpage_merge(cp_page_pfn(low), order);
	return low;
}

/*
 * The buddy of a block if it is free and as large, else NULL.  Part of a chunk
 * may have gone back to the system and belong to somebody else by now; the
 * memory map has no holes within a chunk, so looking is allowed.
 */
struct cp_page *cp_buddy_of(struct cp_page *p)
{
	unsigned int chunk_order = p->word.chunk_order;
	unsigned long pfn = cp_page_pfn(p);
	unsigned long size = 1UL << p->order;
	struct cp_page *buddy;
	union cp_page_word word;

	if (p->order >= chunk_order)
		return NULL;
	buddy = pfn & size ? p - size : p + size;
	if (!cp_page_ours(buddy))
		return NULL;
	word = cp_page_word(buddy);
	if (word.kind != CP_FREE || word.chunk_order != chunk_order ||
	    buddy->order != p->order)
		return NULL;
	return buddy;
}

static int cp_buddy_check_block(struct cp_page *p, unsigned int order)
{
	unsigned long pfn = cp_page_pfn(p);

	if (!cp_page_ours(p))
		return cp_broken("pfn %lu: free, and not ours", pfn);
	if (p->word.kind != CP_FREE || p->order != order)
		return cp_broken("pfn %lu: kind %u order %u on free list %u",
				 pfn, p->word.kind, p->order, order);
	if (order > p->word.chunk_order || pfn & ((1UL << order) - 1))
		return cp_broken("pfn %lu: misplaced in a chunk of order %u",
				 pfn, p->word.chunk_order);
	return 0;
}

/* Every free block stands where it should; returns the number that do not. */
int cp_buddy_check(struct cp_buddy *b)
{
	unsigned long pages = 0;
	unsigned int order;
	struct cp_page *p;
	int broken = 0;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		unsigned long nr = 0;

		list_for_each_entry(p, &b->free[order], list) {
			nr++;
			broken += cp_buddy_check_block(p, order);
			/* Such a page's list leads to nowhere we know. */
			if (!cp_page_ours(p))
				break;
			if (b->policy->check)
				broken += b->policy->check(b, p);
		}
		if (nr != b->nr_free[order])
			broken += cp_broken("order %u: %lu free blocks, counted %lu",
					    order, nr, b->nr_free[order]);
		pages += nr << order;
	}
	if (pages != b->free_pages)
		broken += cp_broken("buddy: %lu free pages, counted %lu",
				    pages, b->free_pages);
	return broken;
}
