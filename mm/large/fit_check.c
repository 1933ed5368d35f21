// SPDX-License-Identifier: GPL-2.0
/*
 * The walker's part for first fit: checks every invariant.  It checks one run
 * at a time, so that interrupts are off no longer than that takes.  What must
 * agree over all runs is checked in a walk of its own, without their blocks.
 */
#include "base/kernel.h"
#include "heap/debug.h"
#include "large/fit.h"

/* What a walk over the blocks of a run has found so far. */
struct cp_fit_walk {
	unsigned int prev;		/* units of the block before */
	bool after_free;
	unsigned int page;		/* of the last header */
	unsigned int largest;		/* free block on that page, in units */
	unsigned long live;
	unsigned long asked;
	unsigned long used;
};

static unsigned long cp_run_pfn(const struct cp_run *run)
{
	return cp_page_pfn(run->page);
}

static int cp_fit_check_largest(const struct cp_run *run, unsigned int page,
				unsigned int largest)
{
	unsigned int kept = run->largest_of[cp_run_pages(run) + page];

	if (kept == largest)
		return 0;
	return cp_broken("run %lu, page %u: largest free block %u units, kept %u",
			 cp_run_pfn(run), page, largest, kept);
}

/*
 * Check the pages before this one, now that the walk is at its first header, or
 * at the end of the run.
 */
static int cp_fit_check_pages(const struct cp_run *run, struct cp_fit_walk *w,
			      unsigned int page, unsigned int first)
{
	int broken = cp_fit_check_largest(run, w->page, w->largest);

	while (++w->page < page) {
		broken += cp_fit_check_largest(run, w->page, 0);
		if (run->first[w->page] != CP_FIT_NONE)
			broken += cp_broken("run %lu, page %u: first block at %u, there is none",
					    cp_run_pfn(run), w->page,
					    run->first[w->page]);
	}
	if (page < cp_run_pages(run) && run->first[page] != first)
		broken += cp_broken("run %lu, page %u: first block at %u, kept %u",
				    cp_run_pfn(run), page, first,
				    run->first[page]);
	w->largest = 0;
	return broken;
}

/*
 * Check the red zone of a live block and the poison of a free block, with
 * check=1.
 */
static int cp_fit_check_debug(const struct cp_run *run, unsigned int unit,
			      union cp_fit_head head)
{
	void *obj = cp_run_payload(run, unit);
	size_t size = cp_fit_payload_size(head), asked = cp_fit_asked(head);

	if (!cp_fit_checks())
		return 0;
	if (head.state == CP_FIT_LIVE &&
	    !cp_filled_with(obj + asked, CP_RED_BYTE, size - asked))
		return cp_broken("run %lu, block %p: %s", cp_run_pfn(run), obj,
				 cp_bad_name[CP_BAD_REDZONE]);
	if (head.state == CP_FIT_FREE &&
	    !cp_filled_with(obj, CP_POISON_BYTE,
			    head.size * CP_FIT_UNIT - CP_FIT_HEAD))
		return cp_broken("run %lu, block %p: %s", cp_run_pfn(run), obj,
				 cp_bad_name[CP_BAD_POISON]);
	return 0;
}

static int cp_fit_check_block(const struct cp_run *run, struct cp_fit_walk *w,
			      unsigned int unit, union cp_fit_head head)
{
	unsigned int page = cp_run_page_of(unit);
	int broken = 0;

	if (page != w->page)
		broken += cp_fit_check_pages(run, w, page, unit);
	if (head.prev != w->prev)
		broken += cp_broken("run %lu, unit %u: %u units before it, kept %u",
				    cp_run_pfn(run), unit, w->prev,
				    (unsigned int)head.prev);
	w->prev = head.size;
	if (head.state == CP_FIT_FREE) {
		if (w->after_free)
			broken += cp_broken("run %lu, unit %u: two free neighbours",
					    cp_run_pfn(run), unit);
		w->largest = max_t(unsigned int, w->largest, head.size);
	} else {
		w->live++;
		w->asked += cp_fit_asked(head);
		w->used += head.size;
	}
	w->after_free = head.state == CP_FIT_FREE;
	return broken + cp_fit_check_debug(run, unit, head);
}

static int cp_fit_check_counts(const struct cp_run *run,
			       const struct cp_fit_walk *w)
{
	unsigned int i;
	int broken = 0;

	for (i = cp_run_pages(run) - 1; i; i--)
		if (run->largest_of[i] != max(run->largest_of[2 * i],
					      run->largest_of[2 * i + 1]))
			broken += cp_broken("run %lu: node %u is not its children's maximum",
					    cp_run_pfn(run), i);
	if (w->live != run->live || w->asked != run->asked ||
	    w->used != run->used)
		broken += cp_broken("run %lu: %lu live, %lu bytes, %lu units, not %lu, %lu, %lu",
				    cp_run_pfn(run), w->live, w->asked,
				    w->used, run->live, run->asked, run->used);
	return broken;
}

static int cp_fit_check_pages_kind(struct cp_run *run)
{
	unsigned int i;
	int broken = 0;

	for (i = 0; i < cp_run_pages(run); i++) {
		struct cp_page *p = run->page + i;

		if (!cp_page_ours(p) || cp_page_kind(p) != CP_RUN ||
		    p->run != run || p->heap)
			broken += cp_broken("run %lu: page %u is not one of it",
					    cp_run_pfn(run), i);
	}
	return broken;
}

