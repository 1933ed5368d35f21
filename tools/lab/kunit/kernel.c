// SPDX-License-Identifier: GPL-2.0
/* What the suites ask of the kernel: static stubs, threads, the shrinker. */

struct stub {
	const void *fn, *replacement;
};

static struct stub stubs[4];

static struct stub *stub_of(const void *fn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stubs); i++)
		if (stubs[i].fn == fn)
			return &stubs[i];
	return NULL;
}

const void *lab_stub(const void *fn)
{
	const struct stub *stub = stub_of(fn);

	return stub ? stub->replacement : NULL;
}

void lab_stub_set(const void *fn, const void *replacement)
{
	struct stub *stub = stub_of(fn) ?: stub_of(NULL);

	assert(stub);
	stub->fn = replacement ? fn : NULL;
	stub->replacement = replacement;
}

void lab_stub_clear_all(void)
{
	memset(stubs, 0, sizeof(stubs));
}

struct task_struct *lab_kthread_create(int (*fn)(void *data), void *data)
{
	struct task_struct *task = calloc(1, sizeof(*task));

	if (task)
		*task = (struct task_struct){ .fn = fn, .data = data };
	return task;
}

void wake_up_process(struct task_struct *task)
{
	int caller = lab.cpu;

	lab.cpu = task->cpu;
	task->fn(task->data);
	lab.cpu = caller;
}

static cp_shrinker_fn *shrinker_count, *shrinker_scan;

struct shrinker *cp_shrinker_register(cp_shrinker_fn *count,
				      cp_shrinker_fn *scan)
{
	shrinker_count = count;
	shrinker_scan = scan;
	return (struct shrinker *)&shrinker_scan;
}

/* As the kernel asks, until there is nothing left. */
void drop_slab(void)
{
	struct shrink_control sc = { };

	do {
		sc.nr_to_scan = shrinker_count(NULL, &sc);
		if (sc.nr_to_scan == SHRINK_EMPTY)
			return;
	} while (shrinker_scan(NULL, &sc) != SHRINK_STOP);
}
