/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A claim decides, without a lock, who uses what belongs to one CPU, a heap or
 * a stock: the CPU itself, or a task that stands in for it, the borrower.
 *
 * The CPU itself enters with preemption disabled.  It checks whether it is
 * inside already: then the caller is an interrupt that landed inside, and takes
 * another path.  It stores taken, and checks whether a borrower wants the
 * claim.  None of these accesses is an atomic operation, and all of them are to
 * its own cache line.
 *
 * A borrower stores wanted first, and then makes the CPU pass a full barrier,
 * by an interrupt that does nothing:
 *
 *	the CPU				the borrower
 *	taken = 1			wanted = 1
 *	(compiler barrier)		interrupt on the CPU, waited for
 *	wanted? then out again		taken? then wait until it is not
 *
 * The interrupt has nothing to do with any one claim.  So a borrower of many
 * claims, of many CPUs, sets wanted in all of them, interrupts all of the CPUs
 * once, and then waits for and uses one claim after the other.
 *
 * An interrupt comes before or after the store to taken.  Before: then the
 * CPU's load of wanted comes after the interrupt, and sees the borrower's
 * store.  After: then the borrower sees the store to taken once it has waited
 * for the interrupt.  So at least one of the two sees the other.  While a claim
 * is wanted, the CPU takes the other path, whatever that costs: no CPU waits
 * for a borrower.  Nobody is preempted while inside, so the borrower's wait for
 * taken is short.
 *
 * Only the CPU writes taken, so its own load of taken needs no READ_ONCE(); the
 * barrier in preempt_disable() makes it a fresh one.  What was written inside
 * is visible to whoever enters next: taken and wanted are reset by
 * store-release and loaded by load-acquire.
 */
#ifndef CP_CLAIM_H
#define CP_CLAIM_H

#include "base/base.h"

struct cp_claim {
	u8 taken;		/* 1: the CPU is inside; written by it alone */
	union {
		struct {
			u8 closed;	/* no fast path; the holder writes it */
			u8 wanted;	/* written by the borrower */
		};
		u16 barred;	/* closed and wanted, for one load */
	};
};

/*
 * What sparse counts: a function that drops a claim of its caller says so.  A
 * condition that is true only with a claim taken is a cp_claimed_if().  Stocks
 * are not counted: sparse loses count in what they are inlined into.
 */
#ifdef __CHECKER__
#define __cp_unclaims		__attribute__((context(claim, 1, 0)))
#define __cp_claim_count(n)	__context__(n)
#else
#define __cp_unclaims
#define __cp_claim_count(n)	((void)(n))
#endif
#define cp_claimed_if(taken)	((taken) ? ({ __cp_claim_count(1); true; }) : false)

static __always_inline void cp_claim_clear(struct cp_claim *c)
{
	smp_store_release(&c->taken, 0);	/* cp_claim_wait() */
}

static __always_inline void cp_claim_drop(struct cp_claim *c)
	__cp_unclaims
{
	__cp_claim_count(-1);
	cp_claim_clear(c);
}

/*
 * Claim what belongs to this CPU.  Called with preemption disabled.
 *
 * Return: true if the caller has the claim, false if it has to take another
 * path.
 */
static __always_inline bool __cp_claim_try(struct cp_claim *c)
{
	/* Races only with interrupts of this CPU, which restore taken. */
	if (unlikely(data_race(c->taken)))
		return false;
	WRITE_ONCE(c->taken, 1);
	barrier();
	if (likely(!smp_load_acquire(&c->wanted)))	/* cp_claim_return() */
		return true;
	cp_claim_clear(c);
	return false;
}

/*
 * Claim what belongs to this CPU for the fast path, which needs a heap that is
 * not closed, too.  Called with preemption disabled.  closed and wanted are
 * compared in memory by one instruction, which READ_ONCE() would not allow.
 *
 * Return: as cp_claim_try().
 */
static __always_inline bool __cp_claim_try_fast(struct cp_claim *c)
{
	/* Races only with interrupts of this CPU, which restore taken. */
	if (unlikely(data_race(c->taken)))
		return false;
	WRITE_ONCE(c->taken, 1);
	barrier();
	/* Races with a borrower: the top of this file proves it harmless. */
	if (likely(!data_race(c->barred))) {
		smp_acquire__after_ctrl_dep();	/* cp_claim_return() */
		return true;
	}
	cp_claim_clear(c);
	return false;
}

#define cp_claim_try(c)		cp_claimed_if(__cp_claim_try(c))
#define cp_claim_try_fast(c)	cp_claimed_if(__cp_claim_try_fast(c))

/* claim.c: how others than its CPU get at what belongs to it. */
extern struct mutex cp_borrow_lock;

DECLARE_PER_CPU(unsigned long, cp_claim_interrupts);

void cp_claim_want(struct cp_claim *c, int cpu);
void cp_claim_call(void);
void cp_claim_wait(struct cp_claim *c);
void cp_claim_borrow(struct cp_claim *c, int cpu);
void cp_claim_return(struct cp_claim *c);
bool cp_claim_isolated(int cpu);

#endif /* CP_CLAIM_H */
