// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of various sizes (Brent 1984, section 7): requests that come and are
 * held at random, exponentially, with means that depend on the size.
 *
 * Requests of all sizes together come at the sum of their rates, and each is of a
 * size with a probability in proportion to its rate: that is the same process as
 * one of arrivals for each size.  A simulation begins in equilibrium: it has the
 * blocks that are live then, whose rest of life is exponential as well.
 *
 * Each block is referenced twice, when it is allocated and just before it is
 * freed (section 7.3).
 */
#include <math.h>

#include "bozman.h"
#include "bytes_buddy.h"
#include "load.h"

struct bz_block {
	double end;		/* when it is freed */
	void *block;
	unsigned int size;
	u32 buddy;		/* where binary buddies have it */
};

struct bz {
	struct sim *s;
	struct bozman b;
	double share[BOZMAN_SIZES];	/* of the requests, up to this size */
	struct bz_block *heap;		/* the first to be freed is at 1 */
	unsigned long nr, room;

	/* Of what was asked for while measuring. */
	double requests, size, lifetime;
	u64 buddy_items;		/* when measuring began */
	double buddy_time, power_time, bytes_time;

	/* The same requests of binary buddies. */
	struct bytes_buddy buddy;
	double power;			/* bytes of live blocks in powers of two */
};

static void bz_push(struct bz *z, struct bz_block new)
{
	unsigned long at;

	if (z->nr + 1 >= z->room) {
		z->room = z->room ? 2 * z->room : 1024;
		z->heap = realloc(z->heap, z->room * sizeof(*z->heap));
		if (!z->heap) {
			perror("lab");
			exit(LAB_FAILED);
		}
	}
	for (at = ++z->nr; at > 1 && new.end < z->heap[at / 2].end; at /= 2)
		z->heap[at] = z->heap[at / 2];
	z->heap[at] = new;
}

static struct bz_block bz_pop(struct bz *z)
{
	struct bz_block first = z->heap[1], last = z->heap[z->nr--];
	unsigned long at = 1, child;

	while ((child = 2 * at) <= z->nr) {
		child += child < z->nr &&
			 z->heap[child + 1].end < z->heap[child].end;
		if (last.end <= z->heap[child].end)
			break;
		z->heap[at] = z->heap[child];
		at = child;
	}
	z->heap[at] = last;
	return first;
}

/* What binary buddies would need if they lost nothing between blocks. */
static double bz_power(unsigned int size)
{
	return 1UL << order_base_2(size);
}

static void bz_alloc(struct bz *z, unsigned int size, double life)
{
	void *block = sim_alloc(z->s, size);

	sim_touch(z->s, block);
	bz_push(z, (struct bz_block){
		.end = z->s->now + life, .block = block, .size = size,
		.buddy = bytes_buddy_alloc(&z->buddy, size),
	});
	z->power += bz_power(size);
	if (!z->s->measuring)
		return;
	z->requests++;
	z->size += size;
	z->lifetime += life;
}

static void bz_free(struct bz *z)
{
	struct bz_block b = bz_pop(z);

	sim_touch(z->s, b.block);
	sim_free(z->s, b.block, b.size);
	bytes_buddy_free(&z->buddy, b.buddy, b.size);
	z->power -= bz_power(b.size);
}

static void bz_clock(struct bz *z, double now)
{
	double time = now - z->s->now;

	if (z->s->measuring) {
		z->buddy_time += bytes_buddy_held(&z->buddy) * time;
		z->power_time += z->power * time;
		z->bytes_time += z->s->requested * time;
	} else {
		z->buddy_items = z->buddy.items;
	}
	sim_clock(z->s, now);
}

/* A size with a probability in proportion to its rate. */
static const struct bozman_size *bz_draw(struct bz *z)
{
	double u = sim_uniform(z->s);
	unsigned int low = 0, high = BOZMAN_SIZES - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (z->share[middle] > u)
			high = middle;
		else
			low = middle + 1;
	}
	return &z->b.size[low];
}

/* A number of events with this mean: as many as arrive in a time of 1. */
static unsigned int bz_poisson(struct sim *s, double mean)
{
	unsigned int n = 0;
	double t;

	for (t = sim_exponential(s, 1); t < mean; t += sim_exponential(s, 1))
		n++;
	return n;
}

/* The blocks that are live in equilibrium, in an order without a pattern. */
static void bz_start(struct bz *z)
{
	const struct bozman_size **live;
	unsigned long nr = 0, room = 2 * z->b.paper[BOZMAN_LIVE] *
				     sim_rate(z->s) + 1024;
	unsigned int i, n;

	live = calloc(room, sizeof(*live));
	for (i = 0; live && i < BOZMAN_SIZES; i++) {
		const struct bozman_size *size = &z->b.size[i];

		n = bz_poisson(z->s, size->rate * size->hold * sim_rate(z->s));
		while (n-- && nr < room)
			live[nr++] = size;
	}
	while (live && nr) {
		unsigned long at = sim_random(z->s) % nr;

		bz_alloc(z, live[at]->size,
			 sim_exponential(z->s, live[at]->hold));
		live[at] = live[--nr];
	}
	free(live);
}

