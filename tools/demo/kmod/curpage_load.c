// SPDX-License-Identifier: GPL-2.0
/*
 * One load for two allocators.
 *
 * Every object is allocated twice, from a cache of curpage and from a cache of
 * SLUB, and both copies are freed together: the two allocators see the same
 * requests in the same order.  A script drives the load by writing commands to
 * /sys/kernel/debug/curpage_load/run,
 *
 *	grow N	allocate until N objects are live
 *	churn N	N times: free a live object chosen at random, allocate another
 *	drop N	free live objects chosen at random until N are left
 *	shrink	ask both caches to give back what they hold and do not use
 *
 * and reads between them what each allocator holds, from /proc/slabinfo and
 * from /sys/kernel/debug/curpage.  How many objects are live and how many have
 * been allocated is in the file state.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <linux/curpage.h>

#define LOAD_CACHE	"curpage_load"
#define LOAD_MAX_OBJECTS SZ_16M
#define LOAD_COMMAND	32	/* the longest command, with its NUL */
#define LOAD_BREATH	256	/* events between two chances to reschedule */

/* A cache merged with others would be charged for their objects. */
#ifdef SLAB_NO_MERGE
#define LOAD_SLAB_FLAGS	SLAB_NO_MERGE
#else
/* Before 6.5: a cache that kmemleak ignores is not merged, nor changed else. */
#define LOAD_SLAB_FLAGS	SLAB_NOLEAKTRACE
#endif

static char *size = "64";
module_param(size, charp, 0444);
MODULE_PARM_DESC(size, "bytes of an object, 8 to the page size (default 64)");

static char *objects = "48000";
module_param(objects, charp, 0444);
MODULE_PARM_DESC(objects, "most live objects, 1 to 16777216 (default 48000)");

static char *seed = "1";
module_param(seed, charp, 0444);
MODULE_PARM_DESC(seed, "where the random choices start, 0 to 4294967295 (default 1)");

/* The two copies of an object; each begins with the same serial number. */
struct load_pair {
	u64 *curpage;
	u64 *slub;
};

static DEFINE_MUTEX(load_lock);		/* all that follows */
static struct curpage_cache *load_curpage;
static struct kmem_cache *load_slub;
static struct load_pair *load_pairs;
static unsigned int load_max;
static unsigned int load_live;
static u64 load_serial;
static u64 load_random;
static struct dentry *load_dir;

/* splitmix64: a step and a mix, good for any seed. */
static u64 load_next_random(void)
{
	u64 x = load_random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static struct load_pair *load_choose(void)
{
	return load_pairs + (((load_next_random() >> 32) * load_live) >> 32);
}

static int load_alloc(struct load_pair *pair)
{
	pair->curpage = curpage_cache_alloc(load_curpage, GFP_KERNEL);
	pair->slub = kmem_cache_alloc(load_slub, GFP_KERNEL);
	if (!pair->curpage || !pair->slub) {
		curpage_cache_free(load_curpage, pair->curpage);
		if (pair->slub)
			kmem_cache_free(load_slub, pair->slub);
		return -ENOMEM;
	}
	*pair->curpage = *pair->slub = ++load_serial;
	return 0;
}

/* A block that was handed out twice has the serial number of another. */
static int load_free(struct load_pair *pair)
{
	int err = 0;

	if (*pair->curpage != *pair->slub) {
		pr_err("object %llu of SLUB is object %llu of curpage\n",
		       *pair->slub, *pair->curpage);
		err = -EIO;
	}
	curpage_cache_free(load_curpage, pair->curpage);
	kmem_cache_free(load_slub, pair->slub);
	return err;
}

/* One object more. */
static int load_grow(void)
{
	int err = load_alloc(load_pairs + load_live);

	if (!err)
		load_live++;
	return err;
}

/* One object less; the last one takes its place among the live. */
static int load_drop(void)
{
	struct load_pair *pair = load_choose();
	int err = load_free(pair);

	*pair = load_pairs[--load_live];
	return err;
}

/* Another object in the place of one. */
static int load_churn(void)
{
	struct load_pair *pair = load_choose();
	int err = load_free(pair) ?: load_alloc(pair);

	if (err)
		*pair = load_pairs[--load_live];
	return err;
}

static int load_repeat(int (*step)(void), unsigned int times)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < times && !err; i++) {
		err = step();
		if (i % LOAD_BREATH == LOAD_BREATH - 1) {
			cond_resched();
			if (fatal_signal_pending(current))
				return -EINTR;
		}
	}
	return err;
}

