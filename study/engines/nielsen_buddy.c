// SPDX-License-Identifier: GPL-2.0
/*
 * Nielsen's category V: buddies, whose sizes are powers of two words.
 *
 * Memory is a set of large blocks at first, the largest powers of two that fit one
 * behind another.  Each lies at a multiple of its size, so the buddy of a block
 * differs in one bit of its address; two of those first blocks never have the same
 * size, and so are never taken for buddies.
 */
#include "nielsen_list.h"

static u32 order_of(const struct nielsen *n, u32 b)
{
	return ilog2(nielsen_size(n, b));
}

/* On the list of its size: LIFO in front, FIFO at the end. */
static void put(struct nielsen *n, u32 b, u32 order)
{
	struct nielsen_list *l = &n->size[order];

	nielsen_tag(n, b, 1U << order, NIELSEN_FREE);
	nielsen_insert(n, l, b, n->row->order == NIELSEN_LIFO ? NIELSEN_NIL :
								l->tail);
}

bool nielsen_buddy_start(struct engine *e)
{
	struct nielsen *n;
	u32 b, i;

	if (!nielsen_open(e))
		return false;
	n = e->state;
	n->least = 1U << order_base_2(n->least);
	n->end -= n->end % n->least;
	for (i = 0; i < NIELSEN_ORDERS; i++)
		nielsen_list_init(&n->size[i]);
	for (b = 0; b < n->end; b += 1U << i) {
		i = ilog2(n->end - b);
		put(n, b, i);
	}
	return n->end || nielsen_give_up(e);
}

/*
 * Tries the lists upward from the smallest: those of sizes that are too small, then
 * those with nothing on them.
 */
static void *pop(struct nielsen *n, u32 need)
{
	u32 want = ilog2(n->least), order, b;

	while (want < NIELSEN_ORDERS && 1U << want < need) {
		engine_visit(n->e, NULL);
		want++;
	}
	for (order = want; order < NIELSEN_ORDERS; order++) {
		engine_visit(n->e, NULL);
		if (n->size[order].head != NIELSEN_NIL)
			break;
	}
	if (order == NIELSEN_ORDERS)
		return NULL;
	b = n->size[order].head;
	nielsen_unlink(n, &n->size[order], b, NIELSEN_NIL);
	while (order > want) {
		order--;
		put(n, b + (1U << order), order);
	}
	nielsen_tag(n, b, 1U << want, NIELSEN_FREE);
	return nielsen_hand_out(n, b);
}

/* The buddy of b if it is free and in one piece, else NIL. */
static u32 free_buddy(const struct nielsen *n, u32 b, u32 order)
{
	u32 buddy = b ^ (1U << order);

	if (buddy >= n->end || n->word[buddy] != ((1U << order) << 2 | NIELSEN_FREE))
		return NIELSEN_NIL;
	return buddy;
}

/* With one link, a search finds the one before it. */
static void detach(struct nielsen *n, u32 b, u32 order)
{
	struct nielsen_list *l = &n->size[order];
	u32 prev = NIELSEN_NIL, at;

	if (n->row->links == 2) {
		prev = nielsen_backward(n, b);
	} else {
		for (at = l->head; at != b; at = nielsen_forward(n, at)) {
			nielsen_visit(n, at);
			prev = at;
		}
	}
	nielsen_unlink(n, l, b, prev);
}

/* Joins all buddies; then makes the lists again, as there are other blocks now. */
static bool collect(struct nielsen *n)
{
	bool any = false;
	u32 b, i;

	n->e->collections++;
	for (b = 0; b < n->end; b = nielsen_next(n, b)) {
		nielsen_visit(n, b);
		while (nielsen_state(n, b) == NIELSEN_FREE) {
			u32 order = order_of(n, b);

			/* The higher of two: all below it is joined. */
			if (!(b >> order & 1) ||
			    free_buddy(n, b, order) == NIELSEN_NIL)
				break;
			b -= 1U << order;
			nielsen_tag(n, b, 2U << order, NIELSEN_FREE);
			any = true;
		}
	}
	if (!any)
		return false;
	for (i = 0; i < NIELSEN_ORDERS; i++)
		nielsen_list_init(&n->size[i]);
	for (b = 0; b < n->end; b = nielsen_next(n, b)) {
		nielsen_visit(n, b);
		if (nielsen_state(n, b) == NIELSEN_FREE)
			put(n, b, order_of(n, b));
	}
	return true;
}

void *nielsen_buddy_alloc(struct engine *e, size_t size)
{
	struct nielsen *n = e->state;
	u32 need = nielsen_need(n, size);
	void *block = pop(n, need);

	if (!block && n->row->compaction == NIELSEN_COLLECT && collect(n))
		block = pop(n, need);
	return block;
}

void nielsen_buddy_free(struct engine *e, void *block)
{
	struct nielsen *n = e->state;
	u32 b = nielsen_take_back(n, block);
	u32 order = order_of(n, b), buddy;

	while (n->row->compaction == NIELSEN_ON_FREE) {
		if ((b ^ (1U << order)) < n->end)
			nielsen_visit(n, b ^ (1U << order));
		buddy = free_buddy(n, b, order);
		if (buddy == NIELSEN_NIL)
			break;
		detach(n, buddy, order);
		b = min(b, buddy);
		order++;
	}
	put(n, b, order);
}

const char *nielsen_buddy_check(struct engine *e)
{
	struct nielsen *n = e->state;
	u32 nr_free, nr = 0, last, i, b;
	const char *why = nielsen_check_blocks(n, &nr_free);

	for (b = 0; !why && b < n->end; b = nielsen_next(n, b)) {
		u32 size = nielsen_size(n, b);

		if (!is_power_of_2(size) || b & (size - 1))
			why = "a buddy has an impossible size or place";
		else if (n->row->compaction == NIELSEN_ON_FREE &&
			 nielsen_state(n, b) == NIELSEN_FREE &&
			 free_buddy(n, b, order_of(n, b)) != NIELSEN_NIL)
			why = "two free buddies were not joined";
	}
	for (i = 0; !why && i < NIELSEN_ORDERS; i++) {
		why = nielsen_check_list(n, &n->size[i], NIELSEN_FREE, &nr,
					 &last);
		if (!why && n->size[i].tail != last)
			why = "a free list has another end";
	}
	if (!why && nr != nr_free)
		why = "a free block is on no list";
	return why;
}
