// SPDX-License-Identifier: GPL-2.0
/*
 * Page blocks: 2^order pages, from the stock of this CPU or from the arena.
 *
 * A free claims the block by changing its kind from CP_BLOCK to CP_STOCK in one
 * exchange.  If two CPUs free the same block, one exchange succeeds and the
 * other CPU's free is reported.  Until the block is in the buddy it belongs to
 * the CPU that frees it, or to the stock that the CPU puts it into.
 */
#include "base/kernel.h"
#include "cache/cache.h"
#include "heap/report.h"
#include "large/large.h"

static void cp_pages_zero(struct cp_page *p, unsigned int order)
{
	memset(cp_page_base(p), 0, PAGE_SIZE << order);
}

static noinline struct cp_page *cp_pages_take(gfp_t gfp, unsigned int order,
					      unsigned long caller)
{
	struct cp_page *p;

	might_alloc(gfp);
	if (order > CURPAGE_MAX_ORDER || in_nmi() || !cp_gfp_ok(gfp, caller))
		return NULL;
	p = cp_stock_pop(order) ?:
	    cp_stock_take(&cp_arena, gfp, order, CP_BLOCK);
	/* The stock may have got such a block while the system was asked. */
	return p ?: cp_stock_pop(order);
}

/* @beyond: bytes of the block that the caller did not ask for. */
static __always_inline struct cp_page *
cp_pages_get(gfp_t gfp, unsigned int order, size_t beyond, unsigned long caller)
{
	struct cp_page *p = NULL;
	size_t size;

	cp_might_alloc(gfp);
	if (likely(!(gfp & CP_GFP_ZONES)))
		p = cp_stock_pop(order);
	if (unlikely(!p)) {
		p = cp_pages_take(gfp, order, caller);
		if (!p)
			return NULL;
	}
	size = (PAGE_SIZE << order) - beyond;	/* a valid order by now */
	if (cp_tags_on())
		cp_tag_set(&p->tag, PAGE_SIZE << order);
	if (want_init_on_alloc(gfp))
		cp_pages_zero(p, order);
	cp_hook_alloc_pages(cp_page_base(p), size, PAGE_SIZE << order, gfp,
			    cp_hook_init(want_init_on_alloc(gfp)));
	trace_curpage_alloc(caller, cp_page_base(p), CP_BLOCK_ID, size,
			    PAGE_SIZE << order, gfp);
	return p;
}

/*
 * Bytes handed out with page blocks beyond what was asked for, since the start.
 */
static DEFINE_PER_CPU(unsigned long, cp_pages_beyond);

u64 cp_pages_waste(void)
{
	u64 bytes = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		bytes += cp_peek(*per_cpu_ptr(&cp_pages_beyond, cpu));
	return bytes;
}

/* Count the pages of all blocks ever handed out, by the arena or by a stock. */
u64 cp_pages_handed_out(const struct cp_arena_sum *sum,
			const struct cp_stock_sum *stock)
{
	unsigned int order;
	u64 pages = 0;

	for (order = 0; order < CP_NR_ORDERS; order++)
		pages += (u64)(sum->lent[order] + stock->alloc[order]) << order;
	return pages;
}

void *cp_pages_alloc(gfp_t gfp, unsigned int order, size_t size,
		     unsigned long caller)
{
	size_t beyond = (PAGE_SIZE << order) - size;
	struct cp_page *p = cp_pages_get(gfp, order, beyond, caller);

	if (!p)
		return NULL;
	cp_count_add(cp_pages_beyond, beyond);
	return cp_page_base(p);
}

/*
 * Claim a block for freeing.  On CP_OK the caller owns it.  The order is part
 * of the exchange, which fails if the block was freed and handed out again as
 * another order meanwhile.
 */
static __always_inline enum cp_bad cp_pages_claim(struct cp_page *p,
						  unsigned int order)
{
	union cp_page_word old = cp_page_word(p);

	do {
		if (unlikely(!cp_page_word_ours(old)))
			return CP_BAD_FOREIGN;
		if (unlikely(old.kind != CP_BLOCK))
			return cp_page_is_free(p) ? CP_BAD_DOUBLE :
						    CP_BAD_INSIDE;
		if (unlikely(old.remote != order))
			return CP_BAD_ORDER;
	} while (unlikely(!try_cmpxchg(&p->word.all, &old.all,
				       old.all - cp_word_lent(order))));
	return CP_OK;
}

static noinline void cp_pages_report(enum cp_bad bad, struct cp_page *p,
				     unsigned long caller)
{
	cp_report(bad, NULL, cp_page_base(p), caller);
}

static noinline void cp_pages_give(struct cp_page *p)
{
	LIST_HEAD(block);

	list_add(&p->list, &block);
	cp_arena_give(&cp_arena, &block);
}

static void cp_pages_expel(struct cp_page *p)
{
	LIST_HEAD(block);

	list_add(&p->list, &block);
	cp_arena_expel(&cp_arena, &block);
}

