/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls for memory, all that the allocator makes.  The caller holds no raw lock
 * and no claim: on PREEMPT_RT the system's locks sleep.
 */
#ifndef CP_SYSTEM_H
#define CP_SYSTEM_H

#include "arena/page.h"

struct cp_page *cp_system_take(gfp_t gfp, unsigned int order);
void cp_system_give(struct cp_page *p, unsigned int order);
void *cp_system_zalloc(size_t size);
void *cp_system_zalloc_gfp(size_t size, gfp_t gfp);
void __percpu *cp_system_alloc_percpu(size_t size, size_t align);

#endif /* CP_SYSTEM_H */
