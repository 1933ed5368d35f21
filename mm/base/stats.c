// SPDX-License-Identifier: GPL-2.0
/*
 * The names of counters and offences, the same in debugfs, KUnit and the lab.
 */
#include "base/kernel.h"
#include "base/stats.h"

const char * const cp_heap_stat_name[] = {
	[CP_ALLOC]		= "alloc",
	[CP_FREED]		= "free",
	[CP_FREE_REMOTE]	= "free_remote",
	[CP_COLLECTED]		= "collected",
	[CP_REFILL_S3]		= "refill_s3",
	[CP_REFILL_S2]		= "refill_s2",
	[CP_REFILL_S1]		= "refill_s1",
	[CP_EMPTIED]		= "emptied",
	[CP_RELEASED]		= "released",
	[CP_LOST]		= "lost",
};

static_assert(ARRAY_SIZE(cp_heap_stat_name) == CP_NR_HEAP_STATS);

const char * const cp_arena_stat_name[] = {
	[CP_TAKE]		= "take",
	[CP_GIVE]		= "give",
	[CP_CHUNK_TAKEN]	= "chunk_taken",
	[CP_CHUNK_PAGES]	= "chunk_pages",
	[CP_CHUNK_LOWER]	= "chunk_lower",
	[CP_RETURNED]		= "returned",
	[CP_RETURNED_PAGES]	= "returned_pages",
	[CP_EXPELLED_PAGES]	= "expelled_pages",
	[CP_RESERVE_TAKEN]	= "reserve_taken",
	[CP_AT_BOUND]		= "at_bound",
	[CP_BEYOND_BOUND]	= "beyond_bound",
	[CP_SYSTEM_FAILED]	= "system_failed",
};

static_assert(ARRAY_SIZE(cp_arena_stat_name) == CP_NR_ARENA_STATS);

const char * const cp_stock_stat_name[] = {
	[CP_STOCK_ALLOC]	= "stock_alloc",
	[CP_STOCK_FREE]		= "stock_free",
	[CP_STOCK_DRAINED]	= "stock_drained",
};

static_assert(ARRAY_SIZE(cp_stock_stat_name) == CP_NR_STOCK_STATS);

const char * const cp_fit_stat_name[] = {
	[CP_FIT_ALLOC]		= "alloc",
	[CP_FIT_FREED]		= "free",
	[CP_FIT_FAILED]		= "alloc_failed",
	[CP_FIT_RUN_TAKEN]	= "run_taken",
	[CP_FIT_RUN_GIVEN]	= "run_given",
	[CP_FIT_SPLIT]		= "split",
	[CP_FIT_MERGE]		= "merge",
	[CP_FIT_SEARCH]		= "search",
	[CP_FIT_VISITED]	= "visited",
	[CP_FIT_LOST]		= "lost",
};

static_assert(ARRAY_SIZE(cp_fit_stat_name) == CP_NR_FIT_STATS);

/* What a report calls each offence. */
const char * const cp_bad_name[] = {
	[CP_OK]			= "ok",
	[CP_BAD_FOREIGN]	= "foreign pointer",
	[CP_BAD_INSIDE]		= "pointer inside a block",
	[CP_BAD_CACHE]		= "block of another cache",
	[CP_BAD_DOUBLE]		= "double free",
	[CP_BAD_REDZONE]	= "red zone overwritten",
	[CP_BAD_POISON]		= "written after free",
	[CP_BAD_ORDER]		= "wrong order",
	[CP_BAD_REFERENCED]	= "page still referenced",
	[CP_BAD_PUT]		= "page put by others",
	[CP_BAD_LEAK]		= "leak",
};

static_assert(ARRAY_SIZE(cp_bad_name) == CP_NR_BAD);

/* The counter of each offence. */
const char * const cp_bad_stat_name[] = {
	[CP_OK]			= "bad_none",
	[CP_BAD_FOREIGN]	= "bad_foreign",
	[CP_BAD_INSIDE]		= "bad_inside",
	[CP_BAD_CACHE]		= "bad_cache",
	[CP_BAD_DOUBLE]		= "bad_double",
	[CP_BAD_REDZONE]	= "bad_redzone",
	[CP_BAD_POISON]		= "bad_poison",
	[CP_BAD_ORDER]		= "bad_order",
	[CP_BAD_REFERENCED]	= "bad_referenced",
	[CP_BAD_PUT]		= "bad_put",
	[CP_BAD_LEAK]		= "bad_leak",
};

static_assert(ARRAY_SIZE(cp_bad_stat_name) == CP_NR_BAD);
