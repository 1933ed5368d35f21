// SPDX-License-Identifier: GPL-2.0
/*
 * Lea's malloc 2.6.1 as a policy: 128 bins of free blocks, 8 bytes apart up to 512
 * and then ever further, each of the latter in order of size; the best fit of the
 * first bin that has one; free neighbours are merged at once; the block at the end of
 * memory, the top, is in no bin and is cut when nothing else fits.
 *
 * The paper says that searches are in the order of best fit, and its figures are those
 * of best fit.  The sources of 2.6 that we know keep what was cut off last out of the
 * bins and try it before the larger ones: tune() has rest=first for that.
 *
 * Not of the policy, and left out: mmap() for large blocks, giving the top back.
 * And where 2.6.1 asks the system for the whole of a request, we ask for what the
 * top lacks, as the other allocators here do.
 */
#include "jw.h"

#define LEA_BINS	128U
#define LEA_SMALL	512U	/* below: bins of one size */
#define LEA_STEP	SZ_4K

struct lea {
	u32 first[LEA_BINS], last[LEA_BINS];	/* 0: none */
	DECLARE_BITMAP(full, LEA_BINS);
	struct jw_block *top;		/* or NULL */
	struct jw_block *rest;		/* cut off last, in no bin; or NULL */
	bool rest_first;		/* there is such a one */
	size_t nr_free;			/* in bins */
};

/* What a free block has behind its tag: eighths of offsets, + 1. */
struct lea_free {
	struct jw_block block;
	u32 next, prev;
};

static struct lea_free *lea_at(struct engine *e, u32 link)
{
	if (!link)
		return NULL;
	return (struct lea_free *)(e->base + (link - 1) * 8UL + JW_HEADER);
}

static u32 lea_link(struct engine *e, struct lea_free *b)
{
	return b ? ((char *)b - e->base) / 8 + 1 : 0;
}

