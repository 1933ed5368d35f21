// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of mixed sizes, 2^0 to 2^6 pages, some of them live at a time: each
 * request takes the place of a block that a former one left, chosen at random.
 * The requests are the same for both sides, and each time.
 */
#include <linux/prandom.h>

#include "loops.h"

#define MIXED_SLOTS	32
#define MIXED_STEPS	1024	/* a power of two; then they repeat */
#define MIXED_ORDERS	7
#define MIXED_SEED	1

static struct mixed_step {
	u8 slot;
	u8 order;
} mixed_steps[MIXED_STEPS];

static struct mixed_block {
	void *page;
	unsigned int order;
} mixed_blocks[MIXED_SLOTS];

typedef void *(*mixed_alloc)(unsigned int order);
typedef void (*mixed_free)(void *page, unsigned int order);

static __always_inline unsigned int
mixed_loop(unsigned int turns, mixed_alloc alloc, mixed_free free)
{
	struct mixed_block *block;
	unsigned int i;

	for (i = 0; i < turns; i++) {
		struct mixed_step step = mixed_steps[i % MIXED_STEPS];

		block = &mixed_blocks[step.slot];
		if (block->page)
			free(block->page, block->order);
		block->order = step.order;
		block->page = alloc(step.order);
		if (unlikely(!block->page))
			break;
	}
	for (block = mixed_blocks; block < mixed_blocks + MIXED_SLOTS; block++) {
		if (block->page)
			free(block->page, block->order);
		block->page = NULL;
	}
	return turns - i;
}

static __always_inline void *mixed_pages_alloc(unsigned int order)
{
	return curpage_alloc_pages(CB_GFP, order);
}

static __always_inline void mixed_pages_free(void *page, unsigned int order)
{
	curpage_free_pages(page, order);
}

static __always_inline void *mixed_buddy_alloc(unsigned int order)
{
	return alloc_pages(CB_GFP, order);
}

static __always_inline void mixed_buddy_free(void *page, unsigned int order)
{
	__free_pages(page, order);
}

static __always_inline void *mixed_no_alloc(unsigned int order)
{
	void *page = mixed_steps;

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

static __always_inline void mixed_no_free(void *page, unsigned int order)
{
	barrier_data(page);
}

static unsigned int mixed_curpage(struct cb_work *w, unsigned int turns)
{
	return mixed_loop(turns, mixed_pages_alloc, mixed_pages_free);
}

static unsigned int mixed_buddy(struct cb_work *w, unsigned int turns)
{
	return mixed_loop(turns, mixed_buddy_alloc, mixed_buddy_free);
}

static unsigned int mixed_empty(struct cb_work *w, unsigned int turns)
{
	return mixed_loop(turns, mixed_no_alloc, mixed_no_free);
}

static int mixed_run(const struct cb_case *c)
{
	struct rnd_state state;
	unsigned int i;

	prandom_seed_state(&state, MIXED_SEED);
	for (i = 0; i < MIXED_STEPS; i++) {
		mixed_steps[i].slot = prandom_u32_state(&state) % MIXED_SLOTS;
		mixed_steps[i].order = prandom_u32_state(&state) % MIXED_ORDERS;
	}
	return cb_measure(c);
}

const struct cb_case cb_mixed_cases[] = {
	{ .name = "mixed/6", .turns = 2 * MIXED_STEPS,
	  .loop = { mixed_curpage, mixed_buddy, mixed_empty },
	  .run = mixed_run },
	{ }
};
