// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/curpage_test/run: write a command, the result is what the
 * write returns; read what the command has to tell.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/curpage.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "test.h"

#define CT_WORD_LEN	32
#define CT_FACTS_LEN	8192
#define CT_MAX_NUMBER	1000000

struct curpage_cache *ct_plain;
struct curpage_cache *ct_other;
struct curpage_cache *ct_check;

static DEFINE_MUTEX(ct_lock);	/* one command at a time */
static char ct_facts[CT_FACTS_LEN];
static size_t ct_facts_len;
static struct dentry *ct_dir;

static const struct ct_command * const ct_tables[] = {
	ct_misuse_commands, ct_load_commands, ct_limits_commands,
	ct_blocks_commands, ct_cpus_commands, ct_citizen_commands,
};

void ct_fact(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ct_facts_len += vscnprintf(ct_facts + ct_facts_len,
				   sizeof(ct_facts) - ct_facts_len, fmt, args);
	va_end(args);
}

static const struct ct_command *ct_find(const char *word)
{
	const struct ct_command *command;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ct_tables); i++)
		for (command = ct_tables[i]; command->word; command++)
			if (!strcmp(command->word, word))
				return command;
	return NULL;
}

struct ct_call {
	const struct ct_command *command;
	unsigned int number;
};

static long ct_call(void *data)
{
	struct ct_call *call = data;
	unsigned int i;
	int err = 0;

	if (call->command->run)
		return call->command->run(call->number);
	for (i = 0; i < call->number && !err; i++)
		err = call->command->once();
	return err;
}

/* The command of a line such as "double 3". */
static int ct_parse(char *line, struct ct_call *call)
{
	char *word = strim(line);
	char *number = strchr(word, ' ');

	if (number)
		*number++ = '\0';
	call->command = ct_find(word);
	if (!call->command) {
		pr_err("command %s: not known\n", word);
		return -EINVAL;
	}
	call->number = call->command->fallback ?: 1;
	if (number && (kstrtouint(number, 10, &call->number) ||
		       !call->number || call->number > CT_MAX_NUMBER)) {
		pr_err("command %s %s: the number must be 1 to %u\n", word,
		       number, CT_MAX_NUMBER);
		return -EINVAL;
	}
	return 0;
}

static ssize_t ct_run_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *pos)
{
	char line[CT_WORD_LEN];
	struct ct_call call;
	int err;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, ubuf, count))
		return -EFAULT;
	line[count] = '\0';
	err = ct_parse(line, &call);
	if (err)
		return err;

	mutex_lock(&ct_lock);
	ct_facts_len = 0;
	ct_facts[0] = '\0';
	err = call.command->local ? work_on_cpu(0, ct_call, &call) :
				    ct_call(&call);
	mutex_unlock(&ct_lock);
	return err ?: count;
}

static int ct_run_show(struct seq_file *m, void *v)
{
	mutex_lock(&ct_lock);
	seq_puts(m, ct_facts);
	mutex_unlock(&ct_lock);
	return 0;
}

static int ct_run_open(struct inode *inode, struct file *file)
{
	return single_open(file, ct_run_show, NULL);
}

static const struct file_operations ct_run_fops = {
	.owner		= THIS_MODULE,
	.open		= ct_run_open,
	.read		= seq_read,
	.write		= ct_run_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static void ct_destroy_caches(void)
{
	curpage_cache_destroy(ct_check);
	curpage_cache_destroy(ct_other);
	curpage_cache_destroy(ct_plain);
}

static int __init ct_init(void)
{
	static const struct curpage_cache_args check = {
		.flags = CURPAGE_CHECK,
	};

	ct_plain = curpage_cache_create("ct-plain", CT_OBJ_SIZE, NULL);
	ct_other = curpage_cache_create("ct-other", CT_OBJ_SIZE, NULL);
	ct_check = curpage_cache_create("ct-check", CT_OBJ_SIZE, &check);
	if (!ct_plain || !ct_other || !ct_check) {
		ct_destroy_caches();
		return -ENOMEM;
	}
	ct_dir = debugfs_create_dir("curpage_test", NULL);
	debugfs_create_file("run", 0600, ct_dir, NULL, &ct_run_fops);
	return 0;
}

static void __exit ct_exit(void)
{
	debugfs_remove(ct_dir);
	ct_load_exit();
	ct_limits_exit();
	ct_blocks_exit();
	ct_cpus_exit();
	ct_citizen_exit();
	ct_destroy_caches();
}

module_init(ct_init);
module_exit(ct_exit);
MODULE_DESCRIPTION("A user of curpage that does what it is told, right or wrong");
MODULE_AUTHOR("The curpage authors");
MODULE_LICENSE("GPL");
