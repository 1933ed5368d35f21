// SPDX-License-Identifier: GPL-2.0
/*
 * Nielsen's garbage collection: which blocks are in use is known, so it is a walk
 * that finds the others, joins neighbours and makes the free list again.
 */
#include "nielsen_list.h"

static bool is_free(struct nielsen *n, u32 b)
{
	return b < n->end && nielsen_state(n, b) != NIELSEN_USED;
}

/* The free blocks behind b join it. */
static bool gather(struct nielsen *n, u32 b)
{
	u32 next = nielsen_next(n, b);
	bool any = false;

	for (; is_free(n, next); next = nielsen_next(n, b)) {
		nielsen_visit(n, next);
		nielsen_join(n, b, next);
		any = true;
	}
	return any;
}

/* Puts b on the new list; the walk comes in order of memory. */
static void relist(struct nielsen *n, u32 b)
{
	u32 prev = n->free.tail;

	if (n->row->order == NIELSEN_ALL)
		return;
	if (n->row->order == NIELSEN_LIFO)
		prev = NIELSEN_NIL;
	if (n->row->order == NIELSEN_SIZE)
		prev = nielsen_find_size(n, &n->free, nielsen_size(n, b));
	nielsen_insert(n, &n->free, b, prev);
}

/* All memory; false when it found nothing new. */
static bool walk(struct nielsen *n, bool join)
{
	bool any = false;
	u32 b;

	nielsen_list_init(&n->free);
	n->rover = n->row->order == NIELSEN_ALL ? n->start : NIELSEN_NIL;
	for (b = n->start; b < n->end; b = nielsen_next(n, b)) {
		nielsen_visit(n, b);
		if (!is_free(n, b))
			continue;
		any |= nielsen_state(n, b) == NIELSEN_MARKED;
		if (join)
			any |= gather(n, b);
		nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_FREE);
		relist(n, b);
	}
	return any;
}

/* A list in order of memory: neighbours there are neighbours on the list. */
static bool compact_list(struct nielsen *n)
{
	u32 b, next = NIELSEN_NIL;
	bool any = false;

	n->rover = NIELSEN_NIL;
	for (b = n->free.head; b != NIELSEN_NIL; b = next) {
		nielsen_visit(n, b);
		next = nielsen_forward(n, b);
		while (next == nielsen_next(n, b)) {
			nielsen_visit(n, next);
			nielsen_unlink(n, &n->free, next, b);
			nielsen_join(n, b, next);
			next = nielsen_forward(n, b);
			any = true;
		}
	}
	return any;
}

/* stage counts how often it was tried for one request. */
bool nielsen_collect(struct nielsen *n, u32 *stage)
{
	bool first = !(*stage)++;

	switch (n->row->compaction) {
	case NIELSEN_ON_ALLOC:
	case NIELSEN_ON_FREE:
		return false;
	case NIELSEN_TWO_STAGE:
		if (*stage > 2)
			return false;
		n->e->collections++;
		if (first && walk(n, false))
			return true;
		*stage = 2;
		return compact_list(n);
	default:
		if (!first)
			return false;
		n->e->collections++;
		return n->row->order == NIELSEN_MEMORY &&
		       n->row->compaction == NIELSEN_COLLECT ?
			compact_list(n) : walk(n, true);
	}
}
