// SPDX-License-Identifier: GPL-2.0
/* Blocks of 2^n pages, against the page allocator. */
#include "loops.h"

static __always_inline void *cb_pages_alloc(struct cb_work *w)
{
	return curpage_alloc_pages(CB_GFP, w->n);
}

static __always_inline void cb_pages_free(struct cb_work *w, void *page)
{
	curpage_free_pages(page, w->n);
}

static __always_inline void *cb_buddy_alloc(struct cb_work *w)
{
	return alloc_pages(CB_GFP, w->n);
}

static __always_inline void cb_buddy_free(struct cb_work *w, void *page)
{
	__free_pages(page, w->n);
}

static unsigned int pages_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_pages_alloc, cb_pages_free);
}

static unsigned int pages_buddy(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_buddy_alloc, cb_buddy_free);
}

static unsigned int pages_empty(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_no_alloc, cb_no_free);
}

#define PAGES	{ pages_curpage, pages_buddy, pages_empty }

const struct cb_case cb_pages_cases[] = {
	{ "pages/0", 0, 0, 1000, PAGES },
	{ "pages/3", 0, 3, 500, PAGES },
	{ "pages/6", 0, 6, 500, PAGES },
	{ }
};
