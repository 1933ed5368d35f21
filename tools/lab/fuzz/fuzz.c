// SPDX-License-Identifier: GPL-2.0
/* lab fuzz: options, rounds, and which call is made next. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#define FUZZ_OPS	1000000
#define FUZZ_MAX_OPS	1000000000000
#define FUZZ_SECONDS	60	/* for 1,000 operations: else they hang */
#define FUZZ_MOST_LIVE	3000

const char * const fuzz_misuse_names[] = {
	[FUZZ_DOUBLE]		= "double",
	[FUZZ_BULK]		= "bulk",
	[FUZZ_WRONG_CACHE]	= "cache",
	[FUZZ_INSIDE]		= "inside",
	[FUZZ_FOREIGN]		= "foreign",
	[FUZZ_ORDER]		= "order",
	[FUZZ_LEAK]		= "leak",
	[FUZZ_OVERFLOW]		= "overflow",
	[FUZZ_LATE]		= "late",
	[FUZZ_LATE_DOUBLE]	= "late-double",
};

static bool fuzz_set_seed(void *settings, const char *text)
{
	struct fuzz_settings *s = settings;

	return lab_number(text, 0, U64_MAX, &s->seed);
}

static const char *fuzz_seeds(void)
{
	return "0 to 18446744073709551615";
}

static bool fuzz_set_ops(void *settings, const char *text)
{
	struct fuzz_settings *s = settings;

	return lab_number(text, 1, FUZZ_MAX_OPS, &s->ops);
}

static const char *fuzz_opss(void)
{
	return "1 to 1000000000000";
}

static bool fuzz_set_misuse(void *settings, const char *text)
{
	struct fuzz_settings *s = settings;

	return lab_number(text, 0, 1000, &s->misuse);
}

static const char *fuzz_misuses(void)
{
	return "0 to 1000";
}

static bool fuzz_set_kinds(void *settings, const char *text)
{
	struct fuzz_settings *s = settings;

	s->kinds = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		unsigned int i;

		for (i = 0; i < FUZZ_NR_MISUSES; i++)
			if (strlen(fuzz_misuse_names[i]) == len &&
			    !memcmp(fuzz_misuse_names[i], text, len))
				break;
		if (i == FUZZ_NR_MISUSES)
			return false;
		s->kinds |= BIT(i);
		if (!text[len])
			return true;
		text += len + 1;
	}
}

static const char *fuzz_kinds(void)
{
	static char names[160];
	unsigned int i;

	snprintf(names, sizeof(names), "some of");
	for (i = 0; i < FUZZ_NR_MISUSES; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%s", i ? "," : " ", fuzz_misuse_names[i]);
	return names;
}

static bool fuzz_set_strategy(void *settings, const char *text)
{
	struct fuzz_settings *s = settings;

	s->strategy = cp_strategy_find(text);
	return s->strategy;
}

static const char *fuzz_strategies(void)
{
	static char names[CP_STRATEGY_NAMES];

	cp_strategy_names(names, sizeof(names));
	return names;
}

/* A live block is as large as it was, and nobody has written to it. */
static void fuzz_look(void)
{
	const struct fuzz_block *b = fuzz_pick();

	if (!b || fuzz_run_damaged(b->addr))
		return;
	if (curpage_ksize(b->addr) != b->size)
		fuzz_fail("ksize(%#lx) is not %zu", fuzz_at(b->addr), b->size);
	fuzz_verify(b);
}

/* Live blocks grow and fall, so that pages fill and empty. */
static void fuzz_step(void)
{
	unsigned int what = fuzz_random(1000);

	if (fuzz_once_in(2000))
		fuzz.wanted = fuzz_random(1UL << fuzz_random(12)) %
			      FUZZ_MOST_LIVE;
	if (what < 6)
		return fuzz_housekeeping();
	if (what < 20)
		return fuzz_others_take();
	if (what < 34)
		return fuzz_others_give();
	if (what < 45)
		return fuzz_look();
	if (fuzz_random(1000) < fuzz.settings->misuse)
		return fuzz_do_wrong();
	if (fuzz_random(8) < (fuzz_nr_live < fuzz.wanted ? 6 : 2)) {
		if (fuzz_nr_live >= FUZZ_MOST_LIVE)
			return;
		if (what < 75)
			return fuzz_alloc_bulk();
		return fuzz_alloc();
	}
	if (what < 75)
		return fuzz_free_bulk(false);
	if (fuzz_nr_live)
		fuzz_free_right(fuzz_pick());
}

static void fuzz_round(u64 seed, u64 ops)
{
	const struct cp_strategy *s = fuzz.settings->strategy;

	fuzz.seed = seed;
	fuzz.random = seed;
	fuzz_oracle_init();
	fuzz_blocks_init();
	fuzz_others_init();
	fuzz_overwrite_init();
	lab.quiet = true;
	fuzz.writes = fuzz_once_in(3);
	fuzz.pooled = s ? s->flags & CP_POOLED : fuzz_once_in(4);
	fuzz.wanted = 500;
	fuzz_caches_init();
	for (; fuzz.op < ops; fuzz.op++) {
		if (!(fuzz.op % 1000))
			alarm(FUZZ_SECONDS);
		fuzz_step();
	}
	fuzz_end_round();
}

/* In a process of its own; what failed has said so. */
static bool fuzz_run_round(u64 seed, u64 ops)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fuzz_round(seed, ops);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		fprintf(stderr, "lab: fuzz: %s\n", strerror(errno));
		return false;
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "lab: fuzz: seed %lu: %s\n", seed,
			strsignal(WTERMSIG(status)));
	return !status;
}

