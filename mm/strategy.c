// SPDX-License-Identifier: GPL-2.0
/* The table of strategies. */
#include "kernel.h"
#include "internal.h"

const struct cp_strategy * const cp_strategies[] = {
	[CP_MRU] = &cp_strategy_mru,
};

static_assert(ARRAY_SIZE(cp_strategies) == CP_NR_STRATEGIES);

/* Is every row of the table there, and all of it? */
bool cp_strategies_ok(void)
{
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++) {
		const struct cp_strategy *row = cp_strategies[i];

		if (!row || !row->name || !row->paper || !row->enter ||
		    !row->freed || !row->leave || !row->pick)
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

/* All names, for those who have to choose one. */
void cp_strategy_names(char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < CP_NR_STRATEGIES; i++)
		len += scnprintf(buf + len, size - len, "%s%s", i ? ", " : "",
				 cp_strategies[i]->name);
}
