// SPDX-License-Identifier: GPL-2.0
/* Pieces of the sizes of classes, and lists of the free ones: the last freed first. */
#include "jw.h"

static struct jw_piece *jw_piece_at(struct engine *e, u32 link)
{
	if (link == JW_NONE)
		return NULL;
	return (struct jw_piece *)(e->base + (link - 1) * 8UL);
}

static u32 jw_piece_link(struct engine *e, struct jw_piece *p)
{
	return p ? ((char *)p - e->base) / 8 + 1 : JW_NONE;
}

unsigned int jw_class_of(const struct jw_class_row *row, size_t size)
{
	unsigned int class = 0, step = 3 - row->series;

	while (class < JW_CLASSES &&
	       jw_class_size(class) < size + JW_CLASS_HEADER)
		class += step;
	return min(class, JW_CLASSES);
}

void jw_piece_push(struct engine *e, struct jw_piece *p)
{
	struct jw_classes *c = e->state;
	struct jw_piece *next = jw_piece_at(e, c->list[p->class]);

	p->free = true;
	p->prev = JW_NONE;
	p->next = jw_piece_link(e, next);
	if (next)
		next->prev = jw_piece_link(e, p);
	c->list[p->class] = jw_piece_link(e, p);
	c->nr_free++;
}

/* Takes a piece that is free from its list. */
void jw_piece_take(struct engine *e, struct jw_piece *p)
{
	struct jw_classes *c = e->state;
	struct jw_piece *next = jw_piece_at(e, p->next);
	struct jw_piece *prev = jw_piece_at(e, p->prev);

	if (next)
		next->prev = p->prev;
	*(prev ? &prev->next : &c->list[p->class]) = p->next;
	p->free = false;
	c->nr_free--;
}

/* A list is looked at: its first piece, or NULL. */
struct jw_piece *jw_piece_pop(struct engine *e, unsigned int class)
{
	struct jw_classes *c = e->state;
	struct jw_piece *p = jw_piece_at(e, c->list[class]);

	engine_visit(e, p);
	if (p)
		jw_piece_take(e, p);
	return p;
}

bool jw_classes_start(struct engine *e)
{
	e->state = calloc(1, sizeof(struct jw_classes));
	return e->state;
}

void jw_classes_stop(struct engine *e)
{
	free(e->state);
}

/* All lists: what is wrong, or NULL; and the bytes that are free. */
const char *jw_classes_check(struct engine *e, size_t *bytes)
{
	struct jw_classes *c = e->state;
	unsigned int class;
	size_t nr = 0;

	*bytes = 0;
	for (class = 0; class < JW_CLASSES; class++) {
		struct jw_piece *p = jw_piece_at(e, c->list[class]);
		u32 prev = JW_NONE;

		for (; p; p = jw_piece_at(e, p->next)) {
			if (!p->free || p->class != class)
				return "a piece is on a list and not free, or of another class";
			if (p->prev != prev || nr++ > c->nr_free)
				return "a list of free pieces is broken";
			prev = jw_piece_link(e, p);
			*bytes += jw_class_size(class);
		}
	}
	return nr == c->nr_free ? NULL : "free pieces are on no list";
}
