// SPDX-License-Identifier: GPL-2.0
/* First fit for large blocks: beside a reference that is as plain as can be. */
#include "unit.h"
#include "large/fit.h"

#define FIT_BLOCKS	400
#define FIT_RUNS	1024
#define FIT_EVENTS	100000

/* A run, a byte for each of its units: is it in a live block? */
struct ref_run {
	char *base;
	size_t units;
	char *used;
};

struct ref_block {
	u8 *obj;
	size_t size;
};

/* The runs by address. */
static struct ref_run ref_runs[FIT_RUNS];
static unsigned int ref_nr;
static u64 fit_state = 20260719;

static u32 fit_random(u32 below)
{
	fit_state = fit_state * 6364136223846793005 + 1442695040888963407;
	return (fit_state >> 33) % below;
}

static void ref_run_taken(void *data, unsigned long pfn, unsigned int order,
			  bool taken)
{
	char *base = page_address(pfn_to_page(pfn));
	size_t units = (PAGE_SIZE << order) / CP_FIT_UNIT - 1;
	unsigned int i = 0;

	while (i < ref_nr && ref_runs[i].base < base)
		i++;
	if (taken) {
		REQUIRE(ref_nr < FIT_RUNS);
		memmove(&ref_runs[i + 1], &ref_runs[i],
			(ref_nr++ - i) * sizeof(ref_runs[0]));
		ref_runs[i] = (struct ref_run){ base, units, calloc(1, units) };
		return;
	}
	REQUIRE(i < ref_nr && ref_runs[i].base == base);
	REQUIRE(!memchr(ref_runs[i].used, 1, units));
	free(ref_runs[i].used);
	memmove(&ref_runs[i], &ref_runs[i + 1],
		(--ref_nr - i) * sizeof(ref_runs[0]));
}

/* The next free units from *unit on; their number, 0 for none. */
static size_t ref_extent(const struct ref_run *run, size_t *unit)
{
	char *start = memchr(run->used + *unit, 0, run->units - *unit);
	char *end;

	if (!start)
		return 0;
	*unit = start - run->used;
	end = memchr(start, 1, run->units - *unit);
	return end ? end - start : run->units - *unit;
}

static size_t ref_lead(const struct ref_run *run, size_t unit, size_t align)
{
	unsigned long payload = (unsigned long)run->base +
				(unit + 1) * CP_FIT_UNIT;

	return (ALIGN(payload, align) - payload) / CP_FIT_UNIT;
}

static size_t ref_page(size_t unit)
{
	return unit * CP_FIT_UNIT / PAGE_SIZE;
}

/* The first extent of a page into which the block fits. */
static char *ref_find_on(const struct ref_run *run, size_t page, size_t units,
			 size_t align)
{
	size_t unit = 0, size;

	for (; unit < run->units && (size = ref_extent(run, &unit));
	     unit += size) {
		size_t lead = ref_lead(run, unit, align);

		if (ref_page(unit) == page && size >= units + lead)
			return run->base + (unit + lead + 1) * CP_FIT_UNIT;
	}
	return NULL;
}

/* On the page on which the first extent of least units starts. */
static char *ref_find_from(size_t units, size_t align, size_t least)
{
	unsigned int i;

	for (i = 0; i < ref_nr; i++) {
		const struct ref_run *run = &ref_runs[i];
		size_t unit = 0, size;

		for (; unit < run->units && (size = ref_extent(run, &unit));
		     unit += size)
			if (size >= least)
				return ref_find_on(run, ref_page(unit), units,
						   align);
	}
	return NULL;
}

static size_t ref_units(size_t size)
{
	size += cp_cache_defaults.check ? 8 : 0;
	/* The next header is in cache lines of its own. */
	if (lab.dma_align)
		return (ALIGN(size, (size_t)lab.dma_align) + lab.dma_align) /
		       CP_FIT_UNIT;
	return DIV_ROUND_UP(size + 8, CP_FIT_UNIT);
}

static char *ref_find(size_t size)
{
	size_t align = max((size_t)CP_FIT_UNIT, (size_t)lab.dma_align);
	size_t units = ref_units(size);

	if (is_power_of_2(size))
		align = max(size, align);
	return ref_find_from(units, align, units) ?:
	       ref_find_from(units, align, units + align / CP_FIT_UNIT - 1);
}

