// SPDX-License-Identifier: GPL-2.0
/* Random traces.  Seed, profile and length determine the trace. */
#include "lab.h"

#define GEN_EVENTS	100000000	/* at most */

enum gen_step { GEN_ALLOC, GEN_FREE };

/* The live IDs, and freed IDs, which may be used again. */
struct gen {
	u64 state;
	u64 event, events;
	u32 *live, *freed;
	u32 nr_live, nr_freed, next_id;
};

struct gen_profile {
	const char *name;
	const char *about;
	u32 max_live;		/* or 3/10 of the events if that is less */
	enum gen_step (*step)(struct gen *g, u32 max_live);
	u32 (*size)(struct gen *g);
	u32 (*victim)(struct gen *g);	/* index in live[] of the ID to free */
};

struct gen_settings {
	u64 seed, events, live;	/* live: 0 for the profile's max_live */
	unsigned int profile;	/* index in gen_profiles[] */
};

static u64 gen_random(struct gen *g)
{
	return lab_random(&g->state);
}

static u32 gen_below(struct gen *g, u32 n)
{
	return (gen_random(g) >> 32) * n >> 32;
}

/* Draw a size from 2 to 2^bits.  Each power of two is equally likely. */
static u32 gen_log_size(struct gen *g, unsigned int bits)
{
	u32 top = 1u << gen_below(g, bits);

	return top + gen_below(g, top) + 1;
}

static u32 gen_size_64(struct gen *g)
{
	return 64;
}

static u32 gen_size_64_or_256(struct gen *g)
{
	return gen_below(g, 2) ? 64 : 256;
}

/* Draw a size of all kinds: one of 50 is a page block. */
static u32 gen_size_mix(struct gen *g)
{
	if (!gen_below(g, 50))
		return PAGE_SIZE + gen_log_size(g, 16);
	return gen_below(g, 500) ? gen_log_size(g, 12) : 1;
}

static u32 gen_size_blocks(struct gen *g)
{
	return gen_below(g, 4) ? PAGE_SIZE + gen_log_size(g, 18) :
				 gen_log_size(g, 12);
}

/* Draw one of two sizes, which change with each eighth of the trace. */
static u32 gen_size_phases(struct gen *g)
{
	static const u16 sizes[][2] = {
		{ 24, 40 }, { 192, 1024 }, { 8, 4096 }, { 96, 100 },
		{ 512, 1360 }, { 48, 2048 }, { 16, 700 }, { 128, 320 },
	};
	u64 phase = g->event * ARRAY_SIZE(sizes) / g->events;

	return sizes[phase][gen_below(g, 2)];
}

static u32 gen_victim_any(struct gen *g)
{
	return gen_below(g, g->nr_live);
}

/* Mostly pick one of the 16 newest blocks, as on a stack. */
static u32 gen_victim_late(struct gen *g)
{
	u32 window = min(g->nr_live, 16u);

	if (!gen_below(g, 4))
		return gen_below(g, g->nr_live);
	return g->nr_live - 1 - gen_below(g, window);
}

static enum gen_step gen_toward(struct gen *g, u32 target)
{
	bool more = g->nr_live < target;

	return more == !!gen_below(g, 4) ? GEN_ALLOC : GEN_FREE;
}

/* Grow to max_live and fall to a quarter of it, four times. */
static enum gen_step gen_waves(struct gen *g, u32 max_live)
{
	return gen_toward(g, g->event * 8 / g->events % 2 ? max_live / 4 :
							    max_live);
}

/*
 * Allocate max_live blocks, free half of them, then free and allocate by turns.
 */
static enum gen_step gen_drop_and_churn(struct gen *g, u32 max_live)
{
	if (g->event < max_live)
		return GEN_ALLOC;
	if (g->event < max_live + max_live / 2)
		return GEN_FREE;
	return (g->event - max_live - max_live / 2) % 2 ? GEN_ALLOC : GEN_FREE;
}

