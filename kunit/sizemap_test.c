// SPDX-License-Identifier: GPL-2.0
/* The size map against Brent's conditions (1984, section 5.1), derived anew. */
#include "common.h"

#define UNIT	16

static unsigned int class_size(unsigned int size)
{
	return cp_sizemap_size(cp_sizemap(size));
}

static unsigned int per_page(unsigned int size)
{
	return PAGE_SIZE / size;
}

/* Condition a). */
static void class_is_never_smaller_than_size(struct kunit *test)
{
	unsigned int size;

	for (size = 1; size <= PAGE_SIZE; size++)
		KUNIT_EXPECT_GE_MSG(test, class_size(size), size,
				    "size %u", size);
}

/* Condition b). */
static void classes_are_monotone(struct kunit *test)
{
	unsigned int size;

	for (size = 1; size < PAGE_SIZE; size++)
		KUNIT_EXPECT_GE_MSG(test, class_size(size + 1),
				    class_size(size), "size %u", size);
}

static void size_gets_the_smallest_class_that_fits(struct kunit *test)
{
	unsigned int size, class;

	for (size = 1; size <= PAGE_SIZE; size++) {
		for (class = 0; cp_sizemap_size(class) < size; class++)
			;
		KUNIT_EXPECT_EQ_MSG(test, class, cp_sizemap(size), "size %u",
				    size);
	}
}

/* Up to sqrt(p), in units, each size is a class. */
static void each_small_unit_is_a_class(struct kunit *test)
{
	unsigned int units;

	for (units = 1; units * units <= PAGE_SIZE / UNIT; units++)
		KUNIT_EXPECT_EQ_MSG(test, units * UNIT,
				    class_size(units * UNIT), "%u units",
				    units);
}

/* From there on neighbours differ in the blocks that fit on a page, by one. */
static void neighbours_differ_by_one_block_a_page(struct kunit *test)
{
	unsigned int class;

	for (class = 1; class + 1 < cp_sizemap_count(); class++) {
		unsigned int size = cp_sizemap_size(class);

		if ((size / UNIT) * (size / UNIT) < PAGE_SIZE / UNIT)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, per_page(size) - 1,
				    per_page(cp_sizemap_size(class + 1)),
				    "class %u of size %u", class, size);
	}
}

/* Above sqrt(p) a class is the largest size of which as many fit. */
static void class_is_the_largest_of_its_kind(struct kunit *test)
{
	unsigned int class;

	for (class = 1; class < cp_sizemap_count() - 1; class++) {
		unsigned int size = cp_sizemap_size(class);

		if ((size / UNIT) * (size / UNIT) <= PAGE_SIZE / UNIT)
			continue;
		KUNIT_EXPECT_LT_MSG(test, per_page(size + UNIT),
				    per_page(size), "class %u of size %u",
				    class, size);
	}
}

static void every_power_of_two_is_a_class(struct kunit *test)
{
	unsigned int size;

	for (size = 8; size <= PAGE_SIZE; size *= 2)
		KUNIT_EXPECT_EQ(test, size, class_size(size));
}

static void classes_rise_from_8_to_the_page(struct kunit *test)
{
	unsigned int class, count = cp_sizemap_count();

	KUNIT_EXPECT_EQ(test, 8, cp_sizemap_size(0));
	KUNIT_EXPECT_EQ(test, PAGE_SIZE, cp_sizemap_size(count - 1));
	KUNIT_EXPECT_LE(test, count, CP_MAX_CLASSES);
	for (class = 1; class < count; class++)
		KUNIT_EXPECT_LT(test, cp_sizemap_size(class - 1),
				cp_sizemap_size(class));
}

static void power_of_two_is_aligned_to_itself(struct kunit *test)
{
	size_t size;

	for (size = 1; size <= PAGE_SIZE << 2; size *= 2) {
		void *a = curpage_alloc(size, GFP_KERNEL);
		void *b = curpage_alloc(size, GFP_KERNEL);

		KUNIT_EXPECT_NOT_NULL(test, a);
		KUNIT_EXPECT_TRUE_MSG(test, IS_ALIGNED((unsigned long)a, size),
				      "size %zu", size);
		KUNIT_EXPECT_TRUE_MSG(test, IS_ALIGNED((unsigned long)b, size),
				      "size %zu, second block", size);
		curpage_free(a);
		curpage_free(b);
	}
}

