// SPDX-License-Identifier: GPL-2.0
/*
 * The walker, tested by what it must not miss: each invariant is broken once,
 * found, and mended.
 */
#include "buddy_fixture.h"
#include "large/fit.h"

#define BLOCKS	8	/* a page */
#define CHECKED	440	/* the size with which so many fit with red zones */

/* A page in each set of a heap, a page block, and free blocks in the arena. */
struct fixture {
	struct curpage_cache *cache;
	struct cp_heap *heap;
	void *objs[4 * BLOCKS];
	struct page *block;
	struct cp_page *free;		/* the first page of a free block */
};

static struct cp_page *page_in(struct fixture *f, enum cp_set set)
{
	return list_first_entry(&f->heap->set[set], struct cp_page, list);
}

static void free_objs(struct fixture *f, unsigned int from, unsigned int nr)
{
	curpage_cache_free_bulk(f->cache, nr, f->objs + from);
	memset(f->objs + from, 0, nr * sizeof(f->objs[0]));
}

/* On either list, as the policy has it. */
static struct cp_page *find_free(void)
{
	struct cp_buddy *b = &cp_arena.buddy[CP_FOR_CALLERS];
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (b->nr_free[order])
			return list_first_entry(list_empty(&b->lone[order]) ?
						&b->pair[order] :
						&b->lone[order],
						struct cp_page, list);
	return NULL;
}

static struct fixture *setup(struct kunit *test, unsigned int flags)
{
	struct curpage_cache_args args = {
		.freetol = PAGE_SIZE / 4,	/* phi0 = 2 */
		.flags = flags,
	};
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	cp_test_pin(test);
	f->cache = cp_test_cache(test, "kunit-check",
				 flags ? CHECKED : PAGE_SIZE / BLOCKS, &args);
	f->heap = raw_cpu_ptr(f->cache->heaps);
	KUNIT_ASSERT_EQ(test, BLOCKS, f->cache->capacity);
	KUNIT_ASSERT_EQ(test, 4 * BLOCKS,
			curpage_cache_alloc_bulk(f->cache, GFP_KERNEL,
						 4 * BLOCKS, f->objs));
	free_objs(f, 0, 1);
	free_objs(f, BLOCKS, 3);
	free_objs(f, 2 * BLOCKS, BLOCKS);
	free_objs(f, 3 * BLOCKS, 2);
	f->block = curpage_alloc_pages(GFP_KERNEL, 1);
	curpage_free_pages(curpage_alloc_pages(GFP_KERNEL, 0), 0);
	cp_stock_drain();
	f->free = find_free();
	KUNIT_ASSERT_EQ(test, 1, f->heap->nr[CP_LOW]);
	KUNIT_ASSERT_EQ(test, 1, f->heap->nr[CP_S3]);
	KUNIT_ASSERT_EQ(test, 1, f->heap->nr[CP_S2]);
	KUNIT_ASSERT_NOT_NULL(test, f->block);
	KUNIT_ASSERT_NOT_NULL(test, f->free);
	KUNIT_ASSERT_EQ(test, 0, curpage_check());
	return f;
}

static void finish(struct kunit *test, struct fixture *f)
{
	KUNIT_EXPECT_EQ_MSG(test, 0, curpage_check(), "after the repair");
	free_objs(f, 0, ARRAY_SIZE(f->objs));
	curpage_free_pages(f->block, 1);
}

#define EXPECT_FOUND(test)						\
	KUNIT_EXPECT_GT_MSG(test, curpage_check(), 0, "planted damage")

/* Flip bits of a number, look, flip them back. */
static void break_bits(struct kunit *test, const char *what, void *where,
		       size_t size, u64 mask)
{
	u8 *byte = where;
	unsigned int i, turn;

	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < size; i++)
			byte[IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ?
			     size - 1 - i : i] ^= mask >> 8 * i;
		KUNIT_EXPECT_EQ_MSG(test, !turn, curpage_check() > 0, "%s %s",
				    what, turn ? "mended" : "broken");
	}
}

