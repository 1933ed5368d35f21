// SPDX-License-Identifier: GPL-2.0
/*
 * Remote frees: blocks that are freed on another CPU than the owner of their
 * heap.
 *
 * Pin: before a field of a page is trusted or written, one compare-and-exchange
 * on the word of the page takes a pin (cp_page_pin()).  It fails unless the
 * page is ours and in a heap.  From then on the page cannot leave, so its heap,
 * its cache and the layout of its blocks are what they are seen to be.
 *
 * Push: the block goes on the stack that is in the word of its page, and the
 * pin is dropped, by a second compare-and-exchange.  The CPU that finds the
 * stack empty then puts the page into the inbox of its heap, by a third.  So a
 * page is in an inbox, or on its way into one, exactly while its stack has
 * blocks.
 *
 * Collect: the holder of the heap's claim takes the inbox as a whole.  For each
 * page in it, a batch at a time, it first reads the link, then takes the stack.
 * From the moment that the stack is empty another CPU may push again and use
 * the link.
 *
 * Leave: a page leaves its heap by one compare-and-exchange on the same word,
 * made by the holder of the heap's claim, that finds neither a pin nor a block
 * on the stack (cp_page_try_leave()).  So no page leaves while it is in an
 * inbox, and a collect follows pages of its own cache only.
 *
 * Ordering.  The push is a release: the words of the blocks, and what was
 * written to the blocks before, come before it; taking the stack is an acquire.
 * A page is put into the inbox by release and taken out of it by acquire, so
 * the stack of a page in the inbox is seen not to be empty and its link is seen
 * as written.  Reading the link comes before taking the stack (a full barrier),
 * taking the stack before the next push, which reads the word, and reading the
 * word before writing the link (dependency).  A page comes into a heap by a
 * release of its word, after the heap is written to it; a pin is an acquire.
 * Neither stack is popped one by one, so that a block or page that comes back
 * in between (ABA) does no harm: what is under the top is what was linked
 * there.
 *
 * Revived: a full page is on CP_LOW like any page short of phi0, and collecting
 * moves it as a free by its owner would: nothing has to be searched for.
 *
 * Adoption: the pages of a CPU that went offline change their heap.  A CPU that
 * has read the old heap may still put a page into the old inbox; a collect of
 * that inbox passes the page on to the inbox of the heap that it belongs to
 * now.  All of a push runs with preemption disabled, so hotplug.c collects once
 * more after synchronize_rcu(), and nothing can come after that.
 *
 * The kernel's llist would need a pointer in struct page, where there is no
 * room left: the link is the number of a page, in 36 bits.
 */
#include "base/kernel.h"
#include "heap/remote.h"

static struct cp_page *cp_page_link(const struct cp_page *p)
{
	u64 link = READ_ONCE(p->link) |
		   (u64)cp_page_word(p).link_high << CP_LINK_LOW;

	return link ? cp_page_numbered(link - 1) : NULL;
}

/*
 * Set the upper bits of the link.  They are always 0 on machines with up to 16
 * TiB, so the word rarely changes.
 */
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

/*
 * Put a page into the inbox of the heap that owns it.  Called by the CPU that
 * has made the page's stack non-empty, with preemption disabled; or by a
 * collect that finds the page adopted.
 */
void cp_inbox_add(struct cp_page *p)
{
	struct cp_heap *h = cp_page_heap(p);
	struct cp_page *first = READ_ONCE(h->inbox);

	do {
		cp_page_set_link(p, first);
	} while (!try_cmpxchg_release(&h->inbox, &first, p));
}

/* Take the whole inbox, reversed: the page that was added first comes first. */
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

/* Take the stack of blocks out of the word of a page. */
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
 * Take in remote frees: the pages that were added first, until they are
 * CP_BATCH pages or have CP_BATCH_BLOCKS blocks.  The other pages wait in todo,
 * linked as they were.  Caller has the heap's claim, or holds the lock of a
 * side heap.
 *
 * Each block is looked at, and the caller may be in a hard interrupt: hence the
 * bound in blocks.  The last page is taken in whole, so the bound is exceeded
 * by less than the blocks of one page.
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
