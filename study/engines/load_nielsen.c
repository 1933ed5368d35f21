// SPDX-License-Identifier: GPL-2.0
/*
 * Makes Nielsen's loads: a queue of what happens next, in order of time.  The
 * tables of sources and loads are in load_nielsen_rows.c.
 */
#include <math.h>

#include "load_nielsen.h"

#define ALIKE		0.1	/* standard deviation, of the mean */

#define BLOCKS		16384	/* live at most */
#define BLOCKS_EACH	256	/* of a source with sequential lifetimes */
#define QUEUE		(BLOCKS + DEMAND_SOURCES)

/* What happens next: a source's demand, or the end of a block. */
struct demand_next {
	double time;
	u32 order;		/* among those of the same time */
	bool demand;
	u32 which;		/* source or block */
};

struct demand_state {
	struct demand_source as;	/* with all factors */
	double cycle;		/* as long active, then not; 0: always active */
	double phase;		/* where in its cycle it starts */
	double clock;		/* runs while it is active */
	u32 keeps, first, nr;	/* sequential: a ring */
	u32 ring[BLOCKS_EACH];
};

struct demands {
	struct engine_trace *t;
	u32 seed;
	u32 order;
	double now;
	struct demand_state source[DEMAND_SOURCES];
	struct demand_next queue[QUEUE];	/* a heap */
	unsigned int queued;
	u32 unused[BLOCKS];	/* IDs */
	unsigned int nr_unused;
};

static bool demand_before(const struct demand_next *a,
			  const struct demand_next *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void demand_queue(struct demands *n, double time, bool demand, u32 which)
{
	struct demand_next next = { time, n->order++, demand, which };
	unsigned int i = n->queued++;

	for (; i && demand_before(&next, &n->queue[(i - 1) / 2]); i = (i - 1) / 2)
		n->queue[i] = n->queue[(i - 1) / 2];
	n->queue[i] = next;
}

static struct demand_next demand_take(struct demands *n)
{
	struct demand_next first = n->queue[0];
	struct demand_next last = n->queue[--n->queued];
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < n->queued) {
		if (child + 1 < n->queued &&
		    demand_before(&n->queue[child + 1], &n->queue[child]))
			child++;
		if (demand_before(&last, &n->queue[child]))
			break;
		n->queue[i] = n->queue[child];
		i = child;
	}
	n->queue[i] = last;
	return first;
}

static void demand_end(struct demands *n, u32 id)
{
	engine_trace_free(n->t, id);
	n->unused[n->nr_unused++] = id;
}

/* The source's next demand: its clock stands still while it is not active. */
static void demand_due(struct demands *n, u32 which)
{
	struct demand_state *s = &n->source[which];
	double time;

	s->clock += demand_draw(&s->as.gap, &n->seed);
	time = s->clock;
	if (s->cycle)
		time += floor(s->clock / s->cycle) * s->cycle - s->phase;
	demand_queue(n, time, true, which);
}

static bool demand_made(struct demands *n, u32 which)
{
	struct demand_state *s = &n->source[which];
	double life = s->keeps ? 0 : demand_draw(&s->as.life, &n->seed);
	u32 id;

	if (s->keeps && s->nr == s->keeps) {
		demand_end(n, s->ring[s->first]);
		s->first = (s->first + 1) % BLOCKS_EACH;
		s->nr--;
	}
	if (!n->nr_unused)
		return false;
	id = n->unused[--n->nr_unused];
	engine_trace_alloc(n->t, id, s->as.size * DEMAND_WORD);
	if (s->keeps)
		s->ring[(s->first + s->nr++) % BLOCKS_EACH] = id;
	else
		demand_queue(n, n->now + life, false, id);
	demand_due(n, which);
	return true;
}

/* A source's lifetimes, in a load where they are not its own. */
static void demand_lives(struct demand_state *s, const struct demand_load *load)
{
	struct demand_draw *life = &s->as.life;
	double mean;

	demand_scale(life, load->life);
	if (load->mean)
		demand_scale(life, load->mean / demand_mean(life));
	if (load->coexist)
		demand_scale(life, load->coexist * demand_mean(&s->as.gap) /
			      demand_mean(life));
	mean = demand_mean(life);
	if (load->lives == DEMAND_ALIKE)
		*life = (struct demand_draw){ DEMAND_NORMAL, mean,
					       ALIKE * ALIKE * mean * mean };
	if (load->lives == DEMAND_SPREAD)
		*life = (struct demand_draw){ DEMAND_EXPONENTIAL, mean };
	if (load->lives == DEMAND_SEQUENTIAL)
		s->keeps = clamp(mean / demand_mean(&s->as.gap) + 0.5, 1.0,
				 (double)BLOCKS_EACH);
}

static void demand_cycle(struct demands *n, struct demand_state *s,
			 const struct demand_load *load, bool second)
{
	if (!load->cycle)
		return;
	s->cycle = load->cycle * DEMAND_PERIOD;
	s->phase = second ? s->cycle : 0;
	if (!load->turns) {
		s->cycle *= 0.5 + demand_uniform(&n->seed);
		s->phase = 2 * s->cycle * demand_uniform(&n->seed);
	}
	s->clock = min(s->phase, s->cycle);
}

static void demand_source(struct demands *n, const struct demand_load *load,
			  unsigned int which)
{
	struct demand_state *s = &n->source[which];

	s->as = load->source[which % load->rows];
	demand_scale(&s->as.gap, load->gap);
	if (load->size)
		s->as.size = load->size[which];
	demand_lives(s, load);
	demand_cycle(n, s, load, which >= load->sources / 2);
	demand_due(n, which);
}

static bool demand_events(struct demands *n)
{
	struct demand_next next;

	for (;;) {
		next = demand_take(n);
		if (n->now < DEMAND_PERIOD && next.time >= DEMAND_PERIOD)
			n->t->warm = n->t->nr;
		if (next.time >= DEMAND_PERIODS * DEMAND_PERIOD)
			return true;
		n->now = next.time;
		if (!next.demand)
			demand_end(n, next.which);
		else if (!demand_made(n, next.which))
			return false;
	}
}

/* A seed of 0 is the load's own; others are below the modulus. */
bool demand_make(struct engine_trace *t, const struct engine_load *l, u64 seed)
{
	const struct demand_load *load = l->row;
	struct demands *n = calloc(1, sizeof(*n));
	unsigned int i;
	bool made;

	if (!n)
		return false;
	n->t = t;
	n->seed = seed ? seed % DEMAND_MODULUS : load->seed;
	for (i = BLOCKS; i--; )
		n->unused[n->nr_unused++] = i;
	for (i = 0; i < load->sources; i++)
		demand_source(n, load, i);
	made = demand_events(n);
	free(n);
	return made;
}
