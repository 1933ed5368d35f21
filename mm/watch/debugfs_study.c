// SPDX-License-Identifier: GPL-2.0
/*
 * The file best_map in debugfs, for the study: the size map that suits what is
 * live now.  The map is for reading; a module that loads gets it by parameter
 * sizemap=.
 */
#include "base/kernel.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "cache/cache.h"
#include "size/sizemap.h"
#include "watch/debugfs.h"

/*
 * Number of classes that file best_map shows a map for; 0 for the present
 * number.
 */
static unsigned int cp_best_map_file_classes;

/*
 * Add the blocks that are live now to the load, under the sizes of today's
 * classes.  The sizes that callers asked for are not kept, so a map for this
 * load can only join classes.
 *
 * Return: false if nothing is live.
 */
static bool cp_best_map_file_load(struct cp_map_load *t)
{
	struct curpage_cache *cache;
	unsigned int class = 0;

	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list) {
		struct cp_cache_sum sum;

		/*
		 * The caches of the size classes come first, in the order of
		 * sizes.
		 */
		if (class == cp_sizemap_count())
			break;
		cp_cache_get_sum(cache, &sum);
		t->live[cp_sizemap_units(cp_sizemap_size(class))] =
			(u64)sum.live * CP_BEST_MAP_ONE;
		t->bytes += (u64)sum.live * CP_BEST_MAP_ONE *
			    cp_sizemap_size(class);
		class++;
	}
	mutex_unlock(&cp_caches_lock);
	return t->bytes;
}

struct cp_best_map_text {
	struct cp_map_load load;
	struct cp_sizemap map;
	char text[CP_SIZEMAP_TEXT];
};

static int cp_best_map_file_print(struct seq_file *m, struct cp_best_map_text *t)
{
	unsigned int classes = READ_ONCE(cp_best_map_file_classes) ?:
			       cp_sizemap_count();
	unsigned int now, then;
	int err;

	t->map = *cp_sizemap_used();
	if (!cp_best_map_file_load(&t->load)) {
		seq_puts(m, "# nothing is live: this is the present map\n");
	} else {
		now = cp_best_map_efficiency(&t->load, &t->map);
		err = cp_best_map(&t->load, classes, &t->map);
		if (err)
			return err;
		then = cp_best_map_efficiency(&t->load, &t->map);
		seq_printf(m, "# for %u classes: expected storage efficiency now %u.%03u, best %u.%03u\n",
			   classes, now / 1000, now % 1000, then / 1000,
			   then % 1000);
	}
	cp_sizemap_list(&t->map, t->text, sizeof(t->text));
	seq_printf(m, "%s\n", t->text);
	return 0;
}

static int best_map_show(struct seq_file *m, void *v)
{
	struct cp_best_map_text *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	err = cp_best_map_file_print(m, t);
	kvfree(t);
	return err;
}

static ssize_t best_map_write(struct file *file, const char __user *ubuf,
			      size_t count, loff_t *pos)
{
	unsigned int classes;
	char buf[CP_NAME_LEN];
	char *word;

	word = cp_debugfs_word(ubuf, count, buf, sizeof(buf));
	if (!word || kstrtouint(word, 10, &classes) ||
	    classes < cp_best_map_min() || classes > CP_MAX_CLASSES) {
		pr_err("best_map %s: must be %u to %u\n", word ?: "(too long)",
		       cp_best_map_min(), CP_MAX_CLASSES);
		return -EINVAL;
	}
	WRITE_ONCE(cp_best_map_file_classes, classes);
	return count;
}

CP_DEBUGFS_FILE(best_map);

void __init cp_debugfs_study_init(struct dentry *dir)
{
	/* Size classes that would suit what is live.  With STUDY=1 only. */
	debugfs_create_file("best_map", 0644, dir, NULL, &best_map_fops);
}
