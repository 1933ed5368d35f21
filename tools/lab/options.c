// SPDX-License-Identifier: GPL-2.0
/* Command lines: options by table, --name VALUE or --name=VALUE. */
#include "lab.h"

/* A whole number in decimal, nothing around it. */
bool lab_number(const char *text, u64 min, u64 max, u64 *number)
{
	u64 n = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *text - '0', &n))
			return false;
	}
	*number = n;
	return n >= min && n <= max;
}

void lab_command_help(const struct lab_command *c, FILE *to)
{
	const struct lab_option *o;
	char left[40];

	fprintf(to, "usage: lab %s [OPTION...]%s%s\n%s\n", c->name,
		c->operand ? " " : "", c->operand ?: "", c->about);
	for (o = c->options; o->name; o++) {
		snprintf(left, sizeof(left), "%s %s", o->name, o->value ?: "");
		fprintf(to, "  %-18s %s%s%s\n", left, o->help,
			o->allowed ? ": " : "", o->allowed ? o->allowed() : "");
	}
}

static int lab_bad(const char *format, const char *a, const char *b)
{
	fputs("lab: ", stderr);
	fprintf(stderr, format, a, b);
	fputs("\n", stderr);
	return LAB_BAD;
}

/* The option that arg names; *value is what follows a "=" in it. */
static const struct lab_option *lab_option_find(const struct lab_command *c,
						const char *arg,
						const char **value)
{
	const struct lab_option *o;
	size_t len = strcspn(arg, "=");

	*value = arg[len] ? arg + len + 1 : NULL;
	for (o = c->options; o->name; o++)
		if (strlen(o->name) == len && !memcmp(o->name, arg, len))
			return o;
	return NULL;
}

static int lab_unknown(const struct lab_command *c, const char *arg)
{
	const struct lab_option *o;
	char known[512] = "--help";

	for (o = c->options; o->name; o++) {
		size_t len = strlen(known);

		snprintf(known + len, sizeof(known) - len, ", %s", o->name);
	}
	return lab_bad("unknown option '%s': must be one of %s", arg, known);
}

/* Takes the option at argv[0]; how many words it was, 0 for a bad one. */
static int lab_option_take(const struct lab_command *c, int argc, char **argv)
{
	const struct lab_option *o;
	const char *value;
	int words = 1;

	o = lab_option_find(c, argv[0], &value);
	if (!o) {
		lab_unknown(c, argv[0]);
		return 0;
	}
	if (o->value && !value && argc > 1) {
		value = argv[1];
		words = 2;
	}
	if (o->value && !value) {
		lab_bad("%s needs a value: %s", o->name, o->allowed());
		return 0;
	}
	if (!o->value && value) {
		lab_bad("%s takes no value: '%s'", o->name, value);
		return 0;
	}
	if (!o->set(c->settings, value)) {
		fprintf(stderr, "lab: %s '%s': must be %s\n", o->name, value,
			o->allowed());
		return 0;
	}
	return words;
}

int lab_command_run(const struct lab_command *c, int argc, char **argv)
{
	const char *operand = NULL;

	while (argc) {
		int words = 1;

		if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
			lab_command_help(c, stdout);
			return 0;
		}
		if (argv[0][0] == '-' && argv[0][1]) {
			words = lab_option_take(c, argc, argv);
			if (!words)
				return LAB_BAD;
		} else if (operand || !c->operand) {
			return lab_bad("'%s' is too much: %s", argv[0],
				       c->operand ? "one trace is replayed" :
						    "no operand is taken");
		} else {
			operand = argv[0];
		}
		argc -= words;
		argv += words;
	}
	if (c->operand && !operand)
		return lab_bad("%s: %s is missing", c->name, c->operand);
	return c->run(c->settings, operand);
}
