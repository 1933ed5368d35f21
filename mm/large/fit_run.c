// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks in a run: finds them by way of its pages, splits them, and merges them
 * at once.  Caller holds cp_fit.lock.
 *
 * Every header is verified before it is believed.  A function that finds a
 * damaged header stops there, whatever is left undone: the caller gives the run
 * up (cp_fit_lose()), and nothing in it is read again.
 */
#include "base/kernel.h"
#include "heap/debug.h"
#include "large/fit.h"

static_assert(sizeof(union cp_fit_head) == 8);

static u64 *cp_run_at(const struct cp_run *run, unsigned int unit)
{
	return cp_run_payload(run, unit) - CP_FIT_HEAD;
}

/*
 * Compute the sum of a header: from its other bits, its address, and a secret
 * key.
 */
static u32 cp_fit_sum_of(const u64 *at, union cp_fit_head head)
{
	u64 x;

	head.sum = 0;
	x = (head.all + (unsigned long)at * 0x9e3779b97f4a7c15) ^ cp_fit.key;
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	return x >> 41;
}

static bool cp_run_damaged(struct cp_run *run, unsigned int unit)
{
	run->damaged = unit;
	return false;
}

/* Read and verify the header at a unit where there has to be one. */
bool cp_run_read(struct cp_run *run, unsigned int unit, union cp_fit_head *head)
{
	const u64 *at = cp_run_at(run, unit);
	bool end = unit == run->units, is_end;

	cp_fit.stat[CP_FIT_VISITED]++;
	head->all = READ_ONCE(*at);
	if (head->sum != cp_fit_sum_of(at, *head))
		return cp_run_damaged(run, unit);
	/* A sum that is right by chance must not lead out of the run. */
	is_end = head->state == CP_FIT_END;
	if (is_end != end || !head->size != end ||
	    unit + head->size > run->units || head->prev > unit)
		return cp_run_damaged(run, unit);
	return true;
}

void cp_run_write(struct cp_run *run, unsigned int unit, union cp_fit_head head)
{
	u64 *at = cp_run_at(run, unit);

	head.sum = cp_fit_sum_of(at, head);
	WRITE_ONCE(*at, head.all);
}

/* Wipe a header that is no longer used, so that it does not look like one. */
static void cp_run_wipe(struct cp_run *run, unsigned int unit)
{
	memset(cp_run_at(run, unit), cp_fit_checks() ? CP_POISON_BYTE : 0,
	       CP_FIT_HEAD);
}

static void cp_run_write_free(struct cp_run *run, unsigned int unit,
			      unsigned int size, unsigned int prev)
{
	union cp_fit_head head = {
		.size = size, .prev = prev, .state = CP_FIT_FREE,
	};

	cp_fit.stat[CP_FIT_VISITED] += 2;
	cp_run_write(run, unit, head);
}

/* Set the largest free block of a page, and update the tree above it. */
static void cp_run_set_largest(struct cp_run *run, unsigned int page,
			       unsigned int size)
{
	unsigned int i = cp_run_pages(run) + page;

	while (run->largest_of[i] != size) {
		run->largest_of[i] = size;
		if (i == 1) {
			cp_fit_update(run);
			return;
		}
		i /= 2;
		size = max(run->largest_of[2 * i], run->largest_of[2 * i + 1]);
		cp_fit.stat[CP_FIT_VISITED]++;
	}
}

static void cp_run_raise_largest(struct cp_run *run, unsigned int unit,
				 unsigned int size)
{
	unsigned int page = cp_run_page_of(unit);

	if (size > run->largest_of[cp_run_pages(run) + page])
		cp_run_set_largest(run, page, size);
}

/*
 * Lower the largest free block of a page, after the free block of this size
 * that started at unit became smaller, or is gone.
 */
static bool cp_run_lower_largest(struct cp_run *run, unsigned int unit,
				 unsigned int size)
{
	unsigned int page = cp_run_page_of(unit), largest = 0;
	union cp_fit_head head;

	if (size < run->largest_of[cp_run_pages(run) + page])
		return true;
	for (unit = run->first[page];
	     unit < run->units && cp_run_page_of(unit) == page;
	     unit += head.size) {
		if (!cp_run_read(run, unit, &head))
			return false;
		if (head.state == CP_FIT_FREE)
			largest = max_t(unsigned int, largest, head.size);
	}
	cp_run_set_largest(run, page, largest);
	return true;
}

static void cp_run_head_added(struct cp_run *run, unsigned int unit)
{
	u16 *first = &run->first[cp_run_page_of(unit)];

	/* CP_FIT_NONE is larger than any unit. */
	*first = min_t(u16, *first, unit);
}

/* Remove the header at unit.  The next header that stays is at unit next. */
static void cp_run_head_gone(struct cp_run *run, unsigned int unit,
			     unsigned int next)
{
	unsigned int page = cp_run_page_of(unit);

	if (run->first[page] == unit)
		run->first[page] = next < run->units &&
				   cp_run_page_of(next) == page ?
				   next : CP_FIT_NONE;
	cp_run_wipe(run, unit);
}

/* Make one free block of a run.  No other CPU knows the run yet. */
void cp_run_format(struct cp_run *run)
{
	union cp_fit_head all = { .size = run->units, .state = CP_FIT_FREE };
	union cp_fit_head end = { .prev = run->units, .state = CP_FIT_END };
	unsigned int i;

	cp_hook_pages(run->base, PAGE_SIZE << run->order, true);
	if (cp_fit_checks())
		memset(run->base, CP_POISON_BYTE, PAGE_SIZE << run->order);
	for (i = 0; i < cp_run_pages(run); i++)
		run->first[i] = CP_FIT_NONE;
	run->first[0] = 0;
	for (i = cp_run_pages(run); i; i /= 2)
		run->largest_of[i] = run->units;
	cp_run_write(run, 0, all);
	cp_run_write(run, run->units, end);
}

