// SPDX-License-Identifier: GPL-2.0
/*
 * Caches and stocks of which every CPU has a part that it does not need, and
 * blocks that come back from another CPU, many at a time.
 */
#include <linux/cpu.h>
#include <linux/curpage.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "test.h"

#define CT_MANY_MAX	100
#define CT_TINY		8

static struct curpage_cache *ct_many[CT_MANY_MAX];
static unsigned int ct_nr_many;

/* Leaves an empty current page of each cache, and a page block in stock. */
static long ct_many_use(void *unused)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 0);
	long err = page ? 0 : -ENOMEM;
	unsigned int i;

	for (i = 0; i < ct_nr_many; i++) {
		void *obj = curpage_cache_alloc(ct_many[i], GFP_KERNEL);

		if (!obj)
			err = -ENOMEM;
		curpage_cache_free(ct_many[i], obj);
	}
	if (page)
		curpage_free_pages(page, 0);
	return err;
}

static int ct_many_use_all(unsigned int unused)
{
	long err = 0;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		err = err ?: work_on_cpu(cpu, ct_many_use, NULL);
	cpus_read_unlock();
	return err;
}

static int ct_many_end(unsigned int unused)
{
	while (ct_nr_many)
		curpage_cache_destroy(ct_many[--ct_nr_many]);
	return 0;
}

/* So many caches, used on every CPU. */
static int ct_many_begin(unsigned int caches)
{
	char name[16];

	ct_many_end(0);
	while (ct_nr_many < min(caches, CT_MANY_MAX)) {
		snprintf(name, sizeof(name), "ct-many-%u", ct_nr_many);
		ct_many[ct_nr_many] = curpage_cache_create(name, CT_OBJ_SIZE, NULL);
		if (!ct_many[ct_nr_many])
			return -ENOMEM;
		ct_nr_many++;
	}
	return ct_many_use_all(0);
}

/* The blocks that were got last, a chain as in load.c. */
static void *ct_tiny;

static long ct_tiny_free(void *unused)
{
	while (ct_tiny) {
		void **obj = ct_tiny;

		ct_tiny = *obj;
		curpage_free(obj);
	}
	return 0;
}

/* In a hard interrupt. */
static void ct_tiny_alloc(void *err)
{
	void **obj = curpage_alloc(CT_TINY, GFP_ATOMIC);

	if (obj)
		*obj = NULL;
	else
		*(int *)err = -ENOMEM;
	ct_tiny = obj;
}

static long ct_tiny_interrupt(void *unused)
{
	int err = 0;

	smp_call_function_single(0, ct_tiny_alloc, &err, 1);
	return err;
}

/*
 * So many pages of tiny blocks, allocated on CPU 0, freed on CPU 1; then CPU 0
 * allocates one in an interrupt, when there is no free block on its current page.
 */
static int ct_tiny_collect(unsigned int pages)
{
	unsigned int n;
	long err;

	if (!cpu_online(1))
		return -ENXIO;
	for (n = 0; n < pages * (PAGE_SIZE / CT_TINY); n++) {
		void **obj = curpage_alloc(CT_TINY, GFP_KERNEL);

		if (!obj)
			return -ENOMEM;
		*obj = ct_tiny;
		ct_tiny = obj;
	}
	work_on_cpu(1, ct_tiny_free, NULL);
	err = work_on_cpu(1, ct_tiny_interrupt, NULL);
	return err;
}

static int ct_tiny_end(unsigned int unused)
{
	return ct_tiny_free(NULL);
}

void ct_cpus_exit(void)
{
	ct_tiny_free(NULL);
	ct_many_end(0);
}

const struct ct_command ct_cpus_commands[] = {
	{ "many",	.run = ct_many_begin },
	{ "many-use",	.run = ct_many_use_all },
	{ "many-end",	.run = ct_many_end },
	{ "collect",	.run = ct_tiny_collect,	.local = true },
	{ "collect-end", .run = ct_tiny_end,	.local = true },
	{ }
};
