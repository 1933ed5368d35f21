// SPDX-License-Identifier: GPL-2.0
/*
 * Actors that use bare claims, so that every order of standing in for several
 * owners at a time can be tried.  This file has the compiler's hooks, as mm/ has:
 * each access is a step.
 */
#include "inter.h"

/* Two claims of CPU 0 and one of CPU 1. */
static const int inter_owner[INTER_CLAIMS] = { 0, 0, 1 };

static struct inter_owned {
	struct cp_claim claim;
	unsigned int used;	/* plainly, by whoever has the claim */
} inter_owned[INTER_CLAIMS];

/* By the owner; false: the claim was not to be had. */
bool inter_claim_use(unsigned int i)
{
	struct inter_owned *o = &inter_owned[i];
	bool done;

	preempt_disable();
	done = cp_claim_try(&o->claim);
	if (done) {
		o->used++;
		cp_claim_drop(&o->claim);
	}
	preempt_enable();
	return done;
}

/* Stand in for the owners of the claims from one on. */
void inter_claims_borrow(unsigned int from)
{
	unsigned int i;

	mutex_lock(&cp_borrow_lock);
	for (i = from; i < INTER_CLAIMS; i++)
		cp_claim_want(&inter_owned[i].claim, inter_owner[i]);
	cp_claim_call();
	for (i = from; i < INTER_CLAIMS; i++) {
		cp_claim_wait(&inter_owned[i].claim);
		inter_owned[i].used++;
		cp_claim_return(&inter_owned[i].claim);
	}
	mutex_unlock(&cp_borrow_lock);
}

void inter_claims_reset(void)
{
	memset(inter_owned, 0, sizeof(inter_owned));
}

/* How often all of them were used; nobody has one any more. */
unsigned int inter_claims_used(void)
{
	unsigned int i, used = 0;

	for (i = 0; i < INTER_CLAIMS; i++) {
		INTER_EXPECT(!inter_owned[i].claim.taken &&
			     !inter_owned[i].claim.wanted);
		used += inter_owned[i].used;
	}
	return used;
}
