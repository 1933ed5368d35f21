// SPDX-License-Identifier: GPL-2.0
/* The table of strategies. */
#include "base/kernel.h"
#include "heap/heap.h"

/* A row of the study: NULL, as it is not compiled, without the study. */
#define CP_STUDIED(row)	(CP_STUDY ? &(row) : NULL)

const struct cp_strategy * const cp_strategies[] = {
	[CP_MRU]		= &cp_strategy_mru,
	[CP_LEAST_FREE]		= &cp_strategy_least_free,
	[CP_MOST_FREE]		= CP_STUDIED(cp_strategy_most_free),
	[CP_RANDOM_B]		= CP_STUDIED(cp_strategy_random_b),
	[CP_QUICK]		= CP_STUDIED(cp_strategy_quick),
	[CP_FIRST_FIT]		= CP_STUDIED(cp_strategy_first_fit),
	[CP_STACK]		= CP_STUDIED(cp_strategy_stack),
	[CP_QUEUE]		= CP_STUDIED(cp_strategy_queue),
	[CP_RANDOM]		= CP_STUDIED(cp_strategy_random),
	[CP_NOFREE]		= CP_STUDIED(cp_strategy_nofree),
	[CP_LEAST_FREE_8]	= &cp_strategy_least_free_8,
	[CP_LOWEST_PAGE]	= &cp_strategy_lowest_page,
};

static_assert(ARRAY_SIZE(cp_strategies) == CP_NR_STRATEGIES);

/* Names of the study's strategies, to tell them from unknown names. */
static const char * const cp_studied[CP_NR_STRATEGIES] = {
	[CP_MOST_FREE]		= "most-free",
	[CP_RANDOM_B]		= "random-b",
	[CP_QUICK]		= "quick",
	[CP_FIRST_FIT]		= "first-fit",
	[CP_STACK]		= "stack",
	[CP_QUEUE]		= "queue",
	[CP_RANDOM]		= "random",
	[CP_NOFREE]		= "nofree",
};

static bool cp_strategy_ok(const struct cp_strategy *row)
{
	if (!row->name || !row->paper || !row->freed || !row->pick ||
	    !row->state_size != !row->init)
		return false;
	if (!(row->flags & CP_LISTED) &&
	    (!row->enter || !row->leave || !row->next))
		return false;
	return !(row->flags & CP_ORDERS_S2) || row->last;
}

/* Check that every row is there and complete; the study's also by name. */
bool cp_strategies_ok(void)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++) {
		const struct cp_strategy *row = cp_strategies[i];

		if (!row != (!CP_STUDY && cp_studied[i]))
			return false;
		if (row && (!cp_strategy_ok(row) ||
			    (cp_studied[i] && strcmp(cp_studied[i], row->name))))
			return false;
	}
	return true;
}

/* Return: the strategy of this name, or NULL. */
const struct cp_strategy *cp_strategy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		if (cp_strategies[i] && !strcmp(cp_strategies[i]->name, name))
			return cp_strategies[i];
	return NULL;
}

static bool cp_strategy_is_studied(const char *name)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		if (cp_studied[i] && !strcmp(cp_studied[i], name))
			return true;
	return false;
}

/*
 * Find a strategy by its name, or log the names there are.  @what stands in
 * front of the name in the log.
 *
 * Return: the strategy, or NULL.
 */
const struct cp_strategy *cp_strategy_get(const char *what, const char *name)
{
	const struct cp_strategy *strategy = cp_strategy_find(name);
	char names[CP_STRATEGY_NAMES];

	if (strategy)
		return strategy;
	if (cp_strategy_is_studied(name)) {
		pr_err("%s%s: needs a module built with STUDY=1 (CONFIG_CURPAGE_STUDY)\n",
		       what, name);
		return NULL;
	}
	cp_strategy_names(names, sizeof(names));
	pr_err("%s%s: must be one of %s\n", what, name, names);
	return NULL;
}

/* As cp_strategy_get(), for the strategy of a cache. */
const struct cp_strategy *cp_cache_strategy(const char *cache, const char *name)
{
	char what[CP_NAME_LEN + sizeof("cache : strategy ")];

	snprintf(what, sizeof(what), "cache %s: strategy ", cache);
	return cp_strategy_get(what, name);
}

/* List the names that cp_strategy_find() knows. */
void cp_strategy_names(char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		if (cp_strategies[i])
			len += scnprintf(buf + len, size - len, "%s%s",
					 len ? ", " : "",
					 cp_strategies[i]->name);
}

size_t cp_strategy_state_size(const struct cp_strategy *strategy,
			      const struct curpage_cache *cache)
{
	return strategy->state_size ? strategy->state_size(cache) : 0;
}
