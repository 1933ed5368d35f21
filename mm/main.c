// SPDX-License-Identifier: GPL-2.0
/* Start the rooms of the allocator in order, and end them in reverse. */
#include "base/kernel.h"
#include "cache/kfence.h"
#include "large/large.h"
#include "params.h"
#include "size/size.h"
#include "watch/debugfs.h"
#include "watch/watch.h"

static int __init curpage_init(void)
{
	int err;

	err = cp_params_init();
	if (err)
		return err;
	if (!cp_strategies_ok() || !cp_buddy_policies_ok())
		return -EINVAL;
	err = cp_page_init_map();
	if (err)
		return err;
	cp_hot_init();
	cp_tags_init();
	cp_arena_init(&cp_arena, &cp_params.arena);
	cp_stock_init(cp_params.stock);
	cp_cache_defaults = cp_params.defaults;
	err = cp_arena_fill(&cp_arena) ?: cp_size_init();
	if (err)
		goto defaults;
	err = cp_hotplug_init();
	if (err)
		goto size;
	err = cp_reclaim_init();
	if (err)
		goto hotplug;
	cp_idle_init(cp_params.idle_ms);
	cp_debugfs_init();
	cp_kfence_init();
	pr_info("loaded: strategy %s, %u size classes, buddy %s\n",
		cp_cache_defaults.strategy->name, cp_sizemap_count(),
		cp_params.arena.policy->name);
	return 0;

hotplug:
	cp_hotplug_exit();
size:
	cp_size_exit();
defaults:
	/*
	 * Built in, we can still be called: no cache can be made, no page had.
	 */
	cp_cache_defaults.strategy = NULL;
	cp_arena_trim(&cp_arena, 0);
	cp_arena_close(&cp_arena);
	return err;
}

static void __exit curpage_exit(void)
{
	cp_debugfs_exit();
	cp_idle_exit();
	cp_reclaim_exit();
	cp_hotplug_exit();
	cp_size_exit();
	cp_pages_exit();
	pr_info("unloaded: %lu pages not returned\n", cp_arena.held);
}

subsys_initcall(curpage_init);	/* before its users, when built in */
module_exit(curpage_exit);
MODULE_DESCRIPTION("Slab and page allocator that keeps live objects on few pages");
MODULE_AUTHOR("The curpage authors");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
