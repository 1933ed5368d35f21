/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks inside a page.
 *
 * A free block has a word: the number of the next free block of its page, or
 * CP_NIL; in a pool, the place of the next free block (strategy_pool.c).  It is
 * mixed with the key of the cache and with its own address.  An allocation
 * clears the word.  So one comparison tells whether a block is free, and a word
 * that was written over leads nowhere.
 */
#ifndef CP_BLOCK_H
#define CP_BLOCK_H

#include "heap/heap.h"

#define CP_WORD_SIZE	sizeof(u64)
#ifndef CP_WORD_AT		/* the lab may keep words elsewhere */
#define CP_WORD_AT(addr)	((u64 *)(addr))
#define CP_BLOCK_MIN		CP_WORD_SIZE
#endif
#define CP_WORD_MAX	(BIT_ULL(48) - 1)	/* of a number and a place */

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
 * Find the number of the block that starts at an offset, which is less than
 * span, in its page.  With magic = 2^32 / stride rounded up, and offset q *
 * stride + r, the lower half of the product is less than magic only for r = 0.
 *
 * Return: false if no block starts there.
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

/*
 * Find the number of the block that starts at obj, in a page of the cache.
 *
 * Return: false if no block starts there.
 */
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

/* Return: the word for the tag of a block.  The cache has CP_CACHE_TAGS. */
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

/* Return: what a word is mixed with, the cache's key and the word's address. */
static __always_inline u64 cp_word_mask(const struct curpage_cache *cache,
					const u64 *word)
{
	return cache->key ^ (unsigned long)word;
}

/*
 * Mark a block free.  next is the number of the block behind it, or CP_NIL.  It
 * goes to the upper end of the word, where addresses do not differ: so a copy
 * of a word says nothing at another place.
 */
static __always_inline void cp_word_seal(const struct curpage_cache *cache,
					 u64 *word, u64 next)
{
	WRITE_ONCE(*word, cp_word_mask(cache, word) ^ ror64(next, 16));
}

/*
 * Return: what cp_word_seal() stored; more than CP_NIL: not free, or in a pool.
 */
static __always_inline u64 cp_word_open(const struct curpage_cache *cache,
					const u64 *word)
{
	return rol64(READ_ONCE(*word) ^ cp_word_mask(cache, word), 16);
}

/*
 * Check whether the word of a block says that it is free.  The caller is about
 * to free the block.  READ_ONCE() would cost an instruction.
 */
static __always_inline bool cp_word_is_free(const struct curpage_cache *cache,
					    const u64 *word)
{
	/* Races with a misuse only: the block is the caller's. */
	return !((data_race(*word) ^ cp_word_mask(cache, word)) << 16);
}

/*
 * As cp_word_is_free(), for a block that may be in a pool: check whether the
 * word is up to CP_WORD_MAX.
 */
static __always_inline bool cp_word_may_be_free(const struct curpage_cache *cache,
						const u64 *word)
{
	if (!CP_STUDY)
		return cp_word_is_free(cache, word);
	/* Races with a misuse only, as above. */
	return !((data_race(*word) ^ cp_word_mask(cache, word)) &
		 GENMASK_ULL(47, 32));
}

#endif /* CP_BLOCK_H */
