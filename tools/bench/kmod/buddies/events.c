// SPDX-License-Identifier: GPL-2.0
/*
 * Requests from a file, lines of "a ID BYTES" and "f ID"; what starts with # is
 * none.  A block that could not be had is not freed.  What is live in the end
 * stays so until the module goes.
 */
#define pr_fmt(fmt) "curpage_buddies: " fmt

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buddies.h"

#define EVENTS_ORDER_MAX	BB_CHUNK_ORDER
#define EVENTS_ID_MAX		1000000

struct event {
	unsigned int id;
	int order;		/* -1 to free */
};

static struct event *events;
static unsigned int nr_events;

static int events_line(const char *line, struct event *e)
{
	unsigned int bytes;
	char end;

	if (sscanf(line, "f %u%c", &e->id, &end) == 1)
		e->order = -1;
	else if (sscanf(line, "a %u %u%c", &e->id, &bytes, &end) == 2 && bytes)
		e->order = get_order(bytes);
	else
		return -EINVAL;
	return e->id < EVENTS_ID_MAX && e->order <= EVENTS_ORDER_MAX ?
	       0 : -EINVAL;
}

static int events_parse(struct bb_run *run, char *text)
{
	unsigned int most = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		struct event *e = &events[nr_events];

		if (!*line || *line == '#')
			continue;
		if (events_line(line, e)) {
			pr_err("events '%s': must be a ID BYTES or f ID, ID below %u, up to 2^%u pages\n",
			       line, EVENTS_ID_MAX, EVENTS_ORDER_MAX);
			return -EINVAL;
		}
		most = max(most, e->id + 1);
		nr_events++;
	}
	run->nr = most;
	run->block = kvcalloc(most ?: 1, sizeof(*run->block), GFP_KERNEL);
	return run->block ? 0 : -ENOMEM;
}

static unsigned int events_lines(const char *text)
{
	unsigned int lines = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		lines++;
	}
	return lines;
}

/* The file as a string, or an error. */
static char *events_read(void)
{
	struct file *file = filp_open(bb_events_path, O_RDONLY, 0);
	loff_t size, pos = 0;
	ssize_t len;
	char *text;

	if (IS_ERR(file))
		return ERR_CAST(file);
	size = i_size_read(file_inode(file));
	text = kvzalloc(size + 1, GFP_KERNEL);
	len = text ? kernel_read(file, text, size, &pos) : -ENOMEM;
	filp_close(file, NULL);
	if (len == size)
		return text;
	kvfree(text);
	return ERR_PTR(len < 0 ? len : -EIO);
}

static int events_prepare(struct bb_run *run)
{
	char *text = events_read();
	int err;

	if (IS_ERR(text)) {
		pr_err("parameter events=%s: error %ld\n", bb_events_path,
		       PTR_ERR(text));
		return PTR_ERR(text);
	}
	events = kvcalloc(events_lines(text), sizeof(*events), GFP_KERNEL);
	err = events ? events_parse(run, text) : -ENOMEM;
	kvfree(text);
	return err;
}

enum { EVENTS_ALLOC, EVENTS_FREE };

/* The two take turns. */
static void events_phase(struct bb_run *run, unsigned int phase)
{
	run->nr_phases = phase + 1;
}

static int events_work(struct bb_run *run)
{
	unsigned int i;

	bb_begin(run, "alloc");
	bb_begin(run, "free");
	for (i = 0; i < nr_events; i++) {
		struct bb_block *block = &run->block[events[i].id];

		if (events[i].order < 0) {
			events_phase(run, EVENTS_FREE);
			if (block->page)
				bb_free(run, block);
			continue;
		}
		if (block->page)
			return -EEXIST;
		events_phase(run, EVENTS_ALLOC);
		block->order = events[i].order;
		block->page = bb_alloc(run, block->order);
	}
	events_phase(run, EVENTS_FREE);
	return 0;
}

static void events_finish(struct bb_run *run)
{
	kvfree(events);
}

const struct bb_load bb_events = {
	.name = "events",
	.prepare = events_prepare,
	.work = events_work,
	.finish = events_finish,
};
