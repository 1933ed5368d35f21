// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks inside a page.  The free ones form a stack linked by 16-bit offsets
 * from the start of the page, so a link fits into the smallest block.  It is
 * kept in the block, or behind it where the block's contents have to survive
 * (a constructor, red zones).
 */
#include "kernel.h"
#include "internal.h"

static u16 *cp_block_link(const struct curpage_cache *cache, void *base,
			  unsigned int offset)
{
	return base + offset + cache->link;
}

/* Is this the offset of a block?  Then its number is where it should be. */
static bool cp_block_offset_ok(const struct curpage_cache *cache,
			       unsigned int offset)
{
	unsigned int nr = reciprocal_divide(offset, cache->recip);

	return nr < cache->capacity && nr * cache->stride == offset;
}

bool cp_block_valid(const struct curpage_cache *cache, struct cp_page *p,
		    const void *obj)
{
	return cp_block_offset_ok(cache, obj - cp_page_base(p));
}

/*
 * Make a page of the arena a page of free blocks.  Blocks are stacked so that
 * the first allocations get rising addresses.
 */
void cp_block_format(const struct curpage_cache *cache, struct cp_page *p)
{
	void *base = cp_page_base(p);
	unsigned int i, offset;

	for (i = 0, offset = 0; i < cache->capacity;
	     i++, offset += cache->stride) {
		bool last = i == cache->capacity - 1;

		cp_debug_init(cache, base + offset);
		if (cache->ctor)
			cache->ctor(base + offset);
		*cp_block_link(cache, base, offset) =
			last ? CP_NIL : offset + cache->stride;
	}
	p->free = 0;
	p->nr_free = cache->capacity;
}

/*
 * Take the top block.  A link that somebody wrote over must not lead us out
 * of the page: the free blocks behind it are given up and stay counted as
 * taken; *lost says how many.  Behind the last free block there is none to lose.
 */
void *cp_block_pop(const struct curpage_cache *cache, struct cp_page *p,
		   unsigned int *lost)
{
	void *base = cp_page_base(p);
	u16 *link = cp_block_link(cache, base, p->free);
	void *obj = base + p->free;
	u16 next = *link;

	p->nr_free--;
	*lost = 0;
	if (unlikely(p->nr_free ? !cp_block_offset_ok(cache, next) :
				  next != CP_NIL)) {
		*lost = p->nr_free;
		p->nr_free = 0;
		next = CP_NIL;
	}
	p->free = next;
	return obj;
}

/* May this block be pushed?  A double free shows in what is known already. */
enum cp_bad cp_block_free_ok(const struct curpage_cache *cache,
			     struct cp_page *p, const void *obj)
{
	if (p->nr_free >= cache->capacity ||
	    obj == cp_page_base(p) + p->free)
		return CP_BAD_DOUBLE;
	return CP_OK;
}

void cp_block_push(const struct curpage_cache *cache, struct cp_page *p,
		   void *obj)
{
	unsigned int offset = obj - cp_page_base(p);

	*cp_block_link(cache, obj, 0) = p->free;
	p->free = offset;
	p->nr_free++;
}

/* Does a fresh block of this cache have to be zero? */
static bool cp_block_want_zero(const struct curpage_cache *cache, gfp_t gfp)
{
	if (cache->ctor)
		return false;
	/* As in SLUB: poison is there to be seen, unless zero is asked for. */
	if (cache->flags & CURPAGE_CHECK)
		return gfp & __GFP_ZERO;
	return want_init_on_alloc(gfp);
}

void cp_block_init_alloc(const struct curpage_cache *cache, void *obj,
			 gfp_t gfp)
{
	if (cp_block_want_zero(cache, gfp))
		memset(obj, 0, cache->size);
	else if (want_init_on_free() && !cache->link)
		memset(obj, 0, sizeof(u16));	/* the link is ours to wipe */
}

void cp_block_init_free(const struct curpage_cache *cache, void *obj)
{
	if (want_init_on_free() && !cache->ctor &&
	    !(cache->flags & CURPAGE_CHECK))
		memset(obj, 0, cache->size);
}

/* The free list of a page visits nr_free different blocks and ends. */
int cp_block_check(const struct curpage_cache *cache, struct cp_page *p,
		   unsigned long *seen)
{
	void *base = cp_page_base(p);
	unsigned int offset = p->free;
	unsigned int nr = 0;

	bitmap_zero(seen, cache->capacity);
	while (offset != CP_NIL) {
		unsigned int block = reciprocal_divide(offset, cache->recip);

		if (!cp_block_offset_ok(cache, offset))
			return cp_broken("cache %s, pfn %lu: free list leads to offset %u",
					 cache->name, cp_page_pfn(p), offset);
		if (__test_and_set_bit(block, seen))
			return cp_broken("cache %s, pfn %lu: block %u is free twice",
					 cache->name, cp_page_pfn(p), block);
		offset = *cp_block_link(cache, base, offset);
		nr++;
	}
	if (nr != p->nr_free)
		return cp_broken("cache %s, pfn %lu: %u free blocks, counted %u",
				 cache->name, cp_page_pfn(p), nr, p->nr_free);
	return cp_debug_check_page(cache, p, seen);
}
