// SPDX-License-Identifier: GPL-2.0
/*
 * Several blocks at a time: claim the heap once for each page that they come
 * from or go to.
 */
#include "base/kernel.h"
#include "arena/arena.h"
#include "cache/cache.h"
#include "heap/remote.h"

#define CP_BULK_WINDOW	64	/* blocks among which a page's are found */
#define CP_BULK_MISSES	3	/* blocks of other pages that end the search */

/* Check whether each block needs more than to be linked and zeroed. */
static bool cp_bulk_alloc_extra(const struct curpage_cache *cache)
{
	return CP_HOOKED || want_init_on_free() ||
	       cache->flags & (CURPAGE_CHECK | CURPAGE_TYPESAFE_BY_RCU |
			       CP_CACHE_TAGS) ||
	       trace_curpage_alloc_enabled();
}

static bool cp_bulk_free_extra(const struct curpage_cache *cache)
{
	return want_init_on_free() || cache->link ||
	       cache->flags & CP_CACHE_TAGS ||
	       trace_curpage_free_enabled();
}

static void cp_bulk_init_blocks(struct curpage_cache *cache, void **objs,
				size_t n, gfp_t gfp, unsigned long caller)
{
	bool zero = want_init_on_alloc(gfp) && !cache->ctor;
	bool extra = cp_bulk_alloc_extra(cache);
	size_t i;

	if (!zero && !extra)
		return;
	for (i = 0; i < n; i++) {
		if (extra)
			cp_cache_alloc_hooks(cache, objs[i], gfp, cache->size,
					     caller);
		else
			memset(objs[i], 0, cache->size);
	}
}

#undef curpage_cache_alloc_bulk	/* callers use a macro of this name */

/**
 * curpage_cache_alloc_bulk - allocate several blocks
 * @cache: the cache
 * @gfp: as for curpage_cache_alloc()
 * @n: number of blocks
 * @objs: array that gets the blocks
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
		cp_bulk_init_blocks(cache, objs + done, got, gfp, _RET_IP_);
		done += got;
	}
	return n;
}
EXPORT_SYMBOL_GPL(curpage_cache_alloc_bulk);
ALLOW_ERROR_INJECTION(curpage_cache_alloc_bulk, NULL);

/* The blocks of one page among a window of blocks to free. */
struct cp_bulk {
	struct cp_page *page;
	void *base;
	void **objs;
	u64 todo;		/* blocks of the window, as bits */
	unsigned int n;		/* blocks on the stack so far */
	unsigned int most;	/* blocks that can be live */
	unsigned int first;	/* number of the block at the bottom */
};

/* Push i blocks, objs[at] first, or fewer.  Return: the number of blocks. */
static __always_inline unsigned int
cp_bulk_chain(const struct curpage_cache *cache, struct cp_bulk *b,
	      unsigned int at, unsigned int i, u16 *top)
{
	i = cp_block_chain(cache, b->base, b->objs + at,
			   min(i, b->most - b->n), top);
	if (i)
		b->todo &= ~GENMASK_ULL(at + i - 1, at);
	b->n += i;
	return i;
}

/*
 * Push the first block to do and the blocks of the same page: those that
 * directly follow it, then those among blocks of other pages.
 */
static void cp_bulk_gather(const struct curpage_cache *cache,
			   struct cp_bulk *b, u16 *top)
{
	unsigned int at = __ffs64(b->todo), misses = 0;
	u64 rest = ~(b->todo >> at);

	cp_block_nr(cache, b->objs[at], &b->first);
	if (!cp_bulk_chain(cache, b, at,
			   rest ? __ffs64(rest) : CP_BULK_WINDOW, top))
		return;
	for (rest = b->todo; rest && misses < CP_BULK_MISSES;
	     rest &= rest - 1)
		misses += !cp_bulk_chain(cache, b, __ffs64(rest), 1, top);
}

/* Free blocks to the heap of this CPU, which the caller has claimed. */
static void cp_bulk_free_local(struct cp_heap *h, struct cp_bulk *b,
			       struct list_head *release)
{
	u16 top = CP_NIL;

	b->most = cp_heap_live_most(h, b->page);
	cp_bulk_gather(h->cache, b, &top);
	if (b->n)
		cp_heap_free(h, b->page, top, b->first, b->n, release);
}

/* Push blocks onto the stack of the page, for the owner to collect. */
static void cp_bulk_free_remote(struct curpage_cache *cache,
				struct cp_bulk *b)
{
	union cp_page_word word = cp_page_pin(b->page);
	const struct cp_heap *h = word.pins ? cp_page_heap(b->page) : NULL;
	u16 top = CP_NIL;

	if (unlikely(!h))
		return;
	b->most = cache->capacity - word.nr_remote;
	if (likely(h->cache == cache))
		cp_bulk_gather(cache, b, &top);
	if (unlikely(!b->n)) {
		cp_page_unpin(b->page);
		return;
	}
	cp_count_add(cache->heaps->stat[CP_FREE_REMOTE], b->n);
	if (likely(cp_remote_push_unpin(cache, b->page, word, top,
					cp_block_word(cache, b->base, b->first),
					b->n)))
		return;
	cp_count_add(cache->heaps->stat[CP_FREE_REMOTE], -(long)b->n);
	b->n = 0;
}

/*
 * Free the blocks on the page of the first.  Return: false if none was freed.
 */
static bool cp_bulk_free_page(struct curpage_cache *cache, struct cp_bulk *b)
{
	LIST_HEAD(release);
	struct cp_heap *h;

	preempt_disable();
	h = raw_cpu_ptr(cache->heaps);
	if (likely(cp_heap_claim_owner(h, b->page))) {
		cp_bulk_free_local(h, b, &release);
		cp_claim_drop(&h->claim);
	} else {
		cp_bulk_free_remote(cache, b);
	}
	preempt_enable();
	if (!list_empty(&release))
		cp_arena_give(&cp_arena, &release);
	return b->n;
}

/*
 * Free the first block to do and those on the same page.
 *
 * Return: the blocks that are still to do.
 */
static u64 cp_bulk_page(struct curpage_cache *cache, void **objs, u64 todo,
			unsigned long caller)
{
	unsigned int i = __ffs64(todo);
	struct cp_bulk b = { .objs = objs, .todo = todo };

	b.base = objs[i] - offset_in_page(objs[i]);
	if (likely(cp_page_find(objs[i], &b.page)) &&
	    likely(cp_bulk_free_page(cache, &b)))
		return b.todo;
	/* Free it alone, which reports what is wrong with it. */
	cp_cache_free_lookup(cache, objs[i], caller);
	return todo & ~BIT_ULL(i);
}

/**
 * curpage_cache_free_bulk - free several blocks
 * @cache: the cache that they came from
 * @n: number of entries of @objs
 * @objs: the blocks; NULL among them is skipped
 *
 * Blocks of one page that lie near each other in @objs are freed together.
 */
void curpage_cache_free_bulk(struct curpage_cache *cache, size_t n,
			     void **objs)
{
	size_t i;

	if (cp_bulk_free_extra(cache)) {
		for (i = 0; i < n; i++)
			cp_cache_free_lookup(cache, objs[i], _RET_IP_);
		return;
	}
	for (i = 0; i < n; i += CP_BULK_WINDOW) {
		unsigned int window = min_t(size_t, n - i, CP_BULK_WINDOW);
		u64 todo = GENMASK_ULL(window - 1, 0);

		while (todo)
			todo = cp_bulk_page(cache, objs + i, todo, _RET_IP_);
	}
}
EXPORT_SYMBOL_GPL(curpage_cache_free_bulk);
