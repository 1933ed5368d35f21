// SPDX-License-Identifier: GPL-2.0
/*
 * Run actors as coroutines, and search all orders of their steps.
 *
 * The search is depth first, and each run starts from the beginning: it repeats
 * the choices of the run before, up to the last choice with an alternative.
 * Two steps depend on each other if they are of the same CPU, or access the
 * same bytes and one of them writes.  Orders that differ only in the order of
 * independent steps end alike, and sleep sets (Godefroid 1996, chapter 5) leave
 * out all but one of these: an actor that was tried at a choice sleeps until a
 * step is made that its next step depends on.  No state and no data race is
 * missed.
 *
 * A data race is found when two actors of different CPUs are about to access
 * the same bytes, one of them to write, and KCSAN as the kernel configures it
 * would report it, or both accesses are plain, so that mutual exclusion has
 * failed.
 */
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "inter.h"

#define INTER_STACK	(256 * 1024)
#define INTER_DEPTH	4096
#define INTER_ENDS	1024

struct inter_coroutine {
	ucontext_t context;
	char *stack;
	const struct inter_actor *actor;
	struct inter_access next;
	bool started, done;
	unsigned int racy;		/* within data_race() */
	int irqs;			/* depth of disabling interrupts */
	unsigned int preempt;		/* of preemption, while not running */
	unsigned long spinning;
	unsigned long left;		/* non-preemptible regions left */
	/* Waits until *waits changes, or until others leave their regions. */
	const volatile char *waits;
	size_t wait_size;
	char waited[8];
	bool in_rcu;
	unsigned long rcu_left[INTER_ACTORS];
};

struct inter_choice {
	u8 enabled, sleeping, done;	/* bits by actor */
	u8 chosen;
	struct inter_access access;	/* of the chosen actor */
};

static struct inter_coroutine inter_co[INTER_ACTORS];
static unsigned int inter_nr;		/* actors of the case */
static struct inter_coroutine *inter_now;
static ucontext_t inter_main;

static struct inter_choice inter_choices[INTER_DEPTH];
static unsigned int inter_depth;	/* choices made in this run */
static unsigned int inter_known;	/* repeated from the last run */
static bool inter_pruned;		/* an earlier run covers this order */
static bool inter_anew;			/* a byte became shared: restart */

static u64 inter_ends[INTER_ENDS];
static unsigned long inter_nr_ends;

/* A byte that synchronize_rcu() writes and the regions it waits for read. */
static const char inter_rcu_step;

unsigned int lab_faults;
bool inter_brief;
bool inter_all;
const struct inter_case *inter_case;

bool inter_late(void)
{
	return inter_case->late;
}

bool inter_running(void)
{
	return inter_now;
}

unsigned int inter_me(void)
{
	return inter_now - inter_co;
}

bool inter_on_stack(const void *addr)
{
	return (char *)addr >= inter_now->stack &&
	       (char *)addr < inter_now->stack + INTER_STACK;
}

/* Print the current order: a line for each step, with its place in mm/. */
static void inter_print_order(void)
{
	char command[300];
	unsigned int i;
	FILE *to;

	fflush(stderr);
	snprintf(command, sizeof(command),
		 "while read -r actor what where; do echo \"#   $actor $what "
		 "$([ $where = 0 ] || addr2line -s -e /proc/%d/exe $where)\"; done >&2",
		 getpid());
	to = popen(command, "w");
	for (i = 0; to && i < inter_depth; i++) {
		const struct inter_choice *c = &inter_choices[i];

		fprintf(to, "%s %s %#lx\n", inter_co[c->chosen].actor->name,
			!c->access.where ? "starts" : !c->access.addr ? "at" :
			c->access.write ? "writes" : "reads",
			(unsigned long)c->access.where - !!c->access.where);
	}
	if (to)
		pclose(to);
}