/* Two of each, since the first block of a page is aligned anyway. */
static void other_sizes_are_aligned_to_8_or_16(struct kunit *test)
{
	size_t size;

	for (size = 1; size <= PAGE_SIZE + 1; size++) {
		unsigned long align = size < 16 ? 8 : 16;
		void *a = curpage_alloc(size, GFP_KERNEL);
		void *b = curpage_alloc(size, GFP_KERNEL);
		unsigned long bits = (unsigned long)a | (unsigned long)b;

		KUNIT_EXPECT_TRUE_MSG(test, a && b && IS_ALIGNED(bits, align),
				      "size %zu", size);
		curpage_free(b);
		curpage_free(a);
	}
}

static void ksize_covers_the_request(struct kunit *test)
{
	static const size_t sizes[] = {
		1, 8, 9, 16, 17, 100, 2048, 2049, 4096, 4097, 8193, 100000
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *obj = curpage_alloc(sizes[i], GFP_KERNEL);

		KUNIT_EXPECT_NOT_NULL(test, obj);
		KUNIT_EXPECT_GE(test, curpage_ksize(obj), sizes[i]);
		/* Fortified, memset() would go by what was asked for. */
		OPTIMIZER_HIDE_VAR(obj);
		memset(obj, 0xa5, curpage_ksize(obj));
		curpage_free(obj);
	}
}

static void size_0_and_null_are_no_memory(struct kunit *test)
{
	void *obj = curpage_alloc(0, GFP_KERNEL);

	KUNIT_EXPECT_PTR_EQ(test, obj, ZERO_SIZE_PTR);
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(obj));
	KUNIT_EXPECT_EQ(test, 0, curpage_ksize(NULL));
	curpage_free(obj);
	curpage_free(NULL);
}

static void size_past_the_largest_block_is_refused(struct kunit *test)
{
	size_t max = PAGE_SIZE << CURPAGE_MAX_ORDER;
	void *obj = curpage_alloc(max, GFP_KERNEL);

	KUNIT_EXPECT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, max, curpage_ksize(obj));
	curpage_free(obj);
	KUNIT_EXPECT_NULL(test, curpage_alloc(max + 1, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, curpage_alloc(SIZE_MAX, GFP_KERNEL));
}

/* Maps that are made here and not used: the one in use stays as it is. */
static void make(struct kunit *test, struct cp_sizemap *map, const char *text)
{
	char why[CP_SIZEMAP_WHY] = "";

	KUNIT_ASSERT_EQ_MSG(test, 0, cp_sizemap_make(map, text, why),
			    "%s: %s", text, why);
	KUNIT_EXPECT_STREQ(test, "", why);
}

static bool has_class(const struct cp_sizemap *map, unsigned int size)
{
	unsigned int class;

	for (class = 0; class < map->count; class++)
		if (map->size[class] == size)
			return true;
	return false;
}

static const char * const good_maps[] = {
	"brent", "powers", "geometric:1.05", "geometric:1.25", "geometric:2",
	"geometric:2.718", "geometric:8", "geometric:8.000",
	"16,32,64,128,256,512,1024,2048,4096",
	"8,16,32,48,64,128,144,256,512,1024,2048,3072,4096",
};

static void every_map_rises_to_the_page_over_powers_of_two(struct kunit *test)
{
	struct cp_sizemap map;
	unsigned int i, class, size;

	for (i = 0; i < ARRAY_SIZE(good_maps); i++) {
		make(test, &map, good_maps[i]);
		KUNIT_EXPECT_LE(test, map.count, CP_MAX_CLASSES);
		KUNIT_EXPECT_EQ(test, map.size[map.count - 1], PAGE_SIZE);
		for (class = 1; class < map.count; class++)
			KUNIT_EXPECT_LT_MSG(test, map.size[class - 1],
					    map.size[class], "%s",
					    good_maps[i]);
		for (size = UNIT; size <= PAGE_SIZE; size *= 2)
			KUNIT_EXPECT_TRUE_MSG(test, has_class(&map, size),
					      "%s: %u", good_maps[i], size);
	}
}

static void map_in_use_is_brents(struct kunit *test)
{
	const struct cp_sizemap *used = cp_sizemap_used();
	struct cp_sizemap map;

	make(test, &map, "brent");
	KUNIT_EXPECT_EQ(test, (unsigned int)CP_MAP_BRENT,
			(unsigned int)used->kind);
	KUNIT_ASSERT_EQ(test, map.count, used->count);
	KUNIT_EXPECT_MEMEQ(test, map.size, used->size,
			   map.count * sizeof(map.size[0]));
}

