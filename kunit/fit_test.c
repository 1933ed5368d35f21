// SPDX-License-Identifier: GPL-2.0
/*
 * First fit for large blocks, beside a reference that is as plain as can be: a
 * bit for each unit of each run, looked at from the lowest address upwards.
 */
#include "common.h"
#include "large/fit.h"

#define FIT_BLOCKS	64
#define FIT_RUNS	80
#define FIT_UNITS	(SZ_256K / 16)
#define FIT_EVENTS	4000

struct fit_ref_run {
	char *base;
	unsigned int units;
	unsigned long *used;
};

struct fit_ref {
	struct fit_ref_run runs[FIT_RUNS];	/* by address */
	unsigned int nr;
	struct rnd_state rnd;
	struct {
		u8 *obj;
		size_t size;
	} blocks[FIT_BLOCKS];
};

static struct cp_run *run_of(const void *obj)
{
	struct cp_page *p = cp_test_page(obj);

	return p && cp_page_kind(p) == CP_RUN ? p->run : NULL;
}

static unsigned long fit_stat(enum cp_fit_stat stat)
{
	struct cp_fit_sum sum;

	cp_fit_get_sum(&sum);
	return sum.stat[stat];
}

static size_t ref_lead(const struct fit_ref_run *run, unsigned int unit,
		       size_t align)
{
	unsigned long payload = (unsigned long)run->base +
				(unit + 1) * CP_FIT_UNIT;

	return (ALIGN(payload, align) - payload) / CP_FIT_UNIT;
}

/* The next free units from *unit on; their number, 0 for none. */
static unsigned int ref_extent(const struct fit_ref_run *run,
			       unsigned int *unit)
{
	*unit = find_next_zero_bit(run->used, run->units, *unit);
	return find_next_bit(run->used, run->units, *unit) - *unit;
}

/* The lowest extent of a page into which the block fits. */
static char *ref_find_on(const struct fit_ref_run *run, unsigned int page,
			 size_t units, size_t align)
{
	unsigned int unit, size;

	for (unit = 0; (size = ref_extent(run, &unit)); unit += size) {
		size_t lead = ref_lead(run, unit, align);

		if (unit * CP_FIT_UNIT / PAGE_SIZE == page &&
		    size >= units + lead)
			return run->base + (unit + lead + 1) * CP_FIT_UNIT;
	}
	return NULL;
}

/* On the page on which the first extent of least units starts. */
static char *ref_find_from(const struct fit_ref *ref, size_t units,
			   size_t align, size_t least)
{
	unsigned int i, unit, size;

	for (i = 0; i < ref->nr; i++)
		for (unit = 0; (size = ref_extent(&ref->runs[i], &unit));
		     unit += size)
			if (size >= least)
				return ref_find_on(&ref->runs[i],
						   unit * CP_FIT_UNIT /
						   PAGE_SIZE, units, align);
	return NULL;
}

static size_t ref_units(size_t size)
{
	size_t dma = dma_get_cache_alignment();

	size += cp_fit_checks() ? 8 : 0;
	/* Where DMA is not coherent the next header is in lines of its own. */
	if (dma > CP_FIT_UNIT)
		return (ALIGN(size, dma) + dma) / CP_FIT_UNIT;
	return DIV_ROUND_UP(size + 8, CP_FIT_UNIT);
}

static char *ref_find(const struct fit_ref *ref, size_t size)
{
	size_t align = max_t(size_t, CP_FIT_UNIT, dma_get_cache_alignment());
	size_t units = ref_units(size);

	if (is_power_of_2(size))
		align = max(size, align);
	return ref_find_from(ref, units, align, units) ?:
	       ref_find_from(ref, units, align,
			     units + align / CP_FIT_UNIT - 1);
}

/* Runs that are new, or gone: there is at most one of each at a time. */
static void ref_add(struct kunit *test, struct fit_ref *ref,
		    const struct cp_run *run)
{
	unsigned int i = 0;

	while (i < ref->nr && ref->runs[i].base < (char *)run->base)
		i++;
	if (i < ref->nr && ref->runs[i].base == run->base)
		return;
	KUNIT_ASSERT_LT(test, ref->nr, FIT_RUNS);
	memmove(&ref->runs[i + 1], &ref->runs[i],
		(ref->nr++ - i) * sizeof(ref->runs[0]));
	ref->runs[i].base = run->base;
	ref->runs[i].units = run->units;
	ref->runs[i].used = kunit_kzalloc(test, FIT_UNITS / 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ref->runs[i].used);
}

