// SPDX-License-Identifier: GPL-2.0
/*
 * Records of a replay: samples of what is held, and the pages that caches and
 * first fit got.
 */
#include "lab.h"

/* Make room for one more element, by doubling.  Exit without memory. */
static void *lab_grow(void *array, unsigned long nr, size_t size)
{
	if (nr && !is_power_of_2(nr))
		return array;
	array = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!array) {
		perror("lab");
		exit(LAB_FAILED);
	}
	return array;
}

void lab_record_sample(struct lab_record *rec, unsigned long events,
		       unsigned long live, unsigned long pages)
{
	rec->sample = lab_grow(rec->sample, rec->nr_samples,
			       sizeof(*rec->sample));
	rec->sample[rec->nr_samples++] = (struct lab_sample){
		.events = events, .live = live, .pages = pages,
		.held = cp_arena.held,
	};
}

void lab_record_page(struct lab_record *rec, unsigned int cache,
		     unsigned long pfn)
{
	rec->page = lab_grow(rec->page, rec->nr_pages, sizeof(*rec->page));
	rec->page[rec->nr_pages++] = (struct lab_fresh_page){
		.cache = cache, .pfn = pfn,
	};
}

void lab_record_run(struct lab_record *rec, unsigned long pfn,
		    unsigned int order)
{
	rec->run = lab_grow(rec->run, rec->nr_runs, sizeof(*rec->run));
	rec->run[rec->nr_runs++] = (struct lab_chunk){
		.pfn = pfn, .order = order,
	};
}

void lab_record_free(struct lab_record *rec)
{
	free(rec->sample);
	free(rec->page);
	free(rec->run);
	memset(rec, 0, sizeof(*rec));
}

void lab_print_samples(const struct lab_record *rec, FILE *to)
{
	unsigned long i;

	for (i = 0; i < rec->nr_samples; i++) {
		const struct lab_sample *s = rec->sample + i;

		fprintf(to, "%lu %lu %lu %lu\n", s->events, s->live, s->pages,
			s->held);
	}
}

void lab_json_samples(const struct lab_record *rec, FILE *to)
{
	unsigned long i;

	fputs(",\n \"samples\": [", to);
	for (i = 0; i < rec->nr_samples; i++) {
		const struct lab_sample *s = rec->sample + i;

		fprintf(to, "%s[%lu, %lu, %lu, %lu]", i ? ",\n  " : "\n  ",
			s->events, s->live, s->pages, s->held);
	}
	fputs("]", to);
}

static const char *lab_class_name(const struct lab_run *run, unsigned int cache)
{
	unsigned int i;

	for (i = 0; i < CP_MAX_CLASSES; i++)
		if (run->class[i].cache && run->class[i].cache->id == cache)
			return run->class[i].name;
	return "";
}

/*
 * Print the pages of each class and the runs of first fit, in the order in
 * which placements number them.
 */
void lab_json_pages(const struct lab_run *run, FILE *to)
{
	const struct lab_record *rec = &run->record;
	unsigned long i;

	fputs(",\n \"pages\": [", to);
	for (i = 0; i < rec->nr_pages; i++)
		fprintf(to, "%s[\"%s\", %lu]", i ? ",\n  " : "\n  ",
			lab_class_name(run, rec->page[i].cache),
			rec->page[i].pfn);
	fputs("],\n \"runs\": [", to);
	for (i = 0; i < rec->nr_runs; i++)
		fprintf(to, "%s[%lu, %u]", i ? ",\n  " : "\n  ",
			rec->run[i].pfn, rec->run[i].order);
	fputs("]", to);
}
