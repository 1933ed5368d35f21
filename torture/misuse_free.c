// SPDX-License-Identifier: GPL-2.0
/*
 * Frees that no caller may make.
 *
 * A wrong free must never be a right free of a block that belongs to others.
 * So a block is freed by its address alone only while its page cannot leave its
 * cache: another block of the page is live.  Otherwise the free names the cache
 * of the block, from which only the misusing thread allocates.
 */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "torture.h"

#define CPT_MEANWHILE	10	/* less than 2^10 calls between two frees */
#define CPT_CALL_BLOCKS	32	/* blocks of one free in bulk */
#define CPT_FOREIGN	16	/* words of foreign memory */
#define CPT_FOREIGN_BYTE	0x5a

/* One call of a free, right or wrong. */
enum cpt_by { CPT_FREE_CACHE, CPT_FREE_ADDRESS, CPT_FREE_BULK, CPT_FREE_PAGES };

struct cpt_call {
	enum cpt_by by;
	struct curpage_cache *cache;
	unsigned int order;
	unsigned int nr;
	void *obj[CPT_CALL_BLOCKS];
};

static void cpt_call_make(void *data)
{
	struct cpt_call *call = data;
	unsigned int i;

	switch (call->by) {
	case CPT_FREE_BULK:
		curpage_cache_free_bulk(call->cache, call->nr, call->obj);
		break;
	case CPT_FREE_PAGES:
		curpage_free_pages(virt_to_page(call->obj[0]), call->order);
		break;
	default:
		for (i = 0; i < call->nr; i++)
			if (call->by == CPT_FREE_CACHE)
				curpage_cache_free(call->cache, call->obj[i]);
			else
				curpage_free(call->obj[i]);
	}
}

/* Make a call on any CPU, in a thread or in an interrupt. */
static void cpt_call_anywhere(struct cpt_misuse *m, struct cpt_own *own,
			      struct cpt_call *call)
{
	cpt_elsewhere_call(m->elsewhere, m->ctx, own, cpt_call_make, call);
}

/* Draw a way to free: by cache, by address or in bulk. */
static enum cpt_by cpt_any_way(struct cpt_misuse *m)
{
	return cpt_random(m->ctx, CPT_FREE_BULK + 1);
}

/*
 * Move up to @nr live blocks of the own cache into the call, but not the first
 * one.
 */
static void cpt_call_add_live(struct cpt_misuse *m, struct cpt_call *call,
			      unsigned int nr)
{
	struct cpt_block b;

	while (nr-- && m->own.nr > 1)
		if (cpt_own_take(&m->own,
				 1 + cpt_random(m->ctx, m->own.nr - 1), &b))
			call->obj[call->nr++] = b.obj;
}

/* Put a block at a random place among those of the call. */
static void cpt_call_add(struct cpt_misuse *m, struct cpt_call *call, void *obj)
{
	unsigned int at = cpt_random(m->ctx, call->nr + 1);

	call->obj[call->nr++] = call->obj[at];
	call->obj[at] = obj;
}

/*
 * Do other calls for a while, in the own cache and in other caches.  The first
 * block of the table stays live.
 *
 * Return: false if @obj was handed out again.
 */
static bool cpt_meanwhile(struct cpt_misuse *m, void *obj)
{
	unsigned int order = cpt_random(m->ctx, CPT_MEANWHILE + 1);
	unsigned int calls = cpt_random(m->ctx, 1U << order);
	struct cpt_block *b;

	while (calls-- && !cpt_failed()) {
		switch (cpt_random(m->ctx, 8)) {
		case 0:
			b = cpt_own_alloc(m->ctx, &m->own);
			if (b && b->obj == obj)
				return false;
			break;
		case 1:
		case 2:
		case 3:
			cpt_own_drop(m->ctx, &m->own, 1);
			break;
		default:
			cpt_work_swap(m->ctx);
		}
	}
	return true;
}

/*
 * Free the second block of a table, as it should be.
 *
 * Return: the block, or NULL if it is damaged: then it is kept.
 */
void *cpt_free_second(struct cpt_misuse *m, struct cpt_own *own)
{
	struct cpt_call call = {
		.by = cpt_any_way(m), .cache = own->c.cache, .nr = 1,
	};
	struct cpt_block b;

	if (!cpt_own_take(own, 1, &b))
		return NULL;
	call.obj[0] = b.obj;
	cpt_call_anywhere(m, own, &call);
	return b.obj;
}

