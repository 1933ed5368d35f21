// SPDX-License-Identifier: GPL-2.0
/*
 * Each class of misuse gets one report for each offence, of the right kind,
 * and harms nothing: cp_test_expect_bad() and cp_test_exit() see to that.
 */
#include "common.h"

static const struct curpage_cache_args with_check = {
	.flags = CURPAGE_CHECK,
};

struct misuse_case {
	const char *name;
	const struct curpage_cache_args *args;
};

static const struct misuse_case misuse_cases[] = {
	{ "without check", NULL },
	{ "with check", &with_check },
};

KUNIT_ARRAY_PARAM_DESC(check, misuse_cases, name);

static struct curpage_cache *setup(struct kunit *test)
{
	const struct misuse_case *c = test->param_value;

	cp_test_pin(test);
	return cp_test_cache(test, "kunit-misuse", 100, c ? c->args : NULL);
}

static struct curpage_cache *setup_checked(struct kunit *test)
{
	cp_test_pin(test);
	return cp_test_cache(test, "kunit-misuse", 100, &with_check);
}

static void *alloc(struct kunit *test, struct curpage_cache *cache)
{
	void *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	return obj;
}

/* Whichever way it is freed, this is nobody's. */
static void expect_foreign(struct kunit *test, struct curpage_cache *cache,
			   void *obj)
{
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	curpage_cache_free_bulk(cache, 1, &obj);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(obj));
}

static void foreign_pointers_are_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	static int data;
	int stack;
	void *slab = kunit_kzalloc(test, 64, GFP_KERNEL);
	void *mapped = vmalloc(PAGE_SIZE);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	expect_foreign(test, cache, &stack);
	expect_foreign(test, cache, &data);
	expect_foreign(test, cache, foreign_pointers_are_reported);
	expect_foreign(test, cache, slab);
	expect_foreign(test, cache, mapped);
	expect_foreign(test, cache, page_address(page));
	expect_foreign(test, cache, (void *)0x1008);
	expect_foreign(test, cache, (void *)-8);
	curpage_free_pages(page, 0);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	KUNIT_EXPECT_EQ(test, 1, page_count(page));
	__free_page(page);
	vfree(mapped);
}

static void null_is_not_an_offence(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *nothing[2] = { };

	curpage_cache_free(cache, NULL);
	curpage_cache_free_bulk(cache, ARRAY_SIZE(nothing), nothing);
	curpage_free(NULL);
	curpage_free(ZERO_SIZE_PTR);
	curpage_free_pages(NULL, 0);
	KUNIT_EXPECT_EQ(test, 0, curpage_cache_destroy(NULL));
	cp_test_expect_bad(test, CP_OK, 0);
}

static void pointers_inside_a_block_are_reported(struct kunit *test)
{
	static const unsigned int offsets[] = { 1, 2, 8, 16, 99, 100, 111 };
	struct curpage_cache *cache = setup(test);
	void *obj = alloc(test, cache);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		curpage_cache_free(cache, obj + offsets[i]);
		cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
		curpage_free(obj + offsets[i]);
		cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	}
	/* The rest of the page, behind its last block. */
	curpage_cache_free(cache, cp_page_base(cp_test_page(obj)) +
			   cache->capacity * cache->stride);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	KUNIT_EXPECT_EQ(test, 2 * i + 1,
			atomic_read(cp_cache_bad(cache, CP_BAD_INSIDE)));
	curpage_cache_free(cache, obj);
}

static void block_of_another_cache_is_reported_and_stays_live(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	struct curpage_cache *other = cp_test_cache(test, "kunit-other", 100,
						    NULL);
	void *obj = alloc(test, cache);

	curpage_cache_free(other, obj);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	KUNIT_EXPECT_EQ(test, 1,
			atomic_read(cp_cache_bad(other, CP_BAD_CACHE)));
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(other));
	curpage_cache_free(cache, obj);
}

static void block_freed_twice_in_a_row_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *live = alloc(test, cache);
	void *obj = alloc(test, cache);
	void *twice[] = { obj, obj };

	curpage_cache_free(cache, obj);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_cache_free_bulk(cache, 2, twice);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 2);
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
	curpage_cache_free(cache, obj);
	curpage_cache_free(cache, live);
}

