// SPDX-License-Identifier: GPL-2.0
/*
 * Reports: one line for each offence of a user, one for each invariant that
 * the walker finds broken.  Not rate limited: an offence that is not reported
 * cannot be found, and each is a bug.
 */
#include "kernel.h"
#include "internal.h"

static atomic_long_t cp_bad_count[CP_NR_BAD];

static void cp_report_inc(enum cp_bad bad, struct curpage_cache *cache)
{
	atomic_long_inc(&cp_bad_count[bad]);
	if (cache)
		atomic_inc(cp_cache_bad(cache, bad));
}

/* A cache, or NULL for what is not in one. */
static const char *cp_report_name(const struct curpage_cache *cache)
{
	return cache ? cache->name : "(none)";
}

/* A user did what is not allowed. */
void cp_report(enum cp_bad bad, struct curpage_cache *cache, const void *addr,
	       unsigned long caller)
{
	cp_report_inc(bad, cache);
	pr_err("%s: cache %s, address %p, by %pS\n", cp_bad_name[bad],
	       cp_report_name(cache), addr, (void *)caller);
}

/* Blocks, or pages handed out as such, that nobody will free. */
void cp_report_leak(struct curpage_cache *cache, unsigned long nr,
		    unsigned long caller)
{
	cp_report_inc(CP_BAD_LEAK, cache);
	pr_err("%s: cache %s, %lu %s live, by %pS\n",
	       cp_bad_name[CP_BAD_LEAK], cp_report_name(cache), nr,
	       cache ? "blocks" : "pages", (void *)caller);
}

/* Somebody else holds or has dropped references to a page that is to go. */
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

/* One broken invariant; returns 1 so that the walker can add it up. */
int cp_broken(const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	pr_err("check: %pV\n", &vaf);
	va_end(args);
	return 1;
}
