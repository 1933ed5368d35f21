// SPDX-License-Identifier: GPL-2.0
/* Calls for several blocks at a time, with wrong blocks among right ones. */
#include "fuzz.h"

#define FUZZ_MOST	100

void fuzz_alloc_bulk(void)
{
	struct fuzz_cache *c = fuzz_any_cache();
	bool refused = fuzz_once_in(50), interrupt = fuzz_once_in(8);
	size_t n = fuzz_random(FUZZ_MOST), i;
	void *obj[FUZZ_MOST];
	int got;

	fuzz_enter(c->cache, fuzz_random(LAB_CPUS), interrupt);
	if (refused)
		lab.pages_left = fuzz_random(3);
	fuzz_log("cpu %lu: alloc_bulk(cache %lu, %lu)", lab.cpu,
		 c - fuzz.cache, n);
	got = curpage_cache_alloc_bulk(c->cache,
				       interrupt ? GFP_ATOMIC : GFP_KERNEL, n,
				       obj);
	lab.pages_left = ULONG_MAX;
	fuzz_leave();
	if (got != n && (got || (!refused && !fuzz.bounded)))
		fuzz_fail("alloc_bulk() of %zu returned %d", n, got);
	for (i = 0; i < got; i++)
		fuzz_check_new(obj[i], c->size, c);
	fuzz_judge();
	for (i = 0; i < got; i++)
		fuzz_born(obj[i], c->size, FUZZ_CACHED, c);
}

/* Return: a wrong address to put among blocks of a cache, or NULL. */
static void *fuzz_wrong_one(const struct fuzz_cache *c, void **obj, size_t n)
{
	const struct fuzz_dead *d;
	struct fuzz_block *b;

	switch (fuzz_random(5)) {
	case 0:		/* a block of the same call */
		return n ? obj[fuzz_random(n)] : NULL;
	case 1:
		return fuzz_others_address();
	case 2:		/* of another cache, or an inner address */
		b = fuzz_pick();
		return b ? b->addr + fuzz_random(2) * fuzz_random(b->size) :
			   NULL;
	default:
		d = fuzz_dead(fuzz_random(1UL << fuzz_random(11)));
		return d ? d->addr : NULL;
	}
}

/*
 * Expect what the oracle says before the call.  Blocks that the same call frees
 * may change the answer for later ones.
 */
static void fuzz_free_one_of(const struct fuzz_cache *c, void *addr)
{
	struct fuzz_how how = {
		.way = FUZZ_CACHED, .cache = (struct fuzz_cache *)c,
	};
	struct fuzz_verdict v = fuzz_ask(addr, &how);

	if (v.right)
		fuzz_dies(v.right);
	else if (v.kinds)
		fuzz_expect(v.kinds | BIT(CP_BAD_FOREIGN) | BIT(CP_BAD_DOUBLE) |
			    BIT(CP_BAD_INSIDE) | BIT(CP_BAD_CACHE), v.sure);
	if (!v.sure) {
		fuzz_damage_freed(addr);
		fuzz.unsure = true;
	}
}

/* Return: a live block near *at, which is mostly near in memory; or NULL. */
static void *fuzz_right_one(const struct fuzz_cache *c, unsigned int *at)
{
	unsigned int i;

	for (i = 0; i < 16 && *at < fuzz_nr_live; i++) {
		struct fuzz_block *b = fuzz_live_at((*at)++);

		if (b->cache == c)
			return b->addr;
	}
	return NULL;
}

static size_t fuzz_fill_bulk(const struct fuzz_cache *c, void **obj, bool wrong)
{
	size_t n = fuzz_random(FUZZ_MOST), bad = wrong ? 1 + fuzz_random(4) : 0;
	unsigned int at = fuzz_random(fuzz_nr_live + 1);
	size_t i;

	for (i = 0; i < n; i++)
		obj[i] = fuzz_right_one(c, &at);
	while (bad-- && n)
		obj[fuzz_random(n)] = fuzz_wrong_one(c, obj, n);
	return n;
}

void fuzz_free_bulk(bool wrong)
{
	struct fuzz_cache *c = fuzz_any_cache();
	void *obj[FUZZ_MOST];
	size_t n, i, j;

	n = fuzz_fill_bulk(c, obj, wrong);
	if (!wrong)	/* each block at most once */
		for (i = 0; i < n; i++)
			for (j = i + 1; j < n; j++)
				if (obj[i] == obj[j])
					obj[j] = NULL;
	for (i = 0; i < n; i++)
		fuzz_free_one_of(c, obj[i]);
	fuzz_enter(c->cache, fuzz_random(LAB_CPUS), fuzz_once_in(8));
	fuzz_log("cpu %lu: free_bulk(cache %lu, %lu)", lab.cpu,
		 c - fuzz.cache, n);
	curpage_cache_free_bulk(c->cache, n, obj);
	fuzz_leave();
	fuzz_judge();
}
