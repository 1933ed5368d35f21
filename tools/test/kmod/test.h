/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A user of curpage that does what it is told through debugfs, right or wrong.
 */
#ifndef CT_TEST_H
#define CT_TEST_H

#include <linux/types.h>

struct curpage_cache;

/**
 * struct ct_command - what can be written to curpage_test/run
 * @word: the command; a number may follow
 * @once: done as many times as the number says, 1 without one
 * @run: gets the number, @fallback without one
 * @fallback: see @run
 * @local: on CPU 0, so that blocks which follow each other share a page
 *
 * Either returns 0, or a negative error, which is what the write returns.
 */
struct ct_command {
	const char *word;
	int (*once)(void);
	int (*run)(unsigned int number);
	unsigned int fallback;
	bool local;
};

extern const struct ct_command ct_misuse_commands[];
extern const struct ct_command ct_load_commands[];
extern const struct ct_command ct_limits_commands[];
extern const struct ct_command ct_blocks_commands[];
extern const struct ct_command ct_cpus_commands[];
extern const struct ct_command ct_citizen_commands[];

/* Two caches alike, and one of their size with red zones and poison. */
extern struct curpage_cache *ct_plain;
extern struct curpage_cache *ct_other;
extern struct curpage_cache *ct_check;

#define CT_OBJ_SIZE	40

/* main.c: what reading curpage_test/run shows of the last command. */
__printf(1, 2) void ct_fact(const char *fmt, ...);

/* load.c: what was left behind when the module goes. */
void ct_load_exit(void);
void ct_limits_exit(void);
void ct_blocks_exit(void);
void ct_cpus_exit(void);
void ct_citizen_exit(void);

#endif /* CT_TEST_H */
