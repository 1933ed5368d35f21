// SPDX-License-Identifier: GPL-2.0
/* Random numbers of Nielsen's loads. */
#include <math.h>

#include "load_nielsen.h"

/* Lewis, Goodman and Miller (1969), System/360: above 0 and below 1. */
double demand_uniform(u32 *seed)
{
	*seed = *seed * 16807ULL % DEMAND_MODULUS;
	return *seed / (double)DEMAND_MODULUS;
}

/* Twelve uniform numbers, as the Fortran libraries of the day did it. */
static double demand_normal(u32 *seed)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += demand_uniform(seed);
	return sum;
}

double demand_mean(const struct demand_draw *d)
{
	return d->law == DEMAND_UNIFORM ? (d->a + d->b) / 2 : d->a;
}

void demand_scale(struct demand_draw *d, double factor)
{
	d->a *= factor;
	d->b *= d->law == DEMAND_NORMAL ? factor * factor : factor;
}

double demand_draw(const struct demand_draw *d, u32 *seed)
{
	switch (d->law) {
	case DEMAND_CONSTANT:
		return d->a;
	case DEMAND_EXPONENTIAL:
		return -d->a * log(demand_uniform(seed));
	case DEMAND_NORMAL:
		return max(d->a + sqrt(d->b) * demand_normal(seed), 0.0);
	case DEMAND_UNIFORM:
		return d->a + (d->b - d->a) * demand_uniform(seed);
	}
	return 0;
}
