/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nielsen's test demand loads (1977, section 2): sources of demands for memory.  Each
 * demands one block of its size at random intervals, and gives each back after a
 * random time.
 */
#ifndef LOAD_NIELSEN_H
#define LOAD_NIELSEN_H

#include "engine.h"

#define DEMAND_WORD	4	/* bytes */
#define DEMAND_SOURCES	25	/* at most */
#define DEMAND_PERIODS	21	/* the first is the start */
#define DEMAND_PERIOD	4000	/* units of time */
#define DEMAND_MODULUS	0x7fffffff

enum demand_law {
	DEMAND_CONSTANT,	/* a */
	DEMAND_EXPONENTIAL,	/* mean a */
	DEMAND_NORMAL,		/* mean a, variance b */
	DEMAND_UNIFORM,	/* from a to b */
};

struct demand_draw {
	enum demand_law law;
	double a, b;
};

struct demand_source {
	struct demand_draw gap;	/* between two demands */
	struct demand_draw life;
	unsigned int size;		/* words */
};

/* What lifetimes are in place of the source's own. */
enum demand_lives {
	DEMAND_OWN,
	DEMAND_ALIKE,		/* near the mean */
	DEMAND_SPREAD,		/* exponential */
	DEMAND_SEQUENTIAL,	/* the oldest ends when the next one is needed */
};

/* A row of Table II, as built here. */
struct demand_load {
	const struct demand_source *source;
	unsigned int rows;		/* of source, from the first again after */
	unsigned int sources;
	const u8 *size;			/* of all sources; NULL for their own */
	double gap;			/* factor of intervals */
	double life;			/* factor of lifetimes; */
	double mean;			/* if not 0, the mean of each source; */
	double coexist;			/* if not 0, blocks of each that coexist */
	enum demand_lives lives;
	double cycle;			/* periods active, as many not; 0: always */
	bool turns;			/* all in step: one half, then the other */
	u32 seed;
};

/* load_nielsen_draw.c: numbers as Lewis, Goodman and Miller draw them. */
double demand_mean(const struct demand_draw *d);
void demand_scale(struct demand_draw *d, double factor);
double demand_uniform(u32 *seed);
double demand_draw(const struct demand_draw *d, u32 *seed);

/* load_nielsen.c */
bool demand_make(struct engine_trace *t, const struct engine_load *l, u64 seed);

#endif /* LOAD_NIELSEN_H */
