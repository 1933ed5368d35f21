// SPDX-License-Identifier: GPL-2.0
/*
 * Replay a trace through the curpage module, on one CPU.
 *
 *	/sys/kernel/debug/curpage_replay/trace		write: a trace
 *	/sys/kernel/debug/curpage_replay/placements	read: ID PAGE SLOT
 *
 * and see chunks.c and slub.c.
 *
 * Opening the trace for writing frees the blocks that the last trace left.
 * Until then they stay live, so that curpage's own files can be read.  Page
 * numbers continue from one trace to the next: load this module right after
 * curpage to have numbers from 0 and to know every page.  A worker on the CPU
 * of the parameter makes the requests.
 *
 * A bad trace gets -EINVAL and a line in the log, and leaves no blocks.  A
 * trace that ends within a line is found bad when it is closed; the placements
 * cannot be opened then.
 */
#include "kernel.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "../replay.h"
#include "on_cpu.h"
#include "replay_mod.h"

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "the CPU that makes the requests (default 0)");

static bool placements = true;
module_param(placements, bool, 0444);
MODULE_PARM_DESC(placements, "keep the place of each block for the file placements (default Y)");

static DEFINE_MUTEX(replay_mutex);	/* for all variables below */
static struct replay replay;
static bool replay_writing;
static int replay_status;		/* of the last trace */
static char replay_buf[PAGE_SIZE];
static size_t replay_len;		/* bytes in the buffer */

static struct task_struct *replay_task;	/* worker whose refills count */
static struct dentry *replay_dir;

static void replay_probe(void *data, unsigned int cache, unsigned long pfn,
			 unsigned int source, unsigned int nr_free)
{
	if (READ_ONCE(replay_task) == current)
		replay_refilled(&replay, pfn, source);
}

static void replay_run_probe(void *data, unsigned long pfn, unsigned int order)
{
	if (READ_ONCE(replay_task) == current)
		replay_run_taken(&replay, pfn, order);
}

static void replay_gone_probe(void *data, unsigned long pfn,
			      unsigned int order)
{
	if (READ_ONCE(replay_task) == current)
		replay_run_gone(&replay, pfn, order);
}

static void replay_probes_off(void)
{
	unregister_trace_curpage_refill(replay_probe, NULL);
	unregister_trace_curpage_run_take(replay_run_probe, NULL);
	unregister_trace_curpage_run_return(replay_gone_probe, NULL);
	tracepoint_synchronize_unregister();
}

static int replay_probes_on(void)
{
	int err = register_trace_curpage_refill(replay_probe, NULL);

	if (err)
		return err;
	err = register_trace_curpage_run_take(replay_run_probe, NULL);
	if (err)
		goto no_run;
	err = register_trace_curpage_run_return(replay_gone_probe, NULL);
	if (!err)
		return 0;
	unregister_trace_curpage_run_take(replay_run_probe, NULL);
no_run:
	unregister_trace_curpage_refill(replay_probe, NULL);
	tracepoint_synchronize_unregister();
	return err;
}

static long replay_forget(void *unused)
{
	replay_reset(&replay);
	replay_slub_reset();
	return 0;
}

/* Replay the buffer, or the end of the trace if it is empty. */
static long replay_part(void *unused)
{
	int err;

	WRITE_ONCE(replay_task, current);
	if (replay_len)
		err = replay_feed(&replay, replay_buf, replay_len);
	else
		err = replay_end(&replay);
	WRITE_ONCE(replay_task, NULL);
	if (err) {
		pr_err("%s\n", replay.error);
		replay_forget(NULL);
	}
	return err;
}

static long replay_on_cpu(long (*fn)(void *unused))
{
	return replay_work_on_cpu(cpu, fn, NULL);
}

static int replay_trace_open(struct inode *inode, struct file *file)
{
	int err = -EBUSY;

	mutex_lock(&replay_mutex);
	if (!replay_writing) {
		err = replay_on_cpu(replay_forget);
		replay_writing = !err;
		replay_status = err;
	}
	mutex_unlock(&replay_mutex);
	return err;
}