static void ref_mark(const void *obj, size_t size, bool used)
{
	size_t units = ref_units(size), unit;
	unsigned int i = ref_nr - 1;

	while (ref_runs[i].base > (char *)obj)
		i--;
	unit = ((char *)obj - ref_runs[i].base) / CP_FIT_UNIT - 1;
	REQUIRE(unit + units <= ref_runs[i].units);
	REQUIRE(!memchr(ref_runs[i].used + unit, used, units));
	memset(ref_runs[i].used + unit, used, units);
}

static bool ref_fits(size_t size)
{
	unsigned int crossover = cp_size_crossover();
	size_t top = size <= PAGE_SIZE ? ALIGN(size, 8UL) : size;

	return size <= CP_FIT_MAX &&
	       (!crossover || (top > crossover && !is_power_of_2(top)));
}

static void fit_alloc(struct ref_block *b, size_t size)
{
	char *expected = ref_fits(size) ? ref_find(size) : NULL;

	b->size = size;
	b->obj = curpage_alloc(size, fit_random(2) ? GFP_KERNEL : GFP_ATOMIC);
	REQUIRE(b->obj);
	REQUIRE(curpage_ksize(b->obj) >= size);
	REQUIRE(!is_power_of_2(size) || !((unsigned long)b->obj % size));
	memset(b->obj, (u8)size, size);
	/* A device writes whole cache lines. */
	if (lab.dma_align) {
		REQUIRE(!((unsigned long)b->obj % lab.dma_align));
		memset(b->obj, (u8)size, ALIGN(size, (size_t)lab.dma_align));
	}
	if (!ref_fits(size))
		return;
	expected = expected ?: ref_find(size);
	REQUIRE(b->obj == (void *)expected);
	ref_mark(b->obj, size, true);
}

static void fit_free(struct ref_block *b, bool fits)
{
	REQUIRE(!memchr_inv(b->obj, (u8)b->size, b->size));
	if (fits)
		ref_mark(b->obj, b->size, false);
	curpage_free(b->obj);
	b->obj = NULL;
}

static size_t fit_size(bool small)
{
	static const size_t least[] = { 1, 1, 500, 1025, 4097, 30000 };
	static const size_t most[] = { 16, 200, 3000, 6000, 20000, 65536 };
	unsigned int kind = small ? fit_random(6) : 3 + fit_random(3);

	if (!fit_random(10))
		return 1UL << (small ? fit_random(17) : 11 + fit_random(6));
	return least[kind] + fit_random(most[kind] - least[kind] + 1);
}

/* More and fewer live ones in turn, and all gone now and then. */
static void fit_random_events(bool small, unsigned int events)
{
	static struct ref_block blocks[FIT_BLOCKS];
	unsigned int i, full = FIT_BLOCKS;

	lab.run = ref_run_taken;
	for (i = 0; i < events; i++) {
		struct ref_block *b = &blocks[fit_random(full)];

		if (i % 5000 == 0)
			full = 1 + fit_random(FIT_BLOCKS);
		if (b->obj)
			fit_free(b, ref_fits(b->size));
		else
			fit_alloc(b, fit_size(small));
		if (i % 1000 == 0)
			REQUIRE(!curpage_check());
	}
	for (i = 0; i < FIT_BLOCKS; i++)
		if (blocks[i].obj)
			fit_free(&blocks[i], ref_fits(blocks[i].size));
	EXPECT(ref_nr <= 1);
	cp_fit_drain();
	EXPECT(!ref_nr);
}

static void fit_reference(void)
{
	struct cp_fit_sum sum;

	fit_random_events(false, FIT_EVENTS);
	cp_fit_get_sum(&sum);
	EXPECT(sum.stat[CP_FIT_ALLOC] == sum.stat[CP_FIT_FREED]);
	EXPECT(sum.stat[CP_FIT_SPLIT] && sum.stat[CP_FIT_MERGE]);
	EXPECT(sum.stat[CP_FIT_RUN_TAKEN] == sum.stat[CP_FIT_RUN_GIVEN]);
	EXPECT(!sum.live && !sum.asked && !sum.used && !sum.pages);
}

