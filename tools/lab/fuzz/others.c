// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of others, which curpage gave back or never had.  Their struct pages
 * are filled as the rest of the kernel may fill them.  Neither the struct pages
 * nor the memory may change; under the address sanitizer, reading it is a
 * fault.
 */
#include "fuzz.h"

#define FUZZ_OTHERS	48

struct fuzz_other {
	struct page *page;
	unsigned int order;
	struct page was[4];	/* of order 2 at most */
	u64 fill;
};

static struct fuzz_other fuzz_others[FUZZ_OTHERS];
static unsigned int fuzz_nr_others;
static bool *fuzz_is_other;	/* by page */
static unsigned long fuzz_wanted_pfn;
static unsigned long fuzz_top;	/* above every page lent so far */

void fuzz_others_init(void)
{
	fuzz_is_other = calloc(lab_pages(), sizeof(*fuzz_is_other));
	if (!fuzz_is_other)
		fuzz_fail("out of memory");
}

/* Return: true for an address in a page that was lent to curpage. */
bool fuzz_is_curpages(const void *addr)
{
	struct page *page;

	if (!virt_addr_valid(addr))
		return false;
	page = virt_to_page(addr);
	return page_ref_count(page) && !fuzz_is_other[page_to_pfn(page)];
}

/* Return: a value as in fields of struct page; no pointer has bits of a tag. */
static u64 fuzz_plausible(void)
{
	switch (fuzz_random(5)) {
	case 0:
		return 0;
	case 1:
		return fuzz_random(1000);
	case 2:
		return (u64)lab.memory + fuzz_random(64 << PAGE_SHIFT);
	case 3:
		return (u64)(lab.map + fuzz_random(256)) | fuzz_random(4);
	default:
		return 0xffff888000000000 + fuzz_random(1UL << 36);
	}
}

static void fuzz_other_write(struct fuzz_other *o)
{
	size_t words = (PAGE_SIZE << o->order) / sizeof(u64), i;
	u64 *word = page_address(o->page);

	o->fill = lab_random(&fuzz.random);
	for (i = 0; i < words; i++)
		word[i] = o->fill;
	for (i = 0; i < 1U << o->order; i++) {
		struct page *page = o->page + i;

		page->lru.next = (void *)fuzz_plausible();
		page->lru.prev = (void *)fuzz_plausible();
		page->mapping = (void *)fuzz_plausible();
		page->cp_page_index = fuzz_plausible();
		page->private = fuzz_plausible();
		o->was[i] = *page;
		fuzz_is_other[page_to_pfn(page)] = true;
	}
	ASAN_POISON_MEMORY_REGION(word, PAGE_SIZE << o->order);
}

static bool fuzz_place(unsigned int order, unsigned long *pfn)
{
	*pfn = fuzz_wanted_pfn;
	return lab_pages_free(*pfn, order);
}

/* Take a free page that had blocks recently, or any free pages. */
static struct page *fuzz_other_page(unsigned int *order)
{
	const struct fuzz_dead *d = fuzz_dead(fuzz_random(64));
	struct page *page;

	*order = 0;
	if (d && fuzz_random(4)) {
		fuzz_wanted_pfn = page_to_pfn(virt_to_page(d->addr));
		lab.place = fuzz_place;
		page = alloc_pages(GFP_KERNEL, 0);
		lab.place = NULL;
		if (page)
			return page;
	}
	*order = fuzz_random(3);
	return alloc_pages(GFP_KERNEL, *order);
}

void fuzz_others_take(void)
{
	struct fuzz_other *o = &fuzz_others[fuzz_nr_others];

	if (fuzz_nr_others == FUZZ_OTHERS)
		return;
	o->page = fuzz_other_page(&o->order);
	if (!o->page)
		return;
	fuzz_nr_others++;
	fuzz_counts->others++;
	split_page(o->page, o->order);
	fuzz_log("others take %#lx, order %lu",
		 fuzz_at(page_address(o->page)), o->order, 0);
	fuzz_other_write(o);
}

/* Check the struct pages of others.  Called after every call. */
FUZZ_NO_ASAN void fuzz_others_look(void)
{
	unsigned int i, j;

	for (i = 0; i < fuzz_nr_others; i++) {
		const struct fuzz_other *o = &fuzz_others[i];
		const u64 *now = (void *)o->page, *was = (void *)o->was;
		u64 wrong = 0;

		for (j = 0; j < sizeof(*o->was) / sizeof(u64) << o->order; j++)
			wrong |= now[j] ^ was[j];
		if (wrong)
			fuzz_fail("the struct page of %#lx was written, which others have",
				  fuzz_at(page_address(o->page)));
	}
}

FUZZ_NO_ASAN static void fuzz_other_look_memory(const struct fuzz_other *o)
{
	size_t words = (PAGE_SIZE << o->order) / sizeof(u64), i;
	const u64 *word = page_address(o->page);
	u64 wrong = 0;

	for (i = 0; i < words; i++)
		wrong |= word[i] ^ o->fill;
	if (wrong)
		fuzz_fail("%#lx was written to, which others have",
			  fuzz_at(word));
}

/* Check that the struct page of a free page is cleared, as the kernel does. */
static void fuzz_look_free(unsigned long pfn)
{
	const struct page *page = lab.map + pfn;

	if (page_ref_count(page))
		fuzz_top = max(fuzz_top, pfn + 1);
	else if (page->mapping || page->private || page->cp_page_index)
		fuzz_fail("the struct page of %#lx was written, which the system has",
			  fuzz_at(page_address(page)));
}

void fuzz_others_look_all(void)
{
	unsigned long pfn;
	unsigned int i;

	for (i = 0; i < fuzz_nr_others; i++)
		fuzz_other_look_memory(&fuzz_others[i]);
	/* The machine lends the lowest pages first. */
	for (pfn = 0; pfn < fuzz_top + 2048 && pfn < lab_pages(); pfn++)
		fuzz_look_free(pfn);
}

static void fuzz_other_give(unsigned int nr)
{
	struct fuzz_other *o = &fuzz_others[nr];
	unsigned int i;

	fuzz_log("others give back %#lx, order %lu",
		 fuzz_at(page_address(o->page)), o->order, 0);
	fuzz_other_look_memory(o);
	for (i = 0; i < 1U << o->order; i++) {
		struct page *page = o->page + i;

		page->mapping = NULL;
		page->private = page->cp_page_index = 0;
		fuzz_is_other[page_to_pfn(page)] = false;
		__free_page(page);
	}
	*o = fuzz_others[--fuzz_nr_others];
}

void fuzz_others_give(void)
{
	if (fuzz_nr_others)
		fuzz_other_give(fuzz_random(fuzz_nr_others));
}

void fuzz_others_end(void)
{
	fuzz_others_look_all();
	while (fuzz_nr_others)
		fuzz_other_give(0);
}

/* Return: an address in a page of others, or in any page. */
void *fuzz_others_address(void)
{
	unsigned int nr = fuzz_nr_others;

	if (nr && fuzz_random(4))
		return page_address(fuzz_others[fuzz_random(nr)].page);
	return page_address(lab.map + fuzz_random(fuzz_top + 64));
}
