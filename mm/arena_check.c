// SPDX-License-Identifier: GPL-2.0
/* The walker of the arena, and its figures for those who look at them. */
#include "kernel.h"
#include "internal.h"

/* What the kernel was told, and is to be told, is what the arena has. */
static int cp_vm_check(const struct cp_vm *vm, enum cp_vm_item item,
		       unsigned long pages)
{
	long told = vm->told[item] + vm->pages[item];

	if (told == pages)
		return 0;
	return cp_broken("arena: %ld pages in vmstat as item %d, counted %lu",
			 told, item, pages);
}

/* Every invariant of the arena; returns the number that are broken. */
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
	/* What was in transit may have been used when the rule was applied. */
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
	/* Each buddy has seen to it that its own figures agree. */
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
 * A copy of the arena's figures that belong together; if asked for, those of its
 * CP_NR_USES buddies as well.
 */
void cp_arena_sum(struct cp_arena *a, struct cp_arena_sum *sum,
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
