// SPDX-License-Identifier: GPL-2.0
/*
 * The worst case (Brent 1984, section 6): an adversary that may have M bytes at a
 * time and wants as many pages as can be had for them.
 *
 * Strategies with a current page take a fresh one only when every page of the
 * class is full, so a class that serves requests of more than s to s' bytes has
 * ceil(floor(M / (s + 1)) / floor(p / s')) pages at most, whatever is asked for.
 * The sum over all classes is the bound that lemma 6.2 is an estimate of, and the
 * theorem one of that: e ln 2 M log2 n, and terms of lower order.
 *
 * The adversary goes through the classes, again and again.  Of each it asks for
 * the smallest size, which loses most by rounding up, as often as it may, and then
 * frees all but one block of each page, so that the page stays with its class.
 * Between the passes it asks and frees at random.
 */
#include <math.h>

#include "lab.h"
#include "mm_options.h"

#define BOUND_RHO	2718	/* thousandths: e */
#define BOUND_NOISE	20000	/* random requests after a pass */

struct bound_settings {
	const struct cp_strategy *strategy;
	u64 bytes, largest, rounds, seed, keep;
	bool json;
};

struct bound_block {
	void *block;
	unsigned int size;
};

struct bound {
	const struct bound_settings *set;
	struct bound_block *live;
	unsigned long nr, room;
	u64 bytes;			/* asked for by those */
	u64 random;
	unsigned long peak;		/* pages */
	unsigned long requests;
	u32 *seen;			/* by page: in which sweep */
	u32 sweep;
};

static struct bound_settings bound_settings = {
	.strategy = &cp_strategy_mru,
	.bytes = 1 << 20,
	.largest = PAGE_SIZE,
	.rounds = 3,
	.seed = 1,
};

/* The map of section 6.1, for blocks up to n; and the page, which is not used. */
static void bound_map(unsigned int largest)
{
	bool classes[CP_PAGE_UNITS + 1] = { };
	struct cp_sizemap map;
	unsigned int n = largest / CP_UNIT, units = 1;

	for (;;) {
		classes[units] = true;
		if (units == n)
			break;
		units = min(n, max(units + 1, units * BOUND_RHO / 1000));
	}
	classes[CP_PAGE_UNITS] = true;
	cp_sizemap_make_marked(&map, classes);
	cp_sizemap_use(&map);
}

/* The smallest request that this class serves. */
static unsigned int bound_least(unsigned int class)
{
	return class ? cp_sizemap_size(class - 1) + CP_UNIT :
		       min_t(unsigned int, CP_UNIT, cp_sizemap_size(0));
}

/* The classes of blocks that may be asked for. */
static unsigned int bound_classes(unsigned int largest)
{
	unsigned int class = 0;

	while (class < cp_sizemap_count() && bound_least(class) <= largest)
		class++;
	return class;
}

static unsigned long bound_pages(const struct bound_settings *set)
{
	unsigned long pages = 0;
	unsigned int class;

	for (class = 0; class < bound_classes(set->largest); class++)
		pages += DIV_ROUND_UP(set->bytes / bound_least(class),
				      PAGE_SIZE / cp_sizemap_size(class));
	return pages;
}

static void bound_oom(void)
{
	fputs("lab: bound: out of memory\n", stderr);
	exit(LAB_FAILED);
}

/* False when that would be more than M. */
static bool bound_ask(struct bound *b, unsigned int size)
{
	void *block;

	if (b->bytes + size > b->set->bytes)
		return false;
	if (b->nr == b->room) {
		b->room = b->room ? 2 * b->room : 1024;
		b->live = realloc(b->live, b->room * sizeof(*b->live));
	}
	block = curpage_alloc(size, GFP_KERNEL);
	if (!block || !b->live)
		bound_oom();
	b->live[b->nr++] = (struct bound_block){ block, size };
	b->bytes += size;
	b->requests++;
	b->peak = max(b->peak, cp_arena.cache_pages);
	return true;
}

static void bound_free(struct bound *b, unsigned long nr)
{
	b->bytes -= b->live[nr].size;
	curpage_free(b->live[nr].block);
	b->live[nr] = b->live[--b->nr];
}

