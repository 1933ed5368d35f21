// SPDX-License-Identifier: GPL-2.0
/*
 * The sets of a heap: its pages that are not current, and how they leave it.
 * The top of heap.c describes the sets.
 *
 * A page that leaves goes onto the caller's list, which the caller gives to the
 * arena after it has dropped the claim or lock of the heap.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/report.h"
#include "heap/sets.h"

/*
 * Return: the page of a set behind p, the first page if p is NULL, or NULL at
 * the end.
 */
struct cp_page *cp_heap_next_page(struct cp_heap *h, enum cp_set set,
				  struct cp_page *p)
{
	struct list_head *next = p ? p->list.next : h->set[set].next;

	if (cp_heap_ordered(h, set))
		return h->strategy->next(h, set, p);
	return next == &h->set[set] ? NULL :
				      list_entry(next, struct cp_page, list);
}

void cp_heap_enter(struct cp_heap *h, struct cp_page *p)
{
	cp_heap_put_in(h, p);
}

void cp_heap_leave(struct cp_heap *h, struct cp_page *p, unsigned int nr_free)
{
	cp_heap_take_out(h, p, nr_free);
}

/*
 * Give up free blocks of a page that cannot be reached: they count as taken
 * from now on.
 */
noinline void cp_heap_lose(struct cp_heap *h, struct cp_page *p,
			   unsigned int lost, unsigned long caller)
{
	h->stat[CP_LOST] += lost;
	cp_page_set_damaged(p);
	cp_report(CP_BAD_POISON, h->cache, cp_page_base(p), caller);
}

/* Give up all free blocks of a page that is not current. */
void cp_heap_lose_page(struct cp_heap *h, struct cp_page *p)
{
	h->stat[CP_LOST] += p->nr_free;
	cp_page_set_damaged(p);
	cp_heap_leave(h, p, p->nr_free);
	WRITE_ONCE(p->free, CP_NIL);
	WRITE_ONCE(p->nr_free, 0);
	cp_heap_enter(h, p);
}

/*
 * Make a page of the heap, which is in no set, loose.
 *
 * Return: false if the page has to stay, as cp_heap_release().
 */
static bool cp_heap_disown(struct cp_heap *h, struct cp_page *p)
{
	if (unlikely(!cp_page_try_leave(p))) {
		cp_heap_enter(h, p);
		return false;
	}
	atomic_long_inc(&cp_arena.loose);
	if (unlikely(h->cache->flags & CURPAGE_RECLAIM_ACCOUNT))
		cp_vm_reclaimable(p, -1);
	return true;
}

/*
 * Keep a loose page of a cache with CURPAGE_PRIVATE_PAGES, its free blocks
 * linked, among the empty pages of the side heap until a heap takes it.
 */
void cp_heap_keep(struct curpage_cache *cache, struct cp_page *p)
{
	struct cp_heap *side = &cache->side;
	unsigned long flags;

	raw_spin_lock_irqsave(&side->lock, flags);
	cp_heap_own(side, p);
	cp_heap_enter(side, p);
	raw_spin_unlock_irqrestore(&side->lock, flags);
}

/*
 * Take a page that cp_heap_keep() kept.  Return: the page, loose again, or
 * NULL.
 */
struct cp_page *cp_heap_take_kept(struct curpage_cache *cache)
{
	struct cp_heap *side = &cache->side;
	struct cp_page *p;
	unsigned long flags;

	raw_spin_lock_irqsave(&side->lock, flags);
	p = cp_heap_next_page(side, CP_S2, NULL);
	if (p) {
		cp_heap_leave(side, p, p->nr_free);
		if (!cp_heap_disown(side, p))
			p = NULL;
	}
	raw_spin_unlock_irqrestore(&side->lock, flags);
	return p;
}

/* Check whether a heap keeps empty pages that must not leave their cache. */
bool cp_heap_keeps(const struct cp_heap *h)
{
	return h->cpu == CP_SIDE && h->cache->flags & CURPAGE_PRIVATE_PAGES;
}

