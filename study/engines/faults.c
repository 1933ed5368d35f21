// SPDX-License-Identifier: GPL-2.0
/*
 * Engines that do what none may do, so that tests can see that --verify notices:
 * built with the sanitizers only.
 */
#include "engine.h"

#ifdef ENGINE_FAULTS

enum fault { FAULT_OVERLAP, FAULT_ALIGN, FAULT_CONTENTS, FAULT_OUTSIDE,
	     FAULT_USED, FAULT_CHECK, FAULT_FALLS };

struct fault_state {
	unsigned int nr;	/* blocks so far */
	size_t used;
	char *last;
};

#define FAULT_AT	700	/* the block with which it happens */

static bool fault_start(struct engine *e)
{
	e->state = calloc(1, sizeof(struct fault_state));
	return e->state;
}

static bool fault_now(struct engine *e, enum fault fault)
{
	const struct fault_state *s = e->state;

	return *(const enum fault *)e->kind->row == fault && s->nr >= FAULT_AT;
}

static void *fault_alloc(struct engine *e, size_t size)
{
	struct fault_state *s = e->state;
	char *block;

	s->nr++;
	block = engine_grow(e, ALIGN(size, 8));
	if (!block)
		return NULL;
	s->used = e->end;
	if (fault_now(e, FAULT_OVERLAP))
		block = s->last;
	if (fault_now(e, FAULT_ALIGN))
		block++;
	if (fault_now(e, FAULT_CONTENTS))
		*s->last ^= 1;
	if (fault_now(e, FAULT_OUTSIDE))
		e->end -= ALIGN(size, 8);
	if (fault_now(e, FAULT_USED))
		s->used = 8;
	if (fault_now(e, FAULT_FALLS))
		abort();
	s->last = block;
	return block;
}

static void fault_free(struct engine *e, void *block)
{
}

static size_t fault_used(struct engine *e)
{
	return ((struct fault_state *)e->state)->used;
}

static const char *fault_check(struct engine *e)
{
	return fault_now(e, FAULT_CHECK) ? "it says so itself" : NULL;
}

static void fault_stop(struct engine *e)
{
	free(e->state);
}

#define FAULT(label, which)					\
	{							\
		.name = "fault-" label,				\
		.about = "for tests",				\
		.row = &(const enum fault){ which },		\
		.align = 8,					\
		.start = fault_start,				\
		.alloc = fault_alloc,				\
		.free = fault_free,				\
		.used = fault_used,				\
		.check = fault_check,				\
		.stop = fault_stop,				\
	}

static const struct engine_kind fault_kinds[] = {
	FAULT("overlap", FAULT_OVERLAP),
	FAULT("align", FAULT_ALIGN),
	FAULT("contents", FAULT_CONTENTS),
	FAULT("outside", FAULT_OUTSIDE),
	FAULT("used", FAULT_USED),
	FAULT("check", FAULT_CHECK),
	FAULT("falls", FAULT_FALLS),
};

static const struct engine_family faults = {
	.name = "faults",
	.about = "what none may do",
	.kind = fault_kinds,
	.nr = ARRAY_SIZE(fault_kinds),
};
ENGINE_FAMILY(faults);

#endif /* ENGINE_FAULTS */