static void fit_reference_all(void)
{
	cp_size_set_crossover(0);
	fit_random_events(true, FIT_EVENTS);
}

static void fit_reference_checked(void)
{
	unit_start(0);
	cp_cache_defaults.check = true;
	REQUIRE(!cp_size_init());
	lab.messages = 0;	/* of a class without room for red zones */
	fit_random_events(false, FIT_EVENTS / 5);
	cp_size_set_crossover(0);
	fit_random_events(true, FIT_EVENTS / 5);
	EXPECT(!lab.messages);
	cp_size_exit();
	unit_end();
}

/* Where DMA is not coherent no block shares a cache line with anything else. */
static void fit_dma(void)
{
	for (lab.dma_align = 32; lab.dma_align <= 128; lab.dma_align *= 2) {
		unit_start(0);
		REQUIRE(!cp_size_init());
		cp_size_set_crossover(PAGE_SIZE / 4);
		fit_random_events(true, FIT_EVENTS / 5);
		cp_size_set_crossover(0);
		fit_random_events(true, FIT_EVENTS / 5);
		EXPECT(!lab.messages);
		cp_size_exit();
		unit_end();
	}
}

/* What 5000 bytes cost, and how many items are visited for it. */
static void fit_cost(void)
{
	static void *blocks[2000];
	struct cp_fit_sum sum;
	unsigned int i;

	for (i = 0; i < 2000; i++)
		blocks[i] = curpage_alloc(5000, GFP_KERNEL);
	cp_fit_get_sum(&sum);
	EXPECT(sum.live == 2000 && sum.asked == 2000 * 5000);
	EXPECT(sum.pages * 10 < 2000 * 14);
	EXPECT(sum.used + sum.free + sum.runs * CP_FIT_UNIT ==
	       sum.pages << PAGE_SHIFT);
	for (i = 0; i < 2000; i += 2)
		curpage_free(blocks[i]);
	for (i = 0; i < 2000; i += 2)
		blocks[i] = curpage_alloc(5000, GFP_KERNEL);
	cp_fit_get_sum(&sum);
	EXPECT(sum.stat[CP_FIT_VISITED] / sum.stat[CP_FIT_ALLOC] < 60);
	EXPECT(sum.pages * 10 < 2000 * 14);
	for (i = 0; i < 2000; i++)
		curpage_free(blocks[i]);
	cp_fit_get_sum(&sum);
	EXPECT(sum.pages == 16 && sum.empty_pages == 16 && !sum.live);
}

/* What is live goes back to where it came from. */
static void fit_crossover(void)
{
	u8 *class, *fit, *pages, *accounted;

	class = curpage_alloc(1000, GFP_KERNEL);
	fit = curpage_alloc(1100, GFP_KERNEL);
	pages = curpage_alloc(SZ_64K + 1, GFP_KERNEL);
	accounted = curpage_alloc(5000, GFP_KERNEL | __GFP_ACCOUNT);
	EXPECT(curpage_ksize(class) == 1024 && curpage_ksize(fit) == 1112);
	EXPECT(curpage_ksize(pages) == 2 * SZ_64K);
	EXPECT(curpage_ksize(accounted) < 5000 + 16);
	curpage_free(accounted);
	cp_size_set_crossover(PAGE_SIZE);
	curpage_free(fit);
	fit = curpage_alloc(1100, GFP_KERNEL);
	EXPECT(curpage_ksize(fit) == 1360);
	cp_size_set_crossover(0);
	accounted = curpage_alloc(1100, GFP_KERNEL | __GFP_ACCOUNT);
	EXPECT(curpage_ksize(accounted) == 1112);
	curpage_free(accounted);
	curpage_free(fit);
	curpage_free(class);
	class = curpage_alloc(64, GFP_KERNEL);
	EXPECT(curpage_ksize(class) == 72 && !((unsigned long)class % 64));
	cp_size_set_crossover(512);
	curpage_free(class);
	fit = curpage_alloc(SZ_4K, GFP_KERNEL);
	EXPECT(curpage_ksize(fit) == PAGE_SIZE);
	curpage_free(fit);
	curpage_free(pages);
}

/* The bytes of a block, and of the header behind it. */
static void fit_damage(u8 *obj)
{
	memset(obj + curpage_ksize(obj), 0x5a, 8);
}