static void cp_heap_release_rcu(struct rcu_head *head)
{
	struct cp_page *p = container_of(head, struct cp_page, rcu);
	LIST_HEAD(release);

	list_add(&p->list, &release);
	cp_arena_give(&cp_arena, &release);
}

/*
 * Release a page that is in no set and has no live block.
 *
 * Return: false if the page has to stay, since a block of it is being freed
 * once more.  Then the page is back in its set.
 */
bool cp_heap_release(struct cp_heap *h, struct cp_page *p,
		     struct list_head *release)
{
	struct curpage_cache *cache = h->cache;

	if (unlikely(!cp_heap_disown(h, p)))
		return false;
	if (unlikely(cache->flags & CURPAGE_PRIVATE_PAGES)) {
		if (cp_heap_has(h, CP_POOLED))
			p->free = cp_block_link_all(cache, cp_page_base(p), 0);
		cp_heap_keep(cache, p);
		return true;
	}
	if (unlikely(cp_page_foreign_refs(p)))
		cp_report_refs(cache, p);
	p->order = 0;
	h->stat[CP_RELEASED]++;
	trace_curpage_page_release(cache->id, cp_page_pfn(p));
	if (unlikely(cache->flags & CURPAGE_TYPESAFE_BY_RCU))
		call_rcu(&p->rcu, cp_heap_release_rcu);
	else
		list_add_tail(&p->list, release);
	return true;
}

/* Return: the coldest page of S2, the page that was emptied first. */
static struct cp_page *cp_heap_coldest(struct cp_heap *h)
{
	if (cp_heap_has(h, CP_ORDERS_S2))
		return h->strategy->last(h, CP_S2);
	return list_last_entry(&h->set[CP_S2], struct cp_page, list);
}

/* Return: a block of the page that does not say that it is free, or NULL. */
void *cp_heap_find_taken(const struct cp_heap *h, struct cp_page *p)
{
	const struct curpage_cache *cache = h->cache;
	void *base = cp_page_base(p);
	unsigned int nr;

	for (nr = 0; nr < cache->capacity; nr++) {
		u64 next = cp_word_open(cache, cp_block_word(cache, base, nr));

		if (next > CP_NIL &&
		    !(cp_heap_has(h, CP_POOLED) && cp_pool_has(h, next)))
			return base + nr * cache->stride;
	}
	return NULL;
}

/*
 * Release a page of S2, if its blocks say one by one that they are free.  If a
 * block does not, it was freed twice, and written over in between, while
 * another block may be live: the page counts as full from now on and stays.
 *
 * Return: true if the page has left.
 */
bool cp_heap_release_empty(struct cp_heap *h, struct cp_page *p,
			   struct list_head *release)
{
	void *taken;

	if (unlikely(cp_heap_keeps(h)))
		return false;
	taken = cp_heap_find_taken(h, p);
	if (unlikely(taken)) {
		cp_heap_lose_page(h, p);
		cp_report(CP_BAD_POISON, h->cache, taken, 0);
		return false;
	}
	cp_heap_leave(h, p, p->nr_free);
	return cp_heap_release(h, p, release);
}

/*
 * Release pages of S2 until keep are left, but a batch at most.  Pages that may
 * not leave are put aside meanwhile, so that each is tried once.
 *
 * Return: true if there are more.
 */
bool cp_heap_limit_s2(struct cp_heap *h, unsigned long keep,
		      struct list_head *release)
{
	struct cp_page *p, *next;
	LIST_HEAD(stay);
	unsigned int n;
	bool more;

	if (unlikely(cp_heap_keeps(h)))
		return false;
	for (n = 0; n < CP_BATCH && h->nr[CP_S2] > keep; n++) {
		p = cp_heap_coldest(h);
		if (likely(cp_heap_release_empty(h, p, release)))
			continue;
		if (!p->nr_free)
			continue;	/* it was lost, and has left S2 */
		cp_heap_leave(h, p, p->nr_free);
		list_add(&p->list, &stay);
	}
	more = h->nr[CP_S2] > keep;
	list_for_each_entry_safe(p, next, &stay, list) {
		list_del(&p->list);
		cp_heap_enter(h, p);
	}
	return more;
}
