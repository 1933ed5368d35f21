// SPDX-License-Identifier: GPL-2.0
/*
 * A cache that only one thread allocates from.  Threads and interrupts may free
 * its blocks for that thread.  So the thread knows which blocks are live, and
 * that a block which it has freed stays free until an allocation of its own
 * returns the same address.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "torture.h"

static atomic_t cpt_own_last;

/* Create the cache.  Caller has filled in its size and arguments. */
bool cpt_own_create(struct cpt_ctx *ctx, struct cpt_own *own, const char *kind)
{
	struct cpt_cache *c = &own->c;

	snprintf(own->name, sizeof(own->name), "torture-%s-%d", kind,
		 atomic_inc_return(&cpt_own_last));
	c->name = own->name;
	own->nr = 0;
	c->cache = curpage_cache_create(c->name, c->size, &c->args);
	if (!c->cache && !cpt_params.pressure_mb)
		cpt_err("cache %s: could not be created", c->name);
	return c->cache;
}

/*
 * Allocate a block, and put it last in the table.
 *
 * Return: the block, or NULL.
 */
struct cpt_block *cpt_own_alloc(struct cpt_ctx *ctx, struct cpt_own *own)
{
	struct cpt_block *b = &own->block[own->nr];

	if (own->nr == CPT_OWN_BLOCKS)
		return NULL;
	memset(b, 0, sizeof(*b));
	cpt_block_of_cache(b, &own->c);
	b->align = max(b->align, 8U);
	b->obj = curpage_cache_alloc(own->c.cache, ctx->gfp);
	if (!b->obj)
		return NULL;
	cpt_block_got(ctx, b, 0);
	own->nr++;
	return b;
}

/* Allocate until 2 to CPT_OWN_BLOCKS blocks are live. */
void cpt_own_fill(struct cpt_ctx *ctx, struct cpt_own *own)
{
	unsigned int nr = 2 + cpt_random(ctx, CPT_OWN_BLOCKS - 1);

	if (!cpt_random(ctx, 4))
		cpt_work_migrate(ctx);
	while (own->nr < nr && cpt_own_alloc(ctx, own))
		;
}

/*
 * Take a live block out of the table.
 *
 * Return: false if the block is damaged and must not be freed.
 */
bool cpt_own_take(struct cpt_own *own, unsigned int at, struct cpt_block *b)
{
	*b = own->block[at];
	own->block[at] = own->block[--own->nr];
	return cpt_block_done(b);
}

/*
 * Free a random live block of the table, at place @from or behind, if there is
 * one.
 */
void cpt_own_drop(struct cpt_ctx *ctx, struct cpt_own *own, unsigned int from)
{
	struct cpt_block b;

	if (own->nr > from &&
	    cpt_own_take(own, from + cpt_random(ctx, own->nr - from), &b))
		curpage_cache_free(own->c.cache, b.obj);
}

/*
 * Put two live blocks of one page first in the table.  The second of them is
 * drawn at random.  While the first is live their page stays in the cache.
 *
 * Return: false if there is no such pair.
 */
bool cpt_own_pair(struct cpt_ctx *ctx, struct cpt_own *own)
{
	unsigned int i, at;

	if (own->nr < 2)
		return false;
	at = cpt_random(ctx, own->nr);
	swap(own->block[1], own->block[at]);
	for (i = 0; i < own->nr; i++) {
		unsigned long apart = (unsigned long)own->block[i].obj ^
				      (unsigned long)own->block[1].obj;

		if (i != 1 && apart < PAGE_SIZE) {
			swap(own->block[0], own->block[i]);
			return true;
		}
	}
	return false;
}

/* Free all blocks, and destroy the cache, which curpage must not refuse. */
void cpt_own_destroy(struct cpt_ctx *ctx, struct cpt_own *own)
{
	while (own->nr)
		cpt_own_drop(ctx, own, 0);
	if (curpage_cache_destroy(own->c.cache))
		cpt_err("cache %s: blocks are still live", own->name);
	own->c.cache = NULL;
}
