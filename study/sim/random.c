// SPDX-License-Identifier: GPL-2.0
/* Random numbers of a load: the same seed, the same load. */
#include <math.h>

#include "sim.h"

u64 sim_random(struct sim *s)
{
	return lab_random(&s->random);
}

/* Above 0 and below 1. */
double sim_uniform(struct sim *s)
{
	return ((sim_random(s) >> 11) + 0.5) / (1ULL << 53);
}

double sim_exponential(struct sim *s, double mean)
{
	return -mean * log(sim_uniform(s));
}
