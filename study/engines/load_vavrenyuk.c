// SPDX-License-Identifier: GPL-2.0
/*
 * The test of Vavrenyuk and others (2016, figure 7), which they have of Knuth: in
 * each iteration a block is allocated when one of the 5,000 places is left, those
 * whose time is over are freed, and one iteration is taken off the life of the
 * others.  Sizes of 1 to 256 bytes and lives of 1 to 5,000 iterations are equally
 * likely.  What is live at the end stays.
 *
 * The paper leaves open in which order blocks of one iteration are freed; here the
 * one that came last is first.
 */
#include "engine.h"

#define BLOCKS		5000
#define LIFETIME	5000
#define SIZE		256

#define NO_BLOCK	(~0U)

/* Blocks by the iteration in which they end, in a ring. */
struct calendar {
	u32 first[LIFETIME + 1];
	u32 next[BLOCKS];	/* of the same iteration, or of those not live */
	u32 spare;
};

/* 1 to n; the bias is 5,000 in 2^64. */
static u32 draw(u64 *random, u32 n)
{
	return lab_random(random) % n + 1;
}

static void calendar_start(struct calendar *c)
{
	u32 id;

	memset(c->first, 0xff, sizeof(c->first));
	for (id = 0; id < BLOCKS; id++)
		c->next[id] = id + 1 < BLOCKS ? id + 1 : NO_BLOCK;
	c->spare = 0;
}

static void block_start(struct calendar *c, struct engine_trace *t, u64 now,
			u64 *random)
{
	u32 id = c->spare;
	u32 *end = &c->first[(now + draw(random, LIFETIME)) % (LIFETIME + 1)];

	c->spare = c->next[id];
	c->next[id] = *end;
	*end = id;
	engine_trace_alloc(t, id, draw(random, SIZE));
}

static void blocks_end(struct calendar *c, struct engine_trace *t, u64 now)
{
	u32 *first = &c->first[now % (LIFETIME + 1)];

	while (*first != NO_BLOCK) {
		u32 id = *first;

		*first = c->next[id];
		c->next[id] = c->spare;
		c->spare = id;
		engine_trace_free(t, id);
	}
}

static bool make(struct engine_trace *t, const struct engine_load *l, u64 seed)
{
	const u64 *iterations = l->row;
	struct calendar *c = malloc(sizeof(*c));
	u64 random = seed, now;

	if (!c)
		return false;
	calendar_start(c);
	for (now = 0; now < *iterations; now++) {
		if (c->spare != NO_BLOCK)
			block_start(c, t, now, &random);
		blocks_end(c, t, now);
	}
	free(c);
	return true;
}

static const struct engine_load loads[] = {
	{
		.name = "vavrenyuk-50000",
		.about = "Vavrenyuk's test: 50,000 iterations",
		.row = &(const u64){ 50000 },
		.make = make,
	},
	{
		.name = "vavrenyuk-5000000",
		.about = "Vavrenyuk's test: 5,000,000 iterations",
		.row = &(const u64){ 5000000 },
		.make = make,
	},
};

ENGINE_LOADS(vavrenyuk_loads, loads, ARRAY_SIZE(loads));
