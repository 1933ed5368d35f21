// SPDX-License-Identifier: GPL-2.0
/*
 * A run of the simulation, on an arena of one chunk that never grows or
 * shrinks.  A request that cannot be served is dropped.
 */
#include "kaufman.h"

struct kaufman_leave {
	double time;
	struct cp_page *block;
};

struct kaufman {
	const struct kaufman_settings *s;
	struct kaufman_row *row;
	struct kaufman_row reset;	/* figures at the reset */
	bool counting;			/* after the reset */
	bool refused;			/* a request, since the reset */
	double now;
	/* Live blocks, as a binary heap by the time of their free. */
	struct kaufman_leave leave[KAUFMAN_UNITS / KAUFMAN_PAGE];
	unsigned int live;
};

static struct cp_buddy *const kaufman_buddy = &cp_arena.buddy[CP_FOR_CALLERS];

/* Return: units in free blocks whose buddy is not a free block. */
static unsigned long kaufman_scattered(void)
{
	const struct cp_buddy *b = kaufman_buddy;
	unsigned long pages = b->free_pages - b->whole_pages;
	unsigned int order;

	for (order = 0; order < KAUFMAN_ORDER; order++)
		pages -= b->nr_pairs[order] << (order + 1);
	return pages * KAUFMAN_PAGE;
}

static unsigned long kaufman_largest(void)
{
	return kaufman_buddy->some ?
	       KAUFMAN_PAGE << ilog2(kaufman_buddy->some) : 0;
}

static double kaufman_sum(enum cp_buddy_stat stat)
{
	unsigned long sum = 0;
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		sum += kaufman_buddy->stat[stat][order];
	return sum;
}

/* Read the figures that the allocator counts. */
static void kaufman_look(struct kaufman_row *row)
{
	unsigned int order;

	row->v[KAUFMAN_REQUESTS] = kaufman_sum(CP_ASKED);
	row->v[KAUFMAN_SEARCHES] = kaufman_sum(CP_SEARCHES);
	row->v[KAUFMAN_SPLITS] = kaufman_sum(CP_SPLITS);
	row->v[KAUFMAN_MERGES] = kaufman_sum(CP_MERGES);
	row->v[KAUFMAN_FREE] = (double)cp_arena.failed_free * KAUFMAN_PAGE;
	row->v[KAUFMAN_REFUSED] = 0;
	for (order = 0; order < CP_NR_ORDERS; order++)
		row->v[KAUFMAN_REFUSED] += cp_arena.failed[order];
}

/* Advance to a time, before anything happens then. */
static void kaufman_clock(struct kaufman *k, double now)
{
	if (!k->counting && now >= k->s->reset) {
		kaufman_look(&k->reset);
		k->now = k->s->reset;
		k->counting = true;
	}
	if (k->counting)
		k->row->v[KAUFMAN_SCATTERED] += (now - k->now) *
						kaufman_scattered();
	k->now = now;
}

static void kaufman_give(struct cp_page *block)
{
	LIST_HEAD(blocks);

	cp_page_set(block, CP_STOCK, block->order);
	list_add(&block->list, &blocks);
	cp_arena_give(&cp_arena, &blocks);
}

static void kaufman_push(struct kaufman *k, struct kaufman_leave new)
{
	unsigned int at = k->live++, up;

	for (; at && k->leave[up = (at - 1) / 2].time > new.time; at = up)
		k->leave[at] = k->leave[up];
	k->leave[at] = new;
}

static struct kaufman_leave kaufman_pop(struct kaufman *k)
{
	struct kaufman_leave first = k->leave[0], last = k->leave[--k->live];
	unsigned int at = 0, down;

	while ((down = 2 * at + 1) < k->live) {
		if (down + 1 < k->live &&
		    k->leave[down + 1].time < k->leave[down].time)
			down++;
		if (k->leave[down].time >= last.time)
			break;
		k->leave[at] = k->leave[down];
		at = down;
	}
	k->leave[at] = last;
	return first;
}

/* Free the blocks whose life ends up to a time. */
static void kaufman_leave(struct kaufman *k, double until)
{
	while (k->live && k->leave[0].time <= until) {
		struct kaufman_leave next = kaufman_pop(k);

		kaufman_clock(k, next.time);
		kaufman_give(next.block);
	}
	kaufman_clock(k, until);
}

static void kaufman_request(struct kaufman *k, const struct kaufman_request *q)
{
	unsigned long free = cp_arena_free_pages(&cp_arena) * KAUFMAN_PAGE;
	unsigned int order = q->order;
	struct cp_page *p;

	p = cp_stock_take(&cp_arena, GFP_ATOMIC, order, CP_BLOCK);
	if (p) {
		order = p->order;
		kaufman_push(k, (struct kaufman_leave){ q->time + q->life, p });
	}
	if (!k->counting)
		return;
	k->row->v[KAUFMAN_ASKED] += q->size;
	k->row->v[KAUFMAN_GIVEN] += KAUFMAN_PAGE << order;
	if (!p && !k->refused)
		k->row->v[KAUFMAN_FIRST] = free;
	k->refused |= !p;
}

static void kaufman_end(struct kaufman *k)
{
	struct kaufman_row *row = k->row;
	unsigned int i;

	kaufman_look(row);
	for (i = 0; i < KAUFMAN_NR_FIGURES; i++)
		row->v[i] -= k->reset.v[i];
	row->v[KAUFMAN_SCATTERED] /= k->s->units - k->s->reset;
	row->v[KAUFMAN_BLOCK] = kaufman_largest();
	cp_arena_merge(&cp_arena);
	row->v[KAUFMAN_JOINED] = kaufman_largest();
}

static bool kaufman_start(const struct cp_buddy_policy *policy,
			  const struct cp_desired *desired)
{
	const struct cp_arena_args args = {
		.policy = policy,
		.desired = *desired,
		.chunk_order = KAUFMAN_ORDER,
		.min_pages = KAUFMAN_UNITS / KAUFMAN_PAGE,
		.max_pages = KAUFMAN_UNITS / KAUFMAN_PAGE,
	};

	cp_page_init_map();
	cp_arena_init(&cp_arena, &args);
	return !cp_arena_fill(&cp_arena);
}

/*
 * Run a policy.  Return: false without memory, or if the allocator is at fault.
 */
bool kaufman_run(const struct kaufman_settings *s,
		 const struct cp_desired *desired,
		 const struct kaufman_requests *r,
		 struct kaufman_result *result, struct kaufman_row *row)
{
	static struct kaufman k;
	unsigned long i;
	bool ok;

	k = (struct kaufman){ .s = s, .row = row };
	memset(row, 0, sizeof(*row));
	if (!kaufman_start(result->policy, desired))
		return false;
	memcpy(result->start, kaufman_buddy->nr_free, sizeof(result->start));
	for (i = 0; i < r->nr; i++) {
		kaufman_leave(&k, r->request[i].time);
		kaufman_request(&k, &r->request[i]);
	}
	kaufman_leave(&k, s->units);
	memcpy(result->desired, kaufman_buddy->desired, sizeof(result->desired));
	ok = !cp_arena_check(&cp_arena);
	kaufman_end(&k);
	while (k.live)
		kaufman_give(kaufman_pop(&k).block);
	cp_arena_trim(&cp_arena, 0);
	return ok && !cp_arena.held && !lab.pages_lent;
}
