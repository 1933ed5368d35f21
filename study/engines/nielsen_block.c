// SPDX-License-Identifier: GPL-2.0
/* What all of Nielsen's allocators start, end and are checked with. */
#include "nielsen_list.h"

/* There is too little memory. */
bool nielsen_give_up(struct engine *e)
{
	nielsen_stop(e);
	return false;
}

/* All memory of the engine, no block in it yet; false when there is too little. */
bool nielsen_open(struct engine *e)
{
	struct nielsen *n = calloc(1, sizeof(*n));

	if (!n)
		return false;
	n->e = e;
	n->row = e->kind->row;
	n->header = 1 + n->row->back;
	n->least = n->header + max(n->row->links, 1);
	n->word = engine_grow(e, e->limit);
	n->end = min(e->limit / sizeof(u32), NIELSEN_WORDS_MAX);
	n->rover = NIELSEN_NIL;
	nielsen_list_init(&n->free);
	e->state = n;
	return n->end >= n->least || nielsen_give_up(e);
}

/* The same, and all of it is a free block, on no list. */
bool nielsen_open_whole(struct engine *e)
{
	struct nielsen *n;

	if (!nielsen_open(e))
		return false;
	n = e->state;
	nielsen_tag(n, 0, n->end, NIELSEN_FREE);
	if (n->row->back)
		nielsen_write(n, 1, NIELSEN_NIL);
	return true;
}

void nielsen_stop(struct engine *e)
{
	free(e->state);
	e->state = NULL;
}

size_t nielsen_used(struct engine *e)
{
	const struct nielsen *n = e->state;

	return (size_t)n->used * sizeof(u32);
}

/* Walks through memory. */
const char *nielsen_check_blocks(struct nielsen *n, u32 *nr_free)
{
	u32 used = 0, before = NIELSEN_NIL;
	u32 b, size;

	*nr_free = 0;
	for (b = n->start; b < n->end; b += size) {
		size = nielsen_size(n, b);
		if (size < n->least || size > n->end - b)
			return "a block has an impossible size";
		if (n->row->back && nielsen_back(n, b) != before)
			return "a block has the wrong pointer to the one before";
		if (nielsen_state(n, b) == NIELSEN_USED)
			used += size;
		else if (nielsen_state(n, b) != NIELSEN_MARKED)
			(*nr_free)++;
		before = b;
	}
	if (used + n->start != n->used)
		return "the words in use do not add up";
	return NULL;
}

/* Where blocks are joined as they are freed, no two free ones are neighbours. */
const char *nielsen_check_joined(const struct nielsen *n)
{
	bool was_free = false;
	u32 b;

	if (n->row->compaction != NIELSEN_ON_FREE)
		return NULL;
	for (b = n->start; b < n->end; b = nielsen_next(n, b)) {
		bool is_free = nielsen_state(n, b) != NIELSEN_USED;

		if (is_free && was_free)
			return "two free neighbours were not joined";
		was_free = is_free;
	}
	return NULL;
}
