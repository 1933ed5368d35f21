// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks in a run: found by way of its pages, cut, and merged at once.
 *
 * All of it runs under the lock of first fit.  Every header is verified before it
 * is believed.  Who finds a damaged one stops there, whatever is left undone: the
 * run is given up, and nothing in it is looked at again.
 */
#include "kernel.h"
#include "internal.h"
#include "fit.h"

static_assert(sizeof(union cp_fit_head) == 8);

static u64 *cp_run_at(const struct cp_run *run, unsigned int unit)
{
	return cp_run_payload(run, unit) - CP_FIT_HEAD;
}

/* Of the other bits, where they are, and what nobody else knows. */
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

/* The header at a unit where there is one. */
bool cp_run_read(struct cp_run *run, unsigned int unit, union cp_fit_head *head)
{
	const u64 *at = cp_run_at(run, unit);
	bool end = unit == run->units, is_end;

	cp_fit.stat[CP_FIT_VISITED]++;
	head->all = READ_ONCE(*at);
	if (head->sum != cp_fit_sum_of(at, *head))
		return cp_run_damaged(run, unit);
	/* Should the sum be right by chance, it still leads nowhere else. */
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

/* A header that is none any more must not look like one. */
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

/* Of the page, and of all above it in the tree. */
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

/* A free block that started at the unit is smaller now, or gone. */
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

	/* CP_FIT_NONE is more than any. */
	*first = min_t(u16, *first, unit);
}

/* The next header that stays is at unit next. */
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

/* One free block; nobody else has the run yet. */
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

/* Units to leave out in front, so that the payload is aligned. */
unsigned int cp_run_lead(const struct cp_run *run, unsigned int unit,
			 unsigned int align)
{
	unsigned long payload = (unsigned long)cp_run_payload(run, unit);

	return (ALIGN(payload, (unsigned long)align) - payload) / CP_FIT_UNIT;
}

/* The lowest page in which a free block of least units starts. */
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
 * In the lowest page where a free block of least units starts, the lowest block
 * into which size units fit.  There is one, but not always an aligned one: then
 * no header was damaged.
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
 * Cut a block out of the free one at unit, whose header is head: lead units stay
 * free in front of it, and what is left behind it.
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

/* The block at unit, whose header is head, is free: merge it. */
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

/* For a wrong pointer: the header of the block that it points into. */
bool cp_run_locate(struct cp_run *run, unsigned long offset,
		   union cp_fit_head *head)
{
	unsigned int target = (offset + CP_FIT_HEAD) / CP_FIT_UNIT;
	unsigned int page, unit;

	/* Headers are units from one on, but for the first bytes of all. */
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