/* Any block of an empty page, in whatever set the page is. */
static void block_of_an_empty_page_freed_again_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *a = alloc(test, cache);
	void *b = alloc(test, cache);

	curpage_cache_free(cache, a);
	curpage_cache_free(cache, b);
	curpage_cache_free(cache, a);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
}

static void page_full_of(struct kunit *test, struct curpage_cache *cache,
			 void **objs)
{
	KUNIT_ASSERT_EQ(test, cache->capacity,
			curpage_cache_alloc_bulk(cache, GFP_KERNEL,
						 cache->capacity, objs));
}

/* The page is the arena's again, or the system's. */
static void block_of_a_page_that_left_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	unsigned long min_pages = cp_arena.min_pages;
	void *objs[PAGE_SIZE / 100], *keep[2];

	cache->keep = 0;
	cp_arena.min_pages = cp_test_held() + 64;
	page_full_of(test, cache, objs);
	keep[0] = alloc(test, cache);		/* the page is not current */
	keep[1] = curpage_alloc_pages(GFP_KERNEL, 0);
	curpage_cache_free_bulk(cache, cache->capacity, objs);

	KUNIT_EXPECT_NOT_NULL(test, cp_test_page(objs[1]));
	curpage_cache_free(cache, objs[1]);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(objs[1]);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);

	cp_arena.min_pages = min_pages;
	cp_arena_trim(&cp_arena, 0);
	curpage_cache_free(cache, objs[1]);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	curpage_free_pages(keep[1], 0);
	curpage_cache_free(cache, keep[0]);
}

/* Whatever was freed since. */
static void every_double_free_is_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *objs[6];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = alloc(test, cache);
	for (i = 0; i < ARRAY_SIZE(objs) - 1; i++)
		curpage_cache_free(cache, objs[i]);
	for (i = 0; i < ARRAY_SIZE(objs) - 1; i++) {
		curpage_cache_free(cache, objs[i]);
		cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	}
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	curpage_cache_free(cache, objs[i]);
}

enum who { THE_OWNER, AN_INTERRUPT, ANOTHER_CPU, NR_WHO };

/* What has happened to the page when its block is freed the second time. */
enum twice_state { CURRENT, PARTLY_USED, WAS_FULL, EMPTIED, NR_STATES };

static const char * const state_names[NR_STATES] = {
	"current page", "partly used", "was full", "emptied",
};

static const unsigned int twice_sizes[] = { 8, 16, 64, 1024 };

struct twice_case {
	unsigned int size;
	enum twice_state state;
};

static struct twice_case twice_cases[ARRAY_SIZE(twice_sizes) * NR_STATES];

static const void *twice_gen_params(const void *prev, char *desc)
{
	unsigned int i = prev ? (const struct twice_case *)prev + 1 -
				twice_cases : 0;

	if (i == ARRAY_SIZE(twice_cases))
		return NULL;
	twice_cases[i].size = twice_sizes[i / NR_STATES];
	twice_cases[i].state = i % NR_STATES;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u bytes, %s",
		 twice_cases[i].size, state_names[twice_cases[i].state]);
	return twice_cases + i;
}

#define TWICE_OTHERS	100	/* frees in between, at most */

struct twice {
	struct curpage_cache *cache;
	unsigned int pages;
	void **objs;		/* all blocks of these pages; NULL: freed */
	void **mine;		/* of these, those of the page in question */
	void *obj;
};

static void twice_free(void *data)
{
	struct twice *t = data;

	curpage_cache_free(t->cache, t->obj);
}

static void twice_free_by(struct twice *t, enum who who)
{
	struct cp_heap *h;

	switch (who) {
	case AN_INTERRUPT:
		h = cp_test_take(t->cache);
		twice_free(t);
		cp_test_drop(h);
		break;
	case ANOTHER_CPU:
		cp_test_on_cpu(cp_test_other_cpu(), twice_free, t);
		break;
	default:
		twice_free(t);
	}
}

