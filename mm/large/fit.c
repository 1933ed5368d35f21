// SPDX-License-Identifier: GPL-2.0
/*
 * First fit for large blocks, ordered by address (Brent 1984, section 5.3).  A
 * block larger than FFCROSSOVER need not fit into a page: it shares its pages
 * with other blocks.
 *
 * A search goes down a tree over segments, as in Brent's efficient first fit; a
 * segment is a page.  A tree over all runs leads to the lowest run that has a
 * large enough block.  A tree over the pages of that run leads to the lowest
 * page where one starts.  The block is one of the few that start in that page.
 * No step walks over all blocks.
 *
 * cp_fit.lock is a leaf.  Pages are taken and given back without it.
 */
#include "base/kernel.h"
#include "arena/system.h"
#include "heap/report.h"
#include "large/fit.h"

#define CP_FIT_ORDER	get_order(CP_FIT_MAX)	/* of a run, if possible */
#define CP_FIT_RED	8			/* least bytes of a red zone */

struct cp_fit_request {
	size_t size;
	unsigned long caller;
	unsigned int units;
	unsigned int align;
	unsigned int slack;
	struct cp_run *run;		/* run of the block */
	unsigned int unit;
	union cp_fit_head head;		/* header of the block */
	struct cp_run *gone;		/* to give back, unlocked */
	void *damaged;			/* payload whose header is damaged */
};

/*
 * Set up first fit.  Return: false if this machine's cache lines are too long.
 */
bool cp_fit_init(void)
{
	if (cp_dma_align() > CP_FIT_ALIGN_MAX) {
		pr_err("DMA aligned to %u bytes: must be at most %u\n",
		       cp_dma_align(), CP_FIT_ALIGN_MAX);
		return false;
	}
	memset(&cp_fit, 0, sizeof(cp_fit));
	raw_spin_lock_init(&cp_fit.lock);
	cp_fit.runs = RB_ROOT;
	cp_fit.key = get_random_long();
	return true;
}

/*
 * Compute what a request needs.  With check=1 its block has a red zone.  A
 * block that has to be aligned may need units in front of it, up to
 * cp_fit_gap().
 */
static void cp_fit_request_init(struct cp_fit_request *r, size_t size,
				unsigned long caller)
{
	size_t red = cp_fit_checks() ? CP_FIT_RED : 0;
	unsigned int align = max_t(unsigned int, cp_dma_align(), CP_FIT_UNIT);

	memset(r, 0, sizeof(*r));
	r->size = size;
	r->caller = caller;
	r->units = ALIGN(size + red + cp_fit_tail(), align) / CP_FIT_UNIT;
	r->slack = r->units * CP_FIT_UNIT - cp_fit_tail() - size;
	r->align = align;
	if (CP_MAP_POWERS && is_power_of_2(size))
		r->align = max_t(unsigned int, size, align);
}

static unsigned int cp_fit_gap(const struct cp_fit_request *r)
{
	return r->align / CP_FIT_UNIT - 1;
}

static void *cp_fit_obj(const struct cp_fit_request *r)
{
	return cp_run_payload(r->run, r->unit);
}

/* Mark the pages of a run as its pages, or as pages of no run any more. */
static void cp_run_set_pages(struct cp_run *run, bool ours)
{
	unsigned int i;

	for (i = 0; i < cp_run_pages(run); i++) {
		struct cp_page *p = run->page + i;

		INIT_LIST_HEAD(&p->list);
		if (ours)
			p->run = run;
		cp_page_set_kind(p, ours ? CP_RUN : CP_TAIL);
		if (ours)
			cp_page_hold(p);
	}
}

/*
 * Drop the references to the pages of a run.  Reports the first page to which
 * others hold a reference, or of which they have dropped one.  Return: true if
 * there is none.
 */
static bool cp_run_unhold(struct cp_run *run)
{
	bool alone = true;
	unsigned int i;

	for (i = 0; i < cp_run_pages(run); i++) {
		struct cp_page *p = run->page + i;

		if (unlikely(cp_page_foreign_refs(p)) && alone) {
			cp_report_refs(NULL, p);
			alone = false;
		}
		cp_page_unhold(p);
	}
	return alone;
}

