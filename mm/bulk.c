// SPDX-License-Identifier: GPL-2.0
/*
 * Several blocks at a time: the heap is claimed once for each page that they
 * come from or go to.
 */
#include "kernel.h"
#include "internal.h"
#include "fast.h"

#define CP_BULK_WINDOW	64	/* blocks among which those of a page are found */
#define CP_BULK_MISSES	3	/* of other pages, before the search is given up */

/* Is there more to do for each block than to link it, and to zero it? */
static bool cp_bulk_alloc_odd(const struct curpage_cache *cache)
{
	return IS_ENABLED(CONFIG_DEBUG_KMEMLEAK) || want_init_on_free() ||
	       cache->flags & CURPAGE_CHECK || trace_curpage_alloc_enabled();
}

static bool cp_bulk_free_odd(const struct curpage_cache *cache)
{
	return want_init_on_free() || cache->flags & CURPAGE_CHECK ||
	       cache->ctor || trace_curpage_free_enabled();
}

static void cp_bulk_finish(struct curpage_cache *cache, void **objs, size_t n,
			   gfp_t gfp, unsigned long caller)
{
	bool zero = want_init_on_alloc(gfp) && !cache->ctor;
	bool odd = cp_bulk_alloc_odd(cache);
	size_t i;

	if (!zero && !odd)
		return;
	for (i = 0; i < n; i++) {
		if (odd)
			cp_cache_alloc_hooks(cache, objs[i], gfp, cache->size,
					     caller);
		else
			memset(objs[i], 0, cache->size);
	}
}

/**
 * curpage_cache_alloc_bulk - allocate several blocks
 * @cache: where from
 * @gfp: as for curpage_cache_alloc()
 * @n: how many
 * @objs: where to put them
 *
 * Return: @n, or 0 with none allocated.
 */
int curpage_cache_alloc_bulk(struct curpage_cache *cache, gfp_t gfp, size_t n,
			     void **objs)
{
	size_t done = 0;

	might_alloc(gfp);
	if (n > INT_MAX || !cp_gfp_ok(gfp, _RET_IP_))
		return 0;
	while (done < n) {
		size_t got = cp_cache_get(cache, gfp, false, n - done,
					  objs + done, _RET_IP_);

		if (!got) {
			curpage_cache_free_bulk(cache, done, objs);
			return 0;
		}
		cp_bulk_finish(cache, objs + done, got, gfp, _RET_IP_);
		done += got;
	}
	return n;
}
EXPORT_SYMBOL_GPL(curpage_cache_alloc_bulk);

/* Blocks of one page, by their numbers: the first to be freed in front. */
struct cp_chain {
	struct cp_page *page;
	void *base;
	unsigned int n;
	u16 nr[CP_BULK_WINDOW];
};

/*
 * Add the blocks of objs[0] to objs[n - 1], up to one that is of another page or
 * has to be looked at alone; returns how many.
 */
static __always_inline unsigned int
cp_chain_add(const struct curpage_cache *cache, struct cp_chain *c,
	     void **objs, unsigned int n)
{
	unsigned int i, nr, last = c->nr[c->n - 1];
	u16 *to = c->nr + c->n;

	for (i = 0; i < n; i++) {
		unsigned long offset = objs[i] - c->base;

		if (offset >= cache->span || !cp_block_at(cache, offset, &nr) ||
		    nr == last)
			break;
		kmemleak_free(objs[i]);
		to[i] = nr;
		last = nr;
	}
	c->n += i;
	return i;
}

static bool cp_chain_start(const struct curpage_cache *cache,
			   struct cp_chain *c, const void *obj)
{
	unsigned int nr;

	if (unlikely(!cp_page_find(obj, &c->page) ||
		     !cp_block_nr(cache, obj, &nr)))
		return false;
	kmemleak_free(obj);
	c->base = (void *)obj - offset_in_page(obj);
	c->nr[0] = nr;
	c->n = 1;
	return true;
}

/* Each block leads to the one before it; returns the last one's link. */
static u16 *cp_chain_link(const struct curpage_cache *cache,
			  const struct cp_chain *c)
{
	unsigned int i;

	for (i = 1; i < c->n; i++)
		*cp_block_link(cache, c->base, c->nr[i]) = c->nr[i - 1];
	return cp_block_link(cache, c->base, c->nr[0]);
}