#define BREAK(test, lvalue, mask)					\
	break_bits(test, #lvalue, &(lvalue), sizeof(lvalue), mask)

enum where { IN_HEAP, IN_ARENA };

struct count_case {
	const char *name;
	enum where where;
	size_t offset;
	size_t size;
};

#define HEAP(field)	{ "heap " #field, IN_HEAP, offsetof(struct cp_heap, field), 8 }
#define HEAP32(field)	{ "heap " #field, IN_HEAP, offsetof(struct cp_heap, field), 4 }
#define ARENA(field)	{ "arena " #field, IN_ARENA, offsetof(struct cp_arena, field), 8 }
#define ARENA32(field)	{ "arena " #field, IN_ARENA, offsetof(struct cp_arena, field), 4 }

static const struct count_case count_cases[] = {
	HEAP32(nr[CP_LOW]), HEAP32(nr[CP_S3]), HEAP32(nr[CP_S2]),
	HEAP32(occupancy[0]), HEAP32(occupancy[BLOCKS - 1]),
	HEAP(stat[CP_ALLOC]), HEAP(stat[CP_FREED]), HEAP(stat[CP_COLLECTED]),
	HEAP(stat[CP_LOST]), HEAP(moved),
	ARENA(held), ARENA(transit), ARENA(cache_pages), ARENA(block_pages),
	ARENA(loose), ARENA(blocks[1]),
	ARENA(buddy[0].nr_free[0]), ARENA(buddy[0].nr_free[CURPAGE_MAX_ORDER]),
	ARENA(buddy[0].nr_pairs[0]), ARENA(buddy[0].nr_pairs[CURPAGE_MAX_ORDER]),
	ARENA32(buddy[0].some), ARENA32(buddy[0].paired),
	ARENA(buddy[0].free_pages), ARENA(buddy[0].whole_pages),
	ARENA(buddy[0].pages), ARENA(buddy[0].nr_used[0]),
	ARENA(buddy[1].nr_free[0]), ARENA(buddy[1].nr_pairs[0]),
	ARENA32(buddy[1].some), ARENA32(buddy[1].paired),
	ARENA(buddy[1].free_pages), ARENA(buddy[1].whole_pages),
	ARENA(buddy[1].pages), ARENA(buddy[1].nr_used[0]),
};

KUNIT_ARRAY_PARAM_DESC(count, count_cases, name);

/* Add to a count of whatever size, and return what it was. */
static unsigned long add_to(void *count, size_t size, int n)
{
	unsigned long old = size == sizeof(u32) ? *(u32 *)count :
						  *(unsigned long *)count;

	if (size == sizeof(u32))
		*(u32 *)count = old + n;
	else
		*(unsigned long *)count = old + n;
	return old;
}

static void count_that_is_off_by_one_is_found(struct kunit *test)
{
	const struct count_case *c = test->param_value;
	struct fixture *f = setup(test, 0);
	void *count;

	count = (c->where == IN_HEAP ? (void *)f->heap : (void *)&cp_arena) +
		c->offset;
	add_to(count, c->size, 1);
	EXPECT_FOUND(test);
	add_to(count, c->size, -1);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	if (add_to(count, c->size, 0)) {
		add_to(count, c->size, -1);
		EXPECT_FOUND(test);
		add_to(count, c->size, 1);
	}
	finish(test, f);
}

static void free_blocks_miscounted_on_a_page_are_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	enum cp_set set;

	for (set = 0; set < CP_NR_SETS; set++) {
		page_in(f, set)->nr_free -= 1;
		EXPECT_FOUND(test);
		page_in(f, set)->nr_free += 1;
	}
	f->heap->bias += 1;
	EXPECT_FOUND(test);
	f->heap->bias -= 1;
	finish(test, f);
}

/* What is free on it is the heap's to say, and the fast path believes that. */
static void current_page_unlike_one_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_heap *h = f->heap;

	h->cur->nr_free += 1;
	EXPECT_FOUND(test);
	h->cur->nr_free -= 1;
	h->cur->free = h->free;
	EXPECT_FOUND(test);
	h->cur->free = CP_NIL;
	h->base += PAGE_SIZE;
	EXPECT_FOUND(test);
	h->base -= PAGE_SIZE;
	h->claim.closed ^= CP_CLOSED_DRY;
	EXPECT_FOUND(test);
	h->claim.closed ^= CP_CLOSED_DRY;
	BREAK(test, h->free, 1);
	finish(test, f);
}

