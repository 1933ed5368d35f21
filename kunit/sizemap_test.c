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

static struct kunit_case cp_sizemap_cases[] = {
	KUNIT_CASE(class_is_never_smaller_than_size),
	KUNIT_CASE(classes_are_monotone),
	KUNIT_CASE(size_gets_the_smallest_class_that_fits),
	KUNIT_CASE(each_small_unit_is_a_class),
	KUNIT_CASE(neighbours_differ_by_one_block_a_page),
	KUNIT_CASE(class_is_the_largest_of_its_kind),
	KUNIT_CASE(every_power_of_two_is_a_class),
	KUNIT_CASE(classes_rise_from_8_to_the_page),
	KUNIT_CASE(power_of_two_is_aligned_to_itself),
	KUNIT_CASE(other_sizes_are_aligned_to_8_or_16),
	KUNIT_CASE(ksize_covers_the_request),
	KUNIT_CASE(size_0_and_null_are_no_memory),
	KUNIT_CASE(size_past_the_largest_block_is_refused),
	{}
};

CP_TEST_SUITE(sizemap);
