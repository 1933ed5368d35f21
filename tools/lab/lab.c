// SPDX-License-Identifier: GPL-2.0
/* The lab: the allocator of mm/ in user space. */
#include <unistd.h>

#include "lab.h"

static const struct lab_command * const lab_commands[] = {
	&lab_replay,
	&lab_gen,
	&lab_sim,
	&lab_sizemap,
	&lab_bound,
	&lab_kaufman,
#ifndef LAB_UNIT	/* in a lab as in the paper of 1984 there are none */
	&lab_engine,
	&lab_engines,
	&lab_slub,
#endif
};

/* Tables are made by scripts, out of runs of the labs. */
static const struct {
	const char *name;
	const char *path;
	const char *about;
} lab_scripts[] = {
	{ "paper", LAB_DIR "/paper/paper",
	  "usage: lab paper NAME|all [OPTION...]\n\n"
	  "Prints the tables of a paper with what is measured here beside them; see\n"
	  "lab paper --help.\n" },
	{ "matrix", LAB_DIR "/matrix/matrix",
	  "usage: lab matrix [OPTION...]\n\n"
	  "Every engine on every load, by every measure; see lab matrix --help.\n" },
};

/* The fuzzer is a program of its own, beside this one: it has several CPUs. */
static const char lab_fuzz_about[] =
	"usage: lab fuzz [OPTION...]\n\n"
	"Makes random right and wrong calls, and judges from outside the allocator what\n"
	"comes of them; see lab fuzz --help.\n";

static const char *lab_fuzz_path(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	static const char fuzz[] = "/lab-fuzz";
	char *name;

	path[max_t(ssize_t, n, 0)] = '\0';
	name = strrchr(path, '/');
	if (!name || name - path + sizeof(fuzz) > sizeof(path))
		return fuzz + 1;
	memcpy(name, fuzz, sizeof(fuzz));
	return path;
}

static int lab_script(const char *path, char **argv)
{
	argv[0] = (char *)path;
	execv(path, argv);
	fprintf(stderr, "lab: %s: %s\n", path, strerror(errno));
	return LAB_FAILED;
}

static void lab_help(FILE *to)
{
	unsigned int i;

	fputs("The allocator in user space, on requests from a trace.\n\n", to);
	for (i = 0; i < ARRAY_SIZE(lab_commands); i++) {
		lab_command_help(lab_commands[i], to);
		fputs("\n", to);
	}
	for (i = 0; i < ARRAY_SIZE(lab_scripts); i++)
		fprintf(to, "%s\n", lab_scripts[i].about);
	fprintf(to, "%s\n", lab_fuzz_about);
	fputs("Exit status: 0 success; 1 out of memory, or the allocator failed its check;\n"
	      "2 bad argument or trace, with nothing on the standard output.\n",
	      to);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		lab_help(stdout);
		return 0;
	}
	for (i = 0; argc > 1 && i < ARRAY_SIZE(lab_scripts); i++)
		if (!strcmp(argv[1], lab_scripts[i].name))
			return lab_script(lab_scripts[i].path, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "fuzz"))
		return lab_script(lab_fuzz_path(), argv + 1);
	for (i = 0; argc > 1 && i < ARRAY_SIZE(lab_commands); i++)
		if (!strcmp(argv[1], lab_commands[i]->name))
			return lab_command_run(lab_commands[i], argc - 2,
					       argv + 2);
	if (argc > 1)
		fprintf(stderr, "lab: unknown command '%s': must be replay, gen, sim, sizemap, bound, kaufman, engine, engines, slub, fuzz, matrix or paper\n",
			argv[1]);
	else
		lab_help(stderr);
	return LAB_BAD;
}
