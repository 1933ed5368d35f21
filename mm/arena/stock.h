/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stock of a CPU: page blocks of small orders that came back, to be handed
 * out again without the arena.  A CPU claims its stock as it claims a heap
 * (claim.h).  An interrupt that finds the stock taken goes to the arena.
 */
#ifndef CP_STOCK_H
#define CP_STOCK_H

#include "arena/arena.h"
#include "arena/claim.h"

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
	if (likely(__cp_claim_try(&s->claim))) {
		unsigned int nr = s->nr[order];

		if (likely(nr)) {
			p = s->block[order][nr - 1];
			s->nr[order] = nr - 1;
			s->alloc[order]++;
			cp_page_set_lent(p, order);
		}
		cp_claim_clear(&s->claim);
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
	if (likely(__cp_claim_try(&s->claim))) {
		unsigned int nr = s->nr[order];

		if (likely(nr < cp_stock_limit[order])) {
			s->block[order][nr] = p;
			s->nr[order] = nr + 1;
			s->stat[CP_STOCK_FREE]++;
			done = true;
		}
		cp_claim_clear(&s->claim);
	}
	preempt_enable();
	return done;
}

struct cp_stock_sum {
	unsigned long blocks[CP_NR_ORDERS];
	unsigned long pages;
	unsigned long alloc[CP_NR_ORDERS];	/* CP_STOCK_ALLOC, by order */
	unsigned long stat[CP_NR_STOCK_STATS];
};

void cp_stock_init(unsigned int pages);
void cp_stock_get_sum(struct cp_stock_sum *sum);
unsigned long cp_stock_pages(void);
unsigned long cp_stock_pages_of(int cpu);
unsigned long cp_stock_drain(void);
struct cp_page *cp_stock_take_back(struct cp_arena *a, gfp_t gfp,
				   unsigned int order, enum cp_page_kind kind);
unsigned long cp_stock_drain_cpu(int cpu);

bool cp_stock_any(struct cp_stock *s);
bool cp_stock_idle(struct cp_stock *s);
void cp_stock_empty(struct cp_stock *s, struct list_head *blocks);

/*
 * As cp_arena_take(), and then with what is in stock, before a request that
 * cannot be refused goes past the bound.
 */
static inline struct cp_page *cp_stock_take(struct cp_arena *a, gfp_t gfp,
					    unsigned int order,
					    enum cp_page_kind kind)
{
	gfp_t first = unlikely(gfp & __GFP_NOFAIL) ?
		      (gfp & ~__GFP_NOFAIL) | __GFP_NOWARN : gfp;
	struct cp_page *p = cp_arena_take(a, first, order, kind);

	return likely(p) ? p : cp_stock_take_back(a, gfp, order, kind);
}

#endif /* CP_STOCK_H */
