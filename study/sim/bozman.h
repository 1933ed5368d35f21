/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests for storage in two time-shared systems (Bozman et al. 1984), as far as
 * is known: for each block size how often it is asked for, how long it is held.
 */
#ifndef BOZMAN_H
#define BOZMAN_H

#define BOZMAN_STEP	8
#define BOZMAN_SIZES	(4096 / BOZMAN_STEP)

/* The statistics of Brent's table 7.1 (1984), in its order. */
enum bozman_stat {
	BOZMAN_REQUESTS,	/* a second */
	BOZMAN_LIVE,		/* blocks, in the mean */
	BOZMAN_BYTES,		/* asked for by those */
	BOZMAN_SIZE,		/* bytes of a request */
	BOZMAN_LIFETIME,	/* seconds */
	BOZMAN_STATS
};

extern const char * const bozman_stat_name[BOZMAN_STATS];

struct bozman_size {
	unsigned int size;
	double rate;		/* requests a second: 1 / I_s */
	double hold;		/* seconds: H_s */
};

struct bozman {
	double paper[BOZMAN_STATS];
	double made[BOZMAN_STATS];	/* the same of what follows */
	struct bozman_size size[BOZMAN_SIZES];
};

enum bozman_system {
	BOZMAN_CAMBRIDG,
	BOZMAN_YKTVMV,
};

/* What is chosen, besides the statistics. */
struct bozman_reading {
	const char *name;
	double spread;		/* log of the longest time over the mean of its band */
	double middle;		/* part of the requests that are for 128 to 512 bytes */
};

extern const char * const bozman_readings[];	/* their names; the first is ours */

void bozman_make(struct bozman *b, enum bozman_system system);
void bozman_read(struct bozman *b, enum bozman_system system,
		 const char *reading);

#endif /* BOZMAN_H */
