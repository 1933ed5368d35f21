// SPDX-License-Identifier: GPL-2.0
/*
 * Strategies that go by the number of live blocks of a page: a stack of pages
 * for each number (Brent 1984, section 4), or for each power of two, and a
 * bitmap of the stacks that are not empty.  Among pages with the same number
 * the page that reached it last is chosen.
 *
 * LEAST-FREE:   the candidate with the most live blocks
 * LEAST-FREE-8: as LEAST-FREE, in eight stacks: 1, 2-3, 4-7, ... live blocks.
 *               A page moves when its live blocks pass a power of two.
 *
 * MOST-FREE, which takes the candidate with the fewest live blocks, is in
 * strategy_study.c.
 */
#include "base/kernel.h"
#include "heap/heap.h"

#define CP_STACKS	8	/* of LEAST-FREE-8 */

struct cp_stacks {
	DECLARE_BITMAP(used, CP_CAPACITY_MAX);
	unsigned int nr;
	bool emptiest;		/* read by cp_stacks_emptiest() only */
	bool coarse;
	struct list_head stack[];
};

static bool cp_stacks_emptiest(const struct cp_stacks *s)
{
	return CP_STUDY && s->emptiest;
}

static unsigned int cp_stacks_index(const struct cp_stacks *s,
				    unsigned int live)
{
	return s->coarse ? min(ilog2(live), CP_STACKS - 1) : live;
}

void cp_stacks_enter(struct cp_heap *h, struct cp_page *p)
{
	struct cp_stacks *s = h->state;
	unsigned int i = cp_stacks_index(s, cp_heap_live(h, p));

	list_add(&p->list, &s->stack[i]);
	__set_bit(i, s->used);
}

/*
 * Remove a page from its stack.  If both neighbours are the same, that is the
 * head, and the page is the last on its stack.
 */
void cp_stacks_leave(struct cp_heap *h, struct cp_page *p)
{
	struct cp_stacks *s = h->state;
	struct list_head *head = p->list.next;

	if (head == p->list.prev)
		__clear_bit(head - s->stack, s->used);
	list_del(&p->list);
}

void cp_stacks_freed(struct cp_heap *h, struct cp_page *p)
{
	struct cp_stacks *s = h->state;
	unsigned int live = cp_heap_live(h, p);

	if (s->coarse &&
	    cp_stacks_index(s, live) == cp_stacks_index(s, live + 1))
		return;
	cp_stacks_leave(h, p);
	cp_stacks_enter(h, p);
}

/*
 * Return: the best stack that is not empty, from stack i on to the worse ones;
 * nr for none.
 */
static unsigned int cp_stacks_find(const struct cp_stacks *s, unsigned int i)
{
	unsigned int last;

	if (cp_stacks_emptiest(s))
		return find_next_bit(s->used, s->nr, i);
	last = find_last_bit(s->used, i + 1);
	return last <= i ? last : s->nr;
}

static struct cp_page *cp_stacks_first(const struct cp_stacks *s,
				       unsigned int i)
{
	i = cp_stacks_find(s, i);
	return i < s->nr ? list_first_entry(&s->stack[i], struct cp_page,
					    list) : NULL;
}

struct cp_page *cp_stacks_pick(struct cp_heap *h)
{
	const struct cp_stacks *s = h->state;

	return cp_stacks_first(s, cp_stacks_emptiest(s) ? 0 : s->nr - 1);
}

struct cp_page *cp_stacks_next(struct cp_heap *h, enum cp_set set,
			       struct cp_page *p)
{
	const struct cp_stacks *s = h->state;
	unsigned int i;

	if (!p)
		return cp_stacks_pick(h);
	i = cp_stacks_index(s, cp_heap_live(h, p));
	if (!list_is_last(&p->list, &s->stack[i]))
		return list_next_entry(p, list);
	if (cp_stacks_emptiest(s))
		return cp_stacks_first(s, i + 1);
	return i ? cp_stacks_first(s, i - 1) : NULL;
}

int cp_stacks_check(struct cp_heap *h)
{
	const struct cp_stacks *s = h->state;
	int broken = 0;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		struct cp_page *p;

		if (test_bit(i, s->used) == list_empty(&s->stack[i]))
			broken += cp_broken("cache %s: stack %u is %s and said not to be",
					    h->cache->name, i,
					    test_bit(i, s->used) ? "empty" :
								   "not empty");
		list_for_each_entry(p, &s->stack[i], list)
			if (cp_stacks_index(s, cp_heap_live(h, p)) != i)
				return broken +
				       cp_broken("cache %s, pfn %lu: %u blocks live in stack %u",
						 h->cache->name, cp_page_pfn(p),
						 cp_heap_live(h, p), i);
	}
	return broken;
}

static size_t cp_stacks_bytes(unsigned int nr)
{
	return offsetof(struct cp_stacks, stack) +
	       nr * sizeof(struct list_head);
}

/*
 * Return: the bytes of the stacks: a candidate has 1 to capacity - 1 live
 * blocks.
 */
size_t cp_stacks_size(const struct curpage_cache *cache)
{
	return cp_stacks_bytes(cache->capacity);
}

static size_t cp_coarse_size(const struct curpage_cache *cache)
{
	return cp_stacks_bytes(CP_STACKS);
}

void cp_stacks_init(struct cp_heap *h)
{
	struct cp_stacks *s = h->state;
	unsigned int i;

	bitmap_zero(s->used, CP_CAPACITY_MAX);
	s->emptiest = cp_heap_has(h, CP_EMPTIEST);
	s->coarse = h->flags & CP_COARSE;
	s->nr = s->coarse ? CP_STACKS : h->cache->capacity;
	for (i = 0; i < s->nr; i++)
		INIT_LIST_HEAD(&s->stack[i]);
}

const struct cp_strategy cp_strategy_least_free = {
	.name	= "least-free",
	.paper	= "Brent 1984, section 2.10",
	.state_size = cp_stacks_size,
	CP_STACKS_OPERATIONS,
};

const struct cp_strategy cp_strategy_least_free_8 = {
	.name	= "least-free-8",
	.paper	= "after TCMalloc's spans; Brent 1984, section 2.10",
	.flags	= CP_COARSE,
	.state_size = cp_coarse_size,
	CP_STACKS_OPERATIONS,
};
