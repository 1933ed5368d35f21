// SPDX-License-Identifier: GPL-2.0
/*
 * SLUB as Linux has it from 7.0 on, after mm/slub.c of 7.3, where sheaves are all
 * that a CPU has: two arrays of pointers to free objects, main and spare, and for
 * the node a barn of full and empty ones.
 *
 * Objects in a sheaf are in use as far as their slab knows, so it can't be freed.
 * A sheaf is filled from the node's partial slabs, and then from new ones.  The
 * memory of the sheaves themselves is not counted.
 */
#include "slub.h"

#define SLUB_BARN_MAX	10U	/* MAX_FULL_SHEAVES */
#define SLUB_LOOKAHEAD	3	/* of build_detached_freelist() */
#define SLUB_SHEAF_HEAD	32U	/* bytes of struct slab_sheaf before the objects */

/* calculate_sheaf_capacity(): filled up to what kmalloc() has for it. */
static unsigned int slub_capacity(struct slub *s, unsigned int size)
{
	unsigned int capacity = size >= PAGE_SIZE ? 4 :
				size >= 1024 ? 12 :
				size >= 256 ? 26 : 60;
	size_t bytes = SLUB_SHEAF_HEAD + capacity * sizeof(void *);

	return (slub_class(s, bytes)->size - SLUB_SHEAF_HEAD) / sizeof(void *);
}

static void slub_barn_put(struct list_head *list, unsigned int *nr,
			  struct slub_sheaf *sheaf)
{
	list_add(&sheaf->list, list);
	++*nr;
}

static struct slub_sheaf *slub_barn_get(struct list_head *list,
					unsigned int *nr)
{
	struct slub_sheaf *sheaf;

	sheaf = list_first_entry_or_null(list, struct slub_sheaf, list);
	if (!sheaf)
		return NULL;
	list_del(&sheaf->list);
	--*nr;
	return sheaf;
}

static struct slub_sheaf *slub_empty_sheaf(struct slub_cache *c)
{
	return slub_barn_get(&c->barn.empty, &c->barn.nr_empty) ?:
	       calloc(1, sizeof(struct slub_sheaf));
}

/* __slab_free() of objects of one slab, linked from head to tail. */
static void slub_free_chain(struct slub_cache *c, struct slub_slab *slab,
			    void *head, void *tail, unsigned int nr)
{
	void *prior = slab->freelist;

	slub_set_next(c, tail, prior);
	slab->freelist = head;
	slab->inuse -= nr;
	if (slab->inuse && prior)
		return;
	slub_settle(c, slab, !prior);
}

/*
 * build_detached_freelist(): the last object of p[] and those of its slab that
 * are found before three others are; how many objects are left.
 */
static unsigned int slub_free_some(struct slub_cache *c, void **p,
				   unsigned int size)
{
	void *tail = p[--size], *head = tail, *object;
	struct slub_slab *slab = slub_slab_of(c->slub, tail);
	unsigned int same = size, at, nr = 1, lookahead = SLUB_LOOKAHEAD;

	for (at = size; at; ) {
		object = p[--at];
		engine_visit(slub_engine(c), NULL);
		if (slub_slab_of(c->slub, object) != slab) {
			if (!--lookahead)
				break;
			continue;
		}
		slub_set_next(c, object, head);
		head = object;
		nr++;
		same--;
		p[at] = p[same];
		p[same] = object;
	}
	slub_free_chain(c, slab, head, tail, nr);
	return same;
}

static void slub_flush(struct slub_cache *c, struct slub_sheaf *sheaf)
{
	while (sheaf->size)
		sheaf->size = slub_free_some(c, sheaf->objects, sheaf->size);
}

/*
 * get_partial_node_bulk(): slabs with so many free objects leave the node's list, in
 * its order.  The series that brought sheaves turned it round.
 */
static void slub_get_partial_bulk(struct slub_cache *c, unsigned int want,
				  struct list_head *slabs)
{
	struct slub_slab *slab, *next;
	unsigned int total = 0;

