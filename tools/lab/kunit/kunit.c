// SPDX-License-Identifier: GPL-2.0
/*
 * Run the KUnit suites on the lab's machine, and print KTAP.
 *
 * Each test has a process and an allocator of its own, so that a test that
 * crashes or that the sanitizers stop is one failure among the results.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../kunit/common.h"
#include "large/fit.h"
#include "params.h"

#define TEST_SECONDS	300	/* then a test is killed, as the kernel's KUnit does */

/* How the process of a test ends; the sanitizers and abort() end it otherwise. */
enum result { PASS = 40, FAIL, SKIP, DIED };

extern struct kunit_suite * const __start_lab_suites[];
extern struct kunit_suite * const __stop_lab_suites[];
#define for_each_suite(s) for ((s) = __start_lab_suites; (s) < __stop_lab_suites; (s)++)

/* The defaults of mm/params.c. */
struct cp_params cp_params = {
	.defaults = { .strategy = &cp_strategy_mru, .freetol = 1, .keep = 8 },
	.arena = {
		.policy = &cp_buddy_policies[CP_BUDDY_REVISED],
		.desired.learn = true,
		.chunk_order = 4,
		.apart = true,
	},
	.stock = 16,
};

/* Of a test; each with redzones by the sanitizer. */
struct memory {
	struct memory *next;
	char data[] __aligned(64);
};

static struct {
	jmp_buf leave;
	bool failed;
	char skipped[100];
	struct memory *memory;
} now;

void *lab_kunit_zalloc(size_t size)
{
	size_t whole = ALIGN(sizeof(struct memory) + size, 64);
	struct memory *m = aligned_alloc(64, whole);

	assert(m);
	memset(m, 0, whole);
	m->next = now.memory;
	now.memory = m;
	return m->data;
}

static void free_memory(void)
{
	while (now.memory) {
		struct memory *m = now.memory;

		now.memory = m->next;
		free(m);
	}
}

void lab_kunit_skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(now.skipped, sizeof(now.skipped), fmt, args);
	va_end(args);
	longjmp(now.leave, 1);
}

void lab_kunit_fail(bool go_on, const char *what, long left, long right,
		    const char *fmt, ...)
{
	va_list args;

	printf("    # %s: %ld, %ld;", what, left, right);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	now.failed = true;
	if (!go_on)
		longjmp(now.leave, 1);
}

/* One run of a test, from init to exit. */
static void run_body(const struct kunit_suite *suite,
		     const struct kunit_case *c, struct kunit *test)
{
	now.failed = false;
	now.skipped[0] = '\0';
	if (!setjmp(now.leave)) {
		KUNIT_ASSERT_EQ_MSG(test, 0, suite->init(test), "init of the suite");
		c->run_case(test);
	}
	lab_stub_clear_all();
	if (!setjmp(now.leave))
		suite->exit(test);
	free_memory();
}

int __real_curpage_check(void);

/* Call curpage_check() for a test.  Each invariant that is broken has a message. */
int __wrap_curpage_check(void)
{
	unsigned long before = lab.messages;
	int broken = __real_curpage_check();

	if (lab.messages - before != broken) {
		printf("# curpage_check() found %d broken, and said so of %lu\n",
		       broken, lab.messages - before);
		now.failed = true;
	}
	return broken;
}

/* As mm/main.c does it. */
static void load(void)
{
	if (cp_page_init_map())
		abort();
	cp_arena_init(&cp_arena, &cp_params.arena);
	cp_stock_init(cp_params.stock);
	cp_cache_defaults = cp_params.defaults;
	if (cp_size_init() || cp_reclaim_init())
		abort();
}

/* Nothing may be left of curpage, nor a lock be held. */
static void unload(void)
{
	enum node_stat_item item;
	int node;

	rcu_barrier();
	cp_size_exit();
	cp_pages_exit();
	/* Pages with damaged blocks belong to nobody. */
	if (!cp_report_count(CP_BAD_POISON))
		KUNIT_EXPECT_EQ(test, 0, lab.pages_lent);
	KUNIT_EXPECT_EQ(test, 0, lab.objects_lent);
	KUNIT_EXPECT_EQ(test, 0, lab.spinning);
	KUNIT_EXPECT_EQ(test, 0, lab.preempt);
	for (item = 0; item < NR_VM_NODE_STAT_ITEMS; item++)
		for (node = 0; node < LAB_NODES; node++)
			KUNIT_EXPECT_EQ(test, 0, lab.nodes[node].stat[item]);
}

/* In this process; with parameters each is a result of its own. */
static enum result run_case(const struct kunit_suite *suite,
			    const struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	struct kunit test = { };
	bool failed = false, ran = false;
	unsigned int nr = 0;

	load();
	if (!c->generate_params) {
		run_body(suite, c, &test);
		failed = now.failed;
	} else {
		printf("        KTAP version 1\n        # Subtest: %s\n", c->name);
	}
	while (c->generate_params) {
		test.param_value = c->generate_params(test.param_value, desc);
		if (!test.param_value)
			break;
		run_body(suite, c, &test);
		failed |= now.failed;
		ran |= !now.skipped[0];
		printf("        %sok %u %s%s%s\n", now.failed ? "not " : "", ++nr,
		       desc, now.skipped[0] ? " # SKIP " : "", now.skipped);
	}
	if (ran)
		now.skipped[0] = '\0';
	now.failed = failed;
	unload();
	return now.failed ? FAIL : now.skipped[0] ? SKIP : PASS;
}