static const struct gen_profile gen_profiles[] = {
	{ "mix", "all sizes, some page blocks", 20000,
	  gen_waves, gen_size_mix, gen_victim_any },
	{ "fixed", "64 bytes only", 48000,
	  gen_waves, gen_size_64, gen_victim_any },
	{ "churn", "64 and 256 bytes, half dropped, then churn", 48000,
	  gen_drop_and_churn, gen_size_64_or_256, gen_victim_any },
	{ "drop", "64 bytes only, half dropped, then churn", 48000,
	  gen_drop_and_churn, gen_size_64, gen_victim_any },
	{ "phases", "other sizes from time to time, late ones die first", 20000,
	  gen_waves, gen_size_phases, gen_victim_late },
	{ "blocks", "mostly page blocks", 400,
	  gen_waves, gen_size_blocks, gen_victim_any },
};

static u32 gen_id(struct gen *g)
{
	if (g->nr_freed && gen_below(g, 2))
		return g->freed[--g->nr_freed];
	return g->next_id++;
}

static void gen_event(struct gen *g, const struct gen_profile *p, u32 max_live,
		      const struct lab_gen_to *to)
{
	u32 id, place;

	if (!g->nr_live || p->step(g, max_live) == GEN_ALLOC) {
		id = gen_id(g);
		g->live[g->nr_live++] = id;
		to->alloc(to->data, id, p->size(g));
		return;
	}
	place = p->victim(g);
	id = g->live[place];
	g->live[place] = g->live[--g->nr_live];
	g->freed[g->nr_freed++] = id;
	to->free(to->data, id);
}

/* Make all requests of a trace.  Return: false without memory. */
static bool gen_make(const struct gen_settings *s, const struct lab_gen_to *to)
{
	const struct gen_profile *p = &gen_profiles[s->profile];
	u32 max_live = s->live ?: max_t(u64, 1, min_t(u64, p->max_live,
						      s->events * 3 / 10));
	struct gen g = { .state = s->seed, .events = s->events };
	bool ok;

	g.live = calloc(s->events, sizeof(*g.live));
	g.freed = calloc(s->events, sizeof(*g.freed));
	ok = g.live && g.freed;
	for (; ok && g.event < g.events; g.event++)
		gen_event(&g, p, max_live, to);
	free(g.live);
	free(g.freed);
	return ok;
}

static void gen_print_alloc(void *data, u32 id, u32 size)
{
	printf("a %u %u\n", id, size);
}

static void gen_print_free(void *data, u32 id)
{
	printf("f %u\n", id);
}

static struct gen_settings gen_settings = {
	.seed = 1,
	.events = 100000,
};

static int gen_run(const char *operand)
{
	static const struct lab_gen_to print = { gen_print_alloc,
						 gen_print_free };
	const struct gen_settings *s = &gen_settings;

	printf("# lab gen --seed %lu --events %lu --profile %s", s->seed,
	       s->events, gen_profiles[s->profile].name);
	if (s->live)
		printf(" --live %lu", s->live);
	putchar('\n');
	if (!gen_make(s, &print)) {
		perror("lab: gen");
		return LAB_FAILED;
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("lab: standard output");
		return LAB_FAILED;
	}
	return 0;
}

bool lab_gen_make(const char *profile, u64 seed, u64 events, u64 live,
		  const struct lab_gen_to *to)
{
	struct gen_settings s = { .seed = seed, .events = events,
				  .live = live };

	for (; s.profile < ARRAY_SIZE(gen_profiles); s.profile++)
		if (!strcmp(gen_profiles[s.profile].name, profile))
			return gen_make(&s, to);
	return false;
}

static const struct lab_option gen_options[] = {
	LAB_UINT("seed", "N", gen_settings.seed, 0, U64_MAX,
		 "seed of the random numbers"),
	LAB_UINT("events", "N", gen_settings.events, 1, GEN_EVENTS,
		 "requests to print"),
	LAB_CHOICE("profile", "P", gen_settings.profile, gen_profiles,
		   ARRAY_SIZE(gen_profiles), "sizes and lifetimes",
		   .about = offsetof(struct gen_profile, about)),
	LAB_UINT("live", "N", gen_settings.live, 1, GEN_EVENTS,
		 "most blocks live at a time, by default the profile's and at most 3 in 10 events"),
	{ }
};

static const struct lab_command lab_gen = {
	.name = "gen",
	.about = "\nPrints a random trace, the same for the same options.\n",
	.options = gen_options,
	.run = gen_run,
};
LAB_COMMAND(lab_gen);
