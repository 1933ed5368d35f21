// SPDX-License-Identifier: GPL-2.0
/*
 * Costs of a replay other than pages: page faults in a simulated memory,
 * storage efficiency, items visited, CPU time.  A trace does not say when a
 * block is referenced.  As in Brent (1984, section 7.3), each block is
 * referenced when it is allocated and just before it is freed.
 */
#include "lab.h"

/*
 * Items visited, as section 7.2 counts them: one for each item that is looked
 * at, taken from a linked list or put on a singly linked list, two for each
 * item put on a doubly linked list.  An allocation looks at the header of the
 * current page and takes a block.  A free puts a block on its page, which it
 * finds by the address.  list.h counts the items put on doubly linked lists.  A
 * page that becomes current counts as looked at.
 */
#define LAB_ITEMS_ALLOC	2
#define LAB_ITEMS_FREE	1
#define LAB_ITEMS_ADDED	2

u64 lab_items(u64 allocs, u64 frees, u64 refills)
{
	struct cp_fit_sum fit;

	/* First fit counts its items itself. */
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

/* Called after each request: add live bytes and pages in use to the sums. */
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

/* Take the totals at the end of the trace. */
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
