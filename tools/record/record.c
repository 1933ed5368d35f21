// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder, loaded before a program's libraries (LD_PRELOAD): each request for
 * memory goes to the allocator behind it, and into a file that is mapped shared.
 *
 * Events are numbered by one counter.  A block is recorded after it was allocated
 * and before it is freed, so an address that another thread gets is recorded after
 * the end of the block that was there, and never between a block's start and end.
 * What realloc() does is both, so it is recorded twice, before and after.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raw.h"
#include "store.h"

#define EARLY_BYTES	65536

#define PUBLIC		__attribute__((visibility("default")))
#define unlikely(x)	__builtin_expect(!!(x), 0)

static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t nr, size_t size);
	void *(*realloc)(void *block, size_t size);
	void *(*memalign)(size_t align, size_t size);
	void *(*aligned_alloc)(size_t align, size_t size);
	int (*posix_memalign)(void **block, size_t align, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	void (*free)(void *block);
} real;

/* What dlsym() itself asks for: never freed, and not the program's. */
static char early[EARLY_BYTES] __attribute__((aligned(16)));
static size_t early_used;
static int resolving;

static int is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early < EARLY_BYTES;
}

static void *early_alloc(size_t size)
{
	void *block = early + early_used;

	if (size > EARLY_BYTES - early_used - 16)
		return NULL;
	early_used += (size + 15) & ~(size_t)15;
	return block;
}

static void resolve(void)
{
	resolving = 1;
	real.calloc = dlsym(RTLD_NEXT, "calloc");
	real.realloc = dlsym(RTLD_NEXT, "realloc");
	real.memalign = dlsym(RTLD_NEXT, "memalign");
	real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	real.valloc = dlsym(RTLD_NEXT, "valloc");
	real.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
	real.free = dlsym(RTLD_NEXT, "free");
	real.malloc = dlsym(RTLD_NEXT, "malloc");
	resolving = 0;
}

/* False while the allocator behind is being looked for. */
static inline int ready(void)
{
	if (unlikely(!real.malloc)) {
		if (resolving)
			return 0;
		resolve();
	}
	return 1;
}

/* Returns the event's number. */
static inline uint64_t record(enum raw_what what, const void *block,
			      uint64_t value)
{
	int behind = what == RAW_RESIZED || value >= RAW_BEHIND;
	uint64_t number, *place = store_next(1 + behind, &number);

	if (!place)
		return number;
	if (unlikely(behind)) {
		place[1] = value << RAW_WHAT_BITS | RAW_VALUE;
		value = RAW_BEHIND;
	}
	/* Last, so that an event that is there is whole. */
	__atomic_store_n(place, (uintptr_t)block | what |
			 value << RAW_VALUE_SHIFT, __ATOMIC_RELEASE);
	return number;
}

static inline void *record_alloc(void *block, size_t size)
{
	if (block)
		record(RAW_ALLOC, block, size);
	return block;
}

PUBLIC void *malloc(size_t size)
{
	if (unlikely(!ready()))
		return early_alloc(size);
	return record_alloc(real.malloc(size), size);
}

PUBLIC void *calloc(size_t nr, size_t size)
{
	/* The early memory is all zero, and a product too large never fits. */
	if (unlikely(!ready()))
		return nr && size > EARLY_BYTES / nr ? NULL :
		       early_alloc(nr * size);
	return record_alloc(real.calloc(nr, size), nr * size);
}

PUBLIC void free(void *block)
{
	if (!block || unlikely(is_early(block)))
		return;
	if (unlikely(!ready()))
		return;
	record(RAW_FREE, block, 0);
	real.free(block);
}

/* What C of 2023 calls free() where the size is known. */
PUBLIC void free_sized(void *block, size_t size)
{
	free(block);
}

PUBLIC void free_aligned_sized(void *block, size_t align, size_t size)
{
	free(block);
}

static void *leave_early(void *block, size_t size)
{
	size_t most = early + EARLY_BYTES - (char *)block;
	void *new = malloc(size);

	if (new)
		memcpy(new, block, size < most ? size : most);
	return new;
}

PUBLIC void *realloc(void *block, size_t size)
{
	uint64_t number;
	void *new;

	if (!block)
		return malloc(size);
	if (unlikely(is_early(block)) || unlikely(!ready()))
		return leave_early(block, size);
	number = record(RAW_RESIZE, block, size);
	new = real.realloc(block, size);
	record(RAW_RESIZED, new, number);
	return new;
}

PUBLIC void *reallocarray(void *block, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, bytes);
}

PUBLIC void *memalign(size_t align, size_t size)
{
	return ready() ? record_alloc(real.memalign(align, size), size) : NULL;
}

PUBLIC void *aligned_alloc(size_t align, size_t size)
{
	return ready() ? record_alloc(real.aligned_alloc(align, size), size) :
	       NULL;
}

PUBLIC int posix_memalign(void **block, size_t align, size_t size)
{
	int err = ready() ? real.posix_memalign(block, align, size) : ENOMEM;

	if (!err)
		record_alloc(*block, size);
	return err;
}

PUBLIC void *valloc(size_t size)
{
	return ready() ? record_alloc(real.valloc(size), size) : NULL;
}

/* Whole pages, at least one. */
PUBLIC void *pvalloc(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (!ready())
		return NULL;
	return record_alloc(real.pvalloc(size),
			    size ? (size + page - 1) & -page : page);
}

/* A program that asks for nothing has a recording too: that of nothing. */
__attribute__((constructor)) static void record_start(void)
{
	store_begin();
}
