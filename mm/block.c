// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks inside a page.  The free ones form a stack linked by their numbers, 16
 * bits each, so a link fits into the smallest block and one that was written
 * over can only lead to a block of the same page.  It is kept in the block, or
 * behind it where the block's contents have to survive (a constructor, red
 * zones).  Where the top of the stack is kept is the caller's business.
 */
#include "kernel.h"
#include "internal.h"

static void *cp_block_of(const struct curpage_cache *cache, void *base,
			 unsigned int nr)
{
	return base + nr * cache->stride;
}

static noinline void cp_block_construct(const struct curpage_cache *cache,
					void *base)
{
	unsigned int nr;

	for (nr = 0; nr < cache->capacity; nr++) {
		void *obj = cp_block_of(cache, base, nr);

		cp_debug_init(cache, obj);
		if (cache->ctor)
			cache->ctor(obj);
	}
}

/* All blocks of a page are free: link them in order, from number 0 on. */
void cp_block_link_all(const struct curpage_cache *cache, void *base)
{
	unsigned int nr, capacity = cache->capacity, stride = cache->stride;
	void *link = cp_block_link(cache, base, 0);

	/* This loop is the larger part of what a new page costs. */
#pragma GCC unroll 4
	for (nr = 1; nr < capacity; nr++, link += stride)
		*(u16 *)link = nr;
	*(u16 *)link = CP_NIL;
}

/*
 * Make a page of the arena a page of free blocks.  Blocks are stacked so that
 * the first allocations get rising addresses.
 */
void cp_block_format(const struct curpage_cache *cache, struct cp_page *p)
{
	void *base = cp_page_base(p);

	if (cache->flags & CURPAGE_CHECK || cache->ctor)
		cp_block_construct(cache, base);
	cp_block_link_all(cache, base);
	p->free = 0;
	p->nr_free = cache->capacity;
}

/*
 * Take up to n blocks from the top of a stack of left.  A link that somebody
 * wrote over is not followed: the free blocks behind it are given up and stay
 * counted as taken; *lost says how many.  Behind the last free block there is
 * none to lose.
 */
size_t cp_block_pop(const struct curpage_cache *cache, void *base, u16 *top,
		    unsigned int left, size_t n, void **objs,
		    unsigned int *lost)
{
	unsigned int nr = *top;
	size_t got = 0;

	*lost = 0;
	while (got < n && nr != CP_NIL) {
		u16 next = *cp_block_link(cache, base, nr);

		objs[got++] = cp_block_of(cache, base, nr);
		nr = next;
		if (unlikely(next >= cache->capacity || got == left)) {
			*lost = left - got;
			nr = CP_NIL;
		}
	}
	*top = nr;
	return got;
}

/*
 * Follow count blocks from nr on, or as many as there are before a link that
 * somebody wrote over; returns how many, and the last of them.  0 when one of
 * them is top, which is free already.
 */
unsigned int cp_block_walk(const struct curpage_cache *cache, void *base,
			   unsigned int nr, unsigned int count,
			   unsigned int top, unsigned int *last)
{
	unsigned int n;

	for (n = 1; nr != top; n++) {
		u16 next = *cp_block_link(cache, base, nr);

		*last = nr;
		if (n == count || next >= cache->capacity)
			return n;
		nr = next;
	}
	return 0;
}

/* Does a fresh block of this cache have to be zero? */
static bool cp_block_want_zero(const struct curpage_cache *cache, gfp_t gfp)
{
	return !cache->ctor &&
	       cp_debug_want_zero(cache->flags & CURPAGE_CHECK, gfp);
}

void cp_block_init_alloc(const struct curpage_cache *cache, void *obj,
			 gfp_t gfp)
{
	if (cp_block_want_zero(cache, gfp))
		memset(obj, 0, cache->size);
	else if (want_init_on_free() && !cache->link)
		/* The link is ours to wipe. */
		memset(obj, 0, min_t(size_t, CP_LINK_SIZE, cache->size));
}

void cp_block_init_free(const struct curpage_cache *cache, void *obj)
{
	if (want_init_on_free() && !cache->ctor &&
	    !(cache->flags & CURPAGE_CHECK))
		memset(obj, 0, cache->size);
}

/* The stack from top visits count different blocks and ends. */
int cp_block_check(const struct curpage_cache *cache, struct cp_page *p,
		   unsigned int top, unsigned int count, unsigned long *seen)
{
	void *base = cp_page_base(p);
	unsigned int block = top;
	unsigned int n = 0;

	while (block != CP_NIL) {
		if (block >= cache->capacity)
			return cp_broken("cache %s, pfn %lu: free list leads to block %u",
					 cache->name, cp_page_pfn(p), block);
		if (__test_and_set_bit(block, seen))
			return cp_broken("cache %s, pfn %lu: block %u is free twice",
					 cache->name, cp_page_pfn(p), block);
		block = *cp_block_link(cache, base, block);
		n++;
	}
	if (n != count)
		return cp_broken("cache %s, pfn %lu: %u free blocks, counted %u",
				 cache->name, cp_page_pfn(p), n, count);
	return 0;
}
