// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that no caller may make: past the end of a live block, or into a free
 * block.
 *
 * Each write has a cache of its own, which is destroyed before the thread goes
 * on: damage that curpage has not found by then it finds when the pages of that
 * cache leave.  So the number of reports is known.  It would not be known if
 * the strategy of the cache changed to a pool meanwhile, as that repairs a word
 * without a report: guest.sh leaves these caches alone.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/poison.h>
#include <linux/string.h>

#include "torture.h"

/*
 * With blocks of CPT_LATE_SIZE bytes and more a page has fewer than 128 blocks,
 * so no block has a number that a changed eighth bit may lead to.
 */
#define CPT_LATE_SIZE	(PAGE_SIZE / 64)
#define CPT_LATE_SURE	3	/* bytes after which no word says "free" */

/*
 * Held for reading while memory is overwritten, for writing while
 * curpage_check() runs.
 */
DECLARE_RWSEM(cpt_damage);

/*
 * Strategies of the caches.  The last CPT_POOLS of them keep free blocks in a
 * pool.
 */
static const char * const cpt_strategy[] = {
	"mru", "least-free", "first-fit", "random", "stack", "queue",
};

#define CPT_POOLS	2

/*
 * All caches have red zones, and the word of a free block lies behind them
 * (check=1).
 */
static bool cpt_checked;

void cpt_writes_start(void)
{
	struct curpage_cache *cache = curpage_cache_create("torture-probe",
							   64, NULL);
	u8 *obj = cache ? curpage_cache_alloc(cache, GFP_KERNEL) : NULL;

	cpt_checked = obj && !memchr_inv(obj, POISON_FREE, 64);
	if (obj)
		curpage_cache_free(cache, obj);
	curpage_cache_destroy(cache);
}

bool cpt_writes_checked(void)
{
	return cpt_checked;
}

/* Change @n bytes; of each byte the eighth bit changes for certain. */
static void cpt_spoil(struct cpt_ctx *ctx, u8 *at, unsigned int n)
{
	for (; n; n--, at++)
		WRITE_ONCE(*at, READ_ONCE(*at) ^
				(0x80 | cpt_random(ctx, 0x80)));
}

/*
 * Create and fill a cache.  Caller calls cpt_write_end() next, on failure, too.
 */
static bool cpt_write_begin(struct cpt_misuse *m, unsigned int size,
			    unsigned int flags)
{
	unsigned int strategy = cpt_random(m->ctx, ARRAY_SIZE(cpt_strategy));
	struct cpt_cache *c = &m->late.c;

	down_read(&cpt_damage);
	memset(c, 0, sizeof(*c));
	c->size = size;
	c->args.flags = flags;
	c->args.freetol = 1;	/* one free block makes a candidate */
	c->args.strategy = cpt_strategy[strategy];
	m->pooled = strategy >= ARRAY_SIZE(cpt_strategy) - CPT_POOLS;
	if (!cpt_own_create(m->ctx, &m->late, "late"))
		return false;
	cpt_own_fill(m->ctx, &m->late);
	return cpt_own_pair(m->ctx, &m->late);
}

static void cpt_write_end(struct cpt_misuse *m)
{
	if (m->late.c.cache)
		cpt_own_destroy(m->ctx, &m->late);
	up_read(&cpt_damage);
}

/*
 * Allocate and free for a while.
 *
 * Return: true if @obj was handed out.
 */
static bool cpt_write_wait(struct cpt_misuse *m, const void *obj)
{
	unsigned int calls = cpt_random(m->ctx, 2 * CPT_OWN_BLOCKS);

	while (calls--) {
		struct cpt_block *b = NULL;

		if (cpt_random(m->ctx, 4))
			b = cpt_own_alloc(m->ctx, &m->late);
		else
			cpt_own_drop(m->ctx, &m->late, 1);
		if (b && b->obj == obj)
			return true;
	}
	return false;
}

/* Write past the end of a block with a red zone, and free the block. */
bool cpt_misuse_redzone(struct cpt_misuse *m)
{
	bool made = false;

	if (cpt_write_begin(m, 1 + cpt_random(m->ctx, 500), CURPAGE_CHECK)) {
		const struct cpt_block *b = &m->late.block[1];

		cpt_spoil(m->ctx, b->obj + b->size,
			  1 + cpt_random(m->ctx, 16));
		made = cpt_free_second(m, &m->late);
	}
	cpt_write_end(m);
	return made;
}

/*
 * Write into a free block with poison.  curpage reports it when the block is
 * handed out, so it is an offence only if that happens.
 */
bool cpt_misuse_poison(struct cpt_misuse *m)
{
	unsigned int size = 1 + cpt_random(m->ctx, 500);
	bool made = false;

	if (cpt_write_begin(m, size, CURPAGE_CHECK)) {
		u8 *obj = cpt_free_second(m, &m->late);
		unsigned int at = cpt_random(m->ctx, size);

		if (obj) {
			cpt_spoil(m->ctx, obj + at,
				  1 + cpt_random(m->ctx, size - at));
			made = cpt_write_wait(m, obj);
		}
	}
	cpt_write_end(m);
	return made;
}

/*
 * Put the block that lies before the second block of the table first in the
 * table.
 *
 * Return: false if that block is not live.
 */
static bool cpt_write_neighbour(struct cpt_own *own)
{
	unsigned int i;

	for (i = 0; i < own->nr; i++)
		if (own->block[i].obj + own->c.size == own->block[1].obj &&
		    offset_in_page(own->block[1].obj)) {
			swap(own->block[0], own->block[i]);
			return true;
		}
	return false;
}

/*
 * Overwrite the first @n bytes of a free block, where its word is.  With
 * @neighbour the block before it is live, and the write goes past the end of
 * that block.  The free block must not be handed out any more.  From a pool it
 * may be handed out, with the report, as long as its word says that it is free.
 */
static bool cpt_write_free(struct cpt_misuse *m, unsigned int n, bool neighbour)
{
	/* Blocks of a multiple of 16 bytes lie one right behind the other. */
	unsigned int size = CPT_LATE_SIZE + 16 * cpt_random(m->ctx, 30);
	bool made = false;

	if (cpt_checked)
		return false;
	if (cpt_write_begin(m, size, 0) &&
	    (!neighbour || cpt_write_neighbour(&m->late))) {
		void *obj = cpt_free_second(m, &m->late);

		if (obj) {
			cpt_spoil(m->ctx, obj, n);
			made = true;
			if (cpt_write_wait(m, obj) && !m->pooled)
				cpt_err("cache %s: a block that was written over is handed out",
					m->late.name);
		}
	}
	cpt_write_end(m);
	return made;
}

/* Overwrite the word of a free block, so that it no longer says "free". */
bool cpt_misuse_late(struct cpt_misuse *m)
{
	return cpt_write_free(m, CPT_LATE_SURE + cpt_random(m->ctx, 6), false);
}

/*
 * Overwrite the number of the next free block.  If the page leaves before that
 * number is needed, nothing is reported, and the write has changed nothing.
 */
bool cpt_misuse_brush(struct cpt_misuse *m)
{
	return cpt_write_free(m, 1 + cpt_random(m->ctx, CPT_LATE_SURE - 1),
			      cpt_random(m->ctx, 2));
}

/*
 * Write past the end of a block without a red zone, over the word of the next
 * block.
 */
bool cpt_misuse_overflow(struct cpt_misuse *m)
{
	return cpt_write_free(m, CPT_LATE_SURE +
			      cpt_random(m->ctx, 17 - CPT_LATE_SURE), true);
}
