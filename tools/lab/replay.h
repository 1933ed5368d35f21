/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The replay of a trace: text in, allocations made, placements kept.  The lab
 * and the kernel module are built from the same replay_core.c.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <linux/curpage.h>

#define REPLAY_SIZE_MAX	(PAGE_SIZE << CURPAGE_MAX_ORDER)
#define REPLAY_LINE_MAX	80	/* bytes of a line that is no comment */
#define REPLAY_ERROR	200

/*
 * Where a block went: pages are numbered within their size class, page blocks
 * within their order, and runs of first fit among themselves; the slot in a run
 * is in units of REPLAY_UNIT bytes.
 */
struct replay_placement {
	u32 id;
	u32 page;
	u32 slot;
};

#define REPLAY_UNIT	8

/* 2^order pages from this one on; order is -1 where there are none. */
struct replay_pages {
	unsigned long pfn;
	int order;
};

/* What can happen to a block. */
struct replay_event {
	bool alloc;
	u32 id;
	unsigned int size;		/* of an allocation */
};

struct replay {
	struct xarray blocks;		/* ID: the block, while it is live */
	struct xarray pages;		/* pfn: a cache's page, or one of a run */
	struct xarray placements;	/* in chunks */
	bool keep;			/* placements are asked for */
	unsigned long nr;		/* placements */
	unsigned long events;		/* requests made */
	unsigned long size_max;		/* of a block */
	u32 next_page[PAGE_SIZE + 1];	/* by class size */
	u32 next_block[CURPAGE_MAX_ORDER + 1];	/* page blocks, by order */

	u32 next_run;

	/* What the tracepoints said during the request at hand. */
	bool listening;
	bool fresh;			/* a page came from S1 */
	unsigned long fresh_pfn;
	struct replay_pages run;	/* first fit took them */
	struct replay_pages gone;	/* first fit gave them back */

	/*
	 * The line at hand when it is cut, bad, or written in an unusual way;
	 * len counts on when text is full.
	 */
	unsigned long line;
	size_t len;
	char text[REPLAY_LINE_MAX + 1];

	/*
	 * If anybody asks: the sort of a block that is live, as a number of the
	 * asker's, and that after each event.
	 */
	unsigned int (*sort)(struct replay *r, const void *block);
	void (*watch)(struct replay *r, unsigned int sort, bool alloc);
	/*
	 * Takes the events instead of the allocator; 0, or an error with why set.
	 */
	int (*take)(struct replay *r, const struct replay_event *e);
	/* Makes the same request of somebody else; 0 or -ENOMEM. */
	int (*also)(struct replay *r, const struct replay_event *e);
	const char *why;		/* a request failed, until it is said */
	char error[REPLAY_ERROR];	/* why the last call failed */
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