static void page_on_the_wrong_list_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = page_in(f, CP_S3);

	list_move(&p->list, &f->heap->set[CP_LOW]);
	f->heap->nr[CP_S3]--;
	f->heap->nr[CP_LOW]++;
	EXPECT_FOUND(test);
	list_move(&p->list, &f->heap->set[CP_S3]);
	f->heap->nr[CP_S3]++;
	f->heap->nr[CP_LOW]--;
	BREAK(test, f->heap->phi0, 31);
	list_del_init(&p->list);
	EXPECT_FOUND(test);
	list_add(&p->list, &f->heap->set[CP_S3]);
	finish(test, f);
}

static void current_page_on_a_list_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	list_add(&f->heap->cur->list, &f->heap->set[CP_S3]);
	f->heap->nr[CP_S3]++;
	EXPECT_FOUND(test);
	list_del_init(&f->heap->cur->list);
	f->heap->nr[CP_S3]--;
	finish(test, f);
}

static void page_of_another_heap_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = page_in(f, CP_S3);

	p->heap = NULL;
	EXPECT_FOUND(test);
	p->heap = f->heap;
	BREAK(test, f->heap->cur->heap, 8);
	finish(test, f);
}

static void page_of_another_kind_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = page_in(f, CP_S2);

	p->word.kind = CP_BLOCK;
	EXPECT_FOUND(test);
	p->word.kind = CP_CACHE;
	finish(test, f);
}

static void page_without_its_tag_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = page_in(f, CP_LOW);

	p->word.key ^= 1;
	EXPECT_FOUND(test);
	p->word.key ^= 1;
	BREAK(test, f->heap->cur->word.all, BIT_ULL(63));
	f->free->word.key ^= 1;
	EXPECT_FOUND(test);
	f->free->word.key ^= 1;
	finish(test, f);
}

static void free_list_of_a_page_gone_astray_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = page_in(f, CP_S3);
	u64 *word = cp_block_word(f->cache, cp_page_base(p), p->free);
	unsigned int next = cp_word_open(f->cache, word);

	cp_word_seal(f->cache, word, next + 1);
	EXPECT_FOUND(test);
	cp_word_seal(f->cache, word, p->free);
	EXPECT_FOUND(test);
	cp_word_seal(f->cache, word, CP_NIL);
	EXPECT_FOUND(test);
	*word = 0;
	EXPECT_FOUND(test);
	cp_word_seal(f->cache, word, next);
	/* A block that is live, and none at all. */
	BREAK(test, p->free, p->free ^ (BLOCKS - 1));
	BREAK(test, page_in(f, CP_S2)->free,
	      page_in(f, CP_S2)->free ^ CP_NIL);
	finish(test, f);
}

static void free_block_of_another_order_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct cp_page *p = f->free;

	p->order ^= 1;
	EXPECT_FOUND(test);
	p->order ^= 1;
	p->word.kind = CP_TAIL;
	EXPECT_FOUND(test);
	p->word.kind = CP_FREE;
	finish(test, f);
}

/* The arena keeps more than its rule allows. */
static void too_many_free_pages_are_found(struct kunit *test)
{
	struct cp_arena_args args = {
		.policy = &cp_buddy_policies[CP_BUDDY_BINARY],
		.min_pages = 16,
	};
	struct cp_arena *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);
	struct cp_page *p = cp_system_take(GFP_KERNEL, 4);

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, p);
	cp_arena_init(a, &args);
	cp_page_adopt(p, 4, CP_FOR_CALLERS);
	cp_buddy_add(&a->buddy[CP_FOR_CALLERS], p, 4, -1);
	cp_vm_add(&a->vm, p, CP_VM_FREE, 16);
	a->held += 16;
	KUNIT_EXPECT_EQ(test, 0, cp_arena_check(a));
	a->min_pages = 15;
	KUNIT_EXPECT_EQ(test, 1, cp_arena_check(a));
	a->min_pages = 0;
	KUNIT_EXPECT_EQ(test, 1, cp_arena_check(a));
	KUNIT_EXPECT_EQ(test, 16, cp_arena_trim(a, 0));
	KUNIT_EXPECT_EQ(test, 0, cp_arena_check(a));
}