static enum result run_process(const struct kunit_suite *suite,
			       const struct kunit_case *c, unsigned int nr)
{
	enum result result;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(TEST_SECONDS);
		result = run_case(suite, c);
		printf("    %sok %u %s", result == FAIL ? "not " : "", nr,
		       c->name);
		if (result == SKIP)
			printf(" # SKIP %s", now.skipped);
		putchar('\n');
		exit(result);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) >= PASS && WEXITSTATUS(status) <= SKIP)
		return WEXITSTATUS(status);
	printf("    not ok %u %s # died\n", nr, c->name);
	return DIED;
}

/* Does SUITE.TEST match the filter, as kunit.py's?  Without a dot it is of suites. */
static bool matches(const char *filter, const struct kunit_suite *suite,
		    const struct kunit_case *c)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s%s", suite->name,
		 strchr(filter, '.') ? "." : "",
		 strchr(filter, '.') ? c->name : "");
	return !fnmatch(filter, name, 0);
}

static unsigned int count(const char *filter, const struct kunit_suite *suite)
{
	const struct kunit_case *c;
	unsigned int nr = 0;

	for (c = suite->test_cases; c->name; c++)
		nr += matches(filter, suite, c);
	return nr;
}

static void run_suite(const char *filter, const struct kunit_suite *suite,
		      unsigned int nr, unsigned int results[DIED + 1])
{
	unsigned int bad = results[FAIL] + results[DIED], i = 0;
	const struct kunit_case *c;

	printf("    KTAP version 1\n    # Subtest: %s\n    1..%u\n",
	       suite->name, count(filter, suite));
	for (c = suite->test_cases; c->name; c++)
		if (matches(filter, suite, c))
			results[run_process(suite, c, ++i)]++;
	printf("%sok %u %s\n", results[FAIL] + results[DIED] > bad ? "not " : "",
	       nr, suite->name);
}

static int run(const char *filter)
{
	unsigned int results[DIED + 1] = { }, nr = 0;
	struct kunit_suite * const *s;

	for_each_suite(s)
		nr += !!count(filter, *s);
	printf("KTAP version 1\n1..%u\n", nr);
	nr = 0;
	for_each_suite(s)
		if (count(filter, *s))
			run_suite(filter, *s, ++nr, results);
	printf("# Totals: pass:%u fail:%u skip:%u\n", results[PASS],
	       results[FAIL] + results[DIED], results[SKIP]);
	return results[FAIL] || results[DIED];
}

static int list(const char *filter)
{
	struct kunit_suite * const *s;
	const struct kunit_case *c;

	for_each_suite(s)
		for (c = (*s)->test_cases; c->name; c++)
			if (matches(filter, *s, c))
				printf("%s.%s\n", (*s)->name, c->name);
	return 0;
}

static int usage(FILE *to, const char *program)
{
	fprintf(to, "Usage: %s [OPTION...] [GLOB]\n"
		"Run the KUnit suites whose name matches GLOB, or with GLOB as in SUITE.TEST the\n"
		"tests; all without GLOB.\n\n"
		"  --dma-align N  as where DMA is not coherent, and cache lines have N bytes\n"
		"  --list         print the names of the tests\n"
		"  --messages     print what the kernel's log would have, too\n"
		"  --seed N       of the tests that are random, 1 to %u\n\n"
		"Exit status: 0 all passed, 1 a test failed, 2 bad argument.\n",
		program, U32_MAX);
	return to == stderr ? 2 : 0;
}

/* Returns 0 for what is no number from 1 to most. */
static u32 number(const char *option, const char *text, u32 most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (isdigit(*text) && !*end && !errno && n && n <= most)
		return n;
	fprintf(stderr, "kunit: --%s %s: must be 1 to %u\n", option, text, most);
	return 0;
}

static bool set_dma_align(const char *text)
{
	lab.dma_align = number("dma-align", text, CP_FIT_ALIGN_MAX);
	if (!lab.dma_align || is_power_of_2(lab.dma_align))
		return lab.dma_align;
	fprintf(stderr, "kunit: --dma-align %s: must be a power of two\n", text);
	return false;
}

static bool set_seed(const char *text)
{
	*lab_param_test_seed = number("seed", text, U32_MAX);
	return *lab_param_test_seed;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dma-align", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "list", no_argument, NULL, 'l' },
		{ "messages", no_argument, NULL, 'm' },
		{ "seed", required_argument, NULL, 's' },
		{ }
	};
	int (*what)(const char *filter) = run;
	struct kunit_suite * const *s;
	const char *filter = "*";
	unsigned int nr = 0;
	int option;

	lab.quiet = true;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'h')
			return usage(stdout, *argv);
		else if (option == 'l')
			what = list;
		else if (option == 'm')
			lab.quiet = false;
		else if ((option != 'd' || !set_dma_align(optarg)) &&
			 (option != 's' || !set_seed(optarg)))
			return usage(stderr, *argv);
	}
	if (argc > optind)
		filter = argv[optind];
	if (argc > optind + 1) {
		fprintf(stderr, "kunit: '%s': one GLOB is allowed\n",
			argv[optind + 1]);
		return 2;
	}
	for_each_suite(s)
		nr += count(filter, *s);
	if (!nr) {
		fprintf(stderr, "kunit: '%s': no test has such a name, see --list\n",
			filter);
		return 2;
	}
	return what(filter);
}
