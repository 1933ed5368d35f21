// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of the arena's pages in /proc/meminfo and /proc/vmstat, by node:
 * pages in caches and page blocks are slab, free pages are reclaimable kernel
 * memory.
 *
 * The arena counts a page when it is lent or comes back, under its own lock.
 * It tells the kernel when CP_BATCH pages have changed their state, when the
 * next page is of another node, when pages have gone back to the system, and
 * when the arena is looked at or aged.  A call of mod_node_page_state() each
 * time would make a pair of page blocks that the arena serves take 1,154
 * instructions instead of 952.  The kernel's own counters are as late: each CPU
 * keeps up to 125 pages of a node to itself for up to a second.
 */
#include "base/kernel.h"
#include "arena/vmstat.h"

static const enum node_stat_item cp_vm_items[] = {
	[CP_VM_SLAB]	= NR_SLAB_UNRECLAIMABLE_B,
	[CP_VM_FREE]	= NR_KERNEL_MISC_RECLAIMABLE,
};

static_assert(ARRAY_SIZE(cp_vm_items) == CP_NR_VM_ITEMS);

/* Convert pages to the units of a counter: bytes for slab, else pages. */
static long cp_vm_units(enum node_stat_item item, long pages)
{
	return item == NR_KERNEL_MISC_RECLAIMABLE ? pages :
						    pages * (long)PAGE_SIZE;
}

/*
 * Tell the kernel all that is counted so far.  Caller holds the arena's lock.
 */
void cp_vm_flush(struct cp_vm *vm)
{
	enum cp_vm_item i;

	for (i = 0; i < CP_NR_VM_ITEMS; i++) {
		long pages = vm->pages[i];

		if (!pages)
			continue;
		mod_node_page_state(NODE_DATA(vm->node), cp_vm_items[i],
				    cp_vm_units(cp_vm_items[i], pages));
		vm->told[i] += pages;
		vm->pages[i] = 0;
	}
}

/* Switch to another node.  Caller holds the arena's lock. */
void cp_vm_switch(struct cp_vm *vm, int node)
{
	cp_vm_flush(vm);
	vm->node = node;
}

/*
 * Count a page of a cache with CURPAGE_RECLAIM_ACCOUNT that enters a heap (1)
 * or leaves it (-1).  The arena counts it as a page of a cache like any other.
 */
void cp_vm_reclaimable(struct cp_page *p, int pages)
{
	struct pglist_data *node = page_pgdat(cp_page_to_page(p));
	long bytes = pages * (long)PAGE_SIZE;

	mod_node_page_state(node, NR_SLAB_UNRECLAIMABLE_B, -bytes);
	mod_node_page_state(node, NR_SLAB_RECLAIMABLE_B, bytes);
}
