// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table with linear probing, at most half full; see xarray.h.  Erasing
 * an entry moves later ones up, so there are no tombstones.  Exits without
 * memory.
 */
#define LAB_XA_BITS	10	/* log2 of the smallest table */

/* Return: the slot of an index if it is free, by multiplicative hashing. */
static unsigned long lab_xa_home(const struct xarray *xa, unsigned long index)
{
	return index * 0x9e3779b97f4a7c15 >> (BITS_PER_LONG - xa->bits);
}

static unsigned long lab_xa_mask(const struct xarray *xa)
{
	return (1UL << xa->bits) - 1;
}

/* Return: the slot of an index, or the empty slot where it goes. */
static struct lab_xa_entry *lab_xa_slot(struct xarray *xa, unsigned long index)
{
	unsigned long at = lab_xa_home(xa, index);

	while (xa->table[at].entry && xa->table[at].index != index)
		at = (at + 1) & lab_xa_mask(xa);
	return xa->table + at;
}

static void lab_xa_resize(struct xarray *xa, unsigned int bits)
{
	struct lab_xa_entry *old = xa->table;
	unsigned long i, size = old ? 1UL << xa->bits : 0;

	xa->bits = bits;
	xa->table = calloc(1UL << bits, sizeof(*xa->table));
	if (!xa->table) {
		perror("lab");
		exit(1);
	}
	for (i = 0; i < size; i++)
		if (old[i].entry)
			*lab_xa_slot(xa, old[i].index) = old[i];
	free(old);
}

/* Return: the slot of an index, after making room for a new one. */
static struct lab_xa_entry *lab_xa_make(struct xarray *xa, unsigned long index)
{
	if (unlikely(!xa->table))
		lab_xa_resize(xa, LAB_XA_BITS);
	else if (unlikely(xa->nr >= 1UL << (xa->bits - 1)))
		lab_xa_resize(xa, xa->bits + 1);
	return lab_xa_slot(xa, index);
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	return xa->table ? lab_xa_slot(xa, index)->entry : NULL;
}

/* Insert an entry.  Return: 0, or -EBUSY if there is one, as in the kernel. */
int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	struct lab_xa_entry *slot = lab_xa_make(xa, index);

	if (slot->entry)
		return -EBUSY;
	*slot = (struct lab_xa_entry){ .index = index, .entry = entry };
	xa->nr++;
	return 0;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	struct lab_xa_entry *slot = lab_xa_make(xa, index);
	void *old = slot->entry;

	*slot = (struct lab_xa_entry){ .index = index, .entry = entry };
	xa->nr += !old;
	return old;
}

/*
 * Erase an entry.  Later entries move up, but not in front of their home slot.
 */
void *xa_erase(struct xarray *xa, unsigned long index)
{
	struct lab_xa_entry *slot = xa->table ? lab_xa_slot(xa, index) : NULL;
	unsigned long hole, at, mask = lab_xa_mask(xa);
	void *old = slot ? slot->entry : NULL;

	if (!old)
		return NULL;
	hole = slot - xa->table;
	for (at = (hole + 1) & mask; xa->table[at].entry; at = (at + 1) & mask) {
		unsigned long home = lab_xa_home(xa, xa->table[at].index);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		xa->table[hole] = xa->table[at];
		hole = at;
	}
	xa->table[hole].entry = NULL;
	xa->nr--;
	return old;
}

/* Return: the next entry from slot *at on, in the order of the table. */
void *lab_xa_next(struct xarray *xa, unsigned long *at, unsigned long *index)
{
	while (xa->table && *at <= lab_xa_mask(xa)) {
		struct lab_xa_entry *slot = xa->table + (*at)++;

		if (slot->entry) {
			*index = slot->index;
			return slot->entry;
		}
	}
	return NULL;
}

void xa_destroy(struct xarray *xa)
{
	free(xa->table);
	xa_init(xa);
}
