// SPDX-License-Identifier: GPL-2.0
/*
 * STACK and QUEUE, of the study: the free blocks of all pages of a heap are on
 * one list.  STACK takes the block that was freed last, QUEUE the block that
 * was freed first.  A page says only how many of its blocks are free, and which
 * was freed last.
 *
 * The list is linked through the words of the free blocks.  A word has the
 * number of the next block's page in the linear map and the number of the block
 * in the page, 48 bits together.  As inside a page, each word is checked before
 * it is followed, as it may have been written over.
 *
 * A page can leave only when none of its blocks is on the list.  To find such
 * blocks the list is walked, off the hot path (cp_pool_purge()).
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/debug.h"

#define CP_POOL_NR_BITS	12

struct cp_pool {
	u64 first;		/* a place, see cp_pool_place(), or 0 */
	u64 last;
	unsigned long nr;
	bool fifo;
};

static_assert(CP_CAPACITY_MAX < 1 << CP_POOL_NR_BITS);
static_assert(CP_NUMBER_BITS + CP_POOL_NR_BITS <= 48);	/* CP_WORD_MAX */

static u64 cp_pool_place(const struct cp_page *p, unsigned int nr)
{
	return (cp_page_number(p) << CP_POOL_NR_BITS | nr) + 1;
}

/* Find the block at a place.  Return: false if it cannot be of the heap. */
static bool cp_pool_locate(const struct cp_heap *h, u64 place,
			   struct cp_page **p, unsigned int *nr)
{
	u64 number = (place - 1) >> CP_POOL_NR_BITS;

	*nr = (place - 1) & (BIT_ULL(CP_POOL_NR_BITS) - 1);
	if (number >> CP_NUMBER_BITS)
		return false;
	*p = cp_page_lookup(cp_page_numbered_base(number));
	return *p && cp_page_kind(*p) >= CP_CACHE && cp_page_heap(*p) == h &&
	       *nr < h->cache->capacity;
}

/* As cp_pool_locate(), for a block on a page that has free blocks. */
static bool cp_pool_find(const struct cp_heap *h, u64 place,
			 struct cp_page **p, unsigned int *nr)
{
	return cp_pool_locate(h, place, p, nr) && (*p)->nr_free;
}

static void cp_pool_set_link(const struct cp_heap *h, struct cp_page *p,
			     unsigned int nr, u64 place)
{
	u64 *word = cp_block_word(h->cache, cp_page_base(p), nr);

	cp_word_seal(h->cache, word, place);
}

/* Return: the place behind a block of the heap, as its word has it. */
static u64 cp_pool_behind(const struct cp_heap *h, struct cp_page *p,
			  unsigned int nr)
{
	return cp_word_open(h->cache,
			    cp_block_word(h->cache, cp_page_base(p), nr));
}

/*
 * Check whether a place is in the heap.  Then the block with this word is on
 * the list.  What a user left in a word names a page of the same heap once in
 * 2^40.
 */
bool cp_pool_has(const struct cp_heap *h, u64 place)
{
	struct cp_page *p;
	unsigned int nr;

	return cp_pool_locate(h, place, &p, &nr);
}

/*
 * Find the block at *place, and move *place on to the next block.
 *
 * Return: the page of the block; NULL if there is no such block, since a word
 * was written over after the list was found to be whole.
 */
static struct cp_page *cp_pool_step(const struct cp_heap *h, u64 *place,
				    unsigned int *nr)
{
	struct cp_page *p;

	if (unlikely(!cp_pool_locate(h, *place, &p, nr)))
		return NULL;
	*place = cp_pool_behind(h, p, *nr);
	return p;
}

static void cp_pool_add(struct cp_heap *h, struct cp_page *p, unsigned int nr,
			bool behind)
{
	struct cp_pool *pool = h->state;
	u64 place = cp_pool_place(p, nr);

	cp_pool_set_link(h, p, nr, behind ? 0 : pool->first);
	if (!pool->nr++) {
		pool->first = place;
		pool->last = place;
	} else if (behind) {
		struct cp_page *last;
		unsigned int last_nr;

		/*
		 * The page of the last block may not have counted it yet.  If
		 * that block does not say that it is the last, it may be live;
		 * then the list ends there.
		 */
		if (cp_pool_locate(h, pool->last, &last, &last_nr) &&
		    !cp_pool_behind(h, last, last_nr))
			cp_pool_set_link(h, last, last_nr, place);
		pool->last = place;
	} else {
		pool->first = place;
	}
}

/* Put a free block into the pool: first, or last with CP_FIFO. */
void cp_pool_put(struct cp_heap *h, struct cp_page *p, unsigned int nr)
{
	const struct cp_pool *pool = h->state;

	cp_pool_add(h, p, nr, pool->fifo);
	WRITE_ONCE(p->free, nr);
}