void inter_fail(const char *fmt, ...)
{
	va_list args;

	inter_now = NULL;
	va_start(args, fmt);
	fputs("# ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("\n", stderr);
	va_end(args);
	if (!inter_brief)
		inter_print_order();
	_exit(1);
}

static bool inter_overlap(const struct inter_access *a,
			  const struct inter_access *b)
{
	return a->addr && b->addr && (a->write || b->write) &&
	       a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* Does the next step of c publish a late store that o is about to access? */
static bool inter_shows(const struct inter_coroutine *c,
			const struct inter_coroutine *o)
{
	struct inter_access told = {
		.addr = inter_untold(c->actor->cpu), .size = 1, .write = true,
	};

	return inter_overlap(&told, &o->next) ||
	       c->next.calls == o->actor->cpu + 1;
}

static bool inter_dependent(unsigned int i, unsigned int j)
{
	const struct inter_coroutine *c = &inter_co[i], *o = &inter_co[j];

	return c->actor->cpu == o->actor->cpu ||
	       inter_overlap(&c->next, &o->next) || inter_shows(c, o) ||
	       inter_shows(o, c);
}

/* Has the event come that c waits for, if any? */
static bool inter_awake(struct inter_coroutine *c)
{
	unsigned int i;

	if (c->waits)
		return memcmp((char *)c->waits, c->waited, c->wait_size);
	for (i = 0; c->in_rcu && i < inter_nr; i++)
		if (c->rcu_left[i] != ULONG_MAX &&
		    c->rcu_left[i] == inter_co[i].left)
			return false;
	return true;
}

/* Can c run, or do others of its CPU prevent it? */
static bool inter_has_cpu(const struct inter_coroutine *c)
{
	const struct inter_coroutine *o;

	for (o = inter_co; o < inter_co + inter_nr; o++) {
		if (o == c || !o->started || o->done ||
		    o->actor->cpu != c->actor->cpu)
			continue;
		if (o->actor->interrupt || o->irqs ||
		    (o->preempt && !c->actor->interrupt))
			return false;
	}
	return true;
}

static u8 inter_enabled(void)
{
	unsigned int i;
	u8 enabled = 0;

	for (i = 0; i < inter_nr; i++)
		if (!inter_co[i].done && inter_awake(&inter_co[i]) &&
		    inter_has_cpu(&inter_co[i]))
			enabled |= 1u << i;
	return enabled;
}

/* Race as KCSAN: a plain write counts as marked against a marked read. */
static bool inter_race(const struct inter_access *a,
		       const struct inter_access *b)
{
	if (!inter_overlap(a, b))
		return false;
	return (a->plain && b->plain) || (a->plain && !a->write) ||
	       (b->plain && !b->write);
}

static void inter_find_race(u8 enabled)
{
	unsigned int i, j;

	for (i = 0; i < inter_nr; i++)
		for (j = 0; j < i; j++)
			if (enabled >> i & enabled >> j & 1 &&
			    inter_co[i].actor->cpu != inter_co[j].actor->cpu &&
			    inter_race(&inter_co[i].next, &inter_co[j].next))
				inter_fail("data race of %s (%p) and %s (%p)",
					   inter_co[i].actor->name,
					   inter_co[i].next.where,
					   inter_co[j].actor->name,
					   inter_co[j].next.where);
}

/* Return: the actors that sleep at the choice after this one. */
static u8 inter_still_asleep(const struct inter_choice *c)
{
	u8 asleep = (c->sleeping | c->done) & ~(1u << c->chosen);
	unsigned int i;

	if (inter_all)
		return 0;
	for (i = 0; i < inter_nr; i++)
		if (asleep >> i & 1 && inter_dependent(i, c->chosen))
			asleep &= ~(1u << i);
	return asleep;
}

static bool inter_pick(struct inter_choice *c)
{
	u8 open = c->enabled & ~(c->sleeping | c->done);

	if (!open)
		return false;
	/* Prefer the running actor, so that the first orders are simple. */
	c->chosen = inter_now && open >> inter_me() & 1 ? inter_me() :
		    (unsigned int)__builtin_ctz(open);
	c->access = inter_co[c->chosen].next;
	return true;
}

/* Choose the next actor.  Return: NULL when all have ended. */
static struct inter_coroutine *inter_choose(void)
{
	static u8 asleep;	/* at this choice */
	struct inter_choice *c = &inter_choices[inter_depth];
	u8 enabled = inter_enabled();
	unsigned int i;

	if (!enabled) {
		for (i = 0; i < inter_nr; i++)
			if (!inter_co[i].done)
				inter_fail("%s waits for ever", inter_co[i].actor->name);
		return NULL;
	}
	if (inter_pruned)
		return &inter_co[__builtin_ctz(enabled)];
	if (inter_depth == INTER_DEPTH - 1)
		inter_fail("no end after %u steps", inter_depth);
	if (!inter_depth)
		asleep = 0;
	if (inter_depth < inter_known) {
		if (inter_depth == inter_known - 1)
			c->access = inter_co[c->chosen].next;
		if (c->enabled != enabled || c->sleeping != asleep ||
		    c->access.addr != inter_co[c->chosen].next.addr)
			inter_fail("not the same in every run");
	} else {
		*c = (struct inter_choice){
			.enabled = enabled, .sleeping = asleep,
		};
		inter_find_race(enabled);
		if (!inter_pick(c)) {
			inter_pruned = true;
			return &inter_co[__builtin_ctz(enabled)];
		}
	}
	asleep = inter_still_asleep(c);
	inter_depth++;
	return &inter_co[c->chosen];
}

/* Switch to the next actor.  Returns when the caller is chosen again. */
static void inter_switch(void)
{
	struct inter_coroutine *from = inter_now, *to;
	ucontext_t *context;

	inter_look_from(-1);
	to = inter_choose();
	inter_look_from(to ? to->actor->cpu : -1);
	if (to == from)
		return;
	context = to ? &to->context : &inter_main;
	if (from) {
		from->preempt = lab.preempt;
		from->spinning = lab.spinning;
	}
	inter_now = to;
	if (to)
		to->started = true;
	lab.cpu = to ? to->actor->cpu : 0;
	lab.preempt = to ? to->preempt : 0;
	lab.spinning = to ? to->spinning : 0;
	swapcontext(from ? &from->context : &inter_main, context);
}

void inter_about_to(const struct inter_access *a)
{
	bool fresh;

	if (!inter_shared(a, &fresh))
		return;
	inter_anew |= fresh;
	inter_now->next = *a;
	if (inter_now->racy)
		inter_now->next.plain = false;
	inter_switch();
}

void lab_wait(const volatile void *addr, size_t size)
{
	struct inter_coroutine *me = inter_now;

	if (!me)
		inter_fail("no other actor can end the wait");
	me->waits = addr;
	me->wait_size = size;
	memcpy(me->waited, (const char *)addr, size);
	me->next = (struct inter_access){
		.addr = (const char *)addr, .size = size,
		.where = __builtin_return_address(0),
	};
	inter_switch();
	me->waits = NULL;
}

void lab_data_race(int within)
{
	if (inter_now)
		inter_now->racy += within;
}

void lab_mb(void)
{
	if (!inter_now || lab_faults & LAB_FAULT_MB)
		return;
	/* A separate step: it publishes the late store. */
	inter_now->next = (struct inter_access){
		.where = __builtin_return_address(0),
	};
	inter_switch();
	inter_tell(lab.cpu);
}

/* Let others of this CPU run before they are kept out. */
static void inter_last_moment(const void *where)
{
	struct inter_coroutine *me = inter_now, *o;

	for (o = inter_co; o < inter_co + inter_nr; o++)
		if (o != me && o->actor->cpu == me->actor->cpu)
			break;
	if (o == inter_co + inter_nr)
		return;
	me->next = (struct inter_access){ .where = where };
	inter_switch();
}

void lab_irqs(int disabled)
{
	if (!inter_now)
		return;
	if (disabled > 0)
		inter_last_moment(__builtin_return_address(0));
	inter_now->irqs += disabled;
}

/* Count the depth.  The outermost pair is a region that RCU waits for. */
void lab_preempt(int disabled)
{
	struct inter_coroutine *me = inter_now;

	if (!me)
		return;
	assert(disabled > 0 || lab.preempt);
	if (!lab.preempt)
		inter_last_moment(__builtin_return_address(0));
	if (!lab.preempt || (disabled < 0 && lab.preempt == 1))
		lab_step(&inter_rcu_step, 1, false, _RET_IP_);
	lab.preempt += disabled;
	me->preempt = lab.preempt;
	me->left += !lab.preempt;
}

void synchronize_rcu(void)
{
	struct inter_coroutine *me = inter_now;
	unsigned int i;

	assert(!lab.preempt);
	if (!me || lab_faults & LAB_FAULT_RCU)
		return;
	lab_step(&inter_rcu_step, 1, true, _RET_IP_);
	for (i = 0; i < inter_nr; i++)
		me->rcu_left[i] = inter_co[i].started && !inter_co[i].done &&
				  inter_co[i].preempt ?
				  inter_co[i].left : ULONG_MAX;
	me->in_rcu = true;
	me->next = (struct inter_access){
		.addr = &inter_rcu_step, .size = 1, .write = true,
		.where = __builtin_return_address(0),
	};
	inter_switch();
	me->in_rcu = false;
}

/*
 * Call fn() on all CPUs of a mask except the caller, at once: a CPU that has
 * interrupts disabled would take the call later, so an order may be missed.
 * Interrupts of different CPUs use no common data; one order of these is
 * enough.
 */
void lab_call_others(unsigned long cpus, void (*fn)(void *), void *arg)
{
	int cpu, caller = lab.cpu;

	assert(!lab.spinning && (lab.preempt || !inter_now));
	for (cpu = 0; cpu < LAB_CPUS; cpu++) {
		if (cpu == caller || !(cpus >> cpu & 1) ||
		    lab_faults & LAB_FAULT_CALL)
			continue;
		if (inter_now && inter_case->late) {
			inter_now->next = (struct inter_access){
				.calls = cpu + 1,
				.where = __builtin_return_address(0),
			};
			inter_switch();
			inter_tell(cpu);
		}
		lab.cpu = cpu;
		fn(arg);
		lab.cpu = caller;
	}
}

static void inter_actor_main(void)
{
	for (;;) {
		struct inter_coroutine *me = inter_now;

		me->actor->run();
		if (lab.preempt || lab.spinning || me->irqs)
			inter_fail("%s ends with preemption or interrupts disabled",
				   me->actor->name);
		me->done = true;
		inter_tell(me->actor->cpu);
		inter_switch();
	}
}

static void inter_prepare(const struct inter_case *c)
{
	inter_nr = 0;
	while (inter_nr < INTER_ACTORS && c->actor[inter_nr].run) {
		struct inter_coroutine *co = &inter_co[inter_nr];

		co->actor = &c->actor[inter_nr++];
		co->stack = malloc(INTER_STACK);
		assert(co->stack);
		getcontext(&co->context);
		co->context.uc_stack.ss_sp = co->stack;
		co->context.uc_stack.ss_size = INTER_STACK;
		makecontext(&co->context, inter_actor_main, 0);
	}
}

/* Add an end state, unless an earlier order had it. */
static void inter_note_end(u64 state)
{
	unsigned long i;

	for (i = 0; i < inter_nr_ends; i++)
		if (inter_ends[i] == state)
			return;
	if (i < INTER_ENDS)
		inter_ends[inter_nr_ends++] = state;
}

/* Run one order.  Return: false if an earlier run covers it. */
static bool inter_run(const struct inter_case *c)
{
	unsigned int i;

	for (i = 0; i < inter_nr; i++) {
		struct inter_coroutine *co = &inter_co[i];

		co->next = (struct inter_access){ };
		co->started = false;
		co->done = false;
		co->left = 0;
	}
	inter_depth = 0;
	inter_pruned = false;
	inter_anew = false;
	lab.cpu = 0;
	c->setup();
	inter_switch();
	if (!inter_pruned)
		inter_note_end(inter_state());
	if (c->check)
		c->check();
	inter_end();
	return !inter_pruned;
}

/*
 * Go back to the last choice with an alternative.  Return: false without one.
 */
static bool inter_back(void)
{
	for (inter_known = inter_depth; inter_known; inter_known--) {
		struct inter_choice *c = &inter_choices[inter_known - 1];
		u8 open;

		c->done |= 1u << c->chosen;
		open = c->enabled & ~(c->sleeping | c->done);
		if (open) {
			c->chosen = __builtin_ctz(open);
			return true;
		}
	}
	return false;
}

/* Run every order.  Return: their number; *ends: the number of end states. */
unsigned long inter_explore(const struct inter_case *c, unsigned long *ends)
{
	unsigned long orders = 0;

	inter_case = c;
	inter_forget();
	inter_prepare(c);
	inter_begin(c);
	inter_known = 0;
	do {
		orders += inter_run(c);
		if (inter_anew) {
			orders = 0;
			inter_nr_ends = 0;
			inter_known = 0;
			inter_depth = 0;
		}
	} while (inter_anew || inter_back());
	*ends = inter_nr_ends;
	return orders;
}
