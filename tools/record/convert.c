// SPDX-License-Identifier: GPL-2.0
/*
 * From a recording's file to a trace: addresses become small numbers, those of the
 * blocks freed last first, so that there are few and they pack well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "blocks.h"
#include "convert.h"
#include "raw.h"

#define COMMAND_SHOWN	400

struct conversion {
	const char *path;		/* of the trace */
	gzFile out;
	const struct raw_head *head;
	const uint64_t *record;
	uint64_t nr;			/* records that were kept */
	struct blocks blocks;
	uint64_t allocs, frees, resizes;
	uint64_t strange;	/* ends of blocks whose start is not in here */
	uint64_t unseen;	/* blocks whose end is not in here */
	uint64_t unwritten;	/* records of no event */
	uint64_t bytes, bytes_peak, blocks_peak;
};

static int complain(const char *path, const char *why)
{
	fprintf(stderr, "record: %s: %s\n", path, why);
	return -1;
}

static void put_end(struct conversion *c, const struct block *b)
{
	gzprintf(c->out, "f %" PRIu32 "\n", b->id);
	c->frees++;
	c->bytes -= b->size;
}

static void put_start(struct conversion *c, uint64_t at, uint64_t size)
{
	struct block old, *b;

	if (blocks_take(&c->blocks, at, &old)) {
		c->unseen++;
		put_end(c, &old);
		blocks_give_id(&c->blocks, old.id);
	}
	/* A block of no bytes has an address of its own, as one of a byte. */
	b = blocks_add(&c->blocks, at, size ? size : 1);
	gzprintf(c->out, "a %" PRIu32 " %" PRIu64 "\n", b->id, b->size);
	c->allocs++;
	c->bytes += b->size;
	if (c->bytes > c->bytes_peak)
		c->bytes_peak = c->bytes;
	if (c->blocks.nr > c->blocks_peak)
		c->blocks_peak = c->blocks.nr;
}

static void end_block(struct conversion *c, uint64_t at)
{
	struct block b;

	if (!blocks_take(&c->blocks, at, &b)) {
		c->strange++;
		return;
	}
	put_end(c, &b);
	blocks_give_id(&c->blocks, b.id);
}

/*
 * While realloc() is at work the old address may already be another thread's, so
 * the block waits under the number of the event: an odd one, which no address is.
 */
static uint64_t waiting(uint64_t number)
{
	return number << 1 | 1;
}

static void begin_resize(struct conversion *c, uint64_t number, uint64_t at)
{
	struct block b;

	if (blocks_take(&c->blocks, at, &b))
		blocks_put(&c->blocks, waiting(number), b);
}

/* Of the event of this number, which may have it in the next record. */
static uint64_t value_at(const struct conversion *c, uint64_t number)
{
	uint64_t value = c->record[number] >> RAW_VALUE_SHIFT;

	if (value != RAW_BEHIND || number + 1 == c->nr)
		return value;
	return c->record[number + 1] >> RAW_WHAT_BITS;
}

static void end_resize(struct conversion *c, uint64_t number, uint64_t at)
{
	uint64_t size;
	struct block b;
	bool had;

	if (number >= c->nr) {		/* of a file that was damaged */
		c->strange++;
		return;
	}
	size = value_at(c, number);
	had = blocks_take(&c->blocks, waiting(number), &b);
	if (!at && size) {	/* failed: the block is as it was */
		if (had)
			blocks_put(&c->blocks, raw_address(c->record[number]),
				   b);
		return;
	}
	if (at)
		put_start(c, at, size);
	if (had) {
		put_end(c, &b);
		blocks_give_id(&c->blocks, b.id);
	} else {
		c->strange++;
	}
	c->resizes++;
}

static void convert_record(struct conversion *c, uint64_t number)
{
	uint64_t record = c->record[number];
	uint64_t at = raw_address(record);

	switch (raw_what(record)) {
	case RAW_ALLOC:
		put_start(c, at, value_at(c, number));
		break;
	case RAW_FREE:
		end_block(c, at);
		break;
	case RAW_RESIZE:
		begin_resize(c, number, at);
		break;
	case RAW_RESIZED:
		end_resize(c, value_at(c, number), at);
		break;
	case RAW_VALUE:
		/* Of the one before it, or of one that was not written. */
		break;
	default:
		c->unwritten++;
	}
}