static void cp_fit_add(struct cp_run *run)
{
	cp_fit.stat[CP_FIT_RUN_TAKEN]++;
	cp_fit.nr_runs++;
	cp_fit.pages += cp_run_pages(run);
	cp_fit.units += run->units;
	cp_run_set_pages(run, true);
	cp_fit_link(run);
	trace_curpage_run_take(cp_page_pfn(run->page), run->order);
}

/*
 * Remove a run.  Its first page is left as CP_STOCK, which the arena takes
 * back.  Caller holds cp_fit.lock.
 */
static void cp_fit_remove(struct cp_run *run)
{
	cp_fit.stat[CP_FIT_RUN_GIVEN]++;
	cp_fit.nr_runs--;
	cp_fit.pages -= cp_run_pages(run);
	cp_fit.units -= run->units;
	cp_fit_unlink(run);
	cp_run_set_pages(run, false);
	cp_page_set_kind(run->page, CP_STOCK);
	trace_curpage_run_return(cp_page_pfn(run->page), run->order);
}

static void cp_fit_keep(struct cp_run *run)
{
	cp_fit.empty = run;
	cp_fit.empty_pages = run ? cp_run_pages(run) : 0;
}

/*
 * Retire a run, which may be NULL, if it has no live block: keep it if no other
 * run is kept, else remove it.  Caller holds cp_fit.lock.
 *
 * Return: the removed run, for cp_fit_give(), or NULL.
 */
static struct cp_run *cp_fit_retire(struct cp_run *run)
{
	if (!run || run->live || run->lost || run == cp_fit.empty)
		return NULL;
	if (!cp_fit.empty) {
		cp_fit_keep(run);
		return NULL;
	}
	cp_fit_remove(run);
	return run;
}

/*
 * Give a removed run, which may be NULL, to the arena.  Called without
 * cp_fit.lock.  Return: the pages that went on to the system.
 */
static unsigned long cp_fit_give(struct cp_run *run)
{
	LIST_HEAD(block);
	bool whole;

	if (!run)
		return 0;
	list_add(&run->page->list, &block);
	whole = cp_run_unhold(run);
	kfree(run);
	return likely(whole) ? cp_arena_give(&cp_arena, &block) :
			       cp_arena_expel(&cp_arena, &block);
}

/*
 * Give up a run with a damaged header: nothing in it is read from now on.
 * Caller holds cp_fit.lock.
 */
static void cp_fit_lose(struct cp_run *run, struct cp_fit_request *r)
{
	r->damaged = cp_run_payload(run, run->damaged);
	run->lost = true;
	cp_fit_update(run);
	if (cp_fit.empty == run)
		cp_fit_keep(NULL);
	cp_fit.stat[CP_FIT_LOST]++;
	cp_fit.lost_pages += cp_run_pages(run);
	cp_fit.pages -= cp_run_pages(run);
	cp_fit.nr_runs--;
	cp_fit.units -= run->units;
	cp_fit.live -= run->live;
	cp_fit.asked -= run->asked;
	cp_fit.used -= run->used;
}

static void cp_fit_count(struct cp_run *run, union cp_fit_head head, int live)
{
	long asked = live * (long)cp_fit_asked(head);
	long used = live * (long)head.size;

	run->live += live;
	run->asked += asked;
	run->used += used;
	cp_fit.live += live;
	cp_fit.asked += asked;
	cp_fit.used += used;
}

/*
 * Search the lowest run that has a free block of least units.  Return: false if
 * there is no such run, if the request does not fit there, or if the run is now
 * lost.
 */
static bool cp_fit_search(struct cp_fit_request *r, unsigned int least)
{
	r->run = cp_fit_leftmost(least);
	if (!r->run)
		return false;
	r->run->damaged = CP_FIT_NONE;
	if (cp_run_pick(r->run, least, r->units, r->align, &r->unit, &r->head))
		return true;
	if (r->run->damaged != CP_FIT_NONE)
		cp_fit_lose(r->run, r);
	return false;
}

