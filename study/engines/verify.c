// SPDX-License-Identifier: GPL-2.0
/*
 * The reference for every engine: which bytes belong to a block, and what its
 * user has written there.
 */
#include "run.h"

#define VERIFY_PAGE	4096UL
#define VERIFY_EVERY	512	/* events from one check of all memory to the next */

static u8 *verify_page(struct engine_verify *v, unsigned long page)
{
	u8 *bits = xa_load(&v->pages, page);

	if (bits)
		return bits;
	bits = calloc(1, VERIFY_PAGE / 8);
	if (bits && xa_err(xa_store(&v->pages, page, bits, GFP_KERNEL))) {
		free(bits);
		bits = NULL;
	}
	return bits;
}

/* Marks the bytes as taken or not; false if one of them is so already. */
static bool verify_mark(struct engine_verify *v, char *block, size_t size,
			bool taken)
{
	unsigned long at = (unsigned long)block, end = at + size;

	while (at < end) {
		u8 *bits = verify_page(v, at / VERIFY_PAGE);
		unsigned long stop = min(end, (at / VERIFY_PAGE + 1) * VERIFY_PAGE);

		if (!bits)
			return false;
		for (; at < stop; at++) {
			u8 bit = 1U << at % 8;
			u8 *byte = &bits[at % VERIFY_PAGE / 8];

			if (!!(*byte & bit) == taken)
				return false;
			*byte ^= bit;
		}
	}
	return true;
}

static u8 verify_byte(u32 id, size_t place)
{
	return (id * 2654435761U >> 11) + place * 7;
}

const char *engine_verify_alloc(struct engine_verify *v, struct engine *e,
				char *block, u32 id, size_t size)
{
	size_t i;

	if ((unsigned long)block % e->kind->align)
		return "a block is not aligned as the row says";
	if (!e->kind->outside &&
	    (block < e->base || block + size > e->base + e->end))
		return "a block lies outside of the engine's memory";
	if (!verify_mark(v, block, size, true))
		return "a block lies over another";
	for (i = 0; i < size; i++)
		block[i] = verify_byte(id, i);
	v->live += size;
	return NULL;
}

const char *engine_verify_block(const char *block, u32 id, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if ((u8)block[i] != verify_byte(id, i))
			return "what was in a block is not there any more";
	return NULL;
}

const char *engine_verify_free(struct engine_verify *v, char *block, u32 id,
			       size_t size)
{
	const char *why = engine_verify_block(block, id, size);

	if (why)
		return why;
	if (!verify_mark(v, block, size, false))
		return "a block that is freed was none";
	v->live -= size;
	return NULL;
}

/* After each event; the whole memory from time to time. */
const char *engine_verify_memory(struct engine_verify *v, struct engine *e)
{
	if (e->kind->used(e) < v->live)
		return "less memory is used than is live";
	if (!e->kind->outside && e->end > e->limit)
		return "more memory is used than was given";
	if (++v->events % VERIFY_EVERY || !e->kind->check)
		return NULL;
	return e->kind->check(e);
}

void engine_verify_end(struct engine_verify *v)
{
	unsigned long index;
	void *bits;

	xa_for_each(&v->pages, index, bits)
		free(bits);
	xa_destroy(&v->pages);
}
