// SPDX-License-Identifier: GPL-2.0
/* The requests of the simulation: draw sizes and times, write a trace. */
#include <math.h>

#include "kaufman.h"

/* Draw a number above 0 and below 1. */
static double kaufman_uniform(u64 *state)
{
	return ((lab_random(state) >> 11) + 0.5) / (1ULL << 53);
}

static double kaufman_exponential(double mean, u64 *state)
{
	return -mean * log(kaufman_uniform(state));
}

static double exponential_draw(const struct kaufman_settings *s, double mean,
			       u64 *state)
{
	return kaufman_exponential(mean, state);
}

static double exponential_up_to(const struct kaufman_settings *s, double mean,
				double units)
{
	return 1 - exp(-units / mean);
}

static double normal_draw(const struct kaufman_settings *s, double mean,
			  u64 *state)
{
	double far = sqrt(-2 * log(kaufman_uniform(state)));

	return mean + s->deviation / 100.0 * mean * far *
		      cos(2 * M_PI * kaufman_uniform(state));
}

static double normal_up_to(const struct kaufman_settings *s, double mean,
			   double units)
{
	return erfc((mean - units) / (s->deviation / 100.0 * mean * M_SQRT2)) / 2;
}

/* Draw from 1 to twice the mean less 1. */
static double uniform_draw(const struct kaufman_settings *s, double mean,
			   u64 *state)
{
	return 1 + floor(kaufman_uniform(state) * (2 * mean - 1));
}

static double uniform_up_to(const struct kaufman_settings *s, double mean,
			    double units)
{
	return fmin(units / (2 * mean - 1), 1);
}

const struct kaufman_sizes kaufman_sizes[KAUFMAN_NR_SIZES] = {
	{ "exponential", "many small ones", exponential_draw,
	  exponential_up_to },
	{ "normal", "around the mean", normal_draw, normal_up_to },
	{ "uniform", "1 to twice the mean less 1", uniform_draw,
	  uniform_up_to },
};

/* Draw a size in whole units, from 1 to KAUFMAN_LARGEST. */
static unsigned int kaufman_size(const struct kaufman_settings *s, double mean,
				 u64 *state)
{
	double size;

	do {
		size = ceil(kaufman_sizes[s->sizes].draw(s, mean, state));
		if (s->clamp)
			size = fmin(fmax(size, 1), KAUFMAN_LARGEST);
	} while (size < 1 || size > KAUFMAN_LARGEST);
	return size;
}

static unsigned int kaufman_mean(const struct kaufman_settings *s, double now)
{
	return s->mean[(unsigned long)(now / s->period) % s->nr_means];
}

static bool kaufman_add(struct kaufman_requests *r, struct kaufman_request new)
{
	if (r->nr == r->room) {
		unsigned long room = r->room ? 2 * r->room : 1024;
		void *more = realloc(r->request, room * sizeof(new));

		if (!more)
			return false;
		r->request = more;
		r->room = room;
	}
	r->request[r->nr++] = new;
	return true;
}

/*
 * Draw the requests of a run, for every policy.  Return: false without memory.
 */
bool kaufman_draw(const struct kaufman_settings *s, u64 seed,
		  struct kaufman_requests *r)
{
	u64 state = seed;
	double now;

	r->nr = 0;
	for (now = kaufman_exponential(s->interarrival, &state);
	     now < s->units;
	     now += kaufman_exponential(s->interarrival, &state)) {
		struct kaufman_request new = { .time = now };

		new.size = kaufman_size(s, kaufman_mean(s, now), &state);
		new.order = order_base_2(DIV_ROUND_UP(new.size, KAUFMAN_PAGE));
		new.life = kaufman_exponential(s->lifetime, &state);
		if (!kaufman_add(r, new))
			return false;
	}
	return true;
}

/* Return: the share of requests, for one mean, for blocks of an order. */
static double kaufman_share(const struct kaufman_settings *s, double mean,
			    unsigned int order)
{
	double high = KAUFMAN_PAGE << order, low = order ? high / 2 : 0;
	const struct kaufman_sizes *sizes = &kaufman_sizes[s->sizes];
	double above = sizes->up_to(s, mean, high);
	double below = sizes->up_to(s, mean, low);
	double none = sizes->up_to(s, mean, 0);
	double all = sizes->up_to(s, mean, KAUFMAN_LARGEST);

	if (!s->clamp)
		return (above - below) / (all - none);
	return (order == KAUFMAN_ORDERS - 1 ? 1 : above) - (order ? below : 0);
}

/* Write the distribution as desired numbers, in millionths. */
void kaufman_shares(const struct kaufman_settings *s, char *text, size_t size)
{
	unsigned int order, i;
	size_t len;

	len = scnprintf(text, size, "shares:%lu",
			KAUFMAN_UNITS / KAUFMAN_PAGE * PAGE_SIZE / SZ_1K);
	for (order = 0; order < KAUFMAN_ORDERS; order++) {
		double share = 0;

		for (i = 0; i < s->nr_means; i++)
			share += kaufman_share(s, s->mean[i], order);
		len += scnprintf(text + len, size - len, "%c%.0f",
				 order ? ',' : ':', 1e6 * share / s->nr_means);
	}
}

/* A request, or the end of its block. */
struct kaufman_event {
	double time;
	unsigned long id;
	bool end;
};

static int kaufman_earlier(const void *a, const void *b)
{
	const struct kaufman_event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static unsigned long kaufman_events(const struct kaufman_settings *s,
				    const struct kaufman_requests *r,
				    struct kaufman_event *event)
{
	unsigned long i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		const struct kaufman_request *q = &r->request[i];

		event[nr++] = (struct kaufman_event){ q->time, i, false };
		if (q->time + q->life < s->units)
			event[nr++] = (struct kaufman_event){
				q->time + q->life, i, true
			};
	}
	qsort(event, nr, sizeof(*event), kaufman_earlier);
	return nr;
}

/*
 * Write all requests, served or not, as a trace.  A unit is a KiB.  Return:
 * false with errno set.
 */
bool kaufman_write(const struct kaufman_settings *s,
		   const struct kaufman_requests *r)
{
	struct kaufman_event *event = calloc(2 * r->nr + 1, sizeof(*event));
	FILE *to = fopen(s->events, "w");
	unsigned long i, nr;
	bool ok = event && to;

	nr = ok ? kaufman_events(s, r, event) : 0;
	for (i = 0; i < nr; i++) {
		const struct kaufman_event *e = &event[i];

		if (e->end)
			fprintf(to, "f %lu\n", e->id);
		else
			fprintf(to, "a %lu %u\n", e->id,
				r->request[e->id].size * SZ_1K);
	}
	if (to) {
		ok &= !ferror(to);
		ok &= !fclose(to);
	}
	free(event);
	return ok;
}