/*
 * Find the first free block that is large enough.  For an aligned request take
 * one into which it fits, among the blocks that start in the same page; if
 * there is none, find the first block that is larger by the gap.
 */
static bool cp_fit_find(struct cp_fit_request *r)
{
	unsigned int gap = cp_fit_gap(r);

	if (cp_fit_search(r, r->units))
		return true;
	return gap && !r->damaged && cp_fit_search(r, r->units + gap);
}

/* Serve a request from the runs there are.  Caller holds cp_fit.lock. */
static bool cp_fit_serve(struct cp_fit_request *r)
{
	union cp_fit_head block = {
		.size = r->units, .slack = r->slack,
		.state = cp_fit_checks() ? CP_FIT_BUSY : CP_FIT_LIVE,
	};
	unsigned int lead;

	if (!cp_fit_find(r))
		return false;
	lead = cp_run_lead(r->run, r->unit, r->align);
	if (!cp_run_take(r->run, r->unit, lead, r->head, block)) {
		cp_fit_lose(r->run, r);
		return false;
	}
	r->unit += lead;
	if (cp_fit.empty == r->run)
		cp_fit_keep(NULL);
	cp_fit_count(r->run, block, 1);
	cp_fit.stat[CP_FIT_ALLOC]++;
	return true;
}

/*
 * Finish what was found under the lock: give back a run, report a damaged
 * header.
 */
static void cp_fit_end(struct cp_fit_request *r)
{
	cp_fit_give(r->gone);
	if (unlikely(r->damaged))
		cp_report(CP_BAD_REDZONE, NULL, r->damaged, r->caller);
}

/*
 * Try to serve a request, again after each try that lost a run.  A fresh run is
 * added first.  It goes back if it is not needed after all, because a block was
 * freed meanwhile.
 */
static bool cp_fit_try(struct cp_fit_request *r, struct cp_run *fresh,
		       bool last)
{
	unsigned long flags;
	bool done;

	do {
		r->gone = NULL;
		r->damaged = NULL;
		raw_spin_lock_irqsave(&cp_fit.lock, flags);
		if (fresh)
			cp_fit_add(fresh);
		done = cp_fit_serve(r);
		if (!done && !r->damaged && last)
			cp_fit.stat[CP_FIT_FAILED]++;
		/* Unlocked, other CPUs may use the fresh run, or remove it. */
		r->gone = cp_fit_retire(fresh);
		fresh = NULL;
		raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
		cp_fit_end(r);
	} while (unlikely(!done && r->damaged));
	return done;
}

/*
 * Take the pages of a run.  The system is not pushed for more pages than the
 * block needs.
 */
static struct cp_page *cp_fit_pages(gfp_t gfp, unsigned int need,
				    unsigned int *order)
{
	gfp_t wish = (gfp & ~CP_GFP_PUSH) | __GFP_NOWARN | __GFP_NOMEMALLOC;
	struct cp_page *p;

	for (*order = max_t(unsigned int, need, CP_FIT_ORDER); *order > need;
	     --*order) {
		p = cp_arena_take(&cp_arena, wish, *order, CP_RUN);
		if (p)
			return p;
	}
	/*
	 * No pages of the reserves: cp_size_fits() has kept such requests away,
	 * and __GFP_NOMEMALLOC holds whatever flags an interrupted task has.
	 */
	return cp_stock_take(&cp_arena, gfp | __GFP_NOMEMALLOC, need, CP_RUN);
}

/* Make a run that has room for the block.  No other CPU knows it yet. */
static struct cp_run *cp_fit_run(const struct cp_fit_request *r, gfp_t gfp)
{
	unsigned int units = r->units + cp_fit_gap(r) + 1;
	unsigned int need = get_order(units * CP_FIT_UNIT);
	unsigned int pages = 1U << max_t(unsigned int, need, CP_FIT_ORDER);
	struct cp_run *run;

