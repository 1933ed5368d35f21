/* SPDX-License-Identifier: GPL-2.0 */
/* Work of one task on the heaps and stocks of all CPUs. */
#ifndef CP_BORROW_H
#define CP_BORROW_H

#include "arena/stock.h"
#include "heap/heap.h"

enum cp_round_cpus {
	CP_EVERY_CPU,
	CP_HOUSEKEEPING,	/* all but those of cp_claim_isolated() */
	CP_ISOLATED,		/* those of cp_claim_isolated() */
};

/*
 * Move pages of a heap to a list, for the arena.  Return: true if there are
 * more.
 */
typedef bool cp_some_fn(struct cp_heap *h, struct list_head *release);

/*
 * A round through the heaps and stocks of CPUs that interrupts each CPU at most
 * once.  heap() and stock() are called once for each heap and stock, and tell
 * whether it needs a visit.  A visit calls some() for the heap until it returns
 * false, and empties the stock.
 */
struct cp_round {
	struct curpage_cache *cache;	/* its heaps; NULL: of all caches */
	enum cp_round_cpus cpus;
	bool try;			/* do not wait for cp_borrow_lock */
	int next;			/* CPU; CP_SIDE: side heaps first */
	bool (*heap)(struct cp_heap *h);
	bool (*stock)(struct cp_stock *s);	/* NULL: visit no stock */
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
