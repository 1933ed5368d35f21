// SPDX-License-Identifier: GPL-2.0
/* What users may not do, and what they may rely on. */
#include "unit.h"

/* One report of this kind, one message, nothing else changed. */
#define OFFENCE(kind, act) do {						\
	unsigned long count_ = cp_report_count(kind);			\
	unsigned long messages_ = lab.messages, live_ = unit_live();	\
	act;								\
	EXPECT(cp_report_count(kind) == count_ + 1);			\
	EXPECT(lab.messages == messages_ + 1);				\
	EXPECT(unit_live() == live_);					\
	EXPECT(!curpage_check());					\
} while (0)

static void misuse_free(void)
{
	struct curpage_cache *cache = curpage_cache_create("one", 64, NULL);
	struct curpage_cache *other = curpage_cache_create("two", 64, NULL);
	void *a, *b, *pages;
	long foreign;

	REQUIRE(cache && other);
	a = curpage_cache_alloc(cache, GFP_KERNEL);
	b = curpage_cache_alloc(cache, GFP_KERNEL);
	pages = curpage_alloc(4 * PAGE_SIZE, GFP_KERNEL);
	REQUIRE(a && b && pages);

	OFFENCE(CP_BAD_FOREIGN, curpage_free(&foreign));
	OFFENCE(CP_BAD_FOREIGN, curpage_cache_free(cache, &foreign));
	OFFENCE(CP_BAD_FOREIGN,
		curpage_free_pages(lab.map + lab_pages() - 1, 0));
	OFFENCE(CP_BAD_INSIDE, curpage_free(a + 8));
	OFFENCE(CP_BAD_INSIDE, curpage_cache_free(cache, a + 1));
	OFFENCE(CP_BAD_INSIDE, curpage_free(pages + 8));
	OFFENCE(CP_BAD_INSIDE, curpage_free(pages + PAGE_SIZE));
	OFFENCE(CP_BAD_CACHE, curpage_cache_free(other, a));
	OFFENCE(CP_BAD_CACHE, curpage_cache_free(cache, pages));
	OFFENCE(CP_BAD_ORDER, curpage_free_pages(virt_to_page(pages), 1));

	curpage_cache_free(cache, a);
	OFFENCE(CP_BAD_DOUBLE, curpage_cache_free(cache, a));
	curpage_free(pages);
	OFFENCE(CP_BAD_DOUBLE, curpage_free(pages));
	OFFENCE(CP_BAD_LEAK, EXPECT(curpage_cache_destroy(cache) == -EBUSY));
	curpage_cache_free(cache, b);
	EXPECT(!curpage_cache_destroy(cache));
	EXPECT(!curpage_cache_destroy(other));
}

static void misuse_free_checked(void)
{
	struct curpage_cache_args args = { .flags = CURPAGE_CHECK };
	struct curpage_cache *cache;
	char *block[3];

	cache = curpage_cache_create("checked", 100, &args);
	REQUIRE(cache);
	REQUIRE(curpage_cache_alloc_bulk(cache, GFP_KERNEL, 3,
					 (void **)block) == 3);
	curpage_cache_free(cache, block[0]);
	curpage_cache_free(cache, block[1]);
	OFFENCE(CP_BAD_DOUBLE, curpage_cache_free(cache, block[0]));

	/* The last one freed comes first. */
	block[1][99] ^= 1;
	OFFENCE(CP_BAD_POISON, {
		EXPECT(curpage_cache_alloc(cache, GFP_KERNEL) == block[1]);
		live_++;
	});
	block[2][100] ^= 1;
	OFFENCE(CP_BAD_REDZONE, {
		curpage_cache_free(cache, block[2]);
		live_--;
	});
	curpage_cache_free(cache, block[1]);
	EXPECT(!curpage_cache_destroy(cache));
}

