// SPDX-License-Identifier: GPL-2.0
/*
 * Each kind of report, on command.  An offence first says which line of the
 * log it is worth, to the name of the function that commits it; what comes
 * after cleans up, so that curpage must be as it was.
 */
#include <linux/curpage.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "test.h"

/* The line that has to be in the log, up to the offset in the caller. */
#define ct_expect(bad, cache, addr)					\
	ct_fact("curpage: %s: cache %s, address %p, by %s+\n", bad, cache, \
		addr, __func__)

#define FOREIGN	"foreign pointer"
#define INSIDE	"pointer inside a block"
#define OTHER	"block of another cache"
#define DOUBLE	"double free"
#define NONE	"(none)"

static int ct_foreign_kmalloc(void)
{
	void *obj = kmalloc(64, GFP_KERNEL);

	if (!obj)
		return -ENOMEM;
	ct_expect(FOREIGN, NONE, obj);
	curpage_free(obj);
	kfree(obj);
	return 0;
}

static int ct_inside_size(void)
{
	void *obj = curpage_alloc(100, GFP_KERNEL);

	if (!obj)
		return -ENOMEM;
	ct_expect(INSIDE, "size-112", obj + 8);
	curpage_free(obj + 8);
	curpage_free(obj);
	return 0;
}

static int ct_wrong_cache(void)
{
	void *obj = curpage_cache_alloc(ct_plain, GFP_KERNEL);

	if (!obj)
		return -ENOMEM;
	ct_expect(OTHER, "ct-other", obj);
	curpage_cache_free(ct_other, obj);
	curpage_cache_free(ct_plain, obj);
	return 0;
}

/* Two blocks of a cache, of one page as long as nobody else uses it. */
static int ct_pair(struct curpage_cache *cache, void **a, void **b)
{
	*a = curpage_cache_alloc(cache, GFP_KERNEL);
	*b = curpage_cache_alloc(cache, GFP_KERNEL);
	if (*a && *b)
		return 0;
	curpage_cache_free(cache, *a);
	curpage_cache_free(cache, *b);
	return -ENOMEM;
}

/* The block that was freed last on its page. */
static int ct_double(void)
{
	void *a, *b;

	if (ct_pair(ct_plain, &a, &b))
		return -ENOMEM;
	curpage_cache_free(ct_plain, a);
	ct_expect(DOUBLE, "ct-plain", a);
	curpage_cache_free(ct_plain, a);
	curpage_cache_free(ct_plain, b);
	return 0;
}

/* Not the last, and a block of the page is live. */
static int ct_double_late(void)
{
	void *a, *b, *live;

	live = curpage_cache_alloc(ct_plain, GFP_KERNEL);
	if (!live)
		return -ENOMEM;
	if (ct_pair(ct_plain, &a, &b)) {
		curpage_cache_free(ct_plain, live);
		return -ENOMEM;
	}
	curpage_cache_free(ct_plain, a);
	curpage_cache_free(ct_plain, b);
	ct_expect(DOUBLE, "ct-plain", a);
	curpage_cache_free(ct_plain, a);
	curpage_cache_free(ct_plain, live);
	return 0;
}

/* Not the last, and no block of the page is live. */
static int ct_double_empty(void)
{
	void *a, *b;

	if (ct_pair(ct_plain, &a, &b))
		return -ENOMEM;
	curpage_cache_free(ct_plain, a);
	curpage_cache_free(ct_plain, b);
	ct_expect(DOUBLE, "ct-plain", a);
	curpage_cache_free(ct_plain, a);
	return 0;
}

/* With CURPAGE_CHECK: any block, whatever was freed since. */
static int ct_double_check(void)
{
	void *a, *b, *live;

	live = curpage_cache_alloc(ct_check, GFP_KERNEL);
	if (!live)
		return -ENOMEM;
	if (ct_pair(ct_check, &a, &b)) {
		curpage_cache_free(ct_check, live);
		return -ENOMEM;
	}
	curpage_cache_free(ct_check, a);
	curpage_cache_free(ct_check, b);
	ct_expect(DOUBLE, "ct-check", a);
	curpage_cache_free(ct_check, a);
	curpage_cache_free(ct_check, live);
	return 0;
}

