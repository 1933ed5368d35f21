/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's statistics say of the arena's pages. */
#ifndef CP_VMSTAT_H
#define CP_VMSTAT_H

#include "arena/page.h"

enum cp_vm_item {
	CP_VM_SLAB,		/* in caches and page blocks */
	CP_VM_FREE,		/* in the buddies */
	CP_NR_VM_ITEMS
};

/* Under the arena's lock. */
struct cp_vm {
	int node;			/* of the pages in pages[] */
	long pages[CP_NR_VM_ITEMS];	/* not yet told to the kernel */
	long told[CP_NR_VM_ITEMS];	/* of all nodes */
};

void cp_vm_flush(struct cp_vm *vm);
void cp_vm_switch(struct cp_vm *vm, int node);
void cp_vm_reclaimable(struct cp_page *p, int pages);

/* Count pages of the block at p. */
static __always_inline void cp_vm_add(struct cp_vm *vm, struct cp_page *p,
				      enum cp_vm_item item, long pages)
{
	int node = page_to_nid(cp_page_to_page(p));

	if (unlikely(node != vm->node))
		cp_vm_switch(vm, node);
	vm->pages[item] += pages;
	if (unlikely(abs(vm->pages[item]) >= CP_BATCH))
		cp_vm_flush(vm);
}

#endif /* CP_VMSTAT_H */
