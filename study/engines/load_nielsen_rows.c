// SPDX-License-Identifier: GPL-2.0
/*
 * Nielsen's 18 loads.  The first is his Table I, to the last figure.  Of the others
 * the paper only has the columns of Table II; they are constructed here to meet
 * them, of the sources of the first where that is possible.  How each column was
 * read:
 *
 * - Coexisting: the mean number of blocks of a source while it is active.
 * - Sources that cycle are active for half of the time: for periods on end, or a
 *   quarter of one.  Each has a cycle of its own, by up to a half longer or shorter;
 *   where they are coordinated, one half of the sources takes turns with the other.
 * - Similar lifetimes of one source are normal, a tenth of the mean their standard
 *   deviation; dissimilar ones exponential, or the source's own.
 * - Similar lifetimes of all sources: the same mean.
 * - Sequential: a source's oldest block ends when it needs the next.
 * - Multiples of 5 words include one word of overhead.
 * - Periods are all as long as those of the first load; intervals and lifetimes are
 *   scaled instead.
 *
 * Which sizes of a range, no column says: they were chosen so that as many of the
 * algorithms of Table V fail as in the paper.  More small blocks let the sequential
 * ones succeed, sizes of a little more than a power of two make buddies fail.
 *
 * The seed of the first is the first one with which its totals are near the
 * paper's; model/nielsen.py searches for it.  The others' are their numbers.
 */
#include "load_nielsen.h"

#define CONSTANT(a)	{ DEMAND_CONSTANT, a }
#define EXPONENTIAL(a)	{ DEMAND_EXPONENTIAL, a }
#define NORMAL(a, b)	{ DEMAND_NORMAL, a, b }
#define UNIFORM(a, b)	{ DEMAND_UNIFORM, a, b }

/* Table I. */
static const struct demand_source base[] = {
	{ NORMAL(100, 15),	EXPONENTIAL(3000),	38 },
	{ UNIFORM(50, 100),	EXPONENTIAL(1500),	15 },
	{ EXPONENTIAL(125),	EXPONENTIAL(4000),	7 },
	{ NORMAL(75, 5),	EXPONENTIAL(2500),	20 },
	{ UNIFORM(25, 45),	EXPONENTIAL(250),	3 },
	{ EXPONENTIAL(165),	UNIFORM(500, 2500),	14 },
	{ EXPONENTIAL(200),	NORMAL(3000, 900),	20 },
	{ CONSTANT(150),	NORMAL(900, 275),	2 },
	{ EXPONENTIAL(90),	EXPONENTIAL(3000),	14 },
	{ NORMAL(125, 25),	NORMAL(4500, 1000),	45 },
};

/* Three sources with 27 coexisting blocks. */
static const struct demand_source three[] = {
	{ EXPONENTIAL(75),	EXPONENTIAL(750),	30 },
	{ UNIFORM(70, 130),	EXPONENTIAL(2600),	17 },
	{ NORMAL(125, 25),	EXPONENTIAL(5625),	4 },
};

/* Words, by source. */
static const u8 wide[] = {
	17, 20, 8, 33, 4, 17, 20, 4, 8, 33,
	33, 8, 4, 20, 17, 4, 33, 8, 20, 17,
	8, 17, 33, 4, 20,
};

static const u8 few[] = { 38, 14, 7, 38, 7, 14, 14, 7, 14, 38 };

static const u8 wide_20[] = {
	38, 15, 7, 20, 3, 14, 20, 2, 14, 45,
	45, 14, 2, 20, 14, 3, 20, 7, 15, 38,
};

static const u8 narrow[] = {
	20, 22, 24, 21, 23, 25, 20, 22, 24, 21,
	22, 24, 26, 23, 25, 21, 20, 24, 22, 26,
	23, 21, 25, 24, 22,
};

static const u8 narrow_3[] = { 13, 14, 15 };

static const u8 mult[] = {
	34, 14, 9, 19, 4, 14, 19, 4, 14, 34,
	34, 14, 4, 19, 14, 4, 19, 9, 14, 34,
	9, 34, 14, 4, 19,
};

static const u8 mult_3[] = { 29, 19, 9 };

#define BASE	.source = base, .rows = ARRAY_SIZE(base)
#define TEN	BASE, .sources = 10, .gap = 1, .life = 1
#define TWENTY	BASE, .sources = 20, .gap = 0.694, .life = 1.25
#define THREE	.source = three, .rows = ARRAY_SIZE(three), .sources = 3, \
		.gap = 1, .life = 1
#define MANY	BASE, .sources = 25, .gap = 0.835, .life = 1.327

static const struct demand_load rows[] = {
	{ TEN, .seed = 10 },
	{ TWENTY, .size = wide_20, .cycle = 2.5, .seed = 2 },
	{ TWENTY, .size = wide_20, .cycle = 2.5, .turns = true, .seed = 3 },
	{ TWENTY, .size = wide_20, .cycle = 0.25, .seed = 4 },
	{ TEN, .size = narrow, .seed = 5 },
	{ TEN, .size = mult, .seed = 6 },
	{ THREE, .seed = 7 },
	{ THREE, .size = narrow_3, .seed = 8 },
	{ THREE, .size = mult_3, .seed = 9 },
	{ MANY, .size = wide, .seed = 10 },
	{ MANY, .size = narrow, .seed = 11 },
	{ MANY, .size = mult, .seed = 12 },
	{ TEN, .size = wide, .mean = 3000, .lives = DEMAND_ALIKE, .seed = 13 },
	{ TEN, .size = wide, .mean = 3000, .lives = DEMAND_SPREAD, .seed = 14 },
	{ TEN, .lives = DEMAND_ALIKE, .seed = 15 },
	{ TEN, .size = few, .coexist = 7, .lives = DEMAND_SPREAD, .seed = 16 },
	{ BASE, .sources = 10, .size = wide, .gap = 0.526, .life = 1, .coexist = 50,
	  .lives = DEMAND_SPREAD, .seed = 17 },
	{ TEN, .lives = DEMAND_SEQUENTIAL, .seed = 18 },
};

#define LOAD(number, text) \
	{ .name = "nielsen-" #number, .about = text, .row = &rows[(number) - 1], \
	  .make = demand_make }

static const struct engine_load loads[] = {
	LOAD(1, "the base load, Table I"),
	LOAD(2, "20 sources, each on and off for long"),
	LOAD(3, "20 sources, one half on and then the other"),
	LOAD(4, "20 sources, each on and off for a short time"),
	LOAD(5, "as 1, sizes in a narrow range"),
	LOAD(6, "as 1, blocks of multiples of 5 words"),
	LOAD(7, "3 sources: a small queuing network"),
	LOAD(8, "as 7, sizes in a narrow range"),
	LOAD(9, "as 7, blocks of multiples of 5 words"),
	LOAD(10, "25 sources: a large queuing network"),
	LOAD(11, "as 10, sizes in a narrow range"),
	LOAD(12, "as 10, blocks of multiples of 5 words"),
	LOAD(13, "as 1, all lifetimes similar"),
	LOAD(14, "as 1, all sources' mean lifetimes the same"),
	LOAD(15, "as 1, each source's lifetimes similar"),
	LOAD(16, "as 1, 7 blocks of each source"),
	LOAD(17, "as 1, 50 blocks of each source"),
	LOAD(18, "as 1, each block ends when the next is needed"),
};

static_assert(ARRAY_SIZE(rows) == ARRAY_SIZE(loads));

ENGINE_LOADS(nielsen_loads, loads, ARRAY_SIZE(loads));