/* All blocks of the pages are live; of one page, which is current or is not. */
static void twice_fill(struct kunit *test, struct twice *t, enum twice_state state)
{
	unsigned int capacity = t->cache->capacity, n = t->pages * capacity;
	struct cp_page *p;

	KUNIT_ASSERT_EQ(test, n, curpage_cache_alloc_bulk(t->cache, GFP_KERNEL,
							  n, t->objs));
	t->mine = t->objs + (state == CURRENT ? n - capacity : 0);
	t->obj = t->mine[capacity / 2];
	t->mine[capacity / 2] = NULL;
	p = cp_test_page(t->obj);
	KUNIT_ASSERT_PTR_EQ(test, p, cp_test_page(t->mine[0]));
	KUNIT_ASSERT_PTR_EQ(test, p, cp_test_page(t->mine[capacity - 1]));
	KUNIT_ASSERT_EQ(test, state == CURRENT,
			p == raw_cpu_ptr(t->cache->heaps)->cur);
}

/* Free up to n live blocks from this one on; returns how many. */
static unsigned int twice_free_some(struct twice *t, void **from, void **end,
				    unsigned int n)
{
	unsigned int i = 0;

	for (; from < end && i < n; from++) {
		if (!*from)
			continue;
		curpage_cache_free(t->cache, *from);
		*from = NULL;
		i++;
	}
	return i;
}

/* Is the page what it was to become, wherever its blocks were freed? */
static void twice_expect_state(struct kunit *test, struct twice *t,
			       enum twice_state state)
{
	struct cp_page *p = cp_test_page(t->obj);
	unsigned int free = p->nr_free + p->word.nr_remote;

	KUNIT_EXPECT_EQ(test, state == CURRENT,
			p == raw_cpu_ptr(t->cache->heaps)->cur);
	if (state == CURRENT)
		return;
	KUNIT_EXPECT_GT(test, free, state == PARTLY_USED);
	KUNIT_EXPECT_EQ(test, state == EMPTIED, free == t->cache->capacity);
}

/* Free a block, then others of its page and other pages, then it again. */
static void twice_try(struct kunit *test, struct twice *t, enum twice_state state,
		      enum who first, enum who second, unsigned int others)
{
	unsigned int capacity = t->cache->capacity, n = t->pages * capacity;
	unsigned int freed = 1, keep = state == EMPTIED ? 0 : 1;
	void **end;

	twice_fill(test, t, state);
	end = t->mine + capacity;
	if (state == PARTLY_USED)
		freed += twice_free_some(t, t->mine + 1, end, 1);
	if (state == EMPTIED && others < capacity - 1)
		freed += twice_free_some(t, t->mine, end,
					 capacity - 1 - others);
	twice_free_by(t, first);
	n -= others;
	others -= twice_free_some(t, t->mine + keep, end, others);
	others -= twice_free_some(t, t->objs, t->mine, others);
	others -= twice_free_some(t, end, t->objs + t->pages * capacity,
				  others);
	KUNIT_ASSERT_EQ(test, 0, others);
	cp_test_expect_bad(test, CP_OK, 0);
	twice_expect_state(test, t, state);
	twice_free_by(t, second);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	KUNIT_EXPECT_EQ(test, n - freed, cp_cache_live(t->cache));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_cache_free_bulk(t->cache, t->pages * capacity, t->objs);
	KUNIT_EXPECT_EQ(test, 0, cp_cache_live(t->cache));
	curpage_cache_shrink(t->cache);
}

/* At the second free, and the block is free once afterwards. */
static void double_free_is_told_whoever_and_whenever(struct kunit *test)
{
	static const unsigned int others[] = { 0, 1, 10, TWICE_OTHERS };
	const struct twice_case *c = test->param_value;
	unsigned int whos = num_online_cpus() > 1 ? NR_WHO : ANOTHER_CPU;
	struct twice t = { };
	unsigned int i;

	cp_test_pin(test);
	t.cache = cp_test_cache(test, "kunit-twice", c->size, NULL);
	t.cache->keep = CP_KEEP_ALL;
	t.pages = 2 + DIV_ROUND_UP(TWICE_OTHERS, t.cache->capacity);
	t.objs = kunit_kcalloc(test, t.pages * t.cache->capacity,
			       sizeof(void *), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t.objs);
	for (i = 0; i < ARRAY_SIZE(others) * whos * whos; i++)
		twice_try(test, &t, c->state, i % whos, i / whos % whos,
			  others[i / whos / whos]);
}

