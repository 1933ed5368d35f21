// SPDX-License-Identifier: GPL-2.0
/* What a simulation has cost. */
#include "sim.h"

/* Per block that was allocated (and, on average, freed) while measuring. */
static double sim_items(const struct sim *s)
{
	u64 allocs = s->after.allocs - s->before.allocs;

	return allocs ? (double)(s->after.items - s->before.items) / allocs : 0;
}

static double sim_part(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void sim_json_settings(const struct sim *s, FILE *to)
{
	const struct sim_settings *set = s->set;

	fprintf(to, "{\"load\": \"%s\", \"strategy\": \"%s\", \"page_size\": %lu",
		set->load->name, set->strategy->name, PAGE_SIZE);
	fprintf(to, ", \"freetol\": %u, \"phi0\": %u, \"seed\": %lu",
		set->freetol, set->phi0, set->seed);
	fprintf(to, ", \"seconds\": %g, \"warmup\": %g, \"rate\": %g, \"first_rate\": %g",
		s->seconds, s->warmup, set->rate,
		set->first_rate ?: set->rate);
	fprintf(to, ", \"variant\": \"%s\"", set->variant ?: "");
}

static void sim_json_paging(const struct sim *s, FILE *to)
{
	unsigned int i;

	fprintf(to, ",\n \"references\": %lu, \"virtual_size\": %u, \"paging\": [",
		s->after.refs, s->lru.pages);
	for (i = 0; i < s->lru.nr; i++)
		fprintf(to, "%s{\"working_set\": %u, \"faults_all\": %lu, \"faults\": %lu}",
			i ? ", " : "", s->lru.size[i], s->after.faults[i],
			s->after.faults[i] - s->before.faults[i]);
	fputs("]", to);
}

static void sim_json_samples(const struct sim *s, FILE *to)
{
	unsigned int i;

	fputs(",\n \"samples\": [", to);
	for (i = 0; i < s->nr_samples; i++) {
		const struct sim_sample *p = &s->sample[i];

		fprintf(to, "%s[%g, %lu, %lu, %lu, %lu]", i ? ", " : "",
			p->time, p->live, p->used, p->pages, p->faults);
	}
	fputs("]", to);
}

void sim_print_json(const struct sim *s, FILE *to)
{
	double time = s->now - s->since;
	unsigned int i;

	sim_json_settings(s, to);
	fprintf(to, ",\n \"allocs\": %lu, \"frees\": %lu, \"live_peak\": %lu",
		s->after.allocs, s->after.frees, s->live_peak);
	fprintf(to, ", \"used_peak\": %lu, \"pages_peak\": %lu",
		s->used_peak, s->pages_peak);
	fprintf(to, ",\n \"live_mean\": %g, \"requested_mean\": %g, \"used_mean\": %g, \"pages_mean\": %g",
		sim_part(s->live_time, time), sim_part(s->requested_time, time),
		sim_part(s->used_time, time), sim_part(s->pages_time, time));
	fprintf(to, ",\n \"efficiency\": %.6f, \"efficiency_held\": %.6f",
		sim_part(s->requested_time, s->used_time * PAGE_SIZE),
		sim_part(s->requested_time, s->pages_time * PAGE_SIZE));
	fprintf(to, ", \"items_visited\": %.4f, \"cpu_seconds\": %.3f",
		sim_items(s), s->cpu);
	sim_json_paging(s, to);
	fputs(",\n \"notes\": {", to);
	for (i = 0; i < s->nr_notes; i++)
		fprintf(to, "%s\"%s\": %.10g", i ? ", " : "", s->note[i].name,
			s->note[i].value);
	fputs("}", to);
	sim_json_samples(s, to);
	fputs("}\n", to);
}

void sim_print_table(const struct sim *s, FILE *to)
{
	double time = s->now - s->since;
	unsigned int i;

	fprintf(to, "%-24s %s\n", "load", s->set->load->name);
	fprintf(to, "%-24s %s\n", "strategy", s->set->strategy->name);
	fprintf(to, "%-24s %lu\n", "page size", PAGE_SIZE);
	fprintf(to, "%-24s %lu\n", "allocations", s->after.allocs);
	fprintf(to, "%-24s %lu\n", "frees", s->after.frees);
	fprintf(to, "%-24s %lu\n", "live blocks, peak", s->live_peak);
	fprintf(to, "%-24s %.1f\n", "live blocks, mean",
		sim_part(s->live_time, time));
	fprintf(to, "%-24s %.1f\n", "pages in use, mean",
		sim_part(s->used_time, time));
	fprintf(to, "%-24s %lu\n", "pages in use, peak", s->used_peak);
	fprintf(to, "%-24s %u\n", "pages referenced", s->lru.pages);
	fprintf(to, "%-24s %lu\n", "references", s->after.refs);
	for (i = 0; i < s->lru.nr; i++)
		fprintf(to, "working set %-12u %lu page faults, %lu of them measured\n",
			s->lru.size[i], s->after.faults[i],
			s->after.faults[i] - s->before.faults[i]);
	fprintf(to, "%-24s %.3f\n", "storage efficiency",
		sim_part(s->requested_time, s->used_time * PAGE_SIZE));
	fprintf(to, "%-24s %.2f\n", "items visited", sim_items(s));
	fprintf(to, "%-24s %.2f s\n", "time of the CPU", s->cpu);
	for (i = 0; i < s->nr_notes; i++)
		fprintf(to, "%-24s %.10g\n", s->note[i].name, s->note[i].value);
}