/* Count the units to leave free in front of a block to align its payload. */
unsigned int cp_run_lead(const struct cp_run *run, unsigned int unit,
			 unsigned int align)
{
	unsigned long payload = (unsigned long)cp_run_payload(run, unit);

	return (ALIGN(payload, (unsigned long)align) - payload) / CP_FIT_UNIT;
}

/*
 * Find the lowest page in which a free block of least units starts.  There is
 * one.
 */
static unsigned int cp_run_leftmost(struct cp_run *run, unsigned int least)
{
	unsigned int i = 1;

	while (i < cp_run_pages(run)) {
		i *= 2;
		cp_fit.stat[CP_FIT_VISITED]++;
		if (run->largest_of[i] < least)
			i++;
	}
	return i - cp_run_pages(run);
}

/*
 * Pick the lowest free block into which size units fit, aligned, among the
 * blocks that start in the lowest page where a free block of least units
 * starts.
 *
 * Return: false if none fits aligned; or if a header was damaged, which
 * run->damaged says.
 */
bool cp_run_pick(struct cp_run *run, unsigned int least, unsigned int size,
		 unsigned int align, unsigned int *unit,
		 union cp_fit_head *head)
{
	unsigned int page = cp_run_leftmost(run, least);
	unsigned int i;

	for (i = run->first[page];
	     i < run->units && cp_run_page_of(i) == page; i += head->size) {
		if (!cp_run_read(run, i, head))
			return false;
		if (head->state == CP_FIT_FREE &&
		    head->size >= size + cp_run_lead(run, i, align)) {
			*unit = i;
			return true;
		}
	}
	return false;
}

/*
 * Split a block off the free block at unit, whose header is head.  lead units
 * stay free in front of it, and what is left stays free behind it.
 */
bool cp_run_take(struct cp_run *run, unsigned int unit, unsigned int lead,
		 union cp_fit_head head, union cp_fit_head block)
{
	unsigned int start = unit + lead, end = start + block.size;
	unsigned int next = unit + head.size;
	union cp_fit_head behind;

	if (!cp_run_read(run, next, &behind))
		return false;
	if (behind.prev != head.size)
		return cp_run_damaged(run, next);
	behind.prev = block.size;
	block.prev = head.prev;
	if (lead) {
		cp_run_write_free(run, unit, lead, head.prev);
		block.prev = lead;
		cp_run_head_added(run, start);
		cp_fit.stat[CP_FIT_SPLIT]++;
	}
	cp_run_write(run, start, block);
	if (end < next) {
		cp_run_write_free(run, end, next - end, block.size);
		behind.prev = next - end;
		cp_run_head_added(run, end);
		cp_run_raise_largest(run, end, next - end);
		cp_fit.stat[CP_FIT_SPLIT]++;
	}
	cp_run_write(run, next, behind);
	return cp_run_lower_largest(run, unit, head.size);
}

/*
 * Free the block at unit, whose header is head, and merge it with its free
 * neighbours.
 */
bool cp_run_put(struct cp_run *run, unsigned int unit, union cp_fit_head head)
{
	unsigned int start = unit, size = head.size, prev = head.prev;
	unsigned int next = unit + head.size, end = next;
	union cp_fit_head before = { .state = CP_FIT_END }, after, behind;

	if (!cp_run_read(run, next, &after) ||
	    (head.prev && !cp_run_read(run, unit - head.prev, &before)))
		return false;
	if (after.prev != head.size)
		return cp_run_damaged(run, next);
	if (head.prev && before.size != head.prev)
		return cp_run_damaged(run, unit - head.prev);
	behind = after;
	if (after.state == CP_FIT_FREE) {
		end += after.size;
		size += after.size;
		if (!cp_run_read(run, end, &behind))
			return false;
		cp_run_head_gone(run, next, end);
		cp_fit.stat[CP_FIT_MERGE]++;
	}
	if (before.state == CP_FIT_FREE) {
		start -= before.size;
		size += before.size;
		prev = before.prev;
		cp_run_head_gone(run, unit, end);
		cp_fit.stat[CP_FIT_MERGE]++;
	}
	cp_run_write_free(run, start, size, prev);
	behind.prev = size;
	cp_run_write(run, end, behind);
	cp_run_raise_largest(run, start, size);
	if (after.state == CP_FIT_FREE &&
	    cp_run_page_of(next) != cp_run_page_of(start))
		return cp_run_lower_largest(run, next, after.size);
	return true;
}

/* Find the header of the block that a wrong pointer points into. */
bool cp_run_locate(struct cp_run *run, unsigned long offset,
		   union cp_fit_head *head)
{
	unsigned int target = (offset + CP_FIT_HEAD) / CP_FIT_UNIT;
	unsigned int page, unit;

	/*
	 * A block begins with its header, the last CP_FIT_HEAD bytes of a unit.
	 * The bytes in front of the first header count as part of its block.
	 */
	target = clamp(target, 1U, run->units) - 1;
	page = cp_run_page_of(target);
	while (run->first[page] > target)
		page--;
	for (unit = run->first[page];; unit += head->size) {
		if (!cp_run_read(run, unit, head))
			return false;
		if (unit + head->size > target)
			return true;
	}
}
