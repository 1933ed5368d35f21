// SPDX-License-Identifier: GPL-2.0
/* The traces of lab gen, as loads. */
#include "engine.h"

struct gen_row {
	const char *profile;
	u32 events, live;	/* live: 0 for what the profile has */
};

static void gen_alloc(void *trace, u32 id, u32 size)
{
	engine_trace_alloc(trace, id, size);
}

static void gen_free(void *trace, u32 id)
{
	engine_trace_free(trace, id);
}

static bool gen_load(struct engine_trace *t, const struct engine_load *l, u64 seed)
{
	const struct gen_row *row = l->row;

	return lab_gen_make(row->profile, seed ?: 1, row->events, row->live,
			    &(struct lab_gen_to){ gen_alloc, gen_free, t });
}

#define GEN(label, events, live, text)				\
	{							\
		.name = "gen-" label,				\
		.about = text,					\
		.row = &(const struct gen_row){ label, events, live }, \
		.make = gen_load,				\
	}

static const struct engine_load gen_rows[] = {
	GEN("mix", 100000, 0, "all sizes, some page blocks"),
	GEN("fixed", 100000, 0, "64 bytes only"),
	/* What is left after the drop is replaced some twenty times. */
	GEN("churn", 200000, 10000, "64 and 256 bytes, half dropped, then churn"),
	GEN("drop", 200000, 10000, "64 bytes only, half dropped, then churn"),
	GEN("phases", 100000, 0, "other sizes from time to time, late ones die first"),
	GEN("blocks", 100000, 0, "mostly page blocks"),
};
ENGINE_LOADS(gen_loads, gen_rows, ARRAY_SIZE(gen_rows));