static void fit_misuse(void)
{
	unsigned long bad = cp_report_count(CP_BAD_DOUBLE);
	u8 *a = curpage_alloc(3000, GFP_KERNEL);
	u8 *b = curpage_alloc(5000, GFP_KERNEL);
	u8 *c = curpage_alloc(3000, GFP_KERNEL);

	curpage_free(a);
	curpage_free(a);
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == bad + 1);
	curpage_free(b);			/* merged with a, then with c */
	curpage_free(b);
	curpage_free(a + 16);
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == bad + 3);
	curpage_free(c + 16);
	curpage_free(c + 2999);
	curpage_free(c - 8);
	EXPECT(cp_report_count(CP_BAD_INSIDE) == 3 && lab.messages == 6);
	EXPECT(!curpage_ksize(c + 16) && curpage_ksize(c) >= 3000);
	curpage_cache_free(list_first_entry(&cp_caches, struct curpage_cache,
					    list), c);
	EXPECT(cp_report_count(CP_BAD_CACHE) == 1);
	curpage_free_pages(virt_to_page(c), 0);
	EXPECT(cp_report_count(CP_BAD_INSIDE) == 4 && lab.messages == 8);
	EXPECT(!curpage_check());
	curpage_free(c);
	EXPECT(lab.messages == 8);
	bad = cp_report_count(CP_BAD_DOUBLE);
	cp_fit_drain();
	cp_arena_trim(&cp_arena, 0);
	curpage_free(c);
	EXPECT(lab.messages == 9);
	/* As seen to be in a run, which then went. */
	cp_fit_free(cp_page_of(virt_to_page(c)), c, _RET_IP_);
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == bad + 1 && lab.messages == 10);
}

/* One report, and never again a block of that run; others are served. */
static void fit_header(void)
{
	static const char * const when[] = { "own", "next", "alloc", "inside" };
	struct cp_fit_sum sum;
	unsigned int way;

	for (way = 0; way < ARRAY_SIZE(when); way++) {
		unsigned int messages = lab.messages;
		u8 *a = curpage_alloc(3000, GFP_KERNEL);
		u8 *b = curpage_alloc(5000, GFP_KERNEL);
		u8 *c = curpage_alloc(4000, GFP_KERNEL), *d;

		if (way == 2) {			/* a free one, at allocation */
			curpage_free(b);
			memset(b - 8, 0x5a, 8);
		} else {
			fit_damage(a);
		}
		EXPECT(curpage_check() && lab.messages > messages);
		messages = lab.messages;
		if (way == 0)
			curpage_free(b);
		else if (way == 1)
			curpage_free(a);
		else if (way == 3)
			curpage_free(b + 100);
		d = curpage_alloc(4500, GFP_KERNEL);
		cp_fit_get_sum(&sum);
		EXPECT(lab.messages == messages + 1);
		EXPECT(cp_report_count(CP_BAD_REDZONE) == way + 1);
		EXPECT(sum.stat[CP_FIT_LOST] == way + 1);
		EXPECT(sum.lost_pages == 16 * (way + 1));
		EXPECT(sum.live == 1 && sum.asked == 4500);
		EXPECT(d && (d < a || d >= a + SZ_64K));
		curpage_free(b);
		curpage_free(c);
		curpage_free(d);
		EXPECT(lab.messages == messages + 1 && !curpage_check());
	}
	cp_size_exit();
	cp_pages_exit();
	EXPECT(cp_report_count(CP_BAD_LEAK) == 1);
	exit(unit_failures ? 1 : 0);	/* what is lost stays lost */
}

static void fit_checked(void)
{
	u8 *a, *b, *c;

	unit_start(0);
	cp_cache_defaults.check = true;
	REQUIRE(!cp_size_init());
	lab.messages = 0;	/* of a class without room for red zones */
	a = curpage_alloc(3000, GFP_KERNEL);
	b = curpage_alloc(5000, GFP_KERNEL);
	c = curpage_zalloc(5000, GFP_KERNEL);
	EXPECT(curpage_ksize(a) == 3000 && !memchr_inv(c, 0, 5000));
	EXPECT(!memchr_inv(b, CP_POISON_BYTE, 5000));
	a[3000] ^= 1;
	EXPECT(curpage_check() == 1 && lab.messages == 1);
	curpage_free(a);
	EXPECT(cp_report_count(CP_BAD_REDZONE) == 1 && !curpage_check());
	a[100] = 1;
	EXPECT(curpage_check() == 1 && lab.messages == 3);
	EXPECT(curpage_alloc(2500, GFP_KERNEL) == a);
	EXPECT(cp_report_count(CP_BAD_POISON) == 1 && lab.messages == 4);
	curpage_free(a);
	curpage_free(a);
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == 1);
	curpage_free(b);
	curpage_free(c);
	EXPECT(!curpage_check() && lab.messages == 5);
	cp_size_exit();
	unit_end();
}

