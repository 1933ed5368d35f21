// SPDX-License-Identifier: GPL-2.0
/* The command line of Kaufman's simulation. */
#include "kaufman.h"

static bool kaufman_set_policy(void *settings, const char *text)
{
	struct kaufman_settings *s = settings;
	struct lab_settings one = { };

	s->policies = (1U << CP_NR_BUDDY_POLICIES) - 1;
	if (!strcmp(text, "all"))
		return true;
	if (!lab_set_buddy(&one, text))
		return false;
	s->policies = 1U << (one.arena.policy - cp_buddy_policies);
	return true;
}

static const char *kaufman_policies(void)
{
	static char text[CP_BUDDY_NAMES + 32];

	snprintf(text, sizeof(text), "%s, or all", lab_buddies());
	return text;
}

static bool kaufman_set_sizes(void *settings, const char *text)
{
	struct kaufman_settings *s = settings;

	for (s->sizes = kaufman_sizes; s->sizes->name; s->sizes++)
		if (!strcmp(s->sizes->name, text))
			return true;
	return false;
}

static const char *kaufman_sizes_names(void)
{
	static char text[256];
	const struct kaufman_sizes *sizes;
	size_t len = 0;

	for (sizes = kaufman_sizes; sizes->name; sizes++)
		len += scnprintf(text + len, sizeof(text) - len, "%s%s (%s)",
				 len ? ", " : "", sizes->name, sizes->about);
	return text;
}

/* One or two means, a comma between. */
static bool kaufman_set_mean(void *settings, const char *text)
{
	struct kaufman_settings *s = settings;
	char *rest = strdup(text), *words = rest, *word;
	bool ok = words;

	s->nr_means = 0;
	while (ok && (word = strsep(&rest, ","))) {
		u64 n;

		ok = s->nr_means < KAUFMAN_MEANS && lab_number(word, 1, 256, &n);
		if (ok)
			s->mean[s->nr_means++] = n;
	}
	free(words);
	return ok;
}

static const char *kaufman_means(void)
{
	return "1 to 256 units, or two of them as in 40,200";
}

static bool kaufman_set_number(const char *text, u64 min, u64 max,
			       unsigned int *number)
{
	u64 n;

	if (!lab_number(text, min, max, &n))
		return false;
	*number = n;
	return true;
}

#define KAUFMAN_TIME	10000000	/* at most */

static bool kaufman_set_period(void *settings, const char *text)
{
	return kaufman_set_number(text, 1, KAUFMAN_TIME,
				  &((struct kaufman_settings *)settings)->period);
}

static bool kaufman_set_lifetime(void *settings, const char *text)
{
	return kaufman_set_number(text, 1, KAUFMAN_TIME,
				  &((struct kaufman_settings *)settings)->lifetime);
}

static bool kaufman_set_interarrival(void *settings, const char *text)
{
	return kaufman_set_number(text, 1, KAUFMAN_TIME,
				  &((struct kaufman_settings *)settings)->interarrival);
}

static bool kaufman_set_units(void *settings, const char *text)
{
	return kaufman_set_number(text, 1, KAUFMAN_TIME,
				  &((struct kaufman_settings *)settings)->units);
}

static const char *kaufman_times(void)
{
	return "1 to 10000000 units of time";
}

static bool kaufman_set_reset(void *settings, const char *text)
{
	return kaufman_set_number(text, 0, KAUFMAN_TIME,
				  &((struct kaufman_settings *)settings)->reset);
}

static const char *kaufman_resets(void)
{
	return "0 to 10000000 units of time, less than --units";
}

static bool kaufman_set_deviation(void *settings, const char *text)
{
	return kaufman_set_number(text, 1, 100,
				  &((struct kaufman_settings *)settings)->deviation);
}

static const char *kaufman_deviations(void)
{
	return "1 to 100 percent of the mean";
}

