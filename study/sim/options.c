// SPDX-License-Identifier: GPL-2.0
/* The command line of a simulation, and the table of loads. */
#include "load.h"
#include "mm_options.h"

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

static struct sim_settings sim_settings = {
	.strategy = &cp_strategy_mru,
	.freetol = 1,
	.keep = CP_KEEP_ALL,
	.sizemap = "brent",
	.seconds = -1,
	.warmup = -1,
	.rate = 1,
	.seed = 1,
};

static bool sim_sizemap_set(const struct lab_option *o, const char *text)
{
	if (strcmp(text, "best"))
		return lab_sizemap_type.set(o, text);
	*o->text = text;
	return true;
}

static void sim_sizemap_allowed(const struct lab_option *o, FILE *to)
{
	fputs("best, ", to);
	lab_sizemap_type.allowed(o, to);
}

static const struct lab_type sim_sizemap_type = {
	sim_sizemap_set, sim_sizemap_allowed, lab_text_print
};

static void sim_variants(const struct lab_option *o, FILE *to)
{
	const char *between = "of ";
	unsigned int i, v;

	for (i = 0; sim_loads[i]; i++) {
		if (!sim_loads[i]->variants)
			continue;
		fprintf(to, "%s%s", between, sim_loads[i]->name);
		for (v = 0; sim_loads[i]->variants[v]; v++)
			fprintf(to, " %s", sim_loads[i]->variants[v]);
		between = "; of ";
	}
}

/* Which load it is for is not known before the operand. */
static bool sim_variant_set(const struct lab_option *o, const char *text)
{
	*o->text = text;
	return true;
}

static const struct lab_type sim_variant_type = {
	sim_variant_set, sim_variants, lab_text_print
};

static const struct lab_option sim_options[] = {
	LAB_STRATEGY(sim_settings.strategy, "picks the next current page"),
	LAB_FREETOL(sim_settings.freetol),
	LAB_UINT("phi0", "N", sim_settings.phi0, 1, PAGE_SIZE,
		 "the same in blocks, for a load of one size",
		 .unit = "blocks"),
	LAB_KEEP(sim_settings.keep),
	LAB_OWN("sizemap", "MAP", sim_sizemap_type, &sim_settings.sizemap,
		"size classes; best is made for the load"),
	LAB_CROSSOVER(),
	SIM_WORKING_SET(sim_settings.lru, "sizes of the memory"),
	LAB_UINT("seed", "N", sim_settings.seed, 0, U64_MAX,
		 "seed of the random numbers"),
	LAB_REAL("seconds", "T", sim_settings.seconds, 0.001, 1e9,
		 "length of the run, by default the load's",
		 .unit = "simulated seconds"),
	LAB_REAL("warmup", "T", sim_settings.warmup, 0, 1e9,
		 "until measuring starts, by default the load's",
		 .unit = "simulated seconds"),
	LAB_REAL("rate", "X", sim_settings.rate, 0.001, 1000,
		 "requests, as a multiple of the load's"),
	LAB_REAL("first-rate", "X", sim_settings.first_rate, 0.001, 1000,
		 "the same until measuring starts, by default as --rate"),
	LAB_OWN("variant", "V", sim_variant_type, &sim_settings.variant,
		"a reading of what the paper leaves open"),
	LAB_FLAG("json", sim_settings.json, "print JSON"),
	{ }
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

static int sim_command(const char *name)
{
	struct sim_settings *s = &sim_settings;
	char names[256];

	s->load = sim_load_find(name);
	if (!s->load) {
		sim_load_names(names, sizeof(names));
		return sim_bad("load '%s': must be one of %s", name, names);
	}
	s->best = !strcmp(s->sizemap, "best");
	if (s->best && !s->load->sizes)
		return sim_bad("--sizemap '%s': must not be for load %s, it has one size only",
			       "best", name);
	if (s->variant && !sim_has_variant(s->load, s->variant)) {
		fprintf(stderr, "lab: --variant '%s': must be ", s->variant);
		sim_variants(NULL, stderr);
		fputc('\n', stderr);
		return LAB_BAD;
	}
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
"  tridiag     a 128 by 128 matrix made tridiagonal, queues of 6-byte blocks\n"
"  cambridg    storage of an operating system, blocks of 8 to 4096 bytes\n"
"  yktvmv      the same of a larger system\n",
	.options = sim_options,
	.run = sim_command,
};
LAB_COMMAND(lab_sim);
