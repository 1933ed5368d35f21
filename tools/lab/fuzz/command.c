// SPDX-License-Identifier: GPL-2.0
/*
 * lab fuzz.  The fuzzer is a program beside the lab, because it is built with
 * several CPUs.
 */
#include <unistd.h>

#include "../lab.h"

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

static const struct lab_command lab_fuzz = {
	.name = "fuzz",
	.about =
"usage: lab fuzz [OPTION...]\n"
"\n"
"Makes random right and wrong calls, and judges from outside the allocator what\n"
"comes of them; see lab fuzz --help.\n",
	.program = lab_fuzz_path,
};
LAB_COMMAND(lab_fuzz);
