// SPDX-License-Identifier: GPL-2.0
/*
 * Record the chunks that curpage's arena takes, for lab replay --chunks:
 *
 *	/sys/kernel/debug/curpage_replay/chunks		read: PFN ORDER
 *
 * The file has all chunks since the module was loaded, from any request.  They
 * are recorded under a lock of curpage, so the room is allocated at the start.
 * The file cannot be opened when there were more chunks.
 */
#include "kernel.h"

#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "replay_mod.h"

#define REPLAY_CHUNKS_MAX	131072
#define REPLAY_ORDER_BITS	4

static u64 *replay_chunks;		/* pfn, and the order in the low bits */
static unsigned long replay_nr_chunks;	/* with those that had no room */

static void replay_chunk_taken(void *data, unsigned long pfn,
			       unsigned int order)
{
	unsigned long nr = replay_nr_chunks;

	if (nr < REPLAY_CHUNKS_MAX)
		replay_chunks[nr] = (u64)pfn << REPLAY_ORDER_BITS | order;
	/* The caller of the tracepoint holds the arena's lock. */
	WRITE_ONCE(replay_nr_chunks, nr + 1);
}

static void *replay_chunks_at(loff_t pos)
{
	return pos < READ_ONCE(replay_nr_chunks) ? replay_chunks + pos : NULL;
}

static void *replay_chunks_start(struct seq_file *m, loff_t *pos)
{
	return replay_chunks_at(*pos);
}

static void *replay_chunks_next(struct seq_file *m, void *v, loff_t *pos)
{
	return replay_chunks_at(++*pos);
}

static void replay_chunks_stop(struct seq_file *m, void *v)
{
}

static int replay_chunks_show(struct seq_file *m, void *v)
{
	u64 chunk = *(u64 *)v;

	seq_printf(m, "%llu %llu\n", chunk >> REPLAY_ORDER_BITS,
		   chunk & ((1 << REPLAY_ORDER_BITS) - 1));
	return 0;
}

static const struct seq_operations replay_chunks_ops = {
	.start	= replay_chunks_start,
	.next	= replay_chunks_next,
	.stop	= replay_chunks_stop,
	.show	= replay_chunks_show,
};

static int replay_chunks_open(struct inode *inode, struct file *file)
{
	if (READ_ONCE(replay_nr_chunks) > REPLAY_CHUNKS_MAX)
		return -EOVERFLOW;
	return seq_open(file, &replay_chunks_ops);
}

static const struct file_operations replay_chunks_fops = {
	.owner		= THIS_MODULE,
	.open		= replay_chunks_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

int replay_chunks_init(struct dentry *dir)
{
	int err;

	replay_chunks = kvmalloc_array(REPLAY_CHUNKS_MAX,
				       sizeof(*replay_chunks), GFP_KERNEL);
	if (!replay_chunks)
		return -ENOMEM;
	err = register_trace_curpage_chunk_take(replay_chunk_taken, NULL);
	if (err) {
		kvfree(replay_chunks);
		return err;
	}
	debugfs_create_file("chunks", 0400, dir, NULL, &replay_chunks_fops);
	return 0;
}

/*
 * Unregister the tracepoint, and wait for its last call.  The files are gone.
 */
void replay_chunks_exit(void)
{
	unregister_trace_curpage_chunk_take(replay_chunk_taken, NULL);
	tracepoint_synchronize_unregister();
	kvfree(replay_chunks);
}
