// SPDX-License-Identifier: GPL-2.0
/*
 * TRIDIAG (Brent 1984, section 3.1): a list-processing program that simulates
 * how a symmetric matrix is made tridiagonal on a square array of processors
 * (Bojanczyk and Brent 1983).  The paper says of the program only that blocks are
 * a small integer and a pointer, 6 bytes, that storage builds up to a peak, and
 * how many requests there are; so this is a program as one may write it, with
 * blocks of the same make.
 *
 * The array holds the lower triangle, an element a cell.  A rotation of rows p
 * and q, by which the element of row q in column k becomes zero, changes all
 * cells of rows and columns p and q from column k on, and cells see rotations in
 * one order.  So each cell has a queue, a list of the numbers of the rotations
 * that it still has to see.  A rotation can be computed when it is first in the
 * queues of its two cells in column k; then it sweeps over the other columns and
 * takes its numbers off.  A processor has two columns.  What is ready to go on is
 * on a list, too, for the next step; a rotation that has to wait gets back on it
 * when it has become first.  In a column, rows are paired as in a tree.
 *
 * The order of the rotations is known beforehand, so those of a column can be
 * queued before the columns to the left are done: TRIDIAG_AHEAD says how far.
 * That is what makes the peak, and was chosen for it.
 */
#include <math.h>

#include "load.h"

#define TRIDIAG_N	128
#define TRIDIAG_AHEAD	19
#define TRIDIAG_ROTATIONS ((TRIDIAG_N - 1) * (TRIDIAG_N - 2) / 2)

/* Two bytes and a link of four, that need no alignment. */
struct tridiag_block {
	u16 value;
	u16 next_low, next_high;	/* where in memory, and one; 0 for none */
};

static_assert(sizeof(struct tridiag_block) == 6);

/* A cell of the array; the last block of its queue is empty. */
struct tridiag_cell {
	double a;
	u32 first, last;
};

struct tridiag_rotation {
	u8 k, p, q;
	u8 at;			/* the column where its sweep is */
	bool ready;		/* on the list */
	double c, s;
};

struct tridiag {
	struct sim *s;
	struct tridiag_cell cell[TRIDIAG_N][TRIDIAG_N];	/* row >= column */
	struct tridiag_rotation rotation[TRIDIAG_ROTATIONS];
	unsigned int nr;	/* rotations queued so far */
	unsigned int queued;	/* columns of which all are */
	unsigned int done;	/* columns of which all are through */
	unsigned int left[TRIDIAG_N];	/* rotations, by column */
	u32 ready, ready_last;	/* list of rotations that may go on */
	unsigned int ahead;
	u64 steps;
};

static struct tridiag_block *tridiag_block(struct tridiag *t, u32 link)
{
	struct tridiag_block *b = (void *)(lab.memory + (link - 1));

	sim_touch(t->s, b);
	return b;
}

static u32 tridiag_next(struct tridiag *t, u32 link)
{
	struct tridiag_block *b = tridiag_block(t, link);

	return b->next_low | (u32)b->next_high << 16;
}

static void tridiag_set_next(struct tridiag *t, u32 link, u32 next)
{
	struct tridiag_block *b = tridiag_block(t, link);

	b->next_low = next;
	b->next_high = next >> 16;
}

static void tridiag_tick(struct tridiag *t)
{
	sim_clock(t->s, t->s->now + 1);
}

static u32 tridiag_new(struct tridiag *t, unsigned int value)
{
	struct tridiag_block *b = sim_alloc(t->s, sizeof(*b));

	tridiag_tick(t);
	sim_touch(t->s, b);
	*b = (struct tridiag_block){ .value = value };
	return (char *)b - lab.memory + 1;
}

static void tridiag_free(struct tridiag *t, u32 link)
{
	struct tridiag_block *b = (void *)(lab.memory + (link - 1));

	sim_free(t->s, b, sizeof(*b));
	tridiag_tick(t);
}

static struct tridiag_cell *tridiag_cell(struct tridiag *t, unsigned int i,
					 unsigned int j)
{
	return i > j ? &t->cell[i][j] : &t->cell[j][i];
}

/* The empty block at the end gets the number, another one is the end. */
static void tridiag_queue(struct tridiag *t, struct tridiag_cell *c,
			  unsigned int r)
{
	u32 last = tridiag_new(t, 0);

	tridiag_block(t, c->last)->value = r;
	tridiag_set_next(t, c->last, last);
	c->last = last;
}

