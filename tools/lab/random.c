// SPDX-License-Identifier: GPL-2.0
/* Random numbers, determined by their seed. */
#include "lab.h"

/* Draw by SplitMix64 (Steele, Lea and Flood 2014). */
u64 lab_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}