struct scribble_case {
	const char *name;
	unsigned int offsets;
};

/* The number of the next block is in the two upper bytes of the word. */
static const struct scribble_case scribble_cases[] = {
	{ "any two bytes", CP_WORD_SIZE - 1 },
	{ "those of the number", 1 },
};

KUNIT_ARRAY_PARAM_DESC(scribble, scribble_cases, name);

#define SCRIBBLES	1000
#define SCRIBBLES_TOLD	990

/* Returns whether the block is not handed out, and a report is made. */
static bool scribble(struct kunit *test, struct rnd_state *rnd,
		     unsigned int offsets)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-over", 64,
						    NULL);
	unsigned long before = cp_report_count(CP_BAD_POISON);
	void *live = alloc(test, cache), *obj = alloc(test, cache), *again;
	unsigned int at = prandom_u32_state(rnd) % offsets;
	u16 was, is;
	bool told;

#ifdef __LITTLE_ENDIAN
	at = CP_WORD_SIZE - sizeof(is) - at;
#endif
	curpage_cache_free(cache, obj);
	memcpy(&was, obj + at, sizeof(was));
	do
		is = prandom_u32_state(rnd);
	while (is == was);
	memcpy(obj + at, &is, sizeof(is));
	again = alloc(test, cache);
	told = again != obj && cp_report_count(CP_BAD_POISON) == before + 1;
	curpage_cache_free(cache, live);
	curpage_cache_free(cache, again);
	cp_test_destroy(test, cache);
	return told;
}

/* One in 1,024 numbers of two bytes is that of a block of the page. */
static void random_write_to_a_free_block_is_told(struct kunit *test)
{
	const struct scribble_case *c = test->param_value;
	struct cp_test *t = test->priv;
	unsigned int i, told = 0;
	struct rnd_state rnd;

	cp_test_pin(test);
	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < SCRIBBLES; i++)
		told += scribble(test, &rnd, c->offsets);
	kunit_info(test, "%u of %u told", told, SCRIBBLES);
	KUNIT_EXPECT_GE(test, told, SCRIBBLES_TOLD);
	/* One that is followed leads to a report of whatever kind, or none. */
	for (i = 0; i < CP_NR_BAD; i++)
		t->bad[i] = cp_report_count(i);
}

static void write_past_the_end_is_reported_once(struct kunit *test)
{
	static const unsigned int offsets[] = { 100, 104, 107 };
	struct curpage_cache *cache = setup_checked(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		u8 *obj = alloc(test, cache);

		obj[offsets[i]] ^= 0xff;
		curpage_cache_free(cache, obj);
		cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
		KUNIT_EXPECT_EQ(test, 0, curpage_check());
		KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
		curpage_cache_free(cache, obj);
		cp_test_expect_bad(test, CP_OK, 0);
	}
}

static void write_after_free_is_reported_once(struct kunit *test)
{
	static const unsigned int offsets[] = { 0, 50, 99 };
	struct curpage_cache *cache = setup_checked(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		u8 *obj = alloc(test, cache);

		curpage_cache_free(cache, obj);
		obj[offsets[i]] = 0;
		KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
		cp_test_expect_bad(test, CP_BAD_POISON, 1);
		curpage_cache_free(cache, obj);
		KUNIT_EXPECT_PTR_EQ(test, obj, alloc(test, cache));
		curpage_cache_free(cache, obj);
		cp_test_expect_bad(test, CP_OK, 0);
	}
}

static void all_bytes_asked_for_may_be_written(struct kunit *test)
{
	struct curpage_cache *cache = setup_checked(test);
	void *a = alloc(test, cache), *b = alloc(test, cache);

	memset(a, 0xff, 100);
	memset(b, 0, 100);
	curpage_cache_free(cache, a);
	KUNIT_EXPECT_NULL(test, memchr_inv(b, 0, 100));
	curpage_cache_free(cache, b);
	cp_test_expect_bad(test, CP_OK, 0);
}

