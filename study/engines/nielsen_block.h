/* SPDX-License-Identifier: GPL-2.0 */
/* Blocks of Nielsen's allocators: how they lie in memory, split and join. */
#ifndef NIELSEN_BLOCK_H
#define NIELSEN_BLOCK_H

#include "nielsen.h"

static inline u32 nielsen_size(const struct nielsen *n, u32 b)
{
	return n->word[b] >> 2;
}

static inline enum nielsen_state nielsen_state(const struct nielsen *n, u32 b)
{
	return n->word[b] & 3;
}

static inline void nielsen_visit(struct nielsen *n, u32 b)
{
	engine_visit(n->e, &n->word[b]);
}

/* Writing is a reference, but looks at nothing. */
static inline void nielsen_write(struct nielsen *n, u32 at, u32 value)
{
	n->word[at] = value;
	if (unlikely(n->e->paging))
		engine_touch(n->e, &n->word[at], sizeof(u32));
}

static inline void nielsen_tag(struct nielsen *n, u32 b, u32 size,
			       enum nielsen_state state)
{
	nielsen_write(n, b, size << 2 | state);
}

static inline u32 nielsen_next(const struct nielsen *n, u32 b)
{
	return b + nielsen_size(n, b);
}

static inline u32 nielsen_back(const struct nielsen *n, u32 b)
{
	return n->word[b + 1];
}

/* The words of a block for so many bytes; more than there are if it cannot be. */
static inline u32 nielsen_need(const struct nielsen *n, size_t bytes)
{
	if (bytes / sizeof(u32) >= n->end - n->header)
		return n->end + 1;
	return max(n->header + (u32)DIV_ROUND_UP(bytes, sizeof(u32)), n->least);
}

/* The block behind b hears where b is. */
static inline void nielsen_set_back(struct nielsen *n, u32 b)
{
	u32 next = nielsen_next(n, b);

	if (n->row->back && next < n->end)
		nielsen_write(n, next + 1, b);
}

/*
 * Cuts a free block down to need words.  The rest, which nobody knows yet, or NIL
 * when it would be too small for a block and stays where it is.
 */
static inline u32 nielsen_split(struct nielsen *n, u32 b, u32 need)
{
	u32 size = nielsen_size(n, b);
	u32 rest = b + need;

	if (size - need < n->least)
		return NIELSEN_NIL;
	nielsen_tag(n, rest, size - need, nielsen_state(n, b));
	nielsen_tag(n, b, need, nielsen_state(n, b));
	nielsen_set_back(n, b);
	nielsen_set_back(n, rest);
	return rest;
}

static inline void *nielsen_hand_out(struct nielsen *n, u32 b)
{
	nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_USED);
	n->used += nielsen_size(n, b);
	return &n->word[b + n->header];
}

/* The block of a user; its state is not yet another one. */
static inline u32 nielsen_take_back(struct nielsen *n, void *block)
{
	u32 b = (u32 *)block - n->word - n->header;

	n->used -= nielsen_size(n, b);
	return b;
}

/* b, with the block behind it: next is no more. */
static inline void nielsen_join(struct nielsen *n, u32 b, u32 next)
{
	nielsen_tag(n, b, nielsen_size(n, b) + nielsen_size(n, next),
		    nielsen_state(n, b));
	nielsen_set_back(n, b);
}

#endif /* NIELSEN_BLOCK_H */