/* A buddy with a pair, 0 and 1, a lone page, 4, and a chunk that is free, 8. */
static struct buddy_fixture *buddy(struct kunit *test)
{
	struct buddy_fixture *f =
		buddy_fixture_new(test, &cp_buddy_policies[CP_BUDDY_REVISED]);

	buddy_fixture_add(f, 0, 3);
	KUNIT_ASSERT_EQ(test, 8, buddy_fixture_take_all(test, f));
	buddy_fixture_give(f, f->pages);
	buddy_fixture_give(f, f->pages + 1);
	buddy_fixture_give(f, f->pages + 4);
	buddy_fixture_add(f, 8, 2);
	KUNIT_ASSERT_EQ(test, 1, f->b.nr_pairs[0]);
	KUNIT_ASSERT_EQ(test, 4, f->b.whole_pages);
	KUNIT_ASSERT_EQ(test, 0, cp_buddy_check(&f->b));
	return f;
}

static void expect_found(struct kunit *test, struct buddy_fixture *f,
			 int broken, const char *what)
{
	KUNIT_EXPECT_EQ_MSG(test, broken, cp_buddy_check(&f->b), "%s", what);
}

/* Two buddies that are free, and nobody knows that they are a pair. */
static void pair_that_is_not_known_is_found(struct kunit *test)
{
	struct buddy_fixture *f = buddy(test);
	struct cp_page *p = f->pages;

	list_move(&p->list, &f->b.lone[0]);
	list_add(&p[1].list, &f->b.lone[0]);
	f->b.nr_pairs[0]--;
	f->b.paired = 0;
	expect_found(test, f, 2, "each beside the other");
	list_del_init(&p[1].list);
	list_move(&p->list, &f->b.pair[0]);
	f->b.nr_pairs[0]++;
	f->b.paired = 1;
	buddy_fixture_end(test, f);
}

static void pair_that_is_none_is_found(struct kunit *test)
{
	struct buddy_fixture *f = buddy(test);
	struct cp_page *p = f->pages;

	p[1].word.kind = CP_TAIL;
	expect_found(test, f, 1, "the upper one is not free");
	p[1].word.kind = CP_FREE;
	p[1].word.key ^= 1;
	expect_found(test, f, 1, "the upper one is not ours");
	p[1].word.key ^= 1;
	p[1].word.use ^= 1;
	expect_found(test, f, 1, "the upper one is of another use");
	p[1].word.use ^= 1;
	list_replace(&p->list, &p[1].list);
	expect_found(test, f, 1, "the upper one in place of the lower");
	list_replace(&p[1].list, &p->list);
	INIT_LIST_HEAD(&p[1].list);
	list_add(&p[1].list, &f->b.lone[0]);
	KUNIT_EXPECT_GT_MSG(test, cp_buddy_check(&f->b), 0, "on two lists");
	list_del_init(&p[1].list);
	list_move(&p->list, &f->b.lone[0]);
	KUNIT_EXPECT_GT_MSG(test, cp_buddy_check(&f->b), 0, "counted, alone");
	list_del_init(&p->list);
	KUNIT_EXPECT_GT_MSG(test, cp_buddy_check(&f->b), 0, "on no list");
	list_add(&p->list, &f->b.pair[0]);
	buddy_fixture_end(test, f);
}

/* But while those are joined that an earlier policy has left. */
static void pair_where_all_are_joined_is_found(struct kunit *test)
{
	struct buddy_fixture *f = buddy(test);

	f->b.policy = &cp_buddy_policies[CP_BUDDY_BINARY];
	expect_found(test, f, 1, "a pair");
	f->b.settling = true;
	expect_found(test, f, 0, "a pair that is still to be joined");
	f->b.settling = false;
	f->b.policy = &cp_buddy_policies[CP_BUDDY_REVISED];
	buddy_fixture_end(test, f);
}

