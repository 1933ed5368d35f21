/* SPDX-License-Identifier: GPL-2.0 */
/* Free lists of Nielsen's allocators: links lie in the free blocks. */
#ifndef NIELSEN_LIST_H
#define NIELSEN_LIST_H

#include "nielsen_block.h"

static inline void nielsen_list_init(struct nielsen_list *l)
{
	l->head = NIELSEN_NIL;
	l->tail = NIELSEN_NIL;
}

static inline u32 nielsen_forward(const struct nielsen *n, u32 b)
{
	return n->word[b + n->header];
}

/* Only in rows with two links. */
static inline u32 nielsen_backward(const struct nielsen *n, u32 b)
{
	return n->word[b + n->header + 1];
}

static inline void nielsen_set_forward(struct nielsen *n, struct nielsen_list *l,
				       u32 b, u32 to)
{
	if (b == NIELSEN_NIL)
		l->head = to;
	else
		nielsen_write(n, b + n->header, to);
}

static inline void nielsen_set_backward(struct nielsen *n, struct nielsen_list *l,
					u32 b, u32 to)
{
	if (b == NIELSEN_NIL)
		l->tail = to;
	else if (n->row->links == 2)
		nielsen_write(n, b + n->header + 1, to);
}

/* Behind prev, or to the front when that is NIL. */
static inline void nielsen_insert(struct nielsen *n, struct nielsen_list *l, u32 b,
				  u32 prev)
{
	u32 next = prev == NIELSEN_NIL ? l->head : nielsen_forward(n, prev);

	nielsen_set_forward(n, l, b, next);
	nielsen_set_backward(n, l, b, prev);
	nielsen_set_forward(n, l, prev, b);
	nielsen_set_backward(n, l, next, b);
}

/* prev, the one before it, is known from a search or from the second link. */
static inline void nielsen_unlink(struct nielsen *n, struct nielsen_list *l, u32 b,
				  u32 prev)
{
	u32 next = nielsen_forward(n, b);

	nielsen_set_forward(n, l, prev, next);
	nielsen_set_backward(n, l, next, prev);
	if (n->rover == b)
		n->rover = prev;
}

/* nielsen_list.c */
u32 nielsen_find_size(struct nielsen *n, const struct nielsen_list *l, u32 size);
const char *nielsen_check_list(struct nielsen *n, const struct nielsen_list *l,
			       enum nielsen_state state, u32 *nr, u32 *last);

#endif /* NIELSEN_LIST_H */
