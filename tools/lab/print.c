// SPDX-License-Identifier: GPL-2.0
/* What has been counted, as a table, as JSON, or as places of blocks. */
#include "lab.h"

static bool lab_used(const struct lab_class *c)
{
	return c->stat[CP_ALLOC];
}

/* What is in no cache has none of the counters of a heap but these two. */
static bool lab_counts(const struct lab_run *run, const struct lab_class *c,
		       enum cp_heap_stat stat)
{
	return stat <= CP_FREED || c->cache || c == &run->total;
}

static void lab_row(const struct lab_run *run, const struct lab_class *c,
		    FILE *to)
{
	unsigned int i;

	fprintf(to, "%-10s", c->name);
	for (i = 0; i < CP_NR_HEAP_STATS; i++) {
		int width = max_t(int, strlen(cp_heap_stat_name[i]), 8);

		if (lab_counts(run, c, i))
			fprintf(to, " %*lu", width, c->stat[i]);
		else
			fprintf(to, " %*s", width, "-");
	}
	fprintf(to, " %8lu %9lu %8lu %10lu\n", c->live.now, c->live.peak,
		c->pages.now, c->pages.peak);
}

void lab_print_table(const struct lab_run *run, FILE *to)
{
	unsigned int i;

	fprintf(to, "%-10s", "class");
	for (i = 0; i < CP_NR_HEAP_STATS; i++)
		fprintf(to, " %8s", cp_heap_stat_name[i]);
	fputs("     live live_peak    pages pages_peak\n", to);
	for (i = 0; i < LAB_CLASSES; i++)
		if (lab_used(&run->class[i]))
			lab_row(run, &run->class[i], to);
	lab_row(run, &run->total, to);

	fprintf(to, "\nheld %lu\nheld_peak %lu\nstock_pages %lu\nfree_pages %lu\n",
		run->held.now, run->held.peak, cp_stock_pages(),
		cp_arena.buddy.free_pages);
	for (i = 0; i < CP_NR_ARENA_STATS; i++)
		fprintf(to, "%s %lu\n", cp_arena_stat_name[i],
			cp_arena.stat[i]);
	if (run->settings->lru.nr)
		lab_paging_print(&run->paging, to);
}

static void lab_json_class(const struct lab_run *run,
			   const struct lab_class *c, FILE *to)
{
	unsigned int i;

	fprintf(to, "{\"class\": \"%s\"", c->name);
	for (i = 0; i < CP_NR_HEAP_STATS; i++)
		if (lab_counts(run, c, i))
			fprintf(to, ", \"%s\": %lu", cp_heap_stat_name[i],
				c->stat[i]);
	fprintf(to, ", \"live\": %lu, \"live_peak\": %lu, \"pages\": %lu, \"pages_peak\": %lu}",
		c->live.now, c->live.peak, c->pages.now, c->pages.peak);
}

/* As in debugfs: what is in stock is not handed out. */
static void lab_json_arena(const struct lab_run *run, FILE *to)
{
	struct cp_stock_sum stock;
	unsigned int i;

	cp_stock_sum(&stock);

	fprintf(to, " \"arena\": {\"held\": %lu, \"held_peak\": %lu",
		run->held.now, run->held.peak);
	fprintf(to, ", \"cache_pages\": %lu, \"block_pages\": %lu, \"stock_pages\": %lu",
		cp_arena.cache_pages, cp_arena.block_pages - stock.pages,
		stock.pages);
	fprintf(to, ", \"free_pages\": %lu", cp_arena.buddy.free_pages);
	for (i = 0; i < CP_NR_ARENA_STATS; i++)
		fprintf(to, ", \"%s\": %lu", cp_arena_stat_name[i],
			cp_arena.stat[i]);
	for (i = 0; i < CP_NR_STOCK_STATS; i++)
		fprintf(to, ", \"%s\": %lu", cp_stock_stat_name[i],
			stock.stat[i]);
	fputs("}", to);
}