static void free_block_out_of_place_is_found(struct kunit *test)
{
	struct buddy_fixture *f = buddy(test);
	struct cp_page *p = f->pages;

	p[8].word.chunk_order = 1;
	expect_found(test, f, 2, "larger than its chunk, which is not whole");
	p[8].word.chunk_order = 2;
	p[4].word.use ^= 1;
	expect_found(test, f, 1, "of another use");
	p[4].word.use ^= 1;
	p[4].order = 1;
	expect_found(test, f, 1, "of another order");
	p[4].order = 0;
	/* It looks as if it were of order 1 in every other way. */
	list_replace_init(&p[4].list, &p[5].list);
	list_move(&p[5].list, &f->b.lone[1]);
	p[5].word.kind = CP_FREE;
	p[5].order = 1;
	f->b.nr_free[0]--;
	f->b.nr_free[1]++;
	f->b.some |= 2;
	f->b.free_pages++;
	f->b.pages++;
	expect_found(test, f, 1, "not aligned");
	f->b.pages--;
	f->b.free_pages--;
	f->b.some &= ~2;
	f->b.nr_free[1]--;
	f->b.nr_free[0]++;
	p[5].order = 0;
	p[5].word.kind = CP_BLOCK;
	list_move(&p[5].list, &f->b.lone[0]);
	list_replace_init(&p[5].list, &p[4].list);
	buddy_fixture_end(test, f);
}

static void page_in_no_chunk_is_found(struct kunit *test)
{
	struct buddy_fixture *f = buddy(test);

	f->b.pages--;
	expect_found(test, f, 1, "one too many");
	f->b.pages += 2;
	expect_found(test, f, 1, "one is missing");
	f->b.nr_used[0]++;
	expect_found(test, f, 0, "it is used");
	f->b.nr_used[0]--;
	f->b.pages--;
	buddy_fixture_end(test, f);
}

/* The arena's own figures agree; only the heaps know better. */
static void page_that_no_heap_has_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	cp_arena.cache_pages++;
	cp_arena.buddy[CP_FOR_CALLERS].pages++;
	cp_arena.buddy[CP_FOR_CALLERS].nr_used[0]++;
	cp_arena.vm.told[CP_VM_SLAB]++;
	cp_arena.held++;
	KUNIT_EXPECT_EQ_MSG(test, 1, curpage_check(), "pages of caches");
	cp_arena.vm.told[CP_VM_SLAB]--;
	KUNIT_EXPECT_EQ_MSG(test, 2, curpage_check(), "pages in vmstat");
	cp_arena.cache_pages--;
	cp_arena.buddy[CP_FOR_CALLERS].pages--;
	cp_arena.buddy[CP_FOR_CALLERS].nr_used[0]--;
	cp_arena.held--;
	finish(test, f);
}

static void more_held_than_allowed_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	unsigned long max = cp_arena.max_pages;

	cp_arena.max_pages = cp_arena.held - 1;
	EXPECT_FOUND(test);
	cp_arena.max_pages = max;
	finish(test, f);
}

static void overwritten_red_zone_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, CURPAGE_CHECK);
	u8 *obj = f->objs[1];

	obj[CHECKED] ^= 1;
	KUNIT_EXPECT_EQ_MSG(test, 1, curpage_check(), "red zone");
	obj[CHECKED] ^= 1;
	obj = cp_page_base(page_in(f, CP_S2));
	obj[CHECKED] ^= 1;
	KUNIT_EXPECT_EQ_MSG(test, 1, curpage_check(), "of a free block");
	obj[CHECKED] ^= 1;
	finish(test, f);
}

static void overwritten_poison_is_found(struct kunit *test)
{
	struct fixture *f = setup(test, CURPAGE_CHECK);
	struct cp_page *p = page_in(f, CP_S2);
	u8 *obj = cp_page_base(p);

	obj[0] ^= 1;
	obj[f->cache->stride + CHECKED - 1] ^= 1;
	KUNIT_EXPECT_EQ_MSG(test, 2, curpage_check(), "poison");
	obj[0] ^= 1;
	obj[f->cache->stride + CHECKED - 1] ^= 1;
	finish(test, f);
}

