// SPDX-License-Identifier: GPL-2.0
/* The lab: the allocator of mm/ in user space. */
#include "lab.h"

static const struct lab_command * const lab_commands[] = {
	&lab_replay,
	&lab_gen,
};

static void lab_help(FILE *to)
{
	unsigned int i;

	fputs("The allocator in user space, on requests from a trace.\n\n", to);
	for (i = 0; i < ARRAY_SIZE(lab_commands); i++) {
		lab_command_help(lab_commands[i], to);
		fputs("\n", to);
	}
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
	for (i = 0; argc > 1 && i < ARRAY_SIZE(lab_commands); i++)
		if (!strcmp(argv[1], lab_commands[i]->name))
			return lab_command_run(lab_commands[i], argc - 2,
					       argv + 2);
	if (argc > 1)
		fprintf(stderr, "lab: unknown command '%s': must be replay or gen\n",
			argv[1]);
	else
		lab_help(stderr);
	return LAB_BAD;
}
