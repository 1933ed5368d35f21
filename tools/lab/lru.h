/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paging as Brent (1984, section 3) simulates it: the least recently used page
 * leaves.  One pass serves several working sets, because the smaller of two
 * sets is always the front part of the larger set's list.
 */
#ifndef LAB_LRU_H
#define LAB_LRU_H

#include "options.h"

#define SIM_SETS	4

/* The row of an option for working sets. */
#define SIM_WORKING_SET(LRU, HELP)					\
	LAB_LIST("working-set", "N,...", (LRU).size, (LRU).nr, 1, 1 << 20, \
		 HELP, .unit = "pages", .rising = true)

struct sim_lru_page {
	u32 next, prev;		/* page number plus 1; 0 is the list head */
	u8 zone;		/* working sets without it, plus 1; 0: new */
};

struct sim_lru {
	struct sim_lru_page *page;	/* by page number plus 1 */
	unsigned int nr;		/* working sets, the smallest first */
	u32 size[SIM_SETS];		/* in pages */
	u32 last[SIM_SETS];		/* the last page in each, or 0 */
	u32 pages;			/* referenced so far */
	u64 refs;
	u64 faults[SIM_SETS];
};

bool sim_lru_init(struct sim_lru *l, unsigned long max_pages);
void sim_lru_exit(struct sim_lru *l);
void sim_lru_miss(struct sim_lru *l, u32 p);
void sim_lru_json(const struct sim_lru *l, FILE *to);

/* Count a reference to memory on this page. */
static inline void sim_lru_touch(struct sim_lru *l, unsigned long pfn)
{
	l->refs++;
	if (l->page[0].next != pfn + 1)
		sim_lru_miss(l, pfn + 1);
}

#endif /* LAB_LRU_H */
