// SPDX-License-Identifier: GPL-2.0
/* The types that options of every command may have. */
#include "lab.h"

/* Read a whole number in decimal, with nothing around it. */
bool lab_number(const char *text, u64 min, u64 max, u64 *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return isdigit(*text) && !*end && !errno && *number >= min &&
	       *number <= max;
}

static void lab_store(const struct lab_option *o, u64 n)
{
	switch (o->size) {
	case sizeof(u8):
		*(u8 *)o->to = n;
		break;
	case sizeof(u32):
		*(u32 *)o->to = n;
		break;
	default:
		*(u64 *)o->to = n;
	}
}

static u64 lab_stored(const struct lab_option *o)
{
	switch (o->size) {
	case sizeof(u8):
		return *(u8 *)o->to;
	case sizeof(u32):
		return *(u32 *)o->to;
	default:
		return *(u64 *)o->to;
	}
}

/* A blank and the unit, if there is one. */
static void lab_unit(const struct lab_option *o, FILE *to)
{
	if (o->unit)
		fprintf(to, " %s", o->unit);
}

static bool lab_flag_set(const struct lab_option *o, const char *text)
{
	return *o->flag = true;
}

const struct lab_type lab_flag_type = { .set = lab_flag_set };

static bool lab_uint_set(const struct lab_option *o, const char *text)
{
	bool all = o->all && !strcmp(text, "all");
	u64 n = o->all;

	if (!all && (!lab_number(text, o->min, o->max, &n) ||
		     (o->multiple && n % o->multiple)))
		return false;
	lab_store(o, n);
	return true;
}

static void lab_uint_allowed(const struct lab_option *o, FILE *to)
{
	fprintf(to, "%lu to %lu", o->min, o->max);
	lab_unit(o, to);
	if (o->multiple)
		fprintf(to, ", a multiple of %lu", o->multiple);
	if (o->all)
		fputs(" or all", to);
}

static void lab_uint_print(const struct lab_option *o, FILE *to)
{
	u64 n = lab_stored(o);

	if (o->all && n == o->all)
		fputs("all", to);
	else if (n >= o->min && n <= o->max)
		fprintf(to, "%lu", n);
}

const struct lab_type lab_uint_type = {
	lab_uint_set, lab_uint_allowed, lab_uint_print
};

static bool lab_real_set(const struct lab_option *o, const char *text)
{
	char *end;
	double x = strtod(text, &end);

	/* Neither a sign nor an exponent, which strtod() reads as well. */
	if (!*text || text[strspn(text, "0123456789.")] || *end ||
	    x < o->least || x > o->most)
		return false;
	*o->real = x;
	return true;
}

static void lab_real_allowed(const struct lab_option *o, FILE *to)
{
	fprintf(to, "%.10g to %.10g", o->least, o->most);
	lab_unit(o, to);
}

static void lab_real_print(const struct lab_option *o, FILE *to)
{
	if (*o->real >= o->least && *o->real <= o->most)
		fprintf(to, "%.10g", *o->real);
}

const struct lab_type lab_real_type = {
	lab_real_set, lab_real_allowed, lab_real_print
};

static bool lab_text_set(const struct lab_option *o, const char *text)
{
	if (*text)
		*o->text = text;
	return *text;
}

static void lab_text_allowed(const struct lab_option *o, FILE *to)
{
	fputs(o->unit, to);
}

void lab_text_print(const struct lab_option *o, FILE *to)
{
	fputs(*o->text ?: "", to);
}

const struct lab_type lab_text_type = {
	lab_text_set, lab_text_allowed, lab_text_print
};

static bool lab_list_read(const struct lab_option *o, char *words)
{
	u64 min = o->min, number;
	unsigned int nr = 0;
	const char *word;

	while ((word = strsep(&words, ","))) {
		if (nr == o->nr || !lab_number(word, min, o->max, &number))
			return false;
		o->list[nr++] = number;
		if (o->rising)
			min = number + 1;
	}
	*o->count = nr;
	return true;
}

static bool lab_list_set(const struct lab_option *o, const char *text)
{
	char *words = strdup(text);
	bool ok = words && lab_list_read(o, words);

	free(words);
	return ok;
}

static void lab_list_allowed(const struct lab_option *o, FILE *to)
{
	lab_uint_allowed(o, to);
	fprintf(to, ", up to %u %snumbers with commas between them", o->nr,
		o->rising ? "rising " : "");
}

static void lab_list_print(const struct lab_option *o, FILE *to)
{
	unsigned int i;

	for (i = 0; i < *o->count; i++)
		fprintf(to, "%s%u", i ? "," : "", o->list[i]);
}

const struct lab_type lab_list_type = {
	lab_list_set, lab_list_allowed, lab_list_print
};

static const char *lab_row_text(const struct lab_option *o, unsigned int i,
				size_t offset)
{
	return *(const char **)(o->rows + i * o->stride + offset);
}

/* Return: the index of the row that is called so, or the number of rows. */
static unsigned int lab_row(const struct lab_option *o, const char *name)
{
	unsigned int i;

	for (i = 0; i < o->nr; i++)
		if (!strcmp(lab_row_text(o, i, 0), name))
			break;
	return i;
}

static void lab_rows_print(const struct lab_option *o, u64 rows,
			   const char *between, FILE *to)
{
	const char *before = "";
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		if (!(rows & BIT(i)))
			continue;
		fprintf(to, "%s%s", before, lab_row_text(o, i, 0));
		if (o->about)
			fprintf(to, " (%s)", lab_row_text(o, i, o->about));
		before = between;
	}
}

static bool lab_choice_set(const struct lab_option *o, const char *text)
{
	unsigned int row = lab_row(o, text);

	if (row == o->nr)
		return false;
	lab_store(o, row);
	return true;
}

static void lab_choice_allowed(const struct lab_option *o, FILE *to)
{
	fputs("one of ", to);
	lab_rows_print(o, BIT(o->nr) - 1, ", ", to);
}

static void lab_choice_print(const struct lab_option *o, FILE *to)
{
	fputs(lab_row_text(o, lab_stored(o), 0), to);
}

const struct lab_type lab_choice_type = {
	lab_choice_set, lab_choice_allowed, lab_choice_print
};

static bool lab_choices_read(const struct lab_option *o, char *words)
{
	const char *word;
	u64 rows = 0;

	while ((word = strsep(&words, ","))) {
		unsigned int row = lab_row(o, word);

		if (row == o->nr)
			return false;
		rows |= BIT(row);
	}
	lab_store(o, rows);
	return true;
}

static bool lab_choices_set(const struct lab_option *o, const char *text)
{
	char *words;
	bool ok;

	if (!strcmp(text, "all")) {
		lab_store(o, BIT(o->nr) - 1);
		return true;
	}
	words = strdup(text);
	ok = words && lab_choices_read(o, words);
	free(words);
	return ok;
}

static void lab_choices_allowed(const struct lab_option *o, FILE *to)
{
	fputs("some of ", to);
	lab_rows_print(o, BIT(o->nr) - 1, ",", to);
	fputs(" or all", to);
}

static void lab_choices_print(const struct lab_option *o, FILE *to)
{
	u64 rows = lab_stored(o);

	if (rows == BIT(o->nr) - 1)
		fputs("all", to);
	else
		lab_rows_print(o, rows, ",", to);
}

const struct lab_type lab_choices_type = {
	lab_choices_set, lab_choices_allowed, lab_choices_print
};
