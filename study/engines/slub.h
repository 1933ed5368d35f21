/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models of SLUB for one CPU, grouped under the file that owns them.  Names are
 * the kernel's where they mean the same.
 *
 * What is struct slab, struct kmem_cache and the like lies beside the engine's
 * memory, as the kernel has them beside the objects, and is not counted.  The
 * free list of a slab goes through its objects.  All memory is one node's.
 */
#ifndef ENGINE_SLUB_H
#define ENGINE_SLUB_H

#include "engine.h"

#define SLUB_CLASSES		13	/* kmalloc-8 to kmalloc-8k */
#define SLUB_CLASS_MAX		8192U
#define SLUB_ORDERS		24	/* of runs of pages */
#define SLUB_PAGE_ORDER_MAX	10	/* the buddy allocator's, and kmalloc()'s */
#define SLUB_CPUS_MAX		8192U
#define SLUB_CPUS_TEXT	"8192"
#define SLUB_SHEAF_MAX		64U

struct slub_slab {
	struct slub_cache *cache;	/* NULL: a block of whole pages */
	struct list_head list;		/* of the node */
	struct slub_slab *next;		/* on the CPU's partial list */
	void *freelist;
	unsigned long page;		/* the first, numbered from the base */
	unsigned long pages;		/* that are counted */
	unsigned int order;
	unsigned int objects;
	unsigned int inuse;
	unsigned int slabs;		/* on the CPU's partial list, from here on */
	bool frozen;			/* the CPU's, or in no list */
	bool on_node;			/* on the node's partial list */
};

/* A run of free pages, or a page of a slab. */
struct slub_page {
	struct list_head list;
	struct slub_slab *slab;
	u8 order;
	bool free;			/* first of a free run of that order */
};

struct slub_sheaf {
	struct list_head list;		/* of the barn */
	unsigned int size;
	void *objects[SLUB_SHEAF_MAX];
};

struct slub_barn {
	struct list_head full, empty;
	unsigned int nr_full, nr_empty;
};

struct slub_cache {
	struct slub *slub;
	unsigned int size;
	unsigned int offset;		/* of the pointer in a free object */
	unsigned int order, objects;	/* of slabs to come */
	unsigned int min_partial;
	u32 *random_seq;		/* the order of objects in a new slab */

	struct list_head partial;	/* the node's */
	unsigned int nr_partial;
	unsigned long nr_slabs, pages;

	/* Up to 6.17: the CPU's slab, and its partial ones. */
	unsigned int cpu_partial_slabs;
	struct slub_slab *slab;
	void *freelist;
	struct slub_slab *cpu_partial;

	/* From 7.0 on: the CPU's sheaves. */
	unsigned int capacity;
	struct slub_sheaf *main, *spare;
	struct slub_barn barn;
};

struct slub {
	struct engine *e;
	struct slub_page *page;		/* by number, all that can be */
	struct list_head free[SLUB_ORDERS];
	unsigned long pages;		/* in slabs and large blocks */
	unsigned long large;		/* of these, in large blocks */
	unsigned int cpus;		/* of the machine that it stands for */
	bool has_cpu_partial;
	u64 random;
	struct slub_cache cache[SLUB_CLASSES];
};

/* slub_pages.c: the buddy allocator below. */
bool slub_pages_start(struct slub *s);
void slub_pages_stop(struct slub *s);
struct slub_slab *slub_pages_alloc(struct slub *s, unsigned int order,
				   unsigned long pages);
void slub_pages_free(struct slub *s, struct slub_slab *slab);
struct slub_slab *slub_slab_of(struct slub *s, const void *block);
void *slub_slab_address(const struct slub *s, const struct slub_slab *slab);

/* slub_cache.c: caches, their slabs and the node's lists. */
bool slub_start(struct engine *e);
void slub_stop(struct engine *e);
bool slub_orders(struct slub *s);
bool slub_tune(struct slub *s, const char *text);
size_t slub_used(struct engine *e);
struct slub_cache *slub_class(struct slub *s, size_t size);
void *slub_large_alloc(struct slub *s, size_t size);
void slub_large_free(struct slub *s, struct slub_slab *slab);
void *slub_next(const struct slub_cache *c, void *object);
void slub_set_next(const struct slub_cache *c, void *object, void *next);
struct slub_slab *slub_new_slab(struct slub_cache *c);
void slub_discard(struct slub_cache *c, struct slub_slab *slab);
void slub_add_partial(struct slub_cache *c, struct slub_slab *slab, bool tail);
void slub_settle(struct slub_cache *c, struct slub_slab *slab, bool was_full);
void slub_remove_partial(struct slub_cache *c, struct slub_slab *slab);
const char *slub_check_slab(struct slub_cache *c, struct slub_slab *slab,
			    void *freelist, unsigned int held);
const char *slub_check_partial(struct slub_cache *c);
const char *slub_check_pages(const struct slub *s);

static inline struct engine *slub_engine(const struct slub_cache *c)
{
	return c->slub->e;
}

/* slub_sheaves.c: from 7.0 on. */
bool slub_sheaves_start(struct engine *e);
void slub_sheaves_stop(struct engine *e);
void *slub_sheaves_alloc(struct engine *e, size_t size);
void slub_sheaves_free(struct engine *e, void *block);
const char *slub_sheaves_check(struct engine *e);
bool slub_sheaves_tune(struct engine *e, const char *text);

#endif /* ENGINE_SLUB_H */
