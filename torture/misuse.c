// SPDX-License-Identifier: GPL-2.0
/*
 * Misuse of the allocator at a given rate: the kinds of offences, how often
 * each of them was committed, and how many reports of each kind are due.
 * tools/torture/guest.sh compares these with what curpage has counted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "torture.h"

#define CPT_MISUSE_AGE	32	/* offences with one cache */
#define CPT_MISUSE_MANY	500	/* offences that must include each kind */
#define CPT_MISUSE_LINE	256

/*
 * The report that is due for an offence: of this kind, or of one of several
 * kinds.
 */
enum cpt_due {
	CPT_FOREIGN,
	CPT_INSIDE,
	CPT_CACHE,
	CPT_DOUBLE,
	CPT_ORDER,
	CPT_REDZONE,
	CPT_POISON,
	CPT_GONE,	/* one of the first four */
	CPT_PERHAPS,	/* CPT_POISON, or none */
	CPT_NR_DUES
};

static const char * const cpt_due_name[CPT_NR_DUES] = {
	[CPT_FOREIGN]	= "foreign",
	[CPT_INSIDE]	= "inside",
	[CPT_CACHE]	= "cache",
	[CPT_DOUBLE]	= "double",
	[CPT_ORDER]	= "order",
	[CPT_REDZONE]	= "redzone",
	[CPT_POISON]	= "poison",
	[CPT_GONE]	= "gone",
	[CPT_PERHAPS]	= "perhaps",
};

/* Count an offence without committing it: guest.sh has to miss the report. */
static bool cpt_misuse_unmade(struct cpt_misuse *m)
{
	return true;
}

/* fn returns false if the offence could not be committed this time. */
static const struct {
	const char *name;
	enum cpt_due due;
	bool (*fn)(struct cpt_misuse *m);
} cpt_kinds[] = {
	{ "double",	CPT_DOUBLE,	cpt_misuse_double },
	{ "bulk",	CPT_DOUBLE,	cpt_misuse_bulk },
	{ "gone",	CPT_GONE,	cpt_misuse_gone },
#ifndef CONFIG_PREEMPT_RT	/* interrupts are off in stop_machine() */
	{ "shared",	CPT_GONE,	cpt_misuse_shared },
#endif
	{ "cache",	CPT_CACHE,	cpt_misuse_cache },
	{ "inside",	CPT_INSIDE,	cpt_misuse_inside },
	{ "foreign",	CPT_FOREIGN,	cpt_misuse_foreign },
	{ "order",	CPT_ORDER,	cpt_misuse_order },
	{ "redzone",	CPT_REDZONE,	cpt_misuse_redzone },
	{ "poison",	CPT_POISON,	cpt_misuse_poison },
	{ "late",	CPT_POISON,	cpt_misuse_late },
	{ "overflow",	CPT_POISON,	cpt_misuse_overflow },
	{ "brush",	CPT_PERHAPS,	cpt_misuse_brush },
	/* The last kind is committed only if it is named. */
	{ "unmade",	CPT_DOUBLE,	cpt_misuse_unmade },
};

#define CPT_NR_KINDS	ARRAY_SIZE(cpt_kinds)
#define CPT_ALL_KINDS	(BIT(CPT_NR_KINDS - 1) - 1)

static atomic_t cpt_made[CPT_NR_KINDS];

static unsigned int cpt_kinds_wanted(void)
{
	return cpt_params.misuse_kinds ?: CPT_ALL_KINDS;
}

static bool cpt_kind_find(const char *name, unsigned int *kinds)
{
	unsigned int i;

	for (i = 0; i < CPT_NR_KINDS; i++)
		if (!strcmp(cpt_kinds[i].name, name)) {
			*kinds |= BIT(i);
			return true;
		}
	return false;
}

/*
 * Parse names with a comma between two, or "all".
 *
 * Return: false if a name is unknown.
 */
bool cpt_kinds_parse(char *text, unsigned int *kinds)
{
	char *name;

	*kinds = 0;
	if (!strcmp(text, "all"))
		return true;
	while ((name = strsep(&text, ",")))
		if (!cpt_kind_find(name, kinds))
			return false;
	return true;
}

