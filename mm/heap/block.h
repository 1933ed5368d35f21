/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks inside a page.
 *
 * A free block has a word: the number of the next free block of its page, or
 * CP_NIL, mixed with the key of the cache and with its own address; in a pool the
 * place of the next one (strategy_pool.c).  A live block has none, since an
 * allocation clears it.  So a block is told to be free by one comparison, and a
 * word that was written over leads nowhere.
 */
#ifndef CP_BLOCK_H
#define CP_BLOCK_H

#include "heap/heap.h"

#define CP_WORD_SIZE	sizeof(u64)
#ifndef CP_WORD_AT		/* the lab may have it beside the memory */
#define CP_WORD_AT(addr)	((u64 *)(addr))
#define CP_BLOCK_MIN		CP_WORD_SIZE
#endif
#define CP_WORD_MAX	(BIT_ULL(48) - 1)	/* of both */

void cp_block_format(const struct curpage_cache *cache, struct cp_page *p);
unsigned int cp_block_link_all(const struct curpage_cache *cache, void *base,
			       unsigned int begin);
size_t cp_block_pop(const struct curpage_cache *cache, void *base, u16 *top,
		    unsigned int left, size_t n, void **objs);
unsigned int cp_block_chain(const struct curpage_cache *cache, void *base,
			    void **objs, unsigned int n, u16 *top);
unsigned int cp_block_walk(const struct curpage_cache *cache, void *base,
			   unsigned int nr, unsigned int count,
			   unsigned int *last);
bool cp_block_stack_ok(const struct curpage_cache *cache, void *base,
		       unsigned int top, unsigned int n, unsigned int *last);
bool cp_block_listed(const struct curpage_cache *cache, void *base,
		     unsigned int top, unsigned int nr);
unsigned int cp_block_count_free(const struct curpage_cache *cache, void *base);
void cp_block_init_alloc(const struct curpage_cache *cache, void *obj,
			 gfp_t gfp);
void cp_block_init_free(const struct curpage_cache *cache, void *obj);
int cp_block_check(const struct curpage_cache *cache, struct cp_page *p,
		   unsigned int top, unsigned int count, unsigned long *seen);

/*
 * The number of the block that starts so far into its page, less than span, if
 * one does.  With magic = 2^32 / stride rounded up, and offset q * stride + r,
 * the lower half of the product is less than magic only for r = 0.
 */
static __always_inline bool cp_block_at(const struct curpage_cache *cache,
					unsigned long offset, unsigned int *nr)
{
	u64 product = offset * cache->magic;

	if (unlikely((u32)product >= cache->magic))
		return false;
	*nr = product >> 32;
	return true;
}

/* The same for a pointer into a page of the cache. */
static __always_inline bool cp_block_nr(const struct curpage_cache *cache,
					const void *obj, unsigned int *nr)
{
	unsigned long offset = offset_in_page(obj);

	return offset < cache->span && cp_block_at(cache, offset, nr);
}

static __always_inline u64 *cp_block_word(const struct curpage_cache *cache,
					  void *base, unsigned int nr)
{
	return CP_WORD_AT(base + nr * cache->stride + cache->link);
}

/* The word of a block for its tag, in a cache with CP_CACHE_TAGS. */
static inline u64 *cp_block_tag(const struct curpage_cache *cache, void *obj)
{
	unsigned int nr = 0;

	cp_block_nr(cache, obj, &nr);
	return obj - offset_in_page(obj) + PAGE_SIZE - (nr + 1) * CP_TAG_SIZE;
}

static inline void cp_cache_tag(const struct curpage_cache *cache, void *obj)
{
	if (cache->flags & CP_CACHE_TAGS)
		cp_tag_set(cp_block_tag(cache, obj), cache->stride);
}

static inline enum cp_bad cp_cache_untag(const struct curpage_cache *cache,
					 void *obj)
{
	if (!(cache->flags & CP_CACHE_TAGS) ||
	    cp_tag_take(cp_block_tag(cache, obj), cache->stride))
		return CP_OK;
	return CP_BAD_REDZONE;
}

/* What a word is mixed with. */
static __always_inline u64 cp_word_mask(const struct curpage_cache *cache,
					const u64 *word)
{
	return cache->key ^ (unsigned long)word;
}

/*
 * The block becomes free; next is the number of the one behind it, or CP_NIL.  It
 * comes to the upper end of the word, where addresses do not differ: so a copy of a
 * word says nothing at another place.
 */
static __always_inline void cp_word_seal(const struct curpage_cache *cache,
					 u64 *word, u64 next)
{
	WRITE_ONCE(*word, cp_word_mask(cache, word) ^ ror64(next, 16));
}

/* What cp_word_seal() was told; more than CP_NIL: the block is not free. */
static __always_inline u64 cp_word_open(const struct curpage_cache *cache,
					const u64 *word)
{
	return rol64(READ_ONCE(*word) ^ cp_word_mask(cache, word), 16);
}

/*
 * Does the word of a block that somebody frees say that it is free?  READ_ONCE()
 * would cost an instruction.
 */
static __always_inline bool cp_word_is_free(const struct curpage_cache *cache,
					    const u64 *word)
{
	/* The block is its caller's, or this is a misuse. */
	return !((data_race(*word) ^ cp_word_mask(cache, word)) << 16);
}

/* The same of a block that may be in a pool: is the word up to CP_WORD_MAX? */
static __always_inline bool cp_word_may_be_free(const struct curpage_cache *cache,
						const u64 *word)
{
	if (!CP_STUDY)
		return cp_word_is_free(cache, word);
	/* As above. */
	return !((data_race(*word) ^ cp_word_mask(cache, word)) &
		 GENMASK_ULL(47, 32));
}

#endif /* CP_BLOCK_H */