static bool kaufman_set_outside(void *settings, const char *text)
{
	struct kaufman_settings *s = settings;

	s->clamp = !strcmp(text, "clamp");
	return s->clamp || !strcmp(text, "redraw");
}

static const char *kaufman_outsides(void)
{
	return "redraw, clamp";
}

static bool kaufman_set_seed(void *settings, const char *text)
{
	return lab_number(text, 0, UINT64_MAX,
			  &((struct kaufman_settings *)settings)->seed);
}

static const char *kaufman_seeds(void)
{
	return "0 to 18446744073709551615";
}

static bool kaufman_set_runs(void *settings, const char *text)
{
	return kaufman_set_number(text, 1, 100000,
				  &((struct kaufman_settings *)settings)->runs);
}

static const char *kaufman_runs(void)
{
	return "1 to 100000";
}

static bool kaufman_set_desired(void *settings, const char *text)
{
	struct lab_settings one = { };

	((struct kaufman_settings *)settings)->desired = text;
	return lab_set_desired(&one, text);
}

static bool kaufman_set_events(void *settings, const char *text)
{
	((struct kaufman_settings *)settings)->events = text;
	return *text;
}

static const char *kaufman_files(void)
{
	return "the name of a file";
}

static bool kaufman_set_json(void *settings, const char *text)
{
	((struct kaufman_settings *)settings)->json = true;
	return true;
}

static const struct lab_option kaufman_options[] = {
	{ "--policy", "P", "(default all)", kaufman_set_policy,
	  kaufman_policies },
	{ "--sizes", "D", "(default exponential)", kaufman_set_sizes,
	  kaufman_sizes_names },
	{ "--mean", "M", "of the sizes (default 100)", kaufman_set_mean,
	  kaufman_means },
	{ "--period", "T", "two means take turns (default 2500)",
	  kaufman_set_period, kaufman_times },
	{ "--deviation", "N", "of normal sizes (default 20)",
	  kaufman_set_deviation, kaufman_deviations },
	{ "--outside", "W", "sizes below 1 or above 512 (default redraw)",
	  kaufman_set_outside, kaufman_outsides },
	{ "--lifetime", "T", "of a block, mean (default 60)",
	  kaufman_set_lifetime, kaufman_times },
	{ "--interarrival", "T", "of requests, mean (default 10)",
	  kaufman_set_interarrival, kaufman_times },
	{ "--units", "T", "until the end (default 5000)", kaufman_set_units,
	  kaufman_times },
	{ "--reset", "T", "counting starts (default 500)", kaufman_set_reset,
	  kaufman_resets },
	{ "--seed", "N", "of the first run (default 1)", kaufman_set_seed,
	  kaufman_seeds },
	{ "--runs", "N", "each with the next seed (default 1)",
	  kaufman_set_runs, kaufman_runs },
	{ "--desired", "TEXT", "numbers of tailored (default by the sizes)",
	  kaufman_set_desired, lab_desireds },
	{ "--events", "FILE", "the requests as a trace, of one run",
	  kaufman_set_events, kaufman_files },
	{ "--json", NULL, "print JSON", kaufman_set_json, NULL },
	{ }
};

static struct kaufman_settings kaufman_settings = {
	.policies = (1U << CP_NR_BUDDY_POLICIES) - 1,
	.sizes = kaufman_sizes,
	.mean = { 100 },
	.nr_means = 1,
	.period = 2500,
	.deviation = 20,
	.lifetime = 60,
	.interarrival = 10,
	.units = 5000,
	.reset = 500,
	.seed = 1,
	.runs = 1,
};

/* What no option says alone. */
static bool kaufman_ok(const struct kaufman_settings *s)
{
	if (s->reset >= s->units) {
		fprintf(stderr, "lab: --reset '%u': must be 0 to %u, less than --units\n",
			s->reset, s->units - 1);
		return false;
	}
	if (s->events && s->runs > 1) {
		fprintf(stderr, "lab: --runs '%u': must be 1 with --events\n",
			s->runs);
		return false;
	}
	return true;
}