/* All but one block of each page. */
static void bound_thin(struct bound *b)
{
	unsigned long nr = 0, pfn;

	b->sweep++;
	while (nr < b->nr) {
		pfn = page_to_pfn(virt_to_page(b->live[nr].block));
		if (b->seen[pfn] == b->sweep) {
			bound_free(b, nr);
		} else {
			b->seen[pfn] = b->sweep;
			nr++;
		}
	}
}

static u64 bound_draw(struct bound *b, u64 below)
{
	b->random = b->random * 6364136223846793005 + 1442695040888963407;
	return (b->random >> 20) % below;
}

static void bound_noise(struct bound *b)
{
	unsigned int units = b->set->largest / CP_UNIT, i;

	for (i = 0; i < BOUND_NOISE; i++) {
		/* Small ones as often as large ones. */
		unsigned int top = 1U << bound_draw(b, ilog2(units) + 1);
		unsigned int size = (1 + bound_draw(b, top)) * CP_UNIT;

		while (!bound_ask(b, size))
			bound_free(b, bound_draw(b, b->nr));
	}
}

static void bound_attack(struct bound *b)
{
	unsigned int classes = bound_classes(b->set->largest);
	unsigned int class, round;

	for (round = 0; round < b->set->rounds; round++) {
		for (class = 0; class < classes; class++) {
			while (bound_ask(b, bound_least(class)))
				;
			bound_thin(b);
		}
		bound_noise(b);
		while (b->nr)
			bound_free(b, b->nr - 1);
	}
}

static void bound_print(const struct bound *b, unsigned long bound)
{
	const struct bound_settings *set = b->set;
	double units = set->largest / CP_UNIT;
	double theorem = M_E * M_LN2 * set->bytes * log2(units) / PAGE_SIZE;

	printf(set->json ?
	       "{\"strategy\": \"%s\", \"page_size\": %lu, \"bytes\": %lu, \"largest\": %lu, \"requests\": %lu,\n"
	       " \"pages\": %lu, \"bound\": %lu, \"theorem\": %.1f, \"within\": %s}\n" :
	       "strategy %s, pages of %lu bytes, %lu bytes live at most, blocks up to %lu\n"
	       "requests %lu\npages %lu\nbound %lu\ntheorem %.1f\nwithin %s\n",
	       set->strategy->name, PAGE_SIZE, set->bytes, set->largest,
	       b->requests, b->peak, bound, theorem,
	       b->peak <= bound ? "true" : "false");
}

static int bound_run(const char *operand)
{
	static struct bound b;
	const struct bound_settings *set = &bound_settings;
	int status = 0;

	b.set = set;
	b.random = set->seed;
	bound_map(set->largest);
	cp_size_set_crossover(PAGE_SIZE);
	cp_page_init_map();
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
	});
	cp_stock_init(0);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = set->strategy, .freetol = 1, .keep = set->keep,
	};
	b.seen = calloc(lab_pages(), sizeof(*b.seen));
	if (!b.seen || cp_size_init())
		bound_oom();
	bound_attack(&b);
	if (curpage_check())
		status = LAB_FAILED;
	bound_print(&b, bound_pages(set));
	cp_size_exit();
	cp_pages_exit();
	free(b.seen);
	free(b.live);
	return status;
}

static const struct lab_option bound_options[] = {
	LAB_STRATEGY(bound_settings.strategy, "picks the next current page"),
	LAB_UINT("bytes", "M", bound_settings.bytes, PAGE_SIZE, 1 << 26,
		 "live at most", .unit = "bytes"),
	LAB_UINT("largest", "N", bound_settings.largest, 2 * CP_UNIT, PAGE_SIZE,
		 "bytes of the largest block", .multiple = CP_UNIT),
	LAB_KEEP(bound_settings.keep),
	LAB_UINT("rounds", "N", bound_settings.rounds, 1, 100,
		 "passes through the classes"),
	LAB_UINT("seed", "N", bound_settings.seed, 0, U64_MAX,
		 "seed of the requests between the passes"),
	LAB_FLAG("json", bound_settings.json, "print JSON"),
	{ }
};

static const struct lab_command lab_bound = {
	.name = "bound",
	.about =
"\n"
"An adversary that wants as many pages as it can get for M bytes live at a time,\n"
"the bound that no strategy with a current page passes, and the leading term of\n"
"Brent's theorem 6.1, in pages.\n",
	.options = bound_options,
	.run = bound_run,
};
LAB_COMMAND(lab_bound);
