// SPDX-License-Identifier: GPL-2.0
/*
 * SLUB as Linux has it up to 6.17, after mm/slub.c of 6.12: the CPU allocates
 * from a slab of its own, then from slabs on its partial list, then takes several
 * from the node's partial list, then makes one.  A full slab of which an object
 * is freed goes to the CPU's list, and when that is long all of it goes to the
 * node's.  There empty slabs are freed beyond min_partial.
 *
 * With one CPU nothing is ever freed by another, so the CPU's slab is left only
 * when it is full.
 */
#include "slub.h"

/* __put_partials() */
static void slub_put_partials(struct slub_cache *c, struct slub_slab *slab)
{
	struct slub_slab *next, *discard = NULL;

	for (; slab; slab = next) {
		next = slab->next;
		engine_visit(slub_engine(c), NULL);
		if (!slab->inuse && c->nr_partial >= c->min_partial) {
			slab->next = discard;
			discard = slab;
		} else {
			slub_add_partial(c, slab, true);
		}
	}
	for (; discard; discard = next) {
		next = discard->next;
		slub_discard(c, discard);
	}
}

/* put_cpu_partial(); drain: the list may be too long now. */
static void slub_put_cpu_partial(struct slub_cache *c, struct slub_slab *slab,
				 bool drain)
{
	struct slub_slab *old = c->cpu_partial, *put = NULL;

	engine_visit(slub_engine(c), NULL);
	if (old && drain && old->slabs >= c->cpu_partial_slabs) {
		put = old;
		old = NULL;
	}
	slab->slabs = (old ? old->slabs : 0) + 1;
	slab->next = old;
	c->cpu_partial = slab;
	slub_put_partials(c, put);
}

/* get_partial_node(): one for now and some for the CPU's list. */
static struct slub_slab *slub_get_partial(struct slub_cache *c)
{
	struct slub_slab *slab, *next, *partial = NULL;
	unsigned int more = 0;

	list_for_each_entry_safe(slab, next, &c->partial, list) {
		engine_visit(slub_engine(c), NULL);
		slub_remove_partial(c, slab);
		if (!partial) {
			partial = slab;
			if (!c->cpu_partial_slabs)
				break;
			continue;
		}
		slub_put_cpu_partial(c, slab, false);
		if (++more > c->cpu_partial_slabs / 2)
			break;
	}
	return partial;
}

/* The slab's free objects are the CPU's from now on: get_freelist(). */
static void *slub_get_freelist(struct slub_cache *c, struct slub_slab *slab)
{
	void *freelist = slab->freelist;

	engine_visit(slub_engine(c), NULL);
	slab->freelist = NULL;
	slab->inuse = slab->objects;
	slab->frozen = freelist;
	return freelist;
}

/* ___slab_alloc(): the CPU has no object left. */
static bool slub_refill(struct slub_cache *c)
{
	struct slub_slab *slab = c->slab;

	if (slab)
		c->freelist = slub_get_freelist(c, slab);
	if (c->freelist)
		return true;
	c->slab = NULL;
	slab = c->cpu_partial;
	if (slab)
		c->cpu_partial = slab->next;
	else
		slab = slub_get_partial(c) ?: slub_new_slab(c);
	if (!slab)
		return false;
	c->slab = slab;
	c->freelist = slub_get_freelist(c, slab);
	return true;
}

static void *slub_alloc(struct engine *e, size_t size)
{
	struct slub *s = e->state;
	struct slub_cache *c = slub_class(s, size);
	void *object;

	if (!c)
		return slub_large_alloc(s, size);
	if (!c->freelist && !slub_refill(c))
		return NULL;
	object = c->freelist;
	c->freelist = slub_next(c, object);
	return object;
}

/* __slab_free(): not of the CPU's slab. */
static void slub_slab_free(struct slub_cache *c, struct slub_slab *slab,
			   void *object)
{
	void *prior = slab->freelist;

	slub_set_next(c, object, prior);
	slab->freelist = object;
	slab->inuse--;
	if (!prior && c->slub->has_cpu_partial) {
		slub_put_cpu_partial(c, slab, true);
		return;
	}
	/* On the CPU's list nothing happens to it. */
	if (prior && (slab->inuse || !slab->on_node))
		return;
	slub_settle(c, slab, !prior);
}