/* Section 6.1, in units: min(n, floor(rho * s)), but one more at least. */
static void geometric_classes_are_the_papers(struct kunit *test)
{
	static const unsigned int rhos[] = { 1100, 1250, 1999, 2718, 8000 };
	struct cp_sizemap map;
	unsigned int i, units, classes;
	char text[32];

	for (i = 0; i < ARRAY_SIZE(rhos); i++) {
		snprintf(text, sizeof(text), "geometric:%u.%03u",
			 rhos[i] / 1000, rhos[i] % 1000);
		make(test, &map, text);
		KUNIT_EXPECT_EQ(test, rhos[i], map.rho);
		classes = map.size[0] == UNIT / 2;
		for (units = 1; units <= PAGE_SIZE / UNIT; units++)
			classes += is_power_of_2(units);
		for (units = 1; units < PAGE_SIZE / UNIT;
		     units = max(units + 1, units * rhos[i] / 1000)) {
			KUNIT_EXPECT_TRUE_MSG(test,
					      has_class(&map, units * UNIT),
					      "%s: %u units", text, units);
			classes += !is_power_of_2(units);
		}
		KUNIT_EXPECT_EQ_MSG(test, classes, map.count, "%s", text);
	}
}

/* What is printed of a map makes the same map again. */
static void map_can_be_read_back(struct kunit *test)
{
	struct cp_sizemap *map = kunit_kzalloc(test, 2 * sizeof(*map),
					       GFP_KERNEL);
	char *text = kunit_kzalloc(test, CP_SIZEMAP_TEXT, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < ARRAY_SIZE(good_maps); i++) {
		make(test, &map[0], good_maps[i]);
		cp_sizemap_list(&map[0], text, CP_SIZEMAP_TEXT);
		make(test, &map[1], text);
		KUNIT_EXPECT_EQ(test, map[0].count, map[1].count);
		KUNIT_EXPECT_MEMEQ(test, map[0].size, map[1].size,
				   map[0].count * sizeof(map[0].size[0]));
		if (map[0].kind == CP_MAP_LIST)
			KUNIT_EXPECT_STREQ(test, text, good_maps[i]);
		cp_sizemap_name(&map[0], text, CP_SIZEMAP_TEXT);
		if (map[0].kind == CP_MAP_LIST)
			KUNIT_EXPECT_STREQ(test, text, "list");
		else
			make(test, &map[1], text);
		KUNIT_EXPECT_EQ(test, map[0].rho, map[1].rho);
	}
}

struct bad_map {
	const char *text;
	const char *why;
};

#define BAD_KIND	": must be brent, geometric:RHO, powers or a list of sizes"
#define BAD_RHO		": must be geometric:RHO with RHO from 1.001 to 8, at most 3 decimals"
#define BAD_GAP		", no power of two from 16 on may be left out"

