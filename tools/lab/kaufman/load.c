// SPDX-License-Identifier: GPL-2.0
/* lab kaufman: options, and the runs of all policies. */
#include "../mm_options.h"
#include "kaufman.h"

#define KAUFMAN_TIME	10000000	/* at most */

static const struct lab_choice kaufman_outside[] = {
	{ "redraw", "drawn again" },
	{ "clamp", "become 1 or 512" },
};

static struct kaufman_settings kaufman_settings = {
	.policies = BIT(CP_NR_BUDDY_POLICIES) - 1,
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

#define KAUFMAN_TIMES(NAME, TO, MIN, HELP) \
	LAB_UINT(NAME, "T", TO, MIN, KAUFMAN_TIME, HELP, \
		 .unit = "units of time")

static const struct lab_option kaufman_options[] = {
	LAB_CHOICES("policy", "P,...", kaufman_settings.policies,
		    cp_buddy_policies, CP_NR_BUDDY_POLICIES,
		    "policies to compare"),
	LAB_CHOICE("sizes", "D", kaufman_settings.sizes, kaufman_sizes,
		   KAUFMAN_NR_SIZES, "distribution of the sizes",
		   .about = offsetof(struct kaufman_sizes, about)),
	LAB_LIST("mean", "M,...", kaufman_settings.mean,
		 kaufman_settings.nr_means, 1, 256,
		 "mean of the sizes; two means take turns", .unit = "units"),
	KAUFMAN_TIMES("period", kaufman_settings.period, 1,
		      "for which one of two means holds"),
	LAB_UINT("deviation", "N", kaufman_settings.deviation, 1, 100,
		 "standard deviation of normal sizes",
		 .unit = "percent of the mean"),
	LAB_CHOICE("outside", "W", kaufman_settings.clamp, kaufman_outside,
		   ARRAY_SIZE(kaufman_outside), "sizes below 1 or above 512",
		   .about = offsetof(struct lab_choice, about)),
	KAUFMAN_TIMES("lifetime", kaufman_settings.lifetime, 1,
		      "mean lifetime of a block"),
	KAUFMAN_TIMES("interarrival", kaufman_settings.interarrival, 1,
		      "mean time between requests"),
	KAUFMAN_TIMES("units", kaufman_settings.units, 1, "length of a run"),
	KAUFMAN_TIMES("reset", kaufman_settings.reset, 0,
		      "when counting starts, before --units"),
	LAB_UINT("seed", "N", kaufman_settings.seed, 0, U64_MAX,
		 "seed of the first run"),
	LAB_UINT("runs", "N", kaufman_settings.runs, 1, 100000,
		 "runs, each with the next seed"),
	LAB_DESIRED(kaufman_settings.desired,
		    "blocks that the lists of tailored should hold, by default by the sizes"),
	LAB_TEXT("events", "FILE", kaufman_settings.events,
		 "the name of a file", "write the requests of one run as a trace"),
	LAB_FLAG("json", kaufman_settings.json, "print JSON"),
	{ }
};

/* Check options against each other. */
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

/* Set the desired numbers of the policy tailored. */
static void kaufman_tailor(const struct kaufman_settings *s,
			   struct cp_desired *desired)
{
	char text[CP_DESIRED_TEXT];

	kaufman_shares(s, text, sizeof(text));
	if (cp_desired_parse("", s->desired ?: text, desired))
		abort();	/* the option has been parsed before */
}

/* Run all policies on the same requests. */
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

static int kaufman_command(const char *operand)
{
	const struct kaufman_settings *s = &kaufman_settings;
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
};
LAB_COMMAND(lab_kaufman);
