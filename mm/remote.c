// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that are freed on another CPU than that of their heap.
 *
 * Pin: before anything of a page is believed or written, one compare-and-exchange
 * on the word of the page takes a pin (cp_page_pin()).  It fails unless the page is
 * ours and in a heap.  From then on the page cannot leave, so its heap, its cache
 * and where its blocks lie are what they are seen to be.
 *
 * Push: the block goes on the stack that is in the word of its page, and the pin
 * is dropped, by a second compare-and-exchange.  Whoever finds that stack empty
 * then puts the page into the inbox of its heap, by a third; so a page is in an
 * inbox, or on its way into one, exactly while it has such blocks.
 *
 * Collect: the one who has claimed the heap takes the inbox whole, and of each page
 * in it, a batch at a time, first reads the link, then takes the stack.  From the
 * moment that the stack is empty somebody may push again and use the link.
 *
 * Leave: a page leaves its heap by one compare-and-exchange on the same word, made
 * by the one who has claimed the heap, that finds neither a pin nor a block on the
 * stack (cp_page_try_leave()).  So what is in an inbox never leaves, and a collect
 * follows pages of its own cache only.
 *
 * Ordering.  The push is a release: the words of the blocks, and what was
 * written to them before, come before it; taking the stack is an acquire.  A
 * page is put into the inbox by release and taken out of it by acquire, so the
 * stack of a page in the inbox is seen not to be empty and its link is seen as
 * written.  Reading the link comes before taking the stack (a full barrier),
 * that before the next push, which reads the word, that before writing the
 * link (dependency).  A page comes into a heap by a release of its word, after
 * the heap is written to it; a pin is an acquire.  Neither stack is popped one
 * by one, so that a block or page that comes back in between (ABA) does no harm:
 * what is under the top is what was linked there.
 *
 * Revived: a full page is on CP_LOW like any page short of phi0, and collecting
 * moves it as a free by its owner would: nothing has to be searched for.
 *
 * Adoption: the pages of a CPU that went offline change their heap.  Whoever has
 * read the old one may yet put a page into the old inbox; collecting that one
 * hands the page on to the inbox of the heap that it belongs to.  All of push
 * runs with preemption disabled, so hotplug.c collects once more after
 * synchronize_rcu(), and nothing can come after that.
 *
 * The kernel's llist would need a pointer in struct page, where there is no room
 * left: the link is the number of a page, in 36 bits.
 */
#include "kernel.h"
#include "internal.h"

static struct cp_page *cp_page_link(const struct cp_page *p)
{
	u64 link = READ_ONCE(p->link) |
		   (u64)cp_page_word(p).link_high << CP_LINK_LOW;

	return link ? cp_page_numbered(link - 1) : NULL;
}

/* The upper bits differ on machines with more than 16 TiB alone. */
static void cp_page_set_link_high(struct cp_page *p, unsigned int high)
{
	union cp_page_word old = cp_page_word(p), new;

	do {
		new = old;
		new.link_high = high;
		if (likely(new.all == old.all))
			return;
	} while (!try_cmpxchg(&p->word.all, &old.all, new.all));
}

static void cp_page_set_link(struct cp_page *p, struct cp_page *next)
{
	u64 link = next ? cp_page_number(next) + 1 : 0;

	WRITE_ONCE(p->link, link);
	cp_page_set_link_high(p, link >> CP_LINK_LOW);
}

/* Into the inbox of the heap that owns the page, which has to go there. */
void cp_inbox_add(struct cp_page *p)
{
	struct cp_heap *h = cp_page_heap(p);
	struct cp_page *first = READ_ONCE(h->inbox);

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

/* Take the stack of blocks that is in the word of a page. */
static union cp_page_word cp_remote_take(struct cp_page *p)
{
	union cp_page_word old = cp_page_word(p), new;

	do {
		new = old;
		new.remote = 0;
		new.nr_remote = 0;
	} while (!try_cmpxchg(&p->word.all, &old.all, new.all));
	return old;
}

/*
 * By the one who may use the heap: the pages that came first, until they are a
 * batch, or their blocks are CP_BATCH_BLOCKS.  The other pages wait in todo,
 * linked as they were.  Each block is looked at, and the caller may be in a hard
 * interrupt: hence the bound in blocks, which is less than CP_BATCH_BLOCKS + a
 * page's, as the last page is taken in whole.
 */
void cp_remote_collect(struct cp_heap *h, struct list_head *release)
{
	unsigned int n, blocks = 0;
	struct cp_page *p, *next;

	if (!h->todo) {
		if (!READ_ONCE(h->inbox))
			return;
		h->todo = cp_inbox_take(h);
	}
	for (n = 0, p = h->todo;
	     p && n < CP_BATCH && blocks < CP_BATCH_BLOCKS; p = next, n++) {
		union cp_page_word taken;

		next = cp_page_link(p);
		if (unlikely(cp_page_heap(p) != h)) {
			cp_inbox_add(p);
			continue;
		}
		taken = cp_remote_take(p);
		blocks += taken.nr_remote;
		cp_heap_take_in(h, p, taken.remote, taken.nr_remote, release);
	}
	h->todo = p;
}
