/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One engine on one trace, measured; and the rows that there are.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine.h"

#define ENGINE_TIMES	9	/* timed passes at most */
#define ENGINE_CURVE	400	/* points of a curve at most */
#define ENGINE_PURE	16U	/* Johnstone and Wilson, section 4.1 */

struct engine_settings {
	const char *engines;	/* names with commas between them */
	double level;		/* of live bytes in memory, percent; 0: not said */
	bool pure, verify, drain, json;
	unsigned int time;	/* passes that are timed */
	unsigned int curve;	/* points of live and held memory */
	u64 seed;
	u64 limit;		/* events, or 0 */
	struct sim_lru lru;
	u64 tune_at;		/* before this event */
	const char *tune;
};

/* The most live and held within a stretch of the trace. */
struct engine_point {
	u64 asked;	/* bytes up to its end */
	size_t live, held;
};

/*
 * What came out.  The memory that an engine has beside what is live is measured
 * in the four ways of Johnstone and Wilson, section 5.
 */
struct engine_result {
	char why[200];		/* it did not run, or was found wrong; or "" */
	bool ran;
	bool tunes;			/* it takes what it is told */
	bool small;			/* its memory is too small to start */
	u64 failures, first_failure;	/* requests refused; the first is from 1 */
	/* After the start-up; all else is of the whole trace. */
	u64 requests, items, allocs, collections;
	u64 items_alloc;	/* of all items, those of allocations */
	double pass[ENGINE_TIMES];	/* seconds of each timed pass */
	double seconds;		/* of the median one, or 0 */
	size_t memory;		/* that it was given, or 0 */
	size_t used_peak, used_end, used_after;
	size_t held_peak;	/* fixed memory: up to the highest block */
	double fragmentation[4];
	u64 pages;		/* on which a block ever lay */
	u64 faults[SIM_SETS];
	struct engine_point curve[ENGINE_CURVE];
	int pid;
};

/* table.c */
/* What text names, in the order of the table; NULL in the end, or for bad text. */
const struct engine_kind **engine_select(const char *text);
const struct engine_load *engine_load_find(const char *name);
void engine_list(FILE *to);
void engine_load_names(char *buf, size_t size);
const struct engine_family *engine_family_of(const struct engine_kind *kind);

/* run.c */
void engine_run(const struct engine_kind *kind, const struct engine_trace *t,
		const struct engine_settings *s, struct engine_result *r);
/* Does it take s->tune? */
bool engine_tunes(const struct engine_kind *kind, const struct engine_trace *t,
		  const struct engine_settings *s);
/* Seconds that the requests take when nothing is measured beside. */
double engine_time(const struct engine_kind *kind,
		   const struct engine_trace *t,
		   const struct engine_settings *s);
void *engine_alloc(struct engine *e, size_t size);
void engine_free(struct engine *e, void *block);

/* verify.c: which bytes are whose. */
struct engine_verify {
	struct xarray pages;	/* a bit for each byte that is in a block */
	size_t live;
	u64 events;
};

const char *engine_verify_alloc(struct engine_verify *v, struct engine *e,
				char *block, u32 id, size_t size);
const char *engine_verify_block(const char *block, u32 id, size_t size);
const char *engine_verify_free(struct engine_verify *v, char *block, u32 id,
			       size_t size);
const char *engine_verify_memory(struct engine_verify *v, struct engine *e);
void engine_verify_end(struct engine_verify *v);

/* print.c */
struct engine_outcome {
	const struct engine_kind *kind;
	struct engine_result result;
};

void engine_print(const struct engine_outcome *o, unsigned int nr,
		  const struct engine_trace *t, FILE *to);
void engine_json(const struct engine_outcome *o, unsigned int nr,
		 const struct engine_trace *t, const char *load,
		 const struct engine_settings *s, FILE *to);

#endif /* ENGINE_RUN_H */
