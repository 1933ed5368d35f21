// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a library that was loaded: pages that are there, in mappings of no
 * file that came after peer_resident_start().  What the lab has is in the heap or
 * was there before.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "peers.h"

#define RANGES	1024
#define TEXT	SZ_1M	/* bytes of /proc/self/maps */
#define LOOK	SZ_64K	/* pages that are looked at in one call */

struct range {
	unsigned long from, to;
};

static struct range old[RANGES];
static unsigned int nr_old;

/* All of the file, as it is now; the system gives it page by page. */
static const char *maps(void)
{
	static char text[TEXT];
	size_t len = 0;
	ssize_t got;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	while ((got = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += got;
	close(fd);
	text[len] = '\0';
	return got ? NULL : text;
}

/* The next line, NULL after the last; named when it is of a file, or has a use. */
static const char *maps_line(const char *at, struct range *r, bool *named)
{
	size_t len = strcspn(at, "\n");
	char *end;

	if (!*at)
		return NULL;
	r->from = strtoul(at, &end, 16);
	r->to = strtoul(end + 1, &end, 16);
	*named = memchr(end, '/', len - (end - at)) ||
		 memchr(end, '[', len - (end - at));
	return at + len + (at[len] == '\n');
}

size_t peer_pages(unsigned long from, unsigned long to)
{
	static unsigned char there[LOOK];
	size_t nr = 0, i;

	while (from < to) {
		size_t bytes = min(to - from, (size_t)LOOK << PAGE_SHIFT);

		if (mincore((void *)from, bytes, there))
			return nr << PAGE_SHIFT;
		for (i = 0; i < bytes >> PAGE_SHIFT; i++)
			nr += there[i] & 1;
		from += bytes;
	}
	return nr << PAGE_SHIFT;
}

/* Mappings side by side become one: what was there before is cut out. */
static size_t new_pages(struct range r)
{
	size_t bytes = 0;
	unsigned int i;

	for (i = 0; i < nr_old && r.from < r.to; i++) {
		if (old[i].to <= r.from || old[i].from >= r.to)
			continue;
		if (old[i].from > r.from)
			bytes += peer_pages(r.from, old[i].from);
		r.from = old[i].to;
	}
	return r.from < r.to ? bytes + peer_pages(r.from, r.to) : bytes;
}

bool peer_resident_start(void)
{
	const char *at = maps();
	bool named;

	for (nr_old = 0; at && nr_old < RANGES; nr_old++) {
		at = maps_line(at, &old[nr_old], &named);
		if (!at)
			return true;
	}
	return false;
}

size_t peer_resident(void)
{
	const char *at = maps();
	size_t bytes = 0;
	struct range r;
	bool named;

	while (at && (at = maps_line(at, &r, &named)))
		if (!named)
			bytes += new_pages(r);
	return bytes;
}
