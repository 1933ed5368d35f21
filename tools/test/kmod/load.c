// SPDX-License-Identifier: GPL-2.0
/*
 * Users that do nothing wrong: a mixture with its contents verified, one that
 * holds blocks until it is told to let go, one on two CPUs, and a load whose
 * every allocation is known, for tools that count.
 */
#include <linux/curpage.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "test.h"

#define CT_SLOTS	256
#define CT_MAX_SIZE	10000
#define CT_BULK		40

/* One slot of the mixture: what is in it, and how it has to be freed. */
struct ct_slot {
	void *obj;
	size_t size;
	unsigned int order;
	enum { CT_BY_SIZE, CT_BY_CACHE, CT_BY_PAGES } how;
	u8 fill;
};

/* Small and the same every time. */
static u32 ct_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void ct_slot_alloc(struct ct_slot *slot, u32 *state)
{
	struct page *page;

	slot->fill = ct_random(state);
	slot->how = ct_random(state) % 8;
	switch (slot->how) {
	case CT_BY_PAGES:
		slot->order = ct_random(state) % 4;
		slot->size = PAGE_SIZE << slot->order;
		page = curpage_alloc_pages(GFP_KERNEL, slot->order);
		slot->obj = page ? page_address(page) : NULL;
		break;
	case CT_BY_CACHE:
		slot->size = CT_OBJ_SIZE;
		slot->obj = curpage_cache_alloc(ct_plain, GFP_KERNEL);
		break;
	default:
		slot->how = CT_BY_SIZE;
		slot->size = 1 + ct_random(state) % CT_MAX_SIZE;
		/* Small sizes are the common ones. */
		if (ct_random(state) % 4)
			slot->size = 1 + slot->size % 512;
		slot->obj = curpage_alloc(slot->size, GFP_KERNEL);
	}
	if (slot->obj)
		memset(slot->obj, slot->fill, slot->size);
}

/* -EIO when somebody else wrote to the block. */
static int ct_slot_free(struct ct_slot *slot)
{
	int err = 0;

	if (!slot->obj)
		return 0;
	if (memchr_inv(slot->obj, slot->fill, slot->size))
		err = -EIO;
	if (slot->how == CT_BY_PAGES)
		curpage_free_pages(virt_to_page(slot->obj), slot->order);
	else if (slot->how == CT_BY_CACHE)
		curpage_cache_free(ct_plain, slot->obj);
	else
		curpage_free(slot->obj);
	slot->obj = NULL;
	return err;
}

static int ct_use_bulk(void)
{
	void *objs[CT_BULK];

	if (!curpage_cache_alloc_bulk(ct_check, GFP_KERNEL, CT_BULK, objs))
		return -ENOMEM;
	curpage_cache_free_bulk(ct_check, CT_BULK, objs);
	return 0;
}

/* So many allocations of all kinds, verified when freed; all are freed. */
static int ct_use(unsigned int ops)
{
	struct ct_slot *slots, *slot;
	u32 state = 1;
	int err, bad = 0;

	slots = kcalloc(CT_SLOTS, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	while (ops--) {
		slot = &slots[ct_random(&state) % CT_SLOTS];
		err = ct_slot_free(slot);
		ct_slot_alloc(slot, &state);
		if (!slot->obj)
			err = -ENOMEM;
		bad = bad ?: err;
	}
	for (slot = slots; slot < slots + CT_SLOTS; slot++) {
		err = ct_slot_free(slot);
		bad = bad ?: err;
	}
	kfree(slots);
	return bad ?: ct_use_bulk();
}

/* Live blocks form a chain, each pointing to the one before it. */
static void *ct_held;

static int ct_hold(unsigned int blocks)
{
	while (blocks--) {
		void **obj = curpage_cache_alloc(ct_plain, GFP_KERNEL);

		if (!obj)
			return -ENOMEM;
		*obj = ct_held;
		ct_held = obj;
	}
	return 0;
}

static int ct_release(unsigned int unused)
{
	while (ct_held) {
		void **obj = ct_held;

		ct_held = *obj;
		curpage_cache_free(ct_plain, obj);
	}
	return 0;
}

/* Every second block goes, so that each page has a live and a free one. */
static int ct_thin(unsigned int unused)
{
	void **obj, **next;

	for (obj = ct_held; obj && *obj; obj = *obj) {
		next = *obj;
		*obj = *next;
		curpage_cache_free(ct_plain, next);
	}
	return 0;
}

static long ct_release_on(void *unused)
{
	return ct_release(0);
}

/* Allocated on CPU 0, freed on CPU 1. */
static int ct_remote(unsigned int blocks)
{
	int err;

	if (!cpu_online(1))
		return -ENXIO;
	err = ct_hold(blocks);
	work_on_cpu(1, ct_release_on, NULL);
	return err;
}

/*
 * What the load for tools is made of: requests of a size, every second of
 * which is freed and made again before all are freed.
 */
static const struct {
	unsigned int size;
	unsigned int nr;
} ct_parts[] = {
	{ 100, 1000 },
	{ 500, 300 },
	{ 1000, 60 },
	{ 5000, 10 },
};

#define CT_PART_MAX	1000
#define CT_PART_MSEC	600	/* longer than any of it takes */

static int ct_part_alloc(unsigned int size, void **obj, unsigned int *allocs)
{
	*obj = curpage_alloc(size, GFP_KERNEL);
	*allocs += !!*obj;
	return *obj ? 0 : -ENOMEM;
}

static int ct_part_free(void **obj)
{
	int freed = !!*obj;

	curpage_free(*obj);
	*obj = NULL;
	return freed;
}

static int ct_part(unsigned int size, unsigned int nr, void **objs,
		   unsigned int *frees)
{
	unsigned int allocs = 0, i;
	int err = 0;

	for (i = 0; i < nr; i++)
		err = err ?: ct_part_alloc(size, &objs[i], &allocs);
	for (i = 0; i < nr; i += 2)
		*frees += ct_part_free(&objs[i]);
	for (i = 0; i < nr; i += 2)
		err = err ?: ct_part_alloc(size, &objs[i], &allocs);
	ct_fact("alloc %u %u\n", size, allocs);
	msleep(CT_PART_MSEC);
	for (i = 0; i < nr; i++)
		*frees += ct_part_free(&objs[i]);
	return err;
}

static int ct_load(void)
{
	unsigned int frees = 0, i;
	void **objs;
	int err = 0;

	objs = kcalloc(CT_PART_MAX, sizeof(*objs), GFP_KERNEL);
	if (!objs)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(ct_parts); i++)
		err = err ?: ct_part(ct_parts[i].size, ct_parts[i].nr, objs,
				     &frees);
	ct_fact("free %u\n", frees);
	kfree(objs);
	return err;
}

void ct_load_exit(void)
{
	ct_release(0);
}

const struct ct_command ct_load_commands[] = {
	{ "use",	.run = ct_use,		.fallback = 1000 },
	{ "hold",	.run = ct_hold,		.fallback = 1000,
						.local = true },
	{ "thin",	.run = ct_thin,		.local = true },
	{ "release",	.run = ct_release,	.local = true },
	{ "remote",	.run = ct_remote,	.fallback = 1000,
						.local = true },
	{ "load",	.once = ct_load },
	{ }
};