static __always_inline unsigned int cp_page_refs(const struct cp_page *p)
{
	/* Without READ_ONCE() the read can be an operand of an OR. */
	return data_race(p->__page._refcount.counter);
}

/*
 * Check that each page has our reference and no other, in less than two
 * instructions a page.  A page that others have put has no reference, which the
 * OR does not show; the first page is compared, as it is the page that kfree()
 * puts.
 */
static __always_inline bool cp_pages_alone(const struct cp_page *p,
					   unsigned int order)
{
	const struct cp_page *end = p + (1UL << order);
	unsigned int refs = cp_page_refs(p);

	if (unlikely(refs != 1))
		return false;
	if (order == 1)
		refs |= cp_page_refs(p + 1);
	else if (order)
		for (; p != end; p += 4)
			refs |= cp_page_refs(p) | cp_page_refs(p + 1) |
				cp_page_refs(p + 2) | cp_page_refs(p + 3);
	return likely(refs == 1);
}

/*
 * Free a claimed block whose references are not those that it was handed out
 * with.  If others hold references, the block goes to the system.  If others
 * have freed a page of it to the system, nothing of the block is touched: it
 * becomes live again, and is reported.
 */
static noinline void cp_pages_put_shared(struct cp_page *p, unsigned int order,
					 unsigned long caller)
{
	union cp_page_word old = cp_page_word(p);
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		if (likely(page_ref_count(cp_page_to_page(p + i)) > 0))
			continue;
		if (cp_page_word_ours(old) && old.kind == CP_STOCK &&
		    try_cmpxchg(&p->word.all, &old.all,
				old.all + cp_word_lent(order)))
			cp_pages_report(CP_BAD_PUT, p, caller);
		else
			cp_pages_report(CP_BAD_FOREIGN, p, caller);
		return;
	}
	kmemleak_free(cp_page_base(p));	/* no poisoning: pages may be in use */
	cp_pages_tell_free(p, order, caller);
	cp_pages_expel(p);
}

static __always_inline void cp_pages_put(struct cp_page *p, unsigned int order,
					 unsigned long caller)
{
	enum cp_bad bad = cp_pages_claim(p, order);

	if (unlikely(bad)) {
		if (bad == CP_BAD_INSIDE && cp_page_kind(p) == CP_RESERVE)
			bad = cp_reserve_free_pages(p, order, caller);
		if (bad)
			cp_pages_report(bad, p, caller);
		return;
	}
	if (unlikely(!cp_pages_alone(p, order))) {
		cp_pages_put_shared(p, order, caller);
		return;
	}
	cp_hook_free(cp_page_base(p), PAGE_SIZE << order, false);
	cp_pages_tell_free(p, order, caller);
	if (want_init_on_free())
		cp_pages_zero(p, order);
	if (unlikely(!cp_stock_push(p, order)))
		cp_pages_give(p);
}

void cp_pages_free(struct cp_page *p, unsigned int order, unsigned long caller)
{
	cp_pages_put(p, order, caller);
}

#undef curpage_alloc_pages	/* callers use a macro of this name */

/**
 * curpage_alloc_pages - allocate a block of pages
 * @gfp: as for alloc_pages(), but without a zone
 * @order: log2 of the number of pages, up to CURPAGE_MAX_ORDER
 *
 * The pages are contiguous and aligned to their number.  Each page has its own
 * reference; they are not a compound page.  The fields lru, mapping, index and
 * private of their struct pages belong to curpage.  page_is_pfmemalloc() of the
 * first page says whether the block is from the system's reserves.
 *
 * Any context.  In an NMI only the stock of this CPU is available.
 *
 * Return: the first page, or NULL.
 */
struct page *curpage_alloc_pages(gfp_t gfp, unsigned int order)
{
	struct cp_page *p = cp_pages_get(gfp, order, 0, _RET_IP_);

	return p ? cp_page_to_page(p) : NULL;
}
EXPORT_SYMBOL_GPL(curpage_alloc_pages);
ALLOW_ERROR_INJECTION(curpage_alloc_pages, NULL);

/**
 * curpage_free_pages - free a block of pages
 * @page: the first page of the block; NULL does nothing
 * @order: the order that the block was allocated with
 *
 * Any context but NMI.  A page that is not the start of a live block of this
 * order is reported and left alone.  If others hold a reference to a page of
 * the block, the whole block leaves curpage: the system frees each page at the
 * put_page() of its last reference.
 */
void curpage_free_pages(struct page *page, unsigned int order)
{
	if (page)
		cp_pages_put(cp_page_of(page), order, _RET_IP_);
}
EXPORT_SYMBOL_GPL(curpage_free_pages);

/*
 * Drain all stocks and empty the arena when the module ends.  Blocks that are
 * still live are reported and stay with their users.
 */
void cp_pages_exit(void)
{
	cp_stock_drain();
	if (cp_arena.block_pages)
		cp_report_leak(NULL, cp_arena.block_pages, _RET_IP_);
	cp_arena_trim(&cp_arena, 0);
}
