// SPDX-License-Identifier: GPL-2.0
/* Read a trace from a file, plain or gzip, into a replay. */
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "lab.h"

#define LAB_BUFFER	65536

static int lab_complain(const char *path, const char *why, int status)
{
	fprintf(stderr, "lab: %s: %s\n", path, why);
	return status;
}

/* Return: the message of an error of zlib, or of the system. */
static const char *lab_gz_error(gzFile file)
{
	int err;
	const char *why = gzerror(file, &err);

	if (err == Z_ERRNO)
		return strerror(errno);
	return *why ? why : "bad gzip data";
}

/* Progress: a line each second, on a terminal over the line before. */
struct lab_progress {
	bool asked;
	bool terminal;
	struct timespec start;
	double last;		/* seconds from start to the last line */
};

static double lab_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - start->tv_sec +
	       (now.tv_nsec - start->tv_nsec) / 1e9;
}

static void lab_progress_start(struct lab_progress *p, bool asked)
{
	p->asked = asked;
	p->terminal = isatty(STDERR_FILENO);
	p->last = 0;
	clock_gettime(CLOCK_MONOTONIC, &p->start);
}

static void lab_progress_say(const struct lab_progress *p, double seconds,
			     unsigned long events)
{
	fprintf(stderr, "%slab: %lu events, %.2f million a second%s",
		p->terminal ? "\r" : "", events,
		seconds > 0 ? events / seconds / 1e6 : 0,
		p->terminal ? "\033[K" : "\n");
}

static void lab_progress_step(struct lab_progress *p, unsigned long events)
{
	double seconds;

	if (!p->asked && !p->terminal)
		return;
	seconds = lab_since(&p->start);
	if (seconds - p->last < 1)
		return;
	p->last = seconds;
	lab_progress_say(p, seconds, events);
}

/* Print the last line if progress was asked for, else wipe the line. */
static void lab_progress_end(const struct lab_progress *p, unsigned long events)
{
	if (p->asked)
		lab_progress_say(p, lab_since(&p->start), events);
	if (p->terminal && (p->asked || p->last))
		fputs(p->asked ? "\n" : "\r\033[K", stderr);
}

static int lab_feed(struct replay *r, gzFile file, const char *path,
		    bool progress)
{
	static char buf[LAB_BUFFER];
	char why[REPLAY_ERROR];
	struct lab_progress p;
	int len = 0, err = 0;

	lab_progress_start(&p, progress);
	while (!err && (len = gzread(file, buf, sizeof(buf))) > 0) {
		err = replay_feed(r, buf, len);
		lab_progress_step(&p, r->events);
	}
	lab_progress_end(&p, r->events);
	if (!err) {
		/* Only gzerror() tells a file that was cut off. */
		gzerror(file, &err);
		if (len < 0 || err != Z_OK) {
			snprintf(why, sizeof(why), "line %lu: %s", r->line,
				 lab_gz_error(file));
			return lab_complain(path, why, LAB_BAD);
		}
		err = replay_end(r);
	}
	if (!err)
		return 0;
	if (lab_chunks_why())
		return lab_complain(path, lab_chunks_why(), LAB_BAD);
	return lab_complain(path, r->error,
			    err == -EINVAL ? LAB_BAD : LAB_FAILED);
}

/*
 * Replay a file; "-" is the standard input.  Return: 0, or an exit status after
 * a message.
 */
int lab_trace(struct replay *r, const char *path, bool progress)
{
	bool standard = !strcmp(path, "-");
	gzFile file = standard ? gzdopen(0, "rb") : gzopen(path, "rb");
	int status;

	if (!file)
		return lab_complain(path, errno ? strerror(errno) :
				    "out of memory", LAB_BAD);
	gzbuffer(file, LAB_BUFFER);
	status = lab_feed(r, file, standard ? "standard input" : path, progress);
	gzclose_r(file);
	return status;
}
