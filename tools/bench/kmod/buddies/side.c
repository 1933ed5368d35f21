// SPDX-License-Identifier: GPL-2.0
/* The allocators, and what a request costs. */
#define pr_fmt(fmt) "curpage_buddies: " fmt

#include <linux/curpage.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/timex.h>

#include "buddies.h"

static struct page *side_curpage_alloc(unsigned int order)
{
	return curpage_alloc_pages(BB_GFP, order);
}

static void side_curpage_free(struct page *page, unsigned int order)
{
	curpage_free_pages(page, order);
}

static struct page *side_kernel_alloc(unsigned int order)
{
	return alloc_pages(BB_GFP, order);
}

static void side_kernel_free(struct page *page, unsigned int order)
{
	__free_pages(page, order);
}

/* What is left of a request without an allocator. */
static noinline struct page *side_no_alloc(unsigned int order)
{
	struct page *page = NULL;

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

static const struct bb_side bb_sides[] = {
	{ "curpage", side_curpage_alloc, side_curpage_free, true },
	{ "kernel", side_kernel_alloc, side_kernel_free, false },
};

const struct bb_side *bb_side_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bb_sides); i++)
		if (!strcmp(bb_sides[i].name, name))
			return &bb_sides[i];
	return NULL;
}

static const struct bb_side bb_nothing = { .alloc = side_no_alloc };
static u64 bb_overhead;

/* The clock itself, and the call. */
static __always_inline struct page *bb_time(const struct bb_side *side,
					    unsigned int order, u64 *ticks)
{
	u64 start = get_cycles();
	struct page *page = side->alloc(order);

	*ticks = get_cycles() - start;
	return page;
}

/*
 * The line shows that a loop of so many instructions takes as many ticks, more
 * or less the clock's own.
 */
void bb_calibrate(void)
{
	const struct bb_side *side = &bb_nothing;
	unsigned long left = 1000000, flags;
	u64 start, ticks;

	OPTIMIZER_HIDE_VAR(side);
	local_irq_save(flags);
	bb_time(side, 0, &bb_overhead);
	bb_time(side, 0, &bb_overhead);
	start = get_cycles();
#ifdef CONFIG_X86_64
	asm volatile("1:	dec %0\n"
		     "		jnz 1b\n" : "+r" (left) : : "cc");
#endif
	ticks = get_cycles() - start;
	local_irq_restore(flags);
	pr_info("unit 2000000 ticks %llu overhead %llu.\n", ticks,
		bb_overhead);
}

void bb_begin(struct bb_run *run, const char *phase)
{
	run->phase[run->nr_phases++] = (struct bb_phase){ .name = phase };
}

static void bb_count(struct bb_run *run, u64 ticks, bool failed)
{
	struct bb_phase *phase = &run->phase[run->nr_phases - 1];

	ticks -= min(ticks, bb_overhead);
	phase->requests++;
	phase->failed += failed;
	phase->ticks += ticks;
	phase->worst = max(phase->worst, ticks);
}

struct page *bb_alloc(struct bb_run *run, unsigned int order)
{
	struct page *page;
	u64 ticks;

	page = bb_time(run->side, order, &ticks);
	bb_count(run, ticks, !page);
	return page;
}

void bb_free(struct bb_run *run, struct bb_block *block)
{
	u64 start = get_cycles();

	run->side->free(block->page, block->order);
	bb_count(run, get_cycles() - start, false);
	block->page = NULL;
}

/* The pages of the largest block that can be had. */
unsigned int bb_largest(const struct bb_side *side)
{
	int order;

	for (order = BB_CHUNK_ORDER; order >= 0; order--) {
		struct page *page = side->alloc(order);

		if (!page)
			continue;
		side->free(page, order);
		return 1U << order;
	}
	return 0;
}

static LIST_HEAD(bb_held);

/*
 * The page allocator has no bound, so all its memory is taken but for some
 * blocks of the largest order.
 */
void bb_hold_all_but(unsigned int pages)
{
	struct page *page, *next;
	int order;

	for (order = BB_CHUNK_ORDER; order >= 0; order--)
		while ((page = alloc_pages(BB_GFP, order))) {
			set_page_private(page, order);
			list_add_tail(&page->lru, &bb_held);
		}
	list_for_each_entry_safe(page, next, &bb_held, lru) {
		if (pages < 1U << BB_CHUNK_ORDER)
			break;
		/* Below are zones that keep some for those who need them. */
		if (page_private(page) != BB_CHUNK_ORDER ||
		    page_zonenum(page) < ZONE_DMA32)
			continue;
		list_del(&page->lru);
		set_page_private(page, 0);
		__free_pages(page, BB_CHUNK_ORDER);
		pages -= 1U << BB_CHUNK_ORDER;
	}
}

void bb_hold_none(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &bb_held, lru) {
		unsigned int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		__free_pages(page, order);
	}
}
