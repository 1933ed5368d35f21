// SPDX-License-Identifier: GPL-2.0
/* Tables are made by scripts, out of runs of the labs. */
#include "lab.h"

static const char *paper_path(void)
{
	return STUDY_DIR "/paper/paper";
}

static const struct lab_command study_paper = {
	.name = "paper",
	.about =
"usage: lab paper NAME|all [OPTION...]\n"
"\n"
"Prints the tables of a paper with what is measured here beside them; see\n"
"lab paper --help.\n",
	.program = paper_path,
};
LAB_COMMAND(study_paper);

static const char *matrix_path(void)
{
	return STUDY_DIR "/matrix/matrix";
}

static const struct lab_command study_matrix = {
	.name = "matrix",
	.about =
"usage: lab matrix [OPTION...]\n"
"\n"
"Every engine on every load, by every measure; see lab matrix --help.\n",
	.program = matrix_path,
};
LAB_COMMAND(study_matrix);
