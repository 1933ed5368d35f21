// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks inside a page.  Free blocks form a stack: the word of each has the
 * number of the next (block.h).  The word lies in the block, or behind it if
 * the block's contents have to survive (constructor, red zones).  The caller
 * keeps the top of the stack.
 *
 * The CPU that frees a block writes its word until the block is on a stack.
 * From then on the owner of the heap writes it.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/debug.h"
#include "heap/harden.h"

/*
 * Copy the fields of a cache that a loop over blocks needs, so that they are
 * not loaded again after each write of a word.
 */
static __always_inline struct curpage_cache
cp_block_constants(const struct curpage_cache *cache)
{
	return (struct curpage_cache){
		.span = cache->span, .magic = cache->magic, .key = cache->key,
		.capacity = cache->capacity, .stride = cache->stride,
		.link = cache->link,
	};
}

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

/* Link blocks *from to *to behind block nr.  Return: the last of them. */
static __always_inline unsigned int
cp_block_link_some(const struct curpage_cache *c, void *base, unsigned int nr,
		   const u16 *from, const u16 *to)
{
	for (; from < to; from++) {
		cp_word_seal(c, cp_block_word(c, base, nr), *from);
		nr = *from;
	}
	return nr;
}

/*
 * Link all blocks of a page in the order of the cache, from its entry begin on.
 *
 * Return: the first block.
 */
static unsigned int cp_block_link_order(const struct curpage_cache *cache,
					void *base, unsigned int begin)
{
	const struct curpage_cache c = cp_block_constants(cache);
	const u16 *order = cache->order;
	const u16 *start = order + begin;
	unsigned int nr;

	nr = cp_block_link_some(&c, base, *start, start + 1,
				order + c.capacity);
	nr = cp_block_link_some(&c, base, nr, order, start);
	cp_word_seal(&c, cp_block_word(&c, base, nr), CP_NIL);
	return *start;
}

/*
 * Link all blocks of a page, which are free: in the order of the cache from its
 * entry begin on, or by address if the cache has no order.
 *
 * Return: the first block.
 */
unsigned int cp_block_link_all(const struct curpage_cache *cache, void *base,
			       unsigned int begin)
{
	unsigned int nr, capacity = cache->capacity, stride = cache->stride;
	void *at = base + cache->link;

	if (cache->order)
		return cp_block_link_order(cache, base, begin);
	/* This loop is the larger part of the cost of a new page. */
#pragma GCC unroll 4
	for (nr = 1; nr < capacity; nr++, at += stride)
		cp_word_seal(cache, CP_WORD_AT(at), nr);
	cp_word_seal(cache, CP_WORD_AT(at), CP_NIL);
	return 0;
}

/*
 * Make a page of the arena a page of free blocks.  If the cache has no order,
 * the first allocations get rising addresses.
 */
void cp_block_format(const struct curpage_cache *cache, struct cp_page *p)
{
	void *base = cp_page_base(p);

	cp_hook_pages(base, PAGE_SIZE, !cache->ctor);
	if (cache->flags & CURPAGE_CHECK || cache->ctor)
		cp_block_construct(cache, base);
	p->free = cp_block_link_all(cache, base, cp_harden_begin(cache));
	if (cache->ctor)
		cp_hook_pages(base, PAGE_SIZE, true);
	p->nr_free = cache->capacity;
}

/*
 * Pop up to n blocks from a stack of left blocks, which is not empty.
 *
 * Sets *top to CP_NIL at the end of the stack, and at a block whose word was
 * written over, which is not handed out.  The caller compares with left to tell
 * one from the other.
 *
 * Return: the number of blocks.
 */
size_t cp_block_pop(const struct curpage_cache *cache, void *base, u16 *top,
		    unsigned int left, size_t n, void **objs)
{
	const struct curpage_cache c = cp_block_constants(cache);
	unsigned int nr = *top;
	size_t got = 0;

	n = min_t(size_t, n, left);
	while (got < n) {
		void *obj = cp_block_of(&c, base, nr);
		u64 *word = CP_WORD_AT(obj + c.link);
		u64 next = cp_word_open(&c, word);

		if (unlikely(next >= c.capacity)) {
			nr = CP_NIL;
			if (next != CP_NIL)
				break;
			n = got + 1;
		}
		WRITE_ONCE(*word, 0);
		objs[got++] = obj;
		nr = next;
	}
	*top = nr;
	return got;
}

/*
 * Push n blocks of one page onto a stack.  Stops at a block of another page, at
 * a pointer into the middle of a block, and at a block whose word says that it
 * is free.
 *
 * Return: the number of blocks pushed.
 */
