// SPDX-License-Identifier: GPL-2.0
/*
 * The stocks of all CPUs: sets their bounds, counts and drains them.
 *
 * The parameter stock is a number of pages.  A stock holds at most that many
 * pages of each order, and at most CP_STOCK_BLOCKS blocks of each order.  If a
 * block alone is larger than that, the stock holds one.
 */
#include "base/kernel.h"
#include "arena/stock.h"

DEFINE_PER_CPU(struct cp_stock, cp_stocks);
u8 cp_stock_limit[CP_STOCK_ORDERS] __ro_after_init;

/*
 * Set the bound of each stock, in pages of each order.  With 0 nothing is kept.
 */
void __init cp_stock_init(unsigned int pages)
{
	unsigned int order;

	for (order = 0; pages && order < CP_STOCK_ORDERS; order++)
		cp_stock_limit[order] = clamp(pages >> order, 1U,
					      (unsigned int)CP_STOCK_BLOCKS);
}

/* Add up what all stocks have and have counted.  Racy: their CPUs go on. */
void cp_stock_get_sum(struct cp_stock_sum *sum)
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

/* Count the pages in the stock of a CPU.  Racy: the CPU goes on. */
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

	cp_stock_get_sum(&sum);
	return sum.pages;
}

/*
 * Move all blocks of a stock to a list, for the arena.  Caller has claimed the
 * stock.
 */
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

/*
 * Drain the stock of a CPU to the arena.  May sleep.  Return: the pages that
 * went on to the system.
 */
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

/*
 * Count the blocks that a stock has handed out and taken in since the start.
 * Racy.
 */
static unsigned long cp_stock_active(const struct cp_stock *s)
{
	unsigned long active = cp_peek(s->stat[CP_STOCK_FREE]);
	unsigned int order;

	for (order = 0; order < CP_STOCK_ORDERS; order++)
		active += cp_peek(s->alloc[order]);
	return active;
}

/* Check whether a stock has a block.  Racy: its CPU goes on. */
bool cp_stock_any(struct cp_stock *s)
{
	unsigned int order;

	for (order = 0; order < CP_STOCK_ORDERS; order++)
		if (cp_peek(s->nr[order]))
			return true;
	return false;
}

/*
 * Check whether a stock has a block and was not used since the last call.
 * Racy: its CPU goes on.
 */
bool cp_stock_idle(struct cp_stock *s)
{
	unsigned long active = cp_stock_active(s);
	bool idle = active == s->seen && cp_stock_any(s);

	s->seen = active;
	return idle;
}

/*
 * Drain the stocks of all CPUs to the arena, with one round of interrupts.  May
 * sleep.  Return: the pages that went on to the system.
 */
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
 * Take a block after the arena had none: drain all stocks and try the arena
 * once more.  A request that may sleep does so if there is anything in stock,
 * one with __GFP_NOFAIL always.  Any other request fails.
 *
 * Return: the block, or NULL, which is counted as a failure.
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
