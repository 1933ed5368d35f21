/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command lines by table.  A row gives an option its type, its range and the
 * variable for its value.  The parser, its messages and the help follow from
 * the rows.  What a variable holds before the command line is read is the
 * default that the help shows.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

struct lab_option;

/* How the values of an option are read and written. */
struct lab_type {
	/* Store a value.  Return: false if it is not allowed. */
	bool (*set)(const struct lab_option *o, const char *text);
	/* Write which values are allowed.  NULL: the option takes no value. */
	void (*allowed)(const struct lab_option *o, FILE *to);
	/* Write the value that is stored, or nothing if it is not set. */
	void (*print)(const struct lab_option *o, FILE *to);
};

struct lab_option {
	const char *name;	/* without its dashes */
	const char *value;	/* what the help calls the value */
	const char *help;
	const struct lab_type *type;
	union {
		void *to;	/* an integer of size bytes, or of the type */
		bool *flag;
		double *real;
		const char **text;
		u32 *list;
	};
	size_t size;
	u64 min, max;		/* of an integer, or of each in a list */
	u64 multiple;		/* an integer is one of this; 0: any */
	u64 all;		/* stored for the word "all"; 0: no such word */
	double least, most;	/* of a real number */
	const char *unit;	/* of numbers; or what a text is */
	unsigned int *count;	/* of numbers in a list */
	unsigned int nr;	/* numbers that a list holds, or rows */
	bool rising;		/* each number of a list is above the last */
	const void *rows;	/* each begins with a name */
	size_t stride, about;	/* of rows; about: offset of a text, or 0 */
};

extern const struct lab_type lab_flag_type, lab_uint_type, lab_real_type;
extern const struct lab_type lab_text_type, lab_list_type;
extern const struct lab_type lab_choice_type, lab_choices_type;

/* Options without a value: true if given. */
#define LAB_FLAG(NAME, TO, HELP)					\
	{ .name = NAME, .help = HELP, .type = &lab_flag_type, .flag = &(TO) }

/* An integer of 1, 4 or 8 bytes.  Further fields, as .unit, may follow. */
#define LAB_UINT(NAME, VALUE, TO, MIN, MAX, HELP, ...)			\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &lab_uint_type, \
	  .to = &(TO), .size = sizeof(TO), .min = MIN, .max = MAX,	\
	  ##__VA_ARGS__ }

/* A number with decimals. */
#define LAB_REAL(NAME, VALUE, TO, LEAST, MOST, HELP, ...)		\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &lab_real_type, \
	  .real = &(TO), .least = LEAST, .most = MOST, ##__VA_ARGS__ }

/* A text that is not empty, as the name of a file. */
#define LAB_TEXT(NAME, VALUE, TO, WHAT, HELP)				\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &lab_text_type, \
	  .text = &(TO), .unit = WHAT }

/* Integers with commas between them. */
#define LAB_LIST(NAME, VALUE, TO, COUNT, MIN, MAX, HELP, ...)		\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &lab_list_type, \
	  .list = TO, .nr = ARRAY_SIZE(TO), .count = &(COUNT),		\
	  .min = MIN, .max = MAX, ##__VA_ARGS__ }

/* The name of a row.  The index of the row is stored. */
#define LAB_CHOICE(NAME, VALUE, TO, ROWS, NR, HELP, ...)		\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &lab_choice_type, \
	  .to = &(TO), .size = sizeof(TO), .rows = ROWS, .nr = NR,	\
	  .stride = sizeof(*(ROWS)), ##__VA_ARGS__ }

/* Names of rows with commas between them, or all.  A bit is set for each. */
#define LAB_CHOICES(NAME, VALUE, TO, ROWS, NR, HELP)			\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &lab_choices_type, \
	  .to = &(TO), .size = sizeof(TO), .rows = ROWS, .nr = NR,	\
	  .stride = sizeof(*(ROWS)) }

/* A value of a type that only the caller has. */
#define LAB_OWN(NAME, VALUE, TYPE, TO, HELP)				\
	{ .name = NAME, .value = VALUE, .help = HELP, .type = &(TYPE),	\
	  .to = TO }

/* A row for LAB_CHOICE(). */
struct lab_choice {
	const char *name;
	const char *about;
};

struct lab_command {
	const char *name;
	const char *operand;	/* NULL when none is taken */
	const char *about;	/* with program(): all of its help */
	const struct lab_option *options;	/* ends with an empty one */
	int (*run)(const char *operand);
	/* Instead of run(): the path of a program, which gets the arguments. */
	const char *(*program)(void);
};

/*
 * Register a command as a verb of each program that its file is linked into.
 * lab.c walks the section, which is in link order, and names no verb itself.
 */
#define LAB_COMMAND(command) \
	static const struct lab_command * const command##_entry \
	__attribute__((section("lab_commands"), used)) = &(command)

void lab_text_print(const struct lab_option *o, FILE *to);
bool lab_number(const char *text, u64 min, u64 max, u64 *number);
int lab_command_run(const struct lab_command *c, int argc, char **argv);
void lab_command_help(const struct lab_command *c, FILE *to);

#endif /* LAB_OPTIONS_H */
