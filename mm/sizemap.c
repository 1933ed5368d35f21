// SPDX-License-Identifier: GPL-2.0
/*
 * Brent's SIZEMAP (1984, section 5.1) for the real page size.
 *
 * Two sizes of which the same number fits on a page need not be told apart,
 * so the next class is the largest size of which one block less fits.  Sizes
 * are counted in units of 16 bytes; 8 bytes is a class before the first.
 * Every power of two is a class, as p / 2^k is exact: such a request gets a
 * block aligned to itself.
 */
#include "kernel.h"
#include "internal.h"

#define CP_UNIT		16
#define CP_PAGE_UNITS	(PAGE_SIZE / CP_UNIT)

static unsigned int cp_class_size[CP_MAX_CLASSES] __ro_after_init;
static u8 cp_class_of[CP_PAGE_UNITS + 1] __ro_after_init;	/* by units */
static unsigned int cp_class_count __ro_after_init;

void __init cp_sizemap_init(void)
{
	unsigned int size = 1, from = 1, class = 1;

	cp_class_size[0] = CP_UNIT / 2;
	while (class < CP_MAX_CLASSES) {
		cp_class_size[class] = size * CP_UNIT;
		for (; from <= size; from++)
			cp_class_of[from] = class;
		class++;
		if (size == CP_PAGE_UNITS)
			break;
		size = max(size + 1, (unsigned int)CP_PAGE_UNITS /
				     ((unsigned int)CP_PAGE_UNITS / size - 1));
	}
	cp_class_count = class;
}

/* The class of a size from 1 to PAGE_SIZE. */
unsigned int cp_sizemap(size_t size)
{
	if (size <= CP_UNIT / 2)
		return 0;
	return cp_class_of[DIV_ROUND_UP(size, CP_UNIT)];
}

unsigned int cp_sizemap_size(unsigned int class)
{
	return cp_class_size[class];
}

unsigned int cp_sizemap_count(void)
{
	return cp_class_count;
}
