// SPDX-License-Identifier: GPL-2.0
/*
 * The rare side of claims: standing in for the CPUs that own something, for any
 * number of them by one round of interrupts.
 */
#include "kernel.h"
#include "internal.h"

/*
 * Held by the task that stands in.  The shrinker only tries for it.  Nothing is
 * allocated under it, so that a task which has to wait never waits for reclaim.
 */
DEFINE_MUTEX(cp_borrow_lock);

/* Interrupts that the CPU got because a task stood in for it. */
DEFINE_PER_CPU(unsigned long, cp_claim_interrupts);

/* Owners of claims that are wanted since the last interrupts; cp_borrow_lock. */
static struct cpumask cp_claim_owners;

/* Runs on the owner; what counts is that it was interrupted. */
static void cp_claim_interrupt(void *unused)
{
	this_cpu_inc(cp_claim_interrupts);
}

/*
 * Announce that the caller is going to use what belongs to a CPU, which may be
 * offline.  cp_claim_call() has to follow.  Caller holds cp_borrow_lock.
 */
void cp_claim_want(struct cp_claim *c, int cpu)
{
	lockdep_assert_held(&cp_borrow_lock);
	WRITE_ONCE(c->wanted, 1);
	cpumask_set_cpu(cpu, &cp_claim_owners);
}

/*
 * Have the owners of all claims that are wanted pass a full barrier, all at the
 * same time, each by one interrupt.  Process context, interrupts on; caller holds
 * cp_borrow_lock.
 *
 * The caller's own CPU needs no interrupt: while the caller runs there, nobody is
 * inside, and whoever comes later reads wanted after the caller has written it.
 *
 * A CPU that comes online meanwhile reads wanted after it has said that it is
 * online, hence the barrier.  While it comes up or goes down it runs without
 * being online: nobody may allocate or free there, in an NMI.
 */
void cp_claim_call(void)
{
	lockdep_assert_held(&cp_borrow_lock);
	smp_mb();	/* wanted, then the look which CPUs are online */
	preempt_disable();
	smp_call_function_many(&cp_claim_owners, cp_claim_interrupt, NULL, true);
	preempt_enable();
	cpumask_clear(&cp_claim_owners);
}

/*
 * Wait until the owner is not inside; the claim is the caller's until
 * cp_claim_return().  Call after cp_claim_want() and cp_claim_call().
 */
void cp_claim_wait(struct cp_claim *c)
{
	smp_cond_load_acquire(&c->taken, !VAL);	/* cp_claim_drop() */
}

/* Stand in for one CPU: the three above. */
void cp_claim_borrow(struct cp_claim *c, int cpu)
{
	cp_claim_want(c, cpu);
	cp_claim_call();
	cp_claim_wait(c);
}

void cp_claim_return(struct cp_claim *c)
{
	smp_store_release(&c->wanted, 0);	/* cp_claim_try() */
}

/*
 * Is the CPU one that was taken out of the kernel's everyday work (isolcpus=,
 * nohz_full=, an isolated cpuset)?  Such a CPU is interrupted on request only, or
 * when memory is short.
 */
bool cp_claim_isolated(int cpu)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_claim_isolated, cpu);
	return cp_cpu_isolated(cpu);
}
