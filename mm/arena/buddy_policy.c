// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the buddy's policies, and the change of the policy or of the
 * desired numbers in use.
 */
#include "base/kernel.h"
#include "arena/buddy.h"

const struct cp_buddy_policy cp_buddy_policies[] = {
	[CP_BUDDY_BINARY] = {
		.name	= "binary",
		.paper	= "Kaufman 1980, section 1; Knowlton 1965",
		.desired = 0,
	},
	[CP_BUDDY_REVISED] = {
		.name	= "revised",
		.paper	= "Kaufman 1980, section 2",
		.desired = U32_MAX,
	},
	[CP_BUDDY_TAILORED] = {
		.name	= "tailored",
		.paper	= "Kaufman 1980, section 3",
		.tailored = true,
	},
};

static_assert(ARRAY_SIZE(cp_buddy_policies) == CP_NR_BUDDY_POLICIES);

/*
 * Check that the table has every row, and that no two rows have the same name.
 */
bool cp_buddy_policies_ok(void)
{
	unsigned int i;

	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++) {
		const struct cp_buddy_policy *row = &cp_buddy_policies[i];

		if (!row->name || !row->paper ||
		    cp_buddy_policy_find(row->name) != row)
			return false;
	}
	return true;
}

const struct cp_buddy_policy *cp_buddy_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++)
		if (cp_buddy_policies[i].name &&
		    !strcmp(name, cp_buddy_policies[i].name))
			return &cp_buddy_policies[i];
	return NULL;
}

/* List the names of all policies for a message: "binary, revised, tailored". */
static void cp_buddy_names(char *buf, size_t size)
{
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < CP_NR_BUDDY_POLICIES; i++)
		len += scnprintf(buf + len, size - len, "%s%s",
				 i ? ", " : "", cp_buddy_policies[i].name);
}

/*
 * Find the policy of a name that a user gave, or log what is allowed.  what
 * says where the name comes from.  Return: the policy, or NULL.
 */
const struct cp_buddy_policy *cp_buddy_policy_get(const char *what,
						  const char *name)
{
	const struct cp_buddy_policy *policy = cp_buddy_policy_find(name);
	char names[CP_BUDDY_NAMES];

	if (!policy) {
		cp_buddy_names(names, sizeof(names));
		pr_err("%s%s: must be one of %s\n", what, name, names);
	}
	return policy;
}

/* Recompute the desired number of each list. */
static void cp_buddy_renew(struct cp_buddy *b)
{
	unsigned int order;

	if (b->policy->tailored && b->tailored.learn)
		cp_desired_start(b);
	for (order = 0; order < CP_NR_ORDERS; order++)
		b->desired[order] = b->policy->tailored ?
				    b->tailored.nr[order] : b->policy->desired;
}

/*
 * Change the policy in use.  Free blocks stay on their lists.  Pairs that an
 * eager policy must not have are merged later: settling tells the walker.
 * Caller holds the arena's lock.
 */
void cp_buddy_set_policy(struct cp_buddy *b,
			 const struct cp_buddy_policy *policy)
{
	WRITE_ONCE(b->policy, policy);
	b->settling = b->paired;
	cp_buddy_renew(b);
}

void cp_buddy_set_desired(struct cp_buddy *b, const struct cp_desired *d)
{
	b->tailored.learn = d->learn;
	if (!d->learn)
		memcpy(b->tailored.nr, d->nr, sizeof(d->nr));
	cp_buddy_renew(b);
}
