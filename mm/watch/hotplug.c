// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug: empty what belongs to a CPU that went offline.  The empty pages
 * of its heaps and the blocks in its stock go to the arena, its pages with live
 * blocks to the heaps of the CPU that runs the callback.
 */
#include "base/kernel.h"

#include <linux/cpuhotplug.h>

#include "cache/borrow.h"
#include "watch/watch.h"

static int cp_hotplug_state = -1;

/*
 * Move a batch of pages to the heap of this CPU.  Caller has borrowed @from.
 * The claim on the heap of this CPU cannot fail: the caller holds
 * cp_borrow_lock, so nobody has borrowed it, and no task is preempted while
 * inside.
 *
 * Return: true if there are more pages.
 */
static bool cp_adopt_some(struct cp_heap *from)
{
	struct cp_heap *h;
	bool more;

	preempt_disable();
	h = raw_cpu_ptr(from->cache->heaps);
	more = !WARN_ON_ONCE(!cp_claim_try(&h->claim));
	if (more) {
		more = cp_heap_adopt(h, from);
		cp_claim_drop(&h->claim);
	}
	preempt_enable();
	return more;
}

static void cp_adopt_heap(struct cp_heap *from)
{
	bool more;

	cp_heap_give_back(from);
	do {
		mutex_lock(&cp_borrow_lock);
		cp_claim_borrow(&from->claim, from->cpu);
		more = cp_adopt_some(from);
		cp_claim_return(&from->claim);
		mutex_unlock(&cp_borrow_lock);
	} while (more);
}

/* Called on another CPU when @cpu is dead, or has failed to come up. */
static int cp_hotplug_dead(unsigned int cpu)
{
	struct curpage_cache *cache;

	mutex_lock(&cp_caches_lock);
	cp_stock_drain_cpu(cpu);
	list_for_each_entry(cache, &cp_caches, list)
		cp_adopt_heap(per_cpu_ptr(cache->heaps, cpu));
	/* Wait for remote frees that already read the old owner. */
	synchronize_rcu();
	list_for_each_entry(cache, &cp_caches, list)
		cp_heap_give_back(per_cpu_ptr(cache->heaps, cpu));
	mutex_unlock(&cp_caches_lock);
	return 0;
}

int cp_hotplug_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					      "mm/curpage:dead", NULL,
					      cp_hotplug_dead);

	if (state < 0)
		return state;
	cp_hotplug_state = state;
	return 0;
}

void cp_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(cp_hotplug_state);
}
