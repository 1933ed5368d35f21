/* SPDX-License-Identifier: GPL-2.0 */
/* The blocks that are live, by address, and the numbers they go by. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block {
	uint64_t at;		/* 0: nothing here */
	uint64_t size;
	uint32_t id;
};

struct blocks {
	struct block *table;	/* open addresses, at most half full */
	size_t room, nr;
	uint32_t *free_id;	/* the last one is given first */
	size_t free_nr, free_room;
	uint32_t ids;		/* given so far */
};

/* Out of memory ends the program. */
void blocks_put(struct blocks *s, uint64_t at, struct block b);
struct block *blocks_add(struct blocks *s, uint64_t at, uint64_t size);
bool blocks_take(struct blocks *s, uint64_t at, struct block *b);
void blocks_give_id(struct blocks *s, uint32_t id);
void blocks_free(struct blocks *s);

#endif /* BLOCKS_H */
