// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of the module.  They are kept as text and judged together
 * when the module loads, so that a bad one is answered by one line that names
 * the value and what is allowed.
 */
#include "kernel.h"
#include "internal.h"
#include "params.h"

struct cp_params cp_params;

static char *strategy = "mru";
module_param(strategy, charp, 0444);
MODULE_PARM_DESC(strategy, "which page is allocated from next: mru, least-free, most-free, random-b, quick, first-fit, stack, queue, random, nofree, least-free-8 or lowest-page (default mru)");

static char *freetol = "1";
module_param(freetol, charp, 0444);
MODULE_PARM_DESC(freetol, "bytes free before a page can become the current page again, 1 to the page size (default 1)");

static char *sizemap = "brent";
module_param(sizemap, charp, 0444);
MODULE_PARM_DESC(sizemap, "size classes: brent, geometric:RHO with RHO from 1.001 to 8, powers, or sizes as in 16,32,64 up to the page size (default brent)");

static char *keep = "8";
module_param(keep, charp, 0444);
MODULE_PARM_DESC(keep, "empty pages that a cache keeps on each CPU, 0 to 65536 or all (default 8)");

static char *chunk_order = "4";
module_param(chunk_order, charp, 0444);
MODULE_PARM_DESC(chunk_order, "log2 of the most pages borrowed from the system at a time, 0 to 10 (default 4)");

static char *buddy = "revised";
module_param(buddy, charp, 0444);
MODULE_PARM_DESC(buddy, "when free page blocks are joined: binary, revised or tailored (default revised)");

static char *desired = "auto";
module_param(desired, charp, 0444);
MODULE_PARM_DESC(desired, "blocks that the lists of buddy=tailored should hold, in KiB where not in blocks: auto, N0,N1,..., uniform:LOW:HIGH:POOL or shares:POOL:W0,W1,... (default auto)");

static char *apart = "1";
module_param(apart, charp, 0444);
MODULE_PARM_DESC(apart, "1 for pages of caches and blocks of callers from different chunks, 0 for any (default 1)");

static char *arena_min_mb = "0";
module_param(arena_min_mb, charp, 0444);
MODULE_PARM_DESC(arena_min_mb, "MiB that are held before any goes back unasked, 0 to 1048576 (default 0)");

static char *arena_max_mb = "0";
module_param(arena_max_mb, charp, 0444);
MODULE_PARM_DESC(arena_max_mb, "MiB that may be held at most, 1 to 1048576, 0 for no bound (default 0)");

static char *stock = "16";
module_param(stock, charp, 0444);
MODULE_PARM_DESC(stock, "pages of freed page blocks that each CPU keeps of each order from 0 to 6, 0 to 64 (default 16)");

static char *idle_ms = "10000";
module_param(idle_ms, charp, 0444);
MODULE_PARM_DESC(idle_ms, "milliseconds between looks for what is not used, 10 to 3600000, 0 for none (default 10000)");

static char *check = "0";
module_param(check, charp, 0444);
MODULE_PARM_DESC(check, "1 for red zones, poison and owner tracking in every cache (default 0)");

static char *harden = "1";
module_param(harden, charp, 0444);
MODULE_PARM_DESC(harden, "1 for keys and orders of fresh blocks that nobody can foretell, 0 for none (default 1)");

static char *harden_seed = "0";
module_param(harden_seed, charp, 0444);
MODULE_PARM_DESC(harden_seed, "for orders of fresh blocks that are the same in each run, 1 to 4294967295, 0 for random ones (default 0)");

/* Kept like the others until they are judged. */
static char *crossover;
static bool crossover_judged;

static int cp_param_crossover(const char *text)
{
	unsigned int bytes;

	if (kstrtouint(text, 10, &bytes) || bytes > PAGE_SIZE) {
		pr_err("parameter ffcrossover=%.*s: must be 0 to %lu\n",
		       (int)strcspn(text, "\n"), text, PAGE_SIZE);
		return -EINVAL;
	}
	cp_size_set_crossover(bytes);
	return 0;
}

/* For requests from now on, so it may be written at any time. */
static int cp_param_set_crossover(const char *text,
				  const struct kernel_param *param)
{
	if (crossover_judged)
		return cp_param_crossover(text);
	return param_set_charp(text, param);
}

