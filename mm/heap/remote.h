/* SPDX-License-Identifier: GPL-2.0 */
/* Remote frees: blocks freed on another CPU than the owner of their heap. */
#ifndef CP_REMOTE_H
#define CP_REMOTE_H

#include "heap/block.h"

void cp_inbox_add(struct cp_page *p);

/* Check whether there are remote frees to collect.  Racy read, from any CPU. */
static inline bool cp_remote_any(const struct cp_heap *h)
{
	return READ_ONCE(h->inbox) || cp_peek(h->todo);
}

void cp_remote_collect(struct cp_heap *h, struct list_head *release);

/*
 * Push n blocks of a pinned page, linked from first on, for the owner to
 * collect, and drop the pin.  last points to the word of the last block; pinned
 * is what cp_page_pin() returned.
 *
 * Return: false if the blocks cannot have been live; then only the pin is
 * dropped.
 */
static __always_inline bool
cp_remote_push_unpin(const struct curpage_cache *cache, struct cp_page *p,
		     union cp_page_word pinned, unsigned int first, u64 *last,
		     unsigned int n)
{
	union cp_page_word old = pinned, new;

	do {
		if (unlikely(old.nr_remote + n > cache->capacity)) {
			cp_page_unpin(p);
			return false;
		}
		cp_word_seal(cache, last, old.nr_remote ? old.remote : CP_NIL);
		new.all = (old.all & ~CP_WORD_TOPS) + n * CP_WORD_ONE -
			  CP_WORD_PIN + ((u64)first << CP_WORD_TOP);
	} while (unlikely(!try_cmpxchg_release(&p->word.all, &old.all,
					       new.all)));
	if (unlikely(!old.nr_remote))
		cp_inbox_add(p);
	return true;
}

#endif /* CP_REMOTE_H */
