// SPDX-License-Identifier: GPL-2.0
/* Start the rooms of the allocator in order, and end them in reverse. */
#include "kernel.h"
#include "internal.h"
#include "params.h"
#include "debugfs.h"

static int __init curpage_init(void)
{
	int err;

	err = cp_params_init();
	if (err)
		return err;
	if (!cp_strategies_ok() || !cp_buddy_policies_ok())
		return -EINVAL;
	cp_page_init_tags();
	cp_arena_init(&cp_arena, cp_params.chunk_order, cp_params.max_pages);
	cp_cache_defaults = cp_params.defaults;
	err = cp_size_init();
	if (err)
		goto defaults;
	err = cp_reclaim_init();
	if (err)
		goto size;
	cp_debugfs_init();
	pr_info("loaded: strategy %s, %u size classes\n",
		cp_cache_defaults.strategy->name, cp_sizemap_count());
	return 0;

size:
	cp_size_exit();
defaults:
	cp_cache_defaults.strategy = NULL;	/* no cache can be made */
	return err;
}

static void __exit curpage_exit(void)
{
	cp_debugfs_exit();
	cp_reclaim_exit();
	cp_size_exit();
	cp_pages_exit();
	pr_info("unloaded: %lu pages not returned\n", cp_arena.held);
}

subsys_initcall(curpage_init);	/* before its users, when built in */
module_exit(curpage_exit);
MODULE_DESCRIPTION("Slab and page allocator that keeps live objects on few pages");
MODULE_AUTHOR("The curpage authors");
MODULE_LICENSE("GPL");