static int load_bad(const char *command)
{
	pr_err("command '%s': must be grow N (N %u to %u), drop N (N 0 to %u), churn N (while an object is live) or shrink\n",
	       command, load_live, load_max, load_live);
	return -EINVAL;
}

static int load_run(const char *command)
{
	unsigned int n;
	char word[8], end;

	if (!strcmp(command, "shrink")) {
		curpage_cache_shrink(load_curpage);
		kmem_cache_shrink(load_slub);
		return 0;
	}
	if (sscanf(command, "%7s %u%c", word, &n, &end) != 2)
		return load_bad(command);
	if (!strcmp(word, "grow") && n >= load_live && n <= load_max)
		return load_repeat(load_grow, n - load_live);
	if (!strcmp(word, "drop") && n <= load_live)
		return load_repeat(load_drop, load_live - n);
	if (!strcmp(word, "churn") && load_live)
		return load_repeat(load_churn, n);
	return load_bad(command);
}

static ssize_t run_write(struct file *file, const char __user *ubuf,
			 size_t count, loff_t *pos)
{
	char command[LOAD_COMMAND];
	int err;

	if (count >= sizeof(command)) {
		pr_err("a command of %zu bytes: must be at most %zu\n", count,
		       sizeof(command) - 1);
		return -EINVAL;
	}
	if (copy_from_user(command, ubuf, count))
		return -EFAULT;
	command[count] = '\0';

	mutex_lock(&load_lock);
	err = load_run(strim(command));
	mutex_unlock(&load_lock);
	return err ?: count;
}

static const struct file_operations run_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= run_write,
	.llseek		= noop_llseek,
};

static int state_show(struct seq_file *m, void *v)
{
	mutex_lock(&load_lock);
	seq_printf(m, "live %u\nserial %llu\n", load_live, load_serial);
	mutex_unlock(&load_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int __init load_param(const char *name, const char *text,
			     unsigned int min, unsigned int max,
			     unsigned int *value)
{
	if (!kstrtouint(text, 10, value) && *value >= min && *value <= max)
		return 0;
	pr_err("parameter %s=%s: must be %u to %u\n", name, text, min, max);
	return -EINVAL;
}

static int __init load_create(unsigned int bytes)
{
	load_pairs = kvmalloc_array(load_max, sizeof(*load_pairs), GFP_KERNEL);
	if (!load_pairs)
		return -ENOMEM;
	load_curpage = curpage_cache_create(LOAD_CACHE, bytes, NULL);
	if (!load_curpage)
		goto free_pairs;
	load_slub = kmem_cache_create(LOAD_CACHE, bytes, 0, LOAD_SLAB_FLAGS,
				      NULL);
	if (!load_slub)
		goto destroy_curpage;
	return 0;

destroy_curpage:
	curpage_cache_destroy(load_curpage);
free_pairs:
	kvfree(load_pairs);
	return -ENOMEM;
}

static int __init load_init(void)
{
	unsigned int bytes, start;
	int err;

	if (load_param("size", size, sizeof(u64), PAGE_SIZE, &bytes) ||
	    load_param("objects", objects, 1, LOAD_MAX_OBJECTS, &load_max) ||
	    load_param("seed", seed, 0, UINT_MAX, &start))
		return -EINVAL;
	load_random = start;
	err = load_create(bytes);
	if (err)
		return err;

	load_dir = debugfs_create_dir("curpage_load", NULL);
	debugfs_create_file("run", 0200, load_dir, NULL, &run_fops);
	debugfs_create_file("state", 0444, load_dir, NULL, &state_fops);
	return 0;
}

static void __exit load_exit(void)
{
	debugfs_remove(load_dir);
	while (load_live)
		load_repeat(load_drop, load_live);
	kmem_cache_destroy(load_slub);
	curpage_cache_destroy(load_curpage);
	kvfree(load_pairs);
}

module_init(load_init);
module_exit(load_exit);

MODULE_DESCRIPTION("The same load for curpage and for SLUB");
MODULE_LICENSE("GPL");
