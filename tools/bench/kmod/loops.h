/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loops.  They are inlined with their arguments, so that each allocator is
 * called directly: a call by pointer costs as much as some of what is measured.
 * The test for NULL is what every caller has.
 */
#ifndef CB_LOOPS_H
#define CB_LOOPS_H

#include <linux/curpage.h>

#include "bench.h"

typedef void *(*cb_alloc)(struct cb_work *w);
typedef void (*cb_free)(struct cb_work *w, void *obj);

/* An object is freed before the next one is allocated. */
static __always_inline unsigned int
cb_pair(struct cb_work *w, unsigned int turns, cb_alloc alloc, cb_free free)
{
	for (; turns; turns--) {
		void *obj = alloc(w);

		if (unlikely(!obj))
			break;
		free(w, obj);
	}
	return turns;
}

/* w->n objects are allocated, then freed, in the same order or in w->order. */
static __always_inline unsigned int
cb_batch(struct cb_work *w, unsigned int turns, cb_alloc alloc, cb_free free,
	 bool shuffled)
{
	unsigned int i, n = w->n;

	for (; turns; turns--) {
		for (i = 0; i < n; i++) {
			w->objs[i] = alloc(w);
			if (unlikely(!w->objs[i]))
				goto failed;
		}
		for (i = 0; i < n; i++)
			free(w, w->objs[shuffled ? w->order[i] : i]);
	}
	return 0;

failed:
	while (i--)
		free(w, w->objs[i]);
	return turns;
}

/* The half of a turn: w->objs is filled, or freed, from its end. */
static __always_inline unsigned int
cb_fill(struct cb_work *w, unsigned int turns, cb_alloc alloc)
{
	for (; turns; turns--) {
		void *obj = alloc(w);

		if (unlikely(!obj))
			break;
		w->objs[turns - 1] = obj;
	}
	return turns;
}

static __always_inline unsigned int
cb_drain(struct cb_work *w, unsigned int turns, cb_free free)
{
	for (; turns; turns--)
		free(w, w->objs[turns - 1]);
	return 0;
}

/* The two allocators of objects. */
static __always_inline void *cb_curpage_alloc(struct cb_work *w)
{
	return curpage_cache_alloc(w->curpage, CB_GFP);
}

static __always_inline void cb_curpage_free(struct cb_work *w, void *obj)
{
	curpage_cache_free(w->curpage, obj);
}

static __always_inline void *cb_slub_alloc(struct cb_work *w)
{
	return kmem_cache_alloc(w->slub, CB_GFP);
}

static __always_inline void cb_slub_free(struct cb_work *w, void *obj)
{
	kmem_cache_free(w->slub, obj);
}

/* What is left of a loop without an allocator. */
static __always_inline void *cb_no_alloc(struct cb_work *w)
{
	void *obj = w;

	OPTIMIZER_HIDE_VAR(obj);
	return obj;
}

static __always_inline void cb_no_free(struct cb_work *w, void *obj)
{
	barrier_data(obj);
}

#endif /* CB_LOOPS_H */
