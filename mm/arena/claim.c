// SPDX-License-Identifier: GPL-2.0
/*
 * The rare side of claims (claim.h): a task borrows what belongs to other CPUs,
 * any number of claims by one round of interrupts.
 */
#include "base/kernel.h"
#include "arena/claim.h"

/*
 * Held by the borrower.  The shrinker only tries for it.  Nothing is allocated
 * under it, so a task that sleeps for it never waits for reclaim.
 */
DEFINE_MUTEX(cp_borrow_lock);

/* Interrupts that a CPU got from borrowers. */
DEFINE_PER_CPU(unsigned long, cp_claim_interrupts);

/* CPUs with claims wanted since the last cp_claim_call(); cp_borrow_lock. */
static struct cpumask cp_claim_owners;

/* Runs on the owner.  The interrupt itself is the barrier that is needed. */
static void cp_claim_interrupt(void *unused)
{
	this_cpu_inc(cp_claim_interrupts);
}

/*
 * Announce that the caller is going to use what belongs to @cpu, which may be
 * offline.  cp_claim_call() has to follow.  Caller holds cp_borrow_lock.
 */
void cp_claim_want(struct cp_claim *c, int cpu)
{
	lockdep_assert_held(&cp_borrow_lock);
	WRITE_ONCE(c->wanted, 1);
	cpumask_set_cpu(cpu, &cp_claim_owners);
}

/*
 * Make the owners of all wanted claims pass a full barrier, all at the same
 * time, each by one interrupt.  Called in process context with interrupts
 * enabled.  Caller holds cp_borrow_lock.
 *
 * The caller's own CPU needs no interrupt: while the caller runs there, nobody
 * is inside, and whoever enters later reads wanted after the caller has written
 * it.
 *
 * A CPU that comes online meanwhile reads wanted after it has set itself
 * online, hence the smp_mb().  While it comes up or goes down it runs without
 * being online: no NMI handler may allocate or free there.
 */
void cp_claim_call(void)
{
	lockdep_assert_held(&cp_borrow_lock);
	smp_mb();	/* store wanted, then load cpu_online_mask */
	preempt_disable();
	smp_call_function_many(&cp_claim_owners, cp_claim_interrupt, NULL, true);
	preempt_enable();
	cpumask_clear(&cp_claim_owners);
}

/*
 * Wait until the owner is not inside.  Caller has called cp_claim_want() and
 * cp_claim_call(), and has the claim from here on until cp_claim_return().
 */
void cp_claim_wait(struct cp_claim *c)
{
	smp_cond_load_acquire(&c->taken, !VAL);	/* cp_claim_drop() */
}

/* Borrow one claim: announce, interrupt, wait.  Caller holds cp_borrow_lock. */
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
 * Is the CPU isolated from the kernel's everyday work (isolcpus=, nohz_full=,
 * an isolated cpuset)?  Isolated CPUs are interrupted only when a user asks for
 * it, or when memory is short.
 */
bool cp_claim_isolated(int cpu)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_claim_isolated, cpu);
	return cp_cpu_isolated(cpu);
}