void cpt_kinds_print(unsigned int kinds, char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	*buf = '\0';
	for (i = 0; i < CPT_NR_KINDS; i++)
		if (kinds & BIT(i))
			len += scnprintf(buf + len, size - len, "%s%s",
					 len ? "," : "", cpt_kinds[i].name);
	if (!kinds)
		scnprintf(buf, size, "all");
}

void cpt_misuse_start(void)
{
	memset(cpt_made, 0, sizeof(cpt_made));
	if (cpt_params.misuse)
		cpt_writes_start();
}

/*
 * Replace the own cache every CPT_MISUSE_AGE offences by one of random
 * properties.
 *
 * Return: false if there is none.
 */
static bool cpt_misuse_renew(struct cpt_misuse *m)
{
	struct cpt_cache *c = &m->own.c;

	if (c->cache && m->age++ % CPT_MISUSE_AGE)
		return true;
	if (c->cache)
		cpt_own_destroy(m->ctx, &m->own);
	memset(c, 0, sizeof(*c));
	c->size = CPT_CTOR_BYTES + cpt_random(m->ctx, 600);
	if (!cpt_random(m->ctx, 4))
		c->args.ctor = cpt_ctor;
	if (!cpt_random(m->ctx, 4))
		c->args.align = 1 << cpt_random(m->ctx, 9);
	if (!cpt_random(m->ctx, 4))
		c->args.flags = CURPAGE_CHECK;
	c->args.freetol = cpt_random(m->ctx, PAGE_SIZE);
	return cpt_own_create(m->ctx, &m->own, "own");
}

/* Commit one offence, of a random kind among those that are wanted. */
void cpt_misuse(struct cpt_misuse *m)
{
	unsigned int kind;

	if (!cpt_misuse_renew(m))
		return;
	do
		kind = cpt_random(m->ctx, CPT_NR_KINDS);
	while (!(cpt_kinds_wanted() & BIT(kind)));
	if (!cpt_kinds[kind].fn(m))
		return;
	atomic_inc(&cpt_made[kind]);
	cpt_count(CPT_MISUSE);
}

struct cpt_misuse *cpt_misuse_new(struct cpt_ctx *ctx)
{
	struct cpt_misuse *m = kvzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return NULL;
	m->ctx = ctx;
	m->elsewhere = cpt_elsewhere_new();
	if (m->elsewhere)
		return m;
	kvfree(m);
	return NULL;
}

void cpt_misuse_free(struct cpt_misuse *m)
{
	if (!m)
		return;
	if (m->own.c.cache)
		cpt_own_destroy(m->ctx, &m->own);
	cpt_elsewhere_free(m->elsewhere);
	kvfree(m);
}

static void cpt_misuse_print_made(void)
{
	char line[CPT_MISUSE_LINE];
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < CPT_NR_KINDS; i++)
		len += scnprintf(line + len, sizeof(line) - len, " %s %d",
				 cpt_kinds[i].name, atomic_read(&cpt_made[i]));
	pr_info("offences:%s\n", line);
}

static void cpt_misuse_print_due(void)
{
	unsigned int i, due[CPT_NR_DUES] = { };
	char line[CPT_MISUSE_LINE];
	size_t len = 0;

	for (i = 0; i < CPT_NR_KINDS; i++)
		due[cpt_kinds[i].due] += atomic_read(&cpt_made[i]);
	for (i = 0; i < CPT_NR_DUES; i++)
		len += scnprintf(line + len, sizeof(line) - len, " %s %u",
				 cpt_due_name[i], due[i]);
	pr_info("reports due:%s\n", line);
}

/*
 * Print the offences and the reports that are due.  Fail if many offences were
 * committed, but none of a kind that is wanted: the test shows nothing about
 * that kind.
 */
void cpt_misuse_end(void)
{
	unsigned int i, total = 0, wanted = cpt_kinds_wanted();

	if (!cpt_params.misuse)
		return;
	for (i = 0; i < CPT_NR_KINDS; i++)
		total += atomic_read(&cpt_made[i]);
	cpt_misuse_print_made();
	cpt_misuse_print_due();
	if (total < CPT_MISUSE_MANY || cpt_writes_checked())
		return;
	for (i = 0; i < CPT_NR_KINDS; i++)
		if (wanted & BIT(i) && !atomic_read(&cpt_made[i]))
			cpt_err("misuse of kind %s: not one offence committed",
				cpt_kinds[i].name);
}
