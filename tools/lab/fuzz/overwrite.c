// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that was overwritten on purpose: behind a live block, or in a free
 * block.  Each place may be reported once.  Places are kept here until then.
 */
#include "fuzz.h"

#define FUZZ_DAMAGES	128	/* places kept at a time */
#define FUZZ_LINK	2	/* bytes of a link that name the next block */

/* A place: FUZZ_UNIT bytes that belonged to no live block. */
static struct fuzz_damage {
	void *addr;
	bool told;	/* reported; kept until the page is formatted */
	bool weak;	/* two bytes at most: still a link perhaps */
	bool passed;	/* the block left its list, which may be broken */
} fuzz_damage[FUZZ_DAMAGES];
static unsigned int fuzz_nr_damages;
static unsigned int fuzz_nr_somewhere;	/* reports without an address */

static bool *fuzz_page_spoilt;	/* since it was formatted */

/* Runs of first fit, by page: number of the first page plus 1; order. */
static u32 *fuzz_run;
static u8 *fuzz_run_order;
static bool *fuzz_run_lost;	/* by first page: a header may be damaged */

/* Forget the places of a page that is formatted. */
static void fuzz_refill(void *data, unsigned int cache, unsigned long pfn,
			unsigned int source, unsigned int nr_free)
{
	if (source != 1)
		return;
	fuzz_damage_gone(page_address(lab.map + pfn), PAGE_SIZE);
	fuzz_page_spoilt[pfn] = false;
}

static void fuzz_run_changes(void *data, unsigned long pfn, unsigned int order,
			     bool taken)
{
	unsigned long i;

	fuzz_damage_gone(page_address(lab.map + pfn), PAGE_SIZE << order);
	for (i = 0; i < 1UL << order; i++)
		fuzz_run[pfn + i] = taken ? pfn + 1 : 0;
	fuzz_run_order[pfn] = order;
	fuzz_run_lost[pfn] = false;
}

void fuzz_overwrite_init(void)
{
	fuzz_page_spoilt = calloc(lab_pages(), sizeof(*fuzz_page_spoilt));
	fuzz_run = calloc(lab_pages(), sizeof(*fuzz_run));
	fuzz_run_order = calloc(lab_pages(), sizeof(*fuzz_run_order));
	fuzz_run_lost = calloc(lab_pages(), sizeof(*fuzz_run_lost));
	if (!fuzz_page_spoilt || !fuzz_run || !fuzz_run_order || !fuzz_run_lost)
		fuzz_fail("out of memory");
	lab.refill = fuzz_refill;
	lab.run = fuzz_run_changes;
}

static u32 fuzz_run_of(const void *addr)
{
	return virt_addr_valid(addr) ?
	       fuzz_run[page_to_pfn(virt_to_page(addr))] : 0;
}

/* Is the address in a run with a header that may be damaged? */
bool fuzz_run_damaged(const void *addr)
{
	u32 run = fuzz_run_of(addr);

	return run && fuzz_run_lost[run - 1];
}

/* Return: pages that first fit may have given up. */
unsigned long fuzz_runs_damaged(void)
{
	unsigned long pfn, pages = 0;

	for (pfn = 0; pfn < lab_pages(); pfn++)
		if (fuzz_run[pfn] == pfn + 1 && fuzz_run_lost[pfn])
			pages += 1UL << fuzz_run_order[pfn];
	return pages;
}

/* May a block of this page differ from what its constructor wrote? */
bool fuzz_spoilt(const void *addr)
{
	return fuzz_page_spoilt[page_to_pfn(virt_to_page(addr))];
}

/* Return: places that have not been reported. */
unsigned int fuzz_damages(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < fuzz_nr_damages; i++)
		n += !fuzz_damage[i].told;
	return cp_up_to(n, fuzz_nr_somewhere);
}

static struct fuzz_damage *fuzz_damage_at(const void *addr)
{
	unsigned int i;

