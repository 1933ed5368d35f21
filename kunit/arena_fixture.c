// SPDX-License-Identifier: GPL-2.0
/* After each step the arena is held against its promises. */
#include "arena_fixture.h"

struct arena_fixture *arena_fixture_new(struct kunit *test,
					const struct cp_arena_args *args)
{
	struct arena_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_arena_init(&f->a, args);
	return f;
}

/* So many pages, no more and no less once they are there, in one chunk. */
struct arena_fixture *arena_fixture_pool(struct kunit *test, unsigned int order,
					 bool apart)
{
	struct cp_arena_args args = {
		.policy = test->param_value ?: &cp_buddy_policies[0],
		.desired.learn = true,
		.chunk_order = CURPAGE_MAX_ORDER,
		.min_pages = 1UL << order,
		.max_pages = 1UL << order,
		.apart = apart,
	};

	return arena_fixture_new(test, &args);
}

unsigned long arena_fixture_held(struct arena_fixture *f)
{
	struct cp_arena_sum sum;

	cp_arena_get_sum(&f->a, &sum, NULL);
	return sum.held;
}

/* The promise at the top of arena.c, with its figures written out. */
void arena_fixture_check(struct kunit *test, struct arena_fixture *f)
{
	unsigned long most = f->used + f->used / 64 + 4 + f->most_blocks -
			     f->blocks;
	unsigned long h = arena_fixture_held(f);

	KUNIT_ASSERT_GE(test, h, f->used);
	if (most < f->a.min_pages)
		most = f->a.min_pages;
	KUNIT_ASSERT_LE_MSG(test, h, most, "%lu pages used", f->used);
	KUNIT_ASSERT_EQ(test, 0, cp_arena_check(&f->a));
}

struct cp_page *arena_fixture_take_with(struct kunit *test,
					struct arena_fixture *f, gfp_t gfp,
					unsigned int order,
					enum cp_page_kind kind)
{
	struct cp_page *p = cp_stock_take(&f->a, gfp | __GFP_NOWARN, order,
					  kind);

	if (p) {
		KUNIT_EXPECT_EQ(test, kind == CP_CACHE ? CP_LOOSE : kind,
				cp_page_kind(p));
		KUNIT_EXPECT_EQ(test, order, p->order);
		f->taken[f->nr++] = p;
		f->used += 1UL << order;
		if (kind == CP_BLOCK)
			f->blocks += 1UL << order;
		if (f->most_blocks < f->blocks)
			f->most_blocks = f->blocks;
	}
	arena_fixture_check(test, f);
	return p;
}

struct cp_page *arena_fixture_take(struct kunit *test, struct arena_fixture *f,
				   unsigned int order, enum cp_page_kind kind)
{
	return arena_fixture_take_with(test, f, GFP_KERNEL, order, kind);
}

void arena_fixture_give(struct kunit *test, struct arena_fixture *f,
			unsigned int pick)
{
	struct cp_page *p = f->taken[pick];
	unsigned int order = p->order;
	LIST_HEAD(list);

	/* As it is when somebody has freed it. */
	if (cp_page_kind(p) == CP_BLOCK) {
		p->word.kind = CP_STOCK;
		f->blocks -= 1UL << order;
	}
	list_add(&p->list, &list);
	f->taken[pick] = f->taken[--f->nr];
	f->used -= 1UL << order;
	cp_arena_give(&f->a, &list);
	arena_fixture_check(test, f);
}

void arena_fixture_finish(struct kunit *test, struct arena_fixture *f)
{
	while (f->nr)
		arena_fixture_give(test, f, f->nr - 1);
	cp_arena_trim(&f->a, 0);
	KUNIT_EXPECT_EQ(test, 0, arena_fixture_held(f));
	KUNIT_EXPECT_EQ(test, f->a.stat[CP_CHUNK_PAGES],
			f->a.stat[CP_RETURNED_PAGES]);
	KUNIT_EXPECT_EQ(test, f->a.stat[CP_TAKE], f->a.stat[CP_GIVE]);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&f->a.loose));
}

struct arena_fixture_figures *arena_fixture_figures(struct kunit *test,
						    struct arena_fixture *f)
{
	struct arena_fixture_figures *now =
		kunit_kzalloc(test, sizeof(*now), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, now);
	cp_arena_get_sum(&f->a, &now->arena, now->buddy);
	return now;
}