static void ref_forget_gone(struct fit_ref *ref)
{
	unsigned int i = 0;

	while (i < ref->nr) {
		const struct cp_run *run = run_of(ref->runs[i].base);

		if (run && run->base == ref->runs[i].base) {
			i++;
			continue;
		}
		memmove(&ref->runs[i], &ref->runs[i + 1],
			(--ref->nr - i) * sizeof(ref->runs[0]));
	}
}

static void ref_mark(struct kunit *test, struct fit_ref *ref, const void *obj,
		     size_t size, bool used)
{
	unsigned int i = ref->nr - 1, unit, units = ref_units(size), end;
	struct fit_ref_run *run;

	while (ref->runs[i].base > (char *)obj)
		i--;
	run = &ref->runs[i];
	unit = ((char *)obj - run->base) / CP_FIT_UNIT - 1;
	end = used ? find_next_bit(run->used, run->units, unit) :
		     find_next_zero_bit(run->used, run->units, unit);
	KUNIT_ASSERT_GE(test, end, unit + units);
	if (used)
		bitmap_set(run->used, unit, units);
	else
		bitmap_clear(run->used, unit, units);
}

static bool ref_fits(size_t size)
{
	unsigned int crossover = cp_size_crossover();
	size_t top = size <= PAGE_SIZE ? ALIGN(size, 8) : size;

	return size <= CP_FIT_MAX &&
	       (!crossover || (top > crossover && !is_power_of_2(top)));
}

static void ref_alloc(struct kunit *test, struct fit_ref *ref, unsigned int i,
		      size_t size)
{
	gfp_t gfp = prandom_u32_state(&ref->rnd) % 2 ? GFP_KERNEL : GFP_ATOMIC;
	char *expected = ref_fits(size) ? ref_find(ref, size) : NULL;
	u8 *obj = curpage_alloc(size, gfp);

	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_ASSERT_GE(test, curpage_ksize(obj), size);
	memset(obj, (u8)size, size);
	ref->blocks[i].obj = obj;
	ref->blocks[i].size = size;
	KUNIT_ASSERT_EQ_MSG(test, ref_fits(size), !!run_of(obj), "size %zu",
			    size);
	if (!ref_fits(size))
		return;
	if (!expected) {
		ref_add(test, ref, run_of(obj));
		expected = ref_find(ref, size);
	}
	KUNIT_ASSERT_PTR_EQ_MSG(test, (void *)obj, (void *)expected,
				"size %zu", size);
	if (is_power_of_2(size))
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)obj, size));
	ref_mark(test, ref, obj, size, true);
}

static void ref_free(struct kunit *test, struct fit_ref *ref, unsigned int i)
{
	u8 *obj = ref->blocks[i].obj;
	size_t size = ref->blocks[i].size;

	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(obj, (u8)size, size),
			      "size %zu was written over", size);
	if (run_of(obj))
		ref_mark(test, ref, obj, size, false);
	curpage_free(obj);
	ref->blocks[i].obj = NULL;
	ref_forget_gone(ref);
}

static size_t ref_size(struct fit_ref *ref)
{
	u32 r = prandom_u32_state(&ref->rnd);
	size_t most = 16 << r % 13;

	if (cp_size_crossover())
		most = 2048 << r % 6;
	r >>= 8;
	if (r % 8 == 0)
		return most;
	return 1 + (r >> 3) % most;
}

/* The number of live blocks rises and falls. */
static void ref_run(struct kunit *test, unsigned int events)
{
	struct fit_ref *ref = kunit_kzalloc(test, sizeof(*ref), GFP_KERNEL);
	unsigned int i, n, full = FIT_BLOCKS;

	KUNIT_ASSERT_NOT_NULL(test, ref);
	prandom_seed_state(&ref->rnd, cp_test_seed(test));
	for (n = 0; n < events; n++) {
		i = prandom_u32_state(&ref->rnd) % full;
		if (ref->blocks[i].obj)
			ref_free(test, ref, i);
		else
			ref_alloc(test, ref, i, ref_size(ref));
		if (n % 500)
			continue;
		full = 1 + prandom_u32_state(&ref->rnd) % FIT_BLOCKS;
		KUNIT_ASSERT_EQ(test, 0, curpage_check());
	}
	for (i = 0; i < FIT_BLOCKS; i++)
		if (ref->blocks[i].obj)
			ref_free(test, ref, i);
	KUNIT_EXPECT_LE(test, ref->nr, 1);
}

