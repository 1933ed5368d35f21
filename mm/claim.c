// SPDX-License-Identifier: GPL-2.0
/* The rare side of claims: standing in for the CPU that owns something. */
#include "kernel.h"
#include "internal.h"

/* Held by who stands in; nothing is allocated under it, as reclaim takes it. */
DEFINE_MUTEX(cp_borrow_lock);

static void cp_claim_nothing(void *unused)
{
}

/*
 * Stand in for a CPU, which may be offline.  Process context, interrupts on.
 * A CPU that comes online meanwhile looks at wanted after it has said that it
 * is online, hence the barrier.  While it comes up or goes down it runs without
 * being online: nobody may allocate or free there, in an NMI.
 */
void cp_claim_borrow(struct cp_claim *c, int cpu)
{
	lockdep_assert_held(&cp_borrow_lock);
	WRITE_ONCE(c->wanted, 1);
	smp_mb();	/* before the look whether the CPU is online */
	smp_call_function_single(cpu, cp_claim_nothing, NULL, 1);
	smp_cond_load_acquire(&c->taken, !VAL);	/* cp_claim_drop() */
}

void cp_claim_return(struct cp_claim *c)
{
	smp_store_release(&c->wanted, 0);	/* cp_claim_try() */
}
