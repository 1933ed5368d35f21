// SPDX-License-Identifier: GPL-2.0
/*
 * Worker threads.  They take one step after the other, drawn at random by the
 * weights in the parameters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "torture.h"

#define CPT_BULK_MAX	48
#define CPT_PAIR_MAX	16

static struct task_struct **cpt_workers;
static unsigned int cpt_nr_workers;

/*
 * Allocate in every call of one second, and in a fourth of the calls of the
 * next second, so that pages fill and run empty by turns.
 */
static bool cpt_wanted(struct cpt_ctx *ctx)
{
	return jiffies / HZ % 2 || !cpt_random(ctx, 4);
}

static void cpt_choose_size(struct cpt_ctx *ctx, struct cpt_block *b)
{
	static const unsigned int below[] = { 128, 128, 1024, 4096 };

	b->how = CPT_BY_SIZE;
	b->size = 1 + cpt_random(ctx, below[cpt_random(ctx, 4)]);
	if (!cpt_random(ctx, 8))
		b->size = roundup_pow_of_two(b->size);
	if (ctx->where == CPT_THREAD && !cpt_random(ctx, 64))
		b->size = 1 + cpt_random(ctx, 16 * PAGE_SIZE);
	b->align = b->size < 16 ? 8 : 16;
	if (is_power_of_2(b->size))
		b->align = max_t(unsigned int, 8, b->size);
}

static void cpt_choose_pages(struct cpt_ctx *ctx, struct cpt_block *b)
{
	b->how = CPT_BY_PAGES;
	b->order = cpt_random(ctx, ctx->where == CPT_THREAD ? 7 : 2);
	/* Larger blocks are rarer: all of a block is written and read. */
	if (b->order > 2 && cpt_random(ctx, b->order))
		b->order = cpt_random(ctx, 3);
	if (ctx->where == CPT_THREAD && !cpt_random(ctx, 256))
		b->order = 7 + cpt_random(ctx, CURPAGE_MAX_ORDER - 6);
	b->size = PAGE_SIZE << b->order;
	b->align = b->size;
}

static void cpt_choose_cache(struct cpt_ctx *ctx, struct cpt_block *b)
{
	cpt_block_of_cache(b, cpt_caches_any(ctx));
}

/* Free the block in a random slot, and leave a new block there. */
static void cpt_swap(struct cpt_ctx *ctx,
		     void (*choose)(struct cpt_ctx *ctx, struct cpt_block *b))
{
	struct cpt_block b = { }, old;
	enum cpt_room room = cpt_random(ctx, 16) ||
			     ctx->where != CPT_THREAD ? CPT_SMALL : CPT_LARGE;
	unsigned int at = cpt_slots_any(ctx, room);

	if (cpt_slots_take(room, at, &old))
		cpt_block_free(ctx, &old);
	if (!cpt_wanted(ctx))
		return;
	choose(ctx, &b);
	if (!cpt_block_alloc(ctx, &b))
		return;
	if (b.how == CPT_BY_PAGES)
		cpt_count(CPT_PAGES);
	if (room != cpt_slots_room(&b) || !cpt_slots_put(room, at, &b))
		cpt_slots_leave(ctx, &b);
}

static void cpt_step_size(struct cpt_ctx *ctx)
{
	cpt_swap(ctx, cpt_choose_size);
}

static void cpt_step_cache(struct cpt_ctx *ctx)
{
	cpt_swap(ctx, cpt_choose_cache);
}

static void cpt_step_pages(struct cpt_ctx *ctx)
{
	cpt_swap(ctx, cpt_choose_pages);
}

/* Swap a block of any kind.  In an interrupt the block is small. */
void cpt_work_swap(struct cpt_ctx *ctx)
{
	static void (* const choose[])(struct cpt_ctx *, struct cpt_block *) = {
		cpt_choose_size, cpt_choose_cache, cpt_choose_cache,
	};

	if (!cpt_random(ctx, 16))
		cpt_swap(ctx, cpt_choose_pages);
	else
		cpt_swap(ctx, choose[cpt_random(ctx, ARRAY_SIZE(choose))]);
}

/*
 * Take up to @nr blocks of one cache out of the slots, whichever CPU allocated
 * them.
 *
 * Return: the number of blocks.
 */
static unsigned int cpt_bulk_gather(struct cpt_ctx *ctx,
				    const struct cpt_cache *c, void **objs,
				    unsigned int nr)
{
	struct cpt_block b;
	unsigned int try, got = 0;

	for (try = 0; try < 4 * nr && got < nr; try++) {
		if (!cpt_slots_take(CPT_SMALL, cpt_slots_any(ctx, CPT_SMALL),
				    &b))
			continue;
		if (b.cache != c->cache)
			cpt_slots_leave(ctx, &b);
		else if (cpt_block_done(&b))
			objs[got++] = b.obj;
	}
	return got;
}

/*
 * Allocate in bulk.  Leave up to half of the blocks to others, and free the
 * rest in bulk with blocks of others.
 */
