/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the lab offer, by file. */
#ifndef LAB_H
#define LAB_H

#include <time.h>

#include "arena/stock.h"
#include "arena/system.h"
#include "cache/borrow.h"
#include "cache/cache.h"
#include "heap/debug.h"
#include "heap/harden.h"
#include "heap/remote.h"
#include "heap/report.h"
#include "large/large.h"
#include "size/size.h"
#include "watch/watch.h"
#include "options.h"
#include "replay.h"
#include "lru.h"

/* Exit statuses: 0 is success. */
#define LAB_FAILED	1	/* out of memory, or a fault of mm/ */
#define LAB_BAD		2	/* a bad argument or a bad trace */

/* trace.c: read a trace from a file, gzip or plain. */
int lab_trace(struct replay *r, const char *path, bool progress);

/* chunks.c: lend the chunks that a kernel was lent. */
struct lab_chunk {
	unsigned long pfn;
	unsigned int order;
};

int lab_chunks_start(const char *path);
const char *lab_chunks_why(void);
const char *lab_chunks_left(void);

/* run.c: a replay from start to end. */
#define LAB_ORDERS	CP_MAX_CLASSES	/* index of page blocks of order 0 */
#define LAB_FIT		(LAB_ORDERS + CP_NR_ORDERS)
#define LAB_CLASSES	(LAB_FIT + 1)

struct lab_peak {
	unsigned long now;
	unsigned long peak;
};

/*
 * Counters of a size class, of page blocks of an order, of first fit, or all.
 */
struct lab_class {
	struct curpage_cache *cache;	/* of a size class, else NULL */
	char name[CP_NAME_LEN];
	unsigned long stat[CP_NR_HEAP_STATS];
	struct lab_peak live;
	struct lab_peak pages;
};

struct lab_settings {
	struct cp_cache_defaults defaults;
	const char *sizemap;	/* as sizemap= of the module */
	unsigned int buddy;	/* enum cp_buddy_policy_id */
	const char *desired;	/* as desired= of the module */
	unsigned int chunk_order;
	unsigned long min_mb, max_mb;	/* max_mb: 0 for no bound */
	bool apart;
	unsigned int stock;	/* pages of each order */
	u64 harden_seed;	/* 0: fresh blocks in rising order */
	struct sim_lru lru;	/* working sets, if any */
	bool json;
	bool placements;
	bool progress;
	const char *chunks;	/* the path of a chunk script, or NULL */
	unsigned long sample;	/* events between samples; 0: none */
};

struct lab_paging {
	struct sim_lru lru;
	struct xarray sizes;	/* by ID: bytes asked for, while live */
	u64 asked_now;
	double asked, bytes;	/* sums over all events */
	u64 items, allocs;
	clock_t start;
	double cpu;
};

/* record.c: samples and places, kept during a replay. */
struct lab_sample {
	unsigned long events;
	unsigned long live;
	unsigned long pages;		/* in use, or kept empty by a cache */
	unsigned long held;
};

struct lab_fresh_page {
	unsigned int cache;
	unsigned long pfn;
};

struct lab_record {
	struct lab_sample *sample;
	unsigned long nr_samples;
	struct lab_fresh_page *page;
	unsigned long nr_pages;
	struct lab_chunk *run;		/* pages that first fit took */
	unsigned long nr_runs;
};

struct lab_run {
	struct replay replay;		/* first: cast back by its callbacks */
	const struct lab_settings *settings;
	struct lab_record record;
	unsigned int first_cache;	/* ID of the first class's cache */
	struct lab_class class[LAB_CLASSES];
	struct lab_class total;
	struct lab_peak held;
	struct lab_paging paging;	/* with --working-set */
};

/* paging.c: page faults, efficiency, items visited, time. */
u64 lab_items(u64 allocs, u64 frees, u64 refills);
bool lab_paging_start(struct lab_paging *p, const struct sim_lru *lru);
void lab_paging_event(struct lab_paging *p, const struct replay_event *e,
		      unsigned long pages);
void lab_paging_stop(struct lab_paging *p, const struct lab_class *total);
void lab_paging_print(const struct lab_paging *p, FILE *to);
void lab_paging_json(const struct lab_paging *p, FILE *to);
void lab_paging_end(struct lab_paging *p);

void lab_record_sample(struct lab_record *rec, unsigned long events,
		       unsigned long live, unsigned long pages);
void lab_record_page(struct lab_record *rec, unsigned int cache,
		     unsigned long pfn);
void lab_record_run(struct lab_record *rec, unsigned long pfn,
		    unsigned int order);
void lab_record_free(struct lab_record *rec);
void lab_print_samples(const struct lab_record *rec, FILE *to);
void lab_json_samples(const struct lab_record *rec, FILE *to);
void lab_json_pages(const struct lab_run *run, FILE *to);

/* print.c: print the counters. */
void lab_print_table(const struct lab_run *run, FILE *to);
void lab_print_json(struct lab_run *run, FILE *to);
void lab_print_placements(struct replay *r, FILE *to);

/* random.c: draw a number, and advance the state. */
u64 lab_random(u64 *state);

/*
 * gen.c: make a random trace, with at most live blocks, or as many as the
 * profile has if that is 0.  Return: false without memory.
 */
struct lab_gen_to {
	void (*alloc)(void *data, u32 id, u32 size);
	void (*free)(void *data, u32 id);
	void *data;
};

bool lab_gen_make(const char *profile, u64 seed, u64 events, u64 live,
		  const struct lab_gen_to *to);

#endif /* LAB_H */
