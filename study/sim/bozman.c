// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of Bozman et al. (1984) say for each block size how often it was
 * asked for and how long it was held, at CAMBRIDG and at YKTVMV.  They are not in
 * Brent's paper, which has five statistics of each (table 7.1).  What is made here
 * is not those tables: it is one of many distributions with the same statistics.
 *
 * What else is chosen is taken from table 7.2, as far as it tells.  There are
 * three bands of sizes:
 *
 *	small	8 to 120	nearly all requests
 *	middle	128 to 512	few requests, but most of the storage
 *	large	520 to 4096	few requests
 *
 * A crossover of 120 hardly adds to the items visited there, which first fit has
 * many more of: few requests are for more.  From 120 to a page of 512 it changes
 * the storage efficiency much: much of the storage is between them, so what is
 * there is held for long.
 *
 * Within a band a size is asked for in proportion to a function of it (exp(c s),
 * 1 / s, sqrt(s)) times a popularity, and held for a time that is spread widely
 * (for s^g times that in the small one).  The popularity and the spread go through their
 * ranges evenly (the fractional parts of multiples of two irrational numbers), so
 * that there is no chance in it.
 *
 * Then the statistics are met: the rates have the sum of table 7.1, c gives the
 * mean size of a request, the factor of the times in the small band the live
 * blocks, g the storage.  The mean lifetime follows, as live blocks / requests a
 * second.
 */
#include <math.h>

#include "bozman.h"

#define BOZMAN_POPULAR	1.0	/* log of the most popular size over the mean */
#define BOZMAN_EVEN_U	0.6180339887498949	/* of the golden ratio */
#define BOZMAN_EVEN_V	0.7548776662466927	/* of the plastic number */
#define BOZMAN_STEPS	200	/* of a bisection */

enum bozman_band {
	BOZMAN_SMALL,
	BOZMAN_MIDDLE,
	BOZMAN_LARGE,
	BOZMAN_BANDS
};

/* The others show how the results move with what was chosen. */
static const struct bozman_reading bozman_reading[] = {
	{ "few-above-120", .spread = 2.7 },
	{ "times-alike", .spread = 1.0 },
	{ "more-above-120", .spread = 2.7, .middle = 0.15 },
};

const char * const bozman_readings[] = {
	"few-above-120", "times-alike", "more-above-120", NULL
};

struct bozman_known {
	double paper[BOZMAN_STATS];
	double requests[BOZMAN_BANDS];	/* their part; of the small, the rest */
	double bytes[BOZMAN_BANDS];	/* likewise, of the storage */
};

static const struct bozman_known bozman_known[] = {
	[BOZMAN_CAMBRIDG] = {
		.paper = { 196, 2347, 307397, 98, 12 },
		.requests = { [BOZMAN_MIDDLE] = 0.03, [BOZMAN_LARGE] = 0.012 },
		.bytes = { [BOZMAN_MIDDLE] = 0.58, [BOZMAN_LARGE] = 0.06 },
	},
	[BOZMAN_YKTVMV] = {
		.paper = { 1033, 27360, 3226427, 129, 26 },
		.requests = { [BOZMAN_MIDDLE] = 0.016, [BOZMAN_LARGE] = 0.017 },
		.bytes = { [BOZMAN_MIDDLE] = 0.42, [BOZMAN_LARGE] = 0.12 },
	},
};

const char * const bozman_stat_name[BOZMAN_STATS] = {
	[BOZMAN_REQUESTS] = "requests_per_second",
	[BOZMAN_LIVE] = "live_blocks",
	[BOZMAN_BYTES] = "live_bytes",
	[BOZMAN_SIZE] = "request_size",
	[BOZMAN_LIFETIME] = "lifetime",
};

/* What is being solved for. */
struct bozman_work {
	struct bozman *b;
	struct bozman_known known;
	double spread;
};

static enum bozman_band bozman_band(unsigned int size)
{
	return size <= 120 ? BOZMAN_SMALL :
	       size <= 512 ? BOZMAN_MIDDLE : BOZMAN_LARGE;
}

/* From exp(-width) to exp(width), evenly in its logarithm over all sizes. */
static double bozman_noise(unsigned int size, double step, double width)
{
	double even = fmod(size / BOZMAN_STEP * step, 1);

	return exp(width * (2 * even - 1));
}

