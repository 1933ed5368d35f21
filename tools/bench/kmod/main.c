// SPDX-License-Identifier: GPL-2.0
/*
 * Measures when it is loaded, into lines of the log; built in, when the
 * parameter cases is on the command line.
 */
#define pr_fmt(fmt) "curpage_bench: " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/reboot.h>
#include <linux/string.h>

#include "bench.h"

unsigned int cb_rounds;
unsigned int cb_scale;
unsigned int cb_live;

#ifdef MODULE
#define CB_DEFAULT_CASES	"all"
#else
#define CB_DEFAULT_CASES	""
#endif

static char *cases = CB_DEFAULT_CASES;
module_param(cases, charp, 0444);
MODULE_PARM_DESC(cases, "what to measure, by comma: groups (pair) or cases (pair/64); all for all but flat and remote (default: all in a module, none when built in)");

static char *rounds = "10";
module_param(rounds, charp, 0444);
MODULE_PARM_DESC(rounds, "how often each case is measured, 1 to 1000 (default 10)");

static char *scale = "1";
module_param(scale, charp, 0444);
MODULE_PARM_DESC(scale, "how many times longer to measure each, 1 to 10000 (default 1)");

static char *live = "1000000";
module_param(live, charp, 0444);
MODULE_PARM_DESC(live, "live blocks of the case flat, 1000 to 100000000 (default 1000000)");

#ifndef MODULE
static bool halt;
module_param(halt, bool, 0444);
MODULE_PARM_DESC(halt, "halt the machine when all is measured (default 0)");
#endif

static const struct cb_case * const cb_groups[] = {
	cb_unit_cases, cb_object_cases, cb_size_cases, cb_pages_cases,
	cb_mixed_cases, cb_flat_cases, cb_remote_cases,
};

/* Is this word the name of the case, or of its group? */
static bool cb_word_names(const char *word, size_t len,
			  const struct cb_case *c)
{
	if (len == 3 && !strncmp(word, "all", 3))
		return !c->named;
	return !strncmp(word, c->name, len) &&
	       (c->name[len] == '\0' || c->name[len] == '/');
}

/* The next word of a list, with its length; NULL after the last. */
static const char *cb_next_word(const char *list, size_t *len)
{
	list += *len;
	list += *list == ',';
	*len = strcspn(list, ",");
	return *list ? list : NULL;
}

static bool cb_wanted(const struct cb_case *c)
{
	const char *word = cases;
	size_t len = 0;

	while ((word = cb_next_word(word, &len)))
		if (cb_word_names(word, len, c))
			return true;
	return false;
}

static const struct cb_case *cb_find(const char *word, size_t len)
{
	const struct cb_case *c;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cb_groups); i++)
		for (c = cb_groups[i]; c->name; c++)
			if (cb_word_names(word, len, c))
				return c;
	return NULL;
}

static int __init cb_check_cases(void)
{
	const char *word = cases;
	size_t len = 0;

	while ((word = cb_next_word(word, &len))) {
		if (len && cb_find(word, len))
			continue;
		pr_err("parameter cases=%s: '%.*s' is no case and no group\n",
		       cases, (int)len, word);
		return -EINVAL;
	}
	return 0;
}

static int __init cb_param(const char *name, const char *text,
			   unsigned int min, unsigned int max,
			   unsigned int *value)
{
	if (!kstrtouint(text, 10, value) && *value >= min && *value <= max)
		return 0;
	pr_err("parameter %s=%s: must be %u to %u\n", name, text, min, max);
	return -EINVAL;
}

static int __init cb_run(void)
{
	const struct cb_case *c;
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(cb_groups); i++) {
		for (c = cb_groups[i]; c->name && !err; c++) {
			if (!cb_wanted(c))
				continue;
			err = c->run ? c->run(c) : cb_measure(c);
			if (err)
				pr_err("case %s: error %d\n", c->name, err);
		}
	}
	return err;
}

static int __init cb_init(void)
{
	int err;

	if (cb_check_cases() ||
	    cb_param("rounds", rounds, 1, 1000, &cb_rounds) ||
	    cb_param("scale", scale, 1, 10000, &cb_scale) ||
	    cb_param("live", live, 1000, 100000000, &cb_live))
		return -EINVAL;
	err = cb_run();
	if (!err && *cases)
		pr_info("done\n");
#ifndef MODULE
	if (halt)
		kernel_halt();
#endif
	return err;
}

static void __exit cb_exit(void)
{
}

module_init(cb_init);
module_exit(cb_exit);

MODULE_DESCRIPTION("What curpage costs, beside the kernel's allocators");
MODULE_LICENSE("GPL");
