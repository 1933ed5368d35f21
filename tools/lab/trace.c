// SPDX-License-Identifier: GPL-2.0
/* A trace from a file, plain or gzip, fed to a replay. */
#include <zlib.h>

#include "lab.h"

#define LAB_BUFFER	65536

static int lab_complain(const char *path, const char *why, int status)
{
	fprintf(stderr, "lab: %s: %s\n", path, why);
	return status;
}

/* zlib has its own errors, and leaves those of the system in errno. */
static const char *lab_gz_error(gzFile file)
{
	int err;
	const char *why = gzerror(file, &err);

	if (err == Z_ERRNO)
		return strerror(errno);
	return *why ? why : "bad gzip data";
}

static int lab_feed(struct replay *r, gzFile file, const char *path)
{
	static char buf[LAB_BUFFER];
	char why[REPLAY_ERROR];
	int len, err = 0;

	while (!err && (len = gzread(file, buf, sizeof(buf))) > 0)
		err = replay_feed(r, buf, len);
	if (!err) {
		/* A file that was cut off ends like any other, but for this. */
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
	return lab_complain(path, r->error,
			    err == -EINVAL ? LAB_BAD : LAB_FAILED);
}

/* 0, or an exit status; why was said. "-" is the standard input. */
int lab_trace(struct replay *r, const char *path)
{
	bool standard = !strcmp(path, "-");
	gzFile file = standard ? gzdopen(0, "rb") : gzopen(path, "rb");
	int status;

	if (!file)
		return lab_complain(path, errno ? strerror(errno) :
				    "out of memory", LAB_BAD);
	gzbuffer(file, LAB_BUFFER);
	status = lab_feed(r, file, standard ? "standard input" : path);
	gzclose_r(file);
	return status;
}
