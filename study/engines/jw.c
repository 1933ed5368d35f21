// SPDX-License-Identifier: GPL-2.0
/* Johnstone and Wilson's 16 allocators, in the order of their Table 3. */
#include "jw.h"

size_t jw_used(struct engine *e)
{
	return e->end;
}

char *jw_grow(struct engine *e, size_t bytes)
{
	if (bytes > JW_SPACE - e->end)
		return NULL;
	return engine_grow(e, bytes);
}

static const struct jw_fit_row best_ao_8k = { JW_BEST, JW_ADDRESS, 2 * SZ_4K };
static const struct jw_fit_row best_ao = { JW_BEST, JW_ADDRESS, SZ_4K };
static const struct jw_fit_row best_lifo = { JW_BEST, JW_LIFO, SZ_4K };
static const struct jw_fit_row best_fifo = { JW_BEST, JW_FIFO, SZ_4K };
static const struct jw_fit_row first_ao_8k = { JW_FIRST, JW_ADDRESS, 2 * SZ_4K };
static const struct jw_fit_row first_ao = { JW_FIRST, JW_ADDRESS, SZ_4K };
static const struct jw_fit_row first_lifo = { JW_FIRST, JW_LIFO, SZ_4K };
static const struct jw_fit_row first_fifo = { JW_FIRST, JW_FIFO, SZ_4K };
static const struct jw_fit_row next_ao = { JW_NEXT, JW_ADDRESS, SZ_4K };
static const struct jw_fit_row next_lifo = { JW_NEXT, JW_LIFO, SZ_4K };
static const struct jw_fit_row next_fifo = { JW_NEXT, JW_FIFO, SZ_4K };
static const struct jw_class_row buddy_2n = { .series = 1, .address = true };
static const struct jw_class_row buddy_double = { .series = 2 };
static const struct jw_class_row segregated_2n = { .series = 1 };
static const struct jw_class_row segregated_3_2n = { .series = 2 };

#define JW_COMMON	.align = JW_ALIGN, .used = jw_used
#define JW_FIT								\
	JW_COMMON, .header = JW_HEADER, .start = jw_fit_start,		\
	.alloc = jw_fit_alloc, .free = jw_fit_free,			\
	.check = jw_fit_check, .tune = jw_fit_tune,			\
	.tunes = JW_FIT_TUNES,						\
	.stop = jw_fit_stop
#define JW_CLASS							\
	JW_COMMON, .header = JW_CLASS_HEADER, .start = jw_classes_start, \
	.stop = jw_classes_stop
#define JW_BUDDY							\
	JW_CLASS, .alloc = jw_buddy_alloc, .free = jw_buddy_free,	\
	.check = jw_buddy_check
#define JW_SEGREGATED							\
	JW_CLASS, .alloc = jw_segregated_alloc,				\
	.free = jw_segregated_free, .check = jw_segregated_check

static const struct engine_kind jw_kind[] = {
	{ "jw-best-fit-ao-8k", "best fit, by address, 8K at a time",
	  &best_ao_8k, JW_FIT },
	{ "jw-best-fit-ao", "best fit, by address", &best_ao, JW_FIT },
	{ "jw-best-fit-lifo", "best fit, last freed first",
	  &best_lifo, JW_FIT },
	{ "jw-best-fit-fifo", "best fit, first freed first",
	  &best_fifo, JW_FIT },
	{ "jw-first-fit-ao-8k", "first fit, by address, 8K at a time",
	  &first_ao_8k, JW_FIT },
	{ "jw-first-fit-ao", "first fit, by address", &first_ao, JW_FIT },
	{ "jw-first-fit-lifo", "first fit, last freed first",
	  &first_lifo, JW_FIT },
	{ "jw-first-fit-fifo", "first fit, first freed first",
	  &first_fifo, JW_FIT },
	{ "jw-next-fit-ao", "next fit, by address", &next_ao, JW_FIT },
	{ "jw-next-fit-lifo", "next fit, last freed first",
	  &next_lifo, JW_FIT },
	{ "jw-next-fit-fifo", "next fit, first freed first",
	  &next_fifo, JW_FIT },
	{ "jw-lea", "Lea's malloc 2.6.1: 128 bins, best fit",
	  NULL, JW_COMMON, .header = JW_HEADER, .start = jw_lea_start,
	  .alloc = jw_lea_alloc, .free = jw_lea_free, .check = jw_lea_check,
	  .tune = jw_lea_tune, .tunes = JW_LEA_TUNES, .stop = jw_lea_stop },
	{ "jw-binary-buddy", "buddies, powers of two", &buddy_2n, JW_BUDDY },
	{ "jw-double-buddy", "buddies, powers of two and three times these",
	  &buddy_double, JW_BUDDY },
	{ "jw-segregated-2n", "a page has blocks of one power of two",
	  &segregated_2n, JW_SEGREGATED },
	{ "jw-segregated-3-2n", "and of three times powers of two",
	  &segregated_3_2n, JW_SEGREGATED },
};

static const struct engine_family jw_family = {
	.name = "johnstone-wilson",
	.about = "Johnstone and Wilson 1998: 16 policies",
	.kind = jw_kind,
	.nr = ARRAY_SIZE(jw_kind),
};

ENGINE_FAMILY(jw_family);
