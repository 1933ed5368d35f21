/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lab's twin of <kunit/test.h>: what the suites use of KUnit.
 *
 * An expectation that does not hold is printed, and the test goes on.  After an
 * assertion that does not hold the test ends; the suite's exit function is called
 * as in the kernel.
 */
#ifndef LAB_KUNIT_TEST_H
#define LAB_KUNIT_TEST_H

#define KUNIT_PARAM_DESC_SIZE	128

struct kunit {
	void *priv;
	const void *param_value;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen)					\
	{ .run_case = fn, .name = #fn, .generate_params = gen }

/* The linker makes one array of these, in the order of the objects. */
#define kunit_test_suite(suite)						\
	static struct kunit_suite * const lab_##suite			\
	__attribute__((__section__("lab_suites"), __used__)) = &(suite)

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		__typeof__((array)[0]) *next =				\
			prev ? (__typeof__(next))prev + 1 : (array);	\
									\
		if (next == (array) + ARRAY_SIZE(array))		\
			return NULL;					\
		get_desc(next, desc);					\
		return next;						\
	}

#define KUNIT_ARRAY_PARAM_DESC(name, array, member)			\
	static void name##_get_desc(__typeof__((array)[0]) *param, char *desc) \
	{								\
		strscpy(desc, param->member, KUNIT_PARAM_DESC_SIZE);	\
	}								\
	KUNIT_ARRAY_PARAM(name, array, name##_get_desc)

/* Memory of a test, which ends with the test. */
void *lab_kunit_zalloc(size_t size);
#define kunit_kzalloc(test, size, gfp)	lab_kunit_zalloc(size)
#define kunit_kcalloc(test, n, size, gfp) lab_kunit_zalloc((n) * (size))

#define kunit_info(test, fmt, args...)	printf("# " fmt "\n", ##args)
__printf(1, 2) void lab_kunit_skip(const char *fmt, ...);
#define kunit_skip(test, fmt, args...)	lab_kunit_skip(fmt, ##args)

/* Is false if the check ends the test. */
#define LAB_EXPECT	true
#define LAB_ASSERT	false

__printf(5, 6) void lab_kunit_fail(bool go_on, const char *what, long left,
				   long right, const char *fmt, ...);

#define LAB_AT		__FILE__ ":" LAB_TEXT(__LINE__) ": "
#define LAB_TEXT(x)	LAB_TEXT_OF(x)
#define LAB_TEXT_OF(x)	#x

#define LAB_CHECK(go_on, type, l, op, r, what, fmt...) do {		\
	type left_ = (l);						\
	type right_ = (r);						\
	if (!(left_ op right_))						\
		lab_kunit_fail(go_on, LAB_AT what, (long)left_,		\
			       (long)right_, " " fmt);			\
} while (0)

#define LAB_ADDR	const void *
#define LAB_ANY		__auto_type

