// SPDX-License-Identifier: GPL-2.0
/* record: runs a program with the recorder before its libraries. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert.h"
#include "raw.h"

#define RECORD_FAILED	1
#define RECORD_BAD	2
#define NOTES		16

static volatile pid_t program;		/* 0 when it has ended */
static volatile sig_atomic_t told;	/* to end, by this signal */

struct options {
	const char *output;
	const char *from;		/* a recording that is there already */
	bool children;
	const char *line[NOTES];
	struct convert_notes notes;
	char **command;
};

static const char usage[] =
"usage: record [OPTION...] -o TRACE -- PROGRAM [ARGUMENT...]\n"
"       record [OPTION...] -o TRACE --from FOLDER\n"
"\n"
"Runs PROGRAM and writes what it asks of malloc() and free() to TRACE, packed by\n"
"gzip, as lab replay reads it.  What its children ask for, and what\n"
"comes after an exec(), is written to TRACE.PID[.N]; it waits for all of them.\n"
"\n"
"  -o TRACE         where to\n"
"  --no-children    PROGRAM alone, up to its first exec()\n"
"  --note TEXT      a line for the head of TRACE; can be given 16 times\n"
"  --from FOLDER    no program: what an earlier record, killed itself, left there\n"
"\n"
"The exit status is PROGRAM's, 128 + N after signal N; 1 when the recording is\n"
"not whole or there is none, which is said; 2 for a bad argument.\n";