static long ct_free_twice(void *obj)
{
	curpage_cache_free(ct_plain, obj);
	ct_expect(DOUBLE, "ct-plain", obj);
	curpage_cache_free(ct_plain, obj);
	return 0;
}

/* Freed twice on another CPU than the one that owns its page. */
static int ct_double_remote(void)
{
	void *a, *b;

	if (!cpu_online(1))
		return -ENXIO;
	if (ct_pair(ct_plain, &a, &b))
		return -ENOMEM;
	work_on_cpu(1, ct_free_twice, a);
	curpage_cache_free(ct_plain, b);
	return 0;
}

static long ct_free_again(void *obj)
{
	ct_expect(DOUBLE, "ct-plain", obj);
	curpage_cache_free(ct_plain, obj);
	return 0;
}

/* Freed by the CPU that owns its page, then on another. */
static int ct_double_elsewhere(void)
{
	void *a, *b;

	if (!cpu_online(1))
		return -ENXIO;
	if (ct_pair(ct_plain, &a, &b))
		return -ENOMEM;
	curpage_cache_free(ct_plain, a);
	work_on_cpu(1, ct_free_again, a);
	curpage_cache_free(ct_plain, b);
	return 0;
}

/*
 * A block whose page was emptied and has left its cache, and is free in the
 * arena: more pages than a heap keeps, fewer than the arena returns.
 */
#define CT_GONE_PAGES	11
#define CT_GONE_MAX	1024

static unsigned int ct_gone_alloc(void **objs)
{
	unsigned int pages = 0, n;

	for (n = 0; n < CT_GONE_MAX && pages < CT_GONE_PAGES; n++) {
		objs[n] = curpage_cache_alloc(ct_other, GFP_KERNEL);
		if (!objs[n])
			break;
		if (!n || virt_to_page(objs[n]) != virt_to_page(objs[n - 1]))
			pages++;
	}
	return n;
}

static int ct_double_gone(void)
{
	unsigned int n;
	void **objs;

	objs = kcalloc(CT_GONE_MAX, sizeof(*objs), GFP_KERNEL);
	if (!objs)
		return -ENOMEM;
	curpage_cache_shrink(ct_other);
	n = ct_gone_alloc(objs);
	curpage_cache_free_bulk(ct_other, n, objs);
	if (n > 1) {
		ct_expect(DOUBLE, NONE, objs[1]);
		curpage_free(objs[1]);
	}
	kfree(objs);
	return n > 1 ? 0 : -ENOMEM;
}

static int ct_order(void)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 2);

	if (!page)
		return -ENOMEM;
	ct_expect("wrong order", NONE, page_address(page));
	curpage_free_pages(page, 1);
	curpage_free_pages(page, 2);
	return 0;
}

/* The first byte past the object; the block is freed all the same. */
static int ct_redzone(void)
{
	u8 *obj = curpage_cache_alloc(ct_check, GFP_KERNEL);

	if (!obj)
		return -ENOMEM;
	WRITE_ONCE(obj[CT_OBJ_SIZE], 0);
	ct_expect("red zone overwritten", "ct-check", obj);
	curpage_cache_free(ct_check, obj);
	return 0;
}

/* Seen when the block is handed out again, which is next. */
static int ct_poison(void)
{
	u8 *obj = curpage_cache_alloc(ct_check, GFP_KERNEL);
	u8 *again;

	if (!obj)
		return -ENOMEM;
	curpage_cache_free(ct_check, obj);
	WRITE_ONCE(obj[CT_OBJ_SIZE - 1], 0);
	ct_expect("written after free", "ct-check", obj);
	again = curpage_cache_alloc(ct_check, GFP_KERNEL);
	curpage_cache_free(ct_check, again);
	return again == obj ? 0 : -ENOENT;
}

