/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A claim: who may use what belongs to one CPU, without a lock.
 *
 * The CPU itself goes in with preemption disabled: it looks whether it is in
 * there already (an interrupt has landed inside; the interrupt then takes
 * another way), says that it is, and looks whether somebody wants to stand in
 * for it.  All of that are plain loads and stores of its own cache line.
 *
 * Who stands in says so first and has the CPU pass a full barrier, by an
 * interrupt that does nothing:
 *
 *	the CPU				who stands in
 *	taken = 1			wanted = 1
 *	(compiler barrier)		interrupt on the CPU, waited for
 *	wanted? then out again		taken? then wait until it is not
 *
 * The interrupt has nothing to do with any one claim.  So a task that stands in
 * for many CPUs, with many claims of each, sets wanted in all of them, has all
 * CPUs interrupted once, and then waits for and uses one claim after the other.
 *
 * An interrupt comes before or after the store to taken.  Before: then the CPU's
 * look at wanted comes after the interrupt, and sees it.  After: then the store
 * to taken is seen once the interrupt has been waited for.  So of the two one
 * sees the other.  While it is wanted, the CPU takes the other way, whatever
 * that costs; nothing waits for who stands in.  Nobody can be preempted while
 * inside, so the wait for taken is short.
 *
 * Nobody but the CPU writes taken, so its own look at it needs no READ_ONCE();
 * the barrier that comes with disabling preemption makes it a fresh one.  What
 * was written inside is seen by the next to come in: taken and wanted are
 * reset by store-release and looked at by load-acquire.
 */
#ifndef CP_CLAIM_H
#define CP_CLAIM_H

struct cp_claim {
	u8 taken;		/* by the CPU; written by it alone */
	union {
		struct {
			u8 closed;	/* not for the fast path; as taken */
			u8 wanted;	/* by who stands in */
		};
		u16 barred;	/* both, for one look */
	};
};

static __always_inline void cp_claim_drop(struct cp_claim *c)
{
	smp_store_release(&c->taken, 0);	/* cp_claim_borrow() */
}

/* With preemption disabled.  False: take another way. */
static __always_inline bool cp_claim_try(struct cp_claim *c)
{
	/* Races with nothing but interrupts of this CPU, which leave it as it was. */
	if (unlikely(data_race(c->taken)))
		return false;
	WRITE_ONCE(c->taken, 1);
	barrier();
	if (likely(!smp_load_acquire(&c->wanted)))	/* cp_claim_return() */
		return true;
	cp_claim_drop(c);
	return false;
}

/*
 * The same for the fast path, which has to find all as it expects it.  The second
 * look is one comparison with memory, which READ_ONCE() would not be.
 */
static __always_inline bool cp_claim_try_fast(struct cp_claim *c)
{
	/* Races with nothing but interrupts of this CPU, which leave it as it was. */
	if (unlikely(data_race(c->taken)))
		return false;
	WRITE_ONCE(c->taken, 1);
	barrier();
	/* Races with a task that stands in; the top of this file says why it may. */
	if (likely(!data_race(c->barred))) {
		smp_acquire__after_ctrl_dep();	/* cp_claim_return() */
		return true;
	}
	cp_claim_drop(c);
	return false;
}

#endif /* CP_CLAIM_H */
