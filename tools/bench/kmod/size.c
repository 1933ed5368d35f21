// SPDX-License-Identifier: GPL-2.0
/*
 * Memory by size.  In size/N the compiler knows the size, as in
 * kmalloc(sizeof(*p)): kmalloc() then finds its cache while compiling.  In
 * vary/N it does not.
 */
#include "loops.h"

static __always_inline void cb_size_free(struct cb_work *w, void *obj)
{
	curpage_free(obj);
}

static __always_inline void cb_kmalloc_free(struct cb_work *w, void *obj)
{
	kfree(obj);
}

#define CB_DEFINE_CURPAGE(name, size)					\
static __always_inline void *name##_alloc(struct cb_work *w)		\
{									\
	return curpage_alloc(size, CB_GFP);				\
}									\
									\
static unsigned int name(struct cb_work *w, unsigned int turns)		\
{									\
	return cb_pair(w, turns, name##_alloc, cb_size_free);		\
}

#define CB_DEFINE_KMALLOC(name, size)					\
static __always_inline void *name##_alloc(struct cb_work *w)		\
{									\
	return kmalloc(size, CB_GFP);					\
}									\
									\
static unsigned int name(struct cb_work *w, unsigned int turns)		\
{									\
	return cb_pair(w, turns, name##_alloc, cb_kmalloc_free);	\
}

CB_DEFINE_CURPAGE(size_64_curpage, 64)
CB_DEFINE_CURPAGE(size_200_curpage, 200)
CB_DEFINE_CURPAGE(size_1000_curpage, 1000)
CB_DEFINE_CURPAGE(vary_curpage, w->n)
CB_DEFINE_KMALLOC(size_64_kmalloc, 64)
CB_DEFINE_KMALLOC(size_200_kmalloc, 200)
CB_DEFINE_KMALLOC(size_1000_kmalloc, 1000)
CB_DEFINE_KMALLOC(vary_kmalloc, w->n)

static unsigned int size_empty(struct cb_work *w, unsigned int turns)
{
	return cb_pair(w, turns, cb_no_alloc, cb_no_free);
}

#define SIZE(bytes) \
	{ size_##bytes##_curpage, size_##bytes##_kmalloc, size_empty }
#define VARY	{ vary_curpage, vary_kmalloc, size_empty }

const struct cb_case cb_size_cases[] = {
	{ "size/64", 0, 64, 1000, SIZE(64) },
	{ "size/200", 0, 200, 1000, SIZE(200) },
	{ "size/1000", 0, 1000, 1000, SIZE(1000) },
	{ "vary/64", 0, 64, 1000, VARY },
	{ "vary/200", 0, 200, 1000, VARY },
	{ "vary/1000", 0, 1000, 1000, VARY },
	{ }
};
