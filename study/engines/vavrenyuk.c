// SPDX-License-Identifier: GPL-2.0
/*
 * The allocator of Vavrenyuk, Karlinsky, Klarin, Makarov and Surigin (2016): a
 * list of the free areas in order of address, and a tag at both ends of each block.
 *
 * A tag is a word: the bytes between the two, negative while they are free.  A free
 * block has the address of the next one behind its first tag, so nothing is smaller
 * than a word; blocks are of the sizes that were asked for, to the byte, and lie as
 * they come.
 *
 *	list | tag  block  tag | tag  block  tag | ... | 0
 *
 * The first word is the head of the list, the last a tag of nothing: neither is
 * negative, so that both read like the tag of a taken neighbour.  These two words
 * are all there is when nothing is live.  When nothing on the list fits, the system
 * is asked for one block more; when the last block falls free, it goes back with
 * the free one before it.  The last block is thus never a free one.
 *
 * Addresses are bytes from the start of the memory.  Words have 4 bytes on the
 * paper's x86 and 8 on its x64.
 */
#include "engine.h"

/*
 * A search ends at the first block that leaves less than ends bytes over; when none
 * does, it takes of those that fit the smallest, or the largest.
 *
 * The paper gives a block away as if it were of the size asked for when what is left
 * over cannot be a free block, and its three ways of searching differ little.  So
 * best and worst fit are taken to end at such a block: his figures come out, and do
 * not when they look at the whole list.  The strict ones do that.
 */
enum vavrenyuk_ends { ENDS_FIT, ENDS_WHOLE, ENDS_EXACT, ENDS_NEVER };

struct vavrenyuk_fit {
	const char *name;
	enum vavrenyuk_ends ends;
	bool largest;
};

static const struct vavrenyuk_fit fits[] = {
	{ "first-fit", ENDS_FIT },
	{ "best-fit", ENDS_WHOLE },
	{ "worst-fit", ENDS_WHOLE, .largest = true },
	{ "best-fit-strict", ENDS_EXACT },
	{ "worst-fit-strict", ENDS_NEVER, .largest = true },
};

struct vavrenyuk_row {
	const char *fit;
	unsigned int word;
};

struct vavrenyuk {
	size_t ends;
	bool largest;
};

#define NONE	(~0UL)
#define X86_MAX	((size_t)INT_MAX)	/* of a tag */

