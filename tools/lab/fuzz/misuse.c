// SPDX-License-Identifier: GPL-2.0
/* Misuse that --kinds names. */
#include "fuzz.h"

/* Return: how to free a freed block again, from any CPU. */
static struct fuzz_how fuzz_how_again(const struct fuzz_dead *d)
{
	struct fuzz_how how = {
		.way = d->way, .order = d->order,
		.cpu = fuzz_random(LAB_CPUS), .interrupt = fuzz_once_in(4),
	};

	if (d->way == FUZZ_CACHED) {
		how.cache = &fuzz.cache[d->cache];
		if (!how.cache->cache || fuzz.made[d->cache] != d->made ||
		    fuzz_once_in(4)) {
			how.way = FUZZ_SIZED;
			how.cache = NULL;
		}
	} else if (fuzz_once_in(4)) {
		how.way = FUZZ_SIZED;
	}
	return how;
}

/* Free a block again, at once or after up to 1023 other frees. */
static void fuzz_double(void)
{
	unsigned int ago = fuzz_random(1UL << fuzz_random(11));
	struct fuzz_block *b = fuzz_pick();
	const struct fuzz_dead *d;
	struct fuzz_how how;

	if (b && fuzz_once_in(4)) {
		fuzz_free_right(b);
		ago = 0;
	}
	d = fuzz_dead(ago);
	if (!d)
		return;
	how = fuzz_how_again(d);
	fuzz_free(d->addr, &how);
}

static void fuzz_wrong_cache(void)
{
	struct fuzz_how how = {
		.way = FUZZ_CACHED, .cache = fuzz_any_cache(),
		.cpu = fuzz_random(LAB_CPUS), .interrupt = fuzz_once_in(8),
	};
	struct fuzz_block *b = fuzz_pick();

	if (b)
		fuzz_free(b->addr, &how);
}

static void fuzz_inside(void)
{
	struct fuzz_block *b = fuzz_pick();
	struct fuzz_how how;
	size_t at;

	if (!b || b->size < 2)
		return;
	how = (struct fuzz_how) {
		.way = b->way, .cache = b->cache, .order = b->order,
		.cpu = fuzz_random(LAB_CPUS), .interrupt = fuzz_once_in(8),
	};
	at = 1 + fuzz_random(b->size - 1);
	if (fuzz_once_in(2))
		at = ALIGN(at, 8);
	if (b->way == FUZZ_PAGES)
		at &= ~(PAGE_SIZE - 1);
	if (at < b->size && at)
		fuzz_free(b->addr + at, &how);
}

/* Return: a wild pointer, or an address in a page of others. */
static void *fuzz_wild(void)
{
	static u64 data[8];

	switch (fuzz_random(8)) {
	case 0:
		return NULL;
	case 1:
		return ZERO_SIZE_PTR;
	case 2:
		return data + fuzz_random(8);
	case 3:
		return (void *)lab_random(&fuzz.random);
	case 4:
		return lab.memory + (lab_pages() << PAGE_SHIFT);
	case 5:
		return (char *)lab.memory - 8;
	default:
		return fuzz_others_address() +
		       fuzz_random(2) * 8 * fuzz_random(512);
	}
}

static void fuzz_foreign(void)
{
	struct fuzz_how how = {
		.way = fuzz_random(3), .order = fuzz_random(3),
		.cpu = fuzz_random(LAB_CPUS), .interrupt = fuzz_once_in(8),
	};
	void *addr = fuzz_wild();

	if (how.way == FUZZ_CACHED)
		how.cache = fuzz_any_cache();
	if (how.way == FUZZ_PAGES) {
		if (!virt_addr_valid(addr))
			return;
		addr = page_address(virt_to_page(addr));
	}
	if (fuzz_is_curpages(addr))
		return;
	if (curpage_ksize(addr))
		fuzz_fail("ksize(%#lx) is not 0", fuzz_at(addr));
	fuzz_free(addr, &how);
}

/* Free the page of a live block as a page block of a random order. */
static void fuzz_order(void)
{
	struct fuzz_how how = {
		.way = FUZZ_PAGES, .order = fuzz_random(CURPAGE_MAX_ORDER + 2),
		.cpu = fuzz_random(LAB_CPUS), .interrupt = fuzz_once_in(8),
	};
	struct fuzz_block *b = fuzz_pick();

	if (b)
		fuzz_free(page_address(virt_to_page(b->addr)), &how);
}

void fuzz_do_wrong(void)
{
	unsigned int kind = fuzz_random(FUZZ_NR_MISUSES);

	/* Half of all misuse is a double free. */
	if (fuzz_once_in(2))
		kind = FUZZ_DOUBLE;
	if (!(fuzz.settings->kinds & BIT(kind)) ||
	    (FUZZ_WRITES & BIT(kind) && !fuzz.writes))
		return;
	switch ((enum fuzz_misuse)kind) {
	case FUZZ_DOUBLE:
		return fuzz_double();
	case FUZZ_BULK:
		return fuzz_free_bulk(true);
	case FUZZ_WRONG_CACHE:
		return fuzz_wrong_cache();
	case FUZZ_INSIDE:
		return fuzz_inside();
	case FUZZ_FOREIGN:
		return fuzz_foreign();
	case FUZZ_ORDER:
		return fuzz_order();
	case FUZZ_LEAK:
		return fuzz_destroy_live();
	case FUZZ_OVERFLOW:
		return fuzz_overflow();
	case FUZZ_LATE:
		return fuzz_late(false);
	case FUZZ_LATE_DOUBLE:
		return fuzz_late(true);
	case FUZZ_NR_MISUSES:
		break;
	}
}
