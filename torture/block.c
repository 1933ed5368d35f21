// SPDX-License-Identifier: GPL-2.0
/*
 * A block and what is written into it.  A block has one owner at a time, so all
 * of it is as its owner left it.  A block that was handed out twice, or that
 * others wrote to, shows when it is freed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "torture.h"

#define CPT_WORD	sizeof(u64)

/*
 * Stamp a block.  The last word is the stamp, and the first word if there is
 * room for both.  Every other byte is the lowest byte of the stamp.
 */
static void cpt_block_stamp(struct cpt_block *b)
{
	memset(b->obj, (u8)b->stamp, b->size);
	if (b->size >= 2 * CPT_WORD)
		memcpy(b->obj, &b->stamp, CPT_WORD);
	if (b->size >= CPT_WORD)
		memcpy(b->obj + b->size - CPT_WORD, &b->stamp, CPT_WORD);
}

/* Return: a place where the block is not as its owner left it, or NULL. */
static void *cpt_block_damage(const struct cpt_block *b)
{
	void *last = b->obj + b->size - CPT_WORD;

	if (b->size < CPT_WORD)
		return memchr_inv(b->obj, (u8)b->stamp, b->size);
	if (memcmp(last, &b->stamp, CPT_WORD))
		return last;
	if (b->size < 2 * CPT_WORD)
		return NULL;
	if (memcmp(b->obj, &b->stamp, CPT_WORD))
		return b->obj;
	return memchr_inv(b->obj + CPT_WORD, (u8)b->stamp,
			  b->size - 2 * CPT_WORD);
}

void cpt_block_of_cache(struct cpt_block *b, const struct cpt_cache *c)
{
	b->how = CPT_BY_CACHE;
	b->cache = c->cache;
	b->size = c->size;
	b->align = c->args.align ?: (c->size < 16 ? 8 : 16);
	b->ctor = c->args.ctor;
}

/* Check a new block before anything is written into it. */
static void cpt_block_judge(const struct cpt_block *b, gfp_t gfp)
{
	if (!IS_ALIGNED((unsigned long)b->obj, b->align))
		cpt_err("%u bytes at %p: not aligned to %u", b->size,
			b->obj, b->align);
	if (b->ctor && memchr_inv(b->obj, CPT_CTOR_BYTE, CPT_CTOR_BYTES))
		cpt_err("%u bytes at %p: not as constructed", b->size,
			b->obj);
	if (gfp & __GFP_ZERO && memchr_inv(b->obj, 0, b->size))
		cpt_err("%u bytes at %p: not zeroed", b->size, b->obj);
}

/* Count, check and stamp a block that has been allocated. */
void cpt_block_got(struct cpt_ctx *ctx, struct cpt_block *b, gfp_t gfp)
{
	static const enum cpt_stat where[] = {
		[CPT_IN_SOFTIRQ] = CPT_SOFTIRQ,
		[CPT_IN_HARDIRQ] = CPT_HARDIRQ,
	};

	cpt_count(CPT_ALLOC);
	if (ctx->where != CPT_THREAD)
		cpt_count(where[ctx->where]);
	b->cpu = raw_smp_processor_id();
	b->stamp = (u64)prandom_u32_state(&ctx->rnd) << 32 |
		   prandom_u32_state(&ctx->rnd);
	cpt_block_judge(b, gfp);
	if (b->how == CPT_BY_SIZE) {
		size_t size = curpage_ksize(b->obj);

		if (size < b->size)
			cpt_err("%u bytes at %p: only %zu can be used",
				b->size, b->obj, size);
		else
			b->size = size;
	}
	cpt_block_stamp(b);
}

/*
 * Allocate a block of the kind that @b describes.  Only large blocks may be
 * refused, and any block under memory pressure.
 */
bool cpt_block_alloc(struct cpt_ctx *ctx, struct cpt_block *b)
{
	gfp_t gfp = ctx->gfp;

	if (!b->ctor && !cpt_random(ctx, 8))
		gfp |= __GFP_ZERO;
	if (b->size > PAGE_SIZE)
		gfp |= __GFP_NOWARN | __GFP_NORETRY;
	b->obj = cpt_ops->alloc(b, gfp);
	if (b->obj) {
		cpt_block_got(ctx, b, gfp);
		return true;
	}
	if (b->size > PAGE_SIZE || cpt_params.pressure_mb)
		cpt_count(CPT_REFUSED);
	else if (cpt_ops == &cpt_curpage_ops)
		cpt_err("%u bytes: allocation failed, gfp %pGg", b->size, &gfp);
	return false;
}

/*
 * Check and count a block that its owner is about to free.
 *
 * Return: false if the block is damaged.
 */
bool cpt_block_done(struct cpt_block *b)
{
	u8 *damage = cpt_block_damage(b);

	if (damage) {
		cpt_err("%u bytes at %p, stamp %016llx: byte %td is %02x; allocated on CPU %u, freed on %u",
			b->size, b->obj, b->stamp,
			damage - (u8 *)b->obj, *damage, b->cpu,
			raw_smp_processor_id());
		return false;
	}
	cpt_count(CPT_FREE);
	if (b->cpu != raw_smp_processor_id())
		cpt_count(CPT_REMOTE);
	if (b->ctor)
		cpt_ctor(b->obj);
	return true;
}

/*
 * Free a block.  A damaged block of curpage is kept, as it may have another
 * owner.
 */
void cpt_block_free(struct cpt_ctx *ctx, struct cpt_block *b)
{
	if (cpt_block_done(b) || cpt_ops != &cpt_curpage_ops)
		cpt_ops->free(ctx, b);
}
