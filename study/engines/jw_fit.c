// SPDX-License-Identifier: GPL-2.0
/*
 * Sequential fits: first, next and best fit, on a list in order of address, of the
 * last freed first or last.  Free neighbours are merged at once.
 *
 * The paper sets policy apart from mechanism, and so do we: the list is a tree.
 * Each free block has its place in the list as a number (its address, or when it
 * came); a tree by place, with the largest size below each node, finds the first
 * that is large enough, from the start or from a place on; a tree by size and place
 * finds the best.  The block is the one that a walk along the list would find,
 * which jw_fit_check() holds against such a walk.  Items visited are the nodes that
 * are looked at, which is far less than a walk would look at.
 *
 * Left open by the paper: a block is cut from the low end of a free one (cut=low),
 * and the rest goes on the list like a block that is freed (rest=list).  Of the
 * system only what the last free block lacks is asked for (ask=lacking).  Each can
 * be tuned: cut=high, rest=place (the rest stays on the list where the free block
 * was), ask=all.
 */
#include "jw.h"

struct fit_node {
	struct rb_node rb;
	struct jw_block *block;
	size_t size;
	size_t largest;		/* of this and all below it */
	long place;
};

struct fit {
	const struct jw_fit_row *row;
	struct rb_root tree;
	size_t nr_free;
	long ends;		/* places given at either end of the list */
	long rover;		/* next fit searches from this place on */
	struct fit_node *spare;	/* linked by rb.parent */
	bool cut_high, rest_stays, ask_all;
};

#define FIT_SIZE(node)	((node)->size)
RB_DECLARE_CALLBACKS_MAX(static, fit_largest, struct fit_node, rb, size_t,
			 largest, FIT_SIZE)

static struct fit_node *fit_entry(struct rb_node *rb)
{
	return rb ? rb_entry(rb, struct fit_node, rb) : NULL;
}

/* A free block keeps its node behind its tag. */
static struct fit_node **fit_node_of(struct jw_block *b)
{
	return (struct fit_node **)(b + 1);
}

static struct fit_node *fit_node_new(struct fit *f)
{
	struct fit_node *node = f->spare;

	if (!node)
		return malloc(sizeof(*node));
	f->spare = fit_entry(node->rb.parent);
	return node;
}

static void fit_node_free(struct fit *f, struct fit_node *node)
{
	node->rb.parent = f->spare ? &f->spare->rb : NULL;
	f->spare = node;
}

static bool fit_before(const struct fit *f, const struct fit_node *a,
		       const struct fit_node *b)
{
	if (f->row->search == JW_BEST && a->size != b->size)
		return a->size < b->size;
	return a->place < b->place;
}

static long fit_place(struct engine *e, struct jw_block *b)
{
	struct fit *f = e->state;

	switch (f->row->order) {
	case JW_LIFO:
		return -++f->ends;
	case JW_FIFO:
		return ++f->ends;
	default:
		return (char *)b - e->base;
	}
}

/* Puts a free block, whose tags are set, on the list. */
static bool fit_insert(struct engine *e, struct jw_block *b, long place)
{
	struct fit *f = e->state;
	struct rb_node **link = &f->tree.rb_node, *parent = NULL;
	struct fit_node *node = fit_node_new(f);

	if (!node)
		return false;
	node->block = b;
	node->size = jw_size(b);
	node->place = place;
	while (*link) {
		parent = *link;
		engine_visit(e, fit_entry(parent)->block);
		link = fit_before(f, node, fit_entry(parent)) ?
			&parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&node->rb, parent, link);
	node->largest = node->size;
	fit_largest_propagate(parent, NULL);
	rb_insert_augmented(&node->rb, &f->tree, &fit_largest);
	*fit_node_of(b) = node;
	f->nr_free++;
	return true;
}

/* The next search starts behind this one; from the start, if it is the last. */
static void fit_rove(struct fit *f, struct jw_block *b)
{
	struct rb_node *next = rb_next(&(*fit_node_of(b))->rb);

	f->rover = next ? fit_entry(next)->place : LONG_MIN;
}

/*
 * A rover that meant this block means the next.  In order of address fit_release()
 * moves it, to what this block becomes a part of.
 */