/* A word is written over: its page loses its free blocks, nothing else. */
static void misuse_link(void)
{
	struct curpage_cache *cache = curpage_cache_create("link", 64, NULL);
	void *a, *b, *c;

	REQUIRE(cache);
	a = curpage_cache_alloc(cache, GFP_KERNEL);
	b = curpage_cache_alloc(cache, GFP_KERNEL);
	curpage_cache_free(cache, a);
	*(u8 *)(a + 1) ^= 0x80;
	OFFENCE(CP_BAD_POISON, {
		c = curpage_cache_alloc(cache, GFP_KERNEL);
		live_++;
	});
	EXPECT(per_cpu_ptr(cache->heaps, 0)->stat[CP_LOST] == 63);
	EXPECT(c && virt_to_page(c) != virt_to_page(a));
	EXPECT(!curpage_check());
	curpage_cache_free(cache, b);
	curpage_cache_free(cache, c);
	EXPECT(!curpage_check());
	EXPECT(!curpage_cache_destroy(cache));
	unit_lost_pages = 1;
}

/* As in an interrupt that lands while the heap of its CPU is taken. */
static void free_in_interrupt(struct curpage_cache *cache, void *obj)
{
	struct cp_heap *h = raw_cpu_ptr(cache->heaps);

	h->claim.taken = 1;
	curpage_cache_free(cache, obj);
	h->claim.taken = 0;
}

/*
 * A block is freed elsewhere and then by the owner, as the last one of its page,
 * which is in an inbox and must not leave; keep: empty pages that may stay.
 */
static void misuse_leave_keep(unsigned int keep)
{
	unsigned long doubles = cp_report_count(CP_BAD_DOUBLE);
	struct curpage_cache *cache, *other;
	void *block[8], *b;
	unsigned int i;

	cache = curpage_cache_create("leave", 1024, NULL);
	other = curpage_cache_create("other", 512, NULL);
	REQUIRE(cache && other);
	cache->keep = keep;
	REQUIRE(curpage_cache_alloc_bulk(cache, GFP_KERNEL, 8, block) == 8);
	free_in_interrupt(cache, block[1]);
	for (i = 0; i < 4; i++)
		curpage_cache_free(cache, block[i]);
	b = curpage_cache_alloc(other, GFP_KERNEL);
	REQUIRE(b);
	memset(b, 0xff, 512);
	curpage_cache_shrink(cache);
	EXPECT(!memchr_inv(b, 0xff, 512));
	EXPECT(cp_report_count(CP_BAD_DOUBLE) == doubles + 1);
	EXPECT(cp_cache_live(cache) == 4 && !curpage_check());
	curpage_cache_free_bulk(cache, 4, block + 4);
	curpage_cache_free(other, b);
	EXPECT(!curpage_cache_destroy(cache) && !curpage_cache_destroy(other));
	cp_arena_trim(&cp_arena, 0);
	EXPECT(!cp_arena.held && !curpage_check());
}

static void misuse_leave(void)
{
	misuse_leave_keep(0);
	misuse_leave_keep(8);
}

static unsigned int ctor_calls;

static void ctor(void *block)
{
	memset(block, 0x33, 48);
	ctor_calls++;
}

static void misuse_create(void)
{
	static const struct {
		const char *name;
		unsigned int size;
		struct curpage_cache_args args;
	} bad[] = {
		{ NULL, 8, { } },
		{ "", 8, { } },
		{ ".x", 8, { } },
		{ "a/b", 8, { } },
		{ "a b", 8, { } },
		{ "a-name-of-thirty-two-characters-", 8, { } },
		{ "size-64", 8, { } },
		{ "x", 0, { } },
		{ "x", 4097, { } },
		{ "x", 8, { .align = 24 } },
		{ "x", 8, { .align = 8192 } },
		{ "x", 8, { .freetol = 4097 } },
		{ "x", 8, { .flags = 1 << 9 } },
		{ "x", 8, { .strategy = "best" } },
		{ "x", 4096, { .ctor = ctor } },	/* no room for a link */
	};
	unsigned long lent = lab.objects_lent;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		unsigned long messages = lab.messages;

		EXPECT(!curpage_cache_create(bad[i].name, bad[i].size,
					     &bad[i].args));
		EXPECT(lab.messages == messages + 1);
		EXPECT(lab.objects_lent == lent);
	}
	EXPECT(!curpage_alloc(64, __GFP_DMA));
	EXPECT(!curpage_alloc_pages(GFP_KERNEL, CURPAGE_MAX_ORDER + 1));
	EXPECT(curpage_alloc(0, GFP_KERNEL) == ZERO_SIZE_PTR);
	curpage_free(ZERO_SIZE_PTR);
	curpage_free(NULL);
	EXPECT(!curpage_check());
}

