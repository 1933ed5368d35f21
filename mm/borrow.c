// SPDX-License-Identifier: GPL-2.0
/*
 * What is done to heaps and stocks, whoever owns them.  A task stands in for
 * their CPUs, or locks a side heap; the CPUs go on with side heaps and the arena.
 * Process context.
 *
 * A round empties many heaps and stocks.  It goes through the CPUs in groups: all
 * that needs a visit in a group is wanted first, then the CPUs of the group are
 * interrupted, all at once, then each heap and stock is emptied and returned.  A
 * CPU is in one group only, so that no round interrupts it twice, whatever the
 * number of its heaps.  A group ends at a CPU with which it has CP_ROUND_CLAIMS
 * claims: so long at most does a heap wait for others while it is wanted.
 */
#include "kernel.h"
#include "internal.h"
#include "stock.h"

#define CP_ROUND_CLAIMS	256

/* A batch of pages without a live block; true when there are more. */
bool cp_drain_some(struct cp_heap *h, struct list_head *release)
{
	cp_remote_collect(h, release);
	return cp_heap_drain(h, release) || cp_remote_any(h);
}

/*
 * All pages, a batch at a time: there is no live block.  A page that is still to
 * be collected from must not go.
 */
static bool cp_dismiss_some(struct cp_heap *h, struct list_head *release)
{
	cp_remote_collect(h, release);
	return cp_remote_any(h) || cp_heap_dismiss(h, release);
}

/* A batch under the lock, then the arena.  Returns the pages that left it. */
static unsigned long cp_side_release(struct cp_heap *h, cp_some_fn *some)
{
	unsigned long flags, pages = 0;
	bool more;

	do {
		LIST_HEAD(release);

		raw_spin_lock_irqsave(&h->lock, flags);
		more = some(h, &release);
		raw_spin_unlock_irqrestore(&h->lock, flags);
		pages += cp_arena_give(&cp_arena, &release);
	} while (more);
	return pages;
}

/*
 * To its end, as nothing is locked but the claim.  There is one: while the heap
 * is wanted its owner allocates elsewhere, so that ever fewer blocks of it are
 * live and can come back.
 */
static void cp_heap_release_wanted(struct cp_heap *h, cp_some_fn *some,
				   struct list_head *release)
{
	cp_claim_wait(&h->claim);
	while (some(h, release))
		;
	cp_claim_return(&h->claim);
}

/*
 * The next cache of a round, or NULL; the first one after NULL.  The list of all
 * is under cp_caches_lock.
 */
static struct curpage_cache *cp_round_cache(const struct cp_round *r,
					    struct curpage_cache *last)
{
	if (r->cache)
		return last ? NULL : r->cache;
	last = last ? list_next_entry(last, list) :
		      list_first_entry(&cp_caches, struct curpage_cache, list);
	return list_entry_is_head(last, &cp_caches, list) ? NULL : last;
}

static bool cp_round_passes_by(const struct cp_round *r, int cpu)
{
	return r->cpus != CP_EVERY_CPU &&
	       cp_claim_isolated(cpu) != (r->cpus == CP_ISOLATED);
}

/* Want what needs a visit on a CPU; returns the number of claims. */
static unsigned int cp_round_want(const struct cp_round *r, int cpu)
{
	struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);
	struct curpage_cache *cache;
	unsigned int claims = 0;

	if (cp_round_passes_by(r, cpu))
		return 0;
	if (r->stock && r->stock(s)) {
		cp_claim_want(&s->claim, cpu);
		claims++;
	}
	for (cache = cp_round_cache(r, NULL); cache;
	     cache = cp_round_cache(r, cache)) {
		struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);

		if (r->heap(h)) {
			cp_claim_want(&h->claim, cpu);
			claims++;
		}
	}
	return claims;
}

/* Empty and return what is wanted of a CPU.  Nobody else has wanted any of it. */
static void cp_round_visit(const struct cp_round *r, int cpu,
			   struct list_head *release)
{
	struct cp_stock *s = per_cpu_ptr(&cp_stocks, cpu);
	struct curpage_cache *cache;

	if (s->claim.wanted) {
		cp_claim_wait(&s->claim);
		cp_stock_empty(s, release);
		cp_claim_return(&s->claim);
	}
	for (cache = cp_round_cache(r, NULL); cache;
	     cache = cp_round_cache(r, cache)) {
		struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);

		if (h->claim.wanted)
			cp_heap_release_wanted(h, r->some, release);
	}
}

/* The next group of CPUs.  Caller holds cp_borrow_lock. */
static void cp_round_group(struct cp_round *r, struct list_head *release)
{
	unsigned int claims = 0;
	int cpu, end;

	for (end = r->next; end < nr_cpu_ids && claims < CP_ROUND_CLAIMS; end++)
		if (cpu_possible(end))
			claims += cp_round_want(r, end);
	if (claims) {
		cp_claim_call();
		for (cpu = r->next; cpu < end; cpu++)
			if (cpu_possible(cpu))
				cp_round_visit(r, cpu, release);
	}
	r->next = end;
}