static void blocks_are_the_lowest_that_fit(struct kunit *test)
{
	ref_run(test, FIT_EVENTS);
}

static void blocks_of_all_sizes_are_the_lowest_that_fit(struct kunit *test)
{
	unsigned int crossover = cp_size_crossover();

	cp_size_set_crossover(0);
	ref_run(test, FIT_EVENTS);
	cp_size_set_crossover(crossover);
}

static void checked_blocks_are_the_lowest_that_fit(struct kunit *test)
{
	bool check = cp_cache_defaults.check;

	cp_fit_drain();
	cp_cache_defaults.check = true;
	ref_run(test, FIT_EVENTS / 4);
	cp_fit_drain();
	cp_cache_defaults.check = check;
}

/* In each order, since a block is merged to both sides. */
static void neighbours_are_merged_at_once(struct kunit *test)
{
	static const u8 orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		struct cp_fit_sum sum;
		void *objs[3], *fence;

		for (j = 0; j < 3; j++)
			objs[j] = curpage_alloc(5000, GFP_KERNEL);
		fence = curpage_alloc(5000, GFP_KERNEL);
		for (j = 0; j < 3; j++)
			curpage_free(objs[orders[i][j]]);
		KUNIT_EXPECT_PTR_EQ(test, objs[0],
				    curpage_alloc(15000, GFP_KERNEL));
		curpage_free(objs[0]);
		curpage_free(fence);
		cp_fit_get_sum(&sum);
		KUNIT_EXPECT_EQ(test, sum.free, sum.largest);
	}
}

static void five_thousand_bytes_cost_less_than_two_pages(struct kunit *test)
{
	const unsigned int nr = 500;
	void **objs = kunit_kcalloc(test, nr, sizeof(*objs), GFP_KERNEL);
	unsigned long visited = fit_stat(CP_FIT_VISITED);
	struct cp_fit_sum sum;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, objs);
	for (i = 0; i < nr; i++)
		objs[i] = curpage_alloc(5000, GFP_KERNEL);
	for (i = 0; i < nr; i += 2)
		curpage_free(objs[i]);
	for (i = 0; i < nr; i += 2)
		objs[i] = curpage_alloc(5000, GFP_KERNEL);
	visited = fit_stat(CP_FIT_VISITED) - visited;
	KUNIT_EXPECT_LT_MSG(test, visited, 60 * (nr + nr / 2),
			    "a search visits less than 60 items");
	cp_fit_get_sum(&sum);
	KUNIT_EXPECT_EQ(test, nr, sum.live);
	KUNIT_EXPECT_EQ(test, nr * 5000, sum.asked);
	KUNIT_EXPECT_LT(test, sum.pages * 10, nr * 14);
	KUNIT_EXPECT_EQ(test, sum.pages << PAGE_SHIFT,
			sum.used + sum.free + sum.runs * CP_FIT_UNIT);
	for (i = 0; i < nr; i++)
		curpage_free(objs[i]);
}

static void empty_runs_go_back_but_for_one(struct kunit *test)
{
	void *a = curpage_alloc(60000, GFP_KERNEL);
	void *b = curpage_alloc(60000, GFP_KERNEL);
	unsigned long taken, order = get_order(SZ_64K);
	unsigned int i;

	curpage_free(b);
	KUNIT_EXPECT_EQ(test, 1 << order, cp_fit_empty_pages());
	taken = fit_stat(CP_FIT_RUN_GIVEN);
	curpage_free(a);
	KUNIT_EXPECT_EQ(test, 1 << order, cp_fit_empty_pages());
	KUNIT_EXPECT_EQ(test, taken + 1, fit_stat(CP_FIT_RUN_GIVEN));
	taken = fit_stat(CP_FIT_RUN_TAKEN);
	for (i = 0; i < 100; i++)
		curpage_free(curpage_alloc(60000, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, taken, fit_stat(CP_FIT_RUN_TAKEN));
	cp_fit_drain_idle();
	KUNIT_EXPECT_EQ(test, 1 << order, cp_fit_empty_pages());
	cp_fit_drain_idle();
	KUNIT_EXPECT_EQ(test, 0, cp_fit_empty_pages());
}

/* What is live goes back to where it came from. */
static void crossover_is_for_new_requests(struct kunit *test)
{
	unsigned int crossover = cp_size_crossover();
	void *fit, *class;
	size_t line;

	fit = curpage_alloc(1100, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, run_of(fit));
	cp_size_set_crossover(PAGE_SIZE);
	class = curpage_alloc(1100, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, run_of(class));
	curpage_free(fit);
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(fit));
	cp_size_set_crossover(0);
	curpage_free(class);
	fit = curpage_alloc(64, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, run_of(fit));
	/*
	 * A unit has room for 8 bytes more, a cache line of its own for none.
	 */
	line = dma_get_cache_alignment();
	KUNIT_EXPECT_EQ(test, line > CP_FIT_UNIT ? max_t(size_t, line, 64) : 72,
			curpage_ksize(fit));
	cp_size_set_crossover(crossover);
	curpage_free(fit);
	class = curpage_alloc(64, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, run_of(class));
	curpage_free(class);
}

