// SPDX-License-Identifier: GPL-2.0
/*
 * PQSIM (Brent 1984, section 3.2): events in a priority queue, which is a
 * leftist tree of nodes of 20 bytes; each use of a node is a reference to
 * memory.
 *
 * The paper gives the mean rate of arrivals, the mean number of events in the
 * queue, and the virtual sizes.  What they tell of the program beyond its
 * text: NOFREE takes 31360 pages, which is 2 * 196 * 2000 / 25, so a request of
 * the CAMBRIDG distribution is two nodes, its arrival and its end; 2400 events
 * are 2347 ends and some 50 arrivals, one for each kind of request; and QUICK
 * takes 18 times the pages that are needed, so lifetimes are far from one
 * exponential distribution.  In CAMBRIDG each size has a mean of its own; those
 * are not in the paper, so kinds of requests are made up here, most of them
 * short-lived, and scaled to 196 requests a second and a mean of 12 seconds.
 * They were found by a search for those that bring the page faults of table 3.2
 * near the paper's; papers.rst says how the result moves with them.
 */
#include <math.h>

#include "load.h"

#define PQSIM_RATE	196.0	/* requests a second */
#define PQSIM_LIFE	12.0	/* seconds, on average over all requests */
#define PQSIM_SHORTEST	0.01	/* as in section 7.2 */

/* Kinds of requests that live about as long, and their part of all requests. */
struct pqsim_group {
	double life;
	double part;
	unsigned int kinds;
};

static const struct pqsim_group pqsim_groups[] = {
	{ 0.02, 0.88, 18 }, { 0.1, 0.086, 3 }, { 0.5, 0.26, 4 },
	{ 2, 0.11, 6 }, { 30, 0.028, 1 }, { 100, 0.012, 2 },
	{ 300, 0.0323, 2 }, { 1000, 0.0025, 3 },
};

#define PQSIM_KINDS	64	/* at most */
#define PQSIM_ARRIVAL	0x8000U

struct pqsim_node {
	u32 left, right;	/* where in memory, and one; 0 for none */
	u32 kind;		/* and PQSIM_ARRIVAL, or it is the end of one */
	float time;
	s32 dist;		/* to the nearest leaf */
};

static_assert(sizeof(struct pqsim_node) == 20);

struct pqsim_kind {
	double gap;		/* mean seconds between arrivals */
	double life;
};

struct pqsim {
	struct sim *s;
	u32 root;
	unsigned int nr;
	struct pqsim_kind kind[PQSIM_KINDS];
};

static struct pqsim_node *pqsim_node(struct pqsim *q, u32 link)
{
	struct pqsim_node *n = (void *)(lab.memory + (link - 1));

	sim_touch(q->s, n);
	return n;
}

static s32 pqsim_dist(struct pqsim *q, u32 link)
{
	return link ? pqsim_node(q, link)->dist : -1;
}

/* The way down compares times, the way up sees that the left side is longer. */
static u32 pqsim_merge(struct pqsim *q, u32 a, u32 b)
{
	u32 left, right;

	if (!a || !b)
		return a ?: b;
	if (pqsim_node(q, a)->time > pqsim_node(q, b)->time) {
		right = a;
		a = b;
		b = right;
	}
	right = pqsim_merge(q, pqsim_node(q, a)->right, b);
	left = pqsim_node(q, a)->left;
	if (pqsim_dist(q, left) < pqsim_dist(q, right)) {
		pqsim_node(q, a)->left = right;
		pqsim_node(q, a)->right = left;
		right = left;
	} else {
		pqsim_node(q, a)->right = right;
	}
	pqsim_node(q, a)->dist = pqsim_dist(q, right) + 1;
	return a;
}

static void pqsim_insert(struct pqsim *q, u32 kind, double time)
{
	struct pqsim_node *n = sim_alloc(q->s, sizeof(*n));

	sim_touch(q->s, n);
	*n = (struct pqsim_node){ .kind = kind, .time = time };
	q->root = pqsim_merge(q, q->root, (char *)n - lab.memory + 1);
}

static struct pqsim_node pqsim_pop(struct pqsim *q)
{
	struct pqsim_node *n = pqsim_node(q, q->root);
	struct pqsim_node first = *n;

	q->root = pqsim_merge(q, n->left, n->right);
	sim_free(q->s, n, sizeof(*n));
	return first;
}

/* Other readings than the first one, to see what they change. */
static const char * const pqsim_variants[] = {
	"paper", "arrival-first", "one-lifetime", "less-spread", NULL
};

/* The power of the lifetimes that is taken. */
static double pqsim_spread(const struct sim *s)
{
	if (sim_variant(s, "one-lifetime"))
		return 0;
	return sim_variant(s, "less-spread") ? 0.5 : 1;
}

static void pqsim_kinds(struct pqsim *q)
{
	double part = 0, life = 0, spread = pqsim_spread(q->s);
	const struct pqsim_group *g;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(pqsim_groups); i++) {
		g = &pqsim_groups[i];
		part += g->part;
		life += g->part * pow(g->life, spread);
	}
	for (i = 0; i < ARRAY_SIZE(pqsim_groups); i++) {
		g = &pqsim_groups[i];
		for (j = 0; j < g->kinds; j++) {
			struct pqsim_kind *k = &q->kind[q->nr++];

			k->gap = g->kinds / (PQSIM_RATE * g->part / part);
			k->life = max(PQSIM_SHORTEST, PQSIM_LIFE * part / life *
						      pow(g->life, spread));
		}
	}
}

static void pqsim_arrive(struct pqsim *q, unsigned int kind, double now)
{
	double gap = q->kind[kind].gap / sim_rate(q->s);

	pqsim_insert(q, kind | PQSIM_ARRIVAL, now + sim_exponential(q->s, gap));
}

static void pqsim_event(struct pqsim *q)
{
	struct pqsim_node first = pqsim_pop(q);
	unsigned int kind = first.kind & ~PQSIM_ARRIVAL;
	double life;

	if (!(first.kind & PQSIM_ARRIVAL))
		return;
	life = sim_exponential(q->s, q->kind[kind].life);
	if (sim_variant(q->s, "arrival-first"))
		pqsim_arrive(q, kind, first.time);
	pqsim_insert(q, kind, first.time + life);
	if (!sim_variant(q->s, "arrival-first"))
		pqsim_arrive(q, kind, first.time);
}

static int pqsim_run(struct sim *s)
{
	static struct pqsim q;
	unsigned int i;
	double now;

	q.s = s;
	sim_cache(s, sizeof(struct pqsim_node));
	pqsim_kinds(&q);
	for (i = 0; i < q.nr; i++)
		pqsim_arrive(&q, i, 0);
	while ((now = pqsim_node(&q, q.root)->time) < s->seconds) {
		sim_clock(s, max(now, s->now));
		pqsim_event(&q);
	}
	sim_stop(s);
	while (q.root)
		pqsim_pop(&q);
	return 0;
}

const struct sim_load load_pqsim = {
	.name = "pqsim",
	.about = "events in a priority queue, a leftist tree of 20-byte nodes",
	.seconds = 2000,
	.warmup = 1000,
	.variants = pqsim_variants,
	.run = pqsim_run,
};
