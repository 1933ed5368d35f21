// SPDX-License-Identifier: GPL-2.0
/*
 * Caches: blocks of one size, from one heap per CPU.
 *
 * A block is allocated from the heap of the CPU at hand, and goes back to the
 * heap that owns its page.  When a heap has run out, its lock is dropped, a
 * page is taken from the arena and formatted, and the heap is tried again: it
 * may have been refilled by a free meanwhile, and then the page goes back, so
 * that S1 is only used when S3 and S2 are empty.
 */
#include "kernel.h"
#include "internal.h"

#define CP_BULK_BATCH	64	/* blocks taken under the lock at a time */

static struct cp_heap *cp_cache_heap(struct curpage_cache *cache)
{
	return raw_cpu_ptr(cache->heaps);
}

static void *cp_cache_try(struct cp_heap *h, unsigned long caller)
{
	unsigned long flags;
	bool damaged;
	void *obj;

	spin_lock_irqsave(&h->lock, flags);
	obj = cp_heap_alloc(h, &damaged);
	spin_unlock_irqrestore(&h->lock, flags);
	if (unlikely(damaged))
		cp_report(CP_BAD_POISON, h->cache, obj, caller);
	return obj;
}

/* A page from S1 for a heap that has run out, and a block from it. */
static void *cp_cache_refill(struct cp_heap *h, gfp_t gfp,
			     unsigned long caller)
{
	struct curpage_cache *cache = h->cache;
	unsigned long flags;
	struct cp_page *p;
	LIST_HEAD(unused);
	bool damaged;
	void *obj;

	p = cp_arena_take(cache->arena, gfp, 0, CP_CACHE);
	/* Somebody may have freed a block while the system said no. */
	if (!p)
		return cp_cache_try(h, caller);
	cp_block_format(cache, p);

	spin_lock_irqsave(&h->lock, flags);
	obj = cp_heap_alloc(h, &damaged);
	if (obj) {
		list_add(&p->list, &unused);
	} else {
		cp_heap_install(h, p);
		obj = cp_heap_alloc(h, &damaged);
	}
	spin_unlock_irqrestore(&h->lock, flags);

	if (unlikely(damaged))
		cp_report(CP_BAD_POISON, cache, obj, caller);
	cp_arena_give(cache->arena, &unused);
	return obj;
}

/* A block that has left its page is made what the caller wants. */
static void cp_cache_hand_out(struct curpage_cache *cache, void *obj,
			      gfp_t gfp, size_t size, unsigned long caller)
{
	enum cp_bad bad = cp_debug_alloc(cache, obj, caller);

	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	cp_block_init_alloc(cache, obj, gfp);
	kmemleak_alloc(obj, cache->size, 1, gfp);
	trace_curpage_alloc(caller, obj, cache->id, size, cache->size, gfp);
}

void *cp_cache_alloc(struct curpage_cache *cache, gfp_t gfp, size_t size,
		     unsigned long caller)
{
	struct cp_heap *h = cp_cache_heap(cache);
	void *obj;

	might_alloc(gfp);
	if (WARN_ON_ONCE(in_nmi()) || !cp_gfp_ok(gfp, caller))
		return NULL;
	obj = cp_cache_try(h, caller);
	if (unlikely(!obj))
		obj = cp_cache_refill(h, gfp, caller);
	if (unlikely(!obj)) {
		atomic_long_inc(&cache->failed);
		return NULL;
	}
	cp_cache_hand_out(cache, obj, gfp, size, caller);
	return obj;
}

/* A block of a page that is known to be this heap's. */
void cp_cache_free_block(struct cp_heap *h, struct cp_page *p, void *obj,
			 unsigned long caller)
{
	struct curpage_cache *cache = h->cache;
	unsigned long flags;
	enum cp_bad bad;
	LIST_HEAD(release);
	bool local;

	if (unlikely(!cp_block_valid(cache, p, obj))) {
		cp_report(CP_BAD_INSIDE, cache, obj, caller);
		return;
	}
	kmemleak_free(obj);
	local = h == cp_cache_heap(cache);

	spin_lock_irqsave(&h->lock, flags);
	bad = local ? cp_heap_free_local(h, p, obj, caller, &release) :
		      cp_heap_free_remote(h, p, obj, caller, &release);
	/* Before the lock is dropped, so that no alloc of it comes earlier. */
	if (likely(bad != CP_BAD_DOUBLE))
		trace_curpage_free(caller, obj, cache->id, !local);
	spin_unlock_irqrestore(&h->lock, flags);

	if (unlikely(bad))
		cp_report(bad, cache, obj, caller);
	cp_arena_give(cache->arena, &release);
}

static void cp_cache_free(struct curpage_cache *cache, void *obj,
			  unsigned long caller)
{
	struct cp_page *p = cp_page_lookup(obj);
	struct cp_heap *h;

	if (unlikely(!p)) {
		cp_report(CP_BAD_FOREIGN, cache, obj, caller);
		return;
	}
	h = cp_page_heap(p);
	if (likely(h && h->cache == cache))
		cp_cache_free_block(h, p, obj, caller);
	else
		cp_report(cp_page_is_free(p) ? CP_BAD_DOUBLE : CP_BAD_CACHE,
			  cache, obj, caller);
}