static void page_block_of_wrong_order_is_reported_and_stays(struct kunit *test)
{
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 2);
	void *obj = page_address(page);

	KUNIT_ASSERT_NOT_NULL(test, page);
	curpage_free_pages(page, 1);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	curpage_free_pages(page, 3);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	curpage_free_pages(page, UINT_MAX);
	cp_test_expect_bad(test, CP_BAD_ORDER, 1);
	KUNIT_EXPECT_EQ(test, PAGE_SIZE << 2, curpage_ksize(obj));
	curpage_free_pages(page, 2);
	cp_test_expect_bad(test, CP_OK, 0);
}

static void pointers_inside_a_page_block_are_reported(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 2);
	void *obj = page_address(page);

	KUNIT_ASSERT_NOT_NULL(test, page);
	curpage_free_pages(page + 1, 0);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	curpage_free(obj + PAGE_SIZE);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	curpage_free(obj + 8);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	curpage_cache_free(cache, obj + 3 * PAGE_SIZE);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	curpage_free(obj);
	cp_test_expect_bad(test, CP_OK, 0);
}

static void page_block_freed_twice_is_reported(struct kunit *test)
{
	struct page *keep = curpage_alloc_pages(GFP_KERNEL, 0);
	struct page *page = curpage_alloc_pages(GFP_KERNEL, 0);

	KUNIT_ASSERT_NOT_NULL(test, page);
	curpage_free_pages(page, 0);
	KUNIT_ASSERT_NOT_NULL(test, cp_test_page(page_address(page)));
	curpage_free_pages(page, 0);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(page_address(page));
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free_pages(keep, 0);
	cp_test_settle();
	curpage_free_pages(page, 0);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
}

/* A page of a cache is not a page block. */
static void page_of_a_cache_is_not_freed_as_a_block(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *obj = alloc(test, cache);

	curpage_free_pages(virt_to_page(obj), 0);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	KUNIT_EXPECT_EQ(test, 1, cp_cache_live(cache));
	curpage_cache_free(cache, obj);
}

static void cache_with_live_blocks_is_not_destroyed(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *a = alloc(test, cache), *b = alloc(test, cache);

	KUNIT_EXPECT_EQ(test, -EBUSY, curpage_cache_destroy(cache));
	cp_test_expect_bad(test, CP_BAD_LEAK, 1);
	curpage_cache_free(cache, a);
	KUNIT_EXPECT_EQ(test, -EBUSY, curpage_cache_destroy(cache));
	cp_test_expect_bad(test, CP_BAD_LEAK, 1);
	KUNIT_EXPECT_PTR_EQ(test, a, alloc(test, cache));
	curpage_cache_free(cache, a);
	curpage_cache_free(cache, b);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	cp_test_destroy(test, cache);
	cp_test_expect_bad(test, CP_OK, 0);
}

/* What was to be printed, in this thread. */
static unsigned int printed;
static struct cp_owners printed_owners;

static void count_printed(enum cp_bad bad, const struct curpage_cache *cache,
			  const void *addr, unsigned long caller,
			  const struct cp_owners *owners)
{
	printed++;
	printed_owners = owners ? *owners : (struct cp_owners){ };
}

static void setup_printed(struct kunit *test)
{
	printed = 0;
	kunit_activate_static_stub(test, cp_report_print, count_printed);
}

#define OFFENCES	100000

/*
 * All are counted.  The interval may end while they are made, and begin anew.
 */
static void printing_is_limited_and_counting_is_not(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	unsigned int i, burst = cp_report_burst;
	void *obj = alloc(test, cache);

	setup_printed(test);
	cp_report_burst = 0;
	for (i = 0; i < 2 * burst; i++)
		curpage_cache_free(cache, obj + 1);
	KUNIT_EXPECT_EQ_MSG(test, 2 * burst, printed, "without a limit");
	cp_report_burst = burst;
	printed = 0;
	for (i = 0; i < OFFENCES; i++)
		curpage_cache_free(cache, obj + 1);
	KUNIT_EXPECT_LE(test, printed, 2 * burst);
	cp_test_expect_bad(test, CP_BAD_INSIDE, OFFENCES + 2 * burst);
	KUNIT_EXPECT_EQ(test, OFFENCES + 2 * burst,
			atomic_read(cp_cache_bad(cache, CP_BAD_INSIDE)));
	curpage_cache_free(cache, obj);
}

