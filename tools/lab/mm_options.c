// SPDX-License-Identifier: GPL-2.0
/* Types of options whose values mm/ reads, in the words of mm/. */
#include "lab.h"
#include "mm_options.h"

static bool lab_strategy_set(const struct lab_option *o, const char *text)
{
	const struct cp_strategy *strategy = cp_strategy_find(text);

	if (strategy)
		*(const struct cp_strategy **)o->to = strategy;
	return strategy;
}

static void lab_strategy_allowed(const struct lab_option *o, FILE *to)
{
	char names[CP_STRATEGY_NAMES];

	cp_strategy_names(names, sizeof(names));
	fprintf(to, "one of %s", names);
}

static void lab_strategy_print(const struct lab_option *o, FILE *to)
{
	const struct cp_strategy *strategy = *(const struct cp_strategy **)o->to;

	fputs(strategy ? strategy->name : "", to);
}

const struct lab_type lab_strategy_type = {
	lab_strategy_set, lab_strategy_allowed, lab_strategy_print
};

static bool lab_desired_parses(const char *text)
{
	struct cp_desired desired;
	bool quiet = lab.quiet;
	int status;

	lab.quiet = true;
	status = cp_desired_parse("", text, &desired);
	lab.quiet = quiet;
	return !status;
}

static bool lab_desired_set(const struct lab_option *o, const char *text)
{
	if (!lab_desired_parses(text))
		return false;
	*o->text = text;
	return true;
}

/* Quote the message that the parser has for an empty text. */
static void lab_desired_allowed(const struct lab_option *o, FILE *to)
{
	static const char before[] = "must be ";
	const char *must;

	lab_desired_parses("");
	must = strstr(lab.said, before);
	assert(must);
	must += strlen(before);
	fprintf(to, "%.*s", (int)strcspn(must, "\n"), must);
}

const struct lab_type lab_desired_type = {
	lab_desired_set, lab_desired_allowed, lab_text_print
};

/* What is wrong with the map that was refused. */
static char lab_sizemap_why[CP_SIZEMAP_WHY];

static bool lab_sizemap_set(const struct lab_option *o, const char *text)
{
	struct cp_sizemap map;

	if (cp_sizemap_make(&map, text, lab_sizemap_why))
		return false;
	*o->text = text;
	return true;
}

static void lab_sizemap_allowed(const struct lab_option *o, FILE *to)
{
	fprintf(to, "brent, geometric:RHO, powers or a list of sizes%s%s",
		*lab_sizemap_why ? "; " : "", lab_sizemap_why);
}

const struct lab_type lab_sizemap_type = {
	lab_sizemap_set, lab_sizemap_allowed, lab_text_print
};

static bool lab_crossover_set(const struct lab_option *o, const char *text)
{
	u64 bytes;

	if (!lab_number(text, 0, PAGE_SIZE, &bytes))
		return false;
	cp_size_set_crossover(bytes);
	return true;
}

static void lab_crossover_allowed(const struct lab_option *o, FILE *to)
{
	fprintf(to, "0 to %lu bytes", PAGE_SIZE);
}

static void lab_crossover_print(const struct lab_option *o, FILE *to)
{
	fprintf(to, "%u", cp_size_crossover());
}

const struct lab_type lab_crossover_type = {
	lab_crossover_set, lab_crossover_allowed, lab_crossover_print
};
