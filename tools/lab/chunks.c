// SPDX-License-Identifier: GPL-2.0
/*
 * A chunk script lists the chunks that the system lent to a kernel, in order,
 * one "PFN ORDER" a line.  The lab's machine lends the same chunks, so all that
 * depends on addresses comes out as in that kernel.
 */
#include "lab.h"

static struct {
	const char *path;		/* NULL: there is no script */
	struct lab_chunk *chunk;
	unsigned long nr;
	unsigned long at;		/* chunk that is lent next */
	char why[160];			/* script and trace differ; "" so far */
} lab_script;

/* Keep the first reason.  Return: false, for the caller to return. */
static __printf(1, 2) bool lab_script_refuse(const char *fmt, ...)
{
	va_list args;

	if (*lab_script.why)
		return false;
	va_start(args, fmt);
	vsnprintf(lab_script.why, sizeof(lab_script.why), fmt, args);
	va_end(args);
	return false;
}

/*
 * Choose 2^order pages for a request to the machine.  A larger chunk comes next
 * where the kernel's request was refused.  Return: false without such pages.
 */
static bool lab_script_next(unsigned int order, unsigned long *pfn)
{
	const struct lab_chunk *c = lab_script.chunk + lab_script.at;

	if (lab_script.at == lab_script.nr)
		return lab_script_refuse("all %lu chunks are used and another is asked for",
					 lab_script.nr);
	if (c->order < order)
		return false;
	if (c->order > order)
		return lab_script_refuse("chunk %lu is of order %u, asked for is order %u",
					 lab_script.at + 1, c->order, order);
	lab_script.at++;
	*pfn = c->pfn;
	return lab_pages_free(c->pfn, order) ||
	       lab_script_refuse("chunk %lu, pages from %lu on: some of them are lent already",
				 lab_script.at, c->pfn);
}

static const char *lab_script_line(const char *line, struct lab_chunk *c)
{
	unsigned long pfn;
	unsigned int order;
	char more;

	if (sscanf(line, "%lu %u %c", &pfn, &order, &more) != 2 ||
	    !isdigit(*line))
		return "must be 'PFN ORDER'";
	if (order > CURPAGE_MAX_ORDER)
		return "ORDER must be 0 to 10";
	if (pfn >= lab_pages() || !IS_ALIGNED(pfn, 1UL << order))
		return "PFN must be a multiple of 2^ORDER within the lab's machine";
	*c = (struct lab_chunk){ .pfn = pfn, .order = order };
	return NULL;
}

static bool lab_script_add(const struct lab_chunk *c)
{
	struct lab_chunk *chunk = lab_script.chunk;
	unsigned long nr = lab_script.nr;

	if (!nr || is_power_of_2(nr)) {
		chunk = realloc(chunk, (nr ? 2 * nr : 1) * sizeof(*chunk));
		if (!chunk)
			return false;
		lab_script.chunk = chunk;
	}
	chunk[lab_script.nr++] = *c;
	return true;
}

/* Return: 0, or an exit status after a message. */
static int lab_script_read(FILE *file, const char *path)
{
	struct lab_chunk c;
	char line[80];
	unsigned long nr;

	for (nr = 1; fgets(line, sizeof(line), file); nr++) {
		const char *why = strchr(line, '\n') ?
				  lab_script_line(line, &c) : "has no end";

		if (why) {
			fprintf(stderr, "lab: %s: line %lu: '%.*s': %s\n", path,
				nr, (int)strcspn(line, "\n"), line, why);
			return LAB_BAD;
		}
		if (!lab_script_add(&c)) {
			perror("lab");
			return LAB_FAILED;
		}
	}
	if (!ferror(file))
		return 0;
	fprintf(stderr, "lab: %s: %s\n", path, strerror(errno));
	return LAB_BAD;
}

/*
 * Have the machine lend the chunks of a file; NULL changes nothing.  Return: 0,
 * or an exit status after a message.
 */
int lab_chunks_start(const char *path)
{
	FILE *file;
	int status;

	if (!path)
		return 0;
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "lab: %s: %s\n", path, strerror(errno));
		return LAB_BAD;
	}
	status = lab_script_read(file, path);
	fclose(file);
	lab_script.path = path;
	if (!status)
		lab.place = lab_script_next;
	return status;
}

/* Return: why the script and the trace do not belong together, or NULL. */
const char *lab_chunks_why(void)
{
	static char why[sizeof(lab_script.why) + 400];

	if (!*lab_script.why)
		return NULL;
	snprintf(why, sizeof(why),
		 "chunks %.300s: %s: they are not of this trace and these settings",
		 lab_script.path, lab_script.why);
	return why;
}

/* As lab_chunks_why(), at the end of the trace: no chunk may be left over. */
const char *lab_chunks_left(void)
{
	if (lab_script.at < lab_script.nr)
		lab_script_refuse("%lu of %lu are left over",
				  lab_script.nr - lab_script.at, lab_script.nr);
	return lab_chunks_why();
}
