// SPDX-License-Identifier: GPL-2.0
/*
 * The walker's part for the arena, and copies of its figures for reports and
 * debugfs.
 */
#include "base/kernel.h"
#include "arena/arena.h"

/*
 * Check that the kernel was told, or is still to be told, of as many pages as
 * the arena counts.  Caller holds the arena's lock.
 */
static int cp_vm_check(const struct cp_vm *vm, enum cp_vm_item item,
		       unsigned long pages)
{
	long told = vm->told[item] + vm->pages[item];

	if (told == pages)
		return 0;
	return cp_broken("arena: %ld pages in vmstat as item %d, counted %lu",
			 told, item, pages);
}

/* Check every invariant of the arena.  Return: the number of broken ones. */
int cp_arena_check(struct cp_arena *a)
{
	unsigned long used, free, spare, blocks = 0;
	unsigned int order, use;
	unsigned long flags;
	int broken = 0;

	raw_spin_lock_irqsave(&a->lock, flags);
	for (use = 0; use < CP_NR_USES; use++)
		broken += cp_buddy_check(&a->buddy[use]);
	free = cp_arena_free_pages(a);
	used = a->cache_pages + a->block_pages;
	/* Pages in transit may have been in use when the bound was applied. */
	spare = cp_arena_spare_now(a) + (a->transit >> CP_SPARE_SHIFT);
	for (order = 0; order < CP_NR_ORDERS; order++)
		blocks += a->blocks[order] << order;
	if (blocks != a->block_pages)
		broken += cp_broken("arena: %lu pages in blocks, counted %lu",
				    blocks, a->block_pages);
	if (free > spare)
		broken += cp_broken("arena: %lu pages free, %lu allowed", free,
				    spare);
	if (a->held != used + a->transit + free)
		broken += cp_broken("arena: %lu pages held, %lu used or in transit, %lu free",
				    a->held, used + a->transit, free);
	/* cp_buddy_check() has compared the figures of each buddy. */
	if (a->buddy[CP_FOR_CALLERS].pages + a->buddy[CP_FOR_CACHES].pages !=
	    used + free)
		broken += cp_broken("arena: %lu and %lu pages in chunks, %lu used or free",
				    a->buddy[CP_FOR_CALLERS].pages,
				    a->buddy[CP_FOR_CACHES].pages, used + free);
	broken += cp_vm_check(&a->vm, CP_VM_SLAB, used);
	broken += cp_vm_check(&a->vm, CP_VM_FREE, free);
	if (a->held > a->max_pages + a->beyond)
		broken += cp_broken("arena: %lu pages held, %lu allowed",
				    a->held, a->max_pages + a->beyond);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return broken;
}

static void cp_buddy_sum(const struct cp_buddy *b, struct cp_buddy_sum *sum)
{
	unsigned int order;

	sum->free_pages = b->free_pages;
	sum->lone_pages = b->free_pages - b->whole_pages;
	for (order = 0; order < CP_NR_ORDERS; order++) {
		sum->free[order] = b->nr_free[order];
		sum->pairs[order] = b->nr_pairs[order];
		sum->desired[order] = b->desired[order];
		sum->lone_pages -= b->nr_pairs[order] << (order + 1);
	}
	memcpy(sum->stat, b->stat, sizeof(sum->stat));
}

/*
 * Copy the arena's figures, all of one moment.  buddies is NULL or an array for
 * the figures of all CP_NR_USES buddies.
 */
void cp_arena_get_sum(struct cp_arena *a, struct cp_arena_sum *sum,
		      struct cp_buddy_sum *buddies)
{
	unsigned long flags;
	unsigned int use;
	u32 some;

	raw_spin_lock_irqsave(&a->lock, flags);
	cp_vm_flush(&a->vm);
	sum->policy = a->buddy[CP_FOR_CALLERS].policy;
	for (use = 0; buddies && use < CP_NR_USES; use++)
		cp_buddy_sum(&a->buddy[use], &buddies[use]);
	sum->held = a->held;
	sum->transit = a->transit;
	sum->free_pages = cp_arena_free_pages(a);
	some = a->buddy[CP_FOR_CALLERS].some | a->buddy[CP_FOR_CACHES].some;
	sum->largest = some ? 1UL << ilog2(some) : 0;
	sum->cache_pages = a->cache_pages;
	sum->block_pages = a->block_pages;
	sum->spare = cp_arena_spare_now(a);
	sum->failed_free = a->failed_free;
	sum->failed_held = a->failed_held;
	memcpy(sum->blocks, a->blocks, sizeof(sum->blocks));
	memcpy(sum->lent, a->lent, sizeof(sum->lent));
	memcpy(sum->stat, a->stat, sizeof(sum->stat));
	memcpy(sum->failed, a->failed, sizeof(sum->failed));
	raw_spin_unlock_irqrestore(&a->lock, flags);
}
