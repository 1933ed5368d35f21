// SPDX-License-Identifier: GPL-2.0
#include "common.h"
#include "told.h"

#include <linux/workqueue.h>
#include <trace/events/printk.h>

static DEFINE_RAW_SPINLOCK(told_lock);
static char told[CP_TOLD_SIZE];

static void probe_console(void *title, const char *text, size_t len)
{
	const char *at = strnstr(text, title, len);
	unsigned long flags;

	if (!at)
		return;
	at += strlen(title);
	raw_spin_lock_irqsave(&told_lock, flags);
	strscpy(told, at, min_t(size_t, sizeof(told), text + len - at));
	raw_spin_unlock_irqrestore(&told_lock, flags);
}

/* Capture lines that have this title, from now on. */
int cp_told_begin(const char *title)
{
	return register_trace_console(probe_console, (void *)title);
}

/* Stop.  title: the pointer that cp_told_begin() had. */
void cp_told_end(const char *title)
{
	unregister_trace_console(probe_console, (void *)title);
	tracepoint_synchronize_unregister();
}

/* Call fn in a worker.  Return: what follows the title in the line, or "". */
const char *cp_told_by(long (*fn)(void *arg), void *arg)
{
	told[0] = '\0';
	work_on_cpu(raw_smp_processor_id(), fn, arg);
	return told;
}

static long touch(void *addr)
{
	return READ_ONCE(*(u8 *)addr);
}

/* Read a byte in a worker. */
const char *cp_told_by_touch(void *addr)
{
	return cp_told_by(touch, addr);
}

/*
 * Expect a report of this kind, NULL for none, in what cp_told_by() returned.
 */
void cp_told_expect(struct kunit *test, const char *told, const char *kind)
{
	if (kind)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(told, kind),
					  "told: '%s'", told);
	else
		KUNIT_EXPECT_STREQ(test, told, "");
}
