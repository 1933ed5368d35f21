// SPDX-License-Identifier: GPL-2.0
/*
 * Late stores, which only their own CPU sees: the reason why a claim needs an
 * interrupt.
 *
 * In cases marked late, a WRITE_ONCE() of a byte stays with its CPU until this
 * CPU makes another marked write or an atomic operation, is interrupted for a
 * call, or its actor ends.  The flags of a claim are such bytes.  Memory holds
 * what the running CPU sees: its late store is taken out while another CPU
 * runs.  As no other store is late, this shows only that claims need the
 * interrupt, and that it is enough for them.
 */
#include "inter.h"

static struct inter_store {
	u8 *addr;		/* NULL: none */
	u8 all_see, cpu_sees;
} inter_stores[LAB_CPUS];

static int inter_view = -1;	/* the CPU whose view is in memory */

/* Show memory as a CPU sees it; -1: as all see it. */
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

/* Publish the late store of a CPU. */
void inter_tell(int cpu)
{
	struct inter_store *s = &inter_stores[cpu];

	if (s->addr && cpu != inter_view)
		*s->addr = s->cpu_sees;
	s->addr = NULL;
}

/* Make the coming store to a byte a late one of the running CPU. */
void inter_store_late(void *addr)
{
	struct inter_store *s = &inter_stores[inter_view];

	if (s->addr == addr)
		return;
	inter_tell(inter_view);
	s->addr = addr;
	s->all_see = *s->addr;
}

/* Return: the address of the late store of a CPU, or NULL. */
const char *inter_untold(int cpu)
{
	return (char *)inter_stores[cpu].addr;
}
