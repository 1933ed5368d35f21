// SPDX-License-Identifier: GPL-2.0
/*
 * The reference is trivial and slow: a request can be served if anywhere in a
 * chunk there is an aligned run of pages that are all free.
 */
#include "buddy_fixture.h"

/* Nothing is in it yet. */
struct buddy_fixture *buddy_fixture_new(struct kunit *test,
					const struct cp_buddy_policy *policy)
{
	struct buddy_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->pages = cp_system_take(GFP_KERNEL, CURPAGE_MAX_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, f->pages);
	bitmap_fill(f->used, BUDDY_FIXTURE_PAGES);
	cp_buddy_init(&f->b, policy, 0);
	return f;
}

/* All of it is one chunk. */
struct buddy_fixture *buddy_fixture_whole(struct kunit *test,
					  const struct cp_buddy_policy *policy)
{
	struct buddy_fixture *f = buddy_fixture_new(test, policy);

	buddy_fixture_add(f, 0, CURPAGE_MAX_ORDER);
	return f;
}

void buddy_fixture_drop(struct buddy_fixture *f)
{
	cp_system_give(f->pages, CURPAGE_MAX_ORDER);
}

/* All comes back, and is as it was at the start once it is joined. */
void buddy_fixture_end(struct kunit *test, struct buddy_fixture *f)
{
	while (f->nr)
		buddy_fixture_give(f, f->taken[f->nr - 1]);
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	KUNIT_EXPECT_EQ(test, f->b.pages, f->b.free_pages);
	KUNIT_EXPECT_FALSE(test, cp_buddy_merge(&f->b, UINT_MAX));
	KUNIT_EXPECT_EQ(test, 0, cp_buddy_check(&f->b));
	KUNIT_EXPECT_EQ(test, 0, buddy_fixture_pairs(f));
	KUNIT_EXPECT_EQ(test, f->b.pages, f->b.free_pages);
	buddy_fixture_drop(f);
}

/* The desired numbers, as they would be given to the module. */
void buddy_fixture_desire(struct kunit *test, struct buddy_fixture *f,
			  const char *text)
{
	struct cp_desired desired;

	KUNIT_ASSERT_EQ(test, 0, cp_desired_parse("kunit ", text, &desired));
	cp_buddy_set_desired(&f->b, &desired);
}

void buddy_fixture_add(struct buddy_fixture *f, unsigned int at,
		       unsigned int order)
{
	unsigned int i;

	f->chunks++;
	for (i = at; i < at + (1U << order); i++)
		f->chunk[i] = f->chunks;
	bitmap_clear(f->used, at, 1U << order);
	cp_page_adopt(f->pages + at, order, CP_FOR_CALLERS);
	cp_buddy_add(&f->b, f->pages + at, order, -1);
}

/* As the arena does it, until there is nothing left to be joined. */
struct cp_page *buddy_fixture_try(struct buddy_fixture *f, unsigned int order)
{
	struct cp_page *p;

	cp_buddy_ask(&f->b, order);
	do
		p = cp_buddy_take(&f->b, order);
	while (!p && cp_buddy_unfinished(&f->b, order));
	return p;
}

static bool buddy_fixture_is_run(struct buddy_fixture *f, unsigned int at,
				 unsigned int order)
{
	unsigned int end = at + (1U << order), i;

	if (find_next_bit(f->used, end, at) < end)
		return false;
	for (i = at; i < end; i++)
		if (f->chunk[i] != f->chunk[at])
			return false;
	return true;
}

static bool buddy_fixture_has(struct buddy_fixture *f, unsigned int order)
{
	unsigned int at;

	for (at = 0; at < BUDDY_FIXTURE_PAGES; at += 1U << order)
		if (buddy_fixture_is_run(f, at, order))
			return true;
	return false;
}

/* What is wrong with p, or with none, for a request of this order; or NULL. */
const char *buddy_fixture_wrong(struct buddy_fixture *f, unsigned int order,
				const struct cp_page *p)
{
	unsigned int at = p - f->pages;

	if (!p)
		return buddy_fixture_has(f, order) ?
			       "not served, and there is room" :
			       NULL;
	if (p < f->pages || p >= f->pages + BUDDY_FIXTURE_PAGES)
		return "a page of nobody's";
	if (!IS_ALIGNED(at, 1U << order))
		return "not aligned";
	if (!buddy_fixture_is_run(f, at, order))
		return "in use, or in two chunks";
	if (p->order != order || !list_empty(&p->list))
		return "of another order, or still on a list";
	return NULL;
}

