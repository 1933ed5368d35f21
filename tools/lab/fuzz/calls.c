// SPDX-License-Identifier: GPL-2.0
/* Calls for one block, on a random CPU, and some as in an interrupt. */
#include "fuzz.h"
#include "arena/stock.h"

#define FUZZ_GONE	(BIT(CP_BAD_DOUBLE) | BIT(CP_BAD_INSIDE) |	\
			 BIT(CP_BAD_CACHE))

/* Claims that the interrupted CPU holds. */
static struct cp_claim *fuzz_claims[2];

static void fuzz_claim(unsigned int i, struct cp_claim *c)
{
	fuzz_claims[i] = NULL;
	if (c && !c->taken) {
		fuzz_claims[i] = c;
		c->taken = 1;
	}
}

/* Run what follows on this CPU; with interrupt while claims are held. */
void fuzz_enter(struct curpage_cache *cache, int cpu, bool interrupt)
{
	lab.cpu = cpu;
	fuzz_claim(0, interrupt && cache ?
		   &per_cpu_ptr(cache->heaps, cpu)->claim : NULL);
	fuzz_claim(1, interrupt && fuzz_once_in(2) ?
		   &per_cpu_ptr(&cp_stocks, cpu)->claim : NULL);
}

void fuzz_leave(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fuzz_claims); i++)
		if (fuzz_claims[i])
			fuzz_claims[i]->taken = 0;
}

static bool fuzz_zero(const void *addr, size_t size)
{
	return !memchr_inv(addr, 0, size);
}

/* Judge an allocation that failed: memory must have been refused or bounded. */
static void fuzz_check_refused(bool refused)
{
	if (!refused && !fuzz.bounded)
		fuzz_fail("an allocation got nothing, though there is memory");
}

static bool fuzz_nested;

/* As an interrupt in alloc_pages() of the system: free and allocate. */
static void fuzz_meanwhile(void)
{
	struct cp_claim *claims[2] = { fuzz_claims[0], fuzz_claims[1] };
	unsigned long left = lab.pages_left;
	struct fuzz_block *b = fuzz_pick();

	fuzz_nested = true;
	lab.pages_left = ULONG_MAX;
	if (b)
		fuzz_free_right(b);
	if (fuzz_once_in(2))
		fuzz_alloc();
	lab.pages_left = left;
	fuzz_nested = false;
	memcpy(fuzz_claims, claims, sizeof(claims));
}

struct fuzz_request {
	enum fuzz_way way;
	struct fuzz_cache *cache;
	size_t size;
	unsigned int order;
	gfp_t gfp;
};

static void *fuzz_make_request(const struct fuzz_request *r)
{
	struct page *page;

	switch (r->way) {
	case FUZZ_CACHED:
		fuzz_log("cpu %lu: cache_alloc(cache %lu, gfp %#lx)", lab.cpu,
			 r->cache - fuzz.cache, r->gfp);
		return curpage_cache_alloc(r->cache->cache, r->gfp);
	case FUZZ_SIZED:
		fuzz_log("cpu %lu: alloc(%lu, gfp %#lx)", lab.cpu, r->size,
			 r->gfp);
		return r->gfp & __GFP_ZERO ?
		       curpage_zalloc(r->size, r->gfp & ~__GFP_ZERO) :
		       curpage_alloc(r->size, r->gfp);
	default:
		fuzz_log("cpu %lu: alloc_pages(order %lu, gfp %#lx)", lab.cpu,
			 r->order, r->gfp);
		page = curpage_alloc_pages(r->gfp, r->order);
		return page ? page_address(page) : NULL;
	}
}

static void fuzz_request_init(struct fuzz_request *r)
{
	static const unsigned int largest[] = { 128, 600, 4096, 20000, 70000 };
	unsigned int what = fuzz_random(10);

	memset(r, 0, sizeof(*r));
	if (fuzz_once_in(8))
		r->gfp |= __GFP_ZERO;
	if (what < 6) {
		r->way = FUZZ_CACHED;
		r->cache = fuzz_any_cache();
		r->size = r->cache->size;
	} else if (what < 8) {
		r->way = FUZZ_SIZED;
		r->size = largest[fuzz_random(8) % ARRAY_SIZE(largest)];
		r->size = fuzz_once_in(4) ? BIT(fuzz_random(ilog2(r->size))) :
			  1 + fuzz_random(r->size);
	} else {
		r->way = FUZZ_PAGES;
		r->order = __ffs(fuzz_random(1UL << 6) | 1UL << 6);
		r->size = PAGE_SIZE << r->order;
	}
}

/* Check that a new block fits its request, and register it. */
static void fuzz_take_over(const struct fuzz_request *r, void *addr)
{
	size_t size = r->size, usable;
	struct fuzz_block *b;

	if (r->gfp & __GFP_ZERO && !(r->cache && r->cache->ctor) &&
	    !fuzz_zero(addr, size))
		fuzz_fail("block %#lx of %zu bytes is not zero", fuzz_at(addr),
			  size);
	usable = curpage_ksize(addr);
	if (usable < size || (r->way != FUZZ_SIZED && usable != size))
		fuzz_fail("ksize(%#lx) is %zu, not %zu", fuzz_at(addr), usable,
			  size);
	if (r->way == FUZZ_SIZED && is_power_of_2(size) &&
	    !IS_ALIGNED((u64)addr, size))
		fuzz_fail("block %#lx of %zu bytes is not aligned",
			  fuzz_at(addr), size);
	b = fuzz_born(addr, usable, r->way, r->cache);
	b->order = r->order;
}

