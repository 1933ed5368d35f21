// SPDX-License-Identifier: GPL-2.0
/* Print the counters as a table or as JSON, and the placements of blocks. */
#include "lab.h"

static bool lab_used(const struct lab_class *c)
{
	return c->stat[CP_ALLOC];
}

/* Without a cache, only the first two counters of a heap are kept. */
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
		cp_arena_free_pages(&cp_arena));
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

/* Print the arena as debugfs does.  Blocks in stock are not handed out. */
static void lab_json_arena(const struct lab_run *run, FILE *to)
{
	struct cp_stock_sum stock;
	unsigned int i;

	cp_stock_get_sum(&stock);

	fprintf(to, " \"arena\": {\"held\": %lu, \"held_peak\": %lu",
		run->held.now, run->held.peak);
	fprintf(to, ", \"cache_pages\": %lu, \"block_pages\": %lu, \"stock_pages\": %lu",
		cp_arena.cache_pages, cp_arena.block_pages - stock.pages,
		stock.pages);
	fprintf(to, ", \"free_pages\": %lu",
		cp_arena_free_pages(&cp_arena));
	for (i = 0; i < CP_NR_ARENA_STATS; i++)
		fprintf(to, ", \"%s\": %lu", cp_arena_stat_name[i],
			cp_arena.stat[i]);
	for (i = 0; i < CP_NR_STOCK_STATS; i++)
		fprintf(to, ", \"%s\": %lu", cp_stock_stat_name[i],
			stock.stat[i]);
	fputs("}", to);
}

/* Print a list by order as the first field of an object. */
static void lab_json_first(const char *name, const unsigned long *nr, FILE *to)
{
	unsigned int order;

	fprintf(to, "\"%s\": [", name);
	for (order = 0; order < CP_NR_ORDERS; order++)
		fprintf(to, "%s%lu", order ? ", " : "", nr[order]);
	fputs("]", to);
}

static void lab_json_orders(const char *name, const unsigned long *nr,
			    FILE *to)
{
	fputs(", ", to);
	lab_json_first(name, nr, to);
}

/* Print a share with three decimals, as debugfs does. */
static void lab_json_share(const char *name, u64 part, u64 whole, FILE *to)
{
	u64 permille = whole ? 1000 * part / whole : 0;

	fprintf(to, ", \"%s\": %lu.%03lu", name, permille / 1000,
		permille % 1000);
}

static const char *const lab_buddy_stat_name[CP_NR_BUDDY_STATS] = {
	[CP_ASKED] = "asked",
	[CP_MISSED] = "missed",
	[CP_SEARCHES] = "searches",
	[CP_SPLITS] = "splits",
	[CP_MERGES] = "merges",
};

/*
 * Print null for a list whose blocks are never merged, however many they are.
 */
static void lab_json_desired(const unsigned int *desired, FILE *to)
{
	unsigned int order;

	fputs(", \"desired\": [", to);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		fputs(order ? ", " : "", to);
		if (desired[order] == U32_MAX)
			fputs("null", to);
		else
			fprintf(to, "%u", desired[order]);
	}
	fputs("]", to);
}

static void lab_json_lists(const char *name, const struct cp_buddy_sum *b,
			   FILE *to)
{
	unsigned int i;

	fprintf(to, ",\n  \"%s\": {", name);
	lab_json_first("free", b->free, to);
	lab_json_orders("pairs", b->pairs, to);
	lab_json_desired(b->desired, to);
	for (i = 0; i < CP_NR_BUDDY_STATS; i++)
		lab_json_orders(lab_buddy_stat_name[i], b->stat[i], to);
	fputs("}", to);
}

/* Print the file buddy of debugfs. */
static void lab_json_buddy(FILE *to)
{
	struct cp_buddy_sum b[CP_NR_USES];
	unsigned long live[CP_NR_ORDERS];
	struct cp_stock_sum stock;
	struct cp_arena_sum sum;
	unsigned int order;

	cp_stock_get_sum(&stock);
	cp_arena_get_sum(&cp_arena, &sum, b);
	for (order = 0; order < CP_NR_ORDERS; order++)
		live[order] = sum.blocks[order] - stock.blocks[order];
	fprintf(to, " \"buddy\": {\"policy\": \"%s\", \"apart\": %u, \"largest\": %lu",
		sum.policy->name, cp_arena.apart, sum.largest);
	lab_json_share("internal", cp_pages_waste(),
		       cp_pages_handed_out(&sum, &stock) << PAGE_SHIFT, to);
	lab_json_share("external", sum.failed_free, sum.failed_held, to);
	lab_json_share("scattered", b[CP_FOR_CALLERS].lone_pages +
		       b[CP_FOR_CACHES].lone_pages, sum.held, to);
	lab_json_orders("live", live, to);
	lab_json_orders("stock", stock.blocks, to);
	lab_json_orders("failed", sum.failed, to);
	lab_json_lists("callers", &b[CP_FOR_CALLERS], to);
	if (cp_arena.apart)
		lab_json_lists("caches", &b[CP_FOR_CACHES], to);
	fputs("}", to);
}

/* Print the counters of first fit, as debugfs does. */
static void lab_json_fit(FILE *to)
{
	struct cp_fit_sum fit;
	unsigned int i;

	cp_fit_get_sum(&fit);
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