static unsigned int lea_bin(size_t size)
{
	static const struct {
		unsigned int most, add, shift;	/* most: of 512 bytes */
	} step[] = {
		{ 0, 0, 3 }, { 4, 56, 6 }, { 20, 91, 9 }, { 84, 110, 12 },
		{ 340, 119, 15 }, { 1364, 124, 18 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(step); i++)
		if (size / LEA_SMALL <= step[i].most)
			return step[i].add + (size >> step[i].shift);
	return LEA_BINS - 2;
}

/* Bins of one size: in front.  Others: in front of those that are not larger. */
static struct lea_free *lea_before(struct engine *e, unsigned int bin,
				   size_t size)
{
	struct lea *l = e->state;
	struct lea_free *b = lea_at(e, l->first[bin]);

	if (size < LEA_SMALL)
		return b;
	for (; b; b = lea_at(e, b->next)) {
		engine_visit(e, b);
		if (size >= jw_size(&b->block))
			break;
	}
	return b;
}

static void lea_insert(struct engine *e, struct jw_block *block)
{
	struct lea *l = e->state;
	unsigned int bin = lea_bin(jw_size(block));
	struct lea_free *b = (struct lea_free *)block;
	struct lea_free *next = lea_before(e, bin, jw_size(block));
	struct lea_free *prev = lea_at(e, next ? next->prev : l->last[bin]);

	b->next = lea_link(e, next);
	b->prev = lea_link(e, prev);
	*(next ? &next->prev : &l->last[bin]) = lea_link(e, b);
	*(prev ? &prev->next : &l->first[bin]) = lea_link(e, b);
	__set_bit(bin, l->full);
	l->nr_free++;
}

static void lea_remove(struct engine *e, struct jw_block *block)
{
	struct lea *l = e->state;
	unsigned int bin = lea_bin(jw_size(block));
	struct lea_free *b = (struct lea_free *)block;
	struct lea_free *next = lea_at(e, b->next), *prev = lea_at(e, b->prev);

	*(next ? &next->prev : &l->last[bin]) = b->prev;
	*(prev ? &prev->next : &l->first[bin]) = b->next;
	if (!l->first[bin])
		__clear_bit(bin, l->full);
	l->nr_free--;
}

/* The smallest of a bin that is large enough: they are looked at from the end. */
static struct jw_block *lea_search(struct engine *e, unsigned int bin,
				   size_t want)
{
	struct lea *l = e->state;
	struct lea_free *b = lea_at(e, l->last[bin]);

	for (; b; b = lea_at(e, b->prev)) {
		engine_visit(e, b);
		if (jw_size(&b->block) >= want)
			return &b->block;
	}
	return NULL;
}

/* The low end of a free block that is on no list; what is above it, if any. */
static struct jw_block *lea_cut(struct jw_block *b, size_t want)
{
	size_t rest = jw_size(b) - want;

	if (rest < JW_LEAST) {
		jw_set_busy(b, want + rest);
		return NULL;
	}
	jw_set_busy(b, want);
	jw_above(b)->tag = JW_BELOW;
	jw_set_free(jw_above(b), rest);
	return jw_above(b);
}

/* A block that fits but for less than the least, of the first bins for it. */
static struct jw_block *lea_exact(struct engine *e, size_t want,
				  unsigned int *bin)
{
	struct lea *l = e->state;
	struct jw_block *b = NULL;
	unsigned int i;

	*bin = lea_bin(want);
	if (want >= LEA_SMALL - JW_ALIGN) {
		if (test_bit(*bin, l->full))
			b = lea_search(e, *bin, want);
		if (b && jw_size(b) >= want + JW_LEAST)
			return NULL;	/* this bin is searched again */
		++*bin;
		return b;
	}
	for (i = 0; i < 2 && !b; i++, ++*bin) {
		engine_visit(e, NULL);
		if (test_bit(*bin, l->full))
			b = lea_search(e, *bin, want);
	}
	return b;
}

/* What was cut off last, or NULL; it goes into its bin if it is too small. */
static struct jw_block *lea_rest(struct engine *e, size_t want)
{
	struct lea *l = e->state;
	struct jw_block *b = l->rest;

	if (!b)
		return NULL;
	engine_visit(e, b);
	l->rest = NULL;
	if (jw_size(b) >= want)
		return b;
	lea_insert(e, b);
	return NULL;
}

/* What is left of a block that was cut, if anything is. */
static void lea_left(struct engine *e, struct jw_block *rest)
{
	struct lea *l = e->state;

	if (l->rest_first)
		l->rest = rest;
	else if (rest)
		lea_insert(e, rest);
}

static struct jw_block *lea_bins(struct engine *e, size_t want,
				 unsigned int bin)
{
	struct lea *l = e->state;
	struct jw_block *b;

	for (; (bin = find_next_bit(l->full, LEA_BINS, bin)) < LEA_BINS; bin++) {
		b = lea_search(e, bin, want);
		if (b) {
			lea_remove(e, b);
			return b;
		}
	}
	return NULL;
}

/* Some of the top, of which as much is left as a block has at least. */
static struct jw_block *lea_top(struct engine *e, size_t want)
{
	struct lea *l = e->state;
	size_t have = l->top ? jw_size(l->top) : 0;
	struct jw_block *b = l->top;

	engine_visit(e, b);
	if (have < want + JW_LEAST) {
		size_t bytes = want + JW_LEAST - have;

		if (!e->end)
			bytes += 2 * JW_HEADER;
		b = jw_extend(e, ALIGN(bytes, (size_t)LEA_STEP));
		if (!b)
			return NULL;
		have += jw_size(b);
		l->top = l->top ?: b;
		jw_set_free(l->top, have);
	}
	b = l->top;
	l->top = lea_cut(b, want);
	return b;
}

void *jw_lea_alloc(struct engine *e, size_t size)
{
	size_t want = jw_room(size);
	unsigned int bin;
	struct jw_block *b = lea_exact(e, want, &bin);

	if (b) {
		lea_remove(e, b);
		lea_cut(b, want);
		return jw_user(b);
	}
	b = lea_rest(e, want);
	if (!b)
		b = lea_bins(e, want, bin);
	if (b) {
		lea_left(e, lea_cut(b, want));
		return jw_user(b);
	}
	b = lea_top(e, want);
	return b ? jw_user(b) : NULL;
}

/* A neighbour that is free leaves its bin; true for the one that is in none. */
static bool lea_merge(struct engine *e, struct jw_block *other)
{
	struct lea *l = e->state;

	if (other == l->rest)
		return true;
	lea_remove(e, other);
	return false;
}

void jw_lea_free(struct engine *e, void *user)
{
	struct lea *l = e->state;
	struct jw_block *b = jw_block(user), *above = jw_above(b);
	size_t size = jw_size(b);
	bool rest = false;

	if (!(b->tag & JW_BELOW)) {
		b = jw_below(b);
		engine_visit(e, b);
		size += jw_size(b);
		rest = lea_merge(e, b);
	}
	engine_visit(e, above);
	if (above == l->top) {
		jw_set_free(b, size + jw_size(above));
		l->top = b;
		l->rest = rest ? NULL : l->rest;
		return;
	}
	if (!(above->tag & JW_BUSY)) {
		size += jw_size(above);
		rest |= lea_merge(e, above);
	}
	jw_set_free(b, size);
	if (rest)
		l->rest = b;
	else
		lea_insert(e, b);
}

bool jw_lea_tune(struct engine *e, const char *text)
{
	struct lea *l = e->state;

	if (strcmp(text, "rest=first") && strcmp(text, "rest=bin"))
		return false;
	l->rest_first = !strcmp(text, "rest=first");
	if (!l->rest_first && l->rest)
		lea_insert(e, l->rest);
	l->rest = NULL;
	return true;
}

bool jw_lea_start(struct engine *e)
{
	e->state = calloc(1, sizeof(struct lea));
	return e->state;
}

void jw_lea_stop(struct engine *e)
{
	free(e->state);
}

/* Is it where a free block has to be? */
static const char *lea_check_free(struct engine *e, struct jw_block *b)
{
	struct lea *l = e->state;
	struct lea_free *own = (struct lea_free *)b, *next, *prev;
	unsigned int bin = lea_bin(jw_size(b));

	if (b == l->top || b == l->rest)
		return NULL;
	next = lea_at(e, own->next);
	prev = lea_at(e, own->prev);
	if ((next ? next->prev : l->last[bin]) != lea_link(e, own) ||
	    (prev ? prev->next : l->first[bin]) != lea_link(e, own))
		return "a free block is not in its bin";
	if (bin >= LEA_SMALL / 8 && next && jw_size(&next->block) > jw_size(b))
		return "a bin is not in order of size";
	return NULL;
}

const char *jw_lea_check(struct engine *e)
{
	struct lea *l = e->state;
	const char *why;
	size_t nr;

	why = jw_walk(e, &nr, lea_check_free);
	if (why)
		return why;
	if (l->top && l->top != jw_last(e))
		return "the top is not the last block";
	if (nr != l->nr_free + !!l->top + !!l->rest)
		return "a block in a bin is not free";
	return NULL;
}
