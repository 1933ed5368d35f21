// SPDX-License-Identifier: GPL-2.0
/*
 * The lab's machine: pages, kzalloc(), messages.
 *
 * A heap-shaped tree over the pages has, for each aligned block, the order of
 * the largest free block in it, plus one.  alloc_pages() takes the lowest block
 * that is large enough, so runs repeat.  Under the address sanitizer, pages
 * that are not lent are poisoned, and lent pages are filled with rubbish.
 */
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define LAB_PAGE_BITS	15		/* the shadow has to be written */
#else
#define LAB_PAGE_BITS	20
#define ASAN_POISON_MEMORY_REGION(addr, size) do { } while (0)
#define ASAN_UNPOISON_MEMORY_REGION(addr, size) do { } while (0)
#endif

#define LAB_PAGES	(1UL << LAB_PAGE_BITS)
#define LAB_RUBBISH	0xa5

struct lab lab = {
	.pages_left = ULONG_MAX,
	.objects_left = ULONG_MAX,
	.order_limit = UINT_MAX,
};

unsigned long lab_list_adds;

static u8 lab_largest[2 * LAB_PAGES];	/* root at 1, pages from LAB_PAGES */

unsigned long lab_pages(void)
{
	return LAB_PAGES;
}

static void *lab_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("lab: mmap");
		exit(1);
	}
	return p;
}

/* Align the memory to the largest block, as the kernel's is. */
static __attribute__((constructor)) void lab_init(void)
{
	size_t size = LAB_PAGES << PAGE_SHIFT;
	unsigned int order;

	lab.map = lab_map(LAB_PAGES * sizeof(struct page));
	lab.memory = lab_map(size + (PAGE_SIZE << 10));
	lab.memory = (char *)ALIGN((unsigned long)lab.memory, PAGE_SIZE << 10);
	ASAN_POISON_MEMORY_REGION(lab.memory, size);
#ifdef LAB_UNIT
	lab.words = lab_map(size / 2 * sizeof(*lab.words));
#endif
	for (order = 0; order <= LAB_PAGE_BITS; order++)
		memset(lab_largest + (LAB_PAGES >> order), order + 1,
		       LAB_PAGES >> order);
}

/* Update the ancestors of a node of this order after it changed. */
static void lab_update(unsigned long node, unsigned int order)
{
	while (node >>= 1) {
		u8 low = lab_largest[2 * node], high = lab_largest[2 * node + 1];

		order++;
		lab_largest[node] = low == order && high == order ?
				    order + 1 : max(low, high);
	}
}

static bool lab_refuses(unsigned long *left)
{
	if (!*left)
		return true;
	if (*left != ULONG_MAX)
		--*left;
	return false;
}

/* Return: true if all of these 2^order pages are free. */
bool lab_pages_free(unsigned long pfn, unsigned int order)
{
	unsigned long node = (LAB_PAGES + pfn) >> order;

	/* A block lent whole leaves the nodes below it as they were. */
	for (; node && lab_largest[node] > order; node >>= 1)
		;
	return !node;
}

/* Choose the pages to lend next.  Return: their node, 0 for none. */
static unsigned long lab_choose(unsigned int order)
{
	unsigned long node = 1, pfn;
	unsigned int level;

	if (lab.place)
		return lab.place(order, &pfn) ? (LAB_PAGES + pfn) >> order : 0;
	if (lab_largest[1] <= order)
		return 0;
	for (level = LAB_PAGE_BITS; level > order; level--)
		node = 2 * node + (lab_largest[2 * node] <= order);
	return node;
}

/* May a refused request be served from the reserves, which never end? */
static bool lab_reserves(gfp_t gfp)
{
	return (gfp & __GFP_MEMALLOC || lab.task.flags & PF_MEMALLOC) &&
	       !(gfp & __GFP_NOMEMALLOC);
}

struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	void (*interrupt)(void) = lab.interrupt;
	unsigned long node = 0;
	bool reserve = false;
	struct page *page;

	lab.interrupt = NULL;
	if (interrupt)
		interrupt();
	assert(!lab.spinning);
	assert(!(gfp & (GFP_ZONEMASK | __GFP_COMP | __GFP_ACCOUNT |
			__GFP_RECLAIMABLE)));
	if (order <= lab.order_limit && !lab_refuses(&lab.pages_left))
		node = lab_choose(order);
	else if (lab_reserves(gfp))
		node = lab_choose(order), reserve = true;
	if (!node)
		return NULL;
	lab_largest[node] = 0;
	lab_update(node, order);
	lab.pages_lent += 1UL << order;
	page = lab.map + ((node << order) - LAB_PAGES);
	page->_refcount.counter = 1;
	page->lru.next = NULL;
	if (reserve)
		set_page_pfmemalloc(page);
	ASAN_UNPOISON_MEMORY_REGION(page_address(page), PAGE_SIZE << order);
#ifdef __SANITIZE_ADDRESS__
	memset(page_address(page), LAB_RUBBISH, PAGE_SIZE << order);
#endif
	return page;
}

void split_page(struct page *page, unsigned int order)
{
	unsigned long node = (LAB_PAGES + page_to_pfn(page)) >> order;
	unsigned int level;
	unsigned long i;

	for (i = 0; i < 1UL << order; i++)
		page[i]._refcount.counter = 1;
	/* No part is free, at any level below. */
	for (level = 0; level < order; level++)
		memset(lab_largest + (node << (order - level)), 0,
		       1UL << (order - level));
}

/* Check that mapping, private and references are gone, as the kernel does. */
void __free_page(struct page *page)
{
	unsigned long node = LAB_PAGES + page_to_pfn(page);

	assert(!lab.spinning && page->_refcount.counter > 0);
	if (--page->_refcount.counter)
		return;
	assert(!page->mapping && !page->private && !page->cp_page_index);
	ASAN_POISON_MEMORY_REGION(page_address(page), PAGE_SIZE);
	lab.pages_lent--;
	lab_largest[node] = 1;
	lab_update(node, 0);
}

void *kzalloc(size_t size, gfp_t gfp)
{
	void *p;

	assert(!lab.spinning || !(gfp & __GFP_DIRECT_RECLAIM));
	if (lab_refuses(&lab.objects_left))
		return NULL;
	p = lab_object_get(ALIGN(size, cache_line_size()));
	if (p) {
		memset(p, 0, size);
		lab.objects_lent++;
	}
	return p;
}

void kfree(void *ptr)
{
	if (!ptr)
		return;
	lab.objects_lent--;
	lab_object_put(ptr);
}

/* Copy a format with %p in place of %pS and %pGg, which C does not have. */
static void lab_plain(char *to, size_t size, const char *fmt)
{
	size_t n = 0;

	while (*fmt && n < size - 1) {
		to[n++] = *fmt++;
		if (n < 2 || to[n - 2] != '%' || to[n - 1] != 'p')
			continue;
		if (*fmt == 'S')
			fmt++;
		else if (!strncmp(fmt, "Gg", 2))
			fmt += 2;
	}
	to[n] = '\0';
}

/* Print a message and keep it in lab.said. */
void lab_printk(const char *fmt, ...)
{
	char plain[LAB_SAID];
	va_list args;

	lab.messages++;
	lab_plain(plain, sizeof(plain), fmt);
	va_start(args, fmt);
	vsnprintf(lab.said, sizeof(lab.said), plain, args);
	va_end(args);
	if (lab.quiet)
		return;
	va_start(args, fmt);
	vfprintf(stderr, plain, args);
	va_end(args);
}