/*
 * What the system lends from its reserves is for one request; a run is shared.
 */
static void request_of_reserves_gets_no_run(struct kunit *test)
{
	static const size_t sizes[] = { 1100, 3000, 5000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *obj = curpage_alloc(sizes[i],
					  GFP_KERNEL | __GFP_MEMALLOC);

		KUNIT_ASSERT_NOT_NULL(test, obj);
		KUNIT_EXPECT_NULL(test, run_of(obj));
		curpage_free(obj);
		obj = curpage_alloc(sizes[i], GFP_KERNEL_ACCOUNT);
		KUNIT_ASSERT_NOT_NULL(test, obj);
		KUNIT_EXPECT_NOT_NULL(test, run_of(obj));
		curpage_free(obj);
	}
}

/* Calls of the system up to which all are served; what was asked for last. */
static struct {
	unsigned int left;
	unsigned int most;		/* order */
	gfp_t gfp, wish;
} fit_sys;

static struct cp_page *fit_take_stub(gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (order > fit_sys.most)
		fit_sys.wish = gfp;
	else
		fit_sys.gfp = gfp;
	if (order <= fit_sys.most && fit_sys.left) {
		fit_sys.left--;
		page = alloc_pages(GFP_KERNEL, order);
	}
	if (page && order)
		split_page(page, order);
	return page ? cp_page_of(page) : NULL;
}

static void *fit_zalloc_stub(size_t size, gfp_t gfp)
{
	fit_sys.gfp = gfp;
	return NULL;
}

