/* SPDX-License-Identifier: GPL-2.0 */
/* Page blocks for users (pages.c), and large blocks by first fit (fit.c). */
#ifndef CP_LARGE_H
#define CP_LARGE_H

#include "arena/arena.h"
#include "arena/stock.h"

void *cp_pages_alloc(gfp_t gfp, unsigned int order, size_t size,
		     unsigned long caller);
void cp_pages_free(struct cp_page *p, unsigned int order,
		   unsigned long caller);
u64 cp_pages_waste(void);
u64 cp_pages_handed_out(const struct cp_arena_sum *sum,
			const struct cp_stock_sum *stock);
void cp_pages_exit(void);

/* fit.c */
#define CP_FIT_MAX	SZ_64K

/* Figures of first fit, copied at one moment.  Sizes are in bytes. */
struct cp_fit_sum {
	unsigned long live;		/* blocks */
	unsigned long asked;		/* for them */
	unsigned long used;		/* by them, with their headers */
	unsigned long free;
	unsigned long largest;		/* free block, with its header */
	unsigned long runs;
	unsigned long pages;		/* in runs that are not lost */
	unsigned long empty_pages;	/* in runs without a live block */
	unsigned long lost_pages;
	unsigned long stat[CP_NR_FIT_STATS];
};

bool cp_fit_init(void);
void *cp_fit_alloc(size_t size, gfp_t gfp, unsigned long caller);
void cp_fit_free(struct cp_page *p, const void *obj, unsigned long caller);
size_t cp_fit_size(struct cp_page *p, const void *obj);
unsigned long cp_fit_empty_pages(void);
unsigned long cp_fit_drain(void);
unsigned long cp_fit_drain_idle(void);
void cp_fit_get_sum(struct cp_fit_sum *sum);
void cp_fit_exit(void);

/* fit_check.c */
int cp_fit_check(void);

#endif /* CP_LARGE_H */
