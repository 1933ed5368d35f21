// SPDX-License-Identifier: GPL-2.0
/*
 * The files of /sys/kernel/debug/curpage, described in
 * Documentation/debugfs.rst.  This code looks at the allocator, which does not
 * depend on it: caches.c calls the watch that is registered here.  Only the
 * file check walks pages.
 */
#include "base/kernel.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "cache/cache.h"
#include "heap/report.h"
#include "large/large.h"
#include "size/size.h"
#include "watch/debugfs.h"
#include "watch/watch.h"

static struct dentry *cp_dir;
static struct dentry *cp_caches_dir;

static unsigned long cp_sum_pages(const struct cp_cache_sum *sum)
{
	return sum->nr[CP_LOW] + sum->nr[CP_S3] + sum->nr[CP_S2] +
	       sum->current_live + sum->current_empty;
}

/* Print a cache in the columns of /proc/slabinfo, version 2.1. */
static void cp_show_slab(struct seq_file *m, struct curpage_cache *cache)
{
	struct cp_cache_sum sum;
	unsigned long pages;

	cp_cache_get_sum(cache, &sum);
	pages = cp_sum_pages(&sum);
	seq_printf(m, "%-17s %6lu %6lu %6u %4lu %4d : tunables %4u %4u %4u : slabdata %6lu %6lu %6lu\n",
		   cache->name, sum.live, pages * cache->capacity, cache->stride,
		   cache->capacity, 1, 0, 0, 0,
		   pages - sum.nr[CP_S2] - sum.current_empty, pages, 0UL);
}

static int slabinfo_show(struct seq_file *m, void *v)
{
	struct curpage_cache *cache;

	seq_puts(m, "slabinfo - version: 2.1\n");
	seq_puts(m, "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n");
	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list)
		cp_show_slab(m, cache);
	mutex_unlock(&cp_caches_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slabinfo);

static void cp_show_sum(struct seq_file *m, const struct cp_cache_sum *sum)
{
	unsigned int i;

	for (i = 0; i < CP_NR_HEAP_STATS; i++)
		seq_printf(m, "%s %lu\n", cp_heap_stat_name[i], sum->stat[i]);
	seq_printf(m, "live %lu\n", sum->live);
	seq_printf(m, "pending %lu\n", sum->pending);
	seq_printf(m, "pages %lu\n", cp_sum_pages(sum));
	seq_printf(m, "pages_current %lu\n",
		   sum->current_live + sum->current_empty);
	seq_printf(m, "pages_low %lu\n", sum->nr[CP_LOW]);
	seq_printf(m, "pages_s3 %lu\n", sum->nr[CP_S3]);
	seq_printf(m, "pages_s2 %lu\n", sum->nr[CP_S2]);
}

static void cp_add_sum(struct cp_cache_sum *total,
		       const struct cp_cache_sum *sum)
{
	unsigned int i;

	for (i = 0; i < CP_NR_HEAP_STATS; i++)
		total->stat[i] += sum->stat[i];
	for (i = 0; i < CP_NR_SETS; i++)
		total->nr[i] += sum->nr[i];
	total->current_live += sum->current_live;
	total->current_empty += sum->current_empty;
	total->live += sum->live;
	total->pending += sum->pending;
}

/* Print the sums over all caches, and the number of offences of each kind. */
static int stats_show(struct seq_file *m, void *v)
{
	struct cp_cache_sum sum, total = { };
	struct curpage_cache *cache;
	unsigned long failed = 0, caches = 0, fixed = 0, idle;
	unsigned int bad;

	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list) {
		cp_cache_get_sum(cache, &sum);
		cp_add_sum(&total, &sum);
		failed += atomic_read(&cache->failed);
		fixed += sizeof(*cache) +
			 num_possible_cpus() * (sizeof(struct cp_heap) +
				cp_strategy_state_size(cache->strategy, cache));
		caches++;
	}
	idle = cp_idle_pages;
	mutex_unlock(&cp_caches_lock);
	cp_show_sum(m, &total);
	seq_printf(m, "alloc_failed %lu\n", failed);
	seq_printf(m, "caches %lu\n", caches);
	seq_printf(m, "fixed_bytes %lu\n", fixed);
	seq_printf(m, "idle_released %lu\n", idle);
	for (bad = CP_OK + 1; bad < CP_NR_BAD; bad++)
		seq_printf(m, "%s %lu\n", cp_bad_stat_name[bad],
			   cp_report_count(bad));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/*
 * Print the pages that a CPU has in all caches, and how many of them are empty.
 */
