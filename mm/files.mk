# SPDX-License-Identifier: GPL-2.0
# The files of mm/, from the bottom up: a file calls only files that stand before
# it, and includes headers of its own room and of those before.  The lint checks
# that.  Kbuild and the makefiles of the lab include this file.

curpage-files := base/stats base/tag
curpage-files += arena/page arena/vmstat arena/system
curpage-files += arena/desired arena/buddy_policy arena/buddy arena/buddy_check
curpage-files += arena/arena arena/arena_check arena/claim arena/stock
curpage-files += heap/list heap/harden heap/debug heap/report heap/block
curpage-files += heap/tree heap/tree_weight heap/strategy_mru heap/strategy_free
curpage-files += heap/strategy_tree heap/strategy_study heap/strategy_pool
curpage-files += heap/strategy heap/sets heap/heap_by_block heap/heap_one_way
curpage-files += heap/heap heap/heap_free heap/remote heap/heap_whole
curpage-files += heap/heap_check
curpage-files += cache/kfence cache/reserve cache/cache cache/free cache/bulk
curpage-files += cache/borrow cache/caches
curpage-files += large/fit_tree large/fit_run large/fit large/fit_check
curpage-files += large/pages
curpage-files += size/sizemap size/best_map size/size
curpage-files += watch/reclaim watch/idle watch/hotplug watch/check
curpage-files += watch/debugfs_buddy watch/debugfs_study watch/debugfs
curpage-files += params main watch/trace

# What only comparison needs, CONFIG_CURPAGE_STUDY.
curpage-study := heap/tree_weight heap/strategy_study heap/strategy_pool
curpage-study += heap/heap_by_block heap/heap_one_way
curpage-study += size/best_map watch/debugfs_study

# What only a kernel has a use for.
curpage-kernel := base/tag cache/kfence watch/reclaim watch/idle
curpage-kernel += watch/debugfs_buddy watch/debugfs_study watch/debugfs
curpage-kernel += params main watch/trace
