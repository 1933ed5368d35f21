// SPDX-License-Identifier: GPL-2.0
/*
 * What all models of SLUB share: the caches of kmalloc(), the order of their
 * slabs, new slabs, and the node's list of partial ones.
 */
#include "slub.h"

#define SLUB_MAX_ORDER		3U	/* slub_max_order */
#define SLUB_MIN_PARTIAL	5U
#define SLUB_MAX_PARTIAL	10U
#define SLUB_CPUS		2	/* as the guests of the tools have */

static const unsigned int slub_sizes[SLUB_CLASSES] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
};

static unsigned int slub_fls(unsigned int n)
{
	return n ? ilog2(n) + 1 : 0;
}

static unsigned int slub_order_objects(unsigned int order, unsigned int size)
{
	return (PAGE_SIZE << order) / size;
}

/* calculate_order(): little is lost at the end, and objects enough. */
static unsigned int slub_calculate_order(unsigned int size, unsigned int cpus)
{
	unsigned int objects = min(4 * (slub_fls(cpus) + 1),
				   slub_order_objects(SLUB_MAX_ORDER, size));
	unsigned int least = get_order(objects * size);
	unsigned int fraction, order;

	for (fraction = 16; fraction > 1; fraction /= 2)
		for (order = least; order <= SLUB_MAX_ORDER; order++) {
			unsigned int bytes = PAGE_SIZE << order;

			if (bytes % size <= bytes / fraction)
				return order;
		}
	return get_order(size);
}

/* set_cpu_partial(): so many objects, in slabs that are half full. */
static unsigned int slub_cpu_partial_slabs(const struct slub_cache *c)
{
	unsigned int objects = c->size >= PAGE_SIZE ? 6 :
			       c->size >= 1024 ? 24 :
			       c->size >= 256 ? 52 : 120;

	return DIV_ROUND_UP(objects * 2, c->objects);
}

/* A permutation, as cache_random_seq_create() makes one for each cache. */
static bool slub_random_seq(struct slub_cache *c)
{
	unsigned int i;

	free(c->random_seq);
	c->random_seq = calloc(c->objects, sizeof(*c->random_seq));
	if (!c->random_seq)
		return false;
	for (i = 0; i < c->objects; i++)
		c->random_seq[i] = i;
	for (i = c->objects - 1; i; i--) {
		unsigned int j = lab_random(&c->slub->random) % (i + 1);
		u32 other = c->random_seq[j];

		c->random_seq[j] = c->random_seq[i];
		c->random_seq[i] = other;
	}
	return true;
}

static bool slub_cache_orders(struct slub_cache *c)
{
	unsigned int objects = c->objects;

	c->order = slub_calculate_order(c->size, c->slub->cpus);
	c->objects = slub_order_objects(c->order, c->size);
	c->cpu_partial_slabs = c->slub->has_cpu_partial ?
			       slub_cpu_partial_slabs(c) : 0;
	return c->objects == objects || slub_random_seq(c);
}

/* Slabs that there are keep the order that they have. */
bool slub_orders(struct slub *s)
{
	unsigned int i;

	for (i = 0; i < SLUB_CLASSES; i++)
		if (!slub_cache_orders(&s->cache[i]))
			return false;
	return true;
}

static bool slub_cache_start(struct slub *s, struct slub_cache *c,
			     unsigned int size)
{
	unsigned int partial = ilog2(size) / 2;

	c->slub = s;
	c->size = size;
	c->offset = size / 2 & ~7U;
	c->min_partial = min(max(partial, SLUB_MIN_PARTIAL), SLUB_MAX_PARTIAL);
	INIT_LIST_HEAD(&c->partial);
	INIT_LIST_HEAD(&c->barn.full);
	INIT_LIST_HEAD(&c->barn.empty);
	return slub_cache_orders(c);
}

bool slub_start(struct engine *e)
{
	struct slub *s = calloc(1, sizeof(*s));
	unsigned int i;

	e->state = s;
	if (!s)
		return false;
	s->e = e;
	s->cpus = SLUB_CPUS;
	s->has_cpu_partial = true;
	if (!slub_pages_start(s)) {
		slub_stop(e);
		return false;
	}
	for (i = 0; i < SLUB_CLASSES; i++) {
		if (!slub_cache_start(s, &s->cache[i], slub_sizes[i])) {
			slub_stop(e);
			return false;
		}
	}
	return true;
}

void slub_stop(struct engine *e)
{
	struct slub *s = e->state;
	unsigned long at, end = e->end >> PAGE_SHIFT;
	unsigned int i;

	for (at = 0; s->page && at < end; at++) {
		struct slub_slab *slab = s->page[at].slab;

		if (!slab)
			continue;
		at = slab->page + slab->pages - 1;
		free(slab);
	}
	slub_pages_stop(s);
	for (i = 0; i < SLUB_CLASSES; i++)
		free(s->cache[i].random_seq);
	free(s);
	e->state = NULL;
}

bool slub_tune(struct slub *s, const char *text)
{
	u64 cpus;

	if (strncmp(text, "cpus=", 5) ||
	    !lab_number(text + 5, 1, SLUB_CPUS_MAX, &cpus))
		return false;
	s->cpus = cpus;
	return slub_orders(s);
}

size_t slub_used(struct engine *e)
{
	const struct slub *s = e->state;

	return s->pages << PAGE_SHIFT;
}

