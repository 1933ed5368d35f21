// SPDX-License-Identifier: GPL-2.0
/* What came out of engines on a trace: a table, or JSON. */
#include "run.h"

static double print_each(double n, u64 of)
{
	return of ? n / of : 0;
}

static double print_percent(size_t part, size_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_row(const struct engine_outcome *o, FILE *to)
{
	const struct engine_result *r = &o->result;

	fprintf(to, "%-24s ", o->kind->name);
	if (!r->ran) {
		fprintf(to, "%s\n", r->why);
		return;
	}
	fprintf(to, "%8lu %9.2f %10.1f %8.1f %8.1f %8.1f %8.1f %8lu",
		r->failures, print_each(r->items, r->requests),
		r->held_peak / 1024.0, 100 * r->fragmentation[0],
		100 * r->fragmentation[1], 100 * r->fragmentation[2],
		100 * r->fragmentation[3], r->pages);
	if (r->memory)
		fprintf(to, " %6.1f", print_percent(r->used_peak, r->memory));
	if (r->seconds)
		fprintf(to, " %9.1f", 1e9 * print_each(r->seconds, r->requests));
	fputs("\n", to);
}

void engine_print(const struct engine_outcome *o, unsigned int nr,
		  const struct engine_trace *t, FILE *to)
{
	unsigned int i;

	fprintf(to, "%zu requests, %zu of them to start up; at most %zu blocks, %zu bytes are live\n\n",
		t->nr, t->warm, t->blocks_peak, t->live_peak);
	fprintf(to, "%-24s %8s %9s %10s %8s %8s %8s %8s %8s %6s %9s\n", "engine",
		"failures", "items", "peak_KiB", "frag1_%", "frag2_%",
		"frag3_%", "frag4_%", "pages", "use_%", "ns");
	for (i = 0; i < nr; i++)
		print_row(&o[i], to);
}

static void json_curve(const struct engine_result *r, unsigned int nr, FILE *to)
{
	unsigned int i;

	fputs(",\n   \"curve\": [", to);
	for (i = 0; i < nr; i++)
		fprintf(to, "%s[%lu, %zu, %zu]", i ? ", " : "",
			r->curve[i].asked, r->curve[i].live, r->curve[i].held);
	fputs("]", to);
}

/* A path may be anything; other texts are ours. */
static void json_text(const char *text, FILE *to)
{
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		if ((unsigned char)*text < ' ')
			fprintf(to, "\\u%04x", *text);
		else
			fputc(*text, to);
	}
	fputc('"', to);
}

static void json_result(const struct engine_outcome *o,
			const struct engine_settings *s, FILE *to)
{
	const struct engine_result *r = &o->result;
	const double *f = r->fragmentation;
	unsigned int i;

	fprintf(to, "{\"name\": \"%s\", \"family\": \"%s\", \"ran\": %s, \"why\": \"%s\", \"pid\": %d",
		o->kind->name, engine_family_of(o->kind)->name,
		r->ran ? "true" : "false", r->why, r->pid);
	if (!r->ran) {
		fputs("}", to);
		return;
	}
	fprintf(to, ",\n   \"failures\": %lu, \"first_failure\": %lu, \"requests\": %lu, \"allocs\": %lu, \"items\": %lu, \"items_alloc\": %lu, \"collections\": %lu",
		r->failures, r->first_failure, r->requests, r->allocs, r->items,
		r->items_alloc, r->collections);
	fprintf(to, ",\n   \"memory\": %zu, \"used_peak\": %zu, \"held_peak\": %zu, \"used_end\": %zu, \"space_use\": %.4f",
		r->memory, r->used_peak, r->held_peak, r->used_end,
		print_percent(r->used_peak, r->memory));
	fprintf(to, ",\n   \"fragmentation\": [%.6f, %.6f, %.6f, %.6f], \"pages\": %lu",
		f[0], f[1], f[2], f[3], r->pages);
	if (s->drain)
		fprintf(to, ", \"used_after\": %zu", r->used_after);
	if (s->time)
		fprintf(to, ", \"seconds\": %.6f", r->seconds);
	if (s->curve)
		json_curve(r, s->curve, to);
	for (i = 0; i < s->lru.nr; i++)
		fprintf(to, "%s[%u, %lu]", i ? ", " : ", \"faults\": [",
			s->lru.size[i], r->faults[i]);
	fputs(s->lru.nr ? "]}" : "}", to);
}

void engine_json(const struct engine_outcome *o, unsigned int nr,
		 const struct engine_trace *t, const char *load,
		 const struct engine_settings *s, FILE *to)
{
	unsigned int i;

	fputs("{\"load\": {\"name\": ", to);
	json_text(load, to);
	fprintf(to, ", \"events\": %zu, \"warm\": %zu, \"allocs\": %lu, \"frees\": %lu, \"asked\": %lu, \"live_peak\": %zu, \"blocks_peak\": %zu, \"live_end\": %zu, \"blocks_end\": %zu},\n \"engines\": [",
		t->nr, t->warm, t->allocs, t->frees, t->asked,
		t->live_peak, t->blocks_peak, t->live, t->blocks);
	for (i = 0; i < nr; i++) {
		fputs(i ? ",\n  " : "\n  ", to);
		json_result(&o[i], s, to);
	}
	fputs("\n ]}\n", to);
}