static void expect_refused(struct kunit *test)
{
	unsigned long failed = fit_stat(CP_FIT_FAILED), held = cp_test_held();

	KUNIT_EXPECT_NULL(test, curpage_alloc(5000, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, curpage_alloc(5000, GFP_ATOMIC));
	KUNIT_EXPECT_EQ(test, failed + 2, fit_stat(CP_FIT_FAILED));
	KUNIT_EXPECT_EQ(test, held, cp_test_held());
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void refused_pages_are_a_clean_failure(struct kunit *test)
{
	cp_test_settle();
	memset(&fit_sys, 0, sizeof(fit_sys));
	kunit_activate_static_stub(test, cp_system_take, fit_take_stub);
	expect_refused(test);
	kunit_deactivate_static_stub(test, cp_system_take);
}

static void refused_descriptor_is_a_clean_failure(struct kunit *test)
{
	cp_test_settle();
	kunit_activate_static_stub(test, cp_system_zalloc_gfp,
				   fit_zalloc_stub);
	expect_refused(test);
	KUNIT_EXPECT_EQ(test, (__force u32)GFP_ATOMIC,
			(__force u32)fit_sys.gfp);
	kunit_deactivate_static_stub(test, cp_system_zalloc_gfp);
}

static void what_is_held_serves_whatever_the_system_says(struct kunit *test)
{
	void *a, *b;

	a = curpage_alloc(5000, GFP_KERNEL);
	memset(&fit_sys, 0, sizeof(fit_sys));
	kunit_activate_static_stub(test, cp_system_take, fit_take_stub);
	b = curpage_alloc(5000, GFP_KERNEL);
	kunit_deactivate_static_stub(test, cp_system_take);
	KUNIT_EXPECT_PTR_EQ(test, run_of(a), run_of(b));
	curpage_free(a);
	curpage_free(b);
}

static void *freed_meanwhile;

static struct cp_page *freeing_stub(gfp_t gfp, unsigned int order)
{
	curpage_free(freed_meanwhile);
	freed_meanwhile = NULL;
	return fit_take_stub(gfp, order);
}

/* A block freed while a run is fetched serves; the run is kept. */
static void block_freed_meanwhile_serves(struct kunit *test)
{
	unsigned long taken = fit_stat(CP_FIT_RUN_TAKEN);
	void *a, *b, *freed;

	cp_test_settle();
	freed = curpage_alloc(30000, GFP_KERNEL);
	a = curpage_alloc(30000, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, taken + 1, fit_stat(CP_FIT_RUN_TAKEN));
	/* The arena has none to spare. */
	cp_arena_trim(&cp_arena, 0);
	freed_meanwhile = freed;
	fit_sys.left = UINT_MAX;
	fit_sys.most = CURPAGE_MAX_ORDER;
	kunit_activate_static_stub(test, cp_system_take, freeing_stub);
	b = curpage_alloc(30000, GFP_KERNEL);
	kunit_deactivate_static_stub(test, cp_system_take);
	KUNIT_EXPECT_EQ(test, taken + 2, fit_stat(CP_FIT_RUN_TAKEN));
	/* The run may have a lower address, and serves then. */
	KUNIT_EXPECT_LE(test, (unsigned long)b, (unsigned long)freed);
	KUNIT_EXPECT_EQ(test, b == freed, cp_fit_empty_pages() > 0);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_free(a);
	curpage_free(b);
}

/* Fragmented memory: the wish is not leaned on the system, the need is. */
static void smaller_runs_do_when_large_ones_fail(struct kunit *test)
{
	unsigned int order;
	void *obj;

	kunit_activate_static_stub(test, cp_system_take, fit_take_stub);
	for (order = get_order(5000); order < get_order(SZ_64K); order++) {
		cp_test_settle();
		fit_sys.left = UINT_MAX;
		fit_sys.most = order;
		obj = curpage_alloc(5000, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, run_of(obj));
		KUNIT_EXPECT_EQ(test, order, run_of(obj)->order);
		KUNIT_EXPECT_NULL(test, curpage_alloc(60000, GFP_ATOMIC));
		curpage_free(obj);
	}
	cp_test_settle();
	fit_sys.most = 1;
	obj = curpage_alloc(5000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, run_of(obj));
	KUNIT_EXPECT_EQ(test, 0, (__force u32)(fit_sys.wish & __GFP_RECLAIM));
	KUNIT_EXPECT_NE(test, 0, (__force u32)(fit_sys.wish & __GFP_NOWARN));
	KUNIT_EXPECT_EQ(test, (__force u32)(GFP_KERNEL | __GFP_NOMEMALLOC),
			(__force u32)fit_sys.gfp);
	curpage_free(obj);
	kunit_deactivate_static_stub(test, cp_system_take);
}

/* Where nobody may sleep, with a lock held and interrupts off. */
static void atomic_requests_are_served(struct kunit *test)
{
	unsigned long flags;
	spinlock_t lock;	/* of nothing */
	void *objs[20];
	unsigned int i;

	spin_lock_init(&lock);
	cp_test_settle();
	spin_lock_irqsave(&lock, flags);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = curpage_alloc(5000, GFP_ATOMIC);
	for (i = 0; i < ARRAY_SIZE(objs); i += 2)
		curpage_free(objs[i]);
	spin_unlock_irqrestore(&lock, flags);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		KUNIT_EXPECT_NOT_NULL(test, objs[i]);
	for (i = 1; i < ARRAY_SIZE(objs); i += 2)
		curpage_free(objs[i]);
}

/*
 * Where DMA is not coherent.  memset() stands for the writes of a device; sizes
 * that the kernel copies are left out.
 */
static void blocks_keep_to_their_cache_lines(struct kunit *test)
{
	unsigned long line = dma_get_cache_alignment();
	unsigned int size;
	u8 *objs[3];

	for (size = 1; size < 12000; size += 1 + size / 50) {
		unsigned int lines = ALIGN(size, line), i, j;

		for (i = 0; i < ARRAY_SIZE(objs); i++) {
			objs[i] = curpage_alloc(size, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, objs[i]);
		}
		for (i = 0; i < ARRAY_SIZE(objs) && cp_dma_wants(size); i++) {
			KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)
							   objs[i], line));
			/* As the device does it. */
			if (!cp_fit_checks())
				memset(objs[i], i, lines);
		}
		for (i = 0; i < ARRAY_SIZE(objs); i++)
			for (j = 0; j < i; j++)
				KUNIT_EXPECT_GE(test, abs(objs[i] - objs[j]),
						size);
		for (i = 0; i < ARRAY_SIZE(objs); i++)
			curpage_free(objs[i]);
	}
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
}

