// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters.  They are set when the module loads, on the command line of a
 * kernel that has it built in, or in /sys/module/curpage_torture.  A write to
 * "run" starts or ends a test, as with dmatest.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "torture.h"

struct cpt_params cpt_params = {
	.seconds	= 60,
	.threads	= 2,
	.irq_us		= 500,
	.stutter_ms	= 500,
	.check_ms	= 2000,
	.mix_size	= 30,
	.mix_cache	= 40,
	.mix_pages	= 3,
	.mix_bulk	= 2,
	.mix_pair	= 6,
	.mix_shrink	= 10,
	.mix_shortlived	= 20,
	.mix_same_pages	= 40,
};

const struct cpt_ops *cpt_ops = &cpt_curpage_ops;

struct cpt_number {
	unsigned int *value;
	unsigned int min;
	unsigned int max;
};

#define CPT_WORD_LEN	16

/* Copy a word, without the newline that a shell writes behind it. */
static char *cpt_word(const char *text, char *buf)
{
	strscpy(buf, text, CPT_WORD_LEN);
	return strim(buf);
}

static int cpt_number_set(const char *text, const struct kernel_param *kp)
{
	const struct cpt_number *number = kp->arg;
	char buf[CPT_WORD_LEN], *word = cpt_word(text, buf);
	unsigned int value;

	if (cpt_active())
		return -EBUSY;
	if (kstrtouint(word, 0, &value) || value < number->min ||
	    value > number->max) {
		pr_err("parameter %s=%s: must be %u to %u\n", kp->name, word,
		       number->min, number->max);
		return -EINVAL;
	}
	*number->value = value;
	return 0;
}

static int cpt_number_get(char *buffer, const struct kernel_param *kp)
{
	const struct cpt_number *number = kp->arg;

	return sprintf(buffer, "%u\n", *number->value);
}

static const struct kernel_param_ops cpt_number_ops = {
	.set	= cpt_number_set,
	.get	= cpt_number_get,
};

static const struct cpt_number cpt_seconds = {
	&cpt_params.seconds, 1, 1000000
};
module_param_cb(seconds, &cpt_number_ops, (void *)&cpt_seconds, 0644);
MODULE_PARM_DESC(seconds, "how long a test takes (default 60)");

static const struct cpt_number cpt_seed = {
	&cpt_params.seed, 0, UINT_MAX
};
module_param_cb(seed, &cpt_number_ops, (void *)&cpt_seed, 0644);
MODULE_PARM_DESC(seed, "of the random numbers; 0 for another one in each test (default 0)");

static const struct cpt_number cpt_threads = {
	&cpt_params.threads, 1, 64
};
module_param_cb(threads, &cpt_number_ops, (void *)&cpt_threads, 0644);
MODULE_PARM_DESC(threads, "threads for each CPU (default 2)");

static const struct cpt_number cpt_irq_us = {
	&cpt_params.irq_us, 0, 1000000
};
module_param_cb(irq_us, &cpt_number_ops, (void *)&cpt_irq_us, 0644);
MODULE_PARM_DESC(irq_us, "microseconds between the interrupts of a CPU, and between its softirqs; 0 for none (default 500)");

static const struct cpt_number cpt_onoff_ms = {
	&cpt_params.onoff_ms, 0, 1000000
};
module_param_cb(onoff_ms, &cpt_number_ops, (void *)&cpt_onoff_ms, 0644);
MODULE_PARM_DESC(onoff_ms, "milliseconds between CPUs going off or on; 0 for never (default 0)");

static const struct cpt_number cpt_stutter_ms = {
	&cpt_params.stutter_ms, 0, 1000000
};
module_param_cb(stutter_ms, &cpt_number_ops, (void *)&cpt_stutter_ms, 0644);
MODULE_PARM_DESC(stutter_ms, "milliseconds that all rest for, after five times as many of work; 0 for no rest (default 500)");

static const struct cpt_number cpt_check_ms = {
	&cpt_params.check_ms, 0, 1000000
};
module_param_cb(check_ms, &cpt_number_ops, (void *)&cpt_check_ms, 0644);
MODULE_PARM_DESC(check_ms, "milliseconds between calls of curpage_check(); 0 for one in the end (default 2000)");

static const struct cpt_number cpt_pressure_mb = {
	&cpt_params.pressure_mb, 0, 1000000
};
module_param_cb(pressure_mb, &cpt_number_ops, (void *)&cpt_pressure_mb, 0644);
MODULE_PARM_DESC(pressure_mb, "MiB that a thread takes and gives back all the time (default 0)");

static const struct cpt_number cpt_mix_size = {
	&cpt_params.mix_size, 0, 10000
};
module_param_cb(mix_size, &cpt_number_ops, (void *)&cpt_mix_size, 0644);
MODULE_PARM_DESC(mix_size, "weight of blocks by size (default 30)");

static const struct cpt_number cpt_mix_cache = {
	&cpt_params.mix_cache, 0, 10000
};
module_param_cb(mix_cache, &cpt_number_ops, (void *)&cpt_mix_cache, 0644);
MODULE_PARM_DESC(mix_cache, "weight of blocks of caches (default 40)");

