// SPDX-License-Identifier: GPL-2.0
/* lab fuzz: options, rounds, and the choice of the next call. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../mm_options.h"
#include "fuzz.h"

#define FUZZ_OPS	1000000
#define FUZZ_MAX_OPS	1000000000000
#define FUZZ_SECONDS	60	/* for 1,000 operations, else it hangs */
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

static struct fuzz_settings fuzz_settings = {
	.seed = 1,
	.ops = FUZZ_OPS,
	.misuse = 100,
	.kinds = BIT(FUZZ_NR_MISUSES) - 1,
};

/* Check that a live block has its size and what its owner wrote. */
static void fuzz_look(void)
{
	const struct fuzz_block *b = fuzz_pick();

	if (!b || fuzz_run_damaged(b->addr))
		return;
	if (curpage_ksize(b->addr) != b->size)
		fuzz_fail("ksize(%#lx) is not %zu", fuzz_at(b->addr), b->size);
	fuzz_verify(b);
}

/* Make one call.  The number of live blocks rises and falls, so pages empty. */
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

/*
 * Run a round in a child process.  Return: false after a message if it failed.
 */
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
	printf("%lu times others took pages\n", c->others);
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

static int fuzz_run(const char *operand)
{
	const struct fuzz_settings *s = &fuzz_settings;
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

static const struct lab_option fuzz_options[] = {
	LAB_UINT("seed", "N", fuzz_settings.seed, 0, U64_MAX,
		 "seed of the first round"),
	LAB_UINT("ops", "N", fuzz_settings.ops, 1, FUZZ_MAX_OPS,
		 "operations in all rounds"),
	LAB_UINT("misuse", "N", fuzz_settings.misuse, 0, 1000,
		 "wrong operations of 1,000"),
	LAB_CHOICES("kinds", "K,...", fuzz_settings.kinds, fuzz_misuse_names,
		    FUZZ_NR_MISUSES, "what is done wrong"),
	LAB_STRATEGY(fuzz_settings.strategy,
		     "of all caches, by default any, changed in use"),
	{ }
};

int main(int argc, char **argv)
{
	const struct lab_command command = {
		.name = "fuzz",
		.about = "\nMakes random right and wrong calls, and judges from outside the allocator what\n"
			 "comes of them: live blocks, pages of others, reports.\n",
		.options = fuzz_options,
		.run = fuzz_run,
	};

	return lab_command_run(&command, argc, argv);
}