static void bad_frees_are_told_apart(struct kunit *test)
{
	struct curpage_cache *cache = cp_test_cache(test, "kunit-fit", 64,
						    NULL);
	u8 *a = curpage_alloc(3000, GFP_KERNEL);
	u8 *b = curpage_alloc(5000, GFP_KERNEL);
	u8 *c = curpage_alloc(3000, GFP_KERNEL);

	curpage_free(a);
	curpage_free(a);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	curpage_free(b);		/* merged with a, and so is its header */
	curpage_free(b);
	curpage_free(a + 16);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 2);
	curpage_free(c + 16);
	curpage_free(c + 2999);
	curpage_free(c - 8);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 3);
	curpage_cache_free(cache, c);
	cp_test_expect_bad(test, CP_BAD_CACHE, 1);
	curpage_free_pages(virt_to_page(c), 0);
	cp_test_expect_bad(test, CP_BAD_INSIDE, 1);
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(c + 16));
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	curpage_free(c);
	curpage_free(c);		/* in the empty run that is kept */
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	cp_test_settle();
	curpage_free(c);
	cp_test_expect_bad(test, CP_BAD_FOREIGN, 1);
	/* As seen to be in a run, which then went. */
	cp_fit_free(cp_page_of(virt_to_page(c)), c, _RET_IP_);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
}

/* What cp_fit_lose() did is undone, so that the test leaves nothing behind. */
static void fit_unlose(struct cp_run *run)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	run->lost = false;
	cp_fit_update(run);
	cp_fit.lost_pages -= cp_run_pages(run);
	cp_fit.pages += cp_run_pages(run);
	cp_fit.nr_runs++;
	cp_fit.units += run->units;
	cp_fit.live += run->live;
	cp_fit.asked += run->asked;
	cp_fit.used += run->used;
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
}

/* What comes upon the damaged header. */
enum upon { FREE_OF_ITS_BLOCK, FREE_BESIDE_IT, FREE_INSIDE, ALLOCATION, NR_UPON };

static const struct header_case {
	const char *name;
	enum upon upon;
} header_cases[NR_UPON] = {
	{ "free of its block", FREE_OF_ITS_BLOCK },
	{ "free of the block before", FREE_BESIDE_IT },
	{ "free inside its block", FREE_INSIDE },
	{ "allocation", ALLOCATION },
};

KUNIT_ARRAY_PARAM_DESC(header, header_cases, name);

static void *come_upon(enum upon upon, u8 *a, u8 *b)
{
	if (upon == FREE_OF_ITS_BLOCK)
		curpage_free(b);
	if (upon == FREE_BESIDE_IT)
		curpage_free(a);
	if (upon == FREE_INSIDE)
		curpage_free(b + 100);
	return curpage_alloc(4500, GFP_KERNEL);
}

