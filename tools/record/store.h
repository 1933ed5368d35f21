/* SPDX-License-Identifier: GPL-2.0 */
/* Where a process puts its events: a file of its own, which grows. */
#ifndef STORE_H
#define STORE_H

#include <stddef.h>
#include <sys/single_threaded.h>

#include "raw.h"

/* In a page that a fork() leaves zero in the child: that begins its own file. */
struct store {
	struct raw_head *head;
	uint64_t *record;
	uint64_t room;		/* records that may be written */
	uint64_t most;		/* that the mapping has addresses for */
	int cut;		/* no more of it */
	int lock;
};

extern struct store *store;

/* The process's store, made when it is not there; NULL when it cannot be. */
struct raw_head *store_begin(void);
/* Makes room for records below this number; false when there is none. */
int store_grow(struct store *s, uint64_t end);

/*
 * The place of the next records, or NULL; and the first one's number.  An addition
 * that other threads see whole takes as long as half of a malloc(), so it is made
 * when there are others.
 */
static inline uint64_t *store_next(unsigned int records, uint64_t *number)
{
	struct raw_head *head = store->head;
	struct store *s;
	uint64_t end;

	*number = 0;
	if (__builtin_expect(!head, 0)) {
		head = store_begin();
		if (!head)
			return NULL;
	}
	s = store;
	if (__libc_single_threaded) {
		*number = head->next;
		head->next += records;
	} else {
		*number = __atomic_fetch_add(&head->next, records,
					     __ATOMIC_ACQ_REL);
	}
	end = *number + records;
	if (__builtin_expect(end > __atomic_load_n(&s->room, __ATOMIC_ACQUIRE),
			     0) && !store_grow(s, end))
		return NULL;
	return &s->record[*number];
}

#endif /* STORE_H */
