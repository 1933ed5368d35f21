/* SPDX-License-Identifier: GPL-2.0 */
/* Heaps and stocks of all CPUs, whoever owns them. */
#ifndef CP_BORROW_H
#define CP_BORROW_H

#include "arena/stock.h"
#include "heap/heap.h"

enum cp_round_cpus {
	CP_EVERY_CPU,
	CP_HOUSEKEEPING,	/* but those that cp_claim_isolated() names */
	CP_ISOLATED,		/* those */
};

/* Moves pages of a heap to a list, for the arena; true when there are more. */
typedef bool cp_some_fn(struct cp_heap *h, struct list_head *release);

/*
 * A way through the heaps and stocks of CPUs that interrupts each CPU once at
 * most.  heap and stock say which of them need a visit; they are called once for
 * each.  some is done to such a heap until there is no more; a stock is emptied.
 */
struct cp_round {
	struct curpage_cache *cache;	/* its heaps; NULL: those of all caches */
	enum cp_round_cpus cpus;
	bool try;			/* never sleep */
	int next;			/* CPU; CP_SIDE: side heaps come first */
	bool (*heap)(struct cp_heap *h);
	bool (*stock)(struct cp_stock *s);	/* or NULL: no stock does */
	cp_some_fn *some;
};

bool cp_round_step(struct cp_round *r, unsigned long *pages);
unsigned long cp_round_run(struct cp_round *r);
void cp_cache_each_heap(struct curpage_cache *cache,
			void (*fn)(struct cp_heap *h, void *data), void *data);
bool cp_drain_some(struct cp_heap *h, struct list_head *release);
bool cp_heap_gains(struct cp_heap *h);
unsigned long cp_heap_give_back(struct cp_heap *h);
unsigned long cp_cache_drain(struct curpage_cache *cache);
void cp_cache_dismiss(struct curpage_cache *cache);

#endif /* CP_BORROW_H */
