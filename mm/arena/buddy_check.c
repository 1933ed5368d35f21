// SPDX-License-Identifier: GPL-2.0
/*
 * The walker's part for the buddies: checks every list and count.  Caller holds
 * the arena's lock.
 */
#include "base/kernel.h"
#include "arena/buddy.h"

static int cp_buddy_check_block(const struct cp_buddy *b,
				const struct cp_page *p, unsigned int order)
{
	unsigned long pfn = page_to_pfn(&p->__page);

	if (!cp_page_ours(p))
		return cp_broken("pfn %lu: free, and not ours", pfn);
	if (cp_page_word(p).kind != CP_FREE || cp_page_word(p).use != b->use ||
	    p->order != order)
		return cp_broken("pfn %lu: kind %u use %u order %u on free list %u of use %u",
				 pfn, cp_page_word(p).kind, cp_page_word(p).use, p->order,
				 order, b->use);
	if (order > cp_page_word(p).chunk_order || pfn & ((1UL << order) - 1))
		return cp_broken("pfn %lu: misplaced in a chunk of order %u",
				 pfn, cp_page_word(p).chunk_order);
	return 0;
}

/* What the walker finds on the lists of an order. */
struct cp_buddy_found {
	unsigned long lone;
	unsigned long pairs;
	unsigned long whole_pages;
};

static int cp_buddy_check_lone(struct cp_buddy *b, unsigned int order,
			       struct cp_buddy_found *found)
{
	struct cp_page *p;
	int broken = 0;

	list_for_each_entry(p, &b->lone[order], list) {
		found->lone++;
		broken += cp_buddy_check_block(b, p, order);
		/* Stop: the list of a page that is not ours leads anywhere. */
		if (!cp_page_ours(p))
			break;
		if (order == cp_page_word(p).chunk_order)
			found->whole_pages += 1UL << order;
		if (cp_buddy_of(p))
			broken += cp_broken("pfn %lu: alone beside its free buddy of order %u",
					    cp_page_pfn(p), order);
	}
	return broken;
}

static int cp_buddy_check_pairs(struct cp_buddy *b, unsigned int order,
				struct cp_buddy_found *found)
{
	struct cp_page *p;
	int broken = 0;

	list_for_each_entry(p, &b->pair[order], list) {
		found->pairs++;
		broken += cp_buddy_check_block(b, p, order);
		if (!cp_page_ours(p))
			break;
		if (cp_buddy_of(p) != p + (1UL << order))
			broken += cp_broken("pfn %lu: half a pair of order %u",
					    cp_page_pfn(p), order);
		else
			broken += cp_buddy_check_block(b, cp_buddy_of(p),
						       order);
	}
	/* Pairs of an earlier policy may not all be merged yet. */
	if (found->pairs && cp_buddy_is_eager(b->policy) && !b->settling)
		broken += cp_broken("order %u: %lu pairs of free buddies, policy %s",
				    order, found->pairs, b->policy->name);
	return broken;
}

static int cp_buddy_check_order(struct cp_buddy *b, unsigned int order,
				struct cp_buddy_found *found)
{
	int broken = cp_buddy_check_lone(b, order, found) +
		     cp_buddy_check_pairs(b, order, found);
	unsigned long nr = found->lone + 2 * found->pairs;

	if (nr != b->nr_free[order] || found->pairs != b->nr_pairs[order])
		broken += cp_broken("order %u: %lu free blocks, %lu pairs, counted %lu and %lu",
				    order, nr, found->pairs, b->nr_free[order],
				    b->nr_pairs[order]);
	if (!(b->some >> order & 1) != !nr ||
	    !(b->paired >> order & 1) != !found->pairs)
		broken += cp_broken("order %u: %lu free blocks, %lu pairs, bits %u and %u",
				    order, nr, found->pairs,
				    b->some >> order & 1,
				    b->paired >> order & 1);
	return broken;
}

/*
 * Check that each free block is on the right list, and that all counts are
 * right.  Return: the number of broken invariants.
 */
int cp_buddy_check(struct cp_buddy *b)
{
	unsigned long pages = 0, whole_pages = 0, used = 0;
	unsigned int order;
	int broken = 0;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		struct cp_buddy_found found = { };

		broken += cp_buddy_check_order(b, order, &found);
		pages += (found.lone + 2 * found.pairs) << order;
		whole_pages += found.whole_pages;
		used += b->nr_used[order] << order;
	}
	if (pages != b->free_pages || whole_pages != b->whole_pages)
		broken += cp_broken("buddy: %lu pages free, %lu in chunks, counted %lu and %lu",
				    pages, whole_pages, b->free_pages,
				    b->whole_pages);
	if (pages + used != b->pages)
		broken += cp_broken("buddy: %lu pages free and %lu used, counted %lu in all",
				    pages, used, b->pages);
	return broken;
}
