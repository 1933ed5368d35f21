// SPDX-License-Identifier: GPL-2.0
/*
 * Simple segregated storage: memory of 4K (6K for three times a power of two) is
 * cut into pieces of one class, which they stay.  A class that is larger asks the
 * system for one piece.
 */
#include "jw.h"

static size_t segregated_step(unsigned int class)
{
	return max(class % 2 ? 6 * SZ_1K : SZ_4K, jw_class_size(class));
}

static bool segregated_grow(struct engine *e, unsigned int class)
{
	size_t step = segregated_step(class), size = jw_class_size(class);
	char *more = jw_grow(e, step);
	size_t at;

	if (!more)
		return false;
	/* The last first, so that the first is taken first. */
	for (at = step; at; at -= size) {
		struct jw_piece *p = (struct jw_piece *)(more + at - size);

		p->class = class;
		jw_piece_push(e, p);
	}
	return true;
}

void *jw_segregated_alloc(struct engine *e, size_t size)
{
	unsigned int class = jw_class_of(e->kind->row, size);
	struct jw_piece *p;

	if (class == JW_CLASSES)
		return NULL;
	p = jw_piece_pop(e, class);
	if (!p && segregated_grow(e, class))
		p = jw_piece_pop(e, class);
	return p ? (char *)p + JW_CLASS_HEADER : NULL;
}

void jw_segregated_free(struct engine *e, void *user)
{
	jw_piece_push(e, (struct jw_piece *)((char *)user - JW_CLASS_HEADER));
}

const char *jw_segregated_check(struct engine *e)
{
	const char *why;
	size_t bytes;

	why = jw_classes_check(e, &bytes);
	if (why)
		return why;
	return bytes > e->end ? "more is free than there is" : NULL;
}
