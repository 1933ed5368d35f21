// SPDX-License-Identifier: GPL-2.0
/*
 * lab slub: a model of SLUB on a trace, its caches as /proc/slabinfo and
 * /sys/kernel/slab would have them, every so many events.
 */
#include "run.h"
#include "slub.h"

static const struct lab_choice slub_models[] = {
	{ "6.12", "up to 6.17" },
	{ "7", "7.0 and later" },
};

struct slub_settings {
	u64 sample, cpus;
	unsigned int model;		/* index in slub_models[] */
	bool no_cpu_partial;
	bool json;
};

struct slub_run {
	const struct slub_settings *set;
	const struct engine_trace *trace;
	struct engine engine;
	void **block;			/* by ID, while it is live */
	unsigned int samples;
};

static const struct slub *slub_run_state(const struct slub_run *r)
{
	return r->engine.state;
}

static void slub_json_caches(const struct slub *s, FILE *to)
{
	unsigned int i;

	fputs("\"caches\": [", to);
	for (i = 0; i < SLUB_CLASSES; i++) {
		const struct slub_cache *c = &s->cache[i];

		fprintf(to, "%s\n  {\"size\": %u, \"order\": %u, \"objects\": %u, ",
			i ? "," : "", c->size, c->order, c->objects);
		fprintf(to, "\"min_partial\": %u, ", c->min_partial);
		if (c->capacity)
			fprintf(to, "\"sheaf_capacity\": %u}", c->capacity);
		else
			fprintf(to, "\"cpu_partial_slabs\": %u}",
				c->cpu_partial_slabs);
	}
	fputs("],\n\"samples\": [", to);
}

static void slub_sample(struct slub_run *r, size_t events, FILE *to)
{
	const struct slub *s = slub_run_state(r);
	unsigned int i;

	if (!r->set->json) {
		fprintf(to, "%9zu %9lu %9lu", events, s->pages, s->large);
		for (i = 0; i < SLUB_CLASSES; i++)
			fprintf(to, " %6lu", s->cache[i].nr_slabs);
		fputc('\n', to);
		return;
	}
	fprintf(to, "%s\n  {\"events\": %zu, \"pages\": %lu, \"large\": %lu, \"slabs\": [",
		r->samples++ ? "," : "", events, s->pages, s->large);
	for (i = 0; i < SLUB_CLASSES; i++)
		fprintf(to, "%s%lu", i ? ", " : "", s->cache[i].nr_slabs);
	fputs("], \"partial\": [", to);
	for (i = 0; i < SLUB_CLASSES; i++)
		fprintf(to, "%s%u", i ? ", " : "", s->cache[i].nr_partial);
	fputs("]}", to);
}

static void slub_head(const struct slub_run *r, FILE *to)
{
	const struct slub *s = slub_run_state(r);
	unsigned int i;

	if (r->set->json) {
		fprintf(to, "{\"model\": \"%s\", \"cpus\": %lu,\n",
			slub_models[r->set->model].name, r->set->cpus);
		slub_json_caches(s, to);
		return;
	}
	fprintf(to, "%9s %9s %9s", "events", "pages", "large");
	for (i = 0; i < SLUB_CLASSES; i++)
		fprintf(to, " %6u", s->cache[i].size);
	fputc('\n', to);
}

static bool slub_event(struct slub_run *r, const struct engine_event *ev)
{
	const struct engine_kind *kind = r->engine.kind;

	if (ev->size) {
		r->block[ev->id] = kind->alloc(&r->engine, ev->size);
		return r->block[ev->id];
	}
	kind->free(&r->engine, r->block[ev->id]);
	return true;
}

static int slub_events(struct slub_run *r, FILE *to)
{
	size_t i;

	for (i = 0; i < r->trace->nr; i++) {
		if (!slub_event(r, &r->trace->event[i])) {
			fprintf(stderr, "lab: slub: event %zu: out of memory\n",
				i + 1);
			return LAB_FAILED;
		}
		if ((i + 1) % r->set->sample == 0 || i + 1 == r->trace->nr)
			slub_sample(r, i + 1, to);
	}
	return 0;
}

static bool slub_run_tune(struct slub_run *r)
{
	char cpus[24];

	snprintf(cpus, sizeof(cpus), "cpus=%lu", r->set->cpus);
	return r->engine.kind->tune(&r->engine, cpus) &&
	       (!r->set->no_cpu_partial ||
		r->engine.kind->tune(&r->engine, "cpu-partial=off"));
}

static int slub_run_all(struct slub_run *r, FILE *to)
{
	int status;

	if (!engine_memory(&r->engine, ENGINE_SPACE))
		return LAB_FAILED;
	if (!r->engine.kind->start(&r->engine)) {
		engine_memory_free(&r->engine);
		return LAB_FAILED;
	}
	if (slub_run_tune(r)) {
		slub_head(r, to);
		status = slub_events(r, to);
		fputs(r->set->json ? "]}\n" : "", to);
	} else {
		fprintf(stderr, "lab: --no-cpu-partial: not for --model %s: must be 6.12\n",
			slub_models[r->set->model].name);
		status = LAB_BAD;
	}
	r->engine.kind->stop(&r->engine);
	engine_memory_free(&r->engine);
	return status;
}

static const struct engine_kind *slub_kind(const char *model)
{
	const struct engine_kind **kinds, *kind;
	char name[16];

	snprintf(name, sizeof(name), "slub-%s", model);
	kinds = engine_select(name);
	kind = kinds ? *kinds : NULL;
	free(kinds);
	return kind;
}

static struct slub_settings slub_settings = {
	.sample = 1000,
	.cpus = 2,
};

static const struct lab_option slub_options[] = {
	LAB_CHOICE("model", "M", slub_settings.model, slub_models,
		   ARRAY_SIZE(slub_models), "the SLUB of these kernels",
		   .about = offsetof(struct lab_choice, about)),
	LAB_UINT("cpus", "N", slub_settings.cpus, 1, SLUB_CPUS_MAX,
		 "CPUs of the machine, which the orders of slabs follow from"),
	LAB_UINT("sample", "N", slub_settings.sample, 1, U32_MAX,
		 "from one line to the next", .unit = "events"),
	LAB_FLAG("no-cpu-partial", slub_settings.no_cpu_partial,
		 "without the partial lists of CPUs"),
	LAB_FLAG("json", slub_settings.json, "print JSON"),
	{ }
};

static int slub_command(const char *operand)
{
	const struct slub_settings *s = &slub_settings;
	struct engine_trace t = { };
	struct slub_run r = { .set = s, .trace = &t };
	int status = engine_trace_read(&t, operand);

	r.engine.kind = slub_kind(slub_models[s->model].name);
	r.block = calloc(t.ids + 1, sizeof(*r.block));
	if (!status && r.block)
		status = slub_run_all(&r, stdout);
	if (!r.block || fflush(stdout) || ferror(stdout)) {
		perror("lab: slub");
		status = LAB_FAILED;
	}
	free(r.block);
	engine_trace_end(&t);
	return status;
}

static const struct lab_command lab_slub = {
	.name = "slub",
	.operand = "TRACE",
	.about =
"\n"
"Replays a trace with a model of SLUB, all on one CPU, and prints its pages,\n"
"those of blocks of whole pages, and the slabs of each size.\n",
	.options = slub_options,
	.run = slub_command,
};
LAB_COMMAND(lab_slub);
