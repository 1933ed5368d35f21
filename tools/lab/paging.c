// SPDX-License-Identifier: GPL-2.0
/*
 * What a replay costs beside pages: page faults in a simulated memory, storage
 * efficiency, items visited, time of the CPU.  A trace does not say when a block
 * is referenced: once when it is allocated and once just before it is freed, as
 * Brent (1984, section 7.3) takes it.
 */
#include "lab.h"

/*
 * Items visited, as section 7.2 counts them: one for each item looked at or taken
 * from a linked list or put on a singly linked one, two for one put on a doubly
 * linked one.  An allocation looks at the header of the current page and takes a
 * block; a free puts a block on its page, which it finds by the address and on no
 * list.  What is put on doubly linked lists is counted by the lab's list.h.  A page
 * that is chosen as the current one has been looked at, too.
 */
#define LAB_ITEMS_ALLOC	2
#define LAB_ITEMS_FREE	1
#define LAB_ITEMS_ADDED	2

u64 lab_items(u64 allocs, u64 frees, u64 refills)
{
	struct cp_fit_sum fit;

	/* First fit counts its own. */
	cp_fit_get_sum(&fit);
	return (allocs - fit.stat[CP_FIT_ALLOC]) * LAB_ITEMS_ALLOC +
	       (frees - fit.stat[CP_FIT_FREED]) * LAB_ITEMS_FREE +
	       refills + lab_list_adds * LAB_ITEMS_ADDED +
	       fit.stat[CP_FIT_VISITED];
}

bool lab_paging_start(struct lab_paging *p, const struct sim_lru *lru)
{
	p->lru = *lru;
	xa_init(&p->sizes);
	p->start = clock();
	return sim_lru_init(&p->lru, lab_pages());
}

/* After each request: what was asked for by live blocks, in how many pages. */
void lab_paging_event(struct lab_paging *p, const struct replay_event *e,
		      unsigned long pages)
{
	if (e->alloc) {
		p->asked_now += e->size;
		xa_store(&p->sizes, e->id, xa_mk_value(e->size), GFP_KERNEL);
	} else {
		p->asked_now -= xa_to_value(xa_erase(&p->sizes, e->id));
	}
	p->asked += p->asked_now;
	p->bytes += (double)pages * PAGE_SIZE;
}

/* The trace is over. */
void lab_paging_stop(struct lab_paging *p, const struct lab_class *total)
{
	const unsigned long *stat = total->stat;

	p->cpu = (double)(clock() - p->start) / CLOCKS_PER_SEC;
	p->items = lab_items(stat[CP_ALLOC], stat[CP_FREED],
			     stat[CP_REFILL_S1] + stat[CP_REFILL_S2] +
			     stat[CP_REFILL_S3]);
	p->allocs = stat[CP_ALLOC];
}

static double lab_ratio(double a, double b)
{
	return b ? a / b : 0;
}

void lab_paging_print(const struct lab_paging *p, FILE *to)
{
	unsigned int i;

	fprintf(to, "\npages_referenced %u\n", p->lru.pages);
	for (i = 0; i < p->lru.nr; i++)
		fprintf(to, "faults_%u %lu\n", p->lru.size[i],
			p->lru.faults[i]);
	fprintf(to, "efficiency %.4f\nitems_visited %.2f\ncpu_seconds %.2f\n",
		lab_ratio(p->asked, p->bytes), lab_ratio(p->items, p->allocs),
		p->cpu);
}

void lab_paging_json(const struct lab_paging *p, FILE *to)
{
	fputs(",\n \"paging\": ", to);
	sim_lru_json(&p->lru, to);
	fprintf(to, ",\n \"efficiency\": %.6f, \"items_visited\": %.4f, \"cpu_seconds\": %.3f",
		lab_ratio(p->asked, p->bytes), lab_ratio(p->items, p->allocs),
		p->cpu);
}

void lab_paging_end(struct lab_paging *p)
{
	xa_destroy(&p->sizes);
	sim_lru_exit(&p->lru);
}
