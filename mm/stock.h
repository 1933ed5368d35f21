/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stock of a CPU: page blocks of small orders that came back, to be handed
 * out again without the arena.  A CPU claims its stock as it claims a heap
 * (claim.h).  An interrupt that finds the stock taken goes to the arena.
 */
#ifndef CP_STOCK_H
#define CP_STOCK_H

#define CP_STOCK_ORDERS	7	/* orders 0 to 6 */
#define CP_STOCK_BLOCKS	8	/* blocks of an order, at most */

struct cp_stock {
	struct cp_claim claim;		/* of all fields below */
	u8 nr[CP_STOCK_ORDERS];
	unsigned long alloc[CP_STOCK_ORDERS];	/* CP_STOCK_ALLOC by order */
	unsigned long stat[CP_NR_STOCK_STATS];
	struct cp_page *block[CP_STOCK_ORDERS][CP_STOCK_BLOCKS];
	unsigned long seen;		/* cp_stock_active() at the last look */
};

DECLARE_PER_CPU(struct cp_stock, cp_stocks);
extern u8 cp_stock_limit[CP_STOCK_ORDERS];

/*
 * Take a block from the stock of this CPU.  Return: NULL if the stock has none
 * of this order, or is taken.
 */
static __always_inline struct cp_page *cp_stock_pop(unsigned int order)
{
	struct cp_page *p = NULL;
	struct cp_stock *s;

	if (order >= CP_STOCK_ORDERS)
		return NULL;
	preempt_disable();
	s = this_cpu_ptr(&cp_stocks);
	if (likely(cp_claim_try(&s->claim))) {
		unsigned int nr = s->nr[order];

		if (likely(nr)) {
			p = s->block[order][nr - 1];
			s->nr[order] = nr - 1;
			s->alloc[order]++;
			cp_page_set_lent(p, order);
		}
		cp_claim_drop(&s->claim);
	}
	preempt_enable();
	return p;
}

/*
 * Put a block into the stock of this CPU.  The caller has claimed the block as
 * CP_STOCK.  Return: false if there is no room, or the stock is taken.
 */
static __always_inline bool cp_stock_push(struct cp_page *p, unsigned int order)
{
	struct cp_stock *s;
	bool done = false;

	if (order >= CP_STOCK_ORDERS)
		return false;
	preempt_disable();
	s = this_cpu_ptr(&cp_stocks);
	if (likely(cp_claim_try(&s->claim))) {
		unsigned int nr = s->nr[order];

		if (likely(nr < cp_stock_limit[order])) {
			s->block[order][nr] = p;
			s->nr[order] = nr + 1;
			s->stat[CP_STOCK_FREE]++;
			done = true;
		}
		cp_claim_drop(&s->claim);
	}
	preempt_enable();
	return done;
}

#endif /* CP_STOCK_H */
