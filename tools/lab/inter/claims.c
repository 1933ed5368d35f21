// SPDX-License-Identifier: GPL-2.0
/*
 * Actors that use bare claims, to try every order in which a CPU stands in for
 * several owners at a time.  As in mm/, the compiler's hooks make each access a
 * step.
 */
#include "inter.h"

/* Owners of the claims. */
static const int inter_owner[INTER_CLAIMS] = { 0, 0, 1 };

static struct inter_owned {
	struct cp_claim claim;
	unsigned int used;	/* plain count, by holders */
} inter_owned[INTER_CLAIMS];

/* Use a claim as its owner.  Return: false if it could not be taken. */
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

/* Stand in for the owners of all claims from index from on. */
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

/* Return: uses of all claims.  No claim may be held any more. */
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
