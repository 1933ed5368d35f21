// SPDX-License-Identifier: GPL-2.0
/*
 * Work on heaps and stocks of any CPU.  A task borrows them from their CPUs, or
 * locks a side heap; the CPUs go on with side heaps and the arena.  All of it
 * runs in process context.
 *
 * A round empties many heaps and stocks.  It goes through the CPUs in groups.
 * For each group it first wants all claims that need a visit, then interrupts
 * the CPUs of the group, all at once, then empties and returns one heap or
 * stock after the other.  A CPU is in one group only, so no round interrupts it
 * twice, however many heaps it has.  A group ends at the CPU that brings it to
 * CP_ROUND_CLAIMS claims: this bounds how long a heap stays wanted while others
 * are emptied.
 */
#include "base/kernel.h"
#include "cache/borrow.h"
#include "heap/remote.h"

#define CP_ROUND_CLAIMS	256

/*
 * Release a batch of pages without a live block.
 *
 * Return: true if there are more.
 */
bool cp_drain_some(struct cp_heap *h, struct list_head *release)
{
	cp_remote_collect(h, release);
	return cp_heap_drain(h, release) || cp_remote_any(h);
}

/*
 * Release a batch of pages of a heap without a live block.  A page with remote
 * frees that are not collected yet must not leave, so these come first.
 *
 * Return: true if there are more.
 */
static bool cp_dismiss_some(struct cp_heap *h, struct list_head *release)
{
	cp_remote_collect(h, release);
	return cp_remote_any(h) || cp_heap_dismiss(h, release);
}

/*
 * Empty a side heap: batches of pages under its lock, each given to the arena
 * without the lock.
 *
 * Return: the pages that went on to the system.
 */
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
 * Empty a borrowed heap and return its claim.  There is no batch, as nothing is
 * locked but the claim.  The loop ends: while the heap is wanted its owner
 * allocates elsewhere, so ever fewer blocks of the heap are live and can come
 * back.
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
 * Return: the cache of a round after @last, the first one if @last is NULL, or
 * NULL at the end.  In a round over all caches the caller holds cp_caches_lock.
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

/*
 * Want the heaps and the stock of a CPU that need a visit.
 *
 * Return: the number of claims.
 */
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

/*
 * Empty and return what is wanted of a CPU.  Only this round has wanted any of
 * it, as the caller holds cp_borrow_lock.
 */
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

/* Visit the next group of CPUs.  Caller holds cp_borrow_lock. */
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

/* Empty the side heaps of a round, which interrupts no CPU. */
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
 * Do a part of a round: the side heaps first, then one group of CPUs a call.
 * Add to *@pages the pages that went on to the system.  In a round over all
 * caches the caller holds cp_caches_lock.
 *
 * Return: false if nothing was done: all CPUs have had their turn, or r->try is
 * set and another task holds cp_borrow_lock.
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

/*
 * Do a whole round.
 *
 * Return: the pages that went on to the system.
 */
unsigned long cp_round_run(struct cp_round *r)
{
	unsigned long pages = 0;

	while (cp_round_step(r, &pages))
		;
	return pages;
}

/*
 * Call @fn for each heap of a cache, one after the other, each borrowed or
 * locked.
 */
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

/*
 * Check whether a heap may have empty pages.  Pages with remote frees may be
 * empty, so they count.
 */
bool cp_heap_gains(struct cp_heap *h)
{
	return cp_heap_empty(h) || cp_remote_any(h);
}

/*
 * Give the empty pages of a heap to the arena.
 *
 * Return: the pages that went on to the system.
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

/*
 * Give the empty pages of all heaps of a cache to the arena.
 *
 * Return: the pages that went on to the system.
 */
unsigned long cp_cache_drain(struct curpage_cache *cache)
{
	struct cp_round r = {
		.cache = cache, .next = CP_SIDE, .heap = cp_heap_gains,
		.some = cp_drain_some,
	};

	return cp_round_run(&r);
}

/* Check whether a heap has a page.  Exact if no CPU uses the heap. */
static bool cp_heap_any(struct cp_heap *h)
{
	return cp_heap_pages(h) || cp_remote_any(h);
}

/*
 * Release all pages of a cache.  No block is live, and nobody uses the cache.
 */
void cp_cache_dismiss(struct curpage_cache *cache)
{
	struct cp_round r = {
		.cache = cache, .next = CP_SIDE, .heap = cp_heap_any,
		.some = cp_dismiss_some,
	};

	cp_round_run(&r);
}

/**
 * curpage_cache_shrink - give back the memory that is held and not used
 * @cache: the cache whose empty pages to release
 *
 * Releases to the system all empty pages of the cache, then all page blocks in
 * stock and all free pages of the arena, except those that arena_min_mb
 * reserves.  Interrupts each CPU that holds some of them once, isolated CPUs
 * included.  Called in process context.
 *
 * Return: the number of pages that went back to the system.
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
