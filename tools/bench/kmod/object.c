// SPDX-License-Identifier: GPL-2.0
/* Objects from a cache: pairs, batches in order and shuffled, bulks. */
#include "loops.h"

static unsigned int pair_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_curpage_alloc, cb_curpage_free);
}

static unsigned int pair_slub(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_slub_alloc, cb_slub_free);
}

static unsigned int pair_empty(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_no_alloc, cb_no_free);
}

static unsigned int batch_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_batch(w, turns, cb_curpage_alloc, cb_curpage_free, false);
}

static unsigned int batch_slub(struct cb_work *w, unsigned int turns)
{
	return cb_batch(w, turns, cb_slub_alloc, cb_slub_free, false);
}

static unsigned int batch_empty(struct cb_work *w, unsigned int turns)
{
	return cb_batch(w, turns, cb_no_alloc, cb_no_free, false);
}

static unsigned int shuffled_curpage(struct cb_work *w, unsigned int turns)
{
	return cb_batch(w, turns, cb_curpage_alloc, cb_curpage_free, true);
}

static unsigned int shuffled_slub(struct cb_work *w, unsigned int turns)
{
	return cb_batch(w, turns, cb_slub_alloc, cb_slub_free, true);
}

static unsigned int shuffled_empty(struct cb_work *w, unsigned int turns)
{
	return cb_batch(w, turns, cb_no_alloc, cb_no_free, true);
}

static unsigned int bulk_curpage(struct cb_work *w, unsigned int turns)
{
	for (; turns; turns--) {
		if (unlikely(!curpage_cache_alloc_bulk(w->curpage, CB_GFP,
						       w->n, w->objs)))
			break;
		curpage_cache_free_bulk(w->curpage, w->n, w->objs);
	}
	return turns;
}

static unsigned int bulk_slub(struct cb_work *w, unsigned int turns)
{
	for (; turns; turns--) {
		if (unlikely(!kmem_cache_alloc_bulk(w->slub, CB_GFP, w->n,
						    w->objs)))
			break;
		kmem_cache_free_bulk(w->slub, w->n, w->objs);
	}
	return turns;
}

static unsigned int bulk_empty(struct cb_work *w, unsigned int turns)
{
	for (; turns; turns--)
		barrier_data(w->objs);
	return turns;
}

#define PAIR	{ pair_curpage, pair_slub, pair_empty }
#define BATCH	{ batch_curpage, batch_slub, batch_empty }

const struct cb_case cb_object_cases[] = {
	{ "pair/16", 16, 1, 1000, PAIR },
	{ "pair/64", 64, 1, 1000, PAIR },
	{ "pair/256", 256, 1, 1000, PAIR },
	{ "pair/1024", 1024, 1, 1000, PAIR },
	{ "batch/10", 64, 10, 100, BATCH },
	{ "batch/100", 64, 100, 20, BATCH },
	{ "batch/1000", 64, 1000, 4, BATCH },
	{ "shuffled/1000", 64, 1000, 4,
	  { shuffled_curpage, shuffled_slub, shuffled_empty } },
	{ "bulk/32", 64, 32, 32, { bulk_curpage, bulk_slub, bulk_empty } },
	{ }
};
