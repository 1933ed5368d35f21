// SPDX-License-Identifier: GPL-2.0
/*
 * Nielsen's categories II, III and VI: a search along one list of free blocks, in
 * order of memory, of arrival or of size.
 *
 * The rover is the block on the list before the one where the next search starts.
 */
#include "nielsen_list.h"

struct seq_spot {
	u32 at;			/* a free block, or NIL */
	u32 prev;		/* the one before it on the list */
	u32 size;
};

bool nielsen_seq_start(struct engine *e)
{
	struct nielsen *n;

	if (!nielsen_open_whole(e))
		return false;
	n = e->state;
	nielsen_insert(n, &n->free, 0, NIELSEN_NIL);
	return true;
}

/* Takes b off the list, of which it has both links. */
static void detach(struct nielsen *n, u32 b)
{
	nielsen_unlink(n, &n->free, b, nielsen_backward(n, b));
}

/* Free blocks behind b join it until it is large enough; its size then. */
static u32 absorb_for(struct nielsen *n, u32 b, u32 need)
{
	u32 next = nielsen_next(n, b);

	while (next - b < need && next < n->end) {
		nielsen_visit(n, next);
		if (nielsen_state(n, next) != NIELSEN_FREE)
			break;
		detach(n, next);
		nielsen_join(n, b, next);
		next = nielsen_next(n, b);
	}
	return next - b;
}

/*
 * Looks from at on at all below stop; NIL is above all blocks.  prev is before at.
 * True when there is no need to look further.
 */
static bool scan(struct nielsen *n, u32 at, u32 prev, u32 stop, u32 need,
		 struct seq_spot *found)
{
	bool join = n->row->compaction == NIELSEN_ON_ALLOC;
	bool best = n->row->best;

	for (; at < stop; prev = at, at = nielsen_forward(n, at)) {
		u32 size = nielsen_size(n, at);

		nielsen_visit(n, at);
		if (join && size < need)
			size = absorb_for(n, at, need);
		if (size < need || size >= found->size)
			continue;
		*found = (struct seq_spot){ at, prev, size };
		if (!best || size == need)
			return true;
	}
	return false;
}

/* A search that rotates starts at the rover, and after the end goes on in front. */
static bool search(struct nielsen *n, u32 need, struct seq_spot *found)
{
	u32 prev = n->row->rotate ? n->rover : NIELSEN_NIL;
	u32 from = n->free.head;

	if (prev != NIELSEN_NIL)
		from = nielsen_forward(n, prev);
	*found = (struct seq_spot){ NIELSEN_NIL, NIELSEN_NIL, U32_MAX };
	if (!scan(n, from, prev, NIELSEN_NIL, need, found) && from != n->free.head)
		scan(n, n->free.head, NIELSEN_NIL, from, need, found);
	return found->at != NIELSEN_NIL;
}

void *nielsen_seq_alloc(struct engine *e, size_t size)
{
	struct nielsen *n = e->state;
	u32 need = nielsen_need(n, size);
	u32 stage = 0, prev, rest;
	struct seq_spot found;

	while (!search(n, need, &found))
		if (!nielsen_collect(n, &stage))
			return NULL;
	/* The one that was before it may have joined it. */
	prev = n->row->links == 2 ? nielsen_backward(n, found.at) : found.prev;
	nielsen_unlink(n, &n->free, found.at, prev);
	rest = nielsen_split(n, found.at, need);
	n->rover = prev;
	if (rest != NIELSEN_NIL) {		/* stays in its place */
		if (n->row->order == NIELSEN_SIZE)
			prev = nielsen_find_size(n, &n->free,
						 nielsen_size(n, rest));
		nielsen_insert(n, &n->free, rest, prev);
	}
	return nielsen_hand_out(n, found.at);
}

/*
 * Puts b where it belongs on a list in order of memory: before the next free block
 * in memory, which has the one before it on the list.  Neighbours that are free are
 * then its neighbours on the list.
 */
static void free_in_order(struct nielsen *n, u32 b)
{
	u32 next = nielsen_next(n, b);
	u32 at, prev = n->free.tail;

	for (at = next; at < n->end; at = nielsen_next(n, at)) {
		nielsen_visit(n, at);
		if (nielsen_state(n, at) == NIELSEN_FREE) {
			prev = nielsen_backward(n, at);
			break;
		}
	}
	nielsen_insert(n, &n->free, b, prev);
	if (n->row->compaction != NIELSEN_ON_FREE)
		return;
	if (at == next && at < n->end) {
		detach(n, next);
		nielsen_join(n, b, next);
	}
	if (prev == NIELSEN_NIL)
		return;
	nielsen_visit(n, prev);
	if (nielsen_next(n, prev) == b) {
		detach(n, b);
		nielsen_join(n, prev, b);
	}
}

/* b, which is on no list yet, with free neighbours; where it is then. */
static u32 join_neighbours(struct nielsen *n, u32 b)
{
	u32 next = nielsen_next(n, b), prev = nielsen_back(n, b);

	if (next < n->end) {
		nielsen_visit(n, next);
		if (nielsen_state(n, next) == NIELSEN_FREE) {
			detach(n, next);
			nielsen_join(n, b, next);
		}
	}
	if (prev == NIELSEN_NIL)
		return b;
	nielsen_visit(n, prev);
	if (nielsen_state(n, prev) != NIELSEN_FREE)
		return b;
	detach(n, prev);
	nielsen_join(n, prev, b);
	return prev;
}

static void free_by_size(struct nielsen *n, u32 b)
{
	if (n->row->compaction == NIELSEN_ON_FREE)
		b = join_neighbours(n, b);
	nielsen_insert(n, &n->free, b,
		       nielsen_find_size(n, &n->free, nielsen_size(n, b)));
}

void nielsen_seq_free(struct engine *e, void *block)
{
	struct nielsen *n = e->state;
	u32 b = nielsen_take_back(n, block);

	if (n->row->compaction == NIELSEN_LIMBO ||
	    n->row->compaction == NIELSEN_TWO_STAGE) {
		nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_MARKED);
		return;
	}
	nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_FREE);
	if (n->row->order == NIELSEN_MEMORY)
		free_in_order(n, b);
	else if (n->row->order == NIELSEN_SIZE)
		free_by_size(n, b);
	else
		nielsen_insert(n, &n->free, b, n->row->order == NIELSEN_LIFO ?
			       NIELSEN_NIL : n->free.tail);
}

/* NIL is in front of all. */
static bool has(const struct nielsen *n, u32 b)
{
	u32 at = n->free.head;

	while (at != NIELSEN_NIL && at != b)
		at = nielsen_forward(n, at);
	return at == b;
}

const char *nielsen_seq_check(struct engine *e)
{
	struct nielsen *n = e->state;
	u32 nr_free, nr = 0, last = NIELSEN_NIL;
	const char *why = nielsen_check_blocks(n, &nr_free);

	if (!why)
		why = nielsen_check_list(n, &n->free, NIELSEN_FREE, &nr, &last);
	if (!why && (nr != nr_free || n->free.tail != last))
		why = "a free block is not on the list";
	if (!why && n->row->rotate && !has(n, n->rover))
		why = "the rover is not on the list";
	return why ?: nielsen_check_joined(n);
}
