// SPDX-License-Identifier: GPL-2.0
/*
 * What the lists of the tailored policy should hold: numbers as given, made of a
 * distribution of requests, or learnt from the requests of the recent past.
 *
 * The paper has one table and no rule for it.  This one gives that table: lists
 * that have next to no share get no block; the others get the whole blocks of
 * their shares, and then the list that is most short of its own gets one, as long
 * as there is one that fits into what is left.
 */
#include "kernel.h"
#include "internal.h"

/* So many requests apart the numbers are made anew. */
#define CP_LEARN_EVERY	64
#define CP_LEARN_MORE	2	/* blocks that no other list has room for */
#define CP_LEARN_ONE	16	/* a request of today counts so much */
#define CP_FADE		8	/* and each time less by one part in so many */

/* A list has a share if it is more than one part in so many of the pages. */
#define CP_SHARE_LEAST	256

/* So many KiB can be spread at most. */
#define CP_POOL_MAX	SZ_1M

#define CP_DESIRED_FORM	"auto, numbers as in 0,0,4,2, uniform:LOW:HIGH:POOL or " \
			"shares:POOL:W0,W1,..."
#define CP_DESIRED_UNITS "up to %u numbers, sizes in KiB from 1 to %lu, POOL to %u"

/* Does list a lack more of its share than list b does? */
static bool cp_desired_before(const u32 *weight, const u32 *nr, unsigned int a,
			      unsigned int b)
{
	return (u64)weight[a] * (2ULL * nr[b] + 1) >
	       (u64)weight[b] * (2ULL * nr[a] + 1);
}

/* The list that is most short of its share and whose blocks fit, if any. */
static unsigned int cp_desired_next(const u32 *weight, const u32 *nr,
				    const u32 *most, unsigned long pages)
{
	unsigned int order, next = CP_NR_ORDERS;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (weight[order] && nr[order] < most[order] &&
		    1UL << order <= pages &&
		    (next == CP_NR_ORDERS ||
		     cp_desired_before(weight, nr, order, next)))
			next = order;
	return next;
}

static u64 cp_desired_sum(const u32 *weight)
{
	unsigned int order;
	u64 sum = 0;

	for (order = 0; order < CP_NR_ORDERS; order++)
		sum += (u64)weight[order] << order;
	return sum;
}

/*
 * The numbers for so many pages; lists without a share have no weight.  What is
 * left is spread with no more than so many further blocks for a list.
 */
static void cp_desired_share(const u32 *weight, unsigned long pages, u32 more,
			     u32 *nr)
{
	u64 sum = cp_desired_sum(weight);
	unsigned long left = pages;
	u32 most[CP_NR_ORDERS];
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		nr[order] = sum ? div64_u64((u64)pages * weight[order], sum) :
				  0;
		most[order] = nr[order] + more;
		left -= (unsigned long)nr[order] << order;
	}
	while ((order = cp_desired_next(weight, nr, most, left)) < CP_NR_ORDERS) {
		nr[order]++;
		left -= 1UL << order;
	}
}

/*
 * By the paper.  What is too small is measured by the pages that it would get, so
 * that the numbers of a large memory are those of a small one, only more.
 */
static void cp_desired_of_paper(u32 *weight, unsigned long pages, u32 *nr)
{
	u64 sum = cp_desired_sum(weight);
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (((u64)weight[order] << order) * CP_SHARE_LEAST < sum)
			weight[order] = 0;
	cp_desired_share(weight, pages, pages, nr);	/* all of them */
}

/*
 * Anew, from all requests, of which the earlier ones count less each time.  All
 * pages are spread, as in the paper, those that are lent as well.  A list that
 * expects less than half a block gets none: it would be kept for nothing.
 */
static void cp_desired_renew(struct cp_buddy *b)
{
	u64 sum = cp_desired_sum(b->recent);
	u32 weight[CP_NR_ORDERS];
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		weight[order] = 2 * (u64)b->pages * b->recent[order] >= sum ?
				b->recent[order] : 0;
	cp_desired_share(weight, b->pages, CP_LEARN_MORE, b->tailored.nr);
	memcpy(b->desired, b->tailored.nr, sizeof(b->desired));
}

/* All requests until now count as if they had been the recent ones. */
void cp_desired_start(struct cp_buddy *b)
{
	unsigned int order;
	u64 sum = 0;

	for (order = 0; order < CP_NR_ORDERS; order++) {
		b->learnt[order] = b->stat[CP_ASKED][order];
		sum += b->learnt[order];
	}
	for (order = 0; order < CP_NR_ORDERS; order++)
		b->recent[order] = sum ? div64_u64((u64)b->learnt[order] *
						   CP_LEARN_EVERY * CP_LEARN_ONE *
						   CP_FADE, sum) : 0;
	cp_desired_renew(b);
}