/* The command in a line; what does not belong there is shown as ?. */
static void put_command(struct conversion *c)
{
	const struct raw_head *h = c->head;
	const char *name = h->command, *slash;
	uint32_t len = strnlen(name, h->command_len), i;

	slash = memrchr(name, '/', len);
	if (slash) {
		len -= slash + 1 - name;
		name = slash + 1;
	}
	gzprintf(c->out, "# program: %.*s\n# arguments:", (int)len, name);
	for (i = name + len - h->command; i < h->command_len; i++) {
		unsigned char byte = h->command[i];

		if (i >= COMMAND_SHOWN) {
			gzputs(c->out, " ...");
			break;
		}
		if (byte || i + 1 < h->command_len)
			gzputc(c->out, !byte ? ' ' :
			       byte < ' ' || byte == 127 ? '?' : byte);
	}
	gzputc(c->out, '\n');
}

static void put_head(struct conversion *c, const struct convert_notes *notes)
{
	unsigned int i;

	gzputs(c->out, "# recorded by tools/record of curpage\n");
	put_command(c);
	for (i = 0; i < notes->nr; i++)
		gzprintf(c->out, "# %s\n", notes->line[i]);
}

static void put_tail(struct conversion *c)
{
	gzprintf(c->out, "# blocks: %" PRIu64 ", of these by realloc: %" PRIu64
		 ", not freed: %" PRIu64 "\n", c->allocs, c->resizes,
		 c->allocs - c->frees);
	gzprintf(c->out, "# most at once: %" PRIu64 " bytes, %" PRIu64
		 " blocks\n", c->bytes_peak, c->blocks_peak);
	if (c->strange)
		gzprintf(c->out, "# left out, ends of blocks made elsewhere "
			 "(before a fork): %" PRIu64 "\n", c->strange);
	if (c->unseen)
		gzprintf(c->out, "# ended when their address came again: %"
			 PRIu64 "\n", c->unseen);
	if (c->unwritten)
		gzprintf(c->out, "# requests under way when the program ended: %"
			 PRIu64 "\n", c->unwritten);
	if (c->head->cut)
		gzprintf(c->out, "# CUT: %s: the first %" PRIu64 " of %" PRIu64
			 " records\n", strerror(c->head->cut), c->nr,
			 c->head->next);
}

static int say_what_is_there(const struct conversion *c)
{
	fprintf(stderr, "record: %s: %" PRIu64 " blocks, at most %" PRIu64
		" bytes in %" PRIu64 ", %" PRIu64 " not freed\n", c->path,
		c->allocs, c->bytes_peak, c->blocks_peak, c->allocs - c->frees);
	if (!c->head->cut)
		return 0;
	fprintf(stderr, "record: %s: cut: the first %" PRIu64 " of %" PRIu64
		" records are there: %s\n", c->path, c->nr, c->head->next,
		strerror(c->head->cut));
	return 1;
}

/* No half of a trace stays; but a device does. */
static int give_up(const char *path)
{
	struct stat st;

	complain(path, errno ? strerror(errno) : "cannot be written");
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	return -1;
}

static int write_trace(struct conversion *c, const struct convert_notes *notes)
{
	uint64_t i;
	int err;

	errno = 0;
	c->out = gzopen(c->path, "wb9");
	if (!c->out)
		return complain(c->path, strerror(errno));
	gzbuffer(c->out, 1 << 17);
	put_head(c, notes);
	for (i = 0; i < c->nr; i++)
		convert_record(c, i);
	put_tail(c);
	gzerror(c->out, &err);
	if (gzclose(c->out) != Z_OK || err != Z_OK)
		return give_up(c->path);
	return say_what_is_there(c);
}

int convert(const char *raw, const char *trace,
	    const struct convert_notes *notes)
{
	struct conversion c = { .path = trace };
	int fd = open(raw, O_RDONLY | O_CLOEXEC), status;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st))
		return complain(raw, strerror(errno));
	map = st.st_size < RAW_HEAD ? MAP_FAILED :
	      mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return complain(raw, "this is no recording");
	c.head = map;
	c.record = (void *)((char *)map + RAW_HEAD);
	c.nr = c.head->next < c.head->room ? c.head->next : c.head->room;
	if (memcmp(c.head->magic, RAW_MAGIC, sizeof(c.head->magic)) ||
	    c.head->command_len > sizeof(c.head->command) ||
	    (st.st_size - RAW_HEAD) / sizeof(*c.record) < c.nr) {
		munmap(map, st.st_size);
		return complain(raw, "this is no recording");
	}
	status = write_trace(&c, notes);
	blocks_free(&c.blocks);
	munmap(map, st.st_size);
	return status;
}