/* Free a block twice: the second time at once, or after up to 1023 calls. */
bool cpt_misuse_double(struct cpt_misuse *m)
{
	struct cpt_call call = {
		.by = cpt_any_way(m), .cache = m->own.c.cache,
	};
	void *obj;

	cpt_own_fill(m->ctx, &m->own);
	if (!cpt_own_pair(m->ctx, &m->own))
		return false;
	obj = cpt_free_second(m, &m->own);
	if (!obj || !cpt_meanwhile(m, obj))
		return false;
	if (call.by == CPT_FREE_BULK)
		cpt_call_add_live(m, &call, cpt_random(m->ctx, 16));
	cpt_call_add(m, &call, obj);
	cpt_call_anywhere(m, &m->own, &call);
	return true;
}

/* Free the same block twice in one call, among others. */
bool cpt_misuse_bulk(struct cpt_misuse *m)
{
	struct cpt_call call = {
		.by = CPT_FREE_BULK, .cache = m->own.c.cache,
	};
	struct cpt_block b;

	cpt_own_fill(m->ctx, &m->own);
	if (!cpt_own_pair(m->ctx, &m->own) || !cpt_own_take(&m->own, 1, &b))
		return false;
	cpt_call_add_live(m, &call, cpt_random(m->ctx, CPT_CALL_BLOCKS - 1));
	cpt_call_add(m, &call, b.obj);
	cpt_call_add(m, &call, b.obj);
	cpt_call_anywhere(m, &m->own, &call);
	return true;
}

/*
 * Free a block again after its page may have left the cache, to the arena, to
 * another cache or to the system.
 */
bool cpt_misuse_gone(struct cpt_misuse *m)
{
	struct cpt_call call = {
		.by = cpt_random(m->ctx, 2) ? CPT_FREE_CACHE : CPT_FREE_BULK,
		.cache = m->own.c.cache, .nr = 1,
	};
	unsigned int nr = cpt_random(m->ctx, 200);
	struct cpt_block b;

	cpt_own_fill(m->ctx, &m->own);
	if (!m->own.nr || !cpt_own_take(&m->own, m->own.nr - 1, &b))
		return false;
	curpage_cache_free(call.cache, b.obj);
	while (m->own.nr)
		cpt_own_drop(m->ctx, &m->own, 0);
	if (cpt_random(m->ctx, 4))
		curpage_cache_shrink(call.cache);
	while (nr--)
		cpt_work_swap(m->ctx);
	call.obj[0] = b.obj;
	cpt_call_anywhere(m, &m->own, &call);
	return true;
}

static int cpt_twice(void *call)
{
	cpt_call_make(call);
	cpt_call_make(call);
	return 0;
}

/*
 * Free twice what is in no own cache: a page block, or a block by size.  All
 * CPUs stand still meanwhile.  Only then is it certain that nobody gets the
 * block between the two frees.
 */
bool cpt_misuse_shared(struct cpt_misuse *m)
{
	struct cpt_call call = { .by = CPT_FREE_ADDRESS, .nr = 1 };
	struct cpt_block b = { };

	if (cpt_random(m->ctx, 2)) {
		b.how = CPT_BY_PAGES;
		b.order = cpt_random(m->ctx, 4);
		b.size = PAGE_SIZE << b.order;
		call.by = CPT_FREE_PAGES;
		call.order = b.order;
	} else {
		b.how = CPT_BY_SIZE;
		b.size = 1 + cpt_random(m->ctx, cpt_random(m->ctx, 4) ? 500 :
							8 * PAGE_SIZE);
	}
	b.align = 8;
	if (!cpt_block_alloc(m->ctx, &b) || !cpt_block_done(&b))
		return false;
	call.obj[0] = b.obj;
	return !stop_machine(cpt_twice, &call, NULL);
}

/* Allocate a block of any kind, for the caller to free by cpt_block_free(). */
static bool cpt_victim(struct cpt_misuse *m, struct cpt_block *b)
{
	memset(b, 0, sizeof(*b));
	b->align = 8;
	switch (cpt_random(m->ctx, 4)) {
	case 0:
		b->how = CPT_BY_PAGES;
		b->order = cpt_random(m->ctx, 4);
		b->size = PAGE_SIZE << b->order;
		break;
	case 1:
		b->how = CPT_BY_SIZE;
		b->size = 2 + cpt_random(m->ctx, 3 * PAGE_SIZE);
		break;
	default:
		cpt_block_of_cache(b, &m->own.c);
		b->align = 8;
	}
	return cpt_block_alloc(m->ctx, b);
}