static bool tridiag_is_first(struct tridiag *t, const struct tridiag_cell *c,
			     unsigned int r)
{
	return c->first != c->last && tridiag_block(t, c->first)->value == r;
}

/* The rotation may go on in the next step. */
static void tridiag_ready(struct tridiag *t, unsigned int nr)
{
	u32 link;

	if (t->rotation[nr].ready)
		return;
	t->rotation[nr].ready = true;
	link = tridiag_new(t, nr);
	if (t->ready)
		tridiag_set_next(t, t->ready_last, link);
	else
		t->ready = link;
	t->ready_last = link;
}

/* Is the rotation first in the queues of all cells that it comes to now? */
static bool tridiag_can_go(struct tridiag *t, unsigned int nr)
{
	const struct tridiag_rotation *r = &t->rotation[nr];

	return tridiag_is_first(t, tridiag_cell(t, r->p, r->at), nr) &&
	       tridiag_is_first(t, tridiag_cell(t, r->q, r->at), nr) &&
	       (r->at != r->p ||
		tridiag_is_first(t, tridiag_cell(t, r->q, r->q), nr));
}

/* Take the first number off; the rotation that comes next may have waited. */
static void tridiag_take(struct tridiag *t, struct tridiag_cell *c)
{
	u32 first = c->first;

	c->first = tridiag_next(t, first);
	tridiag_free(t, first);
	if (c->first != c->last) {
		unsigned int nr = tridiag_block(t, c->first)->value;

		if (tridiag_can_go(t, nr))
			tridiag_ready(t, nr);
	}
}

static void tridiag_queue_rotation(struct tridiag *t, unsigned int k,
				   unsigned int p, unsigned int q)
{
	unsigned int j, r = t->nr++;

	t->rotation[r] = (struct tridiag_rotation){ .k = k, .p = p, .q = q,
						    .at = k };
	t->left[k]++;
	for (j = k; j < TRIDIAG_N; j++) {
		if (j != q)
			tridiag_queue(t, tridiag_cell(t, p, j), r);
		if (j != p)
			tridiag_queue(t, tridiag_cell(t, q, j), r);
		else
			tridiag_queue(t, tridiag_cell(t, q, p), r);
	}
	if (tridiag_can_go(t, r))
		tridiag_ready(t, r);
}

/* Rows are paired as in a tree; the first of a pair goes on. */
static void tridiag_queue_column(struct tridiag *t, unsigned int k)
{
	unsigned int p, step;

	for (step = 1; k + 1 + step < TRIDIAG_N; step *= 2)
		for (p = k + 1; p + step < TRIDIAG_N; p += 2 * step)
			tridiag_queue_rotation(t, k, p, p + step);
}

static void tridiag_turn(const struct tridiag_rotation *r, double *x, double *y)
{
	double a = *x, b = *y;

	*x = r->c * a + r->s * b;
	*y = r->c * b - r->s * a;
}

static void tridiag_compute(struct tridiag_rotation *r, double x, double y)
{
	double norm = hypot(x, y);

	r->c = norm ? x / norm : 1;
	r->s = norm ? y / norm : 0;
}

/* The three cells where the rows cross the columns are turned from both sides. */
static void tridiag_cross(struct tridiag *t, const struct tridiag_rotation *r)
{
	struct tridiag_cell *pp = tridiag_cell(t, r->p, r->p);
	struct tridiag_cell *qp = tridiag_cell(t, r->q, r->p);
	struct tridiag_cell *qq = tridiag_cell(t, r->q, r->q);
	double pq = qp->a;

	tridiag_turn(r, &pp->a, &qp->a);
	tridiag_turn(r, &pq, &qq->a);
	tridiag_turn(r, &pp->a, &pq);
	tridiag_turn(r, &qp->a, &qq->a);
	tridiag_take(t, pp);
	tridiag_take(t, qp);
	tridiag_take(t, qq);
}

