// SPDX-License-Identifier: GPL-2.0
/*
 * Nielsen's category IV: a LIFO list for each size, and the residual queue, where all
 * memory is at first and where a block comes from when the list of its size is empty.
 *
 * The heads of the lists are the first words of the memory.  Up to which size there
 * are lists the paper does not say; its space use at all three sizes of memory has
 * about 150 words more than blocks and their fields come to.
 */
#include "nielsen_list.h"

#define MULTI_MAX	150U	/* words */
#define MULTI_UNIT	5	/* words, of sizes that are rounded up */

/* The list of a free block; n->start or more when its size has none. */
static u32 list_of(const struct nielsen *n, u32 size)
{
	return n->row->round_up ? size / MULTI_UNIT - 1 : size - 1;
}

/* The list for a request. */
static u32 list_for(const struct nielsen *n, u32 need)
{
	return n->row->round_up ? (need - 1) / MULTI_UNIT : need - 1;
}

/* The blocks of a list have at least so many words. */
static u32 size_of(const struct nielsen *n, u32 at)
{
	return n->row->round_up ? (at + 1) * MULTI_UNIT : at + 1;
}

bool nielsen_multi_start(struct engine *e)
{
	struct nielsen *n;
	u32 i;

	if (!nielsen_open(e))
		return false;
	n = e->state;
	n->start = list_of(n, MULTI_MAX) + 1;
	n->least = size_of(n, list_for(n, n->least));
	if (n->end < n->start + n->least)
		return nielsen_give_up(e);
	n->used = n->start;
	for (i = 0; i < n->start; i++)
		n->word[i] = NIELSEN_NIL;
	nielsen_tag(n, n->start, n->end - n->start, NIELSEN_RESIDUAL);
	if (n->row->back)
		nielsen_write(n, n->start + 1, NIELSEN_NIL);
	nielsen_insert(n, &n->free, n->start, NIELSEN_NIL);
	return true;
}

/* To the front of list at. */
static void push(struct nielsen *n, u32 b, u32 at)
{
	u32 next = n->word[at];

	nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_FREE);
	nielsen_write(n, b + n->header, next);
	nielsen_write(n, at, b);
	if (n->row->links < 2)
		return;
	nielsen_write(n, b + n->header + 1, NIELSEN_NIL);
	if (next != NIELSEN_NIL)
		nielsen_write(n, next + n->header + 1, b);
}

/* Off list at, on which it is behind prev. */
static void pull(struct nielsen *n, u32 b, u32 at, u32 prev)
{
	u32 next = nielsen_forward(n, b);

	nielsen_write(n, prev == NIELSEN_NIL ? at : prev + n->header, next);
	if (n->row->links == 2 && next != NIELSEN_NIL)
		nielsen_write(n, next + n->header + 1, prev);
}

/* To the residual queue. */
static void queue(struct nielsen *n, u32 b)
{
	u32 prev = NIELSEN_NIL, at = n->free.head;

	nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_RESIDUAL);
	if (n->row->order == NIELSEN_MEMORY) {
		for (; at != NIELSEN_NIL; at = nielsen_forward(n, at)) {
			nielsen_visit(n, at);
			if (at > b)
				break;
			prev = at;
		}
	}
	nielsen_insert(n, &n->free, b, prev);
}

/* First fit; what is not needed stays in its place on the queue. */
static void *from_queue(struct nielsen *n, u32 need)
{
	u32 prev = NIELSEN_NIL, at = n->free.head, rest;

	for (; at != NIELSEN_NIL; prev = at, at = nielsen_forward(n, at)) {
		nielsen_visit(n, at);
		if (nielsen_size(n, at) >= need)
			break;
	}
	if (at == NIELSEN_NIL)
		return NULL;
	nielsen_unlink(n, &n->free, at, prev);
	rest = nielsen_split(n, at, need);
	if (rest != NIELSEN_NIL)
		nielsen_insert(n, &n->free, rest, prev);
	return nielsen_hand_out(n, at);
}

/*
 * Joins free neighbours; what was joined is on the queue, the rest goes on as it
 * was.  False when there was nothing to join.
 */
