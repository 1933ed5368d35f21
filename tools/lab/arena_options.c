// SPDX-License-Identifier: GPL-2.0
/*
 * Options for the arena, with the texts of the module's parameters.  What mm/
 * says of a text that it does not take is what the lab says.
 */
#include "lab.h"

/* The module's own limits. */
#define LAB_MB_MAX	1048576
#define LAB_STOCK_MAX	64

/* From the message that a parser has for an empty text. */
static const char *lab_must_be(char *text, size_t size)
{
	const char *must = strstr(lab.said, "must be ");

	assert(must);
	snprintf(text, size, "%.*s", (int)strcspn(must, "\n") - 8, must + 8);
	return text;
}

static const struct cp_buddy_policy *lab_policy_get(const char *text)
{
	const struct cp_buddy_policy *policy;
	bool quiet = lab.quiet;

	lab.quiet = true;
	policy = cp_buddy_policy_get("", text);
	lab.quiet = quiet;
	return policy;
}

static bool lab_desired_get(const char *text, struct cp_desired *d)
{
	bool quiet = lab.quiet;
	int status;

	lab.quiet = true;
	status = cp_desired_parse("", text, d);
	lab.quiet = quiet;
	return !status;
}

bool lab_set_buddy(void *settings, const char *text)
{
	struct lab_settings *s = settings;

	s->arena.policy = lab_policy_get(text);
	return s->arena.policy;
}

const char *lab_buddies(void)
{
	static char text[LAB_SAID];

	lab_policy_get("");
	return lab_must_be(text, sizeof(text));
}

bool lab_set_desired(void *settings, const char *text)
{
	struct lab_settings *s = settings;

	return lab_desired_get(text, &s->arena.desired);
}

const char *lab_desireds(void)
{
	static char text[LAB_SAID];
	struct cp_desired d;

	lab_desired_get("", &d);
	return lab_must_be(text, sizeof(text));
}

static bool lab_set_mb(const char *text, unsigned long *pages)
{
	u64 n;

	if (!lab_number(text, 0, LAB_MB_MAX, &n))
		return false;
	*pages = n << (20 - PAGE_SHIFT);
	return true;
}

bool lab_set_arena_min(void *settings, const char *text)
{
	return lab_set_mb(text, &((struct lab_settings *)settings)->arena.min_pages);
}

bool lab_set_arena_max(void *settings, const char *text)
{
	return lab_set_mb(text, &((struct lab_settings *)settings)->arena.max_pages);
}

const char *lab_mbs(void)
{
	return "0 to 1048576";
}

bool lab_set_chunk_order(void *settings, const char *text)
{
	struct lab_settings *s = settings;
	u64 n;

	if (!lab_number(text, 0, CURPAGE_MAX_ORDER, &n))
		return false;
	s->arena.chunk_order = n;
	return true;
}

const char *lab_chunk_orders(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "0 to %u", CURPAGE_MAX_ORDER);
	return text;
}

bool lab_set_stock(void *settings, const char *text)
{
	struct lab_settings *s = settings;
	u64 n;

	if (!lab_number(text, 0, LAB_STOCK_MAX, &n))
		return false;
	s->stock = n;
	return true;
}

const char *lab_stocks(void)
{
	return "0 to 64";
}

bool lab_set_apart(void *settings, const char *text)
{
	struct lab_settings *s = settings;
	u64 n;

	if (!lab_number(text, 0, 1, &n))
		return false;
	s->arena.apart = n;
	return true;
}

const char *lab_aparts(void)
{
	return "0 to 1";
}

/* What no option says alone. */
bool lab_arena_ok(const struct cp_arena_args *arena)
{
	if (!arena->max_pages || arena->min_pages <= arena->max_pages)
		return true;
	fprintf(stderr, "lab: --arena-min-mb '%lu': must be 0 to %lu, as --arena-max-mb\n",
		arena->min_pages >> (20 - PAGE_SHIFT),
		arena->max_pages >> (20 - PAGE_SHIFT));
	return false;
}
