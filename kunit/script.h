/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts of allocations and frees, and the pages that they lead to.
 *
 * A page has four blocks here.  A script says "+" for an allocation and a
 * letter or digit for a free: "0" is the block allocated first, "a" the
 * eleventh, and so on.  Pages are named A, B, ... as they are first used; the
 * answer is the page of each allocation.
 */
#ifndef CP_KUNIT_SCRIPT_H
#define CP_KUNIT_SCRIPT_H

#include "common.h"

#define CP_SCRIPT_BLOCKS	4
#define CP_SCRIPT_OBJS		36
#define CP_SCRIPT_PAGES		26

struct cp_script {
	struct curpage_cache *cache;
	unsigned int nr_objs;
	void *objs[CP_SCRIPT_OBJS];
	unsigned int nr_pages;
	struct cp_page *pages[CP_SCRIPT_PAGES];
	char out[CP_SCRIPT_OBJS + 1];
};

struct cp_script *cp_script_start(struct kunit *test, const char *strategy,
				  unsigned int freetol);
const char *cp_script_run(struct kunit *test, struct cp_script *s,
			  const char *script);
void cp_script_expect(struct kunit *test, struct cp_script *s,
		      const char *pages, const char *script);
void cp_script_end(struct kunit *test, struct cp_script *s);

#endif /* CP_KUNIT_SCRIPT_H */
