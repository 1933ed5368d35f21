/* SPDX-License-Identifier: GPL-2.0 */
/* What runs beside the allocator; from process context. */
#ifndef CP_WATCH_H
#define CP_WATCH_H

#include "base/base.h"

/* reclaim.c: the shrinker. */
unsigned long cp_reclaim(unsigned long nr);
int cp_reclaim_init(void);
void cp_reclaim_exit(void);

/* idle.c: what is not used for a while goes back. */
extern unsigned long cp_idle_pages;

void cp_idle_look(void);
void cp_idle_init(unsigned int ms);
void cp_idle_exit(void);

/* hotplug.c: what belongs to a CPU that goes offline. */
int cp_hotplug_init(void);
void cp_hotplug_exit(void);

#endif /* CP_WATCH_H */