void fuzz_alloc(void)
{
	bool refused = fuzz_once_in(200), interrupt = fuzz_once_in(8);
	struct fuzz_request r;
	void *addr;

	fuzz_request_init(&r);
	/* The interrupted task may hold a claim: do not wait for it. */
	r.gfp |= interrupt || fuzz_nested || fuzz_once_in(4) ? GFP_ATOMIC :
							       GFP_KERNEL;
	fuzz_enter(r.cache ? r.cache->cache : NULL, fuzz_random(LAB_CPUS),
		   interrupt);
	if (refused)
		lab.pages_left = fuzz_random(3);
	if (!fuzz_nested && fuzz_once_in(32))
		lab.interrupt = fuzz_meanwhile;
	addr = fuzz_make_request(&r);
	lab.interrupt = NULL;
	lab.pages_left = ULONG_MAX;
	fuzz_leave();
	if (addr)
		fuzz_check_new(addr, r.size, r.cache);
	else
		fuzz_check_refused(refused);
	fuzz_judge();
	if (addr)
		fuzz_take_over(&r, addr);
}

/* Judge an address that a live block contains. */
static void fuzz_ask_owner(struct fuzz_verdict *v, struct fuzz_block *b,
			   const void *addr, const struct fuzz_how *how)
{
	bool start = b->addr == addr;

	switch (how->way) {
	case FUZZ_CACHED:
		v->kinds = BIT(CP_BAD_INSIDE);
		if (b->cache != how->cache)
			v->kinds = BIT(CP_BAD_CACHE);
		else if (start)
			v->right = b;
		break;
	case FUZZ_SIZED:
		v->kinds = BIT(CP_BAD_INSIDE);
		if (start)
			v->right = b;
		break;
	case FUZZ_PAGES:
		v->kinds = BIT(CP_BAD_INSIDE);
		/* A sized block may or may not be a page block. */
		v->skip = start && b->way == FUZZ_SIZED;
		if (start && b->way == FUZZ_PAGES) {
			v->kinds = BIT(CP_BAD_ORDER);
			if (b->order == how->order)
				v->right = b;
		}
	}
}

/* Return: what must happen when this address is freed in this way. */
struct fuzz_verdict fuzz_ask(const void *addr, const struct fuzz_how *how)
{
	struct fuzz_verdict v = { .sure = true };
	struct fuzz_block *b;

	if (!fuzz_is_curpages(addr)) {
		v.kinds = BIT(CP_BAD_FOREIGN);
		if (ZERO_OR_NULL_PTR(addr) &&
		    (!addr || how->way == FUZZ_SIZED))
			v.kinds = 0;
		return v;
	}
	b = fuzz_owner(addr);
	if (b)
		fuzz_ask_owner(&v, b, addr, how);
	else
		v.kinds = FUZZ_GONE;
	/* A damaged page has left curpage when its cache was destroyed. */
	if (!b && cp_arena.stat[CP_EXPELLED_PAGES])
		v.kinds |= BIT(CP_BAD_FOREIGN);
	if (!v.right && (fuzz.refused || fuzz_run_damaged(addr) ||
			 fuzz_damaged((void *)((u64)addr & ~7UL))))
		v.sure = false;
	return v;
}

static void fuzz_make_free(void *addr, const struct fuzz_how *how)
{
	switch (how->way) {
	case FUZZ_CACHED:
		fuzz_log("cpu %lu: cache_free(cache %lu, %#lx)", lab.cpu,
			 how->cache - fuzz.cache, fuzz_at(addr));
		curpage_cache_free(how->cache->cache, addr);
		break;
	case FUZZ_SIZED:
		fuzz_log("cpu %lu: free(%#lx)%s", lab.cpu, fuzz_at(addr),
			 (u64)(how->interrupt ? ", interrupt" : ""));
		curpage_free(addr);
		break;
	case FUZZ_PAGES:
		fuzz_log("cpu %lu: free_pages(%#lx, order %lu)", lab.cpu,
			 fuzz_at(addr), how->order);
		curpage_free_pages(virt_to_page(addr), how->order);
	}
}

/* Return: the cache whose heap the interrupted task is to hold, or NULL. */
static struct curpage_cache *fuzz_cache_at(const void *addr,
					   const struct fuzz_how *how)
{
	const struct cp_page *p;

	if (how->cache)
		return how->cache->cache;
	if (!fuzz_is_curpages(addr))
		return NULL;
	p = cp_page_of(virt_to_page(addr));
	return cp_page_kind(p) >= CP_CACHE && p->heap ? p->heap->cache : NULL;
}

/* Free an address, right or wrong, and judge the reports. */
void fuzz_free(void *addr, const struct fuzz_how *how)
{
	struct fuzz_verdict v = fuzz_ask(addr, how);

	if (v.skip)
		return;
	if (v.right)
		fuzz_dies(v.right);
	else if (v.kinds)
		fuzz_expect(v.kinds, v.sure);
	fuzz_enter(fuzz_cache_at(addr, how), how->cpu, how->interrupt);
	fuzz_make_free(addr, how);
	fuzz_leave();
	if (!v.sure)
		fuzz_damage_freed(addr);
	/* A wrong free that went untold: damage hid that the block is free. */
	if (!fuzz_judge() && !v.sure && !v.right)
		fuzz.unsure = true;
}

/* Free a live block, in a random right way. */
void fuzz_free_right(struct fuzz_block *b)
{
	struct fuzz_how how = {
		.way = fuzz_once_in(4) ? FUZZ_SIZED : b->way,
		.cache = b->cache, .order = b->order,
		.cpu = fuzz_random(3) ? b->cpu : fuzz_random(LAB_CPUS),
		.interrupt = fuzz_once_in(8),
	};

	if (how.way != FUZZ_CACHED)
		how.cache = NULL;
	fuzz_verify(b);
	fuzz_free(b->addr, &how);
}
