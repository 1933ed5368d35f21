// SPDX-License-Identifier: GPL-2.0
/*
 * A store that only its own CPU sees yet: why a claim needs an interrupt.
 *
 * In cases that say so, each WRITE_ONCE() of a byte, such as a claim is made of,
 * stays with its CPU until that CPU makes another marked write or an atomic
 * operation, is interrupted for a call, or its actor ends.  Memory holds what the
 * CPU that runs sees; what it has not told is taken out when another one runs.
 * No other store is late, so this shows that the interrupt is needed and enough
 * for claims, and nothing more.
 */
#include "inter.h"

static struct inter_store {
	u8 *addr;		/* NULL for none */
	u8 all_see, cpu_sees;
} inter_stores[LAB_CPUS];

static int inter_view = -1;	/* the CPU whose view is in memory */

/* -1: what all see. */
void inter_look_from(int cpu)
{
	struct inter_store *s;

	if (inter_view >= 0 && inter_stores[inter_view].addr) {
		s = &inter_stores[inter_view];
		s->cpu_sees = *s->addr;
		*s->addr = s->all_see;
	}
	inter_view = cpu;
	if (cpu >= 0 && inter_stores[cpu].addr) {
		s = &inter_stores[cpu];
		*s->addr = s->cpu_sees;
	}
}

/* All see now what the CPU has stored. */
void inter_tell(int cpu)
{
	struct inter_store *s = &inter_stores[cpu];

	if (s->addr && cpu != inter_view)
		*s->addr = s->cpu_sees;
	s->addr = NULL;
}

/* The CPU that runs is about to write to a byte. */
void inter_store_late(void *addr)
{
	struct inter_store *s = &inter_stores[inter_view];

	if (s->addr == addr)
		return;
	inter_tell(inter_view);
	s->addr = addr;
	s->all_see = *s->addr;
}

/* What its next step may make all see as well. */
const char *inter_untold(int cpu)
{
	return (char *)inter_stores[cpu].addr;
}