/**
 * curpage_cache_alloc - allocate a block from a cache
 * @cache: where from
 * @gfp: as for kmem_cache_alloc(); no zone can be asked for
 *
 * Any context but NMI.  Like kmem_cache_alloc(), it sleeps only if @gfp
 * allows it.  In a cache with a constructor __GFP_ZERO is ignored.  The pages
 * of blocks must not be referenced beyond the free, so blocks are not for
 * zero-copy I/O that keeps references.
 *
 * Return: the block, or NULL when neither the system nor the bound of the
 * arena leaves a page for it.
 */
void *curpage_cache_alloc(struct curpage_cache *cache, gfp_t gfp)
{
	return cp_cache_alloc(cache, gfp, cache->size, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_cache_alloc);

/**
 * curpage_cache_free - free a block of a cache
 * @cache: where it came from
 * @obj: the block; NULL is allowed and does nothing
 *
 * Any context but NMI, any CPU.  What cannot be a live block of @cache is
 * reported and left alone.  Without red zones a block that was freed before is
 * only known as such while it is the last one freed on its page, or its page
 * has no live block.
 */
void curpage_cache_free(struct curpage_cache *cache, void *obj)
{
	if (obj)
		cp_cache_free(cache, obj, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_cache_free);

/*
 * Up to n blocks without a page from S1; returns how many.  Damage is reported
 * for the block that shows it, which ends the batch.
 */
static size_t cp_cache_try_bulk(struct cp_heap *h, size_t n, void **objs,
				unsigned long caller)
{
	bool damaged = false;
	unsigned long flags;
	size_t done = 0;

	spin_lock_irqsave(&h->lock, flags);
	while (done < n && !damaged &&
	       (objs[done] = cp_heap_alloc(h, &damaged)))
		done++;
	spin_unlock_irqrestore(&h->lock, flags);
	if (unlikely(damaged))
		cp_report(CP_BAD_POISON, h->cache, objs[done - 1], caller);
	return done;
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
	if (n > INT_MAX || WARN_ON_ONCE(in_nmi()) || !cp_gfp_ok(gfp, _RET_IP_))
		return 0;
	while (done < n) {
		struct cp_heap *h = cp_cache_heap(cache);
		size_t end;

		end = done + cp_cache_try_bulk(h, min_t(size_t, n - done,
							CP_BULK_BATCH),
					       objs + done, _RET_IP_);
		if (end == done) {
			objs[done] = cp_cache_refill(h, gfp, _RET_IP_);
			if (!objs[done])
				goto undo;
			end++;
		}
		for (; done < end; done++)
			cp_cache_hand_out(cache, objs[done], gfp, cache->size,
					  _RET_IP_);
	}
	return n;

undo:
	atomic_long_inc(&cache->failed);
	curpage_cache_free_bulk(cache, done, objs);
	return 0;
}
EXPORT_SYMBOL_GPL(curpage_cache_alloc_bulk);

/**
 * curpage_cache_free_bulk - free several blocks
 * @cache: where they came from
 * @n: how many
 * @objs: the blocks; NULL among them is skipped
 */
void curpage_cache_free_bulk(struct curpage_cache *cache, size_t n,
			     void **objs)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (objs[i])
			cp_cache_free(cache, objs[i], _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_cache_free_bulk);

/* Have something done to each heap, under its lock. */
void cp_cache_each_heap(struct curpage_cache *cache,
			void (*fn)(struct cp_heap *h, void *data), void *data)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);
		unsigned long flags;

		spin_lock_irqsave(&h->lock, flags);
		fn(h, data);
		spin_unlock_irqrestore(&h->lock, flags);
	}
}

/*
 * Have pages released from a heap, a batch at a time, until fn has no more;
 * returns the pages that went on to the system.
 */
unsigned long cp_cache_empty_heap(struct cp_heap *h,
				  bool (*fn)(struct cp_heap *h,
					     struct list_head *release))
{
	unsigned long pages = 0;
	bool more;

	do {
		unsigned long flags;
		LIST_HEAD(release);

		spin_lock_irqsave(&h->lock, flags);
		more = fn(h, &release);
		spin_unlock_irqrestore(&h->lock, flags);
		pages += cp_arena_give(h->cache->arena, &release);
	} while (more);
	return pages;
}

/*
 * Give the empty pages of all heaps to the arena; returns the pages that went
 * on to the system.
 */
unsigned long cp_cache_drain(struct curpage_cache *cache)
{
	unsigned long pages = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		pages += cp_cache_empty_heap(per_cpu_ptr(cache->heaps, cpu),
					     cp_heap_drain);
	return pages;
}

/**
 * curpage_cache_shrink - give back what is held and not used
 * @cache: whose empty pages to release
 *
 * Releases every empty page of the cache, then every free page of the arena
 * to the system.
 *
 * Return: the pages that went back to the system.
 */
int curpage_cache_shrink(struct curpage_cache *cache)
{
	unsigned long pages = cp_cache_drain(cache);

	pages += cp_arena_trim(cache->arena, 0);
	return min_t(unsigned long, pages, INT_MAX);
}
EXPORT_SYMBOL_GPL(curpage_cache_shrink);

/**
 * curpage_cache_size - the size of a cache's blocks
 * @cache: the cache
 *
 * Return: the size that the cache was created with.
 */
unsigned int curpage_cache_size(const struct curpage_cache *cache)
{
	return cache->size;
}
EXPORT_SYMBOL_GPL(curpage_cache_size);
