// SPDX-License-Identifier: GPL-2.0
/*
 * The interleaving test: run each case in a child process, print a line for it.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inter.h"

/* Seconds of CPU time of a case; with --brief, where lists may be endless. */
#define INTER_SECONDS	120
#define INTER_SECONDS_BROKEN 10

static const struct inter_fault {
	const char *name;
	unsigned int fault;
} inter_faults[] = {
	{ "cmpxchg", LAB_FAULT_CMPXCHG },
	{ "xchg", LAB_FAULT_XCHG },
	{ "this_cpu_add", LAB_FAULT_ADD },
	{ "lock", LAB_FAULT_LOCK },
	{ "synchronize_rcu", LAB_FAULT_RCU },
	{ "smp_cond_load_acquire", LAB_FAULT_WAIT },
	{ "smp_call_function_many", LAB_FAULT_CALL },
	{ "smp_mb", LAB_FAULT_MB },
};

static const char *inter_fault_names(void)
{
	static char names[200];
	unsigned int i;

	*names = '\0';
	for (i = 0; i < ARRAY_SIZE(inter_faults); i++) {
		size_t len = strlen(names);

		snprintf(names + len, sizeof(names) - len, "%s%s",
			 i ? ", " : "", inter_faults[i].name);
	}
	return names;
}

static void inter_help(void)
{
	printf("usage: interleave [--fault NAME] [--all] [--brief] [--list] [TEXT]\n"
	       "\n"
	       "Every order of the steps of each case whose name has TEXT in it, or of all.\n"
	       "\n"
	       "  --fault NAME  breaks the machine, so that cases fail: %s\n"
	       "  --all         tries orders that end alike, too, which takes long\n"
	       "  --brief       does not print the order that failed, and gives up after 10 s of CPU time\n"
	       "  --list        prints the names of the cases\n"
	       "\n"
	       "Exit status: 0 success; 1 a case failed; 2 bad argument.\n",
	       inter_fault_names());
}

static void inter_limit_time(void)
{
	rlim_t seconds = inter_brief ? INTER_SECONDS_BROKEN : INTER_SECONDS;

	setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds + 1 });
}

static bool inter_run_case(const struct inter_case *c)
{
	struct timespec start, end;
	unsigned long orders, ends;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		inter_limit_time();
		clock_gettime(CLOCK_MONOTONIC, &start);
		orders = inter_explore(c, &ends);
		clock_gettime(CLOCK_MONOTONIC, &end);
		printf("ok - %s: %lu orders, %lu ends, %.1f s\n", c->name, orders, ends,
		       end.tv_sec - start.tv_sec +
		       (end.tv_nsec - start.tv_nsec) / 1e9);
		fflush(stdout);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return true;
	printf("not ok - %s%s%s\n", c->name, WIFSIGNALED(status) ? ": " : "",
	       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
	return false;
}

static int inter_bad(const char *what, const char *must, const char *allowed)
{
	fprintf(stderr, "interleave: '%s': %s%s\n", what, must, allowed);
	return 2;
}

static bool inter_set_fault(const char *name)
{
	unsigned int i;

	for (i = 0; name && i < ARRAY_SIZE(inter_faults); i++)
		if (!strcmp(name, inter_faults[i].name))
			lab_faults = inter_faults[i].fault;
	return lab_faults;
}

static bool inter_name_case(const struct inter_case *c)
{
	puts(c->name);
	return true;
}

static int inter_each_case(const char *text,
			   bool (*do_case)(const struct inter_case *c))
{
	const struct inter_case * const tables[] = {
		inter_cases, inter_misuse_cases,
	};
	unsigned int passed = 0, failed = 0, i;
	const struct inter_case *c;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (c = tables[i]; c->name; c++)
			if (strstr(c->name, text))
				do_case(c) ? passed++ : failed++;
	if (!passed && !failed)
		return inter_bad(text, "in the name of no case", "");
	if (do_case == inter_run_case)
		printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	bool (*do_case)(const struct inter_case *c) = inter_run_case;
	const char *text = "";
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			inter_help();
			return 0;
		} else if (!strcmp(argv[i], "--brief")) {
			inter_brief = true;
		} else if (!strcmp(argv[i], "--all")) {
			inter_all = true;
		} else if (!strcmp(argv[i], "--list")) {
			do_case = inter_name_case;
		} else if (!strcmp(argv[i], "--fault")) {
			if (!inter_set_fault(argv[++i]))
				return inter_bad(argv[i] ?: "", "must be one of ",
						 inter_fault_names());
		} else if (*argv[i] == '-' || *text) {
			return inter_bad(argv[i], "must be ",
					 "--fault NAME, --all, --brief, --list or one TEXT");
		} else {
			text = argv[i];
		}
	}
	return inter_each_case(text, do_case);
}