static void cp_show_cpu(struct seq_file *m, int cpu)
{
	unsigned long pages = 0, empty = 0;
	struct curpage_cache *cache;

	list_for_each_entry(cache, &cp_caches, list) {
		const struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);

		pages += cp_heap_pages(h);
		empty += cp_heap_empty(h);
	}
	seq_printf(m, "%5d %8d %10lu %8lu %8lu %8lu\n", cpu,
		   cp_claim_isolated(cpu),
		   cp_peek(per_cpu(cp_claim_interrupts, cpu)), pages, empty,
		   cp_stock_pages_of(cpu));
}

static int cpus_show(struct seq_file *m, void *v)
{
	int cpu;

	seq_puts(m, "  cpu isolated interrupts    pages    empty    stock\n");
	mutex_lock(&cp_caches_lock);
	for_each_possible_cpu(cpu)
		cp_show_cpu(m, cpu);
	mutex_unlock(&cp_caches_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

static int arena_show(struct seq_file *m, void *v)
{
	struct cp_arena_sum sum;
	struct cp_stock_sum stock;
	unsigned int i;

	cp_stock_get_sum(&stock);
	cp_arena_get_sum(&cp_arena, &sum, NULL);
	seq_printf(m, "held %lu\n", sum.held);
	seq_printf(m, "cache_pages %lu\n", sum.cache_pages);
	seq_printf(m, "block_pages %lu\n",
		   sum.block_pages - min(sum.block_pages, stock.pages));
	seq_printf(m, "stock_pages %lu\n", stock.pages);
	seq_printf(m, "free_pages %lu\n", sum.free_pages);
	seq_printf(m, "transit_pages %lu\n", sum.transit);
	seq_printf(m, "spare %lu\n", sum.spare);
	seq_printf(m, "min_pages %lu\n", cp_arena.min_pages);
	seq_printf(m, "max_pages %lu\n",
		   cp_arena.max_pages == LONG_MAX ? 0 : cp_arena.max_pages);
	seq_printf(m, "chunk_order %u\n", cp_arena.chunk_order);
	for (i = 0; i < CP_NR_ARENA_STATS; i++)
		seq_printf(m, "%s %lu\n", cp_arena_stat_name[i], sum.stat[i]);
	for (i = 0; i < CP_NR_STOCK_STATS; i++)
		seq_printf(m, "%s %lu\n", cp_stock_stat_name[i],
			   stock.stat[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(arena);

static int sizemap_show(struct seq_file *m, void *v)
{
	unsigned int class, from = 1;
	char kind[CP_NAME_LEN];

	cp_sizemap_name(cp_sizemap_used(), kind, sizeof(kind));
	seq_printf(m, "# %s\n", kind);
	seq_puts(m, "class  from    to  blocks/page  waste/page\n");
	for (class = 0; class < cp_sizemap_count(); class++) {
		unsigned int size = cp_sizemap_size(class);

		seq_printf(m, "%5u %5u %5u %12lu %11lu\n", class, from, size,
			   PAGE_SIZE / size, PAGE_SIZE % size);
		from = size + 1;
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sizemap);

static int fit_show(struct seq_file *m, void *v)
{
	struct cp_fit_sum sum;
	unsigned int i;

	cp_fit_get_sum(&sum);
	seq_printf(m, "ffcrossover %u\n", cp_size_crossover());
	seq_printf(m, "live %lu\n", sum.live);
	seq_printf(m, "asked_bytes %lu\n", sum.asked);
	seq_printf(m, "block_bytes %lu\n", sum.used);
	seq_printf(m, "free_bytes %lu\n", sum.free);
	seq_printf(m, "largest_free %lu\n", sum.largest);
	seq_printf(m, "runs %lu\n", sum.runs);
	seq_printf(m, "pages %lu\n", sum.pages);
	seq_printf(m, "empty_pages %lu\n", sum.empty_pages);
	seq_printf(m, "lost_pages %lu\n", sum.lost_pages);
	for (i = 0; i < CP_NR_FIT_STATS; i++)
		seq_printf(m, "%s %lu\n", cp_fit_stat_name[i], sum.stat[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fit);

static int check_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%d\n", curpage_check());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(check);

static int cache_stats_show(struct seq_file *m, void *v)
{
	struct curpage_cache *cache = m->private;
	struct cp_cache_sum sum;
	unsigned int bad;

	cp_cache_get_sum(cache, &sum);
	seq_printf(m, "id %u\n", cache->id);
	seq_printf(m, "size %u\n", cache->size);
	seq_printf(m, "stride %u\n", cache->stride);
	seq_printf(m, "capacity %lu\n", cache->capacity);
	seq_printf(m, "check %u\n", !!(cache->flags & CURPAGE_CHECK));
	cp_show_sum(m, &sum);
	seq_printf(m, "adopted %u\n", READ_ONCE(cache->adopted));
	seq_printf(m, "alloc_failed %u\n", atomic_read(&cache->failed));
	for (bad = CP_OK + 1; bad < CP_NR_BAD; bad++)
		seq_printf(m, "%s %u\n", cp_bad_stat_name[bad],
			   atomic_read(cp_cache_bad(cache, bad)));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cache_stats);

static int cache_occupancy_show(struct seq_file *m, void *v)
{
	struct curpage_cache *cache = m->private;
	unsigned int width = 1U << cache->occ_shift;
	unsigned int last = cache->capacity >> cache->occ_shift;
	struct cp_cache_sum sum;
	unsigned long empty;
	unsigned int i;

	cp_cache_get_sum(cache, &sum);
	empty = sum.nr[CP_S2] + sum.current_empty;
	seq_printf(m, "live_blocks %lu\n", sum.live);
	seq_printf(m, "live_pages %lu\n", cp_sum_pages(&sum) - empty);
	seq_printf(m, "cached_empty_pages %lu\n", empty);
	seq_printf(m, "held_pages %lu\n", cp_sum_pages(&sum));
	seq_puts(m, "live       pages\n");
	for (i = 0; i <= last; i++) {
		unsigned int from = max(i * width, 1U);
		unsigned int to = min_t(unsigned int, (i + 1) * width - 1,
					cache->capacity);

		if (from <= to)
			seq_printf(m, "%4u-%-4u %6lu\n", from, to,
				   sum.occupancy[i]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cache_occupancy);

static int cache_strategy_show(struct seq_file *m, void *v)
{
	struct curpage_cache *cache = m->private;

	seq_printf(m, "%s\n", READ_ONCE(cache->strategy)->name);
	return 0;
}

static ssize_t cache_strategy_write(struct file *file,
				    const char __user *ubuf, size_t count,
				    loff_t *pos)
{
	struct seq_file *m = file->private_data;
	const struct cp_strategy *strategy;
	struct curpage_cache *cache = m->private;
	char buf[CP_NAME_LEN];
	char *word;
	int err;

	word = cp_debugfs_word(ubuf, count, buf, sizeof(buf));
	strategy = cp_cache_strategy(cache->name, word ?: "(too long)");
	if (!strategy)
		return -EINVAL;
	err = cp_cache_retune(cache, strategy, 0);
	return err ?: count;
}

CP_DEBUGFS_FILE(cache_strategy);

static int cache_freetol_show(struct seq_file *m, void *v)
{
	struct curpage_cache *cache = m->private;

	seq_printf(m, "%u\n", READ_ONCE(cache->freetol));
	return 0;
}

static ssize_t cache_freetol_write(struct file *file, const char __user *ubuf,
				   size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	struct curpage_cache *cache = m->private;
	unsigned int freetol;
	char buf[CP_NAME_LEN];
	char *word;

	word = cp_debugfs_word(ubuf, count, buf, sizeof(buf));
	if (!word || kstrtouint(word, 10, &freetol) || !freetol ||
	    freetol > PAGE_SIZE) {
		pr_err("cache %s: freetol %s: must be 1 to %lu\n",
		       cache->name, word ?: "(too long)", PAGE_SIZE);
		return -EINVAL;
	}
	cp_cache_retune(cache, NULL, freetol);
	return count;
}

CP_DEBUGFS_FILE(cache_freetol);

static void cp_debugfs_cache_created(struct curpage_cache *cache)
{
	struct dentry *dir = debugfs_create_dir(cache->name, cp_caches_dir);

	/* Counters of a cache. */
	debugfs_create_file("stats", 0400, dir, cache, &cache_stats_fops);
	/* Pages of a cache by live blocks. */
	debugfs_create_file("occupancy", 0400, dir, cache,
			    &cache_occupancy_fops);
	/* Strategy of a cache. */
	debugfs_create_file("strategy", 0600, dir, cache,
			    &cache_strategy_fops);
	/* FREETOL of a cache, in bytes. */
	debugfs_create_file("freetol", 0600, dir, cache, &cache_freetol_fops);
}

static void cp_debugfs_cache_destroyed(struct curpage_cache *cache)
{
	debugfs_lookup_and_remove(cache->name, cp_caches_dir);
}

static const struct cp_cache_watch cp_debugfs_watch = {
	.created	= cp_debugfs_cache_created,
	.destroyed	= cp_debugfs_cache_destroyed,
};

/* As with /proc/slabinfo, only root may see the names of caches. */
static void __init cp_debugfs_caches_init(void)
{
	cp_caches_dir = debugfs_create_dir("caches", cp_dir);
	if (!IS_ERR(cp_caches_dir))
		d_inode(cp_caches_dir)->i_mode = S_IFDIR | 0700;
	cp_cache_set_watch(&cp_debugfs_watch);
}

/* Documentation/debugfs.rst takes each file with its comment from here. */
void __init cp_debugfs_init(void)
{
	cp_dir = debugfs_create_dir("curpage", NULL);
	/* A line for each cache, as in /proc/slabinfo. */
	debugfs_create_file("slabinfo", 0400, cp_dir, NULL, &slabinfo_fops);
	/* Counters of all caches together. */
	debugfs_create_file("stats", 0444, cp_dir, NULL, &stats_fops);
	/* What each CPU has, and how often it was interrupted. */
	debugfs_create_file("cpus", 0444, cp_dir, NULL, &cpus_fops);
	/* Pages held, where they are, and calls of the system. */
	debugfs_create_file("arena", 0444, cp_dir, NULL, &arena_fops);
	cp_debugfs_buddy_init(cp_dir);
	/* The size classes. */
	debugfs_create_file("sizemap", 0444, cp_dir, NULL, &sizemap_fops);
	if (CP_STUDY)
		cp_debugfs_study_init(cp_dir);
	/* First fit for large blocks. */
	debugfs_create_file("fit", 0444, cp_dir, NULL, &fit_fops);
	/* The number of broken invariants.  A read runs curpage_check(). */
	debugfs_create_file("check", 0400, cp_dir, NULL, &check_fops);
	/* Reports that are printed in 5 seconds. */
	debugfs_create_u32("report_burst", 0600, cp_dir, &cp_report_burst);
	cp_debugfs_caches_init();
}

void cp_debugfs_exit(void)
{
	cp_cache_set_watch(NULL);
	debugfs_remove(cp_dir);
}
