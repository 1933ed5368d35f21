// SPDX-License-Identifier: GPL-2.0
/*
 * With slub=SIZE, requests for blocks of exactly SIZE bytes also go to a cache
 * of SLUB.  The line curpage_replay of /proc/slabinfo shows what that cache
 * holds under the same load.
 */
#include "kernel.h"

#include <linux/module.h>

#include "../replay.h"
#include "replay_mod.h"

/* Do not merge the cache: it would show objects of others. */
#ifdef SLAB_NO_MERGE
#define REPLAY_SLAB_FLAGS	SLAB_NO_MERGE
#else
/* Before 6.5: SLAB_NOLEAKTRACE prevents merging and has no other effect. */
#define REPLAY_SLAB_FLAGS	SLAB_NOLEAKTRACE
#endif

static unsigned int slub;
module_param(slub, uint, 0444);
MODULE_PARM_DESC(slub, "bytes of the blocks that SLUB is asked for as well, 8 to the page size (default 0: none)");

static struct kmem_cache *replay_cache;
static DEFINE_XARRAY(replay_objects);	/* by ID */

int replay_slub_event(struct replay *r, const struct replay_event *e)
{
	void *object;

	if (!replay_cache)
		return 0;
	if (!e->alloc) {
		object = xa_erase(&replay_objects, e->id);
		if (object)
			kmem_cache_free(replay_cache, object);
		return 0;
	}
	if (e->size != slub)
		return 0;
	object = kmem_cache_alloc(replay_cache, GFP_KERNEL);
	if (!object)
		return -ENOMEM;
	if (xa_err(xa_store(&replay_objects, e->id, object, GFP_KERNEL))) {
		kmem_cache_free(replay_cache, object);
		return -ENOMEM;
	}
	return 0;
}

void replay_slub_reset(void)
{
	unsigned long id;
	void *object;

	xa_for_each(&replay_objects, id, object) {
		kmem_cache_free(replay_cache, object);
		cond_resched();
	}
	xa_destroy(&replay_objects);
}

int replay_slub_init(void)
{
	if (!slub)
		return 0;
	if (slub < 8 || slub > PAGE_SIZE) {
		pr_err("parameter slub=%u: must be 0, or 8 to %lu\n", slub,
		       PAGE_SIZE);
		return -EINVAL;
	}
	replay_cache = kmem_cache_create("curpage_replay", slub, 0,
					 REPLAY_SLAB_FLAGS, NULL);
	return replay_cache ? 0 : -ENOMEM;
}

void replay_slub_exit(void)
{
	replay_slub_reset();
	kmem_cache_destroy(replay_cache);
}
