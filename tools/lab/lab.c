// SPDX-License-Identifier: GPL-2.0
/* The lab: the allocator of mm/ in user space, with a verb for each command. */
#include <unistd.h>

#include "lab.h"

extern const struct lab_command * const __start_lab_commands[];
extern const struct lab_command * const __stop_lab_commands[];

#define for_each_command(at) \
	for (at = __start_lab_commands; at < __stop_lab_commands; at++)

/* Run another program in place of this one.  Return: only when that failed. */
static int lab_program(const char *path, char **argv)
{
	argv[0] = (char *)path;
	execv(path, argv);
	fprintf(stderr, "lab: %s: %s\n", path, strerror(errno));
	return LAB_FAILED;
}

static void lab_help(FILE *to)
{
	const struct lab_command * const *c;

	fputs("The allocator in user space, on requests from a trace.\n\n", to);
	for_each_command(c) {
		if ((*c)->program)
			fputs((*c)->about, to);
		else
			lab_command_help(*c, to);
		fputs("\n", to);
	}
	fputs("Exit status: 0 success; 1 out of memory, or the allocator failed its check;\n"
	      "2 bad argument or trace, with nothing on the standard output.\n",
	      to);
}

static int lab_unknown(const char *name)
{
	const struct lab_command * const *c;

	fprintf(stderr, "lab: unknown command '%s': must be", name);
	for_each_command(c)
		fprintf(stderr, "%s %s", c == __start_lab_commands ? "" :
			c + 1 < __stop_lab_commands ? "," : " or", (*c)->name);
	fputs("\n", stderr);
	return LAB_BAD;
}

int main(int argc, char **argv)
{
	const struct lab_command * const *c;

	if (argc < 2) {
		lab_help(stderr);
		return LAB_BAD;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		lab_help(stdout);
		return 0;
	}
	for_each_command(c) {
		if (strcmp(argv[1], (*c)->name))
			continue;
		if ((*c)->program)
			return lab_program((*c)->program(), argv + 1);
		return lab_command_run(*c, argc - 1, argv + 1);
	}
	return lab_unknown(argv[1]);
}
