// SPDX-License-Identifier: GPL-2.0
/*
 * Boundary tags: blocks end to end, from 4 bytes behind the start of memory to a
 * tag of size 0 that is busy for ever and ends it.  More memory turns that tag into
 * the one of a block.
 */
#include "jw.h"

/* The size of a free block, once more in its last 4 bytes. */
static u32 *jw_foot(struct jw_block *b)
{
	return (u32 *)jw_above(b) - 1;
}

void jw_set_free(struct jw_block *b, size_t size)
{
	b->tag = size / 2 | (b->tag & JW_BELOW);
	*jw_foot(b) = b->tag;
	jw_above(b)->tag &= ~JW_BELOW;
}

void jw_set_busy(struct jw_block *b, size_t size)
{
	b->tag = size / 2 | (b->tag & JW_BELOW) | JW_BUSY;
	jw_above(b)->tag |= JW_BELOW;
}

/* The free block below this one. */
struct jw_block *jw_below(struct jw_block *b)
{
	struct jw_block foot = { .tag = ((u32 *)b)[-1] };

	return (struct jw_block *)((char *)b - jw_size(&foot));
}

static struct jw_block *jw_end(struct engine *e)
{
	return (struct jw_block *)(e->base + e->end - JW_HEADER);
}

struct jw_block *jw_last(struct engine *e)
{
	if (!e->end || jw_end(e)->tag & JW_BELOW)
		return NULL;
	return jw_below(jw_end(e));
}

struct jw_block *jw_extend(struct engine *e, size_t bytes)
{
	struct jw_block *b;
	char *more;

	if (!e->end) {		/* what lies before the first and behind the last */
		more = jw_grow(e, bytes);
		if (!more)
			return NULL;
		b = (struct jw_block *)(more + JW_HEADER);
		b->tag = JW_BELOW;
		bytes -= 2 * JW_HEADER;
	} else {
		more = jw_grow(e, bytes);
		if (!more)
			return NULL;
		b = jw_block(more);
	}
	jw_end(e)->tag = JW_BUSY;
	jw_set_busy(b, bytes);
	return b;
}

const char *jw_walk(struct engine *e, size_t *nr_free,
		    const char *(*free_block)(struct engine *e,
					      struct jw_block *b))
{
	struct jw_block *b = (struct jw_block *)(e->base + JW_HEADER);
	const char *why;
	bool busy = true;

	*nr_free = 0;
	for (; e->end && b < jw_end(e); b = jw_above(b)) {
		if (jw_size(b) < JW_LEAST)
			return "a block is smaller than the least";
		if (!!(b->tag & JW_BELOW) != busy)
			return "a tag is wrong about the block below";
		busy = b->tag & JW_BUSY;
		if (busy)
			continue;
		if (!(b->tag & JW_BELOW))
			return "two free blocks are neighbours";
		if (*jw_foot(b) != b->tag)
			return "the tags of a free block differ";
		why = free_block(e, b);
		if (why)
			return why;
		++*nr_free;
	}
	return e->end && b != jw_end(e) ?
		"blocks do not end where memory ends" : NULL;
}