/* Free a block to another cache. */
bool cpt_misuse_cache(struct cpt_misuse *m)
{
	struct cpt_call call = {
		.by = cpt_random(m->ctx, 2) ? CPT_FREE_CACHE : CPT_FREE_BULK,
		.cache = cpt_caches_any(m->ctx)->cache, .nr = 1,
	};
	struct cpt_block b;

	if (!cpt_victim(m, &b))
		return false;
	call.obj[0] = b.obj;
	cpt_call_anywhere(m, &m->own, &call);
	cpt_block_free(m->ctx, &b);
	return true;
}

/* Free an address inside a block. */
bool cpt_misuse_inside(struct cpt_misuse *m)
{
	struct cpt_call call = { .by = CPT_FREE_ADDRESS, .nr = 1 };
	struct cpt_block b;
	unsigned int at;

	if (!cpt_victim(m, &b))
		return false;
	at = 1 + cpt_random(m->ctx, b.size - 1);
	if (b.how == CPT_BY_CACHE) {
		call.by = cpt_any_way(m);
		call.cache = b.cache;
	} else if (b.order && cpt_random(m->ctx, 2)) {
		at = max_t(unsigned int, at & PAGE_MASK, PAGE_SIZE);
		call.by = CPT_FREE_PAGES;
		call.order = cpt_random(m->ctx, CURPAGE_MAX_ORDER + 1);
	}
	call.obj[0] = b.obj + at;
	cpt_call_anywhere(m, &m->own, &call);
	cpt_block_free(m->ctx, &b);
	return true;
}

/* Free a page block with another order. */
bool cpt_misuse_order(struct cpt_misuse *m)
{
	struct cpt_call call = { .by = CPT_FREE_PAGES };
	struct cpt_block b = { .how = CPT_BY_PAGES };

	b.order = cpt_random(m->ctx, 4);
	b.size = PAGE_SIZE << b.order;
	b.align = b.size;
	if (!cpt_block_alloc(m->ctx, &b))
		return false;
	call.obj[0] = b.obj;
	call.order = cpt_random(m->ctx, CURPAGE_MAX_ORDER + 1);
	if (call.order >= b.order)
		call.order++;
	cpt_call_anywhere(m, &m->own, &call);
	cpt_block_free(m->ctx, &b);
	return true;
}

static void cpt_give_page(const void *page)
{
	free_page((unsigned long)page);
}

struct cpt_foreign {
	u64 *memory;
	void (*give)(const void *memory);	/* returns it; NULL: static */
};

/*
 * Get memory that is not curpage's.
 *
 * Return: false if there is none at the moment.
 */
static bool cpt_foreign_get(struct cpt_misuse *m, struct cpt_foreign *f)
{
	static u64 data[CPT_FOREIGN];

	f->give = NULL;
	f->memory = data;
	switch (cpt_random(m->ctx, 4)) {
	case 0:
		f->give = kfree;
		f->memory = kmalloc(sizeof(data), GFP_KERNEL);
		break;
	case 1:
		f->give = vfree;
		f->memory = vmalloc(sizeof(data));
		break;
	case 2:
		f->give = cpt_give_page;
		f->memory = (u64 *)__get_free_page(GFP_KERNEL);
	}
	if (f->give && f->memory)
		memset(f->memory, CPT_FOREIGN_BYTE, sizeof(data));
	return f->memory;
}

static void cpt_foreign_put(struct cpt_foreign *f)
{
	if (!f->give)
		return;
	if (memchr_inv(f->memory, CPT_FOREIGN_BYTE, CPT_FOREIGN * sizeof(u64)))
		cpt_err("foreign memory at %p was written to", f->memory);
	f->give(f->memory);
}

/*
 * Free a pointer that is not curpage's.  The memory it points to must not
 * change.
 */
bool cpt_misuse_foreign(struct cpt_misuse *m)
{
	struct cpt_call call = {
		.by = cpt_any_way(m), .cache = m->own.c.cache, .nr = 1,
	};
	struct cpt_foreign f;
	u64 stack;

	if (!cpt_foreign_get(m, &f))
		return false;
	call.obj[0] = f.memory + cpt_random(m->ctx, CPT_FOREIGN);
	if (f.give == cpt_give_page && cpt_random(m->ctx, 2))
		call.by = CPT_FREE_PAGES;
	if (!f.give && cpt_random(m->ctx, 2))
		call.obj[0] = cpt_random(m->ctx, 2) ? &stack : (void *)-8;
	cpt_call_anywhere(m, &m->own, &call);
	cpt_foreign_put(&f);
	return true;
}
