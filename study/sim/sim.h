/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that use the allocator, and what they cost: page faults in a
 * simulated memory, storage efficiency, items visited, time of the CPU.
 *
 * A load is a row of sim_loads[] (sim.c).  Its run() allocates with sim_alloc(),
 * names each of its references to memory with sim_touch(), and says what time
 * it is with sim_clock().
 */
#ifndef SIM_H
#define SIM_H

#include "lab.h"

#define SIM_SAMPLES	400
#define SIM_NOTES	32
#define SIM_CACHES	1024

struct sim;

struct sim_load {
	const char *name;
	const char *about;
	double seconds;		/* unless told otherwise; 0: it ends by itself */
	double warmup;		/* not measured; likewise */
	const char * const *variants;	/* the first is the default; or NULL */
	int (*run)(struct sim *s);
	/* How many blocks of each size are live, for a map that suits it; or NULL. */
	void (*sizes)(const struct sim *s, struct cp_map_load *t);
};

struct sim_settings {
	const struct cp_strategy *strategy;
	const struct sim_load *load;
	unsigned int freetol;
	unsigned int phi0;	/* if not 0, instead of freetol */
	unsigned int keep;
	double seconds, warmup;	/* below 0: as the load has it */
	double rate;		/* requests, as a multiple of what the load has */
	double first_rate;	/* the same during the warm-up; 0: the same */
	u64 seed;
	const char *variant;	/* or NULL */
	struct sim_lru lru;
	const char *sizemap;	/* as sizemap= of the module, or best */
	bool best;		/* to the load */
	bool json;
};

struct sim_sample {
	double time;
	unsigned long live, used, pages;
	u64 faults;		/* of the smallest working set */
};

/* What is counted from the start; what happened after the warm-up is a difference. */
struct sim_count {
	u64 allocs, frees, refills;
	u64 items;
	u64 refs;
	u64 faults[SIM_SETS];
};

struct sim_note {
	const char *name;
	double value;
};

struct sim {
	const struct sim_settings *set;
	double seconds, warmup;
	u64 random;			/* state of sim_random() */
	struct curpage_cache *cache;	/* of blocks of one size, or NULL */
	struct sim_lru lru;

	double now;
	bool measuring;
	unsigned long live, requested;	/* blocks, and bytes asked for */
	unsigned long empty;		/* pages in S2, of all caches */
	u32 seen[SIM_CACHES];		/* the same, by the number of the cache */
	unsigned long idle;		/* pages of first fit without a block */
	double next_idle;		/* when they are counted again */
	unsigned long live_peak, used_peak, pages_peak;
	/* Since the start; when measuring started; when it stopped. */
	struct sim_count count, before, after;

	/* Sums over the time since then. */
	double requested_time, used_time, pages_time, live_time;
	double since;			/* measured from here */
	double cpu;			/* seconds, of all of the load */
	double next_sample;
	bool stopped;

	unsigned int nr_samples, nr_notes;
	struct sim_sample sample[SIM_SAMPLES + 1];
	struct sim_note note[SIM_NOTES];
};

/* sim.c: for loads. */
void sim_cache(struct sim *s, unsigned int size);
void *sim_alloc(struct sim *s, size_t size);
void sim_free(struct sim *s, void *block, size_t size);
void sim_clock(struct sim *s, double now);
void sim_stop(struct sim *s);
void sim_note(struct sim *s, const char *name, double value);
bool sim_variant(const struct sim *s, const char *name);
double sim_rate(const struct sim *s);

static inline void sim_touch(struct sim *s, const void *block)
{
	sim_lru_touch(&s->lru, ((char *)block - lab.memory) >> PAGE_SHIFT);
}

/* fit.c */
unsigned long sim_fit_idle(void);

/* random.c: numbers of a load, which follow from its seed. */
u64 sim_random(struct sim *s);
double sim_uniform(struct sim *s);
double sim_exponential(struct sim *s, double mean);

/* print.c */
void sim_print_json(const struct sim *s, FILE *to);
void sim_print_table(const struct sim *s, FILE *to);

/* options.c: the command line, and the table of loads. */
extern const struct sim_load * const sim_loads[];
const struct sim_load *sim_load_find(const char *name);
int sim_run(const struct sim_settings *settings);

#endif /* SIM_H */
