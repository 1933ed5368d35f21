// SPDX-License-Identifier: GPL-2.0
/* See xarray.h.  The lab's own memory: running out of it ends the lab. */

static void **lab_xa_node(void **slot, bool make)
{
	if (!*slot && make) {
		*slot = calloc(LAB_XA_SLOTS, sizeof(void *));
		if (!*slot) {
			perror("lab");
			exit(1);
		}
	}
	return *slot;
}

/* The slot of an index, or NULL where there is none and none is made. */
static void **lab_xa_slot(struct xarray *xa, unsigned long index, bool make)
{
	void **node = lab_xa_node(&xa->root, make);
	unsigned int shift;

	for (shift = 2 * LAB_XA_BITS; node && shift; shift -= LAB_XA_BITS)
		node = lab_xa_node(node + (index >> shift) % LAB_XA_SLOTS,
				   make);
	return node ? node + index % LAB_XA_SLOTS : NULL;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	void **slot = lab_xa_slot(xa, index, false);

	return slot ? *slot : NULL;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	void **slot = lab_xa_slot(xa, index, entry);
	void *old = slot ? *slot : NULL;

	(void)gfp;
	assert(index <= U32_MAX);
	if (slot)
		*slot = entry;
	return old;
}

/* The first entry from *index on. */
void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max,
	      unsigned int mark)
{
	(void)mark;
	while (*index <= max) {
		void **slot = lab_xa_slot(xa, *index, false);

		if (slot && *slot)
			return *slot;
		*index = slot ? *index + 1 : (*index | (LAB_XA_SLOTS - 1)) + 1;
	}
	return NULL;
}

static void lab_xa_free(void **node, unsigned int depth)
{
	unsigned int i;

	for (i = 0; node && depth && i < LAB_XA_SLOTS; i++)
		lab_xa_free(node[i], depth - 1);
	free(node);
}

void xa_destroy(struct xarray *xa)
{
	lab_xa_free(xa->root, 2);
	xa_init(xa);
}
