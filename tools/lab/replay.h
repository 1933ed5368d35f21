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

/* Where a block went; pages are numbered within their size class. */
struct replay_placement {
	u32 id;
	u32 page;
	u32 slot;
};

struct replay {
	struct xarray blocks;		/* ID: the block, while it is live */
	struct xarray pages;		/* pfn: the number of a cache's page */
	struct xarray placements;	/* in chunks */
	unsigned long nr;		/* placements */
	u32 next_page[PAGE_SIZE / 8 + 1];	/* by class size / 8 */
	u32 next_block[CURPAGE_MAX_ORDER + 1];	/* page blocks, by order */

	/* What the tracepoint said during the allocation at hand. */
	bool listening;
	bool fresh;			/* a page came from S1 */
	unsigned long fresh_pfn;

	/* The line at hand; len counts on when text is full. */
	unsigned long line;
	size_t len;
	char text[REPLAY_LINE_MAX + 1];

	/* Told after each event of a block's size, if anybody asks. */
	void (*watch)(struct replay *r, size_t size, bool alloc);
	char error[REPLAY_ERROR];	/* why the last call failed */
};

void replay_init(struct replay *r);
int replay_feed(struct replay *r, const char *buf, size_t len);
int replay_end(struct replay *r);
void replay_refilled(struct replay *r, unsigned long pfn, unsigned int source);
const struct replay_placement *replay_placement(struct replay *r,
						unsigned long nr);
void replay_reset(struct replay *r);
void replay_exit(struct replay *r);

#endif /* REPLAY_H */
