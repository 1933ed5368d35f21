// SPDX-License-Identifier: GPL-2.0
/*
 * The pages below the models of SLUB: a binary buddy allocator that takes more
 * memory behind what it has when no free run is large enough.
 */
#include <sys/mman.h>

#include "slub.h"

#define SLUB_PAGES	(ENGINE_SPACE >> PAGE_SHIFT)

/* Entries of pages that are never used cost nothing. */
bool slub_pages_start(struct slub *s)
{
	unsigned int order;

	for (order = 0; order < SLUB_ORDERS; order++)
		INIT_LIST_HEAD(&s->free[order]);
	s->page = mmap(NULL, SLUB_PAGES * sizeof(*s->page),
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->page != MAP_FAILED)
		return true;
	s->page = NULL;
	return false;
}

void slub_pages_stop(struct slub *s)
{
	if (s->page)
		munmap(s->page, SLUB_PAGES * sizeof(*s->page));
}

static unsigned long slub_pages_end(const struct slub *s)
{
	return s->e->end >> PAGE_SHIFT;
}

static void slub_run_put(struct slub *s, unsigned long at, unsigned int order)
{
	struct slub_page *p = &s->page[at];

	p->free = true;
	p->order = order;
	list_add(&p->list, &s->free[order]);
}

static void slub_run_take(struct slub_page *p)
{
	list_del(&p->list);
	p->free = false;
}

/* Frees a run, with its buddy when that is free, and so on. */
static void slub_run_free(struct slub *s, unsigned long at, unsigned int order)
{
	for (; order + 1 < SLUB_ORDERS; order++) {
		unsigned long buddy = at ^ 1UL << order;

		if (buddy >= slub_pages_end(s) || !s->page[buddy].free ||
		    s->page[buddy].order != order)
			break;
		slub_run_take(&s->page[buddy]);
		at &= ~(1UL << order);
	}
	slub_run_put(s, at, order);
}

/* A run of that order behind all memory; what lies before it is free. */
static bool slub_pages_grow(struct slub *s, unsigned int order,
			    unsigned long *at)
{
	unsigned long end = slub_pages_end(s);
	unsigned long start = ALIGN(end, 1UL << order);
	unsigned long pages = start + (1UL << order) - end;

	if (!engine_grow(s->e, pages << PAGE_SHIFT))
		return false;
	while (end < start) {
		unsigned int gap = __builtin_ctzl(end);

		slub_run_free(s, end, gap);
		end += 1UL << gap;
	}
	*at = start;
	return true;
}

static bool slub_run_alloc(struct slub *s, unsigned int order,
			   unsigned long *at)
{
	struct slub_page *p;
	unsigned int have;

	for (have = order; have < SLUB_ORDERS; have++)
		if (!list_empty(&s->free[have]))
			break;
	if (have == SLUB_ORDERS)
		return slub_pages_grow(s, order, at);
	p = list_first_entry(&s->free[have], struct slub_page, list);
	slub_run_take(p);
	*at = p - s->page;
	while (have > order) {
		have--;
		slub_run_put(s, *at + (1UL << have), have);
	}
	return true;
}

/* A run of which so many pages are counted. */
struct slub_slab *slub_pages_alloc(struct slub *s, unsigned int order,
				   unsigned long pages)
{
	struct slub_slab *slab = calloc(1, sizeof(*slab));
	unsigned long i;

	if (!slab)
		return NULL;
	if (order >= SLUB_ORDERS || !slub_run_alloc(s, order, &slab->page)) {
		free(slab);
		return NULL;
	}
	slab->order = order;
	slab->pages = pages;
	for (i = 0; i < pages; i++)
		s->page[slab->page + i].slab = slab;
	s->pages += pages;
	return slab;
}

void slub_pages_free(struct slub *s, struct slub_slab *slab)
{
	unsigned long i;

	for (i = 0; i < slab->pages; i++)
		s->page[slab->page + i].slab = NULL;
	s->pages -= slab->pages;
	slub_run_free(s, slab->page, slab->order);
	free(slab);
}

struct slub_slab *slub_slab_of(struct slub *s, const void *block)
{
	return s->page[((char *)block - s->e->base) >> PAGE_SHIFT].slab;
}

void *slub_slab_address(const struct slub *s, const struct slub_slab *slab)
{
	return s->e->base + (slab->page << PAGE_SHIFT);
}