static const struct bad_map bad_maps[] = {
	{ "", BAD_KIND },
	{ "Brent", "Brent" BAD_KIND },
	{ "power", "power" BAD_KIND },
	{ "-16,32", "-16,32" BAD_KIND },
	{ "geometric", "geometric" BAD_KIND },
	{ "geometric:", "geometric:" BAD_RHO },
	{ "geometric:1", "geometric:1" BAD_RHO },
	{ "geometric:1.000", "geometric:1.000" BAD_RHO },
	{ "geometric:1.", "geometric:1." BAD_RHO },
	{ "geometric:.5", "geometric:.5" BAD_RHO },
	{ "geometric:0.999", "geometric:0.999" BAD_RHO },
	{ "geometric:8.001", "geometric:8.001" BAD_RHO },
	{ "geometric:12", "geometric:12" BAD_RHO },
	{ "geometric:1.2345", "geometric:1.2345" BAD_RHO },
	{ "geometric:2x", "geometric:2x" BAD_RHO },
	{ "geometric:-2", "geometric:-2" BAD_RHO },
	{ "geometric:1.001",
	  "geometric:1.001: makes 257 classes, must make at most 128" },
	{ "0,16", "entry 1, 0: must be at least 8" },
	{ "4,16", "entry 1, 4: must be at least 8" },
	{ "8,16,24", "entry 3, 24: must be 8 or a multiple of 16" },
	{ "12", "entry 1, 12: must be 8 or a multiple of 16" },
	{ "16,32,40", "entry 3, 40: must be 8 or a multiple of 16" },
	{ "16,32,32", "entry 3, 32: must be more than 32, the one before" },
	{ "16,32,48,32", "entry 4, 32: must be more than 48, the one before" },
	{ "16,8", "entry 2, 8: must be more than 16, the one before" },
	{ "16,32,4112", "entry 3, 4112: must be at most 4096, the page size" },
	{ "16,99999999999999999999",
	  "entry 2, 99999999999999999999: must be at most 4096, the page size" },
	{ "32", "entry 1, 32: must be at most 16" BAD_GAP },
	{ "16,32,48,80", "entry 4, 80: must be at most 64" BAD_GAP },
	{ "16,32,64,128,256,512,1024,4096",
	  "entry 8, 4096: must be at most 2048" BAD_GAP },
	{ "16,32,64", "entry 3, 64: the last one must be 4096, the page size" },
	{ "16,", "entry 2, '': must be a number" },
	{ "16,,32", "entry 2, '': must be a number" },
	{ "16, 32", "entry 2, ' 32': must be a number" },
	{ "16,0x20", "entry 2, '0x20': must be a number" },
	{ "16,32b,48", "entry 2, '32b': must be a number" },
	{ "16,-32", "entry 2, '-32': must be a number" },
	{ "16,many0123456789012345678",
	  "entry 2, 'many0123456789012345': must be a number" },
};

static void bad_map_is_refused_by_name(struct kunit *test)
{
	char why[CP_SIZEMAP_WHY];
	struct cp_sizemap map;
	unsigned int i;

	if (PAGE_SIZE != SZ_4K)
		kunit_skip(test, "the messages are those of pages of 4096 bytes");
	for (i = 0; i < ARRAY_SIZE(bad_maps); i++) {
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    cp_sizemap_make(&map, bad_maps[i].text,
						    why), "%s",
				    bad_maps[i].text);
		KUNIT_EXPECT_STREQ(test, bad_maps[i].why, why);
	}
}

/* One entry more than there is room for, all of them good. */
static void list_that_is_too_long_is_refused(struct kunit *test)
{
	char *text = kunit_kzalloc(test, CP_SIZEMAP_TEXT, GFP_KERNEL);
	char why[CP_SIZEMAP_WHY];
	struct cp_sizemap map;
	unsigned int i;
	size_t len = 0;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 1; i <= CP_MAX_CLASSES + 1; i++)
		len += scnprintf(text + len, CP_SIZEMAP_TEXT - len, "%s%u",
				 i > 1 ? "," : "", i * UNIT);
	KUNIT_EXPECT_EQ(test, -EINVAL, cp_sizemap_make(&map, text, why));
	KUNIT_EXPECT_STREQ(test, why,
			   "entry 129, 2064: must not be there, at most 128 are allowed");
}

static struct kunit_case cp_sizemap_cases[] = {
	KUNIT_CASE(class_is_never_smaller_than_size),
	KUNIT_CASE(classes_are_monotone),
	KUNIT_CASE(size_gets_the_smallest_class_that_fits),
	KUNIT_CASE(each_small_unit_is_a_class),
	KUNIT_CASE(neighbours_differ_by_one_block_a_page),
	KUNIT_CASE(class_is_the_largest_of_its_kind),
	KUNIT_CASE(every_power_of_two_is_a_class),
	KUNIT_CASE(classes_rise_from_8_to_the_page),
	KUNIT_CASE(every_map_rises_to_the_page_over_powers_of_two),
	KUNIT_CASE(map_in_use_is_brents),
	KUNIT_CASE(geometric_classes_are_the_papers),
	KUNIT_CASE(map_can_be_read_back),
	KUNIT_CASE(bad_map_is_refused_by_name),
	KUNIT_CASE(list_that_is_too_long_is_refused),
	KUNIT_CASE(power_of_two_is_aligned_to_itself),
	KUNIT_CASE(other_sizes_are_aligned_to_8_or_16),
	KUNIT_CASE(ksize_covers_the_request),
	KUNIT_CASE(size_0_and_null_are_no_memory),
	KUNIT_CASE(size_past_the_largest_block_is_refused),
	{}
};

CP_TEST_SUITE(sizemap);