static void bz_notes(struct bz *z)
{
	struct sim *s = z->s;
	double time = s->seconds - s->since;
	double run[BOZMAN_STATS] = {
		[BOZMAN_REQUESTS] = z->requests / time,
		[BOZMAN_LIVE] = s->live_time / time,
		[BOZMAN_BYTES] = s->requested_time / time,
		[BOZMAN_SIZE] = z->size / z->requests,
		[BOZMAN_LIFETIME] = z->lifetime / z->requests,
	};
	static char name[3 * BOZMAN_STATS][48];
	unsigned int i;

	for (i = 0; i < BOZMAN_STATS; i++) {
		snprintf(name[3 * i], 48, "paper_%s", bozman_stat_name[i]);
		snprintf(name[3 * i + 1], 48, "made_%s", bozman_stat_name[i]);
		snprintf(name[3 * i + 2], 48, "run_%s", bozman_stat_name[i]);
		sim_note(s, name[3 * i], z->b.paper[i]);
		sim_note(s, name[3 * i + 1], z->b.made[i]);
		sim_note(s, name[3 * i + 2], run[i]);
	}
	sim_note(s, "buddy_efficiency", z->bytes_time / z->buddy_time);
	sim_note(s, "buddy_bound", z->bytes_time / z->power_time);
	sim_note(s, "buddy_items", (z->buddy.items - z->buddy_items) /
				   z->requests);
}

static double bz_gap(struct bz *z)
{
	return sim_exponential(z->s, 1 / (z->b.made[BOZMAN_REQUESTS] *
					  sim_rate(z->s)));
}

static void bz_events(struct bz *z)
{
	double next = bz_gap(z);

	for (;;) {
		bool free_first = z->nr && z->heap[1].end < next;
		double now = free_first ? z->heap[1].end : next;
		const struct bozman_size *size;

		if (now >= z->s->seconds)
			break;
		bz_clock(z, now);
		if (free_first) {
			bz_free(z);
			continue;
		}
		size = bz_draw(z);
		bz_alloc(z, size->size, sim_exponential(z->s, size->hold));
		next = now + bz_gap(z);
	}
	bz_clock(z, z->s->seconds);
}

static int bz_run(struct sim *s, enum bozman_system system)
{
	static struct bz z;
	double sum = 0;
	unsigned int i;

	z.s = s;
	bozman_read(&z.b, system, s->set->variant);
	for (i = 0; i < BOZMAN_SIZES; i++) {
		sum += z.b.size[i].rate / z.b.made[BOZMAN_REQUESTS];
		z.share[i] = sum;
	}
	bz_start(&z);
	bz_events(&z);
	sim_stop(s);
	bz_notes(&z);
	while (z.nr)
		bz_free(&z);
	free(z.heap);
	bytes_buddy_exit(&z.buddy);
	return 0;
}

/* What goes to a class, as it is in equilibrium. */
static void bz_sizes(const struct sim *sim, struct cp_map_load *t,
		     enum bozman_system system)
{
	static struct bozman b;
	unsigned int i;

	bozman_read(&b, system, sim->set->variant);
	for (i = 0; i < BOZMAN_SIZES; i++) {
		const struct bozman_size *s = &b.size[i];
		u64 live = s->rate * s->hold * sim->set->rate * CP_BEST_MAP_ONE;

		if (s->size > cp_size_crossover() || s->size > PAGE_SIZE)
			continue;
		t->live[cp_sizemap_units(s->size)] += live;
		t->bytes += live * s->size;
	}
}

static void bz_cambridg_sizes(const struct sim *s, struct cp_map_load *t)
{
	bz_sizes(s, t, BOZMAN_CAMBRIDG);
}

static void bz_yktvmv_sizes(const struct sim *s, struct cp_map_load *t)
{
	bz_sizes(s, t, BOZMAN_YKTVMV);
}

static int bz_cambridg(struct sim *s)
{
	return bz_run(s, BOZMAN_CAMBRIDG);
}

static int bz_yktvmv(struct sim *s)
{
	return bz_run(s, BOZMAN_YKTVMV);
}

const struct sim_load load_cambridg = {
	.name = "cambridg",
	.about = "requests for storage as at CAMBRIDG (Bozman et al. 1984)",
	.seconds = 2000,
	.warmup = 200,
	.variants = bozman_readings,
	.run = bz_cambridg,
	.sizes = bz_cambridg_sizes,
};

const struct sim_load load_yktvmv = {
	.name = "yktvmv",
	.about = "requests for storage as at YKTVMV (Bozman et al. 1984)",
	.seconds = 2000,
	.warmup = 200,
	.variants = bozman_readings,
	.run = bz_yktvmv,
	.sizes = bz_yktvmv_sizes,
};