static int cp_fit_check_run(struct cp_run *run)
{
	unsigned long visited = cp_fit.stat[CP_FIT_VISITED];
	struct cp_fit_walk w = { };
	union cp_fit_head head;
	unsigned int unit = 0;
	int broken;

	broken = cp_fit_check_pages_kind(run);
	if (run->lost)
		return broken;
	if (run->first[0])
		broken += cp_broken("run %lu: first block at %u",
				    cp_run_pfn(run), run->first[0]);
	while (cp_run_read(run, unit, &head) && unit < run->units) {
		broken += cp_fit_check_block(run, &w, unit, head);
		unit += head.size;
	}
	cp_fit.stat[CP_FIT_VISITED] = visited;
	if (unit != run->units || head.state != CP_FIT_END)
		return broken + cp_broken("run %lu, unit %u: header overwritten",
					  cp_run_pfn(run), unit);
	if (head.prev != w.prev)
		broken += cp_broken("run %lu: %u units before the end, kept %u",
				    cp_run_pfn(run), w.prev,
				    (unsigned int)head.prev);
	broken += cp_fit_check_pages(run, &w, cp_run_pages(run), 0);
	return broken + cp_fit_check_counts(run, &w);
}

static int cp_fit_check_node(struct cp_run *run)
{
	const struct rb_node *node = &run->node;
	unsigned int largest = cp_run_largest(run);

	if (node->rb_left)
		largest = max(largest, cp_run_of(node->rb_left)->largest);
	if (node->rb_right)
		largest = max(largest, cp_run_of(node->rb_right)->largest);
	if (largest == run->largest)
		return 0;
	return cp_broken("run %lu: %u units in the largest free block below, kept %u",
			 cp_run_pfn(run), largest, run->largest);
}

/* Sums over all runs; lost runs count only in lost, by pages. */
struct cp_fit_totals {
	unsigned long runs;
	unsigned long pages;
	unsigned long lost;
	unsigned long units;
	unsigned long live;
	unsigned long asked;
	unsigned long used;
};

static int cp_fit_check_totals(const struct cp_fit_totals *t)
{
	int broken = 0;

	if (t->runs != cp_fit.nr_runs || t->pages != cp_fit.pages ||
	    t->lost != cp_fit.lost_pages)
		broken += cp_broken("first fit: %lu runs, %lu pages, %lu lost, not %lu, %lu, %lu",
				    t->runs, t->pages, t->lost, cp_fit.nr_runs,
				    cp_fit.pages, cp_fit.lost_pages);
	if (t->units != cp_fit.units)
		broken += cp_broken("first fit: %lu units, counted %lu",
				    t->units, cp_fit.units);
	if (t->live != cp_fit.live || t->asked != cp_fit.asked ||
	    t->used != cp_fit.used)
		broken += cp_broken("first fit: %lu live, %lu bytes, %lu units, not %lu, %lu, %lu",
				    t->live, t->asked, t->used, cp_fit.live,
				    cp_fit.asked, cp_fit.used);
	return broken;
}

static int cp_fit_add_up(struct cp_run *run, struct cp_fit_totals *t)
{
	bool kept = run == cp_fit.empty;

	if (run->lost) {
		t->lost += cp_run_pages(run);
		return kept ? cp_broken("run %lu: lost, and kept as empty",
					cp_run_pfn(run)) : 0;
	}
	t->runs++;
	t->pages += cp_run_pages(run);
	t->units += run->units;
	t->live += run->live;
	t->asked += run->asked;
	t->used += run->used;
	if (!run->live == kept)
		return 0;
	return cp_broken("run %lu: %lu live blocks, %s as empty",
			 cp_run_pfn(run), run->live,
			 kept ? "kept" : "not kept");
}

/* Check the tree, and the sums over all runs. */
static int cp_fit_check_tree(void)
{
	struct cp_fit_totals t = { };
	const void *last = NULL;
	struct rb_node *node;
	int broken = 0;

	for (node = rb_first(&cp_fit.runs); node; node = rb_next(node)) {
		struct cp_run *run = cp_run_of(node);

		if (run->base <= last)
			broken += cp_broken("run %lu: not in order",
					    cp_run_pfn(run));
		last = run->base;
		broken += cp_fit_check_node(run);
		broken += cp_fit_add_up(run, &t);
	}
	return broken + cp_fit_check_totals(&t);
}

/* Find the lowest run above an address.  Return: NULL if none. */
static struct cp_run *cp_fit_after(const void *base)
{
	struct rb_node *node = cp_fit.runs.rb_node;
	struct cp_run *after = NULL;

	while (node) {
		if (cp_run_of(node)->base > base) {
			after = cp_run_of(node);
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return after;
}

/* Check first fit.  Return: the number of broken invariants. */
int cp_fit_check(void)
{
	const void *base = NULL;
	struct cp_run *run;
	unsigned long flags;
	int broken;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	broken = cp_fit_check_tree();
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
	do {
		raw_spin_lock_irqsave(&cp_fit.lock, flags);
		run = cp_fit_after(base);
		if (run) {
			base = run->base;
			broken += cp_fit_check_run(run);
		}
		raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
	} while (run);
	return broken;
}
