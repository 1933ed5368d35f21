/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Binary buddies of 8 to 4096 bytes, as a measure for others: no memory behind
 * it, only where blocks would be.
 */
#ifndef BYTES_BUDDY_H
#define BYTES_BUDDY_H

#define BYTES_MIN	8
#define BYTES_MAX	4096
#define BYTES_ORDERS	10		/* 8 << 9 is 4096 */

struct bytes_slot {
	u32 next, prev;			/* of a free block; numbers, 0 for none */
	u8 order;			/* and one; 0 when no free block starts here */
};

struct bytes_buddy {
	struct bytes_slot *slot;	/* by number: address / 8, from one largest block on */
	u32 first[BYTES_ORDERS];	/* free blocks */
	u32 end;			/* slots there are */
	u32 largest;			/* free blocks of 4096 bytes */
	u64 items;			/* on lists, as Brent counts them */
};

u32 bytes_buddy_alloc(struct bytes_buddy *b, unsigned int size);
void bytes_buddy_free(struct bytes_buddy *b, u32 nr, unsigned int size);
double bytes_buddy_held(const struct bytes_buddy *b);
void bytes_buddy_exit(struct bytes_buddy *b);

#endif /* BYTES_BUDDY_H */
