/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lab fuzz: random right and wrong calls, judged from outside the allocator.
 *
 * The oracle knows the live block of every 8 bytes of memory, and every page
 * that belongs to others.  It tells for an address whether freeing it is right,
 * and if not, which reports are admissible.  It never asks the allocator.
 *
 * A run consists of rounds, each in a child process.  The seed of a round
 * determines the allocator's parameters, the caches and the calls.  Round n of
 * a run with seed S has seed S + n, so a round that failed can be repeated
 * alone.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../lab.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define FUZZ_NO_ASAN	__attribute__((__no_sanitize__("address")))
#else
#define ASAN_POISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#define FUZZ_NO_ASAN
#endif

#define FUZZ_ROUND	50000	/* operations of a round */
#define FUZZ_CACHES	10
#define FUZZ_UNIT	8	/* bytes with the same owner */

/* Kinds of misuse, as in --kinds. */
enum fuzz_misuse {
	FUZZ_DOUBLE,		/* free a block twice, at once or later */
	FUZZ_BULK,		/* wrong blocks among right ones */
	FUZZ_WRONG_CACHE,
	FUZZ_INSIDE,
	FUZZ_FOREIGN,		/* free an address that is not curpage's */
	FUZZ_ORDER,		/* free a page block with a wrong order */
	FUZZ_LEAK,		/* destroy a cache with live blocks */
	FUZZ_OVERFLOW,		/* write past the end of a live block */
	FUZZ_LATE,		/* write to a free block */
	FUZZ_LATE_DOUBLE,	/* write to a free block, free it again */
	FUZZ_NR_MISUSES
};

#define FUZZ_WRITES	(BIT(FUZZ_OVERFLOW) | BIT(FUZZ_LATE) |		\
			 BIT(FUZZ_LATE_DOUBLE))

struct fuzz_settings {
	u64 seed;
	u64 ops;
	u64 misuse;		/* of 1,000 operations */
	unsigned int kinds;	/* bits of enum fuzz_misuse */
	const struct cp_strategy *strategy;	/* NULL for any */
};

/* How a block was allocated, or is freed. */
enum fuzz_way {
	FUZZ_CACHED,	/* curpage_cache_alloc(), _free() and in bulk */
	FUZZ_SIZED,	/* curpage_alloc(), _free() */
	FUZZ_PAGES,	/* curpage_alloc_pages(), _free_pages() */
};

struct fuzz_cache {
	struct curpage_cache *cache;	/* NULL: none */
	unsigned int size;
	bool check;
	bool ctor;
	bool plain;		/* the link of a free block is at its start */
	unsigned int live;
};

struct fuzz_block {
	void *addr;
	size_t size;		/* usable bytes */
	u64 fill;		/* that its owner wrote to each 8 bytes */
	struct fuzz_cache *cache;	/* or NULL */
	enum fuzz_way way;
	unsigned int order;
	int cpu;		/* that allocated it */
	bool smeared;		/* a neighbour wrote into it */
	bool red;		/* its red zone was written to */
	unsigned int at;	/* index in fuzz_live */
};

/* How fuzz_free() is to free an address. */
struct fuzz_how {
	enum fuzz_way way;
	struct fuzz_cache *cache;
	unsigned int order;
	int cpu;
	bool interrupt;		/* while the CPU holds a claim */
};

/* A freed block. */
struct fuzz_dead {
	void *addr;
	enum fuzz_way way;
	unsigned int order;
	unsigned int cache;	/* number, and generation of the cache */
	unsigned int made;
};

/* The answer of the oracle. */
struct fuzz_verdict {
	struct fuzz_block *right;	/* a right free of this block */
	unsigned int kinds;		/* else one of these is reported */
	bool sure;			/* false: may go unreported */
	bool skip;			/* the oracle does not know */
};

