// SPDX-License-Identifier: GPL-2.0
/* Random numbers of a load: the same seed, the same load. */
#include <math.h>

#include "sim.h"

/* SplitMix64 (Steele, Lea and Flood 2014). */
u64 lab_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

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
