// SPDX-License-Identifier: GPL-2.0
/*
 * Slots for blocks.  Any thread or interrupt puts blocks into slots and takes
 * blocks out of them, so that blocks are freed by others than those that
 * allocated them.  Nobody waits for a slot: one that is busy is left alone.
 *
 * CPT_BUSY is a lock, so the next owner of a block sees the block as the last
 * owner left it.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "torture.h"

struct cpt_slot {
	atomic_t state;
	struct cpt_block block;
};

enum { CPT_EMPTY, CPT_BUSY, CPT_FULL };

/*
 * Slots for each CPU.  There are few for large blocks, which have up to 4 MiB.
 */
static const unsigned int cpt_room_slots[CPT_NR_ROOMS] = {
	[CPT_SMALL]	= 256,
	[CPT_LARGE]	= 8,
};

static struct cpt_slot *cpt_slots[CPT_NR_ROOMS];
static unsigned int cpt_nr_slots[CPT_NR_ROOMS];

int cpt_slots_init(void)
{
	enum cpt_room room;

	for (room = 0; room < CPT_NR_ROOMS; room++) {
		cpt_nr_slots[room] = cpt_room_slots[room] * num_online_cpus();
		cpt_slots[room] = kvcalloc(cpt_nr_slots[room],
					   sizeof(struct cpt_slot),
					   GFP_KERNEL);
		if (!cpt_slots[room]) {
			cpt_slots_exit(NULL);
			return -ENOMEM;
		}
	}
	return 0;
}

void cpt_slots_exit(struct cpt_ctx *ctx)
{
	struct cpt_block b;
	enum cpt_room room;
	unsigned int at;

	for (room = 0; room < CPT_NR_ROOMS; room++) {
		for (at = 0; cpt_slots[room] && at < cpt_nr_slots[room]; at++)
			if (cpt_slots_take(room, at, &b))
				cpt_block_free(ctx, &b);
		kvfree(cpt_slots[room]);
		cpt_slots[room] = NULL;
	}
}

unsigned int cpt_slots_any(struct cpt_ctx *ctx, enum cpt_room room)
{
	return cpt_random(ctx, cpt_nr_slots[room]);
}

bool cpt_slots_take(enum cpt_room room, unsigned int at, struct cpt_block *b)
{
	struct cpt_slot *slot = &cpt_slots[room][at];

	if (atomic_cmpxchg(&slot->state, CPT_FULL, CPT_BUSY) != CPT_FULL)
		return false;
	*b = slot->block;
	atomic_set_release(&slot->state, CPT_EMPTY);
	return true;
}

bool cpt_slots_put(enum cpt_room room, unsigned int at,
		   const struct cpt_block *b)
{
	struct cpt_slot *slot = &cpt_slots[room][at];

	if (atomic_cmpxchg(&slot->state, CPT_EMPTY, CPT_BUSY) != CPT_EMPTY)
		return false;
	slot->block = *b;
	atomic_set_release(&slot->state, CPT_FULL);
	return true;
}

enum cpt_room cpt_slots_room(const struct cpt_block *b)
{
	return b->size > 2 * PAGE_SIZE ? CPT_LARGE : CPT_SMALL;
}

/* Leave a block to others, or free it if there is no room for it. */
void cpt_slots_leave(struct cpt_ctx *ctx, struct cpt_block *b)
{
	enum cpt_room room = cpt_slots_room(b);
	unsigned int try;

	for (try = 0; try < 4; try++)
		if (cpt_slots_put(room, cpt_slots_any(ctx, room), b))
			return;
	cpt_block_free(ctx, b);
}