/* Over the start of a free block, which comes next and is handed out or not. */
static noinline int ct_write_free(bool handed_out)
{
	struct curpage_cache *cache;
	u64 *obj, *again;

	cache = curpage_cache_create("ct-link", CT_OBJ_SIZE, NULL);
	if (!cache)
		return -ENOMEM;
	obj = curpage_cache_alloc(cache, GFP_KERNEL);
	if (!obj) {
		curpage_cache_destroy(cache);
		return -ENOMEM;
	}
	curpage_cache_free(cache, obj);
	WRITE_ONCE(*obj, 0xdead);	/* not a word that leads anywhere */
	/* The rest of a free list is given up as a whole, with its page. */
	ct_expect("written after free", "ct-link",
		  handed_out ? obj : (void *)((unsigned long)obj & PAGE_MASK));
	again = curpage_cache_alloc(cache, GFP_KERNEL);
	curpage_cache_free(cache, again);
	if (curpage_cache_destroy(cache))
		return -EBUSY;
	return again && (again == obj) == handed_out ? 0 : -ENOENT;
}

/*
 * Without CURPAGE_CHECK: over the word of the block, which must neither be
 * followed nor handed out.  It and the free blocks behind it are given up, so
 * the cache goes too.
 */
static int ct_link(void)
{
	return ct_write_free(false);
}

/* With check=1 the word is behind the block, and this is its poison. */
static int ct_link_check(void)
{
	return ct_write_free(true);
}

/* Refused with live blocks; done when they have been freed. */
static int ct_destroy(void)
{
	struct curpage_cache *cache;
	void *a, *b;
	int err;

	cache = curpage_cache_create("ct-live", CT_OBJ_SIZE, NULL);
	if (!cache)
		return -ENOMEM;
	if (ct_pair(cache, &a, &b)) {
		curpage_cache_destroy(cache);
		return -ENOMEM;
	}
	ct_fact("curpage: leak: cache ct-live, 2 blocks live, by %s+\n",
		__func__);
	err = curpage_cache_destroy(cache);
	curpage_cache_free(cache, a);
	curpage_cache_free(cache, b);
	if (curpage_cache_destroy(cache))
		return -EEXIST;
	return err == -EBUSY ? 0 : -EPROTO;
}

/* A free block that was written to, for the walker; then as it was. */
static u8 *ct_damaged;

static int ct_damage(void)
{
	u8 *obj;

	if (ct_damaged)
		return -EBUSY;
	obj = curpage_cache_alloc(ct_check, GFP_KERNEL);
	if (!obj)
		return -ENOMEM;
	curpage_cache_free(ct_check, obj);
	WRITE_ONCE(obj[0], obj[0] ^ 1);
	ct_fact("curpage: check: cache ct-check, block %p: written after free",
		obj);
	ct_damaged = obj;
	return 0;
}

static int ct_mend(void)
{
	if (!ct_damaged)
		return -ENOENT;
	WRITE_ONCE(ct_damaged[0], ct_damaged[0] ^ 1);
	ct_damaged = NULL;
	return 0;
}

const struct ct_command ct_misuse_commands[] = {
	{ "foreign-kmalloc",	.once = ct_foreign_kmalloc,	.local = true },
	{ "inside-size",	.once = ct_inside_size,		.local = true },
	{ "wrong-cache",	.once = ct_wrong_cache,		.local = true },
	{ "double",		.once = ct_double,		.local = true },
	{ "double-late",	.once = ct_double_late,		.local = true },
	{ "double-empty",	.once = ct_double_empty,	.local = true },
	{ "double-check",	.once = ct_double_check,	.local = true },
	{ "double-remote",	.once = ct_double_remote,	.local = true },
	{ "double-elsewhere",	.once = ct_double_elsewhere,	.local = true },
	{ "double-gone",	.once = ct_double_gone,		.local = true },
	{ "order",		.once = ct_order,		.local = true },
	{ "redzone",		.once = ct_redzone,		.local = true },
	{ "poison",		.once = ct_poison,		.local = true },
	{ "link",		.once = ct_link,		.local = true },
	{ "link-check",		.once = ct_link_check,		.local = true },
	{ "destroy",		.once = ct_destroy,		.local = true },
	{ "damage",		.once = ct_damage,		.local = true },
	{ "mend",		.once = ct_mend,		.local = true },
	{ }
};
