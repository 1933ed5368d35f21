// SPDX-License-Identifier: GPL-2.0
/*
 * The size map that suits a load best (Brent 1984, section 5.3): the map with
 * the least expected storage among all maps that have at most a given number of
 * classes.
 *
 * A class of size s with N live blocks is expected to need N / floor(p / s)
 * pages, and half a page more if N is not 0, since its last page is half full
 * on average.  The loss by rounding up is in the size.  Headers of pages cost
 * nothing: they lie over struct page.
 *
 * The best k classes that end at a size are the best k - 1 classes that end at
 * a smaller size, and one class more: dynamic programming.  The number of steps
 * is the number of classes times the square of the number of sizes.  All
 * arithmetic is in whole numbers.
 */
#include "base/kernel.h"
#include "size/sizemap.h"

#define CP_BEST_MAP_FINE	16	/* cost of 1/CP_BEST_MAP_ONE page */
#define CP_BEST_MAP_NEVER	U64_MAX

/* Sizes are numbered from 1 here.  Number 0 means "before all sizes". */
#define CP_BEST_MAP_SIZES	(CP_PAGE_UNITS + 1 - CP_UNITS_MIN)

static unsigned int cp_best_map_units(unsigned int nr)
{
	return nr - 1 + CP_UNITS_MIN;
}

struct cp_best_map_work {
	u64 sum[CP_BEST_MAP_SIZES + 1];	/* live blocks up to this size */
	u64 cost[CP_BEST_MAP_SIZES + 1];	/* best classes ending here */
	u16 must[CP_BEST_MAP_SIZES + 1];	/* last required up to here */
	u16 before[][CP_BEST_MAP_SIZES + 1];	/* class before the last one */
};

static u64 cp_best_map_class(unsigned int bytes, u64 live)
{
	if (!live)
		return 0;
	return live * CP_BEST_MAP_FINE / (PAGE_SIZE / bytes) +
	       CP_BEST_MAP_ONE * CP_BEST_MAP_FINE / 2;
}

static void cp_best_map_prepare(struct cp_best_map_work *w,
				const struct cp_map_load *t)
{
	unsigned int nr;

	for (nr = 1; nr <= CP_BEST_MAP_SIZES; nr++) {
		unsigned int units = cp_best_map_units(nr);

		w->sum[nr] = w->sum[nr - 1] + t->live[units];
		w->must[nr] = cp_sizemap_must(units) ? nr : w->must[nr - 1];
		w->cost[nr] = CP_BEST_MAP_NEVER;
	}
}

/*
 * Find the best classes that end at nr, one class more than before.  Costs of
 * sizes below nr are still those of one class less.
 */
static void cp_best_map_extend(struct cp_best_map_work *w, unsigned int classes,
			       unsigned int nr)
{
	unsigned int bytes = cp_sizemap_bytes(cp_best_map_units(nr));
	u64 least = CP_BEST_MAP_NEVER;
	unsigned int before;

	for (before = w->must[nr - 1]; before < nr; before++) {
		u64 cost = w->cost[before];

		if (cost == CP_BEST_MAP_NEVER)
			continue;
		cost += cp_best_map_class(bytes, w->sum[nr] - w->sum[before]);
		/*
		 * Of equal costs take the larger class: it serves more sizes.
		 */
		if (cost > least)
			continue;
		least = cost;
		w->before[classes][nr] = before;
	}
	w->cost[nr] = least;
}

/* Search for the best map.  Return: the number of its classes. */
static unsigned int cp_best_map_search(struct cp_best_map_work *w,
				       unsigned int most)
{
	unsigned int classes, nr, best = 0;
	u64 least = CP_BEST_MAP_NEVER;

	for (classes = 1; classes <= most; classes++) {
		for (nr = CP_BEST_MAP_SIZES; nr; nr--)
			cp_best_map_extend(w, classes, nr);
		w->cost[0] = CP_BEST_MAP_NEVER;
		if (w->cost[CP_BEST_MAP_SIZES] < least) {
			least = w->cost[CP_BEST_MAP_SIZES];
			best = classes;
		}
	}
	return best;
}

/* Return: the least number of classes that a map can have. */
unsigned int cp_best_map_min(void)
{
	unsigned int units, count = 0;

	for (units = CP_UNITS_MIN; units <= CP_PAGE_UNITS; units++)
		count += cp_sizemap_must(units);
	return count;
}

/**
 * cp_best_map - make the map that suits a load
 * @t: the load
 * @most: number of classes at most, cp_best_map_min() to CP_MAX_CLASSES
 * @map: the map to fill in
 *
 * Return: 0 or -ENOMEM.
 */
int cp_best_map(const struct cp_map_load *t, unsigned int most,
		struct cp_sizemap *map)
{
	bool marked[CP_PAGE_UNITS + 1] = { };
	struct cp_best_map_work *w;
	unsigned int classes, nr;

	w = kvzalloc(sizeof(*w) + (most + 1) * sizeof(w->before[0]),
		     GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	cp_best_map_prepare(w, t);
	nr = CP_BEST_MAP_SIZES;
	for (classes = cp_best_map_search(w, most); classes; classes--) {
		marked[cp_best_map_units(nr)] = true;
		nr = w->before[classes][nr];
	}
	kvfree(w);
	cp_sizemap_make_marked(map, marked);
	return 0;
}

/*
 * Return: the pages that a load is expected to need with a map, times
 * CP_BEST_MAP_ONE.
 */
u64 cp_best_map_pages(const struct cp_map_load *t, const struct cp_sizemap *map)
{
	unsigned int class, units = CP_UNITS_MIN;
	u64 cost = 0;

	for (class = 0; class < map->count; class++) {
		u64 live = 0;

		/* Stops behind the last class, which is the page size. */
		while (units <= cp_sizemap_units(map->size[class]))
			live += t->live[units++];
		cost += cp_best_map_class(map->size[class], live);
	}
	return cost / CP_BEST_MAP_FINE;
}

/* Return: the expected storage efficiency of a map, in thousandths. */
unsigned int cp_best_map_efficiency(const struct cp_map_load *t,
				    const struct cp_sizemap *map)
{
	u64 bytes = cp_best_map_pages(t, map) * PAGE_SIZE;

	return bytes ? t->bytes * 1000 / bytes : 0;
}