	/* For each page two numbers in the tree and its first header. */
	run = cp_system_zalloc_gfp(sizeof(*run) + 3 * pages * sizeof(u16), gfp);
	if (!run)
		return NULL;
	run->page = cp_fit_pages(gfp, need, &run->order);
	if (!run->page) {
		kfree(run);
		return NULL;
	}
	run->base = cp_page_base(run->page);
	run->first = run->largest_of + 2 * cp_run_pages(run);
	run->units = (PAGE_SIZE << run->order) / CP_FIT_UNIT - 1;
	cp_run_format(run);
	return run;
}

/* Get a block.  Return: its payload, or NULL. */
static void *cp_fit_get(struct cp_fit_request *r, gfp_t gfp)
{
	struct cp_run *fresh;

	if (cp_fit_try(r, NULL, false))
		return cp_fit_obj(r);
	do {
		fresh = cp_fit_run(r, gfp);
		/* Even without a run: a block may have been freed meanwhile. */
		if (cp_fit_try(r, fresh, true))
			return cp_fit_obj(r);
		/*
		 * With a fresh run a try fails only if it found a damaged run.
		 */
	} while (fresh && gfp & __GFP_NOFAIL);
	return NULL;
}

/*
 * Make a block live whose payload is now filled: the walker checks live blocks.
 */
static void cp_fit_set_live(struct cp_fit_request *r)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	/* If its header is damaged by now, its free reports that. */
	if (!r->run->lost && cp_run_read(r->run, r->unit, &r->head)) {
		r->head.state = CP_FIT_LIVE;
		cp_run_write(r->run, r->unit, r->head);
	}
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
}

/* Return: the word for the tag of a block, in front of the next header. */
static u64 *cp_fit_tag(const struct cp_fit_request *r, unsigned int units)
{
	return cp_run_payload(r->run, r->unit + units) - CP_FIT_HEAD -
	       CP_TAG_SIZE;
}

static void cp_fit_check_alloc(struct cp_fit_request *r, void *obj)
{
	if (!cp_filled_with(obj, CP_POISON_BYTE, r->size + r->slack))
		cp_report(CP_BAD_POISON, NULL, obj, r->caller);
	memset(obj + r->size, CP_RED_BYTE, r->slack);
	cp_fit_set_live(r);
}

/**
 * cp_fit_alloc - allocate a block by first fit
 * @size: bytes, up to CP_FIT_MAX
 * @gfp: as for curpage_alloc()
 * @caller: return address in the code that gets the block
 *
 * Return: a block aligned to CP_FIT_UNIT, and to its size if @size is a power
 * of two; or NULL.
 */
void *cp_fit_alloc(size_t size, gfp_t gfp, unsigned long caller)
{
	struct cp_fit_request r;
	size_t usable;
	void *obj;

	might_alloc(gfp);
	if (in_nmi() || !cp_gfp_ok(gfp, caller))
		return NULL;
	cp_fit_request_init(&r, size, caller);
	obj = cp_fit_get(&r, gfp);
	if (unlikely(!obj))
		return NULL;
	usable = size;
	if (cp_tags_on())
		cp_tag_set(cp_fit_tag(&r, r.units), r.units * CP_FIT_UNIT);
	if (cp_fit_checks())
		cp_fit_check_alloc(&r, obj);
	else
		usable += r.slack;
	if (cp_debug_want_zero(cp_fit_checks(), gfp))
		memset(obj, 0, usable);
	cp_hook_alloc(obj, size, size, gfp,
		      cp_hook_init(want_init_on_alloc(gfp)));
	trace_curpage_alloc(caller, obj, CP_FIT_ID, size, usable, gfp);
	return obj;
}

/*
 * Tell what is wrong with a pointer that is not the start of a block.  Caller
 * holds cp_fit.lock.
 */
static enum cp_bad cp_fit_locate(struct cp_fit_request *r, unsigned long offset)
{
	union cp_fit_head head;

	/* In front of the first payload. */
	if (offset < CP_FIT_UNIT)
		return CP_BAD_INSIDE;
	if (!cp_run_locate(r->run, offset, &head)) {
		cp_fit_lose(r->run, r);
		return CP_BAD_REDZONE;
	}
	return head.state == CP_FIT_FREE ? CP_BAD_DOUBLE : CP_BAD_INSIDE;
}

