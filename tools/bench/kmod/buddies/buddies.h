/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads of page blocks, the same through curpage and through the kernel's own
 * page allocator.  What is measured is the requests and nothing else; where the
 * clock counts instructions, exactly these.
 */
#ifndef BB_BUDDIES_H
#define BB_BUDDIES_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/types.h>

/*
 * Interrupts are off and nothing may be waited for, nor woken: with the page
 * allocator's memory all but taken, its helpers would find no end of work.
 */
#define BB_GFP		(__GFP_NOWARN)

#define BB_CHUNK_ORDER	10	/* the largest that the page allocator has */
#define BB_LARGE_ORDER	9
#define BB_PHASES	8

/* Who serves the requests. */
struct bb_side {
	const char *name;
	struct page *(*alloc)(unsigned int order);
	void (*free)(struct page *page, unsigned int order);
	bool bounded;		/* by itself; else its memory is taken from it */
};

/* A part of a load. */
struct bb_phase {
	const char *name;
	unsigned int requests;
	unsigned int failed;
	u64 ticks;
	u64 worst;		/* of one request */
};

struct bb_block {
	struct page *page;	/* NULL when it is not live */
	unsigned int order;
};

/**
 * struct bb_run - a load at work
 * @side: who serves it
 * @pages: what it may have
 * @nr: of @block in use
 * @block: room for @pages blocks, or as many as there are events
 * @nr_phases: of @phase begun
 * @phase: their figures
 */
struct bb_run {
	const struct bb_side *side;
	unsigned int pages;
	unsigned int nr;
	struct bb_block *block;
	unsigned int nr_phases;
	struct bb_phase phase[BB_PHASES];
};

/* A load: prepare and finish with interrupts on and may be missing. */
struct bb_load {
	const char *name;
	int (*prepare)(struct bb_run *run);
	int (*work)(struct bb_run *run);
	void (*finish)(struct bb_run *run);
};

extern const struct bb_load bb_events;
extern const struct bb_load bb_checkerboard;
extern const struct bb_load bb_checkerboard2;
extern const struct bb_load bb_lifetimes;
extern const struct bb_load bb_random;
extern const struct bb_load bb_apart;

/* Parameters, see main.c. */
extern char *bb_events_path;

/* side.c */
const struct bb_side *bb_side_find(const char *name);
void bb_calibrate(void);
void bb_begin(struct bb_run *run, const char *phase);
struct page *bb_alloc(struct bb_run *run, unsigned int order);
void bb_free(struct bb_run *run, struct bb_block *block);
unsigned int bb_largest(const struct bb_side *side);
void bb_hold_all_but(unsigned int pages);
void bb_hold_none(void);

/* main.c */
void bb_drop(struct bb_run *run);

#endif /* BB_BUDDIES_H */