static struct cp_page *cp_pool_pick(struct cp_heap *h)
{
	const struct cp_pool *pool = h->state;
	struct cp_page *p;
	unsigned int nr;

	return pool->nr && cp_pool_find(h, pool->first, &p, &nr) ? p : NULL;
}

/*
 * Check whether a place can be the next of nr blocks in the pool.
 *
 * Return: CP_OK; CP_BAD_DOUBLE for a block that is not free; CP_BAD_POISON for
 * no block.
 */
static enum cp_bad cp_pool_judge(const struct cp_heap *h, u64 place,
				 unsigned long nr)
{
	unsigned int block;
	struct cp_page *p;

	if (place > CP_WORD_MAX)
		return CP_BAD_POISON;
	if (!place && !nr)
		return CP_OK;
	if (!place || !cp_pool_locate(h, place, &p, &block))
		return CP_BAD_POISON;
	return nr && p->nr_free ? CP_OK : CP_BAD_DOUBLE;
}

/*
 * Take the next block of the pool, which is on page p.  If its word leads to no
 * block that can be next, *bad says so, and the rest of the pool cannot be
 * reached.
 *
 * Return: the block; NULL if its word leads to no block of the heap, so that
 * this block may be live.
 */
void *cp_pool_take(struct cp_heap *h, struct cp_page *p, enum cp_bad *bad)
{
	struct cp_pool *pool = h->state;
	unsigned int nr;
	u64 behind;

	cp_pool_locate(h, pool->first, &p, &nr);
	behind = cp_pool_behind(h, p, nr);
	*bad = cp_pool_judge(h, behind, --pool->nr);
	pool->first = *bad ? 0 : behind;
	if (p->free == nr)
		WRITE_ONCE(p->free, CP_NIL);
	if (unlikely(*bad == CP_BAD_POISON))
		return NULL;
	WRITE_ONCE(*cp_block_word(h->cache, cp_page_base(p), nr), 0);
	return cp_page_base(p) + nr * h->cache->stride;
}

/*
 * Move the free blocks of a page, linked there, to the front of the pool, in
 * the same order.
 *
 * Return: false if their list is broken; then nothing is moved.
 */
bool cp_pool_gather(struct cp_heap *h, struct cp_page *p)
{
	unsigned int left, last, nr = p->free, top = nr, count = p->nr_free;
	struct cp_pool *pool = h->state;

	WRITE_ONCE(p->free, CP_NIL);
	if (!count)
		return true;
	if (unlikely(!cp_block_stack_ok(h->cache, cp_page_base(p), top, count,
					&last)))
		return false;
	for (left = count - 1; left; left--) {
		u64 next = cp_pool_behind(h, p, nr);

		if (unlikely(next >= h->cache->capacity))
			return false;	/* written over meanwhile */
		cp_pool_set_link(h, p, nr, cp_pool_place(p, next));
		nr = next;
	}
	cp_pool_set_link(h, p, nr, pool->first);
	if (!pool->first)
		pool->last = cp_pool_place(p, last);
	pool->first = cp_pool_place(p, top);
	pool->nr += count;
	return true;
}

/* Forget all blocks of the pool: it is not followed any more. */
void cp_pool_forget(struct cp_heap *h)
{
	struct cp_pool *pool = h->state;

	pool->first = 0;
	pool->last = 0;
	pool->nr = 0;
}

/* Check that the list leads to as many blocks as were put there, and ends. */
static bool cp_pool_ok(const struct cp_heap *h)
{
	const struct cp_pool *pool = h->state;
	u64 place = pool->first, last = 0;
	unsigned long n = 0;

	while (place) {
		struct cp_page *p;
		unsigned int nr;

		if (n++ == pool->nr || !cp_pool_find(h, place, &p, &nr))
			return false;
		last = place;
		place = cp_pool_behind(h, p, nr);
	}
	return n == pool->nr && (!n || last == pool->last);
}

static void cp_pool_no_free(struct cp_heap *h, enum cp_set set)
{
	struct cp_page *p;

	list_for_each_entry(p, &h->set[set], list)
		WRITE_ONCE(p->free, CP_NIL);
}

/*
 * Put every free block back on the list of its page.
 *
 * Return: false if the pool cannot be followed; the caller gives it up.
 */
bool cp_pool_settle(struct cp_heap *h)
{
	struct cp_pool *pool = h->state;
	u64 place = pool->first;

	if (!cp_pool_ok(h))
		return false;
	cp_pool_no_free(h, CP_S3);
	cp_pool_no_free(h, CP_S2);
	while (place) {
		unsigned int nr;
		struct cp_page *p = cp_pool_step(h, &place, &nr);

		if (unlikely(!p))
			return false;
		cp_pool_set_link(h, p, nr, p->free);
		WRITE_ONCE(p->free, nr);
	}
	cp_pool_forget(h);
	return true;
}

