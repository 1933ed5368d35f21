/* SPDX-License-Identifier: GPL-2.0 */
/* Counters: an enum for each kind, and an array of names. */
#ifndef CP_STATS_H
#define CP_STATS_H

#include "base/kernel.h"

enum cp_heap_stat {
	CP_ALLOC,		/* blocks handed out */
	CP_FREED,		/* blocks that came back; in a heap, to its owner */
	CP_FREE_REMOTE,		/* of these, freed here and owned elsewhere */
	CP_COLLECTED,		/* of those, taken in by the heap that owns them */
	CP_REFILL_S1,		/* current pages that came from S1 */
	CP_REFILL_S2,
	CP_REFILL_S3,
	CP_EMPTIED,		/* pages, not current, that lost their last block */
	CP_RELEASED,		/* pages that left for the arena */
	CP_LOST,		/* free blocks given up, their list was broken */
	CP_NR_HEAP_STATS
};

enum cp_arena_stat {
	CP_TAKE,		/* blocks taken out of the arena */
	CP_GIVE,		/* blocks given to it */
	CP_CHUNK_TAKEN,		/* chunks borrowed from the system */
	CP_CHUNK_PAGES,		/* pages in them */
	CP_CHUNK_LOWER,		/* chunks taken smaller than wished for */
	CP_RETURNED,		/* blocks returned to the system */
	CP_RETURNED_PAGES,	/* pages in them */
	CP_EXPELLED_PAGES,	/* of these, not to be handed out by us again */
	CP_RESERVE_TAKEN,	/* chunks out of the system's reserves */
	CP_AT_BOUND,		/* allocations refused by arena_max_mb */
	CP_BEYOND_BOUND,	/* chunks past it, as they could not be refused */
	CP_SYSTEM_FAILED,	/* allocations refused by the system */
	CP_NR_ARENA_STATS
};

enum cp_stock_stat {
	CP_STOCK_ALLOC,		/* page blocks handed out from a stock */
	CP_STOCK_FREE,		/* page blocks that went into one */
	CP_STOCK_DRAINED,	/* of these, on to the arena, unasked for */
	CP_NR_STOCK_STATS
};

enum cp_fit_stat {
	CP_FIT_ALLOC,		/* blocks handed out by first fit */
	CP_FIT_FREED,		/* blocks that came back to it */
	CP_FIT_FAILED,		/* allocations that got NULL */
	CP_FIT_RUN_TAKEN,	/* runs of pages taken from the arena */
	CP_FIT_RUN_GIVEN,	/* runs given back to it */
	CP_FIT_SPLIT,		/* free blocks that an allocation left */
	CP_FIT_MERGE,		/* free blocks that a free was merged with */
	CP_FIT_SEARCH,		/* for the lowest run with a large enough block */
	CP_FIT_VISITED,		/* items looked at, 2 for one that is put in */
	CP_FIT_LOST,		/* runs given up, a header in them was broken */
	CP_NR_FIT_STATS
};

enum cp_bad {
	CP_OK,
	CP_BAD_FOREIGN,		/* not a block of curpage */
	CP_BAD_INSIDE,		/* inside a block, not at its start */
	CP_BAD_CACHE,		/* a block of another cache */
	CP_BAD_DOUBLE,		/* a free block */
	CP_BAD_REDZONE,		/* written past the end of the block */
	CP_BAD_POISON,		/* written after it was freed */
	CP_BAD_ORDER,		/* a page block freed with another order */
	CP_BAD_REFERENCED,	/* its page is, when it is to leave its heap */
	CP_BAD_PUT,		/* its page was put, or freed, by somebody else */
	CP_BAD_LEAK,		/* still live when its owner goes away */
	CP_NR_BAD
};

extern const char * const cp_heap_stat_name[CP_NR_HEAP_STATS];
extern const char * const cp_arena_stat_name[CP_NR_ARENA_STATS];
extern const char * const cp_stock_stat_name[CP_NR_STOCK_STATS];
extern const char * const cp_fit_stat_name[CP_NR_FIT_STATS];
extern const char * const cp_bad_name[CP_NR_BAD];
extern const char * const cp_bad_stat_name[CP_NR_BAD];

#endif /* CP_STATS_H */
