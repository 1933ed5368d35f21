// SPDX-License-Identifier: GPL-2.0
/* Size maps in use, and the tailored one against all others. */
#include "unit.h"

#define UNIT_SIZES	11	/* of which a map may have a class or not */
#define UNIT_LOADS	40

static void unit_use(const char *text)
{
	char why[CP_SIZEMAP_WHY];
	struct cp_sizemap map;

	REQUIRE(!cp_sizemap_make(&map, text, why));
	cp_sizemap_use(&map);
}

/* Every size gets the smallest class that is not smaller. */
static void unit_expect_smallest(void)
{
	unsigned int size, class;

	for (size = 1; size <= PAGE_SIZE; size++) {
		for (class = 0; cp_sizemap_size(class) < size; class++)
			;
		EXPECT(cp_sizemap(size) == class);
	}
	EXPECT(class + 1 == cp_sizemap_count());
}

/* Blocks of every size have room, and are aligned as promised. */
static void unit_expect_blocks(void)
{
	unsigned long align;
	size_t size;
	void *a, *b;

	EXPECT(!cp_size_init());
	for (size = 1; size <= PAGE_SIZE; size++) {
		align = is_power_of_2(size) ? size : size < 16 ? 8 : 16;
		a = curpage_alloc(size, GFP_KERNEL);
		b = curpage_alloc(size, GFP_KERNEL);
		EXPECT(a && b && curpage_ksize(b) >= size);
		EXPECT(IS_ALIGNED((unsigned long)a | (unsigned long)b, align));
		curpage_free(a);
		curpage_free(b);
	}
	EXPECT(!curpage_check());
	cp_size_exit();
}

static void unit_maps_in_use(void)
{
	static const char * const maps[] = {
		"powers", "geometric:1.05", "geometric:1.25",
		"geometric:2.718", "geometric:8",
		"16,32,64,128,256,512,1024,2048,4096",
		"8,16,32,48,64,128,144,256,512,1024,2048,3072,4096",
		"brent",
	};
	unsigned int i;

	unit_start(0);
	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		unit_use(maps[i]);
		unit_expect_smallest();
		unit_expect_blocks();
	}
	unit_end();
}

static void unit_bad_map_changes_nothing(void)
{
	unit_use("powers");
	EXPECT(cp_sizemap_init("16,32,40") == -EINVAL);
	EXPECT(lab.messages == 1);
	EXPECT(cp_sizemap_used()->kind == CP_MAP_POWERS_OF_2);
	EXPECT(cp_sizemap_count() == 10);
}

static u32 unit_draw(u64 *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

/* A load on sizes that rise by up to so many units at a time. */
static void unit_load(u64 *random, struct cp_tailor *load, unsigned int *sizes)
{
	unsigned int span = 1 + unit_draw(random) % 20, i, units = 0;

	memset(load, 0, sizeof(*load));
	for (i = 0; i < UNIT_SIZES; i++) {
		units += 1 + unit_draw(random) % span;
		units += cp_sizemap_must(units);
		units += cp_sizemap_must(units);
		sizes[i] = units;
		load->live[units] = unit_draw(random) % 1000 * CP_TAILOR_ONE;
	}
	for (units = 1; units <= CP_PAGE_UNITS; units *= 2)
		if (unit_draw(random) % 2)
			load->live[units] = unit_draw(random) % 100000;
}

/* Every set of classes is tried that has one at each size or has not. */
static u64 unit_least(const struct cp_tailor *load, const unsigned int *sizes,
		      unsigned int most)
{
	bool marked[CP_PAGE_UNITS + 1] = { };
	u64 least = U64_MAX;
	struct cp_sizemap map;
	unsigned int set, i;

	for (set = 0; set < 1U << UNIT_SIZES; set++) {
		for (i = 0; i < UNIT_SIZES; i++)
			marked[sizes[i]] = set >> i & 1;
		cp_sizemap_make_marked(&map, marked);
		if (map.count <= most)
			least = min(least, cp_tailor_pages(load, &map));
	}
	return least;
}

static void unit_no_map_is_better(void)
{
	unsigned int sizes[UNIT_SIZES], most, i;
	struct cp_sizemap map;
	struct cp_tailor load;
	u64 random = 1;

	for (i = 0; i < UNIT_LOADS; i++) {
		unit_load(&random, &load, sizes);
		for (most = cp_tailor_min();
		     most <= cp_tailor_min() + UNIT_SIZES; most += 3) {
			EXPECT(!cp_tailor(&load, most, &map));
			EXPECT(map.count <= most);
			EXPECT(cp_tailor_pages(&load, &map) ==
			       unit_least(&load, sizes, most));
		}
	}
}

const struct unit_case unit_sizemap_cases[] = {
	{ "every size map serves every size with its smallest class",
	  unit_maps_in_use, .bare = true },
	{ "a bad size map is refused and changes nothing",
	  unit_bad_map_changes_nothing, .bare = true },
	{ "no size map is better than the tailored one",
	  unit_no_map_is_better, .bare = true },
	{ }
};
