// SPDX-License-Identifier: GPL-2.0
/* The best map against all maps, tried one by one. */
#include "common.h"

#define UNITS	(PAGE_SIZE / 16)
#define FREE	8	/* sizes of which each map may have a class or not */
#define LOADS	60

struct load {
	struct cp_map_load load;
	unsigned int free[FREE];	/* units, other than powers of two, rising */
	bool marked[UNITS + 1];
	struct cp_sizemap map;
	struct cp_sizemap tried;
};

static u64 class_cost(u64 live, unsigned int size)
{
	return live ? live * 16 / (PAGE_SIZE / size) + 8 * CP_BEST_MAP_ONE : 0;
}

/* What the header of best_map.c says, derived anew. */
static u64 cost(const struct load *l, const struct cp_sizemap *map)
{
	u64 live[CP_MAX_CLASSES] = { }, total = 0;
	unsigned int units, class;

	for (units = 0; units <= UNITS; units++) {
		for (class = 0; map->size[class] < (units ? units * 16 : 8);
		     class++)
			;
		live[class] += l->load.live[units];
	}
	for (class = 0; class < map->count; class++)
		total += class_cost(live[class], map->size[class]);
	return total;
}

/* A load on FREE sizes and on some powers of two. */
static void random_load(struct load *l, struct rnd_state *rnd)
{
	unsigned int span = 1 + prandom_u32_state(rnd) % 28;
	unsigned int units = 0, i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < FREE; i++) {
		do
			units += i ? 1 + prandom_u32_state(rnd) % span : 0;
		while (units && is_power_of_2(units));
		if (!i && prandom_u32_state(rnd) % 2)
			units = 3;
		l->free[i] = units;
		l->load.live[units] = prandom_u32_state(rnd) %
					(1000 * CP_BEST_MAP_ONE);
	}
	for (units = 1; units <= UNITS; units *= 2)
		if (prandom_u32_state(rnd) % 2)
			l->load.live[units] = prandom_u32_state(rnd) %
						(100 * CP_BEST_MAP_ONE);
}

/*
 * The least cost of all maps with at most `most' classes.  A class at a size
 * that nothing has is never better than one at the next smaller size that
 * something has, so those are all that have to be tried.
 */
static u64 least_cost(struct load *l, unsigned int most)
{
	u64 least = U64_MAX;
	unsigned int set, i;

	for (set = 0; set < 1U << FREE; set++) {
		if (hweight32(set) + cp_best_map_min() > most)
			continue;
		for (i = 0; i < FREE; i++)
			l->marked[l->free[i]] = set >> i & 1;
		cp_sizemap_make_marked(&l->tried, l->marked);
		least = min(least, cost(l, &l->tried));
	}
	return least;
}

static void no_map_is_better(struct kunit *test)
{
	struct load *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	unsigned int i, most, fewest = cp_best_map_min();
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, l);
	prandom_seed_state(&rnd, cp_test_seed(test));
	for (i = 0; i < LOADS; i++) {
		random_load(l, &rnd);
		for (most = fewest; most <= fewest + FREE; most += 2) {
			KUNIT_ASSERT_EQ(test, 0,
					cp_best_map(&l->load, most, &l->map));
			KUNIT_EXPECT_LE(test, l->map.count, most);
			KUNIT_EXPECT_EQ_MSG(test, least_cost(l, most),
					    cost(l, &l->map),
					    "load %u, %u classes", i, most);
			KUNIT_EXPECT_EQ(test, cost(l, &l->map) / 16,
					cp_best_map_pages(&l->load, &l->map));
		}
	}
}

static void one_size_gets_one_class_of_its_own(struct kunit *test)
{
	struct load *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	unsigned int fewest = cp_best_map_min(), class, found = 0;

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->load.live[5] = 5100 * CP_BEST_MAP_ONE;
	l->load.bytes = 80 * l->load.live[5];
	KUNIT_ASSERT_EQ(test, 0, cp_best_map(&l->load, CP_MAX_CLASSES,
					     &l->map));
	KUNIT_EXPECT_EQ(test, fewest + 1, l->map.count);
	for (class = 0; class < l->map.count; class++)
		found += l->map.size[class] == 80;
	KUNIT_EXPECT_EQ(test, 1, found);
	/* 51 a page, and half a page in addition. */
	KUNIT_EXPECT_EQ(test, 100 * CP_BEST_MAP_ONE + CP_BEST_MAP_ONE / 2,
			cp_best_map_pages(&l->load, &l->map));
	KUNIT_EXPECT_EQ(test, 5100 * 80 * 1000 / (1005 * 4096 / 10),
			cp_best_map_efficiency(&l->load, &l->map));
	/* No class but the powers of two: 32 a page. */
	KUNIT_ASSERT_EQ(test, 0, cp_best_map(&l->load, fewest, &l->map));
	KUNIT_EXPECT_EQ(test, fewest, l->map.count);
	KUNIT_EXPECT_EQ(test, 5100 * CP_BEST_MAP_ONE / 32 + CP_BEST_MAP_ONE / 2,
			cp_best_map_pages(&l->load, &l->map));
}

static void no_load_gets_the_powers_of_two(struct kunit *test)
{
	struct load *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	KUNIT_ASSERT_EQ(test, 0, cp_best_map(&l->load, CP_MAX_CLASSES,
					     &l->map));
	KUNIT_EXPECT_EQ(test, cp_best_map_min(), l->map.count);
	KUNIT_EXPECT_EQ(test, 0, cp_best_map_pages(&l->load, &l->map));
	KUNIT_EXPECT_EQ(test, 0, cp_best_map_efficiency(&l->load, &l->map));
}

static struct kunit_case cp_best_map_cases[] = {
	KUNIT_CASE(no_map_is_better),
	KUNIT_CASE(one_size_gets_one_class_of_its_own),
	KUNIT_CASE(no_load_gets_the_powers_of_two),
	{}
};

CP_TEST_SUITE(best_map);