	for (i = 0; i < fuzz_nr_damages; i++)
		if (fuzz_damage[i].addr == addr && !fuzz_damage[i].passed)
			return &fuzz_damage[i];
	return NULL;
}

/* Was the place overwritten since its page was formatted?  It may look live. */
bool fuzz_damaged(const void *addr)
{
	unsigned int i;

	for (i = 0; i < fuzz_nr_damages; i++)
		if (fuzz_damage[i].addr == addr)
			return true;
	return false;
}

/* Is the link there destroyed, so that the block must not be handed out? */
bool fuzz_damaged_link(const void *addr)
{
	const struct fuzz_damage *d = fuzz_damage_at(addr);

	return d && !d->weak;
}

/* Note another free of the block, which may have written a new link. */
void fuzz_damage_freed(const void *addr)
{
	struct fuzz_damage *d = fuzz_damage_at(addr);

	if (d)
		d->passed = true;
}

/* Note that the block was handed out with its link damaged slightly. */
static void fuzz_damage_passed(const void *addr)
{
	struct fuzz_damage *d = fuzz_damage_at(addr);

	if (d && d->weak)
		d->passed = true;
}

/* Mark a place that a report named, by address or, with PAGE_SHIFT, by page. */
static bool fuzz_damage_named(const void *addr, unsigned int shift)
{
	unsigned int i;

	for (i = 0; i < fuzz_nr_damages; i++) {
		struct fuzz_damage *d = &fuzz_damage[i];

		if (!d->told && (u64)d->addr >> shift == (u64)addr >> shift) {
			d->told = true;
			return true;
		}
	}
	return false;
}

/* Account for nr reports; the last one may have an address. */
void fuzz_damage_told(unsigned int nr)
{
	const char *said = strstr(lab.said, "address ");
	void *addr = NULL;

	if (said)
		sscanf(said, "address %p", &addr);
	while (nr--)
		if (!fuzz_damage_named(addr, 0) &&
		    !fuzz_damage_named(addr, PAGE_SHIFT))
			fuzz_nr_somewhere++;
}

/* Keep the first n places.  Those dropped may be the ones reported. */
static void fuzz_damage_keep(unsigned int n)
{
	fuzz_nr_somewhere = cp_up_to(fuzz_nr_somewhere, fuzz_nr_damages - n);
	fuzz_nr_damages = n;
}

/* Drop the places in memory that got an owner: no one will find them. */
void fuzz_damage_gone(const void *addr, size_t size)
{
	unsigned int i, n = 0;

	if (size < PAGE_SIZE)
		fuzz_damage_passed(addr);

	for (i = 0; i < fuzz_nr_damages; i++)
		if ((char *)fuzz_damage[i].addr - (char *)addr >= (u64)size ||
		    (fuzz_damage[i].passed && size < PAGE_SIZE))
			fuzz_damage[n++] = fuzz_damage[i];
	fuzz_damage_keep(n);
}

/* Drop the places in pages that went back to the system. */
static void fuzz_damage_purge(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < fuzz_nr_damages; i++)
		if (fuzz_is_curpages(fuzz_damage[i].addr))
			fuzz_damage[n++] = fuzz_damage[i];
	fuzz_damage_keep(n);
}

/* Return: true if nothing is damaged that the walker may find. */
bool fuzz_quiet(void)
{
	unsigned int i;

	fuzz_damage_purge();
	if (fuzz.unsure || fuzz_runs_damaged())
		return false;
	for (i = 0; i < fuzz_nr_damages; i++)
		if (!fuzz_damage[i].told)
			return false;
	for (i = 0; i < fuzz_nr_live; i++)
		if (fuzz_live_at(i)->red)
			return false;
	return true;
}

