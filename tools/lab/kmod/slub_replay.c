// SPDX-License-Identifier: GPL-2.0
/*
 * Replay requests on SLUB alone, on one CPU.  The caches curpage_slub-8 to
 * curpage_slub-8192 are like those of kmalloc(), without other users.
 *
 *	/sys/kernel/debug/curpage_slub/events	write: pairs of u32, ID and SIZE
 *	/sys/kernel/debug/curpage_slub/large	read: pages of blocks above 8192
 *
 * SIZE 0 frees.  /proc/slabinfo shows what the caches hold.  Each write
 * continues the events of the last one.  Unloading the module frees the blocks
 * that are left.
 */
#define pr_fmt(fmt) "curpage_slub: " fmt

#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "on_cpu.h"

/* Do not merge the caches: they would show objects of others. */
#ifdef SLAB_NO_MERGE
#define SLUB_FLAGS	SLAB_NO_MERGE
#else
/* Before 6.5: SLAB_NOLEAKTRACE prevents merging and has no other effect. */
#define SLUB_FLAGS	SLAB_NOLEAKTRACE
#endif

#define SLUB_CPU	0	/* makes all requests */
#define SLUB_EVENTS	512

struct slub_event {
	u32 id;
	u32 size;
};

static const unsigned int slub_sizes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192,
};

static struct kmem_cache *slub_cache[ARRAY_SIZE(slub_sizes)];
static DEFINE_XARRAY(slub_blocks);	/* by ID; marked: of a cache */
#define SLUB_CACHED	XA_MARK_0

static DEFINE_MUTEX(slub_mutex);	/* for all variables below */
static struct slub_event slub_event[SLUB_EVENTS];
static unsigned int slub_nr_events;	/* in the buffer */
static unsigned long slub_large;	/* in pages */
static struct dentry *slub_dir;

static struct kmem_cache *slub_cache_of(unsigned int size)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slub_sizes); i++)
		if (size <= slub_sizes[i])
			return slub_cache[i];
	return NULL;
}

static unsigned long slub_pages(const void *block)
{
	return 1UL << compound_order(virt_to_head_page(block));
}

/* Allocate a block for an ID, which must not be live. */
static int slub_alloc(u32 id, u32 size)
{
	struct kmem_cache *cache = slub_cache_of(size);
	void *block;
	int err;

	if (xa_load(&slub_blocks, id))
		return -EINVAL;
	block = cache ? kmem_cache_alloc(cache, GFP_KERNEL) :
			kmalloc(size, GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	err = xa_err(xa_store(&slub_blocks, id, block, GFP_KERNEL));
	if (err) {
		kfree(block);
		return err;
	}
	if (cache)
		xa_set_mark(&slub_blocks, id, SLUB_CACHED);
	else
		slub_large += slub_pages(block);
	return 0;
}

static int slub_free(u32 id)
{
	bool cached = xa_get_mark(&slub_blocks, id, SLUB_CACHED);
	void *block = xa_erase(&slub_blocks, id);

	if (!block)
		return -EINVAL;
	if (!cached)
		slub_large -= slub_pages(block);
	kfree(block);
	return 0;
}

static long slub_part(void *unused)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < slub_nr_events && !err; i++) {
		const struct slub_event *e = &slub_event[i];

		err = e->size ? slub_alloc(e->id, e->size) : slub_free(e->id);
		if (err)
			pr_err("ID %u, SIZE %u: %pe\n", e->id, e->size,
			       ERR_PTR(err));
	}
	return err;
}

static ssize_t slub_write(struct file *file, const char __user *ubuf,
			  size_t count, loff_t *pos)
{
	size_t done = 0;
	int err = count % sizeof(*slub_event) ? -EINVAL : 0;

	mutex_lock(&slub_mutex);
	while (done < count && !err) {
		size_t bytes = min(count - done, sizeof(slub_event));

		slub_nr_events = bytes / sizeof(*slub_event);
		if (copy_from_user(slub_event, ubuf + done, bytes))
			err = -EFAULT;
		else
			err = replay_work_on_cpu(SLUB_CPU, slub_part, NULL);
		done += bytes;
	}
	mutex_unlock(&slub_mutex);
	return err ?: count;
}

static const struct file_operations slub_events_fops = {
	.owner	= THIS_MODULE,
	.write	= slub_write,
};

static void slub_end(void)
{
	unsigned long id;
	unsigned int i;
	void *block;

	xa_for_each(&slub_blocks, id, block) {
		kfree(block);
		cond_resched();
	}
	xa_destroy(&slub_blocks);
	for (i = 0; i < ARRAY_SIZE(slub_sizes); i++)
		kmem_cache_destroy(slub_cache[i]);
}

static int slub_start(void)
{
	char name[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slub_sizes); i++) {
		snprintf(name, sizeof(name), "curpage_slub-%u", slub_sizes[i]);
		slub_cache[i] = kmem_cache_create(name, slub_sizes[i], 0,
						  SLUB_FLAGS, NULL);
		if (!slub_cache[i]) {
			slub_end();
			return -ENOMEM;
		}
	}
	return 0;
}

static int __init slub_init(void)
{
	int err = slub_start();

	if (err)
		return err;
	slub_dir = debugfs_create_dir("curpage_slub", NULL);
	debugfs_create_file("events", 0200, slub_dir, NULL, &slub_events_fops);
	debugfs_create_ulong("large", 0400, slub_dir, &slub_large);
	return 0;
}

static void __exit slub_exit(void)
{
	debugfs_remove(slub_dir);
	slub_end();
}

module_init(slub_init);
module_exit(slub_exit);
MODULE_DESCRIPTION("Replay requests through SLUB, on one CPU");
MODULE_AUTHOR("The curpage authors");
MODULE_LICENSE("GPL");
