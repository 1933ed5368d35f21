/* SPDX-License-Identifier: GPL-2.0 */
/* The lab's own parts, grouped under the file that owns them. */
#ifndef LAB_H
#define LAB_H

#include "../../mm/internal.h"
#include "replay.h"

/* Exit statuses: 0 is success. */
#define LAB_FAILED	1	/* out of memory, or the allocator is at fault */
#define LAB_BAD		2	/* a bad argument or a bad trace */

/* options.c: command lines. */
struct lab_option {
	const char *name;	/* with its dashes */
	const char *value;	/* what its value is called, or NULL for none */
	const char *help;
	/* Takes the value; false when it is not allowed. */
	bool (*set)(void *to, const char *text);
	const char *(*allowed)(void);
};

struct lab_command {
	const char *name;
	const char *operand;	/* NULL when none is taken */
	const char *about;
	const struct lab_option *options;	/* ends with an empty one */
	int (*run)(void *settings, const char *operand);
	void *settings;
};

bool lab_number(const char *text, u64 min, u64 max, u64 *number);
int lab_command_run(const struct lab_command *c, int argc, char **argv);
void lab_command_help(const struct lab_command *c, FILE *to);

/* trace.c: a file, gzip or plain, fed to a replay. */
int lab_trace(struct replay *r, const char *path);

/* run.c: a replay from start to end. */
#define LAB_CLASSES	(CP_MAX_CLASSES + CP_NR_ORDERS)

struct lab_peak {
	unsigned long now;
	unsigned long peak;
};

/* A size class, of blocks in pages or of blocks of pages; or all of them. */
struct lab_class {
	struct curpage_cache *cache;	/* or NULL */
	char name[CP_NAME_LEN];
	unsigned long stat[CP_NR_HEAP_STATS];
	struct lab_peak live;
	struct lab_peak pages;
};

struct lab_settings {
	struct cp_cache_defaults defaults;
	bool json;
	bool placements;
};

struct lab_run {
	struct replay replay;		/* first: its watch finds the rest */
	const struct lab_settings *settings;
	struct lab_class class[LAB_CLASSES];
	struct lab_class total;
	struct lab_peak held;
};

extern const struct lab_command lab_replay;

/* print.c: what has been counted. */
void lab_print_table(const struct lab_run *run, FILE *to);
void lab_print_json(struct lab_run *run, FILE *to);
void lab_print_placements(struct replay *r, FILE *to);

/* gen.c: traces made up. */
extern const struct lab_command lab_gen;

#endif /* LAB_H */