/* Side heaps need nobody interrupted. */
static unsigned long cp_round_sides(struct cp_round *r)
{
	struct curpage_cache *cache;
	unsigned long pages = 0;

	for (cache = cp_round_cache(r, NULL); cache;
	     cache = cp_round_cache(r, cache))
		if (r->heap(&cache->side))
			pages += cp_side_release(&cache->side, r->some);
	r->next = 0;
	return pages;
}

/*
 * A part of a round: side heaps, then group by group.  Adds the pages that went on
 * to the system.  With all caches the caller holds cp_caches_lock.
 *
 * Return: false when nothing was done, as all CPUs have had their turn, or with
 * r->try another task stands in for CPUs.
 */
bool cp_round_step(struct cp_round *r, unsigned long *pages)
{
	LIST_HEAD(release);

	if (r->next == CP_SIDE) {
		*pages += cp_round_sides(r);
		return true;
	}
	if (r->next >= nr_cpu_ids)
		return false;
	if (!r->try)
		mutex_lock(&cp_borrow_lock);
	else if (!mutex_trylock(&cp_borrow_lock))
		return false;
	cp_round_group(r, &release);
	mutex_unlock(&cp_borrow_lock);
	*pages += cp_arena_give(&cp_arena, &release);
	cond_resched();
	return true;
}

/* A whole round; returns the pages that went on to the system. */
unsigned long cp_round_run(struct cp_round *r)
{
	unsigned long pages = 0;

	while (cp_round_step(r, &pages))
		;
	return pages;
}

/* Have something done to each heap of a cache, one after the other. */
void cp_cache_each_heap(struct curpage_cache *cache,
			void (*fn)(struct cp_heap *h, void *data), void *data)
{
	unsigned long flags;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cp_heap *h = per_cpu_ptr(cache->heaps, cpu);

		mutex_lock(&cp_borrow_lock);
		cp_claim_borrow(&h->claim, cpu);
		fn(h, data);
		cp_claim_return(&h->claim);
		mutex_unlock(&cp_borrow_lock);
	}
	raw_spin_lock_irqsave(&cache->side.lock, flags);
	fn(&cache->side, data);
	raw_spin_unlock_irqrestore(&cache->side.lock, flags);
}

/* May a heap have empty pages?  Those that were freed elsewhere may be. */
bool cp_heap_gains(struct cp_heap *h)
{
	return cp_heap_empty(h) || cp_remote_any(h);
}

/*
 * Give the empty pages of a heap to the arena; returns the pages that went on
 * to the system.
 */
unsigned long cp_heap_give_back(struct cp_heap *h)
{
	LIST_HEAD(release);

	if (!cp_heap_gains(h))
		return 0;
	if (h->cpu == CP_SIDE)
		return cp_side_release(h, cp_drain_some);
	mutex_lock(&cp_borrow_lock);
	cp_claim_want(&h->claim, h->cpu);
	cp_claim_call();
	cp_heap_release_wanted(h, cp_drain_some, &release);
	mutex_unlock(&cp_borrow_lock);
	return cp_arena_give(&cp_arena, &release);
}

/* The same for all heaps of a cache. */
unsigned long cp_cache_drain(struct curpage_cache *cache)
{
	struct cp_round r = {
		.cache = cache, .next = CP_SIDE, .heap = cp_heap_gains,
		.some = cp_drain_some,
	};

	return cp_round_run(&r);
}

/* Is there a page?  Exact when nobody uses the heap. */
static bool cp_heap_any(struct cp_heap *h)
{
	return cp_heap_pages(h) || cp_remote_any(h);
}

/* Nothing is live in the cache, and nobody uses it: all of its pages go. */
void cp_cache_dismiss(struct curpage_cache *cache)
{
	struct cp_round r = {
		.cache = cache, .next = CP_SIDE, .heap = cp_heap_any,
		.some = cp_dismiss_some,
	};

	cp_round_run(&r);
}

/**
 * curpage_cache_shrink - give back what is held and not used
 * @cache: whose empty pages to release
 *
 * Process context.  Releases every empty page of the cache, then every page
 * block in stock and every free page of the arena to the system, but for those
 * that arena_min_mb lets it hold.  Interrupts each CPU that has a part of that, the
 * isolated ones included, once.
 *
 * Return: the pages that went back to the system.
 */
int curpage_cache_shrink(struct curpage_cache *cache)
{
	struct cp_round r = {
		.cache = cache, .next = CP_SIDE, .heap = cp_heap_gains,
		.stock = cp_stock_any, .some = cp_drain_some,
	};
	unsigned long pages = cp_round_run(&r);

	pages += cp_arena_trim(&cp_arena, cp_arena_rest(&cp_arena));
	return min_t(unsigned long, pages, INT_MAX);
}
EXPORT_SYMBOL_GPL(curpage_cache_shrink);
