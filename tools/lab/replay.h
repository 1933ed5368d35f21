/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replay a trace: read its text, make its requests, keep the placements.  The
 * lab and the kernel module are both built from replay_core.c.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <linux/curpage.h>

#define REPLAY_SIZE_MAX	(PAGE_SIZE << CURPAGE_MAX_ORDER)
#define REPLAY_LINE_MAX	80	/* bytes of a line, except comments */
#define REPLAY_ERROR	200

/*
 * Where a block lies.  Pages are numbered by size class, page blocks by order,
 * runs of first fit by themselves.  The slot in a run is in units of
 * REPLAY_UNIT bytes.
 */
struct replay_placement {
	u32 id;
	u32 page;
	u32 slot;
};

#define REPLAY_UNIT	8

/* 2^order pages from pfn on; none if order is -1. */
struct replay_pages {
	unsigned long pfn;
	int order;
};

/* A request. */
struct replay_event {
	bool alloc;
	u32 id;
	unsigned int size;		/* of an allocation */
};

struct replay {
	struct xarray blocks;		/* by ID: the block, while live */
	struct xarray pages;		/* by pfn: number of a page or run */
	struct xarray placements;	/* in arrays of REPLAY_CHUNK */
	bool keep;			/* keep placements */
	unsigned long nr;		/* placements */
	unsigned long events;		/* requests made */
	unsigned long size_max;		/* of a block */
	u32 next_page[PAGE_SIZE + 1];	/* by class size */
	u32 next_block[CURPAGE_MAX_ORDER + 1];	/* page blocks, by order */

	u32 next_run;

	/* What tracepoints reported during the current request. */
	bool listening;
	bool fresh;			/* a page came from S1 (the arena) */
	unsigned long fresh_pfn;
	struct replay_pages run;	/* taken by first fit */
	struct replay_pages gone;	/* given back by first fit */

	/*
	 * A line that came in parts, is bad, or has an unusual form.  len may
	 * exceed the size of text.
	 */
	unsigned long line;
	size_t len;
	char text[REPLAY_LINE_MAX + 1];

	/*
	 * Optional.  sort() gives a live block a number of the user's, which
	 * watch() gets after each event.
	 */
	unsigned int (*sort)(struct replay *r, const void *block);
	void (*watch)(struct replay *r, unsigned int sort, bool alloc);
	/* Serves events in place of the allocator.  0, or an error and why. */
	int (*take)(struct replay *r, const struct replay_event *e);
	/* Makes the same request elsewhere.  0 or -ENOMEM. */
	int (*also)(struct replay *r, const struct replay_event *e);
	const char *why;		/* the current request failed */
	char error[REPLAY_ERROR];	/* message of the last failed call */
};

void replay_init(struct replay *r);
int replay_feed(struct replay *r, const char *buf, size_t len);
int replay_end(struct replay *r);
void replay_refilled(struct replay *r, unsigned long pfn, unsigned int source);
void replay_run_taken(struct replay *r, unsigned long pfn, unsigned int order);
void replay_run_gone(struct replay *r, unsigned long pfn, unsigned int order);
const struct replay_placement *replay_placement(struct replay *r,
						unsigned long nr);
void replay_reset(struct replay *r);
void replay_exit(struct replay *r);

#endif /* REPLAY_H */