static bool collect(struct nielsen *n)
{
	bool any = false;
	u32 b, next, size;

	n->e->collections++;
	memset(n->word, 0xff, n->start * sizeof(*n->word));
	nielsen_list_init(&n->free);
	for (b = n->start; b < n->end; b = nielsen_next(n, b)) {
		nielsen_visit(n, b);
		if (nielsen_state(n, b) == NIELSEN_USED)
			continue;
		size = nielsen_size(n, b);
		next = nielsen_next(n, b);
		while (next < n->end && nielsen_state(n, next) != NIELSEN_USED) {
			nielsen_visit(n, next);
			nielsen_join(n, b, next);
			next = nielsen_next(n, b);
		}
		if (nielsen_size(n, b) == size &&
		    nielsen_state(n, b) == NIELSEN_FREE) {
			push(n, b, list_of(n, size));
			continue;
		}
		any |= nielsen_size(n, b) != size;
		nielsen_tag(n, b, nielsen_size(n, b), NIELSEN_RESIDUAL);
		nielsen_insert(n, &n->free, b, n->free.tail);
	}
	return any;
}

void *nielsen_multi_alloc(struct engine *e, size_t size)
{
	struct nielsen *n = e->state;
	u32 at = list_for(n, nielsen_need(n, size));
	void *block;
	u32 b;

	if (at < n->start) {
		nielsen_visit(n, at);
		b = n->word[at];
		if (b != NIELSEN_NIL) {
			pull(n, b, at, NIELSEN_NIL);
			return nielsen_hand_out(n, b);
		}
	}
	block = from_queue(n, size_of(n, at));
	if (!block && n->row->compaction != NIELSEN_ON_FREE && collect(n))
		block = from_queue(n, size_of(n, at));
	return block;
}

/*
 * Takes a free neighbour off its list.  With one link a block cannot be taken from
 * amidst a list, so that only the first one on the queue can be had; with that IV-3
 * allocates at the price of IV-1, as in the paper.
 */
static bool detach(struct nielsen *n, u32 b)
{
	bool two = n->row->links == 2;
	u32 prev = two ? nielsen_backward(n, b) : NIELSEN_NIL;

	if (!two && n->free.head != b)
		return false;
	if (nielsen_state(n, b) == NIELSEN_RESIDUAL)
		nielsen_unlink(n, &n->free, b, prev);
	else
		pull(n, b, list_of(n, nielsen_size(n, b)), prev);
	return true;
}

/* Joins b with its neighbours; true if it is on the queue then. */
static bool join_neighbours(struct nielsen *n, u32 b)
{
	u32 next = nielsen_next(n, b), prev = nielsen_back(n, b);
	bool any = false;

	if (next < n->end) {
		nielsen_visit(n, next);
		if (nielsen_state(n, next) != NIELSEN_USED && detach(n, next)) {
			nielsen_join(n, b, next);
			any = true;
		}
	}
	if (prev != NIELSEN_NIL) {
		nielsen_visit(n, prev);
		if (nielsen_state(n, prev) == NIELSEN_RESIDUAL) {
			nielsen_join(n, prev, b);
			return true;
		}
		if (nielsen_state(n, prev) == NIELSEN_FREE && detach(n, prev)) {
			nielsen_join(n, prev, b);
			b = prev;
			any = true;
		}
	}
	if (any)
		queue(n, b);
	return any;
}

void nielsen_multi_free(struct engine *e, void *block)
{
	struct nielsen *n = e->state;
	u32 b = nielsen_take_back(n, block);
	u32 at = list_of(n, nielsen_size(n, b));

	if (n->row->compaction != NIELSEN_COLLECT && join_neighbours(n, b))
		return;
	if (at < n->start)
		push(n, b, at);
	else
		queue(n, b);
}

const char *nielsen_multi_check(struct engine *e)
{
	struct nielsen *n = e->state;
	u32 nr_free, nr = 0, last, i;
	const char *why = nielsen_check_blocks(n, &nr_free);
	struct nielsen_list l;

	for (i = 0; !why && i < n->start; i++) {
		u32 b;

		l.head = n->word[i];
		why = nielsen_check_list(n, &l, NIELSEN_FREE, &nr, &last);
		for (b = l.head; !why && b != NIELSEN_NIL;
		     b = nielsen_forward(n, b))
			if (list_of(n, nielsen_size(n, b)) != i)
				why = "a block is on the list of another size";
	}
	if (!why)
		why = nielsen_check_list(n, &n->free, NIELSEN_RESIDUAL, &nr,
					 &last);
	if (!why && (nr != nr_free || n->free.tail != last))
		why = "a free block is on no list";
	return why ?: nielsen_check_joined(n);
}
