// SPDX-License-Identifier: GPL-2.0
/* Counters and errors, and the line with the result at the end of a test. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "torture.h"

#define CPT_SHOWN	8	/* errors that are printed */
#define CPT_LINE	512

static const char * const cpt_stat_name[CPT_NR_STATS] = {
	[CPT_ALLOC]	= "allocs",
	[CPT_FREE]	= "frees",
	[CPT_REMOTE]	= "remote",
	[CPT_HARDIRQ]	= "hardirq",
	[CPT_SOFTIRQ]	= "softirq",
	[CPT_BULK]	= "bulk",
	[CPT_PAGES]	= "pages",
	[CPT_PAIR]	= "pairs",
	[CPT_SHRINK]	= "shrinks",
	[CPT_CHECK]	= "checks",
	[CPT_SHORTLIVED]	= "caches",
	[CPT_SAME_PAGES]	= "same_pages",
	[CPT_OFF]	= "off",
	[CPT_ON]	= "on",
	[CPT_REFUSED]	= "refused",
	[CPT_MISUSE]	= "misuse",
};

DEFINE_PER_CPU(struct cpt_stats, cpt_stats);

static atomic_t cpt_errors;
static atomic_t cpt_first_ms;
static ktime_t cpt_began;

void cpt_stats_start(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&cpt_stats, cpu), 0,
		       sizeof(struct cpt_stats));
	atomic_set(&cpt_errors, 0);
	atomic_set(&cpt_first_ms, 0);
	cpt_began = ktime_get();
}

/* Print an error, in any context.  The test ends at the first one. */
void cpt_err(const char *fmt, ...)
{
	int nr = atomic_inc_return(&cpt_errors);
	struct va_format vaf;
	va_list args;

	if (nr == 1)
		atomic_set(&cpt_first_ms,
			   ktime_ms_delta(ktime_get(), cpt_began));
	if (nr > CPT_SHOWN)
		return;
	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	pr_err("error: %pV\n", &vaf);
	va_end(args);
}

bool cpt_failed(void)
{
	return atomic_read(&cpt_errors);
}

static unsigned long cpt_stat_sum(enum cpt_stat stat)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(&cpt_stats, cpu)->nr[stat];
	return sum;
}

/* Fail a test that did not do what it was asked for: it shows nothing. */
static void cpt_stats_judge(void)
{
	const struct cpt_params *p = &cpt_params;
	const struct {
		enum cpt_stat stat;
		bool wanted;
	} must[] = {
		{ CPT_ALLOC,	true },
		{ CPT_REMOTE,	num_online_cpus() > 1 },
		{ CPT_HARDIRQ,	p->irq_us && CPT_HARDIRQS },
		{ CPT_SOFTIRQ,	p->irq_us },
		{ CPT_BULK,	p->mix_bulk },
		{ CPT_PAGES,	p->mix_pages },
		{ CPT_PAIR,	p->mix_pair },
		{ CPT_SHRINK,	p->mix_shrink },
		{ CPT_CHECK,	true },
		{ CPT_SHORTLIVED,	p->mix_shortlived },
		{ CPT_SAME_PAGES,	p->mix_same_pages },
		{ CPT_OFF,	p->onoff_ms },
		{ CPT_ON,	p->onoff_ms },
		{ CPT_MISUSE,	p->misuse },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(must); i++)
		if (must[i].wanted && !cpt_stat_sum(must[i].stat))
			cpt_err("%s: must not be 0",
				cpt_stat_name[must[i].stat]);
	if (cpt_stat_sum(CPT_ALLOC) != cpt_stat_sum(CPT_FREE))
		cpt_err("%lu blocks allocated, %lu freed",
			cpt_stat_sum(CPT_ALLOC), cpt_stat_sum(CPT_FREE));
}

void cpt_stats_end(unsigned int seed)
{
	s64 ms = ktime_ms_delta(ktime_get(), cpt_began);
	char line[CPT_LINE];
	enum cpt_stat stat;
	size_t len = 0;

	/*
	 * After an error the test ended early, and kept blocks that it did not
	 * trust.
	 */
	if (!cpt_failed())
		cpt_stats_judge();
	for (stat = 0; stat < CPT_NR_STATS; stat++)
		len += scnprintf(line + len, sizeof(line) - len, " %s %lu",
				 cpt_stat_name[stat], cpt_stat_sum(stat));
	if (cpt_failed())
		pr_err("end of test: FAILURE: variant %s seed %u ms %lld errors %d first_ms %d%s\n",
		       cpt_ops->name, seed, ms, atomic_read(&cpt_errors),
		       atomic_read(&cpt_first_ms), line);
	else
		pr_info("end of test: SUCCESS: variant %s seed %u ms %lld%s\n",
			cpt_ops->name, seed, ms, line);
}
