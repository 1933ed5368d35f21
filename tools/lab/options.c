// SPDX-License-Identifier: GPL-2.0
/* Parse --name VALUE, --name=VALUE and an operand by table; print the help. */
#include <getopt.h>

#include "lab.h"

#define LAB_OPTIONS	32	/* of a command, at most */
#define LAB_LONG	256	/* getopt_long() returns it for row 0 */
#define LAB_INDENT	21	/* columns in front of the text of an option */
#define LAB_COLUMNS	76	/* of the help */

/* Print words behind column columns.  Further lines begin at LAB_INDENT. */
static void lab_wrap(const char *text, size_t column, FILE *to)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column + 1 + len > LAB_COLUMNS) {
			fprintf(to, "\n%*s", LAB_INDENT - 1, "");
			column = LAB_INDENT - 1;
		}
		column += fprintf(to, " %.*s", (int)len, text);
		text += len;
		text += *text == ' ';
	}
	fputc('\n', to);
}

/* Print what an option does, what it allows, and its default if it has one. */
static void lab_option_about(const struct lab_option *o, FILE *to)
{
	char *value = NULL;
	size_t size = 0;
	FILE *print;

	fputs(o->help, to);
	if (!o->type->allowed)
		return;
	fputs(*o->help ? ": " : "", to);
	o->type->allowed(o, to);
	if (!o->type->print)
		return;
	print = open_memstream(&value, &size);
	assert(print);
	o->type->print(o, print);
	fclose(print);
	if (*value)
		fprintf(to, " (default %s)", value);
	free(value);
}

static void lab_option_help(const struct lab_option *o, FILE *to)
{
	char *about = NULL;
	size_t size = 0;
	FILE *print = open_memstream(&about, &size);
	int column;

	assert(print);
	lab_option_about(o, print);
	fclose(print);
	column = fprintf(to, "  --%s %s", o->name, o->value ?: "");
	if (column < LAB_INDENT - 1)
		column += fprintf(to, "%*s", LAB_INDENT - 1 - column, "");
	lab_wrap(about, column, to);
	free(about);
}

void lab_command_help(const struct lab_command *c, FILE *to)
{
	const struct lab_option *o;

	fprintf(to, "usage: lab %s [OPTION...]%s%s\n%s\n", c->name,
		c->operand ? " " : "", c->operand ?: "", c->about);
	for (o = c->options; o->name; o++)
		lab_option_help(o, to);
}

static bool lab_help_wanted(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int lab_option_unknown(const struct lab_command *c, const char *arg)
{
	const struct lab_option *o;

	fprintf(stderr, "lab: unknown option '%s': must be one of --help", arg);
	for (o = c->options; o->name; o++)
		fprintf(stderr, ", --%s", o->name);
	fputc('\n', stderr);
	return LAB_BAD;
}

/* Report an argument that getopt_long() refuses, with ':' or '?'. */
static int lab_option_refused(const struct lab_command *c, int how,
			      const char *arg)
{
	const struct lab_option *o;

	if (optopt < LAB_LONG)
		return lab_option_unknown(c, arg);
	o = &c->options[optopt - LAB_LONG];
	if (how == '?') {
		fprintf(stderr, "lab: --%s takes no value: '%s'\n", o->name,
			strchr(arg, '=') + 1);
		return LAB_BAD;
	}
	fprintf(stderr, "lab: --%s needs a value: ", o->name);
	o->type->allowed(o, stderr);
	fputc('\n', stderr);
	return LAB_BAD;
}

static int lab_option_take(const struct lab_option *o, const char *text)
{
	if (o->type->set(o, text))
		return 0;
	fprintf(stderr, "lab: --%s '%s': must be ", o->name, text);
	o->type->allowed(o, stderr);
	fputc('\n', stderr);
	return LAB_BAD;
}

static int lab_operand_take(const struct lab_command *c, const char **operand,
			    const char *arg)
{
	if (c->operand && !*operand) {
		*operand = arg;
		return 0;
	}
	fprintf(stderr, "lab: '%s' is too much: %s%s is taken\n", arg,
		c->operand ? "one " : "no operand", c->operand ?: "");
	return LAB_BAD;
}

static const struct option *lab_options_long(const struct lab_option *o)
{
	static struct option options[LAB_OPTIONS + 1];
	unsigned int i;

	for (i = 0; o[i].name; i++) {
		assert(i < LAB_OPTIONS);
		options[i] = (struct option){
			.name = o[i].name,
			.has_arg = o[i].type->allowed ? required_argument :
							no_argument,
			.val = LAB_LONG + i,
		};
	}
	return options;
}

/* Store the options.  Return: 0, with the operand, or LAB_BAD. */
static int lab_command_parse(const struct lab_command *c, int argc, char **argv,
			     const char **operand)
{
	const struct option *options = lab_options_long(c->options);
	const char *arg = argv[1];
	int status = 0, found;

	/* "-" returns operands in their place, ":" tells why one is refused. */
	while (!status &&
	       (found = getopt_long(argc, argv, "-:", options, NULL)) != -1) {
		if (found == 1)
			status = lab_operand_take(c, operand, arg);
		else if (found >= LAB_LONG)
			status = lab_option_take(&c->options[found - LAB_LONG],
						 optarg);
		else
			status = lab_option_refused(c, found, arg);
		arg = argv[optind];
	}
	for (; !status && optind < argc; optind++)
		status = lab_operand_take(c, operand, argv[optind]);
	return status;
}

/* Run a command.  argv[0] is its name. */
int lab_command_run(const struct lab_command *c, int argc, char **argv)
{
	const char *operand = NULL;

	if (lab_help_wanted(argc, argv)) {
		lab_command_help(c, stdout);
		return 0;
	}
	if (lab_command_parse(c, argc, argv, &operand))
		return LAB_BAD;
	if (c->operand && !operand) {
		fprintf(stderr, "lab: %s: %s is missing\n", c->name,
			c->operand);
		return LAB_BAD;
	}
	return c->run(operand);
}