/* One column of a sweep. */
static void tridiag_apply(struct tridiag *t, struct tridiag_rotation *r)
{
	struct tridiag_cell *x = tridiag_cell(t, r->p, r->at);
	struct tridiag_cell *y = tridiag_cell(t, r->q, r->at);

	if (r->at == r->p) {
		tridiag_cross(t, r);
		return;
	}
	if (r->at == r->k)
		tridiag_compute(r, x->a, y->a);
	tridiag_turn(r, &x->a, &y->a);
	tridiag_take(t, x);
	tridiag_take(t, y);
}

/* A processor has two columns; then the next one is told, unless it has to wait. */
static void tridiag_sweep(struct tridiag *t, unsigned int nr)
{
	struct tridiag_rotation *r = &t->rotation[nr];

	do {
		if (r->at != r->q) {
			if (!tridiag_can_go(t, nr))
				return;
			tridiag_apply(t, r);
		}
		r->at++;
	} while (r->at < TRIDIAG_N && r->at & 1);
	if (r->at < TRIDIAG_N)
		tridiag_ready(t, nr);
	else
		t->left[r->k]--;
}

/* All that is ready, and what becomes ready meanwhile is for the next step. */
static void tridiag_step(struct tridiag *t)
{
	u32 link = t->ready;

	t->ready = 0;
	t->steps++;
	while (link) {
		unsigned int nr = tridiag_block(t, link)->value;
		u32 next = tridiag_next(t, link);

		tridiag_free(t, link);
		t->rotation[nr].ready = false;
		tridiag_sweep(t, nr);
		link = next;
	}
}

/* The sum of squares, which no rotation changes; and of what has to be zero. */
static double tridiag_norm(const struct tridiag *t, unsigned int from)
{
	double sum = 0;
	unsigned int i, j;

	for (i = 0; i < TRIDIAG_N; i++)
		for (j = 0; j + from <= i; j++)
			sum += (i == j ? 1 : 2) * t->cell[i][j].a *
			       t->cell[i][j].a;
	return sqrt(sum);
}

static void tridiag_fill(struct tridiag *t)
{
	unsigned int i, j;

	for (i = 0; i < TRIDIAG_N; i++) {
		for (j = 0; j <= i; j++) {
			struct tridiag_cell *c = &t->cell[i][j];

			c->a = sim_uniform(t->s) - 0.5;
			c->first = tridiag_new(t, 0);
			c->last = c->first;
		}
	}
}

static void tridiag_empty(struct tridiag *t)
{
	unsigned int i, j;

	for (i = 0; i < TRIDIAG_N; i++)
		for (j = 0; j <= i; j++)
			tridiag_free(t, t->cell[i][j].first);
}

static const char * const tridiag_variants[] = {
	"paper", "less-ahead", "more-ahead", NULL
};

static unsigned int tridiag_ahead(const struct sim *s)
{
	if (sim_variant(s, "less-ahead"))
		return TRIDIAG_AHEAD / 2;
	return sim_variant(s, "more-ahead") ? 2 * TRIDIAG_AHEAD : TRIDIAG_AHEAD;
}

static int tridiag_run(struct sim *s)
{
	static struct tridiag t;
	double norm, error;

	t.s = s;
	t.ahead = tridiag_ahead(s);
	sim_cache(s, sizeof(struct tridiag_block));
	tridiag_fill(&t);
	norm = tridiag_norm(&t, 0);
	while (t.done < TRIDIAG_N - 2) {
		while (t.queued < min(t.done + t.ahead, TRIDIAG_N - 2U))
			tridiag_queue_column(&t, t.queued++);
		tridiag_step(&t);
		while (t.done < t.queued && !t.left[t.done])
			t.done++;
	}
	sim_stop(s);
	error = max(fabs(tridiag_norm(&t, 0) - norm), tridiag_norm(&t, 2));
	sim_note(s, "rotations", t.nr);
	sim_note(s, "steps", t.steps);
	sim_note(s, "live_at_end", s->live);
	sim_note(s, "error", error / norm);
	tridiag_empty(&t);
	if (error < 1e-10 * norm)
		return 0;
	fprintf(stderr, "lab: tridiag: the matrix has not become tridiagonal, by %g\n",
		error / norm);
	return LAB_FAILED;
}

const struct sim_load load_tridiag = {
	.name = "tridiag",
	.about = "a 128 by 128 matrix made tridiagonal, with queues of 6-byte blocks",
	.seconds = 4000000,	/* each request is one */
	.variants = tridiag_variants,
	.run = tridiag_run,
};
