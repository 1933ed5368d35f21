// SPDX-License-Identifier: GPL-2.0
/*
 * An allocator that is broken on purpose, to prove that the test notices.
 * Blocks of one size wait in stashes that every CPU pushes to and pops from
 * without a lock.  So now and then a block is handed out twice, or is lost, and
 * the test has to report it.
 *
 * It does no harm to the kernel: its blocks are curpage's, which does not get
 * them back before the end.  Accesses are marked, since the test has to find
 * the races, not KCSAN.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/slab.h>

#include "torture.h"

#define CPT_STASH	64	/* blocks in the stash of a CPU */
#define CPT_BUSTED	(&cpt_caches[0])

struct cpt_stash {
	unsigned int nr;
	void *obj[CPT_STASH];
};

static DEFINE_PER_CPU(struct cpt_stash, cpt_stash);
static void **cpt_busted_blocks;

static unsigned int cpt_busted_nr(void)
{
	return num_possible_cpus() * CPT_STASH / 2;
}

/* Widen the window of the race, for one address in eight. */
static void cpt_busted_dawdle(void *obj)
{
	unsigned int i;

	if (!((unsigned long)obj >> 5 & 7))
		for (i = 0; i < 10; i++)
			cpu_relax();
}

static void *cpt_stash_pop(struct cpt_stash *s)
{
	unsigned int nr = READ_ONCE(s->nr);
	void *obj;

	if (!nr)
		return NULL;
	obj = READ_ONCE(s->obj[nr - 1]);
	cpt_busted_dawdle(obj);
	WRITE_ONCE(s->nr, nr - 1);
	return obj;
}

static bool cpt_stash_push(struct cpt_stash *s, void *obj)
{
	unsigned int nr = READ_ONCE(s->nr);

	if (nr == CPT_STASH)
		return false;
	WRITE_ONCE(s->obj[nr], obj);
	cpt_busted_dawdle(obj);
	WRITE_ONCE(s->nr, nr + 1);
	return true;
}

static void *cpt_busted_alloc(struct cpt_block *b, gfp_t gfp)
{
	void *obj = NULL;
	int cpu;

	if (b->cache != CPT_BUSTED->cache)
		return cpt_curpage_alloc(b, gfp);
	for_each_possible_cpu(cpu) {
		obj = cpt_stash_pop(per_cpu_ptr(&cpt_stash, cpu));
		if (obj)
			break;
	}
	if (obj && gfp & __GFP_ZERO)
		memset(obj, 0, b->size);
	return obj;
}

static void cpt_busted_free(struct cpt_ctx *ctx, struct cpt_block *b)
{
	int cpu;

	if (b->cache != CPT_BUSTED->cache) {
		cpt_curpage_free(ctx, b);
		return;
	}
	for_each_possible_cpu(cpu)
		if (cpt_stash_push(per_cpu_ptr(&cpt_stash, cpu), b->obj))
			return;
}

static void cpt_busted_exit(void)
{
	curpage_cache_free_bulk(CPT_BUSTED->cache, cpt_busted_nr(),
				cpt_busted_blocks);
	kfree(cpt_busted_blocks);
}

static int cpt_busted_init(void)
{
	unsigned int i = 0, nr;
	int cpu;

	cpt_busted_blocks = kcalloc(cpt_busted_nr(), sizeof(void *),
				    GFP_KERNEL);
	if (!cpt_busted_blocks)
		return -ENOMEM;
	if (!curpage_cache_alloc_bulk(CPT_BUSTED->cache, GFP_KERNEL,
				      cpt_busted_nr(), cpt_busted_blocks)) {
		kfree(cpt_busted_blocks);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		struct cpt_stash *s = per_cpu_ptr(&cpt_stash, cpu);

		for (nr = 0; nr < CPT_STASH / 2; nr++)
			s->obj[nr] = cpt_busted_blocks[i++];
		s->nr = nr;
	}
	return 0;
}

const struct cpt_ops cpt_busted_ops = {
	.name	= "busted",
	.init	= cpt_busted_init,
	.exit	= cpt_busted_exit,
	.alloc	= cpt_busted_alloc,
	.free	= cpt_busted_free,
};
