// SPDX-License-Identifier: GPL-2.0
/* Nielsen's 35 allocators, as his Table III describes them. */
#include "nielsen.h"

/* What is searched for, and where; in category IV which sizes there are. */
enum {
	FIRST_FIT	= 0,
	BEST_FIT	= 1,	/* exact, else best */
	R		= 2,	/* rotates */
	ACTUAL		= 0,
	ROUND_UP	= 4,
	BUDDIES		= 0,
	IN_FRONT	= 0,	/* the first that fits is the best one */
};

/*
 * S, the size; BP and B, a pointer to the block before this one in memory; FP and DP,
 * one or two links in a free block.
 */
enum {
	S	= 0,
	S_FP	= 1,
	S_DP	= 2,
	S_BP	= 4,
	S_FP_B	= 5,
	S_DP_B	= 6,
};

#define KIND(title, engine, list, search, overhead, when, text)		\
	{								\
		.name = "nielsen-" title, .about = text,		\
		.row = &(const struct nielsen_row){			\
			.order = NIELSEN_##list,			\
			.best = (search) & BEST_FIT,			\
			.rotate = (search) & R,				\
			.round_up = (search) & ROUND_UP,		\
			.back = (overhead) / S_BP,			\
			.links = (overhead) % S_BP,			\
			.compaction = NIELSEN_##when,			\
		},							\
		.align = sizeof(u32), .fixed = true,			\
		.header = ((overhead) / S_BP + 1) * sizeof(u32),	\
		.start = nielsen_##engine##_start,			\
		.alloc = nielsen_##engine##_alloc,			\
		.free = nielsen_##engine##_free,			\
		.check = nielsen_##engine##_check,			\
		.used = nielsen_used, .stop = nielsen_stop,		\
	}

static const struct engine_kind kinds[] = {
	KIND("I-1", walk, ALL, FIRST_FIT, S_BP, ON_FREE,
	     "all blocks, first fit, joins on free"),
	KIND("I-2", walk, ALL, FIRST_FIT | R, S_BP, ON_FREE,
	     "all blocks, rotating first fit, joins on free"),
	KIND("I-3", walk, ALL, BEST_FIT | R, S_BP, ON_FREE,
	     "all blocks, rotating best fit, joins on free"),
	KIND("I-4", walk, ALL, FIRST_FIT, S, ON_ALLOC,
	     "all blocks, first fit, joins while it searches"),
	KIND("I-5", walk, ALL, FIRST_FIT | R, S, ON_ALLOC,
	     "all blocks, rotating first fit, joins while it searches"),
	KIND("I-6", walk, ALL, FIRST_FIT | R, S, ON_FREE,
	     "all blocks, rotating first fit, joins on free by a walk"),
	KIND("I-7", walk, ALL, FIRST_FIT | R, S, COLLECT,
	     "all blocks, rotating first fit, collection"),
	KIND("I-8", walk, ALL, BEST_FIT | R, S, COLLECT,
	     "all blocks, rotating best fit, collection"),

	KIND("II-1", seq, MEMORY, FIRST_FIT, S_DP, ON_FREE,
	     "free list by address, first fit, joins on free"),
	KIND("II-2", seq, MEMORY, FIRST_FIT | R, S_DP, ON_FREE,
	     "free list by address, rotating first fit, joins on free"),
	KIND("II-3", seq, MEMORY, BEST_FIT, S_DP, COLLECT,
	     "free list by address, best fit, collection"),
	KIND("II-4", seq, MEMORY, BEST_FIT | R, S_DP, COLLECT,
	     "free list by address, rotating best fit, collection"),
	KIND("II-5", seq, MEMORY, FIRST_FIT, S_FP, LIMBO,
	     "free list by address, first fit, limbo"),
	KIND("II-6", seq, MEMORY, FIRST_FIT | R, S_FP, LIMBO,
	     "free list by address, rotating first fit, limbo"),
	KIND("II-7", seq, MEMORY, BEST_FIT, S_FP, TWO_STAGE,
	     "free list by address, best fit, two stages"),
	KIND("II-8", seq, MEMORY, BEST_FIT | R, S_FP, TWO_STAGE,
	     "free list by address, rotating best fit, two stages"),

	KIND("III-1", seq, LIFO, FIRST_FIT, S_DP, ON_ALLOC,
	     "LIFO free list, first fit, joins while it searches"),
	KIND("III-2", seq, FIFO, FIRST_FIT, S_DP, ON_ALLOC,
	     "FIFO free list, first fit, joins while it searches"),
	KIND("III-3", seq, LIFO, FIRST_FIT, S_FP, COLLECT,
	     "LIFO free list, first fit, collection"),
	KIND("III-4", seq, LIFO, BEST_FIT, S_FP, COLLECT,
	     "LIFO free list, best fit, collection"),
	KIND("III-5", seq, FIFO, FIRST_FIT, S_FP, COLLECT,
	     "FIFO free list, first fit, collection"),
	KIND("III-6", seq, FIFO, BEST_FIT, S_FP, COLLECT,
	     "FIFO free list, best fit, collection"),

	KIND("IV-1", multi, LIFO, ACTUAL, S_FP, COLLECT,
	     "a list for each size, collection"),
	KIND("IV-2", multi, LIFO, ROUND_UP, S_FP, COLLECT,
	     "a list for each 5 words, collection"),
	KIND("IV-3", multi, LIFO, ACTUAL, S_FP_B, ON_FREE_COLLECT,
	     "a list for each size, joins on free, collection"),
	KIND("IV-4", multi, MEMORY, ACTUAL, S_DP_B, ON_FREE,
	     "a list for each size, joins on free, the queue by address"),
	KIND("IV-5", multi, LIFO, ACTUAL, S_DP_B, ON_FREE,
	     "a list for each size, joins on free, the queue LIFO"),

	KIND("V-1", buddy, LIFO, BUDDIES, S_FP, ON_FREE,
	     "buddies, LIFO lists, joins on free"),
	KIND("V-2", buddy, FIFO, BUDDIES, S_FP, ON_FREE,
	     "buddies, FIFO lists, joins on free"),
	KIND("V-3", buddy, LIFO, BUDDIES, S_DP, ON_FREE,
	     "buddies, LIFO double lists, joins on free"),
	KIND("V-4", buddy, FIFO, BUDDIES, S_DP, ON_FREE,
	     "buddies, FIFO double lists, joins on free"),
	KIND("V-5", buddy, LIFO, BUDDIES, S_DP, COLLECT,
	     "buddies, LIFO double lists, collection"),
	KIND("V-6", buddy, LIFO, BUDDIES, S_FP, COLLECT,
	     "buddies, LIFO lists, collection"),

	KIND("VI-1", seq, SIZE, IN_FRONT, S_FP, COLLECT,
	     "free list by size, collection"),
	KIND("VI-2", seq, SIZE, IN_FRONT, S_DP_B, ON_FREE,
	     "free list by size, joins on free"),
};

static const struct engine_family nielsen = {
	.name = "nielsen",
	.about = "the 35 algorithms for simulations (Nielsen 1977)",
	.kind = kinds,
	.nr = ARRAY_SIZE(kinds),
};

ENGINE_FAMILY(nielsen);
