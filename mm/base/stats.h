/* SPDX-License-Identifier: GPL-2.0 */
/* Counters: an enum for each kind, and an array of names. */
#ifndef CP_STATS_H
#define CP_STATS_H

#include "base/kernel.h"

enum cp_heap_stat {
	CP_ALLOC,		/* blocks handed out */
	CP_FREED,		/* blocks freed; in a heap, by its owner only */
	CP_FREE_REMOTE,		/* blocks that this CPU freed for their owner */
	CP_COLLECTED,		/* remote frees that the owning heap took in */
	CP_REFILL_S1,		/* current pages that came from S1 */
	CP_REFILL_S2,
	CP_REFILL_S3,
	CP_EMPTIED,		/* pages, not current, that became empty */
	CP_RELEASED,		/* pages given to the arena */
	CP_LOST,		/* free blocks lost with a broken list */
	CP_NR_HEAP_STATS
};

enum cp_arena_stat {
	CP_TAKE,		/* blocks taken out of the arena */
	CP_GIVE,		/* blocks given to the arena */
	CP_CHUNK_TAKEN,		/* chunks taken from the system */
	CP_CHUNK_PAGES,		/* pages in these chunks */
	CP_CHUNK_LOWER,		/* chunks taken smaller than wished for */
	CP_RETURNED,		/* blocks returned to the system */
	CP_RETURNED_PAGES,	/* pages in these blocks */
	CP_EXPELLED_PAGES,	/* of CP_RETURNED_PAGES: never lent again */
	CP_RESERVE_TAKEN,	/* chunks from the system's reserves */
	CP_AT_BOUND,		/* allocations refused by arena_max_mb */
	CP_BEYOND_BOUND,	/* chunks past arena_max_mb, for __GFP_NOFAIL */
	CP_SYSTEM_FAILED,	/* allocations refused by the system */
	CP_NR_ARENA_STATS
};

enum cp_stock_stat {
	CP_STOCK_ALLOC,		/* page blocks handed out from a stock */
	CP_STOCK_FREE,		/* page blocks freed into a stock */
	CP_STOCK_DRAINED,	/* page blocks drained to the arena */
	CP_NR_STOCK_STATS
};

enum cp_fit_stat {
	CP_FIT_ALLOC,		/* blocks handed out by first fit */
	CP_FIT_FREED,		/* blocks freed to first fit */
	CP_FIT_FAILED,		/* allocations that got NULL */
	CP_FIT_RUN_TAKEN,	/* runs of pages taken from the arena */
	CP_FIT_RUN_GIVEN,	/* runs given back to the arena */
	CP_FIT_SPLIT,		/* free remainders of split blocks */
	CP_FIT_MERGE,		/* free blocks that a free was merged with */
	CP_FIT_SEARCH,		/* searches for the lowest run with room */
	CP_FIT_VISITED,		/* items read; an inserted item counts 2 */
	CP_FIT_LOST,		/* runs given up: a header was damaged */
	CP_NR_FIT_STATS
};

enum cp_bad {
	CP_OK,
	CP_BAD_FOREIGN,		/* not a block of curpage */
	CP_BAD_INSIDE,		/* inside a block, not at its start */
	CP_BAD_CACHE,		/* a block of another cache */
	CP_BAD_DOUBLE,		/* a free block */
	CP_BAD_REDZONE,		/* written past the end of the block */
	CP_BAD_POISON,		/* written to after it was freed */
	CP_BAD_ORDER,		/* a page block freed with another order */
	CP_BAD_REFERENCED,	/* page still referenced when it is to leave */
	CP_BAD_PUT,		/* page put or freed by foreign code */
	CP_BAD_LEAK,		/* still live when its cache or curpage ends */
	CP_NR_BAD
};

extern const char * const cp_heap_stat_name[CP_NR_HEAP_STATS];
extern const char * const cp_arena_stat_name[CP_NR_ARENA_STATS];
extern const char * const cp_stock_stat_name[CP_NR_STOCK_STATS];
extern const char * const cp_fit_stat_name[CP_NR_FIT_STATS];
extern const char * const cp_bad_name[CP_NR_BAD];
extern const char * const cp_bad_stat_name[CP_NR_BAD];

#endif /* CP_STATS_H */
