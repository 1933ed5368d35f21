/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by all rooms of mm/: the list of rooms, the lock order, macros. */
#ifndef CP_BASE_H
#define CP_BASE_H

#include "base/kernel.h"

#include <linux/curpage.h>

#include "base/hooks.h"
#include "base/stats.h"
#include "base/tag.h"

/**
 * DOC: Rooms
 *
 * From the bottom up::
 *
 *	base	the kernel's headers, counters and their names, debugging tools
 *	arena	pages from the system: their header, the buddies, the arena,
 *		claims and the stock of each CPU
 *	heap	blocks in a page, strategies, the pages that a CPU owns
 *	cache	caches of blocks of one size, and all heaps of a cache
 *	large	large blocks by first fit, page blocks
 *	size	allocation by size
 *	watch	reclaim, idle pages, CPUs that go offline, debugfs,
 *		tracepoints, the walker
 *
 * main.c and params.c stand above them.  files.mk lists the files of each room.
 * A file calls only files that precede it in files.mk, and includes headers of
 * its own room and of the rooms below.
 */

/**
 * DOC: Lock order
 *
 * An inner lock stands below its outer lock, indented::
 *
 *	tracepoints_mutex	mutex	the kernel's: a probe comes or goes
 *	cpu_hotplug_lock	rwsem	the kernel's: a CPU has gone offline
 *	  cp_caches_lock	mutex	list, watch and numbers of caches
 *	    cp_tune_lock	mutex	strategy and freetol of caches
 *	      cp_borrow_lock	mutex	the task that borrows from CPUs
 *	      cp_heap.lock	raw	side heaps only; irqs off
 *	cp_size_lock		mutex	sizes for first fit; takes no lock
 *	cp_arena.lock		raw	leaf, never in cp_heap.lock; irqs off
 *	cp_fit.lock		raw	leaf, never in a raw lock; irqs off
 *
 * cp_tune_lock nests in cp_caches_lock because of debugfs: removing the folder
 * of a cache waits for writers of its files, and these take cp_tune_lock.  So
 * no file in caches/NAME takes cp_caches_lock.
 *
 * Heaps and stocks of a CPU have no lock but a claim: claim.h has the rules.
 *
 * The system is called with no raw spinlock held, nothing claimed, and
 * preemption as the caller had it: on PREEMPT_RT the system's locks sleep.
 */

#define CP_NAME_LEN	32
#ifndef CP_UNIT			/* the lab may override it */
#define CP_UNIT		16	/* class sizes are multiples, or CP_SIZE_MIN */
#endif
#ifndef CP_MAP_POWERS
#define CP_MAP_POWERS	1	/* every size map has all powers of two */
#endif
#define CP_BATCH	64
#define CP_BATCH_BLOCKS	512	/* of a collect, maybe in an interrupt */

/* Lockless read of a word that its owner updates with plain stores. */
#define cp_peek(x)	data_race(READ_ONCE(x))

/* Subtract nr from limit.  Return: 0 if nr is past limit. */
static inline unsigned long cp_up_to(unsigned long limit, unsigned long nr)
{
	return limit > nr ? limit - nr : 0;
}

/* Print a broken invariant.  Return: 1, for the walker to add up. */
#define cp_broken(fmt, args...)	(pr_err("check: " fmt "\n", ##args), 1)

#endif /* CP_BASE_H */
