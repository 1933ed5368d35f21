// SPDX-License-Identifier: GPL-2.0
/*
 * The files of the buddies in debugfs: buddy (what is free and how it is
 * scattered), policy, and desired (what the lists are tailored to).
 */
#include "base/kernel.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "large/large.h"
#include "watch/debugfs.h"

static void cp_show_share(struct seq_file *m, const char *name, u64 part,
			  u64 whole)
{
	unsigned int permille = whole ? mul_u64_u64_div_u64(part, 1000, whole) :
					0;

	seq_printf(m, "%s %u.%03u\n", name, permille / 1000, permille % 1000);
}

static void cp_show_desired(struct seq_file *m, u32 desired)
{
	if (desired == U32_MAX)
		seq_printf(m, " %7s", "-");
	else
		seq_printf(m, " %7u", desired);
}

static void cp_show_lists(struct seq_file *m,
			  const struct cp_buddy_sum *b)
{
	unsigned int order;

	seq_puts(m, "order   free  pairs desired      asked     missed   searches     splits     merges\n");
	for (order = 0; order < CP_NR_ORDERS; order++) {
		seq_printf(m, "%5u %6lu %6lu", order, b->free[order],
			   b->pairs[order]);
		cp_show_desired(m, b->desired[order]);
		seq_printf(m, " %10lu %10lu %10lu %10lu %10lu\n",
			   b->stat[CP_ASKED][order],
			   b->stat[CP_MISSED][order],
			   b->stat[CP_SEARCHES][order],
			   b->stat[CP_SPLITS][order],
			   b->stat[CP_MERGES][order]);
	}
}

static void cp_show_blocks(struct seq_file *m, const struct cp_arena_sum *sum,
			   const struct cp_stock_sum *stock)
{
	unsigned int order;

	seq_puts(m, "order   live  stock failed\n");
	for (order = 0; order < CP_NR_ORDERS; order++)
		seq_printf(m, "%5u %6lu %6lu %6lu\n", order,
			   sum->blocks[order] - min(sum->blocks[order],
						    stock->blocks[order]),
			   stock->blocks[order], sum->failed[order]);
}

struct cp_buddy_figures {
	struct cp_arena_sum arena;
	struct cp_stock_sum stock;
	struct cp_buddy_sum buddy[CP_NR_USES];
};

static void cp_show_buddy(struct seq_file *m, const struct cp_buddy_figures *f)
{
	const struct cp_arena_sum *sum = &f->arena;

	seq_printf(m, "policy %s\n", sum->policy->name);
	seq_printf(m, "apart %u\n", cp_arena.apart);
	seq_printf(m, "largest %lu\n", sum->largest);
	cp_show_share(m, "internal", cp_pages_waste(),
		      cp_pages_handed_out(sum, &f->stock) << PAGE_SHIFT);
	cp_show_share(m, "external", sum->failed_free, sum->failed_held);
	cp_show_share(m, "scattered", f->buddy[CP_FOR_CALLERS].lone_pages +
		      f->buddy[CP_FOR_CACHES].lone_pages, sum->held);
	cp_show_blocks(m, sum, &f->stock);
	seq_puts(m, cp_arena.apart ? "chunks of callers\n" : "all chunks\n");
	cp_show_lists(m, &f->buddy[CP_FOR_CALLERS]);
	if (cp_arena.apart) {
		seq_puts(m, "chunks of caches\n");
		cp_show_lists(m, &f->buddy[CP_FOR_CACHES]);
	}
}

static int buddy_show(struct seq_file *m, void *v)
{
	struct cp_buddy_figures *f = kmalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	cp_stock_get_sum(&f->stock);
	cp_arena_get_sum(&cp_arena, &f->arena, f->buddy);
	cp_show_buddy(m, f);
	kfree(f);
	return 0;
}

static ssize_t buddy_write(struct file *file, const char __user *ubuf,
			   size_t count, loff_t *pos)
{
	char buf[CP_NAME_LEN];
	char *word;

	word = cp_debugfs_word(ubuf, count, buf, sizeof(buf));
	if (!word || strcmp(word, "merge")) {
		pr_err("buddy %s: must be merge\n", word ?: "(too long)");
		return -EINVAL;
	}
	cp_arena_merge(&cp_arena);
	return count;
}

static int policy_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%s\n",
		   READ_ONCE(cp_arena.buddy[CP_FOR_CALLERS].policy)->name);
	return 0;
}

static ssize_t policy_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *pos)
{
	const struct cp_buddy_policy *policy;
	char buf[CP_NAME_LEN];
	char *word;

	word = cp_debugfs_word(ubuf, count, buf, sizeof(buf));
	policy = cp_buddy_policy_get("policy ", word ?: "(too long)");
	if (!policy)
		return -EINVAL;
	cp_arena_set_policy(&cp_arena, policy);
	return count;
}

static int desired_show(struct seq_file *m, void *v)
{
	char text[CP_DESIRED_TEXT];
	struct cp_desired desired;

	cp_arena_get_desired(&cp_arena, &desired);
	cp_desired_text(&desired, text, sizeof(text));
	seq_printf(m, "%s\n", text);
	return 0;
}

static ssize_t desired_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *pos)
{
	struct cp_desired desired;
	char buf[CP_DESIRED_TEXT];
	char *word;

	word = cp_debugfs_word(ubuf, count, buf, sizeof(buf));
	if (cp_desired_parse("desired ", word ?: "(too long)", &desired))
		return -EINVAL;
	cp_arena_set_desired(&cp_arena, &desired);
	return count;
}

CP_DEBUGFS_FILE(buddy);
CP_DEBUGFS_FILE(policy);
CP_DEBUGFS_FILE(desired);

void __init cp_debugfs_buddy_init(struct dentry *dir)
{
	/* Free page blocks by order.  A write merges them. */
	debugfs_create_file("buddy", 0644, dir, NULL, &buddy_fops);
	/* When free page blocks are merged. */
	debugfs_create_file("policy", 0644, dir, NULL, &policy_fops);
	/* How many page blocks should be free, by order. */
	debugfs_create_file("desired", 0644, dir, NULL, &desired_fops);
}
