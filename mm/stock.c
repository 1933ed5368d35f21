// SPDX-License-Identifier: GPL-2.0
/*
 * The stocks of all CPUs: bounded, counted, and drained.  What is in them is
 * bounded by a parameter, so many pages of each order and at most
 * CP_STOCK_BLOCKS blocks; a block that is larger than that has room for one.
 */
#include "kernel.h"
#include "internal.h"
#include "stock.h"

DEFINE_PER_CPU(struct cp_stock, cp_stocks);
u8 cp_stock_limit[CP_STOCK_ORDERS] __ro_after_init;

/* So many pages of each order; none at all for 0. */
void __init cp_stock_init(unsigned int pages)
{
	unsigned int order;

	for (order = 0; pages && order < CP_STOCK_ORDERS; order++)
		cp_stock_limit[order] = clamp(pages >> order, 1U,
					      (unsigned int)CP_STOCK_BLOCKS);
}

/* What the stocks have and have counted; their CPUs go on meanwhile. */
void cp_stock_sum(struct cp_stock_sum *sum)
{
	unsigned int order, i;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);

		for (order = 0; order < CP_STOCK_ORDERS; order++) {
			unsigned long nr = cp_peek(s->nr[order]);

			sum->blocks[order] += nr;
			sum->pages += nr << order;
			sum->alloc[order] += cp_peek(s->alloc[order]);
			sum->stat[CP_STOCK_ALLOC] += cp_peek(s->alloc[order]);
		}
		for (i = 0; i < CP_NR_STOCK_STATS; i++)
			sum->stat[i] += cp_peek(s->stat[i]);
	}
}

/* Pages in the stock of a CPU, which goes on meanwhile. */
unsigned long cp_stock_pages_of(int cpu)
{
	const struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);
	unsigned long pages = 0;
	unsigned int order;

	for (order = 0; order < CP_STOCK_ORDERS; order++)
		pages += (unsigned long)cp_peek(s->nr[order]) << order;
	return pages;
}

unsigned long cp_stock_pages(void)
{
	struct cp_stock_sum sum;

	cp_stock_sum(&sum);
	return sum.pages;
}

/* Take all blocks out, for the arena.  Caller has the stock's claim. */
void cp_stock_empty(struct cp_stock *s, struct list_head *blocks)
{
	unsigned int order;

	for (order = 0; order < CP_STOCK_ORDERS; order++)
		while (s->nr[order]) {
			struct cp_page *p = s->block[order][--s->nr[order]];

			s->stat[CP_STOCK_DRAINED]++;
			list_add_tail(&p->list, blocks);
		}
}

/* Returns the pages that went on to the system. */
unsigned long cp_stock_drain_cpu(int cpu)
{
	struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);
	LIST_HEAD(blocks);

	mutex_lock(&cp_borrow_lock);
	cp_claim_borrow(&s->claim, cpu);
	cp_stock_empty(s, &blocks);
	cp_claim_return(&s->claim);
	mutex_unlock(&cp_borrow_lock);
	return cp_arena_give(&cp_arena, &blocks);
}

/* What was done with a stock, as a number that grows. */
static unsigned long cp_stock_active(const struct cp_stock *s)
{
	unsigned long active = cp_peek(s->stat[CP_STOCK_FREE]);
	unsigned int order;

	for (order = 0; order < CP_STOCK_ORDERS; order++)
		active += cp_peek(s->alloc[order]);
	return active;
}

/* Is there a block in the stock?  Racy: its CPU goes on. */
bool cp_stock_any(struct cp_stock *s)
{
	unsigned int order;

	for (order = 0; order < CP_STOCK_ORDERS; order++)
		if (cp_peek(s->nr[order]))
			return true;
	return false;
}

/* Likewise, and nothing was done with the stock since this was asked last? */
bool cp_stock_idle(struct cp_stock *s)
{
	unsigned long active = cp_stock_active(s);
	bool idle = active == s->seen && cp_stock_any(s);

	s->seen = active;
	return idle;
}

/* Those of all CPUs; returns the pages that went on to the system. */
unsigned long cp_stock_drain(void)
{
	LIST_HEAD(blocks);
	int cpu;

	mutex_lock(&cp_borrow_lock);
	for_each_possible_cpu(cpu) {
		struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);

		if (cp_stock_any(s))
			cp_claim_want(&s->claim, cpu);
	}
	cp_claim_call();
	for_each_possible_cpu(cpu) {
		struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);

		if (!s->claim.wanted)
			continue;
		cp_claim_wait(&s->claim);
		cp_stock_empty(s, &blocks);
		cp_claim_return(&s->claim);
	}
	mutex_unlock(&cp_borrow_lock);
	return cp_arena_give(&cp_arena, &blocks);
}

/*
 * Nothing is refused, if we may sleep, while there are blocks in stock, and
 * __GFP_NOFAIL is not refused at all.
 */
struct cp_page *cp_stock_take_back(struct cp_arena *a, gfp_t gfp,
				   unsigned int order, enum cp_page_kind kind)
{
	struct cp_page *p = NULL;

	if ((gfpflags_allow_blocking(gfp) && cp_stock_pages()) ||
	    gfp & __GFP_NOFAIL) {
		cp_stock_drain();
		p = cp_arena_take(a, gfp, order, kind);
	}
	if (!p)
		cp_arena_fail(a, order);
	return p;
}
