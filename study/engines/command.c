// SPDX-License-Identifier: GPL-2.0
/* lab engine: engines on a trace or a load, each in a process of its own. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

#define COMMAND_LOADS	2048	/* bytes of their names */

enum command_what { COMMAND_TUNE, COMMAND_RUN, COMMAND_TIME };

static void command_child(struct engine_outcome *o, const struct engine_trace *t,
			  const struct engine_settings *s,
			  enum command_what what, unsigned int pass)
{
	struct engine_result *r = &o->result;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (what == COMMAND_TUNE) {
		r->tunes = engine_tunes(o->kind, t, s);
	} else if (what == COMMAND_TIME) {
		r->pass[pass] = engine_time(o->kind, t, s);
	} else {
		r->pid = getpid();
		engine_run(o->kind, t, s, r);
	}
	exit(0);
}

/* Does it in a process of its own: who falls over takes nobody with it. */
static bool command_apart(struct engine_outcome *o, const struct engine_trace *t,
			  const struct engine_settings *s,
			  enum command_what what, unsigned int pass)
{
	struct engine_result *r = &o->result;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		command_child(o, t, s, what, pass);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return true;
	r->ran = false;
	snprintf(r->why, sizeof(r->why), "it ended with %s %d",
		 WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return false;
}

/* Before anything is run: an engine that does not know the text is said. */
static bool command_tunes(struct engine_outcome *o, unsigned int nr,
			  const struct engine_trace *t,
			  const struct engine_settings *s)
{
	unsigned int i;

	for (i = 0; s->tune && i < nr; i++) {
		command_apart(&o[i], t, s, COMMAND_TUNE, 0);
		if (o[i].result.tunes)
			continue;
		if (o[i].kind->tunes)
			fprintf(stderr, "lab: --tune '%s': must be %s for %s\n",
				s->tune, o[i].kind->tunes, o[i].kind->name);
		else
			fprintf(stderr, "lab: --tune '%s': must not be with %s, which has one way of working\n",
				s->tune, o[i].kind->name);
		return false;
	}
	return true;
}

static int command_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* False if it is at fault; an engine that is not on this machine is not. */
static bool command_measure(struct engine_outcome *o,
			    const struct engine_trace *t,
			    const struct engine_settings *s)
{
	if (!command_apart(o, t, s, COMMAND_RUN, 0))
		return false;
	return o->result.ran ||
	       !strncmp(o->result.why, ENGINE_ABSENT, strlen(ENGINE_ABSENT));
}

/* Engines take turns: what else the machine does is the same for all of them. */
static bool command_time(struct engine_outcome *o, unsigned int nr,
			 const struct engine_trace *t,
			 const struct engine_settings *s)
{
	unsigned int pass, i;
	bool ok = true;

	for (pass = 0; pass < s->time; pass++)
		for (i = 0; i < nr; i++)
			if (o[i].result.ran)
				ok &= command_apart(&o[i], t, s, COMMAND_TIME,
						    pass);
	for (i = 0; i < nr; i++) {
		struct engine_result *r = &o[i].result;

		qsort(r->pass, s->time, sizeof(*r->pass), command_compare);
		r->seconds = s->time ? r->pass[s->time / 2] : 0;
	}
	return ok;
}

static void command_print(const struct engine_outcome *o, unsigned int nr,
			  const struct engine_trace *t, const char *load,
			  const struct engine_settings *s)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!o[i].result.ran)
			fprintf(stderr, "lab: %s: %s\n", o[i].kind->name,
				o[i].result.why);
	if (s->json)
		engine_json(o, nr, t, load, s, stdout);
	else
		engine_print(o, nr, t, stdout);
}

/* A memory in which an engine has no room for its own first words. */
static bool command_small(const struct engine_outcome *o, unsigned int nr)
{
	bool small = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!o[i].result.small)
			continue;
		small = true;
		fprintf(stderr, "lab: --memory: %zu bytes are too few for %s: must be more, with a smaller percentage or a larger trace\n",
			o[i].result.memory, o[i].kind->name);
	}
	return small;
}

/* What the children found is in memory shared with them. */
static int command_all(const struct engine_settings *s,
		       const struct engine_trace *t, const char *load)
{
	const struct engine_kind **kinds = engine_select(s->engines);
	struct engine_outcome *o;
	unsigned int nr = 0, i;
	bool ok = true;
	int status = 0;

	while (kinds && kinds[nr])
		nr++;
	o = mmap(NULL, (nr + 1) * sizeof(*o), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!kinds || o == MAP_FAILED) {
		perror("lab: engine");
		return LAB_FAILED;
	}
	for (i = 0; i < nr; i++)
		o[i].kind = kinds[i];
	if (!command_tunes(o, nr, t, s))
		status = LAB_BAD;
	for (i = 0; !status && i < nr; i++)
		ok &= command_measure(&o[i], t, s);
	if (command_small(o, nr))
		status = LAB_BAD;
	if (!status) {
		ok &= command_time(o, nr, t, s);
		command_print(o, nr, t, load, s);
	}
	munmap(o, (nr + 1) * sizeof(*o));
	free(kinds);
	if (fflush(stdout) || ferror(stdout)) {
		perror("lab: standard output");
		return LAB_FAILED;
	}
	return status ?: ok ? 0 : LAB_FAILED;
}

