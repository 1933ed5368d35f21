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
};

/* Tables of papers are made by a script, out of runs of the labs beside it. */
static int lab_paper(char **argv)
{
	argv[0] = LAB_PAPER;
	execv(argv[0], argv);
	perror("lab: " LAB_PAPER);
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
	fputs("usage: lab paper NAME|all [OPTION...]\n\n"
	      "Prints the tables of a paper with what is measured here beside them; see\n"
	      "lab paper --help.\n\n", to);
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
	if (argc > 1 && !strcmp(argv[1], "paper"))
		return lab_paper(argv + 1);
	for (i = 0; argc > 1 && i < ARRAY_SIZE(lab_commands); i++)
		if (!strcmp(argv[1], lab_commands[i]->name))
			return lab_command_run(lab_commands[i], argc - 2,
					       argv + 2);
	if (argc > 1)
		fprintf(stderr, "lab: unknown command '%s': must be replay, gen, sim, sizemap, bound or kaufman\n",
			argv[1]);
	else
		lab_help(stderr);
	return LAB_BAD;
}
