// SPDX-License-Identifier: GPL-2.0
/*
 * Desired numbers of the tailored policy: how many blocks each list should
 * hold.  The numbers are given, computed from a distribution of requests, or
 * learnt from recent requests.
 *
 * The paper has one table and no rule for it.  The rule here gives that table.
 * A list with a very small share gets no block.  Each other list gets the whole
 * blocks of its share.  Then the list that lacks most of its share gets one
 * more block, again and again, as long as a block fits into the pages left.
 */
#include "base/kernel.h"
#include "arena/buddy.h"

/* Number of requests between two renewals of the desired numbers. */
#define CP_LEARN_EVERY	64
#define CP_LEARN_MORE	2	/* blocks of a list beyond its share, at most */
#define CP_LEARN_ONE	16	/* weight of a new request in recent[] */
#define CP_FADE		8	/* recent[] loses 1/CP_FADE at each renewal */

/* A list gets blocks if its share is at least 1/CP_SHARE_LEAST of the pages. */
#define CP_SHARE_LEAST	256

/* Largest POOL in KiB, 1 GiB; also the largest number or weight of a list. */
#define CP_POOL_MAX	SZ_1M

#define CP_DESIRED_FORM	"auto, numbers as in 0,0,4,2, uniform:LOW:HIGH:POOL or " \
			"shares:POOL:W0,W1,..."
#define CP_DESIRED_UNITS "up to %u numbers, sizes in KiB from 1 to %lu, POOL to %u"

/* Check whether list a lacks more of its share than list b does. */
static bool cp_desired_before(const u32 *weight, const u32 *nr, unsigned int a,
			      unsigned int b)
{
	return (u64)weight[a] * (2ULL * nr[b] + 1) >
	       (u64)weight[b] * (2ULL * nr[a] + 1);
}

/*
 * Find the list that lacks most of its share, has not reached most[], and whose
 * blocks fit into the pages left.  Return: its order, or CP_NR_ORDERS.
 */
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
 * Spread pages over the lists by weight.  A list without a share has weight 0.
 * Each list first gets the whole blocks of its share; what is left is spread
 * with at most `more' further blocks for each list.
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
 * Spread pages by the rule for the paper's table.  Whether a share is too small
 * depends on its part of the pages, not on its number of blocks: the numbers
 * for a large memory are those for a small one, multiplied.
 */
static void cp_desired_of_paper(u32 *weight, unsigned long pages, u32 *nr)
{
	u64 sum = cp_desired_sum(weight);
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (((u64)weight[order] << order) * CP_SHARE_LEAST < sum)
			weight[order] = 0;
	cp_desired_share(weight, pages, pages, nr);	/* no limit */
}

/*
 * Renew the numbers from recent[].  All pages of the buddy are spread, as in
 * the paper, lent pages too.  A list that expects less than half a block gets
 * none: the block would be kept for nothing.
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

/*
 * Start to learn: all requests until now count as if they were recent.  Their
 * sum is scaled to what recent[] adds up to after many renewals.
 */
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

/* Learn from the last CP_LEARN_EVERY requests.  Earlier ones fade. */
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

/* Parse a decimal number up to max at *text, and move *text past it. */
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

/*
 * Parse numbers by order, with commas between.  Orders left out at the end get
 * 0.
 */
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

/* Parse a number of KiB, more than 0, and the colon behind it. */
static bool cp_desired_kib(const char **text, u32 max, u32 *kib)
{
	return cp_desired_number(text, max, kib) && *kib && *(*text)++ == ':';
}

/*
 * Parse LOW:HIGH:POOL: sizes of LOW to HIGH whole KiB, all equally likely, are
 * to be served from POOL KiB.
 */
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

/* Check whether at least one list gets a block. */
static bool cp_desired_any(const u32 *nr)
{
	unsigned int order;

	for (order = 0; order < CP_NR_ORDERS; order++)
		if (nr[order])
			return true;
	return false;
}

/*
 * Parse POOL:W0,W1,...: requests by order in these proportions, from POOL KiB.
 */
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

/*
 * Parse desired numbers, in any form that CP_DESIRED_FORM lists.  what says
 * where the text comes from, for the message.  Return: 0 or -EINVAL.
 */
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

/* Write desired numbers as text that cp_desired_parse() takes. */
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