	list_for_each_entry_safe(slab, next, &c->partial, list) {
		engine_visit(slub_engine(c), NULL);
		slub_remove_partial(c, slab);
		list_add_tail(&slab->list, slabs);
		total += slab->objects - slab->inuse;
		if (total >= want)
			break;
	}
}

/* Takes up to max objects of a slab's free list; how many. */
static unsigned int slub_take_objects(struct slub_cache *c,
				      struct slub_slab *slab, void **p,
				      unsigned int max)
{
	unsigned int nr = 0;

	while (slab->freelist && nr < max) {
		p[nr] = slab->freelist;
		slab->freelist = slub_next(c, slab->freelist);
		nr++;
	}
	slab->inuse += nr;
	return nr;
}

/* A slab's free list that was taken goes back: all of it is looked at. */
static void slub_give_back(struct slub_cache *c, struct slub_slab *slab)
{
	void *object = slab->freelist;

	while (object)
		object = slub_next(c, object);
	slub_add_partial(c, slab, true);
}

/* __refill_objects_node() */
static unsigned int slub_refill_partial(struct slub_cache *c, void **p,
					unsigned int want)
{
	LIST_HEAD(slabs);
	struct slub_slab *slab, *next;
	unsigned int nr = 0;

	slub_get_partial_bulk(c, want, &slabs);
	list_for_each_entry_safe(slab, next, &slabs, list) {
		list_del(&slab->list);
		nr += slub_take_objects(c, slab, p + nr, want - nr);
		if (slab->freelist)
			slub_give_back(c, slab);
	}
	return nr;
}

/* alloc_from_new_slab() */
static unsigned int slub_refill_new(struct slub_cache *c, void **p,
				    unsigned int want)
{
	struct slub_slab *slab = slub_new_slab(c);
	unsigned int nr;

	if (!slab)
		return 0;
	nr = slub_take_objects(c, slab, p, want);
	if (slab->freelist)
		slub_add_partial(c, slab, false);
	return nr;
}

/* refill_objects() */
static unsigned int slub_refill_objects(struct slub_cache *c, void **p,
					unsigned int want)
{
	unsigned int nr = slub_refill_partial(c, p, want), more;

	while (nr < want) {
		more = slub_refill_new(c, p + nr, want - nr);
		if (!more)
			break;
		nr += more;
	}
	return nr;
}

/* refill_sheaf(): all of it or, where memory is short, nothing. */
static bool slub_refill_sheaf(struct slub_cache *c, struct slub_sheaf *sheaf)
{
	sheaf->size = slub_refill_objects(c, sheaf->objects, c->capacity);
	if (sheaf->size == c->capacity)
		return true;
	slub_flush(c, sheaf);
	return false;
}

/* __pcs_replace_empty_main() */
static bool slub_replace_empty(struct slub_cache *c)
{
	struct slub_sheaf *sheaf = c->spare;

	engine_visit(slub_engine(c), NULL);
	if (sheaf && sheaf->size) {
		c->spare = c->main;
		c->main = sheaf;
		return true;
	}
	sheaf = slub_barn_get(&c->barn.full, &c->barn.nr_full);
	if (sheaf) {
		slub_barn_put(&c->barn.empty, &c->barn.nr_empty, c->main);
		c->main = sheaf;
		return true;
	}
	sheaf = c->spare ?: slub_empty_sheaf(c);
	c->spare = NULL;
	if (!sheaf)
		return false;
	if (!slub_refill_sheaf(c, sheaf)) {
		free(sheaf);
		return false;
	}
	c->spare = c->main;
	c->main = sheaf;
	return true;
}

/* __pcs_replace_full_main() */
static bool slub_replace_full(struct slub_cache *c)
{
	struct slub_sheaf *empty = c->spare;

	engine_visit(slub_engine(c), NULL);
	if (empty && empty->size < c->capacity) {
		c->spare = c->main;
		c->main = empty;
		return true;
	}
	if (empty && c->barn.nr_full >= SLUB_BARN_MAX) {
		slub_flush(c, empty);
		c->spare = c->main;
		c->main = empty;
		return true;
	}
	empty = slub_empty_sheaf(c);
	if (!empty)
		return false;
	if (c->spare)
		slub_barn_put(&c->barn.full, &c->barn.nr_full, c->main);
	else
		c->spare = c->main;
	c->main = empty;
	return true;
}

