// SPDX-License-Identifier: GPL-2.0
/*
 * Loads that fragment memory, after the tests of the buddy allocator that the
 * kernel has for graphics memory.
 */
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "buddies.h"

#define LOADS_SEED	1
#define LOADS_GROUP	4	/* order of a group with one long-lived page */
#define LOADS_ORDERS	7	/* of random blocks */

static struct rnd_state loads_random;

static int loads_prepare(struct bb_run *run)
{
	prandom_seed_state(&loads_random, LOADS_SEED);
	/* All pages, and as many tries. */
	run->block = kvcalloc(2 * run->pages, sizeof(*run->block), GFP_KERNEL);
	return run->block ? 0 : -ENOMEM;
}

static void loads_shuffle(struct bb_run *run)
{
	unsigned int i;

	for (i = run->nr; i > 1; i--) {
		unsigned int other = prandom_u32_state(&loads_random) % i;

		swap(run->block[i - 1], run->block[other]);
	}
}

static bool loads_take(struct bb_run *run, unsigned int order)
{
	struct page *page = bb_alloc(run, order);

	if (page)
		run->block[run->nr++] = (struct bb_block){ page, order };
	return page;
}

/* All memory as blocks of one order. */
static void loads_fill(struct bb_run *run, unsigned int order)
{
	unsigned int n = run->pages >> order;

	bb_begin(run, "fill");
	while (n--)
		loads_take(run, order);
}

static void loads_free_all(struct bb_run *run, const char *phase)
{
	unsigned int i;

	bb_begin(run, phase);
	for (i = 0; i < run->nr; i++)
		if (run->block[i].page)
			bb_free(run, &run->block[i]);
	run->nr = 0;
}

/* So many requests of one order; what comes of them goes back uncounted. */
static void loads_try(struct bb_run *run, const char *phase,
		      unsigned int order, unsigned int n)
{
	unsigned int before = run->nr;

	bb_begin(run, phase);
	while (n--)
		loads_take(run, order);
	while (run->nr > before) {
		run->nr--;
		run->side->free(run->block[run->nr].page, order);
		run->block[run->nr].page = NULL;
	}
}

/* As many large blocks as there could be. */
static void loads_large(struct bb_run *run)
{
	loads_try(run, "large", BB_LARGE_ORDER,
		  run->pages >> BB_LARGE_ORDER);
}

/* Every second block is freed, so that no two buddies are free. */
static void loads_checkerboard(struct bb_run *run, unsigned int order)
{
	unsigned int i, n;

	loads_fill(run, order);
	n = run->nr;
	bb_begin(run, "half");
	for (i = 0; i < n; i++)
		if (page_to_pfn(run->block[i].page) >> order & 1)
			bb_free(run, &run->block[i]);
	loads_try(run, "refused", order + 1, n / 2);
	loads_free_all(run, "rest");
	loads_large(run);
}

static int checkerboard_work(struct bb_run *run)
{
	loads_checkerboard(run, 0);
	return 0;
}

static int checkerboard2_work(struct bb_run *run)
{
	loads_checkerboard(run, 1);
	return 0;
}

/* Of each group of pages one lives on; the others die in random order. */
static int lifetimes_work(struct bb_run *run)
{
	unsigned long mask = (1UL << LOADS_GROUP) - 1;
	unsigned int i, lived = 0, n;

	loads_fill(run, 0);
	n = run->nr >> LOADS_GROUP;
	loads_shuffle(run);
	bb_begin(run, "short");
	for (i = 0; i < run->nr; i++) {
		struct bb_block *block = &run->block[i];

		if ((page_to_pfn(block->page) & mask) == mask / 2)
			run->block[lived++] = *block;
		else
			bb_free(run, block);
	}
	run->nr = lived;
	loads_try(run, "refused", LOADS_GROUP, n);
	bb_begin(run, "between");
	for (i = 0; i < n; i++)
		loads_take(run, LOADS_GROUP - 1);
	loads_shuffle(run);
	loads_free_all(run, "rest");
	loads_large(run);
	return 0;
}

/* Random orders, the larger ones no more once one of them is not to be had. */
static void loads_random_fill(struct bb_run *run, const char *phase)
{
	unsigned int orders = LOADS_ORDERS;

	bb_begin(run, phase);
	while (orders) {
		unsigned int order = prandom_u32_state(&loads_random) % orders;

		if (run->nr == run->pages)
			return;
		if (!loads_take(run, order))
			orders = order;
	}
}

static int random_work(struct bb_run *run)
{
	loads_random_fill(run, "take");
	loads_shuffle(run);
	loads_free_all(run, "give");
	loads_random_fill(run, "take-again");
	loads_shuffle(run);
	loads_free_all(run, "give-again");
	loads_large(run);
	return 0;
}

const struct bb_load bb_checkerboard = {
	.name = "checkerboard",
	.prepare = loads_prepare,
	.work = checkerboard_work,
};

const struct bb_load bb_checkerboard2 = {
	.name = "checkerboard-2",
	.prepare = loads_prepare,
	.work = checkerboard2_work,
};

const struct bb_load bb_lifetimes = {
	.name = "lifetimes",
	.prepare = loads_prepare,
	.work = lifetimes_work,
};

const struct bb_load bb_random = {
	.name = "random",
	.prepare = loads_prepare,
	.work = random_work,
};
