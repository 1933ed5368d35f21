// SPDX-License-Identifier: GPL-2.0
/* The command line of a simulation, and the table of loads. */
#include "load.h"

const struct sim_load * const sim_loads[] = {
	&load_pqsim,
	&load_tridiag,
	&load_cambridg,
	&load_yktvmv,
	NULL
};

const struct sim_load *sim_load_find(const char *name)
{
	unsigned int i;

	for (i = 0; sim_loads[i]; i++)
		if (!strcmp(sim_loads[i]->name, name))
			return sim_loads[i];
	return NULL;
}

static bool sim_set_strategy(void *settings, const char *text)
{
	struct sim_settings *s = settings;

	s->strategy = cp_strategy_find(text);
	return s->strategy;
}

static const char *sim_strategies(void)
{
	static char names[256];

	cp_strategy_names(names, sizeof(names));
	return names;
}

static bool sim_set_freetol(void *settings, const char *text)
{
	u64 n;

	if (!lab_number(text, 1, PAGE_SIZE, &n))
		return false;
	((struct sim_settings *)settings)->freetol = n;
	return true;
}

static const char *sim_freetols(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "1 to %lu bytes", PAGE_SIZE);
	return text;
}

static bool sim_set_phi0(void *settings, const char *text)
{
	u64 n;

	if (!lab_number(text, 1, PAGE_SIZE, &n))
		return false;
	((struct sim_settings *)settings)->phi0 = n;
	return true;
}

static const char *sim_phi0s(void)
{
	return "1 to the blocks of a page";
}

static bool sim_set_keep(void *settings, const char *text)
{
	u64 n = CP_KEEP_ALL;

	if (strcmp(text, "all") && !lab_number(text, 0, 65536, &n))
		return false;
	((struct sim_settings *)settings)->keep = n;
	return true;
}

static const char *sim_keeps(void)
{
	return "0 to 65536 or all";
}

static bool sim_set_sizemap(void *settings, const char *text)
{
	struct sim_settings *s = settings;

	s->tailored = !strcmp(text, "tailored");
	return s->tailored || lab_set_sizemap(settings, text);
}

static bool sim_set_sets(void *settings, const char *text)
{
	return sim_lru_set(&((struct sim_settings *)settings)->lru, text);
}

static bool sim_set_seed(void *settings, const char *text)
{
	return lab_number(text, 0, UINT64_MAX,
			  &((struct sim_settings *)settings)->seed);
}

static const char *sim_seeds(void)
{
	return "0 to 18446744073709551615";
}

/* Seconds, whole or with decimals. */
static bool sim_decimal(const char *text, double min, double max, double *to)
{
	char *end;

	if (strspn(text, "0123456789.") != strlen(text))
		return false;
	*to = strtod(text, &end);
	return *text && !*end && *to >= min && *to <= max;
}

static bool sim_set_seconds(void *settings, const char *text)
{
	return sim_decimal(text, 0.001, 1e9,
			   &((struct sim_settings *)settings)->seconds);
}

static bool sim_set_warmup(void *settings, const char *text)
{
	return sim_decimal(text, 0, 1e9,
			   &((struct sim_settings *)settings)->warmup);
}

static const char *sim_times(void)
{
	return "simulated seconds, up to 1000000000";
}

static bool sim_set_rate(void *settings, const char *text)
{
	return sim_decimal(text, 0.001, 1000,
			   &((struct sim_settings *)settings)->rate);
}

static bool sim_set_first_rate(void *settings, const char *text)
{
	return sim_decimal(text, 0.001, 1000,
			   &((struct sim_settings *)settings)->first_rate);
}

static const char *sim_rates(void)
{
	return "0.001 to 1000";
}

static bool sim_set_variant(void *settings, const char *text)
{
	((struct sim_settings *)settings)->variant = text;
	return true;
}

static const char *sim_variants(void)
{
	static char text[512];
	size_t len = 0;
	unsigned int i, v;

	for (i = 0; sim_loads[i]; i++) {
		if (!sim_loads[i]->variants)
			continue;
		len += scnprintf(text + len, sizeof(text) - len, "%s%s",
				 len ? "; of " : "of ", sim_loads[i]->name);
		for (v = 0; sim_loads[i]->variants[v]; v++)
			len += scnprintf(text + len, sizeof(text) - len, " %s",
					 sim_loads[i]->variants[v]);
	}
	return text;
}

