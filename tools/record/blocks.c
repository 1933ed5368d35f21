// SPDX-License-Identifier: GPL-2.0
/* A hash table, and a stack of numbers that are free. */
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"

static void *more(void *old, size_t nr, size_t size)
{
	void *new = reallocarray(old, nr, size);

	if (new)
		return new;
	fprintf(stderr, "record: out of memory for the blocks that are live\n");
	exit(1);
}

/* Multiplied by the golden ratio's bits: the high ones depend on all. */
static size_t place_of(const struct blocks *s, uint64_t at)
{
	return (at * 0x9e3779b97f4a7c15ULL >> 20) & (s->room - 1);
}

static struct block *find(const struct blocks *s, uint64_t at)
{
	size_t i = place_of(s, at);

	while (s->table[i].at && s->table[i].at != at)
		i = (i + 1) & (s->room - 1);
	return &s->table[i];
}

static void grow(struct blocks *s)
{
	struct blocks old = *s;
	size_t i;

	s->room = old.room ? 2 * old.room : 1024;
	s->table = more(NULL, s->room, sizeof(*s->table));
	for (i = 0; i < s->room; i++)
		s->table[i].at = 0;
	for (i = 0; i < old.room; i++)
		if (old.table[i].at)
			*find(s, old.table[i].at) = old.table[i];
	free(old.table);
}

static struct block *put(struct blocks *s, uint64_t at, struct block b)
{
	struct block *new;

	if (2 * (s->nr + 1) > s->room)
		grow(s);
	new = find(s, at);
	*new = b;
	new->at = at;
	s->nr++;
	return new;
}

void blocks_put(struct blocks *s, uint64_t at, struct block b)
{
	put(s, at, b);
}

struct block *blocks_add(struct blocks *s, uint64_t at, uint64_t size)
{
	struct block b = { .size = size };

	b.id = s->free_nr ? s->free_id[--s->free_nr] : s->ids++;
	return put(s, at, b);
}

/* Those behind move up, so that no search ends before them. */
static void close_gap(struct blocks *s, size_t gap)
{
	size_t i = gap, home;

	for (;;) {
		i = (i + 1) & (s->room - 1);
		if (!s->table[i].at)
			break;
		home = place_of(s, s->table[i].at);
		if (((i - home) & (s->room - 1)) >= ((i - gap) & (s->room - 1))) {
			s->table[gap] = s->table[i];
			gap = i;
		}
	}
	s->table[gap].at = 0;
}

bool blocks_take(struct blocks *s, uint64_t at, struct block *b)
{
	struct block *found;

	if (!s->room)
		return false;
	found = find(s, at);
	if (!found->at)
		return false;
	*b = *found;
	close_gap(s, found - s->table);
	s->nr--;
	return true;
}

void blocks_give_id(struct blocks *s, uint32_t id)
{
	if (s->free_nr == s->free_room) {
		s->free_room = s->free_room ? 2 * s->free_room : 1024;
		s->free_id = more(s->free_id, s->free_room, sizeof(id));
	}
	s->free_id[s->free_nr++] = id;
}

void blocks_free(struct blocks *s)
{
	free(s->table);
	free(s->free_id);
}
