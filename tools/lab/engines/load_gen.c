// SPDX-License-Identifier: GPL-2.0
/* The traces of lab gen, as loads. */
#include "engine.h"

#define GEN_EVENTS	100000

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
	return lab_gen_make(l->row, seed ?: 1, GEN_EVENTS,
			    &(struct lab_gen_to){ gen_alloc, gen_free, t });
}

#define GEN(profile, text) \
	{ .name = "gen-" profile, .about = text, .row = profile, \
	  .make = gen_load }

static const struct engine_load gen_rows[] = {
	GEN("mix", "all sizes, some page blocks"),
	GEN("fixed", "64 bytes only"),
	GEN("churn", "64 and 256 bytes, half dropped, then churn"),
	GEN("drop", "64 bytes only, half dropped, then churn"),
	GEN("phases", "other sizes from time to time, late ones die first"),
	GEN("blocks", "mostly page blocks"),
};
ENGINE_LOADS(gen_loads, gen_rows, ARRAY_SIZE(gen_rows));
