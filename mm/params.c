// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of the module.  A bad one is answered by one line that names
 * the value and what is allowed, and the module does not load.  Built in, a
 * number or switch keeps its default, and a bad text leaves the kernel without
 * curpage.
 */
#include "base/kernel.h"
#include "heap/harden.h"
#include "params.h"
#include "size/size.h"

struct cp_params cp_params = {
	.defaults = { .freetol = 1, .keep = 8 },
	.arena = { .chunk_order = 4, .apart = true },
	.stock = 16,
	.idle_ms = 10000,
};

static char *strategy = "mru";
module_param(strategy, charp, 0444);
MODULE_PARM_DESC(strategy, "which page is allocated from next: mru, least-free, least-free-8 or lowest-page, with STUDY=1 also most-free, random-b, quick, first-fit, stack, queue, random or nofree (default mru)");

static char *sizemap = "brent";
module_param(sizemap, charp, 0444);
MODULE_PARM_DESC(sizemap, "size classes: brent, geometric:RHO with RHO from 1.001 to 8, powers, or sizes as in 16,32,64 up to the page size (default brent)");

static char *buddy = "revised";
module_param(buddy, charp, 0444);
MODULE_PARM_DESC(buddy, "when free page blocks are joined: binary, revised or tailored (default revised)");

static char *desired = "auto";
module_param(desired, charp, 0444);
MODULE_PARM_DESC(desired, "blocks that the lists of buddy=tailored should hold, in KiB where not in blocks: auto, N0,N1,..., uniform:LOW:HIGH:POOL or shares:POOL:W0,W1,... (default auto)");

/* A number from min to max.  all: a word for what has no bound. */
struct cp_number {
	const char *name;
	unsigned int *value;
	unsigned int min;
	unsigned int max;
	bool zero;		/* 0 is allowed, too */
	bool all;
};

static int cp_number_parse(const struct cp_number *n, const char *text,
			   unsigned int *number)
{
	if (n->all && !strcmp(text, "all")) {
		*number = CP_KEEP_ALL;
		return 0;
	}
	if (!kstrtouint(text, 10, number) && *number <= n->max &&
	    (*number >= n->min || (n->zero && !*number)))
		return 0;
	pr_err("parameter %s=%.*s: must be %s%u to %u%s\n", n->name,
	       (int)strcspn(text, "\n"), text, n->zero ? "0 or " : "", n->min,
	       n->max, n->all ? " or all" : "");
	return -EINVAL;
}

static int cp_number_set(const char *text, const struct kernel_param *param)
{
	const struct cp_number *n = param->arg;
	unsigned int number;
	int err = cp_number_parse(n, text, &number);

	if (!err)
		*n->value = number;
	return err;
}

static int cp_number_get(char *buf, const struct kernel_param *param)
{
	const struct cp_number *n = param->arg;

	if (n->all && *n->value == CP_KEEP_ALL)
		return sysfs_emit(buf, "all\n");
	return sysfs_emit(buf, "%u\n", *n->value);
}

static const struct kernel_param_ops cp_number_ops = {
	.set = cp_number_set,
	.get = cp_number_get,
};

#define CP_NUMBER(id, variable, least, most, text, flags...)		\
	static const struct cp_number cp_number_##id = {		\
		.name = #id, .value = &(variable), .min = (least),	\
		.max = (most), flags					\
	};								\
	module_param_cb(id, &cp_number_ops, (void *)&cp_number_##id, 0444); \
	__MODULE_PARM_TYPE(id, "uint");					\
	MODULE_PARM_DESC(id, text)

static int cp_switch_set(const char *text, const struct kernel_param *param)
{
	int err = param_set_bool(text, param);

	if (err)
		pr_err("parameter %s=%s: must be 0 or 1\n", param->name, text);
	return err;
}

static const struct kernel_param_ops cp_switch_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = cp_switch_set,
	.get = param_get_bool,
};

#define CP_SWITCH(id, variable, text)					\
	param_check_bool(id, &(variable));				\
	module_param_cb(id, &cp_switch_ops, &(variable), 0444);		\
	__MODULE_PARM_TYPE(id, "bool");					\
	MODULE_PARM_DESC(id, text)

#define CP_MB_MAX	1048576

static unsigned int arena_min_mb, arena_max_mb, harden_seed;
static bool harden = true;

