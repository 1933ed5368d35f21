// SPDX-License-Identifier: GPL-2.0
/*
 * The binary buddy system of Knuth (1973) with tags, so that a buddy is known to
 * be free without a search.  Blocks of 4096 bytes come from outside, as many as
 * are needed, and count as given back when they are free as a whole.
 */
#include "bytes_buddy.h"

#define BYTES_SPAN	(BYTES_MAX / BYTES_MIN)

static unsigned int bytes_order(unsigned int size)
{
	return order_base_2(DIV_ROUND_UP(size, BYTES_MIN));
}

static void bytes_put(struct bytes_buddy *b, u32 nr, unsigned int order)
{
	struct bytes_slot *s = &b->slot[nr];

	*s = (struct bytes_slot){ .next = b->first[order], .order = order + 1 };
	if (s->next)
		b->slot[s->next].prev = nr;
	b->first[order] = nr;
	b->largest += order == BYTES_ORDERS - 1;
	b->items += 2;
}

static void bytes_take(struct bytes_buddy *b, u32 nr)
{
	struct bytes_slot *s = &b->slot[nr];
	unsigned int order = s->order - 1;

	if (s->prev)
		b->slot[s->prev].next = s->next;
	else
		b->first[order] = s->next;
	if (s->next)
		b->slot[s->next].prev = s->prev;
	s->order = 0;
	b->largest -= order == BYTES_ORDERS - 1;
}

/* One more of the largest blocks; number 0 stays unused. */
static void bytes_grow(struct bytes_buddy *b)
{
	u32 nr = b->end ?: BYTES_SPAN;

	b->end = nr + BYTES_SPAN;
	b->slot = realloc(b->slot, b->end * sizeof(*b->slot));
	if (!b->slot) {
		perror("lab");
		exit(1);
	}
	memset(b->slot + nr, 0, BYTES_SPAN * sizeof(*b->slot));
	bytes_put(b, nr, BYTES_ORDERS - 1);
}

u32 bytes_buddy_alloc(struct bytes_buddy *b, unsigned int size)
{
	unsigned int want = bytes_order(size), order = want;
	u32 nr;

	while (order < BYTES_ORDERS && !b->first[order])
		order++;
	if (order == BYTES_ORDERS) {
		bytes_grow(b);
		order--;
	}
	nr = b->first[order];
	bytes_take(b, nr);
	b->items++;
	while (order-- > want)
		bytes_put(b, nr + (1U << order), order);
	return nr;
}

void bytes_buddy_free(struct bytes_buddy *b, u32 nr, unsigned int size)
{
	unsigned int order = bytes_order(size);

	for (; order < BYTES_ORDERS - 1; order++) {
		u32 buddy = nr ^ 1U << order;

		if (b->slot[buddy].order != order + 1)
			break;
		bytes_take(b, buddy);
		nr = min(nr, buddy);
	}
	bytes_put(b, nr, order);
}

/* Bytes that are not free as a whole block of the largest. */
double bytes_buddy_held(const struct bytes_buddy *b)
{
	u32 blocks = b->end ? b->end / BYTES_SPAN - 1 : 0;

	return (blocks - b->largest) * (double)BYTES_MAX;
}

void bytes_buddy_exit(struct bytes_buddy *b)
{
	free(b->slot);
	memset(b, 0, sizeof(*b));
}