void cpt_work_bulk(struct cpt_ctx *ctx)
{
	/* Not the first cache, which may be the busted one. */
	struct cpt_cache *c = &cpt_caches[1 + cpt_random(ctx, cpt_nr_caches - 1)];
	unsigned int max = ctx->where == CPT_THREAD ? CPT_BULK_MAX : 6;
	unsigned int i, kept = 0, nr = 1 + cpt_random(ctx, max);
	void *objs[CPT_BULK_MAX * 3 / 2];
	struct cpt_block b = { };

	if (!curpage_cache_alloc_bulk(c->cache, ctx->gfp, nr, objs)) {
		if (!cpt_params.pressure_mb)
			cpt_err("%u blocks of %u bytes: bulk allocation failed",
				nr, c->size);
		return;
	}
	cpt_count_by(CPT_BULK, nr);
	for (i = 0; i < nr; i++) {
		cpt_block_of_cache(&b, c);
		b.obj = objs[i];
		cpt_block_got(ctx, &b, 0);
		if (i % 2 && cpt_wanted(ctx))
			cpt_slots_leave(ctx, &b);
		else if (cpt_block_done(&b))
			objs[kept++] = b.obj;
	}
	kept += cpt_bulk_gather(ctx, c, objs + kept, max / 2);
	curpage_cache_free_bulk(c->cache, kept, objs);
}

/*
 * Exercise the fast path: allocate a few blocks, and free them at once in any
 * order.
 */
static void cpt_step_pair(struct cpt_ctx *ctx)
{
	struct cpt_cache *c = cpt_caches_any(ctx);
	unsigned int nr = 1 + cpt_random(ctx, CPT_PAIR_MAX);
	struct cpt_block b[CPT_PAIR_MAX] = { };
	unsigned int i, got = 0;

	for (i = 0; i < nr; i++) {
		cpt_block_of_cache(&b[got], c);
		if (cpt_block_alloc(ctx, &b[got]))
			got++;
	}
	for (; got; got--) {
		i = cpt_random(ctx, got);
		cpt_block_free(ctx, &b[i]);
		b[i] = b[got - 1];
		cpt_count(CPT_PAIR);
	}
}

static void cpt_step_shrink(struct cpt_ctx *ctx)
{
	curpage_cache_shrink(cpt_caches_any(ctx)->cache);
	cpt_count(CPT_SHRINK);
}

/* Move this thread to a random CPU, unless that CPU is offline. */
void cpt_work_migrate(struct cpt_ctx *ctx)
{
	unsigned int cpu = cpt_random(ctx, nr_cpu_ids);

	if (cpu_online(cpu))
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static const struct {
	const unsigned int *weight;
	unsigned int unit;
	void (*fn)(struct cpt_ctx *ctx);
} cpt_steps[] = {
	{ &cpt_params.mix_size,		100,	cpt_step_size },
	{ &cpt_params.mix_cache,	100,	cpt_step_cache },
	{ &cpt_params.mix_pages,	100,	cpt_step_pages },
	{ &cpt_params.mix_bulk,		100,	cpt_work_bulk },
	{ &cpt_params.mix_pair,		100,	cpt_step_pair },
	{ &cpt_params.mix_shrink,	1,	cpt_step_shrink },
	{ &cpt_params.mix_shortlived,	1,	cpt_shortlived },
	{ &cpt_params.mix_same_pages,	1,	cpt_same_pages },
};

static void cpt_step(struct cpt_ctx *ctx, unsigned int total)
{
	unsigned int i, at = cpt_random(ctx, total);

	for (i = 0; i < ARRAY_SIZE(cpt_steps); i++) {
		unsigned int weight = *cpt_steps[i].weight * cpt_steps[i].unit;

		if (at < weight) {
			cpt_steps[i].fn(ctx);
			return;
		}
		at -= weight;
	}
}

static int cpt_work(void *data)
{
	unsigned int i, rounds = 0, total = 0;
	struct cpt_misuse *misuse = NULL;
	struct cpt_ctx ctx;

	cpt_ctx_init(&ctx, CPT_THREAD);
	if (cpt_params.misuse)
		misuse = cpt_misuse_new(&ctx);
	for (i = 0; i < ARRAY_SIZE(cpt_steps); i++)
		total += *cpt_steps[i].weight * cpt_steps[i].unit;
	while (!kthread_should_stop() && !cpt_failed()) {
		if (!total || cpt_resting())
			schedule_timeout_interruptible(1);
		else if (misuse && cpt_random(&ctx, 10000) < cpt_params.misuse)
			cpt_misuse(misuse);
		else
			cpt_step(&ctx, total);
		if (++rounds % 16 == 0)
			cond_resched();
		if (rounds % 512 == 0)
			cpt_work_migrate(&ctx);
	}
	cpt_misuse_free(misuse);
	return 0;
}

int cpt_work_start(void)
{
	unsigned int nr = cpt_params.threads * num_online_cpus();

	cpt_workers = kcalloc(nr, sizeof(*cpt_workers), GFP_KERNEL);
	if (!cpt_workers)
		return -ENOMEM;
	for (cpt_nr_workers = 0; cpt_nr_workers < nr; cpt_nr_workers++) {
		struct task_struct *task = cpt_thread(cpt_work, "work",
						      cpt_nr_workers);

		if (IS_ERR(task)) {
			cpt_work_stop();
			return PTR_ERR(task);
		}
		cpt_workers[cpt_nr_workers] = task;
	}
	return 0;
}

void cpt_work_stop(void)
{
	while (cpt_nr_workers)
		cpt_thread_stop(cpt_workers[--cpt_nr_workers]);
	kfree(cpt_workers);
}