static void report_taints_and_leaves_lockdep_on(struct kunit *test)
{
	struct curpage_cache *cache = setup(test);
	void *obj = alloc(test, cache);

	curpage_cache_free(cache, obj + 1);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	KUNIT_EXPECT_TRUE(test, test_taint(TAINT_BAD_PAGE));
#ifdef CONFIG_LOCKDEP
	KUNIT_EXPECT_TRUE(test, debug_locks);
#endif
	curpage_cache_free(cache, obj);
}

static noinline void *owner_alloc(struct curpage_cache *cache)
{
	void *obj = curpage_cache_alloc(cache, GFP_KERNEL);

	barrier();	/* not a tail call */
	return obj;
}

static noinline void owner_free(struct curpage_cache *cache, void *obj)
{
	curpage_cache_free(cache, obj);
	barrier();
}

static void expect_owners(struct kunit *test, bool known)
{
	char alloc[KSYM_SYMBOL_LEN], free[KSYM_SYMBOL_LEN];

	snprintf(alloc, sizeof(alloc), "%ps", (void *)printed_owners.alloc);
	snprintf(free, sizeof(free), "%ps", (void *)printed_owners.free);
	KUNIT_EXPECT_EQ(test, known, !strcmp(alloc, "owner_alloc"));
	KUNIT_EXPECT_EQ(test, known, !strcmp(free, "owner_free"));
}

/* With CURPAGE_CHECK: of a double free, and of a write after the free. */
static void report_names_who_had_the_block(struct kunit *test)
{
	bool known = test->param_value != misuse_cases;
	struct curpage_cache *cache = setup(test);
	unsigned int burst = cp_report_burst;
	void *live;
	u8 *obj;

	if (!IS_ENABLED(CONFIG_KALLSYMS))
		kunit_skip(test, "functions have no names");
	live = alloc(test, cache);
	obj = owner_alloc(cache);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	setup_printed(test);
	cp_report_burst = 0;
	owner_free(cache, obj);
	curpage_cache_free(cache, obj);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	expect_owners(test, known);
	obj[5] ^= 1;		/* not of a number */
	obj = alloc(test, cache);
	cp_test_expect_bad(test, CP_BAD_POISON, 1);
	expect_owners(test, known);
	cp_report_burst = burst;
	curpage_cache_free(cache, obj);
	curpage_cache_free(cache, live);
}

#define BOTH_CASE(fn)	KUNIT_CASE_PARAM(fn, check_gen_params)

static struct kunit_case cp_misuse_cases[] = {
	BOTH_CASE(foreign_pointers_are_reported),
	BOTH_CASE(null_is_not_an_offence),
	BOTH_CASE(pointers_inside_a_block_are_reported),
	BOTH_CASE(block_of_another_cache_is_reported_and_stays_live),
	BOTH_CASE(block_freed_twice_in_a_row_is_reported),
	BOTH_CASE(block_of_an_empty_page_freed_again_is_reported),
	BOTH_CASE(block_of_a_page_that_left_is_reported),
	BOTH_CASE(every_double_free_is_reported),
	KUNIT_CASE_PARAM(double_free_is_told_whoever_and_whenever,
			 twice_gen_params),
	KUNIT_CASE_PARAM(random_write_to_a_free_block_is_told,
			 scribble_gen_params),
	KUNIT_CASE(write_past_the_end_is_reported_once),
	KUNIT_CASE(write_after_free_is_reported_once),
	KUNIT_CASE(all_bytes_asked_for_may_be_written),
	KUNIT_CASE(page_block_of_wrong_order_is_reported_and_stays),
	BOTH_CASE(pointers_inside_a_page_block_are_reported),
	KUNIT_CASE(page_block_freed_twice_is_reported),
	BOTH_CASE(page_of_a_cache_is_not_freed_as_a_block),
	BOTH_CASE(cache_with_live_blocks_is_not_destroyed),
	BOTH_CASE(printing_is_limited_and_counting_is_not),
	KUNIT_CASE(report_taints_and_leaves_lockdep_on),
	BOTH_CASE(report_names_who_had_the_block),
	{}
};

CP_TEST_SUITE(misuse);
