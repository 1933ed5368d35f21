// SPDX-License-Identifier: GPL-2.0
/*
 * Debugging of blocks with check=1 or CURPAGE_CHECK.  A block gets a red zone,
 * and a record of its owners, all of it behind what the user asked for:
 *
 *	| object | red zone | struct cp_track | link |
 *
 * A free object is poisoned.  The track says whether the block is free or live,
 * and which callers allocated and freed it last.  Damage is reported once, then
 * repaired, so that the next report is about new damage.
 */
#include "base/kernel.h"
#include "heap/block.h"
#include "heap/debug.h"

#define CP_RED_MIN	8

enum cp_track_state {
	CP_TRACK_FREE = 0x66726565,
	CP_TRACK_LIVE = 0x6c697665,
};

struct cp_track {
	unsigned long alloc_caller;
	unsigned long free_caller;
	u32 state;
};

static unsigned int cp_track_offset(unsigned int size)
{
	return ALIGN(size + CP_RED_MIN, __alignof__(struct cp_track));
}

static struct cp_track *cp_track(const struct curpage_cache *cache, void *obj)
{
	return obj + cp_track_offset(cache->size);
}

/* Return: bytes from the start of a block to its link. */
unsigned int cp_debug_link(unsigned int size)
{
	return cp_track_offset(size) + sizeof(struct cp_track);
}

static bool cp_debug_poisons(const struct curpage_cache *cache)
{
	return !cp_cache_keeps(cache);
}

static void cp_debug_red(const struct curpage_cache *cache, void *obj)
{
	memset(obj + cache->size, CP_RED_BYTE,
	       cp_track_offset(cache->size) - cache->size);
}

static void cp_debug_poison(const struct curpage_cache *cache, void *obj)
{
	if (cp_debug_poisons(cache))
		memset(obj, CP_POISON_BYTE, cache->size);
}

static bool cp_debug_red_ok(const struct curpage_cache *cache, void *obj)
{
	return cp_filled_with(obj + cache->size, CP_RED_BYTE,
			      cp_track_offset(cache->size) - cache->size);
}

static bool cp_debug_poison_ok(const struct curpage_cache *cache, void *obj)
{
	return !cp_debug_poisons(cache) ||
	       cp_filled_with(obj, CP_POISON_BYTE, cache->size);
}

/* Initialize a block of a fresh page. */
void cp_debug_init(const struct curpage_cache *cache, void *obj)
{
	struct cp_track *track = cp_track(cache, obj);

	if (!(cache->flags & CURPAGE_CHECK))
		return;
	cp_debug_poison(cache, obj);
	cp_debug_red(cache, obj);
	memset(track, 0, sizeof(*track));
	track->state = CP_TRACK_FREE;
}

/*
 * Check a block that is allocated.  Only the caller has the block, whose track
 * still has the last owners.
 *
 * Return: CP_OK, or what is wrong.
 */
enum cp_bad cp_debug_check_alloc(const struct curpage_cache *cache, void *obj)
{
	struct cp_track *track = cp_track(cache, obj);
	enum cp_bad bad = CP_OK;

	if (!cp_debug_red_ok(cache, obj) || track->state != CP_TRACK_FREE) {
		bad = CP_BAD_REDZONE;
		cp_debug_red(cache, obj);
	}
	if (!cp_debug_poison_ok(cache, obj))
		bad = CP_BAD_POISON;
	return bad;
}

/* Mark a block live. */
void cp_debug_set_live(const struct curpage_cache *cache, void *obj,
		       unsigned long caller)
{
	struct cp_track *track = cp_track(cache, obj);

	track->state = CP_TRACK_LIVE;
	track->alloc_caller = caller;
}

/*
 * Check a block that is freed, and mark it free.  Where two CPUs free the same
 * block, one of them finds it free.  Only that is refused: a block with a
 * broken red zone is freed all the same.
 *
 * Return: CP_OK, or what is wrong.
 */
enum cp_bad cp_debug_free(const struct curpage_cache *cache, void *obj,
			  unsigned long caller)
{
	struct cp_track *track = cp_track(cache, obj);
	enum cp_bad bad = CP_OK;
	u32 state;

	if (!(cache->flags & CURPAGE_CHECK))
		return CP_OK;
	state = xchg(&track->state, CP_TRACK_FREE);
	if (state == CP_TRACK_FREE)
		return CP_BAD_DOUBLE;
	if (!cp_debug_red_ok(cache, obj) || state != CP_TRACK_LIVE) {
		bad = CP_BAD_REDZONE;
		cp_debug_red(cache, obj);
	}
	track->free_caller = caller;
	cp_debug_poison(cache, obj);
	return bad;
}

/*
 * Find the callers that allocated a block last and freed it last, for a report.
 * The block may belong to anybody.
 *
 * Return: true if they are known.
 */
bool cp_debug_owners(enum cp_bad bad, const struct curpage_cache *cache,
		     const void *obj, struct cp_owners *owners)
{
	const struct cp_track *track;
	struct cp_page *p = NULL;
	bool known = false;
	unsigned int nr;

	if (bad != CP_BAD_DOUBLE && bad != CP_BAD_REDZONE &&
	    bad != CP_BAD_POISON)
		return false;
	if (cache && cache->flags & CURPAGE_CHECK)
		p = cp_page_lookup(obj);
	if (!p)
		return false;
	preempt_disable();	/* for the pin */
	if (!cp_page_pin(p).pins)
		goto out;
	known = cp_page_heap(p)->cache == cache && cp_block_nr(cache, obj, &nr);
	if (known) {
		track = cp_track(cache, (void *)obj);
		owners->alloc = cp_peek(track->alloc_caller);
		owners->free = cp_peek(track->free_caller);
	}
	cp_page_unpin(p);
out:
	preempt_enable();
	return known;
}

/*
 * Check the poison of a free block.
 *
 * Return: the number of broken invariants.
 */
int cp_debug_check_free(const struct curpage_cache *cache, void *obj)
{
	if (!(cache->flags & CURPAGE_CHECK) || cp_debug_poison_ok(cache, obj))
		return 0;
	return cp_broken("cache %s, block %p: %s by %pS", cache->name, obj,
			 cp_bad_name[CP_BAD_POISON],
			 (void *)cp_track(cache, obj)->free_caller);
}

/*
 * Check the red zones of all blocks of a page, and the poison of its free
 * blocks, which have a bit in @free.
 *
 * Return: the number of broken invariants.
 */
int cp_debug_check_page(const struct curpage_cache *cache, struct cp_page *p,
			const unsigned long *free)
{
	void *base = cp_page_base(p);
	unsigned int i;
	int broken = 0;

	if (!(cache->flags & CURPAGE_CHECK))
		return 0;
	for (i = 0; i < cache->capacity; i++) {
		void *obj = base + i * cache->stride;

		if (!cp_debug_red_ok(cache, obj))
			broken += cp_broken("cache %s, block %p: %s, taken by %pS",
					    cache->name, obj,
					    cp_bad_name[CP_BAD_REDZONE],
					    (void *)cp_track(cache, obj)->alloc_caller);
		if (test_bit(i, free))
			broken += cp_debug_check_free(cache, obj);
	}
	return broken;
}