static void fuzz_damage_add(void *addr, bool weak)
{
	struct fuzz_damage *d = fuzz_damage_at(addr);
	u32 run = fuzz_run_of(addr);

	fuzz_page_spoilt[page_to_pfn(virt_to_page(addr))] = true;
	if (run)
		fuzz_run_lost[run - 1] = true;
	if (!d) {
		d = &fuzz_damage[fuzz_nr_damages++];
		*d = (struct fuzz_damage){ .addr = addr, .weak = true };
	}
	d->weak &= weak;
	d->told = false;
}

static bool fuzz_damage_room(void)
{
	if (fuzz_nr_damages + 3 > FUZZ_DAMAGES)
		fuzz_damage_purge();
	return fuzz_nr_damages + 3 <= FUZZ_DAMAGES;
}

/* Change every byte to a different value. */
static void fuzz_spoil(u8 *at, size_t n)
{
	fuzz_counts->overwrites++;
	while (n--)
		*at++ ^= 1 + fuzz_random(255);
}

/* Return: bytes from one block to the next, used or not. */
static size_t fuzz_room(const struct fuzz_block *b)
{
	const struct cp_page *p = cp_page_of(virt_to_page(b->addr));

	return cp_page_kind(p) >= CP_CACHE ? p->heap->cache->stride : b->size;
}

static bool fuzz_checked(const struct fuzz_block *b)
{
	const struct cp_page *p = cp_page_of(virt_to_page(b->addr));

	if (cp_page_kind(p) >= CP_CACHE)
		return p->heap->cache->flags & CURPAGE_CHECK;
	return cp_cache_defaults.check;
}

/* Note a write behind a block: into the next block, or into free memory. */
static void fuzz_overflows_into(char *from, char *to)
{
	char *at = (char *)((u64)from & ~(FUZZ_UNIT - 1UL));

	for (; at < to; at += FUZZ_UNIT) {
		struct fuzz_block *next = fuzz_owner(at);

		if (next)
			next->smeared = true;
		else
			fuzz_damage_add(at, to - at <= FUZZ_LINK);
	}
}

/* Write 1 to 16 bytes past the end of a live block, on its own page. */
void fuzz_overflow(void)
{
	struct fuzz_block *b = fuzz_pick();
	size_t n = 1 + fuzz_random(16), room;
	char *end;

	if (!b || !fuzz_damage_room())
		return;
	end = (char *)b->addr + b->size;
	if (b->size >= PAGE_SIZE || offset_in_page(b->addr) + b->size + n >
	    PAGE_SIZE || (fuzz_checked(b) && fuzz_run_of(b->addr)))
		return;
	fuzz_log("writes past %#lx, %lu bytes, by %lu", fuzz_at(b->addr),
		 b->size, n);
	room = fuzz_room(b);
	fuzz_spoil((u8 *)end, n);
	if (fuzz_checked(b))
		b->red = true;
	else if (b->size + n > room)
		fuzz_overflows_into((char *)b->addr + max(room, b->size),
				    end + n);
}

/* Overwrite the first bytes of a freed block; if twice, free it again. */
void fuzz_late(bool twice)
{
	const struct fuzz_dead *d = fuzz_dead(fuzz_random(256));
	struct fuzz_how how = { .cpu = fuzz_random(LAB_CPUS) };
	size_t n = 1 + fuzz_random(FUZZ_UNIT);

	if (!d || !fuzz_damage_room() || fuzz_owner(d->addr) ||
	    !fuzz_is_curpages(d->addr))
		return;
	fuzz_log("writes to %#lx, which is free, %lu bytes", fuzz_at(d->addr),
		 n, 0);
	fuzz_spoil(d->addr, n);
	fuzz_damage_add(d->addr, n <= FUZZ_LINK);
	if (!twice)
		return;
	how.way = FUZZ_SIZED;
	if (d->way == FUZZ_CACHED && fuzz.made[d->cache] == d->made &&
	    fuzz.cache[d->cache].cache) {
		how.way = FUZZ_CACHED;
		how.cache = &fuzz.cache[d->cache];
	}
	fuzz_free(d->addr, &how);
}
