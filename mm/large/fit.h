/* SPDX-License-Identifier: GPL-2.0 */
/*
 * First fit: a run of pages, and the blocks in it.
 *
 * A run is divided into units of CP_FIT_UNIT bytes.  A block is a number of
 * units: a header of 8 bytes, then the payload.  The payload starts at the
 * start of a unit, so it is aligned to one.  The blocks fill the run without
 * gaps from the first header to the last header, which ends the run:
 *
 *	| -  head | payload ... head | payload ... end |
 *	0   ^ unit 0			  ^ unit `units'
 *
 * What a search needs is kept outside of the run, by page: where the first
 * header of the page is, and how large the largest free block is that starts in
 * the page.
 */
#ifndef CP_FIT_H
#define CP_FIT_H

#include "cache/cache.h"
#include "large/large.h"

#define CP_FIT_UNIT	max_t(unsigned int, CP_UNIT, 8)
#define CP_FIT_HEAD	sizeof(union cp_fit_head)
#define CP_FIT_NONE	U16_MAX
#define CP_FIT_ALIGN_MAX 256	/* of cp_dma_align(); slack has 9 bits */

enum cp_fit_state {
	CP_FIT_FREE,
	CP_FIT_BUSY,	/* being allocated or freed */
	CP_FIT_LIVE,
	CP_FIT_END,
};

/*
 * A header that was overwritten does not match its sum, and is never followed.
 */
union cp_fit_head {
	u64 all;
	struct {
		u64 size:15;	/* in units, with this header */
		u64 prev:15;	/* units of the block before; 0: none */
		u64 slack:9;	/* bytes at the end not asked for */
		u64 state:2;
		u64 sum:23;
	};
};

struct cp_run {
	struct rb_node node;	/* in cp_fit.runs, by address */
	unsigned int largest;	/* largest free block here or below, in units */
	unsigned int order;
	unsigned int units;
	unsigned int damaged;	/* unit of a damaged header, or CP_FIT_NONE */
	bool lost;		/* given up: never read again */
	struct cp_page *page;
	void *base;
	unsigned long live;	/* blocks */
	unsigned long asked;	/* bytes asked for, of live blocks */
	unsigned long used;	/* units of live blocks */
	u16 *first;		/* first header of each page, or CP_FIT_NONE */
	u16 largest_of[];	/* tree of maxima over pages; root at 1 */
};

struct cp_fit {
	raw_spinlock_t lock;	/* of all fields below, and of all runs */
	struct rb_root runs;
	struct cp_run *empty;	/* run without a live block that is kept */
	unsigned long empty_pages;
	u64 key;
	unsigned long live;	/* sums over all runs that are not lost */
	unsigned long asked;
	unsigned long used;
	unsigned long units;
	unsigned long nr_runs;
	unsigned long pages;
	unsigned long lost_pages;
	unsigned long stat[CP_NR_FIT_STATS];
	unsigned long seen;	/* blocks come and gone at the last look */
};

extern struct cp_fit cp_fit;

static inline unsigned int cp_run_pages(const struct cp_run *run)
{
	return 1U << run->order;
}

static inline unsigned int cp_run_page_of(unsigned int unit)
{
	return unit / (PAGE_SIZE / CP_FIT_UNIT);
}

static inline void *cp_run_payload(const struct cp_run *run, unsigned int unit)
{
	return run->base + (unit + 1) * CP_FIT_UNIT;
}

/*
 * Count the bytes from the end of a payload to the next payload, for a tag and
 * a header.  Where DMA is not coherent they have a cache line of their own, as
 * payloads have.
 */
static inline unsigned int cp_fit_tail(void)
{
	return max_t(unsigned int, cp_dma_align(),
		     CP_FIT_HEAD + (cp_tags_on() ? CP_TAG_SIZE : 0));
}

static inline size_t cp_fit_payload_size(union cp_fit_head head)
{
	return head.size * CP_FIT_UNIT - cp_fit_tail();
}

static inline size_t cp_fit_asked(union cp_fit_head head)
{
	return cp_fit_payload_size(head) - head.slack;
}

/*
 * With check=1 the slack of a block is a red zone, and free space is poisoned.
 */
static inline bool cp_fit_checks(void)
{
	return cp_cache_defaults.check;
}

static inline struct cp_run *cp_run_of(struct rb_node *node)
{
	return rb_entry(node, struct cp_run, node);
}

/* fit_run.c: blocks in a run.  A bool function fails on a damaged header. */
bool cp_run_read(struct cp_run *run, unsigned int unit,
		 union cp_fit_head *head);
void cp_run_write(struct cp_run *run, unsigned int unit,
		  union cp_fit_head head);
void cp_run_format(struct cp_run *run);
unsigned int cp_run_lead(const struct cp_run *run, unsigned int unit,
			 unsigned int align);
bool cp_run_pick(struct cp_run *run, unsigned int least, unsigned int size,
		 unsigned int align, unsigned int *unit,
		 union cp_fit_head *head);
bool cp_run_take(struct cp_run *run, unsigned int unit, unsigned int lead,
		 union cp_fit_head head, union cp_fit_head block);
bool cp_run_put(struct cp_run *run, unsigned int unit,
		union cp_fit_head head);
bool cp_run_locate(struct cp_run *run, unsigned long offset,
		   union cp_fit_head *head);

/* fit_tree.c: all runs by address. */
unsigned int cp_run_largest(const struct cp_run *run);
void cp_fit_link(struct cp_run *run);
void cp_fit_unlink(struct cp_run *run);
void cp_fit_update(struct cp_run *run);
struct cp_run *cp_fit_leftmost(unsigned int size);

#endif /* CP_FIT_H */
