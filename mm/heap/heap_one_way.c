// SPDX-License-Identifier: GPL-2.0
/*
 * Heaps with CP_ONE_WAY, compiled for the study of strategies alone: no block
 * comes back before its page is empty.  A block freed on the current page is
 * kept aside in the page's header (free, nr_free) and stays taken until the
 * page is retired.
 *
 * heap.c and heap_check.c call these functions where cp_heap_has() says so.
 */
#include "base/kernel.h"
#include "heap/block.h"

/*
 * Link the free blocks of the current page in front of those kept aside.
 *
 * Return: the number of free blocks that were not aside.
 */
unsigned int cp_heap_rejoin(struct cp_heap *h, struct cp_page *p)
{
	unsigned int left = h->cache->capacity - cp_heap_taken(h), last, found;

	if (p->free == CP_NIL)
		return left;
	found = cp_block_walk(h->cache, h->base, h->free, left, &last);
	if (unlikely(found < left))
		cp_heap_lose(h, p, left - found, 0);
	if (found)
		cp_word_seal(h->cache, cp_block_word(h->cache, h->base, last),
			     p->free);
	else
		h->free = p->free;
	return found;
}

/* Check the blocks kept aside.  Return: the number of broken invariants. */
int cp_heap_check_aside(struct cp_heap *h, struct cp_page *p)
{
	static DECLARE_BITMAP(seen, CP_CAPACITY_MAX);	/* cp_caches_lock */

	if (!p->nr_free)
		return 0;
	if (p->nr_free > cp_heap_taken(h))
		return cp_broken("cache %s, pfn %lu: %u blocks kept aside of %d",
				 h->cache->name, cp_page_pfn(p), p->nr_free,
				 cp_heap_taken(h));
	bitmap_zero(seen, h->cache->capacity);
	return cp_block_check(h->cache, p, p->free, p->nr_free, seen);
}