/* Only the first events, if so many are enough. */
static void command_cut(struct engine_trace *t, u64 limit)
{
	struct engine_trace cut = { .warm = t->warm };
	size_t i;

	if (!limit || limit >= t->nr)
		return;
	for (i = 0; i < limit; i++) {
		const struct engine_event *ev = &t->event[i];

		if (ev->size)
			engine_trace_alloc(&cut, ev->id, ev->size);
		else
			engine_trace_free(&cut, ev->id);
	}
	cut.warm = min(cut.warm, cut.nr);
	engine_trace_end(t);
	*t = cut;
}

/* A load if it is called so, else a file. */
static int command_trace(struct engine_trace *t, const char *name, u64 seed)
{
	const struct engine_load *l = engine_load_find(name);
	char loads[COMMAND_LOADS];

	if (l) {
		if (l->make(t, l, seed) && !t->short_of_memory)
			return 0;
		fprintf(stderr, "lab: load %s cannot be made\n", name);
		return LAB_FAILED;
	}
	if (strcmp(name, "-") && access(name, F_OK)) {
		engine_load_names(loads, sizeof(loads));
		fprintf(stderr, "lab: '%s': must be a trace, or one of the loads %s\n",
			name, loads);
		return LAB_BAD;
	}
	return engine_trace_read(t, name);
}

static bool engines_set(const struct lab_option *o, const char *text)
{
	const struct engine_kind **kinds = engine_select(text);

	if (kinds)
		*o->text = text;
	free(kinds);
	return kinds;
}

static void engines_allowed(const struct lab_option *o, FILE *to)
{
	fputs("all, a family or engines with commas between them, as lab engines lists them",
	      to);
}

static const struct lab_type engines_type = {
	engines_set, engines_allowed, lab_text_print
};

static bool tune_set(const struct lab_option *o, const char *text)
{
	struct engine_settings *s = o->to;
	const char *colon = strchr(text, ':');
	char number[24] = "";

	if (colon && colon - text < (long)sizeof(number))
		memcpy(number, text, colon - text);
	s->tune = colon ? colon + 1 : "";
	return lab_number(number, 1, U32_MAX, &s->tune_at) && *s->tune;
}

static void tune_allowed(const struct lab_option *o, FILE *to)
{
	fprintf(to, "EVENT:TEXT, EVENT from 1 to %u", U32_MAX);
}

static const struct lab_type tune_type = {
	.set = tune_set,
	.allowed = tune_allowed,
};

static struct engine_settings settings = { .engines = "all" };

static const struct lab_option options[] = {
	LAB_OWN("engine", "E,...", engines_type, &settings.engines,
		"engines to run"),
	LAB_REAL("memory", "N", settings.level, 1, 100,
		 "most live bytes in the memory that an engine has, by default 50 where memory is fixed, else no bound; peers have none",
		 .unit = "percent"),
	LAB_FLAG("pure", settings.pure,
		 "without headers, alignment and least size: each request 16 times as large"),
	SIM_WORKING_SET(settings.lru,
			"also print page faults with memory of this size"),
	LAB_FLAG("verify", settings.verify,
		 "look for blocks that overlap or change, and memory that is lost"),
	LAB_FLAG("drain", settings.drain,
		 "free all blocks in the end, and print what is used then"),
	LAB_UINT("time", "N", settings.time, 1, ENGINE_TIMES,
		 "also print the median time of N passes", .unit = "passes"),
	LAB_UINT("curve", "N", settings.curve, 1, ENGINE_CURVE,
		 "with --json also bytes asked for, live and held",
		 .unit = "points"),
	LAB_OWN("tune", "EVENT:TEXT", tune_type, &settings,
		"give the engines TEXT before EVENT"),
	LAB_UINT("limit", "N", settings.limit, 1, U32_MAX,
		 "only the first events", .unit = "events"),
	LAB_UINT("seed", "N", settings.seed, 1, 2147483646,
		 "seed of a load, by default its own"),
	LAB_FLAG("json", settings.json, "print JSON"),
	{ }
};

static int command_run(const char *operand)
{
	const struct engine_settings *s = &settings;
	struct engine_trace t = { };
	int status;

	if (s->curve && !s->json) {
		fprintf(stderr, "lab: --curve '%u': must be with --json\n",
			s->curve);
		return LAB_BAD;
	}
	status = command_trace(&t, operand, s->seed);
	if (!status) {
		command_cut(&t, s->limit);
		if (t.short_of_memory) {
			fputs("lab: out of memory\n", stderr);
			status = LAB_FAILED;
		}
	}
	if (!status && !t.nr) {
		fprintf(stderr, "lab: %s: no requests: must have at least one\n",
			operand);
		status = LAB_BAD;
	}
	if (!status)
		status = command_all(s, &t, operand);
	engine_trace_end(&t);
	return status;
}

static const struct lab_command lab_engine = {
	.name = "engine",
	.operand = "LOAD|TRACE",
	.about =
"\n"
"Makes the requests of a load or a trace of allocators of all times, each in a\n"
"process of its own, and prints what they cost. lab engines lists both.\n",
	.options = options,
	.run = command_run,
};
LAB_COMMAND(lab_engine);

/* lab engines: a list. */
static int list_run(const char *operand)
{
	engine_list(stdout);
	return 0;
}

static const struct lab_option no_options[] = { { } };

static const struct lab_command lab_engines = {
	.name = "engines",
	.about = "\nPrints the names of all engines and loads.\n",
	.options = no_options,
	.run = list_run,
};
LAB_COMMAND(lab_engines);
