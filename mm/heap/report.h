/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of what a user did wrong.  Called in any context, also with a heap
 * claimed.
 */
#ifndef CP_REPORT_H
#define CP_REPORT_H

#include "heap/debug.h"

extern u32 cp_report_burst;

void cp_report(enum cp_bad bad, struct curpage_cache *cache, const void *addr,
	       unsigned long caller);
void cp_report_print(enum cp_bad bad, const struct curpage_cache *cache,
		     const void *addr, unsigned long caller,
		     const struct cp_owners *owners);
void cp_report_leak(struct curpage_cache *cache, unsigned long nr,
		    unsigned long caller);
void cp_report_refs(struct curpage_cache *cache, struct cp_page *p);
unsigned long cp_report_count(enum cp_bad bad);

#endif /* CP_REPORT_H */
