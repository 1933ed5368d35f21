// SPDX-License-Identifier: GPL-2.0
/* Print the figures of the simulation. */
#include "kaufman.h"

static const char * const kaufman_name[KAUFMAN_NR_FIGURES] = {
	[KAUFMAN_REQUESTS]	= "requests",
	[KAUFMAN_REFUSED]	= "refused",
	[KAUFMAN_ASKED]		= "asked",
	[KAUFMAN_GIVEN]		= "given",
	[KAUFMAN_SEARCHES]	= "searches",
	[KAUFMAN_SPLITS]	= "splits",
	[KAUFMAN_MERGES]	= "merges",
	[KAUFMAN_FREE]		= "free_refused",
	[KAUFMAN_FIRST]		= "free_first",
	[KAUFMAN_SCATTERED]	= "scattered",
	[KAUFMAN_BLOCK]		= "largest",
	[KAUFMAN_JOINED]	= "largest_joined",
};

static double kaufman_part(double part, double whole)
{
	return whole ? part / whole : 0;
}

static void kaufman_line(const struct kaufman_settings *s,
			 const struct kaufman_result *result)
{
	const double *v = result->total.v;
	double nr = v[KAUFMAN_REQUESTS];

	printf("%-9s %9.0f %8.0f %8.4f %8.4f %8.4f %9.2f ",
	       result->policy->name, nr, v[KAUFMAN_REFUSED],
	       kaufman_part(v[KAUFMAN_SEARCHES], nr),
	       kaufman_part(v[KAUFMAN_SPLITS], nr),
	       kaufman_part(v[KAUFMAN_MERGES], nr),
	       100 * kaufman_part(v[KAUFMAN_GIVEN] - v[KAUFMAN_ASKED],
				  v[KAUFMAN_GIVEN]));
	if (v[KAUFMAN_REFUSED])
		printf("%9.2f ", 100 * v[KAUFMAN_FREE] / v[KAUFMAN_REFUSED] /
				 KAUFMAN_UNITS);
	else
		printf("%9s ", "-");
	printf("%10.2f %8.1f\n",
	       100 * v[KAUFMAN_SCATTERED] / s->runs / KAUFMAN_UNITS,
	       v[KAUFMAN_BLOCK] / s->runs);
}

static void kaufman_lists(const struct kaufman_result *result)
{
	unsigned int order;

	printf("tailored, desired at the end, by block size:");
	for (order = 0; order < CP_NR_ORDERS; order++)
		if (result->desired[order])
			printf(" %u:%u", KAUFMAN_PAGE << order,
			       result->desired[order]);
	putchar('\n');
}

void kaufman_print(const struct kaufman_settings *s,
		   const struct kaufman_result *result)
{
	unsigned int i;

	printf("policy     requests  refused searches   splits   merges "
	       "internal%% external%% scattered%%  largest\n");
	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++)
		if (result[i].policy)
			kaufman_line(s, &result[i]);
	if (result[CP_BUDDY_TAILORED].policy)
		kaufman_lists(&result[CP_BUDDY_TAILORED]);
}

static void kaufman_json_row(const struct kaufman_row *row)
{
	unsigned int i;

	for (i = 0; i < KAUFMAN_NR_FIGURES; i++)
		printf("%s%.10g", i ? ", " : "[", row->v[i]);
	putchar(']');
}

static void kaufman_json_result(const struct kaufman_settings *s,
				const struct kaufman_result *result)
{
	unsigned int i;

	printf(" \"%s\": {\"start\": [", result->policy->name);
	for (i = 0; i < CP_NR_ORDERS; i++)
		printf("%s%lu", i ? ", " : "", result->start[i]);
	printf("], \"desired\": [");
	for (i = 0; result->policy->tailored && i < CP_NR_ORDERS; i++)
		printf("%s%u", i ? ", " : "", result->desired[i]);
	printf("],\n  \"total\": ");
	kaufman_json_row(&result->total);
	printf(",\n  \"runs\": [");
	for (i = 0; i < s->runs; i++) {
		fputs(i ? ",\n   " : "\n   ", stdout);
		kaufman_json_row(&result->run[i]);
	}
	fputs("]}", stdout);
}

void kaufman_json(const struct kaufman_settings *s,
		  const struct kaufman_result *result)
{
	char shares[CP_DESIRED_TEXT];
	bool more = false;
	unsigned int i;

	kaufman_shares(s, shares, sizeof(shares));
	printf("{\"sizes\": \"%s\", \"mean\": [", kaufman_sizes[s->sizes].name);
	for (i = 0; i < s->nr_means; i++)
		printf("%s%u", i ? ", " : "", s->mean[i]);
	printf("], \"period\": %u, \"deviation\": %u, \"clamp\": %s, \"lifetime\": %u,\n",
	       s->period, s->deviation, s->clamp ? "true" : "false",
	       s->lifetime);
	printf(" \"interarrival\": %u, \"units\": %u, \"reset\": %u, \"seed\": %lu",
	       s->interarrival, s->units, s->reset, s->seed);
	printf(", \"shares\": \"%s\",\n \"figures\": [", shares);
	for (i = 0; i < KAUFMAN_NR_FIGURES; i++)
		printf("%s\"%s\"", i ? ", " : "", kaufman_name[i]);
	fputs("],\n \"policies\": {\n", stdout);
	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++) {
		if (!result[i].policy)
			continue;
		fputs(more ? ",\n" : "", stdout);
		kaufman_json_result(s, &result[i]);
		more = true;
	}
	puts("}}");
}