#define KUNIT_EXPECT_EQ(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, l, ==, r, #l " == " #r, fmt)
#define KUNIT_EXPECT_NE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, l, !=, r, #l " != " #r, fmt)
#define KUNIT_EXPECT_LT(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, l, <, r, #l " < " #r, fmt)
#define KUNIT_EXPECT_LE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, l, <=, r, #l " <= " #r, fmt)
#define KUNIT_EXPECT_GT(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, l, >, r, #l " > " #r, fmt)
#define KUNIT_EXPECT_GE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, l, >=, r, #l " >= " #r, fmt)
#define KUNIT_EXPECT_PTR_EQ(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ADDR, l, ==, r, #l " == " #r, fmt)
#define KUNIT_EXPECT_PTR_NE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ADDR, l, !=, r, #l " != " #r, fmt)
#define KUNIT_EXPECT_NULL(test, p, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ADDR, p, ==, NULL, #p " is NULL", fmt)
#define KUNIT_EXPECT_NOT_NULL(test, p, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ADDR, p, !=, NULL, #p " is not NULL", fmt)
#define KUNIT_EXPECT_TRUE(test, c, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, !!(c), ==, true, #c, fmt)
#define KUNIT_EXPECT_FALSE(test, c, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, !!(c), ==, false, "not " #c, fmt)
#define KUNIT_EXPECT_STREQ(test, l, r, fmt...)				\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, strcmp(l, r), ==, 0, #l " is " #r, fmt)
#define KUNIT_EXPECT_MEMEQ(test, l, r, n, fmt...)			\
	LAB_CHECK(LAB_EXPECT, LAB_ANY, memcmp(l, r, n), ==, 0, #l " is " #r, fmt)

#define KUNIT_ASSERT_EQ(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, l, ==, r, #l " == " #r, fmt)
#define KUNIT_ASSERT_NE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, l, !=, r, #l " != " #r, fmt)
#define KUNIT_ASSERT_LT(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, l, <, r, #l " < " #r, fmt)
#define KUNIT_ASSERT_LE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, l, <=, r, #l " <= " #r, fmt)
#define KUNIT_ASSERT_GT(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, l, >, r, #l " > " #r, fmt)
#define KUNIT_ASSERT_GE(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, l, >=, r, #l " >= " #r, fmt)
#define KUNIT_ASSERT_PTR_EQ(test, l, r, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ADDR, l, ==, r, #l " == " #r, fmt)
#define KUNIT_ASSERT_NOT_NULL(test, p, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ADDR, p, !=, NULL, #p " is not NULL", fmt)
#define KUNIT_ASSERT_TRUE(test, c, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, !!(c), ==, true, #c, fmt)
#define KUNIT_ASSERT_FALSE(test, c, fmt...)				\
	LAB_CHECK(LAB_ASSERT, LAB_ANY, !!(c), ==, false, "not " #c, fmt)

/* With a message. */
#define KUNIT_EXPECT_EQ_MSG	KUNIT_EXPECT_EQ
#define KUNIT_EXPECT_NE_MSG	KUNIT_EXPECT_NE
#define KUNIT_EXPECT_LT_MSG	KUNIT_EXPECT_LT
#define KUNIT_EXPECT_LE_MSG	KUNIT_EXPECT_LE
#define KUNIT_EXPECT_GT_MSG	KUNIT_EXPECT_GT
#define KUNIT_EXPECT_GE_MSG	KUNIT_EXPECT_GE
#define KUNIT_EXPECT_PTR_EQ_MSG	KUNIT_EXPECT_PTR_EQ
#define KUNIT_EXPECT_NULL_MSG	KUNIT_EXPECT_NULL
#define KUNIT_EXPECT_NOT_NULL_MSG	KUNIT_EXPECT_NOT_NULL
#define KUNIT_EXPECT_TRUE_MSG	KUNIT_EXPECT_TRUE
#define KUNIT_EXPECT_FALSE_MSG	KUNIT_EXPECT_FALSE
#define KUNIT_EXPECT_STREQ_MSG	KUNIT_EXPECT_STREQ
#define KUNIT_ASSERT_EQ_MSG	KUNIT_ASSERT_EQ
#define KUNIT_ASSERT_LT_MSG	KUNIT_ASSERT_LT
#define KUNIT_ASSERT_LE_MSG	KUNIT_ASSERT_LE
#define KUNIT_ASSERT_GT_MSG	KUNIT_ASSERT_GT
#define KUNIT_ASSERT_GE_MSG	KUNIT_ASSERT_GE
#define KUNIT_ASSERT_PTR_EQ_MSG	KUNIT_ASSERT_PTR_EQ
#define KUNIT_ASSERT_NOT_NULL_MSG	KUNIT_ASSERT_NOT_NULL
#define KUNIT_ASSERT_TRUE_MSG	KUNIT_ASSERT_TRUE

#define KUNIT_FAIL(test, fmt, args...)					\
	lab_kunit_fail(LAB_EXPECT, LAB_AT "fails", 0, 0, " " fmt, ##args)

#endif /* LAB_KUNIT_TEST_H */
