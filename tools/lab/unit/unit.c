// SPDX-License-Identifier: GPL-2.0
/* Runs every case in a process of its own; a line for each. */
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

unsigned int unit_failures;
unsigned long unit_lost_pages;

/* The same numbers in each case, as each is a process. */
unsigned int unit_random(unsigned int below)
{
	static u64 seed = 1;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

void unit_start(unsigned long max_pages)
{
	cp_page_init_map();
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
		.desired = { .learn = true },
		.chunk_order = 4, .max_pages = max_pages,
	});
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = &cp_strategy_mru, .freetol = 1, .keep = 4,
	};
}

/* Everything has gone back, or the case has failed. */
void unit_end(void)
{
	enum node_stat_item item;
	int node;

	cp_pages_exit();
	EXPECT(!cp_arena.held);
	EXPECT(lab.pages_lent == unit_lost_pages);
	EXPECT(!lab.objects_lent);
	EXPECT(!lab.spinning);
	for (item = 0; item < NR_VM_NODE_STAT_ITEMS; item++)
		for (node = 0; node < LAB_NODES; node++)
			EXPECT(!lab.nodes[node].stat[item]);
}

/* Live blocks of all caches, and pages in page blocks and runs with live ones. */
unsigned long unit_live(void)
{
	unsigned long live = cp_arena.block_pages - cp_fit_empty_pages();
	struct curpage_cache *cache;

	list_for_each_entry(cache, &cp_caches, list)
		live += cp_cache_live(cache);
	return live;
}

static void unit_child(const struct unit_case *c)
{
	lab.quiet = true;
	if (!c->bare) {
		unit_start(c->max_pages);
		cp_arena.apart = c->apart;
		cp_arena_set_policy(&cp_arena, &cp_buddy_policies[c->policy]);
		REQUIRE(!cp_size_init());
	}
	c->run();
	if (!c->bare) {
		EXPECT(!unit_live());
		EXPECT(!curpage_check());
		cp_size_exit();
		unit_end();
	}
	exit(unit_failures ? 1 : 0);
}

static bool unit_run(const struct unit_case *c)
{
	int status;
	pid_t pid;
	bool ok;

	fflush(stdout);
	pid = fork();
	if (!pid)
		unit_child(c);
	ok = pid > 0 && waitpid(pid, &status, 0) == pid && !status;
	printf("%s - %s\n", ok ? "ok" : "not ok", c->name);
	return ok;
}

static int unit_bad(const char *what)
{
	fprintf(stderr, "unit: '%s': in the name of no case\n", what);
	return 2;
}

/* unit [TEXT]: the cases whose name has the text in it, or all. */
int main(int argc, char **argv)
{
	const struct unit_case * const suites[] = {
		unit_damage_cases, unit_double_cases, unit_fail_cases,
		unit_sim_cases, unit_sizemap_cases, unit_strategy_cases,
		unit_system_cases,
	};
	const char *text = argc > 1 ? argv[1] : "";
	unsigned int passed = 0, failed = 0, i;
	const struct unit_case *c;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (c = suites[i]; c->name; c++)
			if (strstr(c->name, text))
				unit_run(c) ? passed++ : failed++;
	if (!passed && !failed)
		return unit_bad(text);
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
