// SPDX-License-Identifier: GPL-2.0
/* Requests, appended one by one: by a load, or from a file. */
#include "engine.h"

#define TRACE_LARGEST	(1UL << 30)	/* bytes of a block */

static void *trace_room(struct engine_trace *t, void *array, size_t have,
			size_t want, size_t one)
{
	void *more = realloc(array, want * one);

	if (!more) {
		t->short_of_memory = true;
		return array;
	}
	memset((char *)more + have * one, 0, (want - have) * one);
	return more;
}

static bool trace_append(struct engine_trace *t, u32 id, u32 size)
{
	if (t->nr == t->room) {
		size_t room = 2 * t->room + 1024;

		t->event = trace_room(t, t->event, t->room, room,
				      sizeof(*t->event));
		if (t->short_of_memory)
			return false;
		t->room = room;
	}
	t->event[t->nr++] = (struct engine_event){ .id = id, .size = size };
	return true;
}

static bool trace_id(struct engine_trace *t, u32 id)
{
	u32 ids = max(2 * t->ids, id + 1024);

	if (id < t->ids)
		return true;
	t->size = trace_room(t, t->size, t->ids, ids, sizeof(*t->size));
	if (!t->short_of_memory)
		t->ids = ids;
	return !t->short_of_memory;
}

void engine_trace_alloc(struct engine_trace *t, u32 id, u32 size)
{
	assert(size);
	if (t->short_of_memory || !trace_id(t, id))
		return;
	assert(!t->size[id]);
	if (!trace_append(t, id, size))
		return;
	t->size[id] = size;
	t->allocs++;
	t->asked += size;
	t->live += size;
	t->live_peak = max(t->live_peak, t->live);
	t->blocks_peak = max(t->blocks_peak, ++t->blocks);
}

void engine_trace_free(struct engine_trace *t, u32 id)
{
	if (t->short_of_memory)
		return;
	assert(id < t->ids && t->size[id]);
	if (!trace_append(t, id, 0))
		return;
	t->live -= t->size[id];
	t->blocks--;
	t->size[id] = 0;
	t->frees++;
}

void engine_trace_end(struct engine_trace *t)
{
	free(t->event);
	free(t->size);
	memset(t, 0, sizeof(*t));
}

/* The IDs of a file are any numbers; ours are those not in use, the last first. */
struct trace_reader {
	struct replay replay;		/* first */
	struct engine_trace *trace;
	struct xarray live;		/* ID of the file: ours */
	u32 *spare;
	u32 nr_spare, room, next;
};

static int trace_why(struct replay *r, int err, const char *why)
{
	r->why = why;
	return err;
}

static int trace_take_free(struct trace_reader *t, u32 id)
{
	void *entry = xa_erase(&t->live, id);
	u32 own;

	if (!entry)
		return trace_why(&t->replay, -EINVAL,
				 "this ID is not live: allocate it first");
	own = xa_to_value(entry);
	engine_trace_free(t->trace, own);
	if (t->nr_spare == t->room) {
		u32 room = 2 * t->room + 1024;

		t->spare = trace_room(t->trace, t->spare, t->room, room,
				      sizeof(*t->spare));
		if (t->trace->short_of_memory)
			return trace_why(&t->replay, -ENOMEM, "out of memory");
		t->room = room;
	}
	t->spare[t->nr_spare++] = own;
	return 0;
}

static int trace_take(struct replay *r, const struct replay_event *e)
{
	struct trace_reader *t = (struct trace_reader *)r;
	u32 own;

	if (!e->alloc)
		return trace_take_free(t, e->id);
	if (xa_load(&t->live, e->id))
		return trace_why(r, -EINVAL, "this ID is live: free it first");
	own = t->nr_spare ? t->spare[--t->nr_spare] : t->next++;
	engine_trace_alloc(t->trace, own, e->size);
	if (t->trace->short_of_memory ||
	    xa_err(xa_store(&t->live, e->id, xa_mk_value(own), GFP_KERNEL)))
		return trace_why(r, -ENOMEM, "out of memory");
	return 0;
}

int engine_trace_read(struct engine_trace *t, const char *path)
{
	struct trace_reader reader = { .trace = t };
	int status;

	replay_init(&reader.replay);
	reader.replay.take = trace_take;
	reader.replay.size_max = TRACE_LARGEST;
	xa_init(&reader.live);
	status = lab_trace(&reader.replay, path, false);
	xa_destroy(&reader.live);
	free(reader.spare);
	return status;
}
