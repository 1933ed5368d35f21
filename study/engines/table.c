// SPDX-License-Identifier: GPL-2.0
/* Which engines and loads there are. */
#include "run.h"

extern const struct engine_family * const __start_engine_families[];
extern const struct engine_family * const __stop_engine_families[];
extern const struct engine_load_family * const __start_engine_loads[];
extern const struct engine_load_family * const __stop_engine_loads[];

#define for_each_family(at) \
	for (at = __start_engine_families; at < __stop_engine_families; at++)
#define for_each_loads(at) \
	for (at = __start_engine_loads; at < __stop_engine_loads; at++)
#define for_each_row(row, table, number) \
	for (row = table; row < (table) + (number); row++)

const struct engine_family *engine_family_of(const struct engine_kind *kind)
{
	const struct engine_family * const *f;

	for_each_family(f)
		if (kind >= (*f)->kind && kind < (*f)->kind + (*f)->nr)
			return *f;
	return NULL;
}

static unsigned int engine_count(void)
{
	const struct engine_family * const *f;
	unsigned int nr = 0;

	for_each_family(f)
		nr += (*f)->nr;
	return nr;
}

static bool engine_is(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(text, name, len);
}

/* Is this one of the names in the text? */
static bool engine_named(const char *text, const char *name)
{
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (engine_is(text, len, name))
			return true;
	}
	return false;
}

static bool engine_known(const char *text, size_t len)
{
	const struct engine_family * const *f;
	const struct engine_kind *k;

	for_each_family(f) {
		if (engine_is(text, len, (*f)->name))
			return true;
		for_each_row(k, (*f)->kind, (*f)->nr)
			if (engine_is(text, len, k->name))
				return true;
	}
	return engine_is(text, len, "all");
}

const struct engine_kind **engine_select(const char *text)
{
	const struct engine_kind **kinds = calloc(engine_count() + 1,
						  sizeof(*kinds));
	const struct engine_family * const *f;
	const struct engine_kind *k;
	unsigned int nr = 0;
	const char *at;
	size_t len;

	for (at = text; kinds; at += len + 1) {
		len = strcspn(at, ",");
		if (!engine_known(at, len)) {
			free(kinds);
			return NULL;
		}
		if (!at[len])
			break;
	}
	if (!kinds)
		return NULL;
	for_each_family(f)
		for_each_row(k, (*f)->kind, (*f)->nr)
			if (engine_named(text, "all") ||
			    engine_named(text, (*f)->name) ||
			    engine_named(text, k->name))
				kinds[nr++] = k;
	return kinds;
}

const struct engine_load *engine_load_find(const char *name)
{
	const struct engine_load_family * const *f;
	const struct engine_load *l;

	for_each_loads(f)
		for_each_row(l, (*f)->load, (*f)->nr)
			if (!strcmp(name, l->name))
				return l;
	return NULL;
}

void engine_load_names(char *buf, size_t size)
{
	const struct engine_load_family * const *f;
	const struct engine_load *l;
	size_t len = 0;

	*buf = '\0';
	for_each_loads(f)
		for_each_row(l, (*f)->load, (*f)->nr)
			len += snprintf(buf + len, size - len, "%s%s",
					len ? ", " : "", l->name);
}

void engine_list(FILE *to)
{
	const struct engine_load_family * const *l;
	const struct engine_family * const *f;
	const struct engine_load *load;
	const struct engine_kind *k;

	for_each_family(f) {
		fprintf(to, "%s: %s\n", (*f)->name, (*f)->about);
		for_each_row(k, (*f)->kind, (*f)->nr)
			fprintf(to, "  %-24s %s\n", k->name, k->about);
	}
	fputs("loads:\n", to);
	for_each_loads(l)
		for_each_row(load, (*l)->load, (*l)->nr)
			fprintf(to, "  %-24s %s\n", load->name, load->about);
}
