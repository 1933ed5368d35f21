// SPDX-License-Identifier: GPL-2.0
/*
 * Buddies: binary, and double with a second series of three times powers of two.
 *
 * Binary: memory grows in steps of 4K until there is a block of the size, whose
 * buddy is found by its address.  Double: the two series ask for 4K and 6K (or for
 * the one block, if it is larger) and share one stretch of memory, so that
 * addresses say nothing of buddies; each block knows how it came from what was
 * asked for, and beyond that nothing is merged.
 */
#include "jw.h"

#define BUDDY_SERIES	2U	/* from a class to the one of twice its size */

static size_t buddy_step(unsigned int class)
{
	return class % 2 ? 6 * SZ_1K : SZ_4K;
}

/* Its buddy: all of it is free and there, or NULL. */
static struct jw_piece *buddy_of(struct engine *e, struct jw_piece *p)
{
	const struct jw_class_row *row = e->kind->row;
	size_t size = jw_class_size(p->class), at = (char *)p - e->base;
	struct jw_piece *buddy;

	if (row->address) {
		at ^= size;
		if (at + size > e->end)
			return NULL;
	} else if (p->depth) {
		at += p->sides & 1 ? -size : size;
	} else {
		return NULL;
	}
	buddy = (struct jw_piece *)(e->base + at);
	engine_visit(e, buddy);
	return buddy->free && buddy->class == p->class ? buddy : NULL;
}

/* A piece becomes free, and with it what it makes up with its buddies. */
static void buddy_release(struct engine *e, struct jw_piece *p)
{
	struct jw_piece *buddy;

	while ((buddy = buddy_of(e, p))) {
		jw_piece_take(e, buddy);
		p = min(p, buddy);
		p->class += BUDDY_SERIES;
		if (p->depth) {
			p->depth--;
			p->sides >>= 1;
		}
	}
	jw_piece_push(e, p);
}

/* Halves a piece of memory until it is of the class; the upper halves are free. */
static void buddy_split(struct engine *e, struct jw_piece *p,
			unsigned int class)
{
	while (p->class != class) {
		struct jw_piece *upper;

		p->class -= BUDDY_SERIES;
		p->depth++;
		p->sides <<= 1;
		upper = (struct jw_piece *)((char *)p + jw_class_size(p->class));
		upper->class = p->class;
		upper->depth = p->depth;
		upper->sides = p->sides | 1;
		jw_piece_push(e, upper);
	}
}

static struct jw_piece *buddy_find(struct engine *e, unsigned int class)
{
	struct jw_piece *p = NULL;

	for (; class < JW_CLASSES && !p; class += BUDDY_SERIES)
		p = jw_piece_pop(e, class);
	return p;
}

/* More memory as one free piece. */
static bool buddy_add(struct engine *e, unsigned int class)
{
	struct jw_piece *p = (struct jw_piece *)jw_grow(e, jw_class_size(class));

	if (!p)
		return false;
	*p = (struct jw_piece){ .class = class };
	buddy_release(e, p);
	return true;
}

static unsigned int buddy_step_class(unsigned int class)
{
	while (jw_class_size(class) < buddy_step(class))
		class += BUDDY_SERIES;
	return class;
}

/* Asks the system until there is a piece of the class, and takes it. */
static struct jw_piece *buddy_grow(struct engine *e, unsigned int class)
{
	const struct jw_class_row *row = e->kind->row;
	struct jw_piece *p = NULL;

	if (!row->address)
		return buddy_add(e, buddy_step_class(class)) ?
			buddy_find(e, class) : NULL;
	while (!p && buddy_add(e, buddy_step_class(class % BUDDY_SERIES)))
		p = buddy_find(e, class);
	return p;
}

void *jw_buddy_alloc(struct engine *e, size_t size)
{
	unsigned int class = jw_class_of(e->kind->row, size);
	struct jw_piece *p;

	if (class == JW_CLASSES)
		return NULL;
	p = buddy_find(e, class);
	if (!p)
		p = buddy_grow(e, class);
	if (!p)
		return NULL;
	buddy_split(e, p, class);
	return (char *)p + JW_CLASS_HEADER;
}

void jw_buddy_free(struct engine *e, void *user)
{
	buddy_release(e, (struct jw_piece *)((char *)user - JW_CLASS_HEADER));
}

/* Walks through all pieces: they are end to end, and no two free buddies are. */
const char *jw_buddy_check(struct engine *e)
{
	struct engine as_it_was = *e;
	size_t at = 0, bytes = 0, on_lists;
	const char *why;

	why = jw_classes_check(e, &on_lists);
	e->paging = NULL;	/* what is looked at here is nobody's */
	while (at < e->end && !why) {
		struct jw_piece *p = (struct jw_piece *)(e->base + at);

		if (p->class >= JW_CLASSES)
			why = "a piece is of no class";
		else if (p->free && buddy_of(e, p))
			why = "two buddies are free";
		at += jw_class_size(p->class);
		bytes += p->free ? jw_class_size(p->class) : 0;
	}
	*e = as_it_was;
	if (!why && (at != e->end || bytes != on_lists))
		why = "pieces and lists are not the same memory";
	return why;
}