/* Every CP_LEARN_EVERY requests. */
void cp_desired_learn(struct cp_buddy *b)
{
	unsigned int order;

	b->until_learnt = CP_LEARN_EVERY;
	if (!b->policy->tailored || !b->tailored.learn)
		return;
	for (order = 0; order < CP_NR_ORDERS; order++) {
		unsigned long asked = b->stat[CP_ASKED][order];

		b->recent[order] += (asked - b->learnt[order]) * CP_LEARN_ONE -
				    DIV_ROUND_UP(b->recent[order], CP_FADE);
		b->learnt[order] = asked;
	}
	cp_desired_renew(b);
}

/* A number up to max at *text, which is moved past it. */
static bool cp_desired_number(const char **text, u32 max, u32 *value)
{
	u64 number = 0;

	if (!isdigit(**text))
		return false;
	for (; isdigit(**text); ++*text) {
		number = 10 * number + (**text - '0');
		if (number > max)
			return false;
	}
	*value = number;
	return true;
}

/* Numbers by order, with commas between; the last ones may be left out. */
static bool cp_desired_list(const char *text, u32 *nr)
{
	unsigned int order;

	memset(nr, 0, CP_NR_ORDERS * sizeof(*nr));
	for (order = 0; order < CP_NR_ORDERS; order++) {
		if (!cp_desired_number(&text, CP_POOL_MAX, &nr[order]))
			return false;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

/* KiB, and a colon. */
static bool cp_desired_kib(const char **text, u32 max, u32 *kib)
{
	return cp_desired_number(text, max, kib) && *kib && *(*text)++ == ':';
}

/* Sizes in whole KiB, each as likely, from low to high. */
static bool cp_desired_uniform(const char *text, u32 *nr)
{
	u32 most = (PAGE_SIZE << CURPAGE_MAX_ORDER) / SZ_1K;
	u32 weight[CP_NR_ORDERS], low, high, pool, below;
	unsigned int order;

	if (!cp_desired_kib(&text, most, &low) ||
	    !cp_desired_kib(&text, most, &high) || high < low ||
	    !cp_desired_number(&text, CP_POOL_MAX, &pool) || !pool || *text)
		return false;
	below = low - 1;
	for (order = 0; order < CP_NR_ORDERS; order++) {
		u32 end = clamp_t(u32, (PAGE_SIZE << order) / SZ_1K, below,
				  high);

		weight[order] = end - below;
		below = end;
	}
	cp_desired_of_paper(weight, (unsigned long)pool * SZ_1K / PAGE_SIZE,
			    nr);
	return true;
}

/* At least one list has a block. */
static bool cp_desired_any(const u32 *nr)
{
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (nr[order])
			return true;
	return false;
}

static bool cp_desired_shares(const char *text, u32 *nr)
{
	u32 weight[CP_NR_ORDERS], pool;

	if (!cp_desired_kib(&text, CP_POOL_MAX, &pool) ||
	    !cp_desired_list(text, weight))
		return false;
	cp_desired_of_paper(weight, (unsigned long)pool * SZ_1K / PAGE_SIZE,
			    nr);
	return true;
}

/* what: where the text comes from, for the message. */
int cp_desired_parse(const char *what, const char *text, struct cp_desired *d)
{
	struct cp_desired new = { };
	bool ok;

	if (!strcmp(text, "auto")) {
		new.learn = true;
		ok = true;
	} else if (strstarts(text, "uniform:")) {
		ok = cp_desired_uniform(text + strlen("uniform:"), new.nr) &&
		     cp_desired_any(new.nr);
	} else if (strstarts(text, "shares:")) {
		ok = cp_desired_shares(text + strlen("shares:"), new.nr) &&
		     cp_desired_any(new.nr);
	} else {
		ok = cp_desired_list(text, new.nr);
	}
	if (!ok) {
		pr_err("%s%s: must be " CP_DESIRED_FORM ", " CP_DESIRED_UNITS "\n",
		       what, text, CP_NR_ORDERS,
		       (PAGE_SIZE << CURPAGE_MAX_ORDER) / SZ_1K, CP_POOL_MAX);
		return -EINVAL;
	}
	*d = new;
	return 0;
}

/* As it can be given again. */
void cp_desired_text(const struct cp_desired *d, char *buf, size_t size)
{
	unsigned int order, last = 0;
	size_t len = 0;

	if (d->learn) {
		strscpy(buf, "auto", size);
		return;
	}
	for (order = 0; order < CP_NR_ORDERS; order++)
		if (d->nr[order])
			last = order;
	for (order = 0; order <= last; order++)
		len += scnprintf(buf + len, size - len, "%s%u",
				 order ? "," : "", d->nr[order]);
}