static bool sim_set_json(void *settings, const char *text)
{
	((struct sim_settings *)settings)->json = true;
	return true;
}

static const struct lab_option sim_options[] = {
	{ "--strategy", "S", "picks the next current page (default mru)",
	  sim_set_strategy, sim_strategies },
	{ "--freetol", "N", "free before a page can be current again (default 1)",
	  sim_set_freetol, sim_freetols },
	{ "--phi0", "N", "the same in blocks, for a load of one size",
	  sim_set_phi0, sim_phi0s },
	{ "--keep", "N", "empty pages that a class keeps (default all)",
	  sim_set_keep, sim_keeps },
	{ "--sizemap", "MAP", "size classes (default brent); or tailored, to the load",
	  sim_set_sizemap, lab_sizemaps },
	{ "--ffcrossover", "N", "larger ones go to first fit (default a quarter page)",
	  lab_set_crossover, lab_crossovers },
	{ "--working-set", "N,...", "pages that fit into memory",
	  sim_set_sets, sim_lru_allowed },
	{ "--seed", "N", "(default 1)", sim_set_seed, sim_seeds },
	{ "--seconds", "T", "until the end", sim_set_seconds, sim_times },
	{ "--warmup", "T", "until measuring starts", sim_set_warmup, sim_times },
	{ "--rate", "X", "requests come so many times as often (default 1)",
	  sim_set_rate, sim_rates },
	{ "--first-rate", "X", "the same, until measuring starts",
	  sim_set_first_rate, sim_rates },
	{ "--variant", "V", "a reading of what the paper leaves open",
	  sim_set_variant, sim_variants },
	{ "--json", NULL, "print JSON", sim_set_json, NULL },
	{ }
};

static struct sim_settings sim_settings = {
	.strategy = &cp_strategy_mru,
	.freetol = 1,
	.keep = CP_KEEP_ALL,
	.seconds = -1,
	.warmup = -1,
	.rate = 1,
	.seed = 1,
};

static int sim_bad(const char *format, const char *value, const char *allowed)
{
	fputs("lab: ", stderr);
	fprintf(stderr, format, value, allowed);
	fputs("\n", stderr);
	return LAB_BAD;
}

static bool sim_has_variant(const struct sim_load *load, const char *name)
{
	unsigned int i;

	for (i = 0; load->variants && load->variants[i]; i++)
		if (!strcmp(load->variants[i], name))
			return true;
	return false;
}

static void sim_load_names(char *text, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; sim_loads[i]; i++)
		len += scnprintf(text + len, size - len, "%s%s", i ? ", " : "",
				 sim_loads[i]->name);
}

static int sim_command(void *settings, const char *name)
{
	struct sim_settings *s = settings;
	char names[256];

	s->load = sim_load_find(name);
	if (!s->load) {
		sim_load_names(names, sizeof(names));
		return sim_bad("load '%s': must be one of %s", name, names);
	}
	if (s->tailored && !s->load->sizes)
		return sim_bad("--sizemap '%s': must not be for load %s, it has one size only",
			       "tailored", name);
	if (s->variant && !sim_has_variant(s->load, s->variant))
		return sim_bad("--variant '%s': must be %s", s->variant,
			       sim_variants());
	if (!s->variant && s->load->variants)
		s->variant = s->load->variants[0];
	return sim_run(s);
}

static const struct lab_command lab_sim = {
	.name = "sim",
	.operand = "LOAD",
	.about =
"\n"
"Runs a program that uses the allocator, with memory that is paged strictly by\n"
"what was used least recently, and prints what it has cost. The loads:\n"
"  pqsim       events in a priority queue, a leftist tree of 20-byte nodes\n"
"  cambridg    storage of an operating system, blocks of 8 to 4096 bytes\n"
"  yktvmv      the same of a larger system\n",
	.options = sim_options,
	.run = sim_command,
	.settings = &sim_settings,
};
LAB_COMMAND(lab_sim);