static int cp_param_get_crossover(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%u\n", cp_size_crossover());
}

static const struct kernel_param_ops cp_param_crossover_ops = {
	.set = cp_param_set_crossover,
	.get = cp_param_get_crossover,
	.free = param_free_charp,
};

module_param_cb(ffcrossover, &cp_param_crossover_ops, &crossover, 0644);
__MODULE_PARM_TYPE(ffcrossover, "uint");
MODULE_PARM_DESC(ffcrossover, "bytes above which sizes that are no power of two are served by first fit, up to 64 KiB, 0 for all sizes (default a quarter of the page size)");

/* A number from min to max, or "all" where that means no limit. */
static int cp_param_number(const char *name, const char *text,
			   unsigned int min, unsigned int max, bool all,
			   unsigned int *value)
{
	unsigned int number;

	if (all && !strcmp(text, "all")) {
		*value = CP_KEEP_ALL;
		return 0;
	}
	if (kstrtouint(text, 10, &number) || number < min || number > max) {
		pr_err("parameter %s=%s: must be %u to %u%s\n", name, text,
		       min, max, all ? " or all" : "");
		return -EINVAL;
	}
	*value = number;
	return 0;
}

static int cp_param_strategy(void)
{
	char names[CP_STRATEGY_NAMES];

	cp_params.defaults.strategy = cp_strategy_find(strategy);
	if (cp_params.defaults.strategy)
		return 0;
	cp_strategy_names(names, sizeof(names));
	pr_err("parameter strategy=%s: must be one of %s\n", strategy, names);
	return -EINVAL;
}

static int cp_param_buddy(void)
{
	cp_params.arena.policy = cp_buddy_policy_get("parameter buddy=", buddy);
	if (!cp_params.arena.policy)
		return -EINVAL;
	return cp_desired_parse("parameter desired=", desired,
				&cp_params.arena.desired);
}

/* What the arena holds, from and to. */
static int cp_param_arena(void)
{
	struct cp_arena_args *arena = &cp_params.arena;
	unsigned int min_mb, max_mb, on;

	if (cp_param_number("chunk_order", chunk_order, 0, CURPAGE_MAX_ORDER,
			    false, &arena->chunk_order) ||
	    cp_param_number("arena_max_mb", arena_max_mb, 0, 1 << 20, false,
			    &max_mb) ||
	    cp_param_number("arena_min_mb", arena_min_mb, 0, max_mb ?: 1 << 20,
			    false, &min_mb) ||
	    cp_param_number("apart", apart, 0, 1, false, &on))
		return -EINVAL;
	arena->min_pages = (unsigned long)min_mb << (20 - PAGE_SHIFT);
	arena->max_pages = (unsigned long)max_mb << (20 - PAGE_SHIFT);
	arena->apart = on;
	return 0;
}

static int cp_param_idle(void)
{
	/* 0 is allowed, a little more is not: that would be a busy loop. */
	if (!strcmp(idle_ms, "0"))
		return 0;
	return cp_param_number("idle_ms", idle_ms, 10, 3600000, false,
			       &cp_params.idle_ms);
}

static int cp_param_harden(void)
{
	unsigned int on, seed;

	if (cp_param_number("harden", harden, 0, 1, false, &on) ||
	    cp_param_number("harden_seed", harden_seed, 0, U32_MAX, false,
			    &seed))
		return -EINVAL;
	cp_harden_init(on, seed);
	return 0;
}

int __init cp_params_init(void)
{
	struct cp_cache_defaults *defaults = &cp_params.defaults;
	unsigned int on;

	if (cp_param_strategy() ||
	    cp_param_number("freetol", freetol, 1, PAGE_SIZE, false,
			    &defaults->freetol) ||
	    cp_param_number("keep", keep, 0, 65536, true, &defaults->keep) ||
	    cp_param_buddy() || cp_param_arena() ||
	    cp_param_number("stock", stock, 0, 64, false, &cp_params.stock) ||
	    cp_param_idle() ||
	    cp_param_number("check", check, 0, 1, false, &on) ||
	    cp_param_harden() ||
	    cp_sizemap_init(sizemap) ||
	    (crossover && cp_param_crossover(crossover)))
		return -EINVAL;
	crossover_judged = true;
	defaults->check = on;
	return 0;
}
