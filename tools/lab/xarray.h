/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's xarray for the replay, which is its only user here: a table of
 * three levels over 32-bit indices.
 */
#ifndef LAB_XARRAY_H
#define LAB_XARRAY_H

#define LAB_XA_BITS	11		/* three times that is 33 */
#define LAB_XA_SLOTS	(1u << LAB_XA_BITS)

struct xarray {
	void *root;
};

void *xa_load(struct xarray *xa, unsigned long index);
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max,
	      unsigned int mark);
void xa_destroy(struct xarray *xa);

#define XA_PRESENT	0
#define xa_init(xa)	((xa)->root = NULL)
#define xa_err(entry)	((void)(entry), 0)
#define xa_erase(xa, index) xa_store(xa, index, NULL, 0)
#define xa_mk_value(v)	((void *)((unsigned long)(v) << 1 | 1))
#define xa_to_value(e)	((unsigned long)(e) >> 1)

#define xa_for_each(xa, index, entry)					\
	for ((index) = 0;						\
	     ((entry) = xa_find(xa, &(index), U32_MAX, XA_PRESENT));	\
	     (index)++)

#endif /* LAB_XARRAY_H */