static void __attribute__((format(printf, 2, 3), noreturn))
die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("record: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

static const char *value_of(char ***arg)
{
	const char *name = **arg;

	if (!*++*arg)
		die(RECORD_BAD, "%s: must be followed by a value", name);
	return **arg;
}

static void add_note(struct options *o, const char *text)
{
	const char *c;

	for (c = text; *c; c++)
		if ((unsigned char)*c < ' ')
			die(RECORD_BAD, "--note '%s': must be one line of text",
			    text);
	if (o->notes.nr == NOTES)
		die(RECORD_BAD, "--note '%s': must be one of at most %d", text,
		    NOTES);
	o->line[o->notes.nr++] = text;
}

static void read_options(struct options *o, char **arg)
{
	o->children = true;
	o->notes.line = o->line;
	for (arg++; *arg && **arg == '-'; arg++) {
		if (!strcmp(*arg, "--")) {
			arg++;
			break;
		}
		if (!strcmp(*arg, "-h") || !strcmp(*arg, "--help")) {
			fputs(usage, stdout);
			exit(0);
		}
		if (!strcmp(*arg, "-o"))
			o->output = value_of(&arg);
		else if (!strcmp(*arg, "--from"))
			o->from = value_of(&arg);
		else if (!strcmp(*arg, "--note"))
			add_note(o, value_of(&arg));
		else if (!strcmp(*arg, "--no-children"))
			o->children = false;
		else
			die(RECORD_BAD, "option '%s': must be one of -o, "
			    "--no-children, --note, --from, --help", *arg);
	}
	o->command = arg;
	if (!o->output)
		die(RECORD_BAD, "no -o TRACE: must be given");
	if (o->from && *arg)
		die(RECORD_BAD, "'%s': must not be there with --from", *arg);
	if (!o->from && !*arg)
		die(RECORD_BAD, "no PROGRAM: must follow the options");
}

/* What ld.so is told: a list with blanks and colons between its members. */
static char *preload(void)
{
	const char *others = getenv("LD_PRELOAD");
	char self[PATH_MAX], *list, *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		die(RECORD_FAILED, "/proc/self/exe: %s", strerror(errno));
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (strpbrk(self, " :"))
		die(RECORD_FAILED, "%s: the recorder must lie in a folder "
		    "without blanks and colons in its name", self);
	if (asprintf(&list, "%.*s/record.so%s%s", (int)(slash - self), self,
		     others ? ":" : "", others ? others : "") < 0)
		die(RECORD_FAILED, "out of memory");
	return list;
}

static void __attribute__((noreturn)) run_child(char **command,
						const char *folder)
{
	setenv("LD_PRELOAD", preload(), 1);
	setenv(RAW_FOLDER, folder, 1);
	execvp(command[0], command);
	fprintf(stderr, "record: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* The files of a recording are PID.N; "first" says which PID is the program's. */
static int is_recording(const struct dirent *entry)
{
	unsigned int pid, nr;
	int end = 0;

	return sscanf(entry->d_name, "%u.%u%n", &pid, &nr, &end) == 2 &&
	       !entry->d_name[end];
}

static void keep_first(const char *folder, pid_t first)
{
	char path[PATH_MAX + 8], pid[16];

	snprintf(path, sizeof(path), "%s/first", folder);
	snprintf(pid, sizeof(pid), "%d.1", first);
	if (symlink(pid, path))
		die(RECORD_FAILED, "%s: %s", path, strerror(errno));
}

static void find_first(const char *folder, char *name, size_t room)
{
	char path[PATH_MAX + 8];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/first", folder);
	len = readlink(path, name, room - 1);
	if (len < 0)
		die(RECORD_BAD, "--from %s: must be the folder of a recording",
		    folder);
	name[len] = '\0';
}

/* Whoever ends us means the program; what it did until then is converted. */
static void pass_on(int signal)
{
	told = signal;
	if (program)
		kill(program, signal);
}

/*
 * To the end of all that the program started: their files grow until then.  But when
 * it has ended, and record is told to, nobody waits for the others.
 */
static int wait_for_all(void)
{
	pid_t first = program, pid;
	int status, result = 0;

	while ((pid = wait(&status)) >= 0 || errno == EINTR) {
		if (pid == first) {
			result = status;
			program = 0;
		}
		if (told && !program && !waitpid(-1, &status, WNOHANG)) {
			fputs("record: told to end: children are recorded up to here\n",
			      stderr);
			break;
		}
	}
	return result;
}

static int run(char **command, const char *folder)
{
	/* Without SA_RESTART: wait() is to come back. */
	struct sigaction passed = { .sa_handler = pass_on };
	sigset_t all, before;
	int result;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* What comes before the program is known waits, in both processes. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	program = fork();
	if (program < 0)
		die(RECORD_FAILED, "fork: %s", strerror(errno));
	if (!program) {
		keep_first(folder, getpid());
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_child(command, folder);
	}
	/* The terminal sends these to the program as well. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigaction(SIGTERM, &passed, NULL);
	sigaction(SIGHUP, &passed, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	result = wait_for_all();
	if (WIFSIGNALED(result)) {
		fprintf(stderr, "record: %s: ended by signal %d (%s)\n",
			command[0], WTERMSIG(result),
			strsignal(WTERMSIG(result)));
		return 128 + WTERMSIG(result);
	}
	return WEXITSTATUS(result);
}

/* The program's own is TRACE, the others are TRACE.PID, after exec() TRACE.PID.N. */
static int convert_one(const struct options *o, const char *folder,
		       const char *name, bool is_first)
{
	char raw[PATH_MAX + 300], trace[PATH_MAX + 300];
	int len = strlen(name), status = 0;

	snprintf(raw, sizeof(raw), "%s/%s", folder, name);
	if (len > 2 && !strcmp(name + len - 2, ".1"))
		len -= 2;
	if (is_first)
		snprintf(trace, sizeof(trace), "%s", o->output);
	else
		snprintf(trace, sizeof(trace), "%s.%.*s", o->output, len, name);
	if (is_first || o->children)
		status = convert(raw, trace, &o->notes);
	if (status >= 0)
		unlink(raw);
	return status;
}

/* False when not all of it became whole traces. */
static bool convert_all(const struct options *o, const char *folder,
			bool started)
{
	char first[32], link[PATH_MAX + 8];
	struct dirent **list;
	bool found = false, whole = true;
	int nr, i;

	find_first(folder, first, sizeof(first));
	nr = scandir(folder, &list, is_recording, versionsort);
	for (i = 0; i < nr; i++) {
		bool is_first = !strcmp(list[i]->d_name, first);

		found |= is_first;
		whole &= !convert_one(o, folder, list[i]->d_name, is_first);
	}
	if (!found && started)
		fprintf(stderr, "record: %s: nothing was recorded: a program "
			"linked statically, one that runs as another user, or "
			"one with a malloc() of its own cannot be\n", o->output);
	snprintf(link, sizeof(link), "%s/first", folder);
	unlink(link);
	if (rmdir(folder)) {
		symlink(first, link);
		fprintf(stderr, "record: the recording is still in %s: see "
			"--from\n", folder);
	}
	return found && whole;
}

static char *make_folder(const char *output)
{
	char *template, *path;

	if (asprintf(&template, "%s.raw.XXXXXX", output) < 0)
		die(RECORD_FAILED, "out of memory");
	if (!mkdtemp(template))
		die(RECORD_BAD, "-o %s: must be in a folder that can be "
		    "written: %s", output, strerror(errno));
	path = realpath(template, NULL);
	if (!path)
		die(RECORD_FAILED, "%s: %s", template, strerror(errno));
	return path;
}

/* Nobody else may make traces of it before this process has ended. */
static void own_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		die(RECORD_BAD, "--from %s: must be the folder of a recording: %s",
		    folder, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		die(RECORD_BAD, "--from %s: must be a recording that has ended: "
		    "another record is at it", folder);
}

int main(int argc, char **argv)
{
	struct options o = { };
	const char *folder;
	bool started, whole;
	int status;

	read_options(&o, argv);
	if (o.from) {
		own_folder(o.from);
		return convert_all(&o, o.from, true) ? 0 : RECORD_FAILED;
	}
	folder = make_folder(o.output);
	own_folder(folder);
	status = run(o.command, folder);
	/* The shell's two for what was not started at all; why was said. */
	started = status != 126 && status != 127;
	whole = convert_all(&o, folder, started);
	return whole || !started ? status : RECORD_FAILED;
}