/* Every allocation that it makes may fail, and so may runs of the wished order. */
static void fit_fail(void)
{
	static void *blocks[100];
	struct cp_fit_sum sum;
	unsigned int i, n;

	for (n = 0; n < 8; n++) {
		if (n % 2)
			lab.pages_left = n / 2;
		else
			lab.objects_left = n / 2;
		for (i = 0; i < 100; i++)
			blocks[i] = curpage_alloc(5000, GFP_KERNEL);
		EXPECT(!blocks[99] && !curpage_check());
		EXPECT(!blocks[0] == (n < 2));
		lab.pages_left = ULONG_MAX;
		lab.objects_left = ULONG_MAX;
		for (i = 0; i < 100; i++)
			curpage_free(blocks[i]);
		cp_fit_drain();
		cp_arena_trim(&cp_arena, 0);
	}
	cp_fit_get_sum(&sum);
	EXPECT(sum.stat[CP_FIT_FAILED] >= 100);
	for (n = 1; n < 4; n++) {
		lab.order_limit = n;
		blocks[0] = curpage_alloc(5000, GFP_KERNEL);
		cp_fit_get_sum(&sum);
		EXPECT(blocks[0] && sum.pages == 1 << n && !curpage_check());
		curpage_free(blocks[0]);
		cp_fit_drain();
	}
	EXPECT(!curpage_alloc(60000, GFP_KERNEL));
}

/* One empty run is kept, no more; it goes when it is asked for. */
static void fit_empty(void)
{
	void *a = curpage_alloc(60000, GFP_KERNEL);
	void *b = curpage_alloc(60000, GFP_KERNEL);
	struct cp_fit_sum sum;
	unsigned int i;

	curpage_free(a);
	cp_fit_get_sum(&sum);
	EXPECT(sum.runs == 2 && sum.empty_pages == 16);
	curpage_free(b);
	cp_fit_get_sum(&sum);
	EXPECT(sum.runs == 1 && sum.empty_pages == 16);
	for (i = 0; i < 100; i++) {
		a = curpage_alloc(60000, GFP_KERNEL);
		EXPECT(!cp_fit_empty_pages());
		curpage_free(a);
	}
	cp_fit_get_sum(&sum);
	EXPECT(sum.stat[CP_FIT_RUN_TAKEN] == 2);
	cp_fit_drain_idle();
	EXPECT(cp_fit_empty_pages() == 16);
	cp_fit_drain_idle();
	EXPECT(!cp_fit_empty_pages());
}

static void *late_fit;

static void fit_free_late(void)
{
	curpage_free(late_fit);
}

/* A block comes back while a run is asked for: that is not needed, but kept. */
static void fit_meanwhile(void)
{
	struct cp_fit_sum sum;
	void *a, *b;

	late_fit = curpage_alloc(30000, GFP_KERNEL);
	a = curpage_alloc(30000, GFP_KERNEL);
	lab.interrupt = fit_free_late;
	b = curpage_alloc(30000, GFP_KERNEL);
	cp_fit_get_sum(&sum);
	EXPECT(b == late_fit && sum.runs == 2 && sum.empty_pages == 16);
	EXPECT(!curpage_check());
	curpage_free(a);
	curpage_free(b);
}

static void fit_zero(void)
{
	u8 *obj = curpage_alloc(9000, GFP_KERNEL);

	memset(obj, 0xff, 9000);
	curpage_free(obj);
	obj = curpage_zalloc(5000, GFP_KERNEL);
	EXPECT(!memchr_inv(obj, 0, curpage_ksize(obj)));
	memset(obj, 0xff, 5000);
	lab.init_on_free = true;
	curpage_free(obj);
	EXPECT(!memchr_inv(obj, 0, 5000));
	obj = curpage_alloc(5000, GFP_KERNEL);
	EXPECT(!memchr_inv(obj, 0, 5000));
	curpage_free(obj);
}