static void lab_json_orders(const char *name, const unsigned long *nr,
			    FILE *to)
{
	unsigned int order;

	fprintf(to, ", \"%s\": [", name);
	for (order = 0; order < CP_NR_ORDERS; order++)
		fprintf(to, "%s%lu", order ? ", " : "", nr[order]);
	fputs("]", to);
}

static void lab_json_buddy(FILE *to)
{
	const struct cp_buddy *b = &cp_arena.buddy;
	unsigned long live[CP_NR_ORDERS];
	struct cp_stock_sum stock;
	unsigned int order;

	cp_stock_sum(&stock);
	for (order = 0; order < CP_NR_ORDERS; order++)
		live[order] = cp_arena.blocks[order] - stock.blocks[order];
	fprintf(to, " \"buddy\": {\"searches\": %lu", b->searches);
	lab_json_orders("free", b->nr_free, to);
	lab_json_orders("live", live, to);
	lab_json_orders("stock", stock.blocks, to);
	lab_json_orders("split", b->splits, to);
	lab_json_orders("merged", b->merges, to);
	fputs("}", to);
}

/* As in debugfs. */
static void lab_json_fit(FILE *to)
{
	struct cp_fit_sum fit;
	unsigned int i;

	cp_fit_sum(&fit);
	fprintf(to, " \"fit\": {\"live\": %lu, \"asked_bytes\": %lu, \"block_bytes\": %lu",
		fit.live, fit.asked, fit.used);
	fprintf(to, ", \"free_bytes\": %lu, \"largest_free\": %lu", fit.free,
		fit.largest);
	fprintf(to, ", \"runs\": %lu, \"pages\": %lu, \"empty_pages\": %lu, \"lost_pages\": %lu",
		fit.runs, fit.pages, fit.empty_pages, fit.lost_pages);
	for (i = 0; i < CP_NR_FIT_STATS; i++)
		fprintf(to, ", \"%s\": %lu", cp_fit_stat_name[i],
			fit.stat[i]);
	fputs("}", to);
}

static void lab_json_placements(struct replay *r, FILE *to)
{
	const struct replay_placement *p;
	unsigned long i;

	fputs(",\n \"placements\": [", to);
	for (i = 0; (p = replay_placement(r, i)); i++)
		fprintf(to, "%s[%u, %u, %u]", i ? ",\n  " : "\n  ", p->id,
			p->page, p->slot);
	fputs("]", to);
}

static void lab_json_settings(const struct lab_settings *s, FILE *to)
{
	fprintf(to, "{\"strategy\": \"%s\", \"freetol\": %u, \"keep\": ",
		s->defaults.strategy->name, s->defaults.freetol);
	if (s->defaults.keep == CP_KEEP_ALL)
		fputs("\"all\",\n", to);
	else
		fprintf(to, "%u,\n", s->defaults.keep);
}

void lab_print_json(struct lab_run *run, FILE *to)
{
	const char *between = "\n  ";
	unsigned int i;

	lab_json_settings(run->settings, to);
	fputs(" \"classes\": [", to);
	for (i = 0; i < LAB_CLASSES; i++) {
		if (!lab_used(&run->class[i]))
			continue;
		fputs(between, to);
		lab_json_class(run, &run->class[i], to);
		between = ",\n  ";
	}
	fputs("],\n \"total\": ", to);
	lab_json_class(run, &run->total, to);
	fputs(",\n", to);
	lab_json_arena(run, to);
	fputs(",\n", to);
	lab_json_buddy(to);
	fputs(",\n", to);
	lab_json_fit(to);
	if (run->settings->lru.nr)
		lab_paging_json(&run->paging, to);
	if (run->settings->sample)
		lab_json_samples(&run->record, to);
	if (run->settings->placements) {
		lab_json_pages(run, to);
		lab_json_placements(&run->replay, to);
	}
	fputs("}\n", to);
}

void lab_print_placements(struct replay *r, FILE *to)
{
	const struct replay_placement *p;
	unsigned long i;

	for (i = 0; (p = replay_placement(r, i)); i++)
		fprintf(to, "%u %u %u\n", p->id, p->page, p->slot);
}
