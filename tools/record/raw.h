/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording as a program leaves it: a file PID.N in the recording's folder, a
 * page of head and then events.  It is mapped shared, so what was written stays
 * when the program is killed.
 */
#ifndef RAW_H
#define RAW_H

#include <assert.h>
#include <stdint.h>

#define RAW_MAGIC	"curpage record 2"	/* 16 bytes, no end */
#define RAW_HEAD	4096
#define RAW_FOLDER	"CURPAGE_RECORD"	/* where to record, in the environment */

/*
 * An event is a record of 8 bytes: what happened in the low 3 bits, the block's
 * address in its place up to bit 47 (blocks are aligned to 8), the value above it.
 * A value that is too large for that is in a record of its own behind it.
 */
enum raw_what {
	RAW_NONE,		/* never written: the program ended before */
	RAW_ALLOC,		/* value: the size */
	RAW_FREE,
	RAW_RESIZE,		/* of this block; value: the new size */
	RAW_RESIZED,		/* to this one, or 0; value: the RAW_RESIZE's number */
	RAW_VALUE = 7,		/* the value of the event before it, from bit 3 */
};

#define RAW_WHAT_BITS	3
#define RAW_WHAT_MASK	((1ULL << RAW_WHAT_BITS) - 1)
#define RAW_VALUE_SHIFT	48
#define RAW_BEHIND	0xffff	/* as value: it is in the next record */

static inline enum raw_what raw_what(uint64_t record)
{
	return (enum raw_what)(record & RAW_WHAT_MASK);
}

static inline uint64_t raw_address(uint64_t record)
{
	return record & ((1ULL << RAW_VALUE_SHIFT) - 1) & ~RAW_WHAT_MASK;
}

struct raw_head {
	char magic[16];
	uint32_t pid, parent;
	uint32_t cut;		/* errno: why nothing was recorded any more */
	uint32_t command_len;
	uint64_t room;		/* records that the file has a place for */
	uint64_t next __attribute__((aligned(64)));	/* number of the next record */
	/* /proc/self/cmdline, perhaps its start only */
	char command[RAW_HEAD - 192] __attribute__((aligned(64)));
};

static_assert(sizeof(struct raw_head) <= RAW_HEAD, "the head is a page");

#endif /* RAW_H */