static void fuzz_print(u64 ops, u64 rounds)
{
	const struct fuzz_counts *c = fuzz_counts;
	unsigned int kind;

	printf("%lu operations, %lu rounds: no fault found\n", ops, rounds);
	printf("%lu blocks allocated, %lu freed; %lu checks\n", c->allocs,
	       c->frees, c->checks);
	printf("%lu times pages were taken by somebody else\n", c->others);
	printf("%lu times memory was written over\n", c->overwrites);
	printf("%lu offences; reported:\n", c->offences);
	for (kind = CP_OK + 1; kind < CP_NR_BAD; kind++)
		printf("  %-12s %10lu\n", cp_bad_stat_name[kind],
		       c->told[kind]);
}

static bool fuzz_share_counts(void)
{
	fuzz_counts = mmap(NULL, sizeof(*fuzz_counts), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fuzz_counts != MAP_FAILED)
		return true;
	perror("lab: fuzz");
	return false;
}

static int fuzz_run(void *settings, const char *operand)
{
	const struct fuzz_settings *s = settings;
	u64 left = s->ops, seed = s->seed;

	fuzz.settings = s;
	if (!fuzz_share_counts())
		return LAB_FAILED;
	while (left) {
		u64 ops = min_t(u64, left, FUZZ_ROUND);

		if (!fuzz_run_round(seed++, ops))
			return LAB_FAILED;
		left -= ops;
	}
	fuzz_print(s->ops, seed - s->seed);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct lab_option options[] = {
		{ "--seed", "N", "of the first round (default 1)",
		  fuzz_set_seed, fuzz_seeds },
		{ "--ops", "N", "operations (default 1000000)",
		  fuzz_set_ops, fuzz_opss },
		{ "--misuse", "N", "so many of 1000 are wrong (default 100)",
		  fuzz_set_misuse, fuzz_misuses },
		{ "--kinds", "K,...", "what is done wrong (default all)",
		  fuzz_set_kinds, fuzz_kinds },
		{ "--strategy", "S", "of all caches (default any, changed in use)",
		  fuzz_set_strategy, fuzz_strategies },
		{ }
	};
	struct fuzz_settings settings = {
		.seed = 1, .ops = FUZZ_OPS, .misuse = 100,
		.kinds = BIT(FUZZ_NR_MISUSES) - 1,
	};
	const struct lab_command command = {
		.name = "fuzz",
		.about = "\nMakes random right and wrong calls, and judges from outside the allocator what\n"
			 "comes of them: live blocks, pages of others, reports.\n",
		.options = options, .run = fuzz_run, .settings = &settings,
	};

	return lab_command_run(&command, argc - 1, argv + 1);
}