/*
 * Remove the blocks of pages without a live block from the pool.  The others
 * stay in their order.
 *
 * Return: false as cp_pool_settle().
 */
bool cp_pool_purge(struct cp_heap *h)
{
	struct cp_pool *pool = h->state;
	u64 place = pool->first;

	if (!cp_pool_ok(h))
		return false;
	cp_pool_forget(h);
	while (place) {
		unsigned int nr;
		struct cp_page *p = cp_pool_step(h, &place, &nr);

		if (unlikely(!p))
			return false;
		if (p->nr_free < h->cache->capacity)
			cp_pool_add(h, p, nr, true);
		else
			cp_pool_set_link(h, p, nr, CP_NIL);
	}
	return true;
}

/*
 * Check the poison of all blocks on the list, which was found to be whole.
 *
 * Return: the number of broken invariants.
 */
static int cp_pool_check_poison(struct cp_heap *h)
{
	const struct cp_pool *pool = h->state;
	unsigned long left = pool->nr;
	u64 place = pool->first;
	int broken = 0;

	while (left--) {
		unsigned int nr;
		struct cp_page *p = cp_pool_step(h, &place, &nr);

		if (unlikely(!p))
			break;
		broken += cp_debug_check_free(h->cache, cp_page_base(p) +
						       nr * h->cache->stride);
	}
	return broken;
}

/*
 * Add change to nr_free of the page of each block on the list, for max blocks
 * at most.  Stops where nr_free would fall below 0.
 *
 * Return: the number of blocks.
 */
static unsigned long cp_pool_count(struct cp_heap *h, unsigned long max,
				   int change)
{
	const struct cp_pool *pool = h->state;
	u64 place = pool->first;
	unsigned long n;

	for (n = 0; n < max; n++) {
		unsigned int nr;
		struct cp_page *p = cp_pool_step(h, &place, &nr);

		if (!p || (change < 0 && !p->nr_free))
			break;
		WRITE_ONCE(p->nr_free, p->nr_free + change);
	}
	return n;
}

/*
 * Check that cp_pool_count() has counted nr_free down to 0 on all pages of a
 * set.
 *
 * Return: the number of broken invariants.
 */
static int cp_pool_check_pages(struct cp_heap *h, enum cp_set set)
{
	struct cp_page *p;
	int broken = 0;

	list_for_each_entry(p, &h->set[set], list)
		if (p->nr_free)
			broken += cp_broken("cache %s, pfn %lu: %u free blocks are not on the list",
					    h->cache->name, cp_page_pfn(p),
					    p->nr_free);
	return broken;
}

/*
 * Check that every free block is on the list once, and that pages count theirs.
 *
 * Return: the number of broken invariants.
 */
static int cp_pool_check(struct cp_heap *h)
{
	const struct cp_pool *pool = h->state;
	unsigned long n;
	int broken = 0;

	if (!cp_pool_ok(h))
		return cp_broken("cache %s: the list of free blocks does not lead to %lu of them",
				 h->cache->name, pool->nr);
	n = cp_pool_count(h, pool->nr, -1);
	if (n < pool->nr)
		broken += cp_broken("cache %s: a page has more blocks on the list than free ones",
				    h->cache->name);
	else
		broken += cp_pool_check_pages(h, CP_S3) +
			  cp_pool_check_pages(h, CP_S2);
	cp_pool_count(h, n, 1);
	return broken + cp_pool_check_poison(h);
}

static size_t cp_pool_size(const struct curpage_cache *cache)
{
	return sizeof(struct cp_pool);
}

static void cp_pool_init(struct cp_heap *h)
{
	struct cp_pool *pool = h->state;

	cp_pool_forget(h);
	pool->fifo = h->flags & CP_FIFO;
}

#define CP_POOL_FLAGS	(CP_LISTED | CP_BY_BLOCK | CP_POOLED | CP_HOARDS | CP_EXACT)

const struct cp_strategy cp_strategy_stack = {
	.name	= "stack",
	.paper	= "Brent 1984, section 2.1",
	.flags	= CP_POOL_FLAGS,
	.state_size = cp_pool_size,
	.init	= cp_pool_init,
	.freed	= cp_strategy_unmoved,
	.pick	= cp_pool_pick,
	.check	= cp_pool_check,
};

const struct cp_strategy cp_strategy_queue = {
	.name	= "queue",
	.paper	= "Brent 1984, section 2.2",
	.flags	= CP_POOL_FLAGS | CP_FIFO,
	.state_size = cp_pool_size,
	.init	= cp_pool_init,
	.freed	= cp_strategy_unmoved,
	.pick	= cp_pool_pick,
	.check	= cp_pool_check,
};