/* Pages that the headers say something wrong of: each is of one block. */
unsigned int buddy_fixture_misled(const struct buddy_fixture *f)
{
	unsigned int at = 0, head = 0, end = 0, misled = 0;

	for (; at < BUDDY_FIXTURE_PAGES; at++) {
		const struct cp_page *p = f->pages + at;
		enum cp_page_kind kind = CP_TAIL;

		if (!cp_page_ours(p))
			continue;
		if (at >= end) {
			head = at;
			end = at + (1U << p->order);
			kind = test_bit(at, f->used) ? CP_BLOCK : CP_FREE;
		}
		misled += cp_page_kind(p) != kind ||
			  f->chunk[at] != f->chunk[head] ||
			  test_bit(at, f->used) != test_bit(head, f->used);
	}
	return misled;
}

/* It is the caller's until it is given back. */
void buddy_fixture_keep(struct buddy_fixture *f, struct cp_page *p)
{
	cp_page_set(p, CP_BLOCK, p->order);
	bitmap_set(f->used, p - f->pages, 1U << p->order);
	f->b.nr_used[p->order]++;
	f->taken[f->nr++] = p;
}

/*
 * Beside what buddy_fixture_wrong() says: of a pair only if there is nothing
 * else.
 */
struct cp_page *buddy_fixture_take(struct kunit *test, struct buddy_fixture *f,
				   unsigned int order)
{
	unsigned long pairs = f->b.nr_pairs[order];
	bool lone = f->b.nr_free[order] > 2 * pairs;
	struct cp_page *p = buddy_fixture_try(f, order);
	const char *wrong = buddy_fixture_wrong(f, order, p);

	KUNIT_ASSERT_TRUE_MSG(test, !wrong, "order %u: %s", order, wrong);
	if (lone)
		KUNIT_EXPECT_EQ_MSG(test, pairs, f->b.nr_pairs[order],
				    "order %u: taken of a pair", order);
	f->refused += !p;
	if (p)
		buddy_fixture_keep(f, p);
	return p;
}

void buddy_fixture_give(struct buddy_fixture *f, struct cp_page *p)
{
	unsigned int i = f->nr;

	while (i-- && f->taken[i] != p)
		;
	f->taken[i] = f->taken[--f->nr];
	bitmap_clear(f->used, p - f->pages, 1U << p->order);
	f->b.nr_used[p->order]--;
	cp_buddy_give(&f->b, p);
}

/* A block goes back to the system, if there is one. */
bool buddy_fixture_spill(struct buddy_fixture *f, unsigned int order)
{
	struct cp_page *p = cp_buddy_spill(&f->b, order);
	struct buddy_fixture_gone *gone = &f->gone[f->nr_gone];
	unsigned int i;

	if (!p)
		return false;
	f->nr_gone++;
	gone->at = p - f->pages;
	gone->order = p->order;
	bitmap_set(f->used, gone->at, 1U << gone->order);
	for (i = 0; i < 1U << gone->order; i++)
		cp_page_disown(p + i);
	return true;
}

/* And comes again, as a chunk. */
void buddy_fixture_return(struct buddy_fixture *f, unsigned int pick)
{
	struct buddy_fixture_gone gone = f->gone[pick];

	f->gone[pick] = f->gone[--f->nr_gone];
	buddy_fixture_add(f, gone.at, gone.order);
}

/* Page by page; returns how many. */
unsigned int buddy_fixture_take_all(struct kunit *test, struct buddy_fixture *f)
{
	unsigned int pages = 0;

	while (buddy_fixture_take(test, f, 0))
		pages++;
	return pages;
}

/*
 * A request or a free.  Small blocks are the most, up to a size that changes
 * now and then; most of the time there are more requests, then more frees.
 */
void buddy_fixture_random(struct kunit *test, struct buddy_fixture *f,
			  struct rnd_state *rnd, unsigned int step)
{
	unsigned int most = hash_32(step / 2048, 8) % CP_NR_ORDERS;
	unsigned int takes = step / 512 % 4 ? 9 : 5;
	u32 r = prandom_u32_state(rnd);

	if (r % 16 < takes)
		buddy_fixture_take(test, f,
				   min_t(unsigned int, most,
					 __ffs(r >> 4 | BIT(27))));
	else if (f->nr)
		buddy_fixture_give(f, f->taken[(r >> 4) % f->nr]);
}

unsigned long buddy_fixture_pairs(const struct buddy_fixture *f)
{
	unsigned long pairs = 0;
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		pairs += f->b.nr_pairs[order];
	return pairs;
}

unsigned long buddy_fixture_merges(const struct buddy_fixture *f)
{
	unsigned long merges = 0;
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		merges += f->b.stat[CP_MERGES][order];
	return merges;
}