static void fit_remove(struct fit *f, struct jw_block *b)
{
	struct fit_node *node = *fit_node_of(b);

	if (f->row->order != JW_ADDRESS && node->place == f->rover)
		fit_rove(f, b);
	rb_erase_augmented(&node->rb, &f->tree, &fit_largest);
	fit_node_free(f, node);
	f->nr_free--;
}

/* The first of size bytes at least, from a place on. */
static struct fit_node *fit_first(struct engine *e, struct rb_node *rb,
				  size_t size, long from)
{
	struct fit_node *node = fit_entry(rb), *found;

	if (!node || node->largest < size)
		return NULL;
	engine_visit(e, node->block);
	if (node->place >= from) {
		found = fit_first(e, rb->rb_left, size, from);
		if (found)
			return found;
		if (node->size >= size)
			return node;
	}
	return fit_first(e, rb->rb_right, size, from);
}

/* The smallest of size bytes at least, and of these the first. */
static struct fit_node *fit_best(struct engine *e, size_t size)
{
	struct fit *f = e->state;
	struct rb_node *rb = f->tree.rb_node;
	struct fit_node *best = NULL;

	while (rb) {
		struct fit_node *node = fit_entry(rb);

		engine_visit(e, node->block);
		if (node->size >= size)
			best = node;
		rb = node->size >= size ? rb->rb_left : rb->rb_right;
	}
	return best;
}

static struct jw_block *fit_find(struct engine *e, size_t size)
{
	struct fit *f = e->state;
	struct fit_node *node;

	if (f->row->search == JW_BEST) {
		node = fit_best(e, size);
	} else {
		node = fit_first(e, f->tree.rb_node, size, f->rover);
		if (!node && f->rover != LONG_MIN)
			node = fit_first(e, f->tree.rb_node, size, LONG_MIN);
	}
	return node ? node->block : NULL;
}

/* Merges a block that is busy with its free neighbours, and lists it. */
static struct jw_block *fit_release(struct engine *e, struct jw_block *b)
{
	struct fit *f = e->state;
	size_t size = jw_size(b);
	struct jw_block *other = jw_above(b);
	long end;

	engine_visit(e, other);
	if (!(other->tag & JW_BUSY)) {
		size += jw_size(other);
		fit_remove(f, other);
	}
	if (!(b->tag & JW_BELOW)) {
		b = jw_below(b);
		engine_visit(e, b);
		size += jw_size(b);
		fit_remove(f, b);
	}
	jw_set_free(b, size);
	end = (char *)b - e->base + size;
	/* In order of address, a block that the rover meant is now part of this. */
	if (f->row->order == JW_ADDRESS && f->rover < end)
		f->rover = min_t(long, f->rover, end - (long)size);
	if (fit_insert(e, b, fit_place(e, b)))
		return b;
	jw_set_busy(b, size);	/* out of memory: it is lost */
	return NULL;
}

/* Asks the system, until the last block has size bytes. */
static struct jw_block *fit_grow(struct engine *e, size_t size)
{
	struct fit *f = e->state;
	struct jw_block *last = jw_last(e);
	size_t bytes = size + (e->end ? 0 : 2 * JW_HEADER);

	if (last && !f->ask_all)
		bytes -= jw_size(last);
	last = jw_extend(e, ALIGN(bytes, (size_t)f->row->step));
	return last ? fit_release(e, last) : NULL;
}

/*
 * Cuts a free block, which is on no list any more, in two: the one that is wanted;
 * the rest goes on the list.
 */
static struct jw_block *fit_cut(struct engine *e, struct jw_block *b,
				size_t want, long place)
{
	size_t rest = jw_size(b) - want;
	struct fit *f = e->state;
	struct jw_block *wanted = b, *other;
	bool stays = f->rest_stays;

	jw_set_busy(b, f->cut_high ? rest : want);
	other = jw_above(b);
	other->tag = JW_BELOW;
	jw_set_busy(other, f->cut_high ? want : rest);
	if (f->cut_high) {
		wanted = other;
		other = b;
	}
	jw_set_free(other, rest);
	if (f->row->order == JW_ADDRESS || !stays)
		place = fit_place(e, other);
	if (f->row->search == JW_NEXT && (f->row->order == JW_ADDRESS || stays))
		f->rover = place;
	/* It has the node that was just removed: there is one. */
	fit_insert(e, other, place);
	return wanted;
}