/* A run with one block, and what is free behind it. */
static void run_that_is_broken_is_found(struct kunit *test)
{
	u8 *obj = curpage_alloc(9000, GFP_KERNEL);
	struct cp_run *run;
	struct cp_page *p;

	KUNIT_ASSERT_NOT_NULL(test, obj);
	OPTIMIZER_HIDE_VAR(obj);
	run = cp_test_page(obj)->run;
	BREAK(test, run->first[0], 1);
	BREAK(test, run->first[1], 1);
	BREAK(test, run->first[2], run->first[2] ^ CP_FIT_NONE);
	BREAK(test, run->largest_of[1], 5);
	BREAK(test, run->largest_of[(1 << run->order) + 1], 5);
	BREAK(test, run->largest_of[(1 << run->order) + 2], 5);
	BREAK(test, run->largest, 5);
	BREAK(test, run->live, 3);
	BREAK(test, run->asked, 3);
	BREAK(test, run->used, 3);
	BREAK(test, obj[-8], 1);
	BREAK(test, obj[-1], 0x80);
	p = run->page + 3;
	BREAK(test, p->word.all,
	      p->word.all ^ cp_page_word_as(p, CP_TAIL).all);
	BREAK(test, p->run, (unsigned long)run);
	curpage_free(obj);
}

static void sums_of_runs_that_are_wrong_are_found(struct kunit *test)
{
	void *obj = curpage_alloc(9000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	BREAK(test, cp_fit.live, 3);
	BREAK(test, cp_fit.asked, 3);
	BREAK(test, cp_fit.used, 3);
	BREAK(test, cp_fit.pages, 3);
	BREAK(test, cp_fit.units, 3);
	BREAK(test, cp_fit.nr_runs, 3);
	BREAK(test, cp_fit.lost_pages, 3);
	BREAK(test, cp_fit.empty, (unsigned long)cp_fit.empty ^
				  (unsigned long)cp_test_page(obj)->run);
	curpage_free(obj);
}

/* The control: with nothing planted nothing is found. */
static void sound_structures_pass(struct kunit *test)
{
	finish(test, setup(test, 0));
}

static struct kunit_case cp_check_cases[] = {
	KUNIT_CASE(sound_structures_pass),
	KUNIT_CASE_PARAM(count_that_is_off_by_one_is_found, count_gen_params),
	KUNIT_CASE(free_blocks_miscounted_on_a_page_are_found),
	KUNIT_CASE(current_page_unlike_one_is_found),
	KUNIT_CASE(page_on_the_wrong_list_is_found),
	KUNIT_CASE(current_page_on_a_list_is_found),
	KUNIT_CASE(page_of_another_heap_is_found),
	KUNIT_CASE(page_of_another_kind_is_found),
	KUNIT_CASE(page_without_its_tag_is_found),
	KUNIT_CASE(free_list_of_a_page_gone_astray_is_found),
	KUNIT_CASE(free_block_of_another_order_is_found),
	KUNIT_CASE(too_many_free_pages_are_found),
	KUNIT_CASE(pair_that_is_not_known_is_found),
	KUNIT_CASE(pair_that_is_none_is_found),
	KUNIT_CASE(pair_where_all_are_joined_is_found),
	KUNIT_CASE(free_block_out_of_place_is_found),
	KUNIT_CASE(page_in_no_chunk_is_found),
	KUNIT_CASE(page_that_no_heap_has_is_found),
	KUNIT_CASE(more_held_than_allowed_is_found),
	KUNIT_CASE(overwritten_red_zone_is_found),
	KUNIT_CASE(overwritten_poison_is_found),
	KUNIT_CASE(run_that_is_broken_is_found),
	KUNIT_CASE(sums_of_runs_that_are_wrong_are_found),
	{}
};

CP_TEST_SUITE(check);
