// SPDX-License-Identifier: GPL-2.0
/* The memory of an engine: addresses are reserved, pages come when touched. */
#include <sys/mman.h>

#include "engine.h"

#define ENGINE_ALIGN	SZ_1M
#define PAGE_ALIGN(at)	ALIGN(at, PAGE_SIZE)

bool engine_memory(struct engine *e, size_t limit)
{
	char *at = mmap(NULL, ENGINE_SPACE + ENGINE_ALIGN, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED) {
		perror("lab: memory of an engine");
		return false;
	}
	e->base = (char *)ALIGN((unsigned long)at, ENGINE_ALIGN);
	munmap(at, e->base - at);
	munmap(e->base + ENGINE_SPACE, at + ENGINE_ALIGN - e->base);
	e->end = 0;
	e->limit = min(limit, ENGINE_SPACE);
	return true;
}

void engine_memory_free(struct engine *e)
{
	munmap(e->base, ENGINE_SPACE);
	e->base = NULL;
}

void *engine_grow(struct engine *e, size_t bytes)
{
	char *at = e->base + e->end;

	if (bytes > e->limit - e->end)
		return NULL;
	e->end += bytes;
	return at;
}

void engine_shrink(struct engine *e, size_t bytes)
{
	size_t from = PAGE_ALIGN(e->end - bytes);

	if (from < e->end)
		madvise(e->base + from, PAGE_ALIGN(e->end) - from,
			MADV_DONTNEED);
	e->end -= bytes;
}

/* A reference to memory from at on: each page of it, once. */
void engine_touch(struct engine *e, const void *at, size_t bytes)
{
	size_t from = (const char *)at - e->base;
	size_t page;

	if (from >= ENGINE_SPACE)
		return;
	for (page = from >> PAGE_SHIFT;
	     page <= (from + bytes - 1) >> PAGE_SHIFT; page++)
		sim_lru_touch(e->paging, page);
}