unsigned int cp_block_chain(const struct curpage_cache *cache, void *base,
			    void **objs, unsigned int n, u16 *top)
{
	const struct curpage_cache c = cp_block_constants(cache);
	unsigned int i, nr;
	u64 last = *top;

	for (i = 0; i < n; i++) {
		unsigned long offset = objs[i] - base;
		u64 *word = objs[i] + c.link;

		if (offset >= c.span || !cp_block_at(&c, offset, &nr) ||
		    cp_word_may_be_free(&c, word))
			break;
		cp_hook_free(objs[i], cache->size, false);
		cp_word_seal(&c, word, last);
		last = nr;
	}
	*top = last;
	return i;
}

/*
 * Follow count blocks of a stack from nr on.  Stops at a word that was written
 * over.  Sets *last to the last block followed.
 *
 * Return: the number of blocks followed.
 */
unsigned int cp_block_walk(const struct curpage_cache *cache, void *base,
			   unsigned int nr, unsigned int count,
			   unsigned int *last)
{
	unsigned int n;

	for (n = 0; n < count && nr < cache->capacity; n++) {
		u64 next = cp_word_open(cache, cp_block_word(cache, base, nr));

		if (next > CP_NIL)
			break;
		*last = nr;
		nr = next;
	}
	return n;
}

/*
 * Check that a stack ends after n blocks.  Then each of them is on it once, and
 * *last is the block at its end.
 */
bool cp_block_stack_ok(const struct curpage_cache *cache, void *base,
		       unsigned int top, unsigned int n, unsigned int *last)
{
	return cp_block_walk(cache, base, top, n, last) == n &&
	       cp_word_open(cache, cp_block_word(cache, base, *last)) == CP_NIL;
}

/*
 * Check whether a block is on a stack.  The owner may take and free blocks
 * meanwhile.  Then true is still certain: the word of a free block leads to
 * free blocks only, as the last block to be freed is the first to be taken.
 */
bool cp_block_listed(const struct curpage_cache *cache, void *base,
		     unsigned int top, unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < cache->capacity && top < cache->capacity; n++) {
		u64 next;

		if (top == nr)
			return true;
		/*
		 * Racy read: its user may take the block and write to it
		 * meanwhile.
		 */
		next = data_race(cp_word_open(cache,
					      cp_block_word(cache, base, top)));
		if (next > CP_NIL)
			break;
		top = next;
	}
	return false;
}

/* Count the blocks of a page whose words say that they are free. */
unsigned int cp_block_count_free(const struct curpage_cache *cache, void *base)
{
	unsigned int nr, n = 0;

	for (nr = 0; nr < cache->capacity; nr++)
		/* Racy read: users write to most of the blocks. */
		n += data_race(cp_word_open(cache,
					    cp_block_word(cache, base, nr))) <=
		     CP_NIL;
	return n;
}

/* Check whether a fresh block of a cache has to be zero. */
static bool cp_block_want_zero(const struct curpage_cache *cache, gfp_t gfp)
{
	return !cache->ctor &&
	       cp_debug_want_zero(cache->flags & (CURPAGE_CHECK |
						  CURPAGE_TYPESAFE_BY_RCU),
				  gfp);
}

void cp_block_init_alloc(const struct curpage_cache *cache, void *obj,
			 gfp_t gfp)
{
	if (cp_block_want_zero(cache, gfp))
		memset(obj, 0, cache->size);
}

void cp_block_init_free(const struct curpage_cache *cache, void *obj)
{
	if (want_init_on_free() && !cp_cache_keeps(cache) &&
	    !(cache->flags & CURPAGE_CHECK))
		memset(obj, 0, cache->size);
}

/*
 * Check that the stack from top visits count different blocks and ends.
 *
 * Return: the number of broken invariants.
 */
int cp_block_check(const struct curpage_cache *cache, struct cp_page *p,
		   unsigned int top, unsigned int count, unsigned long *seen)
{
	void *base = cp_page_base(p);
	unsigned int block = top;
	unsigned int n = 0;
	u64 next;

	while (block != CP_NIL) {
		if (block >= cache->capacity)
			return cp_broken("cache %s, pfn %lu: free list leads to block %u",
					 cache->name, cp_page_pfn(p), block);
		if (__test_and_set_bit(block, seen))
			return cp_broken("cache %s, pfn %lu: block %u is free twice",
					 cache->name, cp_page_pfn(p), block);
		next = cp_word_open(cache, cp_block_word(cache, base, block));
		if (next > CP_NIL)
			return cp_broken("cache %s, pfn %lu: block %u is free and was written to",
					 cache->name, cp_page_pfn(p), block);
		block = next;
		n++;
	}
	if (n != count)
		return cp_broken("cache %s, pfn %lu: %u free blocks, counted %u",
				 cache->name, cp_page_pfn(p), n, count);
	return 0;
}
