// SPDX-License-Identifier: GPL-2.0
/*
 * Nielsen's category I: no list, but a walk through all blocks as they lie in memory.
 *
 * The rover is the block behind the one that was allocated last.
 */
#include "nielsen_block.h"

bool nielsen_walk_start(struct engine *e)
{
	struct nielsen *n;

	if (!nielsen_open_whole(e))
		return false;
	n = e->state;
	n->rover = 0;
	return true;
}

/* The free block next, which is behind b, is no more. */
static void absorb(struct nielsen *n, u32 b, u32 next)
{
	if (n->rover == next)
		n->rover = b;
	nielsen_join(n, b, next);
}

/*
 * Free blocks behind b join it until it is large enough; its size then.  One that
 * does not join is looked at when the walk gets there.
 */
static u32 absorb_for(struct nielsen *n, u32 b, u32 need)
{
	u32 next = nielsen_next(n, b);

	while (next - b < need && next < n->end &&
	       nielsen_state(n, next) == NIELSEN_FREE) {
		nielsen_visit(n, next);
		absorb(n, b, next);
		next = nielsen_next(n, b);
	}
	return next - b;
}

/* The first that fits from at on, below stop, or NIL. */
static u32 walk_first(struct nielsen *n, u32 at, u32 stop, u32 need)
{
	bool join = n->row->compaction == NIELSEN_ON_ALLOC;
	u32 size;

	for (; at < stop; at += size) {
		nielsen_visit(n, at);
		size = nielsen_size(n, at);
		if (nielsen_state(n, at) != NIELSEN_FREE)
			continue;
		if (join && size < need)
			size = absorb_for(n, at, need);
		if (size >= need)
			return at;
	}
	return NIELSEN_NIL;
}

/* True when there is an exact one: no need to look further. */
static bool walk_best(struct nielsen *n, u32 at, u32 stop, u32 need, u32 *best)
{
	u32 least = *best == NIELSEN_NIL ? U32_MAX : nielsen_size(n, *best);
	u32 size;

	for (; at < stop; at += size) {
		nielsen_visit(n, at);
		size = nielsen_size(n, at);
		if (nielsen_state(n, at) != NIELSEN_FREE || size < need ||
		    size >= least)
			continue;
		*best = at;
		least = size;
		if (size == need)
			return true;
	}
	return false;
}

/* A walk that rotates starts at the rover, and after the end goes on in front. */
static u32 search(struct nielsen *n, u32 need)
{
	u32 from = n->row->rotate ? n->rover : n->start;
	u32 found = NIELSEN_NIL;

	if (n->row->best) {
		if (!walk_best(n, from, n->end, need, &found))
			walk_best(n, n->start, from, need, &found);
		return found;
	}
	found = walk_first(n, from, n->end, need);
	if (found == NIELSEN_NIL)
		found = walk_first(n, n->start, from, need);
	return found;
}

void *nielsen_walk_alloc(struct engine *e, size_t size)
{
	struct nielsen *n = e->state;
	u32 need = nielsen_need(n, size);
	u32 b = search(n, need), stage = 0;

	while (b == NIELSEN_NIL) {
		if (!nielsen_collect(n, &stage))
			return NULL;
		b = search(n, need);
	}
	nielsen_split(n, b, need);
	n->rover = nielsen_next(n, b);
	if (n->rover >= n->end)
		n->rover = n->start;
	return nielsen_hand_out(n, b);
}

/* The block before b in memory: by a pointer, or by a walk from the first. */
static u32 before(struct nielsen *n, u32 b)
{
	u32 prev = NIELSEN_NIL, at;

	if (n->row->back) {
		prev = nielsen_back(n, b);
		if (prev != NIELSEN_NIL)
			nielsen_visit(n, prev);
		return prev;
	}
	for (at = n->start; at != b; at = nielsen_next(n, at)) {
		nielsen_visit(n, at);
		prev = at;
	}
	return prev;
}

void nielsen_walk_free(struct engine *e, void *block)
{
	struct nielsen *n = e->state;
	u32 b = nielsen_take_back(n, block);
	u32 next = nielsen_next(n, b), prev;

	nielsen_tag(n, b, next - b, NIELSEN_FREE);
	if (n->row->compaction != NIELSEN_ON_FREE)
		return;
	if (next < n->end) {
		nielsen_visit(n, next);
		if (nielsen_state(n, next) == NIELSEN_FREE)
			absorb(n, b, next);
	}
	prev = before(n, b);
	if (prev != NIELSEN_NIL && nielsen_state(n, prev) == NIELSEN_FREE)
		absorb(n, prev, b);
}

const char *nielsen_walk_check(struct engine *e)
{
	struct nielsen *n = e->state;
	u32 nr_free;
	const char *why = nielsen_check_blocks(n, &nr_free);
	bool found = false;
	u32 b;

	for (b = n->start; !why && b < n->end; b = nielsen_next(n, b))
		found |= b == n->rover;
	if (!why && !found)
		why = "the rover is at no block";
	return why ?: nielsen_check_joined(n);
}