CP_NUMBER(freetol, cp_params.defaults.freetol, 1, PAGE_SIZE,
	  "bytes free before a page can become the current page again, 1 to the page size (default 1)");
CP_NUMBER(keep, cp_params.defaults.keep, 0, 65536,
	  "empty pages that a cache keeps on each CPU, 0 to 65536 or all (default 8)",
	  .all = true);
CP_NUMBER(chunk_order, cp_params.arena.chunk_order, 0, CURPAGE_MAX_ORDER,
	  "log2 of the most pages borrowed from the system at a time, 0 to 10 (default 4)");
CP_SWITCH(apart, cp_params.arena.apart,
	  "pages of caches and blocks of callers from different chunks (default 1)");
CP_NUMBER(arena_min_mb, arena_min_mb, 0, CP_MB_MAX,
	  "MiB that are held before any goes back unasked, 0 to 1048576 (default 0)");
CP_NUMBER(arena_max_mb, arena_max_mb, 0, CP_MB_MAX,
	  "MiB that may be held at most, 1 to 1048576, 0 for no bound (default 0)");
CP_NUMBER(stock, cp_params.stock, 0, 64,
	  "pages of freed page blocks that each CPU keeps of each order from 0 to 6, 0 to 64 (default 16)");
/* 0 is allowed, a little more is not: that would be a busy loop. */
CP_NUMBER(idle_ms, cp_params.idle_ms, 10, 3600000,
	  "milliseconds between looks for what is not used, 10 to 3600000, 0 for none (default 10000)",
	  .zero = true);
CP_SWITCH(check, cp_params.defaults.check,
	  "red zones, poison and owner tracking in every cache (default 0)");
CP_SWITCH(harden, harden,
	  "keys and orders of fresh blocks that nobody can foretell (default 1)");
CP_NUMBER(harden_seed, harden_seed, 0, U32_MAX,
	  "for orders of fresh blocks that are the same in each run, 1 to 4294967295, 0 for random ones (default 0)");

/* For requests from now on, so it may be written at any time. */
static int cp_crossover_set(const char *text, const struct kernel_param *param)
{
	static const struct cp_number n = {
		.name = "ffcrossover", .max = PAGE_SIZE,
	};
	unsigned int bytes;
	int err = cp_number_parse(&n, text, &bytes);

	if (!err)
		cp_size_set_crossover(bytes);
	return err;
}

static int cp_crossover_get(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%u\n", cp_size_crossover());
}

static const struct kernel_param_ops cp_crossover_ops = {
	.set = cp_crossover_set,
	.get = cp_crossover_get,
};

module_param_cb(ffcrossover, &cp_crossover_ops, NULL, 0644);
__MODULE_PARM_TYPE(ffcrossover, "uint");
MODULE_PARM_DESC(ffcrossover, "bytes above which sizes that are no power of two are served by first fit, up to 64 KiB, 0 for all sizes (default a quarter of the page size)");

static int cp_param_strategy(void)
{
	cp_params.defaults.strategy = cp_strategy_get("parameter strategy=",
						      strategy);
	return cp_params.defaults.strategy ? 0 : -EINVAL;
}

static int cp_param_buddy(void)
{
	cp_params.arena.policy = cp_buddy_policy_get("parameter buddy=", buddy);
	if (!cp_params.arena.policy)
		return -EINVAL;
	return cp_desired_parse("parameter desired=", desired,
				&cp_params.arena.desired);
}

static int cp_param_arena(void)
{
	struct cp_arena_args *arena = &cp_params.arena;

	if (arena_max_mb && arena_min_mb > arena_max_mb) {
		pr_err("parameter arena_min_mb=%u: must be 0 to %u\n",
		       arena_min_mb, arena_max_mb);
		return -EINVAL;
	}
	arena->min_pages = (unsigned long)arena_min_mb << (20 - PAGE_SHIFT);
	arena->max_pages = (unsigned long)arena_max_mb << (20 - PAGE_SHIFT);
	return 0;
}

int __init cp_params_init(void)
{
	if (cp_param_strategy() || cp_param_buddy() || cp_param_arena() ||
	    cp_sizemap_init(sizemap))
		return -EINVAL;
	cp_harden_init(harden, harden_seed);
	return 0;
}