/* kmalloc_index(); NULL for what is made of whole pages. */
struct slub_cache *slub_class(struct slub *s, size_t size)
{
	unsigned int i;

	if (size > SLUB_CLASS_MAX)
		return NULL;
	for (i = 0; s->cache[i].size < size; i++)
		;
	return &s->cache[i];
}

/* Above what the buddy allocator has, pages as many as needed: kvmalloc(). */
void *slub_large_alloc(struct slub *s, size_t size)
{
	unsigned int order = get_order(size);
	unsigned long pages = order <= SLUB_PAGE_ORDER_MAX ?
			      1UL << order : DIV_ROUND_UP(size, PAGE_SIZE);
	struct slub_slab *slab = slub_pages_alloc(s, order, pages);

	if (!slab)
		return NULL;
	s->large += pages;
	return slub_slab_address(s, slab);
}

void slub_large_free(struct slub *s, struct slub_slab *slab)
{
	s->large -= slab->pages;
	slub_pages_free(s, slab);
}

void *slub_next(const struct slub_cache *c, void *object)
{
	engine_visit(slub_engine(c), (char *)object + c->offset);
	return *(void **)((char *)object + c->offset);
}

void slub_set_next(const struct slub_cache *c, void *object, void *next)
{
	engine_visit(slub_engine(c), (char *)object + c->offset);
	*(void **)((char *)object + c->offset) = next;
}

/* shuffle_freelist(): the cache's permutation, from anywhere on. */
static void slub_fill(struct slub_cache *c, struct slub_slab *slab)
{
	char *start = slub_slab_address(c->slub, slab);
	unsigned int at = lab_random(&c->slub->random) % c->objects;
	void *next = NULL;
	unsigned int i = 0;

	while (i < slab->objects) {
		unsigned int place = c->random_seq[at];

		at = at ? at - 1 : c->objects - 1;
		if (place >= slab->objects)
			continue;
		slub_set_next(c, start + place * c->size, next);
		next = start + place * c->size;
		i++;
	}
	slab->freelist = next;
}

/* All free and in no list; of the least order when there is no better. */
struct slub_slab *slub_new_slab(struct slub_cache *c)
{
	unsigned int least = get_order(c->size);
	struct slub_slab *slab = slub_pages_alloc(c->slub, c->order,
						  1UL << c->order);

	if (!slab && least < c->order)
		slab = slub_pages_alloc(c->slub, least, 1UL << least);
	if (!slab)
		return NULL;
	slab->cache = c;
	slab->objects = slub_order_objects(slab->order, c->size);
	slub_fill(c, slab);
	c->nr_slabs++;
	c->pages += slab->pages;
	return slab;
}

void slub_discard(struct slub_cache *c, struct slub_slab *slab)
{
	c->nr_slabs--;
	c->pages -= slab->pages;
	slub_pages_free(c->slub, slab);
}

void slub_add_partial(struct slub_cache *c, struct slub_slab *slab, bool tail)
{
	if (tail)
		list_add_tail(&slab->list, &c->partial);
	else
		list_add(&slab->list, &c->partial);
	slab->on_node = true;
	c->nr_partial++;
}

void slub_remove_partial(struct slub_cache *c, struct slub_slab *slab)
{
	list_del(&slab->list);
	slab->on_node = false;
	c->nr_partial--;
}

/*
 * The end of __slab_free(): objects of a slab are free that is empty now, or was full
 * and on no list.
 */
void slub_settle(struct slub_cache *c, struct slub_slab *slab, bool was_full)
{
	engine_visit(slub_engine(c), NULL);
	if (!slab->inuse && c->nr_partial >= c->min_partial) {
		if (!was_full)
			slub_remove_partial(c, slab);
		slub_discard(c, slab);
	} else if (was_full) {
		slub_add_partial(c, slab, true);
	}
}

/* held: objects that are neither in use nor on a list of the slab's. */
const char *slub_check_slab(struct slub_cache *c, struct slub_slab *slab,
			    void *freelist, unsigned int held)
{
	void *object;
	unsigned int nr = 0;

	for (object = freelist; object;
	     object = *(void **)((char *)object + c->offset)) {
		if (slub_slab_of(c->slub, object) != slab)
			return "a free list leads out of its slab";
		if (nr++ > slab->objects)
			return "a free list goes in a circle";
	}
	return nr + held + slab->inuse == slab->objects ? NULL :
	       "a slab's objects are not all there";
}

const char *slub_check_partial(struct slub_cache *c)
{
	struct slub_slab *slab;
	unsigned int nr = 0;
	const char *why;

	list_for_each_entry(slab, &c->partial, list) {
		nr++;
		if (slab->cache != c || !slab->on_node || slab->frozen)
			return "a slab on the node's list does not belong there";
		if (!slab->freelist)
			return "a full slab is on the node's list";
		why = slub_check_slab(c, slab, slab->freelist, 0);
		if (why)
			return why;
	}
	return nr == c->nr_partial ? NULL : "the node's list is miscounted";
}

const char *slub_check_pages(const struct slub *s)
{
	unsigned long pages = s->large;
	unsigned int i;

	for (i = 0; i < SLUB_CLASSES; i++)
		pages += s->cache[i].pages;
	return pages == s->pages ? NULL : "pages are miscounted";
}
