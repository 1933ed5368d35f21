/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's xarray for the replay, as a hash table: a replay may use IDs
 * scattered over 32 bits for a few live blocks.  The table grows with the most
 * entries at a time and never shrinks.
 *
 * Unlike in the kernel, xa_for_each() follows no order of the indices, and the
 * loop must not erase entries.
 */
#ifndef LAB_XARRAY_H
#define LAB_XARRAY_H

struct lab_xa_entry {
	unsigned long index;
	void *entry;			/* NULL: empty slot */
};

struct xarray {
	struct lab_xa_entry *table;
	unsigned int bits;		/* log2 of the slots; 0: none */
	unsigned long nr;
};

static inline void xa_init(struct xarray *xa)
{
	memset(xa, 0, sizeof(*xa));
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_erase(struct xarray *xa, unsigned long index);
int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_load(struct xarray *xa, unsigned long index);
void *lab_xa_next(struct xarray *xa, unsigned long *at, unsigned long *index);
void xa_destroy(struct xarray *xa);

#define xa_err(entry)	((void)(entry), 0)
#define xa_mk_value(v)	((void *)((unsigned long)(v) << 1 | 1))
#define xa_to_value(e)	((unsigned long)(e) >> 1)

#define xa_for_each(xa, index, entry)					\
	for (unsigned long at_ = 0;					\
	     ((entry) = lab_xa_next(xa, &at_, &(index)));)

#endif /* LAB_XARRAY_H */
