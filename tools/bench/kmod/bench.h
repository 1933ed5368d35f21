/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What curpage and the kernel's own allocators cost, measured alike.
 *
 * Each case has one loop for curpage, the same loop for its peer, and the same
 * loop around nothing, to show what the loop itself takes.
 */
#ifndef CB_BENCH_H
#define CB_BENCH_H

#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/types.h>

struct curpage_cache;

/* The loops run with interrupts off. */
#define CB_GFP		GFP_ATOMIC

/* A cache merged with others would serve, and find, their objects. */
#ifdef SLAB_NO_MERGE
#define CB_SLAB_FLAGS	SLAB_NO_MERGE
#else
/* Before 6.5: a cache that kmemleak ignores is not merged, nor changed else. */
#define CB_SLAB_FLAGS	SLAB_NOLEAKTRACE
#endif

enum cb_side {
	CB_CURPAGE,
	CB_PEER,
	CB_EMPTY,
	CB_NR_SIDES
};

/**
 * struct cb_work - what a loop works on
 * @curpage: of curpage
 * @slub: the peer's, of the same size
 * @n: how many blocks a turn of the loop has live together
 * @objs: room for @n blocks
 * @order: the numbers below @n in random order
 */
struct cb_work {
	struct curpage_cache *curpage;
	struct kmem_cache *slub;
	unsigned int n;
	void **objs;
	unsigned int *order;
};

/* Returns 0, or the number of turns that were not done for want of memory. */
typedef unsigned int (*cb_loop)(struct cb_work *w, unsigned int turns);

/**
 * struct cb_case - a row of the table
 * @name: a group and a number, "pair/64"
 * @size: of the objects of both caches; 0 when the case has none
 * @n: see &struct cb_work
 * @turns: of the loop in one measurement, times the parameter scale
 * @loop: for each side
 * @run: measures in another way than cb_measure(); else NULL
 * @named: only when the user names it
 */
struct cb_case {
	const char *name;
	unsigned int size;
	unsigned int n;
	unsigned int turns;
	cb_loop loop[CB_NR_SIDES];
	int (*run)(const struct cb_case *c);
	bool named;
};

/* Each ends with an empty one. */
extern const struct cb_case cb_unit_cases[];
extern const struct cb_case cb_object_cases[];
extern const struct cb_case cb_size_cases[];
extern const struct cb_case cb_pages_cases[];
extern const struct cb_case cb_mixed_cases[];
extern const struct cb_case cb_flat_cases[];
extern const struct cb_case cb_remote_cases[];

/* Parameters, see main.c. */
extern unsigned int cb_rounds;
extern unsigned int cb_scale;
extern unsigned int cb_live;

/* measure.c */
int cb_measure(const struct cb_case *c);
int cb_work_init(struct cb_work *w, const struct cb_case *c);
void cb_work_exit(struct cb_work *w);
void cb_shuffle(struct cb_work *w);
int cb_time(cb_loop loop, struct cb_work *w, unsigned int turns, u64 *ticks);
void cb_show(const char *name, unsigned int round, u64 blocks,
	     const u64 ticks[CB_NR_SIDES]);

#endif /* CB_BENCH_H */
