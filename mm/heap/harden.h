/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of caches and orders of pages, which no attacker can foretell. */
#ifndef CP_HARDEN_H
#define CP_HARDEN_H

#include "heap/heap.h"

struct cp_harden {
	bool on;
	u64 seed;	/* for orders; 0: none */
};

extern struct cp_harden cp_harden;

void cp_harden_init(bool on, u64 seed);
u64 cp_harden_key(void);
int cp_harden_cache(struct curpage_cache *cache);
unsigned int cp_harden_begin(const struct curpage_cache *cache);

#endif /* CP_HARDEN_H */
