// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are freed on another CPU than that of their heap.
 *
 * Push: the block goes on the stack that is in the word of its page, by one
 * compare-and-exchange.  Whoever finds that stack empty then puts the page into
 * the inbox of its heap, by another; so a page is in an inbox, or on its way
 * into one, exactly while it has such blocks.
 *
 * Collect: who has claimed the heap takes the inbox whole, and of each page in
 * it, a batch at a time, first reads and resets the link, then takes the stack.  From the moment
 * that the stack is empty somebody may push again and use the link.
 *
 * Ordering.  The push is a release: the links in the blocks, and what was
 * written to them before, come before it; taking the stack is an acquire.  A
 * page is put into the inbox by release and taken out of it by acquire, so the
 * stack of a page in the inbox is seen not to be empty and its link is seen as
 * written.  Resetting the link comes before taking the stack (a full barrier),
 * that before the next push, which reads the word, that before writing the
 * link (dependency).  Neither stack is popped one by one, so that a block or
 * page that comes back in between (ABA) does no harm: what is under the top is
 * what was linked there.
 *
 * Revived: a full page is on CP_LOW like any page short of phi0, and collecting
 * moves it as a free by its owner would: nothing has to be searched for.
 *
 * Adoption: the pages of a CPU that went offline change their heap.  Who has
 * read the old one may yet put a page into the old inbox; collecting that one
 * hands the page on to the inbox of the heap that it belongs to.  All of push
 * runs with preemption disabled, so hotplug.c collects once more after
 * synchronize_rcu(), and nothing can come after that.
 *
 * The kernel's llist would need a pointer in struct page, where there is no room
 * left: the link is in the lower bits of the tag.
 */
#include "kernel.h"
#include "internal.h"

static struct cp_page *cp_page_link(const struct cp_page *p)
{
	unsigned long link = READ_ONCE(p->tag) & CP_LINK_LAST;

	return link == CP_LINK_LAST ? NULL : cp_page_of(pfn_to_page(link - 1));
}

static void cp_page_set_link(struct cp_page *p, struct cp_page *next)
{
	unsigned long link = next ? cp_page_pfn(next) + 1 : CP_LINK_LAST;

	WRITE_ONCE(p->tag, cp_page_tag(link));
}

static void cp_page_reset_link(struct cp_page *p)
{
	WRITE_ONCE(p->tag, cp_page_tag(CP_LINK_NONE));
}

/* Into the inbox of the heap that owns the page, now that it has to go there. */
static void cp_inbox_add(struct cp_page *p)
{
	struct cp_heap *h = cp_page_heap(p);
	struct cp_page *first;

	/* A block that was freed twice, and the page left in between. */
	if (unlikely(!h))
		return;
	first = READ_ONCE(h->inbox);
	do {
		cp_page_set_link(p, first);
	} while (!try_cmpxchg_release(&h->inbox, &first, p));
}

/* The whole inbox, with the page that came first in front. */
static struct cp_page *cp_inbox_take(struct cp_heap *h)
{
	struct cp_page *p = xchg_acquire(&h->inbox, NULL);
	struct cp_page *first = NULL;

	while (p) {
		struct cp_page *next = cp_page_link(p);

		cp_page_set_link(p, first);
		first = p;
		p = next;
	}
	return first;
}

/*
 * May n blocks of a page be live, of which nr is the first to be freed?  What the
 * owner has in the header moves while we look, but not to say of a live block
 * that it is free.  No heap: the page is on its way.
 */
bool cp_remote_ok(const struct curpage_cache *cache, const struct cp_page *p,
		  unsigned int nr, unsigned int n)
{
	return READ_ONCE(p->free) != nr &&
	       READ_ONCE(p->nr_free) + n <= cache->capacity && cp_page_heap(p);
}

/*
 * Free n blocks of a page, linked from first on, for the owner to collect; last
 * is the link of the last one.  With preemption disabled.  False, and nothing
 * was done, where they cannot have been live.
 */
bool cp_remote_push(const struct curpage_cache *cache, struct cp_page *p,
		    unsigned int first, u16 *last, unsigned int n)
{
	union cp_page_word old = cp_page_word(p), new;

	do {
		if (unlikely(old.kind != CP_CACHE ||
			     old.nr_remote + n > cache->capacity))
			return false;
		if (!old.nr_remote)
			*last = CP_NIL;
		else if (likely(old.remote != first))
			*last = old.remote;
		else
			return false;
		new = old;
		new.remote = first;
		new.nr_remote = old.nr_remote + n;
	} while (!try_cmpxchg_release(&p->word.all, &old.all, new.all));

	if (!old.nr_remote)
		cp_inbox_add(p);
	return true;
}

/* Take the stack of blocks that is in the word of a page. */
static union cp_page_word cp_remote_take(struct cp_page *p)
{
	union cp_page_word none = cp_page_word_as(p, CP_CACHE);

	return (union cp_page_word){ .all = xchg(&p->word.all, none.all) };
}

/*
 * By the one who may use the heap: at most a batch of pages, those that came first;
 * the others wait in todo, linked as they were.
 */
void cp_remote_collect(struct cp_heap *h, struct list_head *release)
{
	struct cp_page *p, *next;
	unsigned int n;

	if (!h->todo) {
		if (!READ_ONCE(h->inbox))
			return;
		h->todo = cp_inbox_take(h);
	}
	for (n = 0, p = h->todo; p && n < CP_BATCH; p = next, n++) {
		union cp_page_word taken;

		next = cp_page_link(p);
		if (unlikely(cp_page_heap(p) != h)) {
			cp_inbox_add(p);
			continue;
		}
		cp_page_reset_link(p);
		taken = cp_remote_take(p);
		cp_heap_take_in(h, p, taken.remote, taken.nr_remote, release);
	}
	h->todo = p;
}