void *jw_fit_alloc(struct engine *e, size_t size)
{
	struct fit *f = e->state;
	size_t want = jw_room(size);
	struct jw_block *b = fit_find(e, want);
	long place;

	if (!b)
		b = fit_grow(e, want);
	if (!b)
		return NULL;
	place = (*fit_node_of(b))->place;
	if (f->row->search == JW_NEXT)
		fit_rove(f, b);
	fit_remove(f, b);
	if (jw_size(b) < want + JW_LEAST)
		jw_set_busy(b, jw_size(b));
	else
		b = fit_cut(e, b, want, place);
	return jw_user(b);
}

void jw_fit_free(struct engine *e, void *user)
{
	fit_release(e, jw_block(user));
}

bool jw_fit_tune(struct engine *e, const char *text)
{
	struct fit *f = e->state;
	const struct {
		const char *text;
		bool *what, on;
	} way[] = {
		{ "cut=low", &f->cut_high, false },
		{ "cut=high", &f->cut_high, true },
		{ "rest=list", &f->rest_stays, false },
		{ "rest=place", &f->rest_stays, true },
		{ "ask=lacking", &f->ask_all, false },
		{ "ask=all", &f->ask_all, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(way); i++) {
		if (strcmp(text, way[i].text))
			continue;
		*way[i].what = way[i].on;
		return true;
	}
	return false;
}

bool jw_fit_start(struct engine *e)
{
	struct fit *f = calloc(1, sizeof(*f));

	if (!f)
		return false;
	f->row = e->kind->row;
	f->rover = LONG_MIN;
	e->state = f;
	return true;
}

static void fit_free_all(struct fit *f, struct rb_node *rb)
{
	if (!rb)
		return;
	fit_free_all(f, rb->rb_left);
	fit_free_all(f, rb->rb_right);
	free(fit_entry(rb));
}

void jw_fit_stop(struct engine *e)
{
	struct fit *f = e->state;
	struct fit_node *node;

	fit_free_all(f, f->tree.rb_node);
	while ((node = f->spare)) {
		f->spare = fit_entry(node->rb.parent);
		free(node);
	}
	free(f);
}

/* Would a walk along the list take this one rather than that? */
static bool fit_rather(const struct fit *f, const struct fit_node *a,
		       const struct fit_node *b)
{
	bool behind = a->place < f->rover, other = b->place < f->rover;

	if (f->row->search == JW_BEST && a->size != b->size)
		return a->size < b->size;
	if (f->row->search == JW_NEXT && behind != other)
		return !behind;
	return a->place < b->place;
}

/* What a walk over all blocks finds for a size. */
static struct jw_block *fit_walk(struct engine *e, size_t size)
{
	struct jw_block *b = (struct jw_block *)(e->base + JW_HEADER);
	struct fit_node *best = NULL;
	struct fit *f = e->state;

	for (; jw_size(b); b = jw_above(b)) {
		if (b->tag & JW_BUSY || jw_size(b) < size)
			continue;
		if (!best || fit_rather(f, *fit_node_of(b), best))
			best = *fit_node_of(b);
	}
	return best ? best->block : NULL;
}

static const char *fit_check_free(struct engine *e, struct jw_block *b)
{
	struct fit_node *node = *fit_node_of(b);
	struct fit *f = e->state;

	if (node->block != b || node->size != jw_size(b))
		return "a free block and its place on the list differ";
	if (f->row->order == JW_ADDRESS && node->place != (char *)b - e->base)
		return "a place on the list is not the address";
	return NULL;
}

#define FIT_CHECKS	24	/* sizes that are searched for in a check */

const char *jw_fit_check(struct engine *e)
{
	struct engine as_it_was = *e;
	struct fit *f = e->state;
	const char *why;
	size_t nr, i;

	why = jw_walk(e, &nr, fit_check_free);
	if (why)
		return why;
	if (nr != f->nr_free)
		return "a block on the list is not free";
	e->paging = NULL;	/* these searches are nobody's */
	for (i = 0; e->end && i < FIT_CHECKS && !why; i++) {
		size_t size = JW_LEAST + (i < 8 ? i * JW_ALIGN : 1UL << i);

		if (fit_find(e, size) != fit_walk(e, size))
			why = "a walk along the list finds another block";
	}
	*e = as_it_was;
	return why;
}