static void bozman_count(struct bozman *b)
{
	double requests = 0, live = 0, bytes = 0, size = 0;
	unsigned int i;

	for (i = 0; i < BOZMAN_SIZES; i++) {
		const struct bozman_size *s = &b->size[i];

		requests += s->rate;
		live += s->rate * s->hold;
		bytes += s->rate * s->hold * s->size;
		size += s->rate * s->size;
	}
	b->made[BOZMAN_REQUESTS] = requests;
	b->made[BOZMAN_LIVE] = live;
	b->made[BOZMAN_BYTES] = bytes;
	b->made[BOZMAN_SIZE] = size / requests;
	b->made[BOZMAN_LIFETIME] = live / requests;
}

/* The rates for this c. */
static void bozman_rates(const struct bozman_work *w, double c)
{
	const double *known = w->known.requests;
	double part[BOZMAN_BANDS] = {
		1 - known[BOZMAN_MIDDLE] - known[BOZMAN_LARGE],
		known[BOZMAN_MIDDLE], known[BOZMAN_LARGE],
	};
	double sum[BOZMAN_BANDS] = { };
	unsigned int i;

	for (i = 0; i < BOZMAN_SIZES; i++) {
		struct bozman_size *s = &w->b->size[i];
		enum bozman_band band = bozman_band(s->size);

		s->rate = bozman_noise(s->size, BOZMAN_EVEN_U, BOZMAN_POPULAR);
		s->rate *= band == BOZMAN_SMALL ? exp(c * s->size / 120) :
			   band == BOZMAN_MIDDLE ? 1.0 / s->size :
						   sqrt(s->size);
		sum[band] += s->rate;
	}
	for (i = 0; i < BOZMAN_SIZES; i++) {
		struct bozman_size *s = &w->b->size[i];
		enum bozman_band band = bozman_band(s->size);

		s->rate *= part[band] / sum[band] *
			   w->b->paper[BOZMAN_REQUESTS];
	}
	bozman_count(w->b);
}

/* The times for this g, when there are rates. */
static void bozman_holds(const struct bozman_work *w, double g)
{
	double blocks[BOZMAN_BANDS] = { }, bytes[BOZMAN_BANDS] = { };
	double factor[BOZMAN_BANDS], live = w->b->paper[BOZMAN_LIVE];
	unsigned int i, band;

	for (i = 0; i < BOZMAN_SIZES; i++) {
		struct bozman_size *s = &w->b->size[i];

		band = bozman_band(s->size);
		s->hold = bozman_noise(s->size, BOZMAN_EVEN_V, w->spread);
		if (band == BOZMAN_SMALL)
			s->hold *= pow(s->size, g);
		blocks[band] += s->rate * s->hold;
		bytes[band] += s->rate * s->hold * s->size;
	}
	for (band = BOZMAN_MIDDLE; band < BOZMAN_BANDS; band++) {
		factor[band] = w->known.bytes[band] *
			       w->b->paper[BOZMAN_BYTES] / bytes[band];
		live -= factor[band] * blocks[band];
	}
	factor[BOZMAN_SMALL] = live / blocks[BOZMAN_SMALL];
	for (i = 0; i < BOZMAN_SIZES; i++)
		w->b->size[i].hold *= factor[bozman_band(w->b->size[i].size)];
	bozman_count(w->b);
}

/* The argument for which a statistic that rises with it is the paper's. */
static void bozman_solve(const struct bozman_work *w, enum bozman_stat stat,
			 double low, double high,
			 void (*set)(const struct bozman_work *, double))
{
	unsigned int i;

	for (i = 0; i < BOZMAN_STEPS; i++) {
		double middle = (low + high) / 2;

		set(w, middle);
		if (w->b->made[stat] < w->b->paper[stat])
			low = middle;
		else
			high = middle;
	}
}

/* A reading by its name; NULL is ours. */
void bozman_read(struct bozman *b, enum bozman_system system,
		 const char *reading)
{
	struct bozman_work w = { .b = b, .known = bozman_known[system] };
	const struct bozman_reading *r = bozman_reading;
	unsigned int i;

	while (reading && strcmp(r->name, reading))
		r++;
	w.spread = r->spread;
	if (r->middle)
		w.known.requests[BOZMAN_MIDDLE] = r->middle;
	memcpy(b->paper, w.known.paper, sizeof(b->paper));
	for (i = 0; i < BOZMAN_SIZES; i++)
		b->size[i] = (struct bozman_size){
			.size = (i + 1) * BOZMAN_STEP,
		};
	bozman_solve(&w, BOZMAN_SIZE, -12, 12, bozman_rates);
	bozman_solve(&w, BOZMAN_BYTES, -4, 4, bozman_holds);
}

void bozman_make(struct bozman *b, enum bozman_system system)
{
	bozman_read(b, system, NULL);
}
