/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Size maps: which class serves a request of a given size, and how a map is
 * made.
 */
#ifndef CP_SIZEMAP_H
#define CP_SIZEMAP_H

#include "base/base.h"

/* sizemap.c: from sizes to classes. */
#define CP_SIZE_MIN	(CP_UNIT < 8 ? CP_UNIT + 0U : 8U)
#define CP_PAGE_UNITS	(PAGE_SIZE / CP_UNIT)
#define CP_UNITS_MIN	(CP_UNIT > 8 ? 0U : 1U)	/* 0 units: CP_SIZE_MIN */
#define CP_MAX_CLASSES	128U
#define CP_SIZEMAP_TEXT	(CP_MAX_CLASSES * 6)	/* bytes of a list as text */
#define CP_SIZEMAP_WHY	160	/* bytes of a reason for refusal */

enum cp_sizemap_kind {
	CP_MAP_BRENT,
	CP_MAP_GEOMETRIC,
	CP_MAP_POWERS_OF_2,
	CP_MAP_LIST,
};

struct cp_sizemap {
	enum cp_sizemap_kind kind;
	unsigned int rho;		/* geometric ratio, in thousandths */
	unsigned int count;
	u16 size[CP_MAX_CLASSES];	/* bytes, ascending up to PAGE_SIZE */
};

static inline unsigned int cp_sizemap_bytes(unsigned int units)
{
	return units ? units * CP_UNIT : CP_SIZE_MIN;
}

static inline unsigned int cp_sizemap_units(size_t size)
{
	return !CP_UNITS_MIN && size <= CP_SIZE_MIN ? 0 :
						      DIV_ROUND_UP(size, CP_UNIT);
}

bool cp_sizemap_must(unsigned int units);
int cp_sizemap_make(struct cp_sizemap *map, const char *text, char *why);
void cp_sizemap_make_marked(struct cp_sizemap *map, const bool *classes);
void cp_sizemap_name(const struct cp_sizemap *map, char *buf, size_t size);
void cp_sizemap_list(const struct cp_sizemap *map, char *buf, size_t size);
void cp_sizemap_use(const struct cp_sizemap *map);
int cp_sizemap_init(const char *text);
const struct cp_sizemap *cp_sizemap_used(void);
unsigned int cp_sizemap(size_t size);
unsigned int cp_sizemap_size(unsigned int class);
unsigned int cp_sizemap_count(void);

/* best_map.c: the size map that suits a load. */
#define CP_BEST_MAP_ONE	1024U	/* one block, or one page, in these counts */

struct cp_map_load {
	u64 live[CP_PAGE_UNITS + 1];	/* blocks by units * CP_BEST_MAP_ONE */
	u64 bytes;			/* asked for, * CP_BEST_MAP_ONE */
};

unsigned int cp_best_map_min(void);
int cp_best_map(const struct cp_map_load *t, unsigned int most,
		struct cp_sizemap *map);
u64 cp_best_map_pages(const struct cp_map_load *t, const struct cp_sizemap *map);
unsigned int cp_best_map_efficiency(const struct cp_map_load *t,
				    const struct cp_sizemap *map);

#endif /* CP_SIZEMAP_H */
