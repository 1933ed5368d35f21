/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's xarray for the replay, which is its only user here: a hash table,
 * since a replay may use IDs from all over 32 bits for a few live blocks, and
 * all IDs in turn.  It has room for as many entries as were in it at a time.
 *
 * Unlike the kernel's, it is gone through in no order of the indices, and an
 * entry must not be erased meanwhile.
 */
#ifndef LAB_XARRAY_H
#define LAB_XARRAY_H

struct lab_xa_entry {
	unsigned long index;
	void *entry;			/* NULL where there is none */
};

struct xarray {
	struct lab_xa_entry *table;
	unsigned int bits;		/* of its size; 0 without a table */
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
