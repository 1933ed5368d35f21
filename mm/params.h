/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CP_PARAMS_H
#define CP_PARAMS_H

#include "arena/arena.h"
#include "cache/cache.h"

struct cp_params {
	struct cp_cache_defaults defaults;
	struct cp_arena_args arena;
	unsigned int stock;
	unsigned int idle_ms;		/* 0 for never */
};

extern struct cp_params cp_params;

int cp_params_init(void);

#endif /* CP_PARAMS_H */
