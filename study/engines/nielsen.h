/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nielsen's 35 allocators (1977, Table III).
 *
 * Memory is an array of words of 4 bytes, all of it in blocks without gaps.  A block
 * is named by the index of its first word:
 *
 *	size and state | back | the user's words
 *
 * back, the block before this one in memory, is there in some rows only.  While a
 * block is free, the first words of its user are its links on a free list: forward,
 * and in some rows backward too.  Sizes count all words of a block.
 */
#ifndef NIELSEN_H
#define NIELSEN_H

#include "engine.h"

#define NIELSEN_NIL		U32_MAX
#define NIELSEN_WORDS_MAX	(U32_MAX >> 2)	/* what a size can say */
#define NIELSEN_ORDERS		30		/* of sizes of buddies */

enum nielsen_order {
	NIELSEN_ALL,		/* no list: all blocks, as they lie in memory */
	NIELSEN_MEMORY,		/* the free ones, as they lie in memory */
	NIELSEN_LIFO,
	NIELSEN_FIFO,
	NIELSEN_SIZE,		/* the smallest first */
};

enum nielsen_compaction {
	NIELSEN_ON_ALLOC,
	NIELSEN_ON_FREE,
	NIELSEN_COLLECT,	/* when nothing fits */
	NIELSEN_LIMBO,		/* so, and blocks are not on the list before */
	NIELSEN_TWO_STAGE,	/* so, and not compacted before the second time */
	NIELSEN_ON_FREE_COLLECT,	/* on free what can be, and when nothing fits */
};

/* Table III.  Each block has its size as well. */
struct nielsen_row {
	enum nielsen_order order;	/* of the lists; in IV of the residual queue */
	bool best;			/* exact or best fit, else first fit */
	bool rotate;			/* begins where the last search ended */
	u8 back;			/* words: pointer to the block before */
	u8 links;			/* pointers inside free blocks */
	bool round_up;			/* IV: sizes are multiples of 5 words */
	enum nielsen_compaction compaction;
};

enum nielsen_state {
	NIELSEN_USED,
	NIELSEN_FREE,		/* on a list, if there is one */
	NIELSEN_MARKED,		/* free, but nobody has looked for it yet */
	NIELSEN_RESIDUAL,	/* IV: on the residual queue */
};

/* A free list: first and last block. */
struct nielsen_list {
	u32 head, tail;
};

struct nielsen {
	struct engine *e;
	const struct nielsen_row *row;
	u32 *word;
	u32 start, end;		/* the blocks lie from start up to end */
	u32 header;		/* words of a block that are not its user's */
	u32 least;		/* words of the smallest block */
	u32 used;		/* words in blocks that are not free */
	/*
	 * Where the next search begins: I: at this block; others: behind this
	 * one on the list, at the front when there is none.
	 */
	u32 rover;
	struct nielsen_list free;	/* in IV the residual queue */
	struct nielsen_list size[NIELSEN_ORDERS];	/* V */
};

/* nielsen_block.c */
bool nielsen_open(struct engine *e);
bool nielsen_open_whole(struct engine *e);
bool nielsen_give_up(struct engine *e);
void nielsen_stop(struct engine *e);
size_t nielsen_used(struct engine *e);
const char *nielsen_check_blocks(struct nielsen *n, u32 *nr_free);
const char *nielsen_check_joined(const struct nielsen *n);

/* nielsen_gc.c: true if there is now something that was not there before. */
bool nielsen_collect(struct nielsen *n, u32 *stage);

/* nielsen_walk.c: category I */
bool nielsen_walk_start(struct engine *e);
void *nielsen_walk_alloc(struct engine *e, size_t size);
void nielsen_walk_free(struct engine *e, void *block);
const char *nielsen_walk_check(struct engine *e);

/* nielsen_seq.c: categories II, III and VI */
bool nielsen_seq_start(struct engine *e);
void *nielsen_seq_alloc(struct engine *e, size_t size);
void nielsen_seq_free(struct engine *e, void *block);
const char *nielsen_seq_check(struct engine *e);

/* nielsen_multi.c: category IV */
bool nielsen_multi_start(struct engine *e);
void *nielsen_multi_alloc(struct engine *e, size_t size);
void nielsen_multi_free(struct engine *e, void *block);
const char *nielsen_multi_check(struct engine *e);

/* nielsen_buddy.c: category V */
bool nielsen_buddy_start(struct engine *e);
void *nielsen_buddy_alloc(struct engine *e, size_t size);
void nielsen_buddy_free(struct engine *e, void *block);
const char *nielsen_buddy_check(struct engine *e);

#endif /* NIELSEN_H */