static bool cp_chain_free_local(struct cp_heap *h, const struct cp_chain *c,
				struct list_head *release)
{
	if (!cp_heap_free_ok(h, c->page, c->nr[0], c->n))
		return false;
	cp_chain_link(h->cache, c);
	cp_heap_free(h, c->page, c->nr[c->n - 1], c->nr[0], c->n, release);
	return true;
}

static bool cp_chain_free_remote(struct curpage_cache *cache,
				 const struct cp_chain *c)
{
	union cp_page_word word = cp_page_pin(c->page);

	if (unlikely(!word.pins))
		return false;
	if (unlikely(cp_page_heap(c->page)->cache != cache ||
		     !cp_remote_ok(cache, c->page, c->nr[0], c->n))) {
		cp_page_unpin(c->page);
		return false;
	}
	this_cpu_add(cache->heaps->stat[CP_FREE_REMOTE], c->n);
	if (cp_remote_push_unpin(cache, c->page, word, c->nr[c->n - 1],
				 cp_chain_link(cache, c), c->n))
		return true;
	this_cpu_sub(cache->heaps->stat[CP_FREE_REMOTE], c->n);
	return false;
}

/* False: these blocks were not all live, nothing was done. */
static bool cp_chain_free(struct curpage_cache *cache, const struct cp_chain *c)
{
	LIST_HEAD(release);
	struct cp_heap *h;
	bool ok;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (likely(cp_page_heap(c->page) == h && !in_nmi() &&
		   cp_claim_try(&h->claim))) {
		ok = cp_chain_free_local(h, c, &release);
		cp_claim_drop(&h->claim);
	} else {
		ok = cp_chain_free_remote(cache, c);
	}
	preempt_enable();
	if (!list_empty(&release))
		cp_arena_give(cache->arena, &release);
	return ok;
}

/* Of those that are to do, free the first and what is on the same page. */
static u64 cp_bulk_page(struct curpage_cache *cache, void **objs, u64 todo,
			unsigned long caller)
{
	unsigned int i = __ffs64(todo), from = i, n, misses = 0;
	struct cp_chain c;
	u64 taken, rest;

	if (unlikely(!cp_chain_start(cache, &c, objs[i]))) {
		cp_cache_free_slow(cache, objs[i], caller);
		return BIT_ULL(i);
	}
	/* Those that follow it at once, then those among others. */
	rest = ~(todo >> i);
	n = rest ? __ffs64(rest) : CP_BULK_WINDOW;
	i += 1 + cp_chain_add(cache, &c, objs + i + 1, n - 1);
	taken = GENMASK_ULL(i - 1, from);
	for (rest = todo & ~(taken | (BIT_ULL(from) - 1));
	     rest && misses < CP_BULK_MISSES; rest &= rest - 1) {
		i = __ffs64(rest);
		if (cp_chain_add(cache, &c, objs + i, 1))
			taken |= BIT_ULL(i);
		else
			misses++;
	}
	if (likely(cp_chain_free(cache, &c)))
		return taken;
	/* One by one, so that the right ones are told. */
	for (rest = taken; rest; rest &= rest - 1)
		cp_cache_free_slow(cache, objs[__ffs64(rest)], caller);
	return taken;
}

/**
 * curpage_cache_free_bulk - free several blocks
 * @cache: where they came from
 * @n: how many
 * @objs: the blocks; NULL among them is skipped
 *
 * Blocks of one page that lie near each other in @objs go back together.
 */
void curpage_cache_free_bulk(struct curpage_cache *cache, size_t n,
			     void **objs)
{
	size_t i;

	if (cp_bulk_free_odd(cache)) {
		for (i = 0; i < n; i++)
			cp_cache_free_slow(cache, objs[i], _RET_IP_);
		return;
	}
	for (i = 0; i < n; i += CP_BULK_WINDOW) {
		unsigned int window = min_t(size_t, n - i, CP_BULK_WINDOW);
		u64 todo = GENMASK_ULL(window - 1, 0);

		while (todo)
			todo &= ~cp_bulk_page(cache, objs + i, todo, _RET_IP_);
	}
}
EXPORT_SYMBOL_GPL(curpage_cache_free_bulk);
