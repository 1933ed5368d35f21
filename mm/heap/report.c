// SPDX-License-Identifier: GPL-2.0
/*
 * Reports.  Each offence of a user gets a warning with the stack of the caller.
 *
 * An offence is reported by a WARN(), so it stops the machine with
 * panic_on_warn.  The kernel is tainted as by SLUB (TAINT_BAD_PAGE), and
 * lockdep stays on: no structure of curpage is damaged.  It is not a BUG(),
 * whatever CONFIG_BUG_ON_DATA_CORRUPTION says: the task may have claimed a
 * heap, which would stay claimed.
 *
 * Printing is rate limited, counting is not.  A report may come from any
 * context, an NMI included, and with a heap claimed: it takes no lock but that
 * of the rate limit, by trylock.
 */
#include "base/kernel.h"
#include "heap/report.h"

#define CP_REPORT_INTERVAL	(5 * HZ)

/* Reports printed in each CP_REPORT_INTERVAL; 0 for all. */
u32 cp_report_burst = 10;

/* cp_report_begin() prints how many reports were suppressed. */
static struct ratelimit_state cp_report_limit =
	RATELIMIT_STATE_INIT_FLAGS(cp_report_limit, CP_REPORT_INTERVAL, 0,
				   RATELIMIT_MSG_ON_RELEASE);
static atomic_t cp_report_suppressed;
static atomic_long_t cp_bad_count[CP_NR_BAD];

/*
 * Count a report.
 *
 * Return: true if the report is to be printed.
 */
static bool cp_report_begin(enum cp_bad bad, struct curpage_cache *cache)
{
	unsigned int burst = READ_ONCE(cp_report_burst), suppressed;

	atomic_long_inc(&cp_bad_count[bad]);
	if (cache)
		atomic_inc(cp_cache_bad(cache, bad));
	add_taint(TAINT_BAD_PAGE, LOCKDEP_STILL_OK);
	WRITE_ONCE(cp_report_limit.burst, burst);
	if (burst && !__ratelimit(&cp_report_limit)) {
		atomic_inc(&cp_report_suppressed);
		return false;
	}
	suppressed = atomic_read(&cp_report_suppressed) ?
		     atomic_xchg(&cp_report_suppressed, 0) : 0;
	if (suppressed)
		pr_err("%u reports suppressed\n", suppressed);
	return true;
}

/* @cache is NULL for an address that is in no cache. */
static const char *cp_report_name(const struct curpage_cache *cache)
{
	return cache ? cache->name : "(none)";
}

#define CP_OFFENCE "%s: cache %s, address %p, by %pS\n"
#define CP_OWNERS "last allocated by %pS, last freed by %pS\n"

/*
 * Print an offence of a user.  @owners are those of the block at @addr, or
 * NULL.
 */
void cp_report_print(enum cp_bad bad, const struct curpage_cache *cache,
		     const void *addr, unsigned long caller,
		     const struct cp_owners *owners)
{
	KUNIT_STATIC_STUB_REDIRECT(cp_report_print, bad, cache, addr, caller,
				   owners);
	if (owners)
		WARN(1, pr_fmt(CP_OFFENCE) pr_fmt(CP_OWNERS), cp_bad_name[bad],
		     cp_report_name(cache), addr, (void *)caller,
		     (void *)owners->alloc, (void *)owners->free);
	else
		WARN(1, pr_fmt(CP_OFFENCE), cp_bad_name[bad],
		     cp_report_name(cache), addr, (void *)caller);
}

void cp_report(enum cp_bad bad, struct curpage_cache *cache, const void *addr,
	       unsigned long caller)
{
	struct cp_owners owners;

	if (cp_report_begin(bad, cache))
		cp_report_print(bad, cache, addr, caller,
				cp_debug_owners(bad, cache, addr, &owners) ?
				&owners : NULL);
}

/*
 * Report a leak: live blocks of a cache that is to end, or pages of live page
 * blocks if @cache is NULL.
 */
void cp_report_leak(struct curpage_cache *cache, unsigned long nr,
		    unsigned long caller)
{
	if (cp_report_begin(CP_BAD_LEAK, cache))
		WARN(1, pr_fmt("%s: cache %s, %lu %s live, by %pS\n"),
		     cp_bad_name[CP_BAD_LEAK], cp_report_name(cache), nr,
		     cache ? "blocks" : "pages", (void *)caller);
}

/*
 * Report a page that is to leave its heap or run while others hold references
 * to it, or after others dropped some of ours.
 */
void cp_report_refs(struct curpage_cache *cache, struct cp_page *p)
{
	enum cp_bad bad = cp_page_foreign_refs(p) > 0 ? CP_BAD_REFERENCED :
							CP_BAD_PUT;

	cp_report(bad, cache, cp_page_base(p), _RET_IP_);
}

unsigned long cp_report_count(enum cp_bad bad)
{
	return atomic_long_read(&cp_bad_count[bad]);
}
