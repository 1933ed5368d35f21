// SPDX-License-Identifier: GPL-2.0
/*
 * Strict LRU paging, in constant time for each reference.  Pages are on a list,
 * the most recent first, with a mark at the last page of each working set.
 */
#include "lab.h"
#include "lru.h"

bool sim_lru_init(struct sim_lru *l, unsigned long max_pages)
{
	l->page = calloc(max_pages + 1, sizeof(*l->page));
	return l->page;
}

void sim_lru_exit(struct sim_lru *l)
{
	free(l->page);
	l->page = NULL;
}

static void sim_lru_unlink(struct sim_lru *l, u32 p)
{
	struct sim_lru_page *page = &l->page[p];

	l->page[page->prev].next = page->next;
	l->page[page->next].prev = page->prev;
}

static void sim_lru_push(struct sim_lru *l, u32 p)
{
	struct sim_lru_page *page = &l->page[p];

	page->next = l->page[0].next;
	page->prev = 0;
	l->page[page->next].prev = p;
	l->page[0].next = p;
}

/* Move the last page of a full working set out of it. */
static void sim_lru_push_out(struct sim_lru *l, unsigned int set)
{
	u32 last = l->last[set];

	l->page[last].zone = set + 2;
	l->last[set] = l->page[last].prev;
}

/* Account for a new page: working sets that are not full grow. */
static void sim_lru_grow(struct sim_lru *l)
{
	unsigned int i;

	l->pages++;
	for (i = 0; i < l->nr; i++) {
		if (l->pages > l->size[i])
			sim_lru_push_out(l, i);
		else if (l->pages == l->size[i])
			l->last[i] = l->page[0].prev;
	}
}

/* Reference a page other than the most recent one. */
void sim_lru_miss(struct sim_lru *l, u32 p)
{
	bool fresh = !l->page[p].zone;
	unsigned int outside = fresh ? l->nr : l->page[p].zone - 1;
	unsigned int i;

	for (i = 0; i < outside; i++)
		l->faults[i]++;
	if (!fresh) {
		if (outside < l->nr && l->last[outside] == p)
			l->last[outside] = l->page[p].prev;
		sim_lru_unlink(l, p);
	}
	sim_lru_push(l, p);
	l->page[p].zone = 1;
	if (fresh)
		sim_lru_grow(l);
	else
		for (i = 0; i < outside; i++)
			sim_lru_push_out(l, i);
}

void sim_lru_json(const struct sim_lru *l, FILE *to)
{
	unsigned int i;

	fprintf(to, "{\"references\": %lu, \"pages\": %u, \"working_sets\": [",
		l->refs, l->pages);
	for (i = 0; i < l->nr; i++)
		fprintf(to, "%s{\"pages\": %u, \"faults\": %lu}", i ? ", " : "",
			l->size[i], l->faults[i]);
	fputs("]}", to);
}
