// SPDX-License-Identifier: GPL-2.0
/* The table of strategies. */
#include "kernel.h"
#include "internal.h"

const struct cp_strategy * const cp_strategies[] = {
	[CP_MRU]		= &cp_strategy_mru,
	[CP_LEAST_FREE]		= &cp_strategy_least_free,
	[CP_MOST_FREE]		= &cp_strategy_most_free,
	[CP_RANDOM_B]		= &cp_strategy_random_b,
	[CP_QUICK]		= &cp_strategy_quick,
	[CP_FIRST_FIT]		= &cp_strategy_first_fit,
	[CP_STACK]		= &cp_strategy_stack,
	[CP_QUEUE]		= &cp_strategy_queue,
	[CP_RANDOM]		= &cp_strategy_random,
	[CP_NOFREE]		= &cp_strategy_nofree,
	[CP_LEAST_FREE_8]	= &cp_strategy_least_free_8,
	[CP_LOWEST_PAGE]	= &cp_strategy_lowest_page,
};

static_assert(ARRAY_SIZE(cp_strategies) == CP_NR_STRATEGIES);

/* Is every row of the table there, and all of it? */
bool cp_strategies_ok(void)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++) {
		const struct cp_strategy *row = cp_strategies[i];

		if (!row || !row->name || !row->paper || !row->freed ||
		    !row->pick || !row->state_size != !row->init)
			return false;
		if (!(row->flags & CP_LISTED) &&
		    (!row->enter || !row->leave || !row->next))
			return false;
	}
	return true;
}

/* The strategy of this name, or NULL. */
const struct cp_strategy *cp_strategy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		if (!strcmp(cp_strategies[i]->name, name))
			return cp_strategies[i];
	return NULL;
}

/* Where a page does not move by a free. */
void cp_strategy_unmoved(struct cp_heap *h, struct cp_page *p)
{
}

/* All names, for those who have to choose one. */
void cp_strategy_names(char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		len += scnprintf(buf + len, size - len, "%s%s", i ? ", " : "",
				 cp_strategies[i]->name);
}

size_t cp_strategy_state_size(const struct cp_strategy *strategy,
			      const struct curpage_cache *cache)
{
	return strategy->state_size ? strategy->state_size(cache) : 0;
}
