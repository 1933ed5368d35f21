/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulation of Kaufman 1980, section 4, on the arena of mm/.  Blocks are
 * allocated and freed at random in a memory of 4096 units.  The smallest block,
 * a page, has 4 units.  The paper's k-list is the list of order k - 2.
 */
#ifndef KAUFMAN_H
#define KAUFMAN_H

#include "../lab.h"

#define KAUFMAN_PAGE	4U		/* units */
#define KAUFMAN_UNITS	4096U
#define KAUFMAN_LARGEST	512U		/* of a request */
#define KAUFMAN_ORDERS	8		/* of 4 to 512 units */
#define KAUFMAN_ORDER	10		/* of all units */
#define KAUFMAN_MEANS	2
#define KAUFMAN_NR_SIZES	3

struct kaufman_settings;

/* A distribution of sizes. */
struct kaufman_sizes {
	const char *name;
	const char *about;
	double (*draw)(const struct kaufman_settings *s, double mean,
		       u64 *state);
	/* Return: the share of drawn sizes that are at most units. */
	double (*up_to)(const struct kaufman_settings *s, double mean,
			double units);
};

struct kaufman_settings {
	unsigned int policies;		/* bits of enum cp_buddy_policy_id */
	unsigned int sizes;		/* index in kaufman_sizes[] */
	unsigned int mean[KAUFMAN_MEANS], nr_means;	/* used in turn */
	unsigned int period;		/* for which each mean is used */
	unsigned int deviation;		/* normal sizes: percent of the mean */
	bool clamp;			/* to the bounds, or draw again */
	unsigned int lifetime, interarrival, units, reset;
	u64 seed;
	unsigned int runs;
	const char *desired;		/* NULL: computed from the sizes */
	const char *events;		/* file for the requests, or NULL */
	bool json;
};

struct kaufman_request {
	double time, life;
	unsigned int size;		/* units */
	unsigned int order;
};

struct kaufman_requests {
	struct kaufman_request *request;
	unsigned long nr, room;
};

/* Figures of a run, counted after the reset. */
enum kaufman_figure {
	KAUFMAN_REQUESTS,
	KAUFMAN_REFUSED,
	KAUFMAN_ASKED,		/* units asked for, refused or not */
	KAUFMAN_GIVEN,		/* units of the blocks for these */
	KAUFMAN_SEARCHES,
	KAUFMAN_SPLITS,
	KAUFMAN_MERGES,
	KAUFMAN_FREE,		/* sum of free units at each refusal */
	KAUFMAN_FIRST,		/* free units at the first refusal */
	KAUFMAN_SCATTERED,	/* mean units in blocks with a buddy in use */
	KAUFMAN_BLOCK,		/* units in the largest free block at the end */
	KAUFMAN_JOINED,		/* and after all pairs are merged */
	KAUFMAN_NR_FIGURES
};

struct kaufman_row {
	double v[KAUFMAN_NR_FIGURES];
};

/* Figures of a policy. */
struct kaufman_result {
	const struct cp_buddy_policy *policy;
	struct kaufman_row *run;
	struct kaufman_row total;
	unsigned long start[CP_NR_ORDERS];	/* free blocks at the start */
	u32 desired[CP_NR_ORDERS];		/* at the end of the last run */
};

/* sizes.c */
extern const struct kaufman_sizes kaufman_sizes[KAUFMAN_NR_SIZES];

bool kaufman_draw(const struct kaufman_settings *s, u64 seed,
		  struct kaufman_requests *r);
void kaufman_shares(const struct kaufman_settings *s, char *text, size_t size);
bool kaufman_write(const struct kaufman_settings *s,
		   const struct kaufman_requests *r);

/* run.c */
bool kaufman_run(const struct kaufman_settings *s,
		 const struct cp_desired *desired,
		 const struct kaufman_requests *r,
		 struct kaufman_result *result, struct kaufman_row *row);

/* print.c */
void kaufman_print(const struct kaufman_settings *s,
		   const struct kaufman_result *result);
void kaufman_json(const struct kaufman_settings *s,
		  const struct kaufman_result *result);

#endif /* KAUFMAN_H */