static bool all_zero(const void *block, size_t size)
{
	return !memchr_inv(block, 0, size);
}

/* A block that was written to, freed, and comes again. */
static void zero_one(size_t size, gfp_t gfp)
{
	void *block = curpage_alloc(size, GFP_KERNEL);

	REQUIRE(block && curpage_ksize(block) >= size);
	memset(block, 0xff, size);
	curpage_free(block);
	block = curpage_alloc(size, gfp);
	EXPECT(all_zero(block, size));
	curpage_free(block);
}

/* Recycled memory is zero where that was asked for. */
static void use_zero(void)
{
	size_t size;

	for (size = 1; size <= 3 * PAGE_SIZE; size += 61)
		zero_one(size, GFP_KERNEL | __GFP_ZERO);
}

/* A kernel is started with that, so caches are made with it. */
static void use_init_on_free(void)
{
	size_t size;

	lab.init_on_free = true;
	unit_start(0);
	REQUIRE(!cp_size_init());
	for (size = 1; size <= 3 * PAGE_SIZE; size += 61)
		zero_one(size, GFP_KERNEL);
	EXPECT(!unit_live() && !curpage_check());
	cp_size_exit();
	unit_end();
}

/* A power of two is aligned to itself, all else to 8 or 16. */
static void use_alignment(void)
{
	size_t size, align;
	void *block;

	for (size = 1; size <= 2 * PAGE_SIZE; size++) {
		block = curpage_alloc(size, GFP_KERNEL);
		align = is_power_of_2(size) && size >= 8 ? size :
			size < 16 ? 8 : 16;
		REQUIRE(block);
		EXPECT(IS_ALIGNED((unsigned long)block, align));
		EXPECT(curpage_ksize(block) >= size);
		curpage_free(block);
	}
}

/* Constructed once, and so again after it was freed in that state. */
static void use_ctor(void)
{
	struct curpage_cache_args args = { .ctor = ctor };
	struct curpage_cache *cache;
	unsigned int i;
	void *block;

	cache = curpage_cache_create("ctor", 48, &args);
	REQUIRE(cache);
	for (i = 0; i < 3; i++) {
		block = curpage_cache_alloc(cache, GFP_KERNEL);
		EXPECT(!memchr_inv(block, 0x33, 48));
		curpage_cache_free(cache, block);
	}
	EXPECT(ctor_calls == PAGE_SIZE / 64);
	EXPECT(!curpage_cache_destroy(cache));
}

/* Pages are sorted anew, and none is lost. */
static void use_retune(void)
{
	static const unsigned int freetols[] = { 1000, 1, 4096, 300, 1 };
	struct curpage_cache *cache;
	void *block[640];
	unsigned int i;

	cache = curpage_cache_create("tuned", 256, NULL);
	REQUIRE(cache);
	EXPECT(curpage_cache_alloc_bulk(cache, GFP_KERNEL, 640, block) == 640);
	for (i = 0; i < 640; i++) {
		if (i % 16 < i / 40) {
			curpage_cache_free(cache, block[i]);
			block[i] = NULL;
		}
	}
	for (i = 0; i < ARRAY_SIZE(freetols); i++) {
		cp_cache_retune(cache, &cp_strategy_mru, freetols[i]);
		EXPECT(!curpage_check());
	}
	curpage_cache_free_bulk(cache, 640, block);
	EXPECT(curpage_cache_shrink(cache) > 0);
	EXPECT(!cp_arena.held);
	EXPECT(!curpage_cache_destroy(cache));
}

const struct unit_case unit_misuse_cases[] = {
	{ "bad frees are told apart and reported once", misuse_free },
	{ "bad frees, red zones and poison with checks", misuse_free_checked },
	{ "a link that was written over", misuse_link },
	{ "a page with blocks freed elsewhere stays", misuse_leave },
	{ "bad arguments leave nothing", misuse_create },
	{ "memory is zero where it must be", use_zero },
	{ "memory is zero with init_on_free", use_init_on_free, .bare = true },
	{ "alignment", use_alignment },
	{ "constructors", use_ctor },
	{ "another tolerance", use_retune },
	{ }
};
