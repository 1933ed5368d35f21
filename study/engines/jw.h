/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Johnstone and Wilson (1998): what their 16 allocators have in common.
 *
 * Memory is asked for as with sbrk(), in steps, and not given back.  Blocks of the
 * sequential fits and of Lea's lie end to end with a tag in front.  A free block
 * has its size once more at its end, so that its neighbours can be found.
 */
#ifndef ENGINE_JW_H
#define ENGINE_JW_H

#include "engine.h"

#define JW_ALIGN	8U
#define JW_LEAST	16U	/* bytes of a block, with its header */
#define JW_SPACE	BIT(33)	/* bytes that a tag can tell apart */

/* jw.c */
size_t jw_used(struct engine *e);
/* Bytes more, at the end of what there is; NULL when there are no more. */
char *jw_grow(struct engine *e, size_t bytes);

/* jw_tags.c: a block starts 4 bytes before a multiple of 8, with its tag. */
#define JW_HEADER	4U
#define JW_BUSY		1U	/* in use */
#define JW_BELOW	2U	/* and the block below it is */

struct jw_block {
	u32 tag;	/* half of the size, and two flags */
};

static inline size_t jw_size(const struct jw_block *b)
{
	return (size_t)(b->tag & ~3U) * 2;
}

static inline struct jw_block *jw_above(struct jw_block *b)
{
	return (struct jw_block *)((char *)b + jw_size(b));
}

static inline void *jw_user(struct jw_block *b)
{
	return (char *)b + JW_HEADER;
}

static inline struct jw_block *jw_block(void *user)
{
	return (struct jw_block *)((char *)user - JW_HEADER);
}

/* A block for so many bytes. */
static inline size_t jw_room(size_t size)
{
	size_t room = ALIGN(size + JW_HEADER, (size_t)JW_ALIGN);

	return room < JW_LEAST ? JW_LEAST : room;
}

void jw_set_free(struct jw_block *b, size_t size);
void jw_set_busy(struct jw_block *b, size_t size);
struct jw_block *jw_below(struct jw_block *b);
/* The last block of all when it is free, or NULL. */
struct jw_block *jw_last(struct engine *e);
/* More memory: a block that is busy still, with free ones below it or not. */
struct jw_block *jw_extend(struct engine *e, size_t bytes);
/* Walks through all blocks: what is wrong, or NULL. */
const char *jw_walk(struct engine *e, size_t *nr_free,
		    const char *(*free_block)(struct engine *e,
					      struct jw_block *b));

/* jw_fit.c: sequential fits. */
enum jw_search { JW_FIRST, JW_NEXT, JW_BEST };
enum jw_order { JW_ADDRESS, JW_LIFO, JW_FIFO };

struct jw_fit_row {
	enum jw_search search;
	enum jw_order order;
	unsigned int step;	/* bytes asked for at a time */
};

bool jw_fit_start(struct engine *e);
void *jw_fit_alloc(struct engine *e, size_t size);
void jw_fit_free(struct engine *e, void *user);
const char *jw_fit_check(struct engine *e);
bool jw_fit_tune(struct engine *e, const char *text);
#define JW_FIT_TUNES	\
	"cut=low, cut=high, rest=list, rest=place, ask=lacking or ask=all"
void jw_fit_stop(struct engine *e);

/* jw_lea.c */
bool jw_lea_start(struct engine *e);
void *jw_lea_alloc(struct engine *e, size_t size);
void jw_lea_free(struct engine *e, void *user);
const char *jw_lea_check(struct engine *e);
bool jw_lea_tune(struct engine *e, const char *text);
#define JW_LEA_TUNES	"rest=bin or rest=first"
void jw_lea_stop(struct engine *e);

/*
 * jw_class.c: blocks of powers of two, and of three times powers of two between
 * them: class 0 has 16 bytes, 1 has 24, 2 has 32 ...  A block has a header of 8
 * bytes and lies at a multiple of 8.
 */
#define JW_CLASS_HEADER	8U
#define JW_CLASSES	59U	/* the last is JW_SPACE */
#define JW_NONE		0U	/* no block: the end of a list */

struct jw_class_row {
	unsigned int series;	/* 1: powers of two; 2: those of three as well */
	bool address;		/* a buddy is found by its address */
};

/* In front of each block; next and prev belong to the user of one in use. */
struct jw_piece {
	u8 class;
	bool free;
	u8 depth;		/* halved so many times */
	u8 unused;
	u32 sides;		/* each time: the upper half (1) or the lower */
	u32 next, prev;		/* eighths of offsets, + 1 */
};

struct jw_classes {
	u32 list[JW_CLASSES];
	size_t nr_free;		/* pieces on lists */
};

static inline size_t jw_class_size(unsigned int class)
{
	return (class % 2 ? 24UL : 16UL) << class / 2;
}

/* JW_CLASSES when it is too much. */
unsigned int jw_class_of(const struct jw_class_row *row, size_t size);
bool jw_classes_start(struct engine *e);
void jw_classes_stop(struct engine *e);
void jw_piece_push(struct engine *e, struct jw_piece *p);
struct jw_piece *jw_piece_pop(struct engine *e, unsigned int class);
void jw_piece_take(struct engine *e, struct jw_piece *p);
const char *jw_classes_check(struct engine *e, size_t *bytes);

/* jw_buddy.c */
void *jw_buddy_alloc(struct engine *e, size_t size);
void jw_buddy_free(struct engine *e, void *user);
const char *jw_buddy_check(struct engine *e);

/* jw_segregated.c */
void *jw_segregated_alloc(struct engine *e, size_t size);
void jw_segregated_free(struct engine *e, void *user);
const char *jw_segregated_check(struct engine *e);

#endif /* ENGINE_JW_H */