/* Words lie at any address. */
static inline long get(const struct engine *e, size_t at, size_t word)
{
	s32 narrow;
	long wide;

	if (word == sizeof(narrow)) {
		memcpy(&narrow, e->base + at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, e->base + at, sizeof(wide));
	return wide;
}

static inline void put(struct engine *e, size_t at, long value, size_t word)
{
	s32 narrow = value;

	if (word == sizeof(narrow))
		memcpy(e->base + at, &narrow, sizeof(narrow));
	else
		memcpy(e->base + at, &value, sizeof(value));
}

/* Both tags of the block of size bytes behind at. */
static inline void tag(struct engine *e, size_t at, long size, bool free,
		       size_t word)
{
	put(e, at - word, free ? -size : size, word);
	put(e, at + size, free ? -size : size, word);
}

/* The free block before the one to be taken, 0 for the head of the list. */
static inline size_t search(struct engine *e, size_t need, size_t word)
{
	const struct vavrenyuk *v = e->state;
	size_t found = NONE, prev, at;
	size_t size, best = 0;

	for (prev = 0; (at = get(e, prev, word)); prev = at) {
		engine_visit(e, e->base + at - word);
		size = -get(e, at - word, word);
		if (size < need)
			continue;
		if (size - need < v->ends)
			return prev;
		if (found == NONE || (v->largest ? size > best : size < best)) {
			found = prev;
			best = size;
		}
	}
	return found;
}

/* The last free block below at, 0 for the head of the list. */
static inline size_t before(struct engine *e, size_t at, size_t word)
{
	size_t prev, next;

	for (prev = 0; (next = get(e, prev, word)); prev = next) {
		engine_visit(e, e->base + next - word);
		if (next >= at)
			break;
	}
	return prev;
}

/* The block behind prev on the list, or the lower part of it. */
static inline size_t take(struct engine *e, size_t prev, size_t need,
			  size_t word)
{
	size_t at = get(e, prev, word);
	size_t next = get(e, at, word);
	size_t have = -get(e, at - word, word);

	if (have < need + 3 * word) {
		tag(e, at, have, false, word);
		put(e, prev, next, word);
		return at;
	}
	tag(e, at, need, false, word);
	put(e, prev, at + need + 2 * word, word);
	tag(e, at + need + 2 * word, have - need - 2 * word, true, word);
	put(e, at + need + 2 * word, next, word);
	return at;
}

/* A block more, in place of the tag that was the last. */
static inline size_t extend(struct engine *e, size_t need, size_t word)
{
	size_t at = e->end;

	if (need > (word == 4 ? X86_MAX : LONG_MAX) - 2 * word ||
	    !engine_grow(e, need + 2 * word))
		return NONE;
	tag(e, at, need, false, word);
	put(e, e->end - word, 0, word);
	return at;
}

static inline void *vavrenyuk_alloc(struct engine *e, size_t size, size_t word)
{
	size_t need = max(size, word);
	size_t prev = search(e, need, word);
	size_t at = prev != NONE ? take(e, prev, need, word) :
				   extend(e, need, word);

	return at != NONE ? e->base + at : NULL;
}

/* The last block goes back, with what is free before it. */
static inline void give_back(struct engine *e, size_t at, bool left_free,
			     size_t word)
{
	if (left_free) {
		at += get(e, at - 2 * word, word) - 2 * word;
		put(e, before(e, at, word), 0, word);
	}
	engine_shrink(e, e->end - at);
	put(e, at - word, 0, word);
}

static inline void vavrenyuk_free(struct engine *e, void *block, size_t word)
{
	size_t at = (char *)block - e->base;
	size_t size = get(e, at - word, word);
	size_t right = at + size + 2 * word;
	long left_tag = get(e, at - 2 * word, word);
	long right_tag = get(e, right - word, word);
	size_t prev, next;

	engine_visit(e, e->base + at - 2 * word);
	engine_visit(e, e->base + right - word);
	if (!right_tag) {
		give_back(e, at, left_tag < 0, word);
		return;
	}
	if (left_tag < 0) {	/* it has its place on the list */
		prev = at + left_tag - 2 * word;
		next = get(e, prev, word);
		size += -left_tag + 2 * word;
		at = prev;
	} else {
		prev = before(e, at, word);
		next = get(e, prev, word);
		put(e, prev, at, word);
	}
	if (right_tag < 0) {	/* next is right */
		next = get(e, right, word);
		size += -right_tag + 2 * word;
	}
	tag(e, at, size, true, word);
	put(e, at, next, word);
}

static void *alloc_x86(struct engine *e, size_t size)
{
	return vavrenyuk_alloc(e, size, 4);
}

static void free_x86(struct engine *e, void *block)
{
	vavrenyuk_free(e, block, 4);
}

static void *alloc_x64(struct engine *e, size_t size)
{
	return vavrenyuk_alloc(e, size, 8);
}

static void free_x64(struct engine *e, void *block)
{
	vavrenyuk_free(e, block, 8);
}

static bool tune(struct engine *e, const char *text)
{
	const struct vavrenyuk_row *row = e->kind->row;
	const size_t ends[] = {
		[ENDS_FIT] = ULONG_MAX,
		[ENDS_WHOLE] = 3 * row->word,
		[ENDS_EXACT] = 1,
		[ENDS_NEVER] = 0,
	};
	struct vavrenyuk *v = e->state;
	const struct vavrenyuk_fit *fit;

	for (fit = fits; fit < fits + ARRAY_SIZE(fits); fit++) {
		if (!strcmp(text, fit->name)) {
			v->ends = ends[fit->ends];
			v->largest = fit->largest;
			return true;
		}
	}
	return false;
}

static bool start(struct engine *e)
{
	const struct vavrenyuk_row *row = e->kind->row;
	struct vavrenyuk *v = malloc(sizeof(*v));

	if (row->word == 4)
		e->limit = min(e->limit, X86_MAX);
	/* An empty list, and a tag of nothing: memory starts as zeros. */
	if (!v || !engine_grow(e, 2 * row->word)) {
		free(v);
		return false;
	}
	e->state = v;
	return tune(e, row->fit);
}

static void stop(struct engine *e)
{
	free(e->state);
	e->state = NULL;
}

static size_t used(struct engine *e)
{
	return e->end;
}

/* Each block by its tags, and the list beside. */
static const char *check(struct engine *e)
{
	const struct vavrenyuk_row *row = e->kind->row;
	size_t word = row->word, at, free = get(e, 0, word);
	bool was_free = false;
	long size, bytes;

	for (at = 2 * word; at < e->end; at += bytes + 2 * word) {
		size = get(e, at - word, word);
		bytes = size < 0 ? -size : size;
		if (bytes < (long)word || bytes > (long)(e->end - 2 * word - at))
			return "a tag is no size";
		if (get(e, at + bytes, word) != size)
			return "the two tags of a block differ";
		if (size < 0 && was_free)
			return "two free blocks side by side";
		was_free = size < 0;
		if (!was_free)
			continue;
		if (free != at)
			return "the list is not the free blocks by address";
		free = get(e, at, word);
	}
	if (at != e->end || get(e, e->end - word, word))
		return "the memory does not end with a tag of nothing";
	if (was_free)
		return "the last block is free";
	return free ? "the list goes on behind the last free block" : NULL;
}

#define TUNES	"first-fit, best-fit, worst-fit, best-fit-strict or worst-fit-strict"
#define KIND(title, text, how, machine, bytes)				\
	{								\
		.name = "vavrenyuk-" title, .about = text,		\
		.row = &(const struct vavrenyuk_row){ how, bytes },	\
		.align = 1, .header = 2 * bytes,			\
		.start = start, .alloc = alloc_##machine,		\
		.free = free_##machine, .used = used, .check = check,	\
		.tune = tune, .tunes = TUNES, .stop = stop,		\
	}
#define X64(how, text)	KIND(how, text, how, x64, 8)
#define X86(how)	KIND(how "-x86", "the same, words of 4 bytes", how, x86, 4)

static const struct engine_kind kinds[] = {
	X64("first-fit", "paired tags, the first that fits"),
	X86("first-fit"),
	X64("best-fit", "the smallest, or the first that is given whole"),
	X86("best-fit"),
	X64("worst-fit", "the largest, or the first that is given whole"),
	X86("worst-fit"),
	X64("best-fit-strict", "the smallest of all that fit"),
	X64("worst-fit-strict", "the largest of all"),
};

static const struct engine_family vavrenyuk = {
	.name = "vavrenyuk",
	.about = "free areas by address, paired tags (Vavrenyuk and others 2016)",
	.kind = kinds,
	.nr = ARRAY_SIZE(kinds),
};

ENGINE_FAMILY(vavrenyuk);