/*
 * Look up the block that starts at obj, on page p.  Caller holds cp_fit.lock: a
 * page of a run stays one as long as the lock is held, and no longer.
 *
 * Return: CP_OK if the block is in this state, else what is wrong.
 */
static enum cp_bad cp_fit_look_up(struct cp_fit_request *r, struct cp_page *p,
				  const void *obj, enum cp_fit_state state)
{
	union cp_page_word word = cp_page_word(p);
	unsigned long offset;

	if (!cp_page_word_ours(word) || word.kind != CP_RUN)
		return CP_BAD_DOUBLE;
	r->run = p->run;
	if (r->run->lost)
		return CP_BAD_REDZONE;
	offset = obj - r->run->base;
	r->unit = offset / CP_FIT_UNIT - 1;
	if (!offset || offset % CP_FIT_UNIT || r->unit >= r->run->units ||
	    !cp_run_read(r->run, r->unit, &r->head))
		return cp_fit_locate(r, offset);
	if (r->head.state == state)
		return CP_OK;
	return CP_BAD_DOUBLE;
}

/*
 * Claim a live block for freeing: it becomes busy, and another free of it is
 * reported.
 */
static enum cp_bad cp_fit_claim(struct cp_fit_request *r, struct cp_page *p,
				const void *obj)
{
	unsigned long flags;
	enum cp_bad bad;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	bad = cp_fit_look_up(r, p, obj, CP_FIT_LIVE);
	if (!bad) {
		r->head.state = CP_FIT_BUSY;
		cp_run_write(r->run, r->unit, r->head);
	}
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
	return bad;
}

static enum cp_bad cp_fit_release(struct cp_fit_request *r, struct cp_page *p,
				  const void *obj, enum cp_fit_state state)
{
	unsigned long flags;
	enum cp_bad bad;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	bad = cp_fit_look_up(r, p, obj, state);
	if (!bad) {
		cp_fit_count(r->run, r->head, -1);
		cp_fit.stat[CP_FIT_FREED]++;
		if (cp_run_put(r->run, r->unit, r->head))
			r->gone = cp_fit_retire(r->run);
		else
			cp_fit_lose(r->run, r);
	}
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
	return bad;
}

/* Check whether a block needs anything done before it is free. */
static bool cp_fit_hooked(void)
{
	return cp_fit_checks() || want_init_on_free() ||
	       trace_curpage_free_enabled() ||
	       CP_HOOKED || cp_tags_on();
}

static enum cp_bad cp_fit_untag(const struct cp_fit_request *r)
{
	u64 *tag = cp_fit_tag(r, r->head.size);
	bool whole = cp_tag_take(tag, r->head.size * CP_FIT_UNIT);

	if (cp_fit_checks())
		memset(tag, CP_POISON_BYTE, sizeof(*tag));
	return whole ? CP_OK : CP_BAD_REDZONE;
}

/* Do what a free does beside freeing.  The block is busy: no lock is needed. */
static enum cp_bad cp_fit_free_hooks(struct cp_fit_request *r, void *obj)
{
	size_t asked = cp_fit_asked(r->head);
	size_t size = cp_fit_payload_size(r->head);
	enum cp_bad bad = CP_OK;

	cp_hook_free(obj, size, false);
	trace_curpage_free(r->caller, obj, CP_FIT_ID, false);
	if (cp_tags_on())
		bad = cp_fit_untag(r);
	if (cp_fit_checks()) {
		if (!cp_filled_with(obj + asked, CP_RED_BYTE, size - asked))
			bad = CP_BAD_REDZONE;
		memset(obj, CP_POISON_BYTE, size);
	} else if (want_init_on_free()) {
		memset(obj, 0, size);
	}
	return bad;
}

/**
 * cp_fit_free - free a block of first fit
 * @p: the page that the block starts on, which was seen to be a page of a run
 * @obj: the block
 * @caller: return address in the code that frees it, for reports
 */
