// SPDX-License-Identifier: GPL-2.0
/* Size maps in use: a kernel has one, from its start on. */
#include "unit.h"

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

const struct unit_case unit_sizemap_cases[] = {
	{ "every size map serves every size with its smallest class",
	  unit_maps_in_use, .bare = true },
	{ "a bad size map is refused and changes nothing",
	  unit_bad_map_changes_nothing, .bare = true },
	{ }
};