/* One report, and no block of that run any more: others serve. */
static void damaged_header_is_told_once(struct kunit *test)
{
	const struct header_case *c = test->param_value;
	unsigned long lost = fit_stat(CP_FIT_LOST);
	u8 *a = curpage_alloc(3000, GFP_KERNEL);
	u8 *b = curpage_alloc(5000, GFP_KERNEL);
	u8 *fence = curpage_alloc(3000, GFP_KERNEL), *d;
	struct cp_run *run = run_of(a);
	u8 head[8];

	OPTIMIZER_HIDE_VAR(b);
	if (c->upon == ALLOCATION)
		curpage_free(b);
	memcpy(head, b - 8, 8);
	memset(b - 8, 0x5a, 8);
	KUNIT_EXPECT_GT(test, curpage_check(), 0);
	d = come_upon(c->upon, a, b);
	cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
	KUNIT_EXPECT_TRUE(test, run->lost);
	KUNIT_EXPECT_EQ(test, lost + 1, fit_stat(CP_FIT_LOST));
	KUNIT_EXPECT_NOT_NULL(test, d);
	KUNIT_EXPECT_PTR_NE(test, run, run_of(d));
	curpage_free(a);
	curpage_free(b);
	curpage_free(fence);
	curpage_free(d);
	cp_test_expect_bad(test, CP_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	memcpy(b - 8, head, 8);
	fit_unlose(run);
	if (c->upon != FREE_BESIDE_IT)
		curpage_free(a);
	if (c->upon != ALLOCATION)
		curpage_free(b);
	curpage_free(fence);
}

static void damaged_header_is_not_followed(struct kunit *test)
{
	unsigned long lost = fit_stat(CP_FIT_LOST);
	u8 *a = curpage_alloc(3000, GFP_KERNEL);
	u8 *b = curpage_alloc(5000, GFP_KERNEL);
	struct cp_run *run = run_of(a);
	u8 head[8], *c;

	/* The compiler is not to know how much was asked for. */
	OPTIMIZER_HIDE_VAR(b);
	memcpy(head, b - 8, 8);
	memset(b - 8, 0x5a, 8);
	KUNIT_EXPECT_EQ(test, 1, curpage_check());
	curpage_free(b);
	cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
	KUNIT_EXPECT_TRUE(test, run->lost);
	KUNIT_EXPECT_EQ(test, lost + 1, fit_stat(CP_FIT_LOST));
	/* No more reports of it, and no block. */
	curpage_free(a);
	cp_test_expect_bad(test, CP_OK, 0);
	c = curpage_alloc(3000, GFP_KERNEL);
	KUNIT_EXPECT_PTR_NE(test, run, run_of(c));
	curpage_free(c);
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	memcpy(b - 8, head, 8);
	fit_unlose(run);
	curpage_free(a);
	curpage_free(b);
}

static void red_zone_and_poison_are_checked(struct kunit *test)
{
	bool check = cp_cache_defaults.check;
	u8 *a, *fence;

	cp_fit_drain();
	cp_cache_defaults.check = true;
	a = curpage_alloc(3000, GFP_KERNEL);
	fence = curpage_alloc(3000, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, 3000, curpage_ksize(a));
	a[3000] ^= 1;
	KUNIT_EXPECT_EQ(test, 1, curpage_check());
	curpage_free(a);
	cp_test_expect_bad(test, CP_BAD_REDZONE, 1);
	a[100] ^= 1;
	KUNIT_EXPECT_EQ(test, 1, curpage_check());
	KUNIT_EXPECT_PTR_EQ(test, a, (u8 *)curpage_alloc(3000, GFP_KERNEL));
	cp_test_expect_bad(test, CP_BAD_POISON, 1);
	curpage_free(a);
	curpage_free(a);
	cp_test_expect_bad(test, CP_BAD_DOUBLE, 1);
	a = curpage_alloc(5000, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, memchr_inv(a, CP_POISON_BYTE, 5000));
	curpage_free(a);
	a = curpage_zalloc(5000, GFP_KERNEL);
	KUNIT_EXPECT_NULL(test, memchr_inv(a, 0, 5000));
	curpage_free(a);
	curpage_free(fence);
	cp_fit_drain();
	cp_cache_defaults.check = check;
}

static struct kunit_case cp_fit_cases[] = {
	KUNIT_CASE(blocks_are_the_lowest_that_fit),
	KUNIT_CASE(blocks_of_all_sizes_are_the_lowest_that_fit),
	KUNIT_CASE(checked_blocks_are_the_lowest_that_fit),
	KUNIT_CASE(neighbours_are_merged_at_once),
	KUNIT_CASE(five_thousand_bytes_cost_less_than_two_pages),
	KUNIT_CASE(empty_runs_go_back_but_for_one),
	KUNIT_CASE(crossover_is_for_new_requests),
	KUNIT_CASE(request_of_reserves_gets_no_run),
	KUNIT_CASE(refused_pages_are_a_clean_failure),
	KUNIT_CASE(refused_descriptor_is_a_clean_failure),
	KUNIT_CASE(what_is_held_serves_whatever_the_system_says),
	KUNIT_CASE(block_freed_meanwhile_serves),
	KUNIT_CASE(smaller_runs_do_when_large_ones_fail),
	KUNIT_CASE(atomic_requests_are_served),
	KUNIT_CASE(blocks_keep_to_their_cache_lines),
	KUNIT_CASE(bad_frees_are_told_apart),
	KUNIT_CASE(damaged_header_is_not_followed),
	KUNIT_CASE_PARAM(damaged_header_is_told_once, header_gen_params),
	KUNIT_CASE(red_zone_and_poison_are_checked),
	{}
};

CP_TEST_SUITE(fit);
