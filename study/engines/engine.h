/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocators of all times on the same requests.
 *
 * An engine is a row of a family (nielsen, johnstone-wilson, ...): a few
 * operations on memory of its own, one file for a family or a part of one.  A load
 * is a row as well, and makes a trace: requests in order.  engine_run() (run.c)
 * makes the requests of an engine and measures.  Who defines ENGINE_FAMILY() or
 * ENGINE_LOADS() is found by that alone.
 *
 * An engine's memory is a range of addresses of which it has taken the part below
 * end, as with sbrk().  It is real memory and may hold tags and pointers; what
 * users write into their blocks stays as it is until they are freed.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "lab.h"

#define ENGINE_SPACE	(1UL << 35)	/* bytes that an engine can take at most */

/* How e->why starts when something is not installed: then nobody is at fault. */
#define ENGINE_ABSENT	"not on this machine"

struct engine;
struct engine_trace;

/* One allocator: a row. */
struct engine_kind {
	const char *name;		/* nielsen-I-1, jw-first-fit-ao, ... */
	const char *about;		/* a few words */
	const void *row;		/* the family's own */
	unsigned int align;		/* blocks lie at multiples of it */
	unsigned int header;		/* bytes of a block beside what is asked for */
	bool fixed;			/* has all its memory from the start */
	bool outside;			/* blocks do not lie in the engine's memory */
	bool unbounded;			/* it takes what it wants, whatever e->limit is */
	/* False when it cannot; a fixed one takes e->limit bytes now. */
	bool (*start)(struct engine *e);
	void *(*alloc)(struct engine *e, size_t size);	/* or NULL */
	void (*free)(struct engine *e, void *block);
	/* Bytes that it has of the system; of a fixed one, those in blocks. */
	size_t (*used)(struct engine *e);
	/* Looks at all of it: what is wrong, or NULL.  May be missing. */
	const char *(*check)(struct engine *e);
	/* Another way of working from now on; false for what is none of tunes. */
	bool (*tune)(struct engine *e, const char *text);
	const char *tunes;		/* the texts that tune() takes */
	void (*stop)(struct engine *e);
};

struct engine_family {
	const char *name;
	const char *about;
	const struct engine_kind *kind;
	unsigned int nr;
};

#define ENGINE_FAMILY(family) \
	static const struct engine_family * const family##_entry \
	__attribute__((section("engine_families"), used)) = &(family)

/* One at work. */
struct engine {
	const struct engine_kind *kind;
	void *state;			/* the kind's own, from start() to stop() */
	char *base;			/* its memory: a multiple of 1 MiB */
	size_t end;			/* it has taken the bytes below */
	size_t limit;			/* and takes no more than this */
	u64 items;			/* looked at; see engine_visit() */
	u64 collections;		/* garbage collections, where there are any */
	struct sim_lru *paging;		/* or NULL */
	const char *why;		/* start() says why it cannot */
};

/* memory.c */
bool engine_memory(struct engine *e, size_t limit);
void engine_memory_free(struct engine *e);
/* More memory, behind what it has: where it starts; NULL at the limit. */
void *engine_grow(struct engine *e, size_t bytes);
/* Gives the last bytes back; what was in there is lost. */
void engine_shrink(struct engine *e, size_t bytes);
void engine_touch(struct engine *e, const void *at, size_t bytes);

/*
 * An item is looked at: a free block on a list, a list's head that is tried, a
 * neighbour that may be free, a block in a walk through memory.  at is where its tag
 * or pointer lies, or NULL when that is no memory of the engine's.
 */
static inline void engine_visit(struct engine *e, const void *at)
{
	e->items++;
	if (unlikely(e->paging) && at)
		engine_touch(e, at, 1);
}

/* A request: size bytes for a new block, or with size 0 its end. */
struct engine_event {
	u32 id;
	u32 size;
};

/* Requests in order; IDs are small numbers, used again when they are free. */
struct engine_trace {
	struct engine_event *event;
	size_t nr, room;
	size_t warm;		/* events of the start, not measured */
	u32 ids;		/* each is below */
	u32 *size;		/* by ID: of the block that is live, else 0 */
	size_t live, live_peak;		/* bytes */
	size_t blocks, blocks_peak;
	u64 allocs, frees, asked;	/* asked: bytes in all */
	bool short_of_memory;
};

struct engine_load {
	const char *name;
	const char *about;
	const void *row;
	/* False when it cannot; appends all requests. */
	bool (*make)(struct engine_trace *t, const struct engine_load *l,
		     u64 seed);
};

#define ENGINE_LOADS(family, loads, number) \
	static const struct engine_load_family family = \
		{ .load = loads, .nr = number }; \
	static const struct engine_load_family * const family##_entry \
	__attribute__((section("engine_loads"), used)) = &(family)

struct engine_load_family {
	const struct engine_load *load;
	unsigned int nr;
};

/* trace.c: for loads.  IDs are the caller's: small ones, live or not. */
void engine_trace_alloc(struct engine_trace *t, u32 id, u32 size);
void engine_trace_free(struct engine_trace *t, u32 id);
void engine_trace_end(struct engine_trace *t);
/* From a file, plain or gzip; 0, or an exit status when why was said. */
int engine_trace_read(struct engine_trace *t, const char *path);

#endif /* ENGINE_H */