bool slub_sheaves_start(struct engine *e)
{
	struct slub *s;
	unsigned int i;

	if (!slub_start(e))
		return false;
	s = e->state;
	for (i = 0; i < SLUB_CLASSES; i++) {
		struct slub_cache *c = &s->cache[i];

		c->capacity = slub_capacity(s, c->size);
		c->main = slub_empty_sheaf(c);
		if (!c->main) {
			slub_sheaves_stop(e);
			return false;
		}
	}
	return true;
}

void slub_sheaves_stop(struct engine *e)
{
	struct slub *s = e->state;
	struct slub_sheaf *sheaf;
	unsigned int i;

	for (i = 0; i < SLUB_CLASSES; i++) {
		struct slub_cache *c = &s->cache[i];

		while ((sheaf = slub_barn_get(&c->barn.full, &c->barn.nr_full)))
			free(sheaf);
		while ((sheaf = slub_barn_get(&c->barn.empty, &c->barn.nr_empty)))
			free(sheaf);
		free(c->main);
		free(c->spare);
	}
	slub_stop(e);
}

/* Where memory is too short for a sheaf, an object alone: ___slab_alloc(). */
void *slub_sheaves_alloc(struct engine *e, size_t size)
{
	struct slub *s = e->state;
	struct slub_cache *c = slub_class(s, size);
	void *object;

	if (!c)
		return slub_large_alloc(s, size);
	if (!c->main->size && !slub_replace_empty(c))
		return slub_refill_objects(c, &object, 1) ? object : NULL;
	engine_visit(e, NULL);
	return c->main->objects[--c->main->size];
}

void slub_sheaves_free(struct engine *e, void *block)
{
	struct slub *s = e->state;
	struct slub_slab *slab = slub_slab_of(s, block);
	struct slub_cache *c = slab->cache;

	if (!c) {
		slub_large_free(s, slab);
		return;
	}
	if (c->main->size == c->capacity && !slub_replace_full(c)) {
		slub_free_chain(c, slab, block, block, 1);
		return;
	}
	engine_visit(e, NULL);
	c->main->objects[c->main->size++] = block;
}

/* Each object of a sheaf is in use, and there only once. */
static const char *slub_check_sheaf(struct slub_cache *c,
				    const struct slub_sheaf *sheaf, bool full)
{
	unsigned int i;

	if (sheaf->size > c->capacity || (full && sheaf->size < c->capacity))
		return "a sheaf has a wrong number of objects";
	for (i = 0; i < sheaf->size; i++) {
		struct slub_slab *slab = slub_slab_of(c->slub, sheaf->objects[i]);

		if (!slab || slab->cache != c || !slab->inuse)
			return "an object in a sheaf is of no slab";
	}
	return NULL;
}

static const char *slub_check_barn(struct slub_cache *c)
{
	struct slub_sheaf *sheaf;
	unsigned int full = 0, empty = 0;
	const char *why;

	list_for_each_entry(sheaf, &c->barn.full, list) {
		why = slub_check_sheaf(c, sheaf, true);
		if (why)
			return why;
		full++;
	}
	list_for_each_entry(sheaf, &c->barn.empty, list) {
		if (sheaf->size)
			return "an empty sheaf is not";
		empty++;
	}
	return full == c->barn.nr_full && empty == c->barn.nr_empty &&
	       full <= SLUB_BARN_MAX ? NULL : "the barn is miscounted";
}

const char *slub_sheaves_check(struct engine *e)
{
	struct slub *s = e->state;
	const char *why = slub_check_pages(s);
	unsigned int i;

	for (i = 0; i < SLUB_CLASSES && !why; i++) {
		struct slub_cache *c = &s->cache[i];

		why = slub_check_sheaf(c, c->main, false);
		if (!why && c->spare)
			why = slub_check_sheaf(c, c->spare, false);
		why = why ?: slub_check_barn(c) ?: slub_check_partial(c);
	}
	return why;
}

bool slub_sheaves_tune(struct engine *e, const char *text)
{
	return slub_tune(e->state, text);
}
