/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A buddy with no arena around it, whose chunks are parts of one block of the
 * system, and a bitmap that says of each page whether it is free.
 */
#ifndef CP_KUNIT_LOT_H
#define CP_KUNIT_LOT_H

#include "common.h"

#include <linux/prandom.h>

#define CP_LOT_PAGES	BIT(CURPAGE_MAX_ORDER)

struct cp_lot {
	struct cp_buddy b;
	struct cp_page *pages;		/* as many as that, neighbours */
	struct cp_page *taken[CP_LOT_PAGES];
	unsigned int nr;		/* of those */
	DECLARE_BITMAP(used, CP_LOT_PAGES);	/* taken, or in no chunk */
	u16 chunk[CP_LOT_PAGES];	/* the number of a page's chunk */
	u16 chunks;
	struct cp_lot_gone {
		u16 at;
		u16 order;
	} gone[CP_LOT_PAGES];		/* went back to the system */
	unsigned int nr_gone;
	unsigned long refused;		/* requests */
};

struct cp_lot *cp_lot_new(struct kunit *test,
			  const struct cp_buddy_policy *policy);
struct cp_lot *cp_lot_whole(struct kunit *test,
			    const struct cp_buddy_policy *policy);
void cp_lot_drop(struct cp_lot *f);
void cp_lot_end(struct kunit *test, struct cp_lot *f);
void cp_lot_desire(struct kunit *test, struct cp_lot *f, const char *text);
void cp_lot_add(struct cp_lot *f, unsigned int at, unsigned int order);
struct cp_page *cp_lot_try(struct cp_lot *f, unsigned int order);
const char *cp_lot_wrong(struct cp_lot *f, unsigned int order,
			 const struct cp_page *p);
unsigned int cp_lot_misled(const struct cp_lot *f);
void cp_lot_keep(struct cp_lot *f, struct cp_page *p);
struct cp_page *cp_lot_take(struct kunit *test, struct cp_lot *f,
			    unsigned int order);
void cp_lot_give(struct cp_lot *f, struct cp_page *p);
bool cp_lot_spill(struct cp_lot *f, unsigned int order);
void cp_lot_return(struct cp_lot *f, unsigned int pick);
unsigned int cp_lot_take_all(struct kunit *test, struct cp_lot *f);
void cp_lot_random(struct kunit *test, struct cp_lot *f, struct rnd_state *rnd,
		   unsigned int step);
unsigned long cp_lot_pairs(const struct cp_lot *f);
unsigned long cp_lot_merges(const struct cp_lot *f);

#endif /* CP_KUNIT_LOT_H */