static void slub_free(struct engine *e, void *block)
{
	struct slub *s = e->state;
	struct slub_slab *slab = slub_slab_of(s, block);
	struct slub_cache *c = slab->cache;

	if (!c) {
		slub_large_free(s, slab);
	} else if (slab == c->slab) {
		slub_set_next(c, block, c->freelist);
		c->freelist = block;
	} else {
		slub_slab_free(c, slab, block);
	}
}

static unsigned int slub_count(const struct slub_cache *c, void *object)
{
	unsigned int nr = 0;

	for (; object; object = *(void **)((char *)object + c->offset))
		nr++;
	return nr;
}

/* The CPU's slab counts its free objects as in use. */
static const char *slub_check_cpu(struct slub_cache *c)
{
	struct slub_slab *slab = c->slab;
	unsigned int slabs = c->cpu_partial ? c->cpu_partial->slabs : 0;
	const char *why;

	if (c->freelist && !slab)
		return "there are free objects of no slab";
	if (slab && (slab->on_node || slub_count(c, c->freelist) > slab->objects))
		return "the CPU's slab is wrong";
	if (slab && c->freelist && slub_slab_of(c->slub, c->freelist) != slab)
		return "the CPU's objects are of another slab";
	for (slab = c->cpu_partial; slab; slab = slab->next, slabs--) {
		if (slab->slabs != slabs || slab->on_node || slab->frozen)
			return "the CPU's partial list is wrong";
		why = slub_check_slab(c, slab, slab->freelist, 0);
		if (why)
			return why;
	}
	return slabs ? "the CPU's partial list is miscounted" : NULL;
}

static const char *slub_check(struct engine *e)
{
	struct slub *s = e->state;
	const char *why = slub_check_pages(s);
	unsigned int i;

	for (i = 0; i < SLUB_CLASSES && !why; i++)
		why = slub_check_cpu(&s->cache[i]) ?:
		      slub_check_partial(&s->cache[i]);
	return why;
}

/* CONFIG_SLUB_CPU_PARTIAL; on the way what the CPU has goes to the node. */
static void slub_tune_partial(struct slub *s, bool on)
{
	unsigned int i;

	s->has_cpu_partial = on;
	slub_orders(s);
	for (i = 0; i < SLUB_CLASSES; i++) {
		slub_put_partials(&s->cache[i], s->cache[i].cpu_partial);
		s->cache[i].cpu_partial = NULL;
	}
}

static bool slub_cpu_tune(struct engine *e, const char *text)
{
	struct slub *s = e->state;

	if (!strcmp(text, "cpu-partial=on"))
		slub_tune_partial(s, true);
	else if (!strcmp(text, "cpu-partial=off"))
		slub_tune_partial(s, false);
	else
		return slub_tune(s, text);
	return true;
}

static const struct engine_kind slub_kinds[] = {
	{
		.name = "slub-6.12",
		.about = "SLUB up to 6.17: a CPU's slab, and partial lists",
		.align = 8,
		.start = slub_start,
		.alloc = slub_alloc,
		.free = slub_free,
		.used = slub_used,
		.check = slub_check,
		.tune = slub_cpu_tune,
		.tunes = "cpu-partial=on, cpu-partial=off or cpus=N, 1 to "
			 SLUB_CPUS_TEXT,
		.stop = slub_stop,
	},
	{
		.name = "slub-7",
		.about = "SLUB from 7.0 on: two sheaves of a CPU, and a barn",
		.align = 8,
		.start = slub_sheaves_start,
		.alloc = slub_sheaves_alloc,
		.free = slub_sheaves_free,
		.used = slub_used,
		.check = slub_sheaves_check,
		.tune = slub_sheaves_tune,
		.tunes = "cpus=N, 1 to " SLUB_CPUS_TEXT,
		.stop = slub_sheaves_stop,
	},
};

static const struct engine_family slub_family = {
	.name = "slub",
	.about = "models of SLUB on one CPU of a machine with two",
	.kind = slub_kinds,
	.nr = ARRAY_SIZE(slub_kinds),
};

ENGINE_FAMILY(slub_family);
