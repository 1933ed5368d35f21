// SPDX-License-Identifier: GPL-2.0
/*
 * Caches that exist during the whole test: odd sizes, constructors, alignments,
 * a tolerance and red zones.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "torture.h"

struct cpt_cache cpt_caches[] = {
	/* The busted variant uses the first cache. */
	{ "torture-72", 72 },
	{ "torture-1", 1 },
	{ "torture-12", 12 },
	{ "torture-24-ctor", 24, { .ctor = cpt_ctor } },
	{ "torture-40", 40, { .align = 64 } },
	{ "torture-56-check", 56, { .flags = CURPAGE_CHECK } },
	{ "torture-100", 100, { .flags = CURPAGE_HWCACHE_ALIGN } },
	{ "torture-250-ctor", 250, { .ctor = cpt_ctor,
				     .flags = CURPAGE_CHECK } },
	{ "torture-333", 333, { .freetol = 1000 } },
	{ "torture-700", 700 },
	{ "torture-1400-check", 1400, { .flags = CURPAGE_CHECK } },
	{ "torture-2048", 2048, { .align = 2048 } },
	{ "torture-4096", 4096 },
};

const unsigned int cpt_nr_caches = ARRAY_SIZE(cpt_caches);

void cpt_ctor(void *block)
{
	memset(block, CPT_CTOR_BYTE, CPT_CTOR_BYTES);
}

int cpt_caches_init(void)
{
	struct cpt_cache *c;

	for (c = cpt_caches; c < cpt_caches + cpt_nr_caches; c++) {
		c->cache = curpage_cache_create(c->name, c->size, &c->args);
		if (!c->cache) {
			cpt_caches_exit();
			return -ENOMEM;
		}
		if (curpage_cache_size(c->cache) != c->size)
			cpt_err("cache %s: its size is %u", c->name,
				curpage_cache_size(c->cache));
	}
	return 0;
}

/*
 * Destroy the caches.  Blocks that were lost are still live, so curpage
 * refuses.
 */
void cpt_caches_exit(void)
{
	struct cpt_cache *c;

	for (c = cpt_caches; c < cpt_caches + cpt_nr_caches; c++) {
		if (curpage_cache_destroy(c->cache))
			cpt_err("cache %s: blocks are still live", c->name);
		c->cache = NULL;
	}
}

struct cpt_cache *cpt_caches_any(struct cpt_ctx *ctx)
{
	/*
	 * Half of the draws are among three caches, so that their pages fill.
	 */
	if (cpt_random(ctx, 2))
		return &cpt_caches[cpt_random(ctx, 3)];
	return &cpt_caches[cpt_random(ctx, cpt_nr_caches)];
}