static const struct cpt_number cpt_mix_pages = {
	&cpt_params.mix_pages, 0, 10000
};
module_param_cb(mix_pages, &cpt_number_ops, (void *)&cpt_mix_pages, 0644);
MODULE_PARM_DESC(mix_pages, "weight of page blocks (default 3)");

static const struct cpt_number cpt_mix_bulk = {
	&cpt_params.mix_bulk, 0, 10000
};
module_param_cb(mix_bulk, &cpt_number_ops, (void *)&cpt_mix_bulk, 0644);
MODULE_PARM_DESC(mix_bulk, "weight of bulk allocation and free (default 2)");

static const struct cpt_number cpt_mix_pair = {
	&cpt_params.mix_pair, 0, 10000
};
module_param_cb(mix_pair, &cpt_number_ops, (void *)&cpt_mix_pair, 0644);
MODULE_PARM_DESC(mix_pair, "weight of blocks freed where they were allocated (default 6)");

static const struct cpt_number cpt_mix_shrink = {
	&cpt_params.mix_shrink, 0, 10000
};
module_param_cb(mix_shrink, &cpt_number_ops, (void *)&cpt_mix_shrink, 0644);
MODULE_PARM_DESC(mix_shrink, "weight of shrinks, in hundredths (default 10)");

static const struct cpt_number cpt_mix_same_pages = {
	&cpt_params.mix_same_pages, 0, 10000
};
module_param_cb(mix_same_pages, &cpt_number_ops, (void *)&cpt_mix_same_pages, 0644);
MODULE_PARM_DESC(mix_same_pages, "weight of all CPUs at the same pages, in hundredths (default 40)");

static const struct cpt_number cpt_mix_shortlived = {
	&cpt_params.mix_shortlived, 0, 10000
};
module_param_cb(mix_shortlived, &cpt_number_ops, (void *)&cpt_mix_shortlived, 0644);
MODULE_PARM_DESC(mix_shortlived, "weight of caches made and destroyed, in hundredths (default 20)");

static const struct cpt_number cpt_misuse_rate = {
	&cpt_params.misuse, 0, 10000
};
module_param_cb(misuse, &cpt_number_ops, (void *)&cpt_misuse_rate, 0644);
MODULE_PARM_DESC(misuse, "offences among 10,000 steps of a thread (default 0)");

static int cpt_kinds_set(const char *text, const struct kernel_param *kp)
{
	char given[CPT_KINDS_LEN], buf[CPT_KINDS_LEN], *word;
	unsigned int kinds;

	if (cpt_active())
		return -EBUSY;
	strscpy(given, text, sizeof(given));
	word = strim(given);
	strscpy(buf, word, sizeof(buf));
	if (!cpt_kinds_parse(buf, &kinds)) {
		cpt_kinds_print(UINT_MAX, buf, sizeof(buf));
		pr_err("parameter %s=%s: must be all, or some of %s\n",
		       kp->name, word, buf);
		return -EINVAL;
	}
	cpt_params.misuse_kinds = kinds;
	return 0;
}

static int cpt_kinds_get(char *buffer, const struct kernel_param *kp)
{
	char buf[CPT_KINDS_LEN];

	cpt_kinds_print(cpt_params.misuse_kinds, buf, sizeof(buf));
	return sprintf(buffer, "%s\n", buf);
}

static const struct kernel_param_ops cpt_kinds_ops = {
	.set	= cpt_kinds_set,
	.get	= cpt_kinds_get,
};
module_param_cb(misuse_kinds, &cpt_kinds_ops, NULL, 0644);
MODULE_PARM_DESC(misuse_kinds, "what offences are made, names with a comma between two (default all)");

static int cpt_variant_set(const char *text, const struct kernel_param *kp)
{
	char buf[CPT_WORD_LEN], *word = cpt_word(text, buf);
	const struct cpt_ops *ops = cpt_ops_find(word);

	if (cpt_active())
		return -EBUSY;
	if (!ops) {
		pr_err("parameter %s=%s: must be curpage or busted\n",
		       kp->name, word);
		return -EINVAL;
	}
	cpt_ops = ops;
	return 0;
}

static int cpt_variant_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%s\n", cpt_ops->name);
}

static const struct kernel_param_ops cpt_variant_ops = {
	.set	= cpt_variant_set,
	.get	= cpt_variant_get,
};
module_param_cb(variant, &cpt_variant_ops, NULL, 0644);
MODULE_PARM_DESC(variant, "what is tortured: curpage, or busted, which hands blocks out twice (default curpage)");

static int cpt_run_set(const char *text, const struct kernel_param *kp)
{
	char buf[CPT_WORD_LEN], *word = cpt_word(text, buf);
	bool run;

	if (kstrtobool(word, &run)) {
		pr_err("parameter %s=%s: must be 0 or 1\n", kp->name, word);
		return -EINVAL;
	}
	if (run)
		return cpt_start();
	cpt_stop();
	return 0;
}

static int cpt_run_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%c\n", cpt_active() ? 'Y' : 'N');
}

static const struct kernel_param_ops cpt_run_ops = {
	.set	= cpt_run_set,
	.get	= cpt_run_get,
};
module_param_cb(run, &cpt_run_ops, NULL, 0644);
MODULE_PARM_DESC(run, "1 starts a test, 0 ends it early; shows whether one is under way (default 0)");