/* The module goes, a block is live: reported, and left alone. */
static void fit_end(void)
{
	u8 *obj;

	unit_start(0);
	REQUIRE(!cp_size_init());
	obj = curpage_alloc(5000, GFP_KERNEL);
	memset(obj, 0x11, 5000);
	cp_size_exit();
	cp_pages_exit();
	EXPECT(cp_report_count(CP_BAD_LEAK) == 1 && lab.messages == 1);
	EXPECT(cp_arena.held == 16 && !lab.objects_lent);
	EXPECT(!memchr_inv(obj, 0x11, 5000));
	EXPECT(cp_page_kind(cp_page_of(virt_to_page(obj))) == CP_BLOCK);
	curpage_free(obj);
	EXPECT(cp_report_count(CP_BAD_INSIDE) == 1 && lab.messages == 2);
}

/* check() sees whatever is wrong outside of the blocks. */
static void fit_walk(void)
{
	struct cp_run *run;
	u8 *obj = curpage_alloc(9000, GFP_KERNEL);
	unsigned long messages;

	run = cp_page_of(virt_to_page(obj))->run;
#define FIT_BREAK(field, wrong) do {					\
	__typeof__(field) was = (field);				\
	messages = lab.messages;					\
	EXPECT(!curpage_check() && messages == lab.messages);		\
	(field) = (wrong);						\
	EXPECT(curpage_check() && messages != lab.messages);		\
	(field) = was;							\
} while (0)
	FIT_BREAK(run->first[0], 1);
	FIT_BREAK(run->first[1], 300);
	FIT_BREAK(run->first[2], CP_FIT_NONE);
	FIT_BREAK(run->largest_of[1], 5);
	FIT_BREAK(run->largest_of[16 + 1], 5);
	FIT_BREAK(run->largest_of[16 + 2], 5);
	FIT_BREAK(run->largest, 5);
	FIT_BREAK(run->live, 2);
	FIT_BREAK(run->asked, 2);
	FIT_BREAK(run->used, 2);
	FIT_BREAK(cp_fit.live, 2);
	FIT_BREAK(cp_fit.asked, 2);
	FIT_BREAK(cp_fit.used, 2);
	FIT_BREAK(cp_fit.pages, 2);
	FIT_BREAK(cp_fit.units, 2);
	FIT_BREAK(cp_fit.nr_runs, 2);
	FIT_BREAK(cp_fit.lost_pages, 2);
	FIT_BREAK(cp_fit.empty, run);
	FIT_BREAK(obj[-8], obj[-8] ^ 1);
	FIT_BREAK(obj[-1], obj[-1] ^ 0x80);
	FIT_BREAK((run->page + 3)->word,
		  cp_page_word_as(run->page + 3, CP_TAIL));
	FIT_BREAK((run->page + 3)->run, NULL);
#undef FIT_BREAK
	curpage_free(obj);
}

const struct unit_case unit_fit_cases[] = {
	{ "first fit beside a reference", fit_reference },
	{ "first fit of all sizes beside a reference", fit_reference_all },
	{ "first fit beside a reference, with checks", fit_reference_checked,
	  .bare = true },
	{ "blocks by size keep to cache lines where DMA is not coherent",
	  fit_dma, .bare = true },
	{ "first fit: what 5000 bytes cost", fit_cost },
	{ "first fit: the crossover moves", fit_crossover },
	{ "first fit: bad frees are told apart and reported once", fit_misuse },
	{ "first fit: a damaged header", fit_header },
	{ "first fit: red zones and poison", fit_checked, .bare = true },
	{ "first fit: the system refuses", fit_fail },
	{ "first fit: empty runs", fit_empty },
	{ "first fit: a block is freed while pages are asked for",
	  fit_meanwhile },
	{ "first fit: memory is zero where it must be", fit_zero },
	{ "first fit: the end with live blocks", fit_end, .bare = true },
	{ "first fit: check() finds what is broken", fit_walk },
	{ }
};
