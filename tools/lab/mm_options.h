/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of options that are parameters of the module, whose values mm/ reads. */
#ifndef LAB_MM_OPTIONS_H
#define LAB_MM_OPTIONS_H

#include "options.h"

extern const struct lab_type lab_strategy_type, lab_desired_type;
extern const struct lab_type lab_sizemap_type, lab_crossover_type;

/* TO is a pointer to a strategy. */
#define LAB_STRATEGY(TO, HELP) \
	LAB_OWN("strategy", "S", lab_strategy_type, &(TO), HELP)

/* TO is the text, checked: cp_desired_parse() takes it. */
#define LAB_DESIRED(TO, HELP) \
	LAB_OWN("desired", "TEXT", lab_desired_type, &(TO), HELP)

/* TO is the text, checked: cp_sizemap_make() takes it. */
#define LAB_SIZEMAP(TO, HELP) \
	LAB_OWN("sizemap", "MAP", lab_sizemap_type, &(TO), HELP)

/* The crossover is set in mm/. */
#define LAB_CROSSOVER() \
	LAB_OWN("ffcrossover", "N", lab_crossover_type, NULL, \
		"larger blocks go to first fit")

#define LAB_FREETOL(TO) \
	LAB_UINT("freetol", "N", TO, 1, PAGE_SIZE, \
		 "free before a page can be current again", .unit = "bytes")

#define LAB_KEEP(TO) \
	LAB_UINT("keep", "N", TO, 0, 65536, "empty pages that a class keeps", \
		 .all = CP_KEEP_ALL)

#endif /* LAB_MM_OPTIONS_H */