struct fuzz {
	const struct fuzz_settings *settings;
	u64 seed;		/* of this round */
	u64 op;
	u64 random;
	bool writes;		/* this round writes over memory */
	bool pooled;		/* this round has strategies with a pool */
	bool bounded;		/* this round has arena_max_mb */
	bool unsure;		/* a wrong free went untold: counts differ */
	bool refused;		/* a right free may have been refused */
	unsigned int wanted;	/* live blocks to approach */
	struct fuzz_cache cache[FUZZ_CACHES];
	unsigned int made[FUZZ_CACHES];
};

extern struct fuzz fuzz;

/* Counts of all rounds, in memory shared with the child processes. */
struct fuzz_counts {
	u64 allocs;
	u64 frees;
	u64 offences;
	u64 told[CP_NR_BAD];
	u64 overwrites;
	u64 checks;
	u64 others;	/* times that others took pages */
};

extern struct fuzz_counts *fuzz_counts;

/* fuzz.c */
extern const char * const fuzz_misuse_names[FUZZ_NR_MISUSES];

static inline u64 fuzz_random(u64 below)
{
	return lab_random(&fuzz.random) % below;
}

static inline bool fuzz_once_in(u64 n)
{
	return !fuzz_random(n);
}

/* oracle.c: log of calls, judgement of reports. */
void fuzz_oracle_init(void);
void fuzz_log(const char *fmt, u64 a, u64 b, u64 c);
void fuzz_fail(const char *fmt, ...) __attribute__((__noreturn__));
void fuzz_expect(unsigned int kinds, bool sure);
unsigned int fuzz_judge(void);
void fuzz_judge_check(void);
void fuzz_judge_made(void);
u64 fuzz_at(const void *addr);

/* blocks.c: live blocks and freed blocks. */
extern unsigned int fuzz_nr_live;

void fuzz_blocks_init(void);
struct fuzz_block *fuzz_owner(const void *addr);
struct fuzz_block *fuzz_pick(void);
struct fuzz_block *fuzz_live_at(unsigned int at);
void fuzz_check_new(const void *addr, size_t size, const struct fuzz_cache *c);
struct fuzz_block *fuzz_born(void *addr, size_t size, enum fuzz_way way,
			     struct fuzz_cache *cache);
void fuzz_verify(const struct fuzz_block *b);
void fuzz_verify_all(void);
void fuzz_dies(struct fuzz_block *b);
const struct fuzz_dead *fuzz_dead(unsigned int ago);

/* others.c: pages of others. */
void fuzz_others_init(void);
bool fuzz_is_curpages(const void *addr);
void fuzz_others_take(void);
void fuzz_others_give(void);
void fuzz_others_look(void);
void fuzz_others_look_all(void);
void fuzz_others_end(void);
void *fuzz_others_address(void);

/* overwrite.c: overwritten memory. */
void fuzz_overwrite_init(void);
void fuzz_overflow(void);
void fuzz_late(bool twice);
unsigned int fuzz_damages(void);
bool fuzz_damaged(const void *addr);
bool fuzz_damaged_link(const void *addr);
void fuzz_damage_freed(const void *addr);
bool fuzz_spoilt(const void *addr);
void fuzz_damage_told(unsigned int nr);
void fuzz_damage_gone(const void *addr, size_t size);
bool fuzz_run_damaged(const void *addr);
unsigned long fuzz_runs_damaged(void);
bool fuzz_quiet(void);

/* calls.c: calls for one block. */
void fuzz_enter(struct curpage_cache *cache, int cpu, bool interrupt);
void fuzz_leave(void);
void fuzz_alloc(void);
struct fuzz_verdict fuzz_ask(const void *addr, const struct fuzz_how *how);
void fuzz_free(void *addr, const struct fuzz_how *how);
void fuzz_free_right(struct fuzz_block *b);
void fuzz_ctor(void *block);

/* bulk.c */
void fuzz_alloc_bulk(void);
void fuzz_free_bulk(bool wrong);

/* caches.c: caches and the arena as a whole. */
void fuzz_caches_init(void);
struct fuzz_cache *fuzz_any_cache(void);
void fuzz_housekeeping(void);
void fuzz_destroy_live(void);
void fuzz_end_round(void);

/* misuse.c */
void fuzz_do_wrong(void);

#endif /* FUZZ_H */
