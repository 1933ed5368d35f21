/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interleaving test: mm/ with several CPUs, in every order of steps.
 *
 * Actors are coroutines, each bound to a CPU.  Every memory access of mm/ is a
 * step: mm/ is built with the compiler's hooks for a thread sanitizer, which
 * access.c implements.  Before a step that another actor may notice, sched.c
 * tries each actor that can run as the next.
 *
 * Memory is sequentially consistent: all CPUs see a step at once, except stores
 * to claims in the cases marked late (store.c).  Other reordering is not tried;
 * mm/arena/claim.h and mm/heap/remote.c argue about it.
 */
#ifndef INTER_H
#define INTER_H

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

#define INTER_ACTORS	3

/* An interrupt runs on top of any task of its CPU, to its end. */
struct inter_actor {
	const char *name;
	int cpu;
	void (*run)(void);
	bool interrupt;
};

/* A case, which is repeated for each order of steps. */
struct inter_case {
	const char *name;
	unsigned int size;	/* of the cache's blocks */
	bool offends;		/* on purpose: do not print messages */
	bool misuse;		/* offends at any step, without harm */
	bool may_pass;		/* misuse that an order may leave unreported */
	bool late;		/* other CPUs see stores to claims late */
	void (*setup)(void);
	struct inter_actor actor[INTER_ACTORS];
	void (*check)(void);	/* before everything is freed and drained */
};

/* A step about to be made. */
struct inter_access {
	const char *addr;	/* NULL: start of an actor */
	size_t size;
	bool write;
	bool plain;		/* no READ_ONCE(), atomic or such */
	const void *where;	/* address of the code */
	int calls;		/* CPU that it interrupts plus 1, or 0 */
};

/* sched.c: run actors in every order. */
extern bool inter_brief;	/* do not print the order that failed */
extern bool inter_all;		/* try orders that end alike, too */
extern const struct inter_case *inter_case;	/* being tried */

void inter_about_to(const struct inter_access *a);
bool inter_late(void);
bool inter_running(void);
unsigned int inter_me(void);
bool inter_on_stack(const void *addr);
unsigned long inter_explore(const struct inter_case *c, unsigned long *ends);
void inter_fail(const char *fmt, ...) __attribute__((__noreturn__));

#define INTER_EXPECT(cond) do {						\
	if (!(cond))							\
		inter_fail("%s:%d: not so: %s", __FILE__, __LINE__, #cond);	\
} while (0)

/* access.c: accesses by actor. */
bool inter_shared(const struct inter_access *a, bool *fresh);
void inter_forget(void);
void inter_forget_objects(void);

/* store.c: stores that others see late. */
void inter_look_from(int cpu);
void inter_tell(int cpu);
void inter_store_late(void *addr);
const char *inter_untold(int cpu);

/* claims.c: bare claims. */
#define INTER_CLAIMS	3

bool inter_claim_use(unsigned int i);
void inter_claims_borrow(unsigned int from);
void inter_claims_reset(void);
unsigned int inter_claims_used(void);

/* world.c: the cache, its blocks, and actions on its heap. */
#define INTER_BLOCKS	8
#define INTER_FILL	0xee	/* a byte of live blocks */
#define INTER_FILLED	512	/* of these bytes in a live block */

extern struct curpage_cache *inter_cache;
extern struct curpage_cache *inter_other;	/* second cache, or NULL */
extern void *inter_block[INTER_BLOCKS];		/* live blocks, else NULL */
extern unsigned long inter_offences;	/* double frees that are due */

void inter_begin(const struct inter_case *c);
u64 inter_state(void);
void inter_end(void);
void inter_init_arena(void);
struct cp_heap *inter_heap(int cpu);
void inter_heap_anew(struct cp_heap *h, int cpu);
void inter_alloc(unsigned int nr);
void inter_free(unsigned int nr);
void inter_setup_blocks(unsigned int n);
void inter_free_rest(void);
void inter_drain(void);
void inter_take_pages(void);
void inter_retune(void);
void inter_begin_pool(void);
void inter_cpu_0_dies(void);

/* cases.c */
extern const struct inter_case inter_cases[];

/* misuse.c */
extern const struct inter_case inter_misuse_cases[];
void inter_end_misuse(void);

#endif /* INTER_H */