void cp_fit_free(struct cp_page *p, const void *obj, unsigned long caller)
{
	bool hooked = cp_fit_hooked();
	struct cp_fit_request r = { .caller = caller };
	enum cp_bad bad = CP_OK, red = CP_OK;

	if (WARN_ON_ONCE(in_nmi()))
		return;
	if (hooked) {
		bad = cp_fit_claim(&r, p, obj);
		if (!bad)
			red = cp_fit_free_hooks(&r, (void *)obj);
	}
	if (!bad)
		bad = cp_fit_release(&r, p, obj,
				     hooked ? CP_FIT_BUSY : CP_FIT_LIVE);
	cp_fit_end(&r);
	/* The damaged header was reported when its run was given up. */
	if (bad == CP_BAD_REDZONE)
		bad = CP_OK;
	if (unlikely(bad || red))
		cp_report(bad ?: red, NULL, obj, caller);
}

/*
 * Return: the bytes of a block that may be used; 0 if obj does not start a live
 * one.
 */
size_t cp_fit_size(struct cp_page *p, const void *obj)
{
	struct cp_fit_request r = { };
	unsigned long flags;
	size_t size = 0;

	if (WARN_ON_ONCE(in_nmi()))
		return 0;
	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	if (!cp_fit_look_up(&r, p, obj, CP_FIT_LIVE))
		size = cp_fit_checks() ? cp_fit_asked(r.head) :
					 cp_fit_payload_size(r.head);
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
	cp_fit_end(&r);
	return size;
}

/*
 * Give back the empty run that is kept, if there is one.  Return: the pages
 * that went on to the system.
 */
unsigned long cp_fit_drain(void)
{
	struct cp_run *run;
	unsigned long flags;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	run = cp_fit.empty;
	if (run) {
		cp_fit_remove(run);
		cp_fit_keep(NULL);
	}
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
	return cp_fit_give(run);
}

/* Give back the empty run if first fit was not used since the last call. */
unsigned long cp_fit_drain_idle(void)
{
	unsigned long active = cp_peek(cp_fit.stat[CP_FIT_ALLOC]) +
			       cp_peek(cp_fit.stat[CP_FIT_FREED]);
	unsigned long pages = 0;

	if (active == cp_fit.seen)
		pages = cp_fit_drain();
	cp_fit.seen = active;
	return pages;
}

/* Return: the pages that cp_fit_drain() would give back.  Racy read. */
unsigned long cp_fit_empty_pages(void)
{
	return cp_peek(cp_fit.empty_pages);
}

void cp_fit_get_sum(struct cp_fit_sum *sum)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cp_fit.lock, flags);
	sum->live = cp_fit.live;
	sum->asked = cp_fit.asked;
	sum->used = cp_fit.used * CP_FIT_UNIT;
	sum->free = (cp_fit.units - cp_fit.used) * CP_FIT_UNIT;
	sum->largest = cp_fit.runs.rb_node ?
		       cp_run_of(cp_fit.runs.rb_node)->largest * CP_FIT_UNIT : 0;
	sum->runs = cp_fit.nr_runs;
	sum->pages = cp_fit.pages;
	sum->empty_pages = cp_fit.empty_pages;
	sum->lost_pages = cp_fit.lost_pages;
	memcpy(sum->stat, cp_fit.stat, sizeof(sum->stat));
	raw_spin_unlock_irqrestore(&cp_fit.lock, flags);
}

/*
 * End first fit with the module.  Runs with live blocks stay with their users,
 * as page blocks: nothing tells any more that they were runs.  The arena
 * reports them.
 */
void cp_fit_exit(void)
{
	struct rb_node *node;

	cp_fit_drain();
	while ((node = rb_first(&cp_fit.runs))) {
		struct cp_run *run = cp_run_of(node);

		cp_fit_unlink(run);
		cp_run_set_pages(run, false);
		cp_page_set_kind(run->page, CP_STOCK);
		cp_page_set_lent(run->page, run->page->order);
		kfree(run);
	}
}
