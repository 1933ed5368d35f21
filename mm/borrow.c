// SPDX-License-Identifier: GPL-2.0
/*
 * What is done to all heaps of a cache, whoever owns them: each in turn is
 * borrowed from its CPU, or locked, while the CPU goes on with the side heap.
 * Process context.
 */
#include "kernel.h"
#include "internal.h"

typedef bool cp_heap_fn(struct cp_heap *h, void *data);

static bool cp_borrow_side(struct cp_heap *h, cp_heap_fn *fn, void *data)
{
	unsigned long flags;
	bool more;

	spin_lock_irqsave(&h->lock, flags);
	more = fn(h, data);
	spin_unlock_irqrestore(&h->lock, flags);
	return more;
}

static bool cp_borrow_heap(struct cp_heap *h, cp_heap_fn *fn, void *data)
{
	bool more;

	if (h->cpu == CP_SIDE)
		return cp_borrow_side(h, fn, data);
	mutex_lock(&cp_borrow_lock);
	cp_claim_borrow(&h->claim, h->cpu);
	more = fn(h, data);
	cp_claim_return(&h->claim);
	mutex_unlock(&cp_borrow_lock);
	return more;
}

struct cp_visit {
	void (*fn)(struct cp_heap *h, void *data);
	void *data;
};

static bool cp_visit_heap(struct cp_heap *h, void *data)
{
	struct cp_visit *visit = data;

	visit->fn(h, visit->data);
	return false;
}

/* Have something done to each heap. */
void cp_cache_each_heap(struct curpage_cache *cache,
			void (*fn)(struct cp_heap *h, void *data), void *data)
{
	struct cp_visit visit = { .fn = fn, .data = data };
	int cpu;

	for_each_possible_cpu(cpu)
		cp_borrow_heap(per_cpu_ptr(cache->heaps, cpu), cp_visit_heap,
			       &visit);
	cp_borrow_heap(&cache->side, cp_visit_heap, &visit);
}

/* A batch of pages without a live block; true when there are more. */
static bool cp_drain_some(struct cp_heap *h, void *release)
{
	cp_remote_collect(h, release);
	return cp_heap_drain(h, release) || cp_remote_any(h);
}

/*
 * All pages, a batch at a time: there is no live block.  A page that is still to
 * be collected from must not go.
 */
static bool cp_dismiss_some(struct cp_heap *h, void *release)
{
	cp_remote_collect(h, release);
	return cp_remote_any(h) || cp_heap_dismiss(h, release);
}

static unsigned long cp_borrow_release(struct cp_heap *h, cp_heap_fn *fn)
{
	unsigned long pages = 0;
	bool more;

	do {
		LIST_HEAD(release);

		more = cp_borrow_heap(h, fn, &release);
		pages += cp_arena_give(h->cache->arena, &release);
	} while (more);
	return pages;
}

/*
 * Give the empty pages of a heap to the arena; returns the pages that went on
 * to the system.
 */
unsigned long cp_heap_give_back(struct cp_heap *h)
{
	if (!cp_heap_empty(h) && !cp_remote_any(h))
		return 0;
	return cp_borrow_release(h, cp_drain_some);
}

/* The same for all heaps. */
unsigned long cp_cache_drain(struct curpage_cache *cache)
{
	unsigned long pages = cp_heap_give_back(&cache->side);
	int cpu;

	for_each_possible_cpu(cpu)
		pages += cp_heap_give_back(per_cpu_ptr(cache->heaps, cpu));
	return pages;
}

/* Nothing is live in the cache: all of its pages go. */
void cp_cache_dismiss(struct curpage_cache *cache)
{
	int cpu;

	cp_borrow_release(&cache->side, cp_dismiss_some);
	for_each_possible_cpu(cpu)
		cp_borrow_release(per_cpu_ptr(cache->heaps, cpu),
				  cp_dismiss_some);
}

/**
 * curpage_cache_shrink - give back what is held and not used
 * @cache: whose empty pages to release
 *
 * Process context.  Releases every empty page of the cache, then every page
 * block in stock and every free page of the arena to the system, but for those
 * that arena_min_mb lets it hold.
 *
 * Return: the pages that went back to the system.
 */
int curpage_cache_shrink(struct curpage_cache *cache)
{
	unsigned long pages = cp_cache_drain(cache);

	pages += cp_stock_drain();
	pages += cp_arena_trim(cache->arena, cp_arena_rest(cache->arena));
	return min_t(unsigned long, pages, INT_MAX);
}
EXPORT_SYMBOL_GPL(curpage_cache_shrink);