static ssize_t replay_trace_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *pos)
{
	size_t done = 0;
	int err;

	mutex_lock(&replay_mutex);
	err = replay_status;
	while (done < count && !err) {
		replay_len = min(count - done, sizeof(replay_buf));
		if (copy_from_user(replay_buf, ubuf + done, replay_len)) {
			err = -EFAULT;
			break;
		}
		err = replay_on_cpu(replay_part);
		replay_status = err;
		done += replay_len;
	}
	mutex_unlock(&replay_mutex);
	return err ?: count;
}

static int replay_trace_release(struct inode *inode, struct file *file)
{
	mutex_lock(&replay_mutex);
	replay_len = 0;
	if (!replay_status)
		replay_status = replay_on_cpu(replay_part);
	replay_writing = false;
	mutex_unlock(&replay_mutex);
	return 0;
}

static const struct file_operations replay_trace_fops = {
	.owner		= THIS_MODULE,
	.open		= replay_trace_open,
	.write		= replay_trace_write,
	.release	= replay_trace_release,
};

static const struct replay_placement *replay_place_at(loff_t *pos)
{
	return replay_placement(&replay, *pos);
}

static void *replay_seq_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&replay_mutex);
	return (void *)replay_place_at(pos);
}

static void *replay_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return (void *)replay_place_at(pos);
}

static void replay_seq_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&replay_mutex);
}

static int replay_seq_show(struct seq_file *m, void *v)
{
	const struct replay_placement *p = v;

	seq_printf(m, "%u %u %u\n", p->id, p->page, p->slot);
	return 0;
}

static const struct seq_operations replay_seq_ops = {
	.start	= replay_seq_start,
	.next	= replay_seq_next,
	.stop	= replay_seq_stop,
	.show	= replay_seq_show,
};

static int replay_placements_open(struct inode *inode, struct file *file)
{
	int err;

	mutex_lock(&replay_mutex);
	err = replay_writing ? -EBUSY : replay_status;
	mutex_unlock(&replay_mutex);
	return err ?: seq_open(file, &replay_seq_ops);
}

static const struct file_operations replay_placements_fops = {
	.owner		= THIS_MODULE,
	.open		= replay_placements_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

static int __init replay_mod_init(void)
{
	int err;

	if (cpu >= nr_cpu_ids || !cpu_online(cpu)) {
		pr_err("parameter cpu=%u: must be the number of a CPU that is online\n",
		       cpu);
		return -EINVAL;
	}
	replay_init(&replay);
	replay.keep = placements;
	replay.also = replay_slub_event;
	err = replay_slub_init();
	if (err)
		return err;
	replay_dir = debugfs_create_dir("curpage_replay", NULL);
	err = replay_chunks_init(replay_dir);
	if (err)
		goto no_chunks;
	err = replay_probes_on();
	if (err)
		goto no_probes;
	debugfs_create_file("trace", 0200, replay_dir, NULL,
			    &replay_trace_fops);
	debugfs_create_file("placements", 0400, replay_dir, NULL,
			    &replay_placements_fops);
	return 0;

no_probes:
	debugfs_remove(replay_dir);
	replay_chunks_exit();
	replay_slub_exit();
	return err;

no_chunks:
	debugfs_remove(replay_dir);
	replay_slub_exit();
	return err;
}

static void __exit replay_mod_exit(void)
{
	debugfs_remove(replay_dir);
	replay_probes_off();
	/* If the CPU is offline now, any other CPU frees the blocks. */
	replay_on_cpu(replay_forget);
	replay_exit(&replay);
	replay_chunks_exit();
	replay_slub_exit();
}

module_init(replay_mod_init);
module_exit(replay_mod_exit);
MODULE_DESCRIPTION("Replay a trace of allocations through curpage");
MODULE_AUTHOR("The curpage authors");
MODULE_LICENSE("GPL");