/* What tailored lists are tailored to. */
static void kaufman_tailor(const struct kaufman_settings *s,
			   struct cp_desired *desired)
{
	char text[CP_DESIRED_TEXT];

	if (s->desired)
		strscpy(text, s->desired, sizeof(text));
	else
		kaufman_shares(s, text, sizeof(text));
	if (cp_desired_parse("", text, desired))
		abort();	/* it has been looked at, or is our own */
}

/* All policies, on the same requests. */
static int kaufman_runs_of_seed(const struct kaufman_settings *s,
				const struct cp_desired *desired,
				const struct kaufman_requests *r,
				struct kaufman_result *result, unsigned int run)
{
	unsigned int policy, i;

	for (policy = 0; policy < CP_NR_BUDDY_POLICIES; policy++) {
		struct kaufman_result *to = &result[policy];

		if (!to->policy)
			continue;
		if (!kaufman_run(s, desired, r, to, &to->run[run])) {
			fprintf(stderr, "lab: kaufman, seed %lu, policy %s: the allocator has failed\n",
				s->seed + run, to->policy->name);
			return LAB_FAILED;
		}
		for (i = 0; i < KAUFMAN_NR_FIGURES; i++)
			to->total.v[i] += to->run[run].v[i];
	}
	return 0;
}

static bool kaufman_room(const struct kaufman_settings *s,
			 struct kaufman_result *result)
{
	unsigned int policy;

	for (policy = 0; policy < CP_NR_BUDDY_POLICIES; policy++) {
		if (!(s->policies >> policy & 1))
			continue;
		result[policy].policy = &cp_buddy_policies[policy];
		result[policy].run = calloc(s->runs, sizeof(struct kaufman_row));
		if (!result[policy].run)
			return false;
	}
	return true;
}

static int kaufman_all(const struct kaufman_settings *s,
		       struct kaufman_result *result,
		       struct kaufman_requests *r)
{
	struct cp_desired desired;
	unsigned int run;
	int status = 0;

	kaufman_tailor(s, &desired);
	for (run = 0; !status && run < s->runs; run++) {
		if (!kaufman_draw(s, s->seed + run, r)) {
			perror("lab: kaufman");
			return LAB_FAILED;
		}
		if (s->events && !kaufman_write(s, r)) {
			fprintf(stderr, "lab: --events '%s': %s\n", s->events,
				strerror(errno));
			return LAB_BAD;
		}
		status = kaufman_runs_of_seed(s, &desired, r, result, run);
	}
	return status;
}

static int kaufman_command(void *settings, const char *operand)
{
	const struct kaufman_settings *s = settings;
	struct kaufman_result result[CP_NR_BUDDY_POLICIES] = { };
	struct kaufman_requests requests = { };
	unsigned int policy;
	int status;

	if (!kaufman_ok(s))
		return LAB_BAD;
	if (!kaufman_room(s, result)) {
		perror("lab: kaufman");
		status = LAB_FAILED;
	} else {
		status = kaufman_all(s, result, &requests);
	}
	if (!status) {
		if (s->json)
			kaufman_json(s, result);
		else
			kaufman_print(s, result);
		if (fflush(stdout) || ferror(stdout)) {
			perror("lab: standard output");
			status = LAB_FAILED;
		}
	}
	free(requests.request);
	for (policy = 0; policy < CP_NR_BUDDY_POLICIES; policy++)
		free(result[policy].run);
	return status;
}

static const struct lab_command lab_kaufman = {
	.name = "kaufman",
	.about =
"\n"
"Requests that come and go at random in 4096 units of memory, as in Kaufman 1980:\n"
"what the buddy's policies do for them. A unit is a KiB where a page has 4 KiB.\n",
	.options = kaufman_options,
	.run = kaufman_command,
	.settings = &kaufman_settings,
};
LAB_COMMAND(lab_kaufman);
