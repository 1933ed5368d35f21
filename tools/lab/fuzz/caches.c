// SPDX-License-Identifier: GPL-2.0
/* Make, change and destroy caches; calls that concern the whole allocator. */
#include "fuzz.h"

static const unsigned int fuzz_sizes[] = {
	8, 8, 16, 24, 40, 48, 64, 64, 100, 200, 256, 256, 1000, 2048, 4096,
};

static const unsigned int fuzz_freetols[] = { 1, 1, 200, 1638, 4096 };

#define FUZZ_ANY(array)	((array)[fuzz_random(ARRAY_SIZE(array))])

/* Return: a random strategy that this round may have. */
static const struct cp_strategy *fuzz_strategy(void)
{
	const struct cp_strategy *s = fuzz.settings->strategy;

	if (s)
		return s;
	do {
		s = cp_strategies[fuzz_random(CP_NR_STRATEGIES)];
	} while (s->flags & CP_POOLED && !fuzz.pooled);
	return fuzz_once_in(2) ? &cp_strategy_mru : s;
}

static void fuzz_create(unsigned int nr)
{
	struct fuzz_cache *c = &fuzz.cache[nr];
	struct curpage_cache_args args = {
		.strategy = fuzz_strategy()->name,
		.freetol = FUZZ_ANY(fuzz_freetols),
		.flags = fuzz_once_in(4) ? CURPAGE_CHECK : 0,
		.ctor = fuzz_once_in(4) ? fuzz_ctor : NULL,
	};
	bool refused = fuzz_once_in(20);
	char name[CP_NAME_LEN];

	memset(c, 0, sizeof(*c));
	c->size = FUZZ_ANY(fuzz_sizes);
	if (c->size == PAGE_SIZE)
		args.ctor = NULL;	/* there is no room for a link */
	if (fuzz_once_in(8))
		args.flags |= CURPAGE_HWCACHE_ALIGN;
	if (fuzz_once_in(4))
		args.flags |= CURPAGE_PRIVATE_PAGES;
	if (fuzz_once_in(4) && c->size < PAGE_SIZE)
		args.flags |= CURPAGE_TYPESAFE_BY_RCU;
	snprintf(name, sizeof(name), "fuzz-%u-%u", nr, ++fuzz.made[nr]);
	lab.objects_left = refused ? fuzz_random(4) : ULONG_MAX;
	fuzz_log("create(cache %lu of %lu bytes, flags %#lx)", nr, c->size,
		 args.flags | (args.ctor ? 0x100 : 0));
	c->cache = curpage_cache_create(name, c->size, &args);
	lab.objects_left = ULONG_MAX;
	if (!c->cache && !refused)
		fuzz_fail("no cache was made: %s", lab.said);
	if (!c->cache)
		return;
	c->check = c->cache->flags & CURPAGE_CHECK;
	c->ctor = args.ctor;
	c->plain = !c->cache->link;
}

/* Return: a random cache.  There is always one. */
struct fuzz_cache *fuzz_any_cache(void)
{
	for (;;) {
		struct fuzz_cache *c = &fuzz.cache[fuzz_random(FUZZ_CACHES)];

		if (c->cache)
			return c;
		fuzz_create(c - fuzz.cache);
		fuzz_judge_made();
	}
}

/* Destroy a cache, which is refused exactly if it has live blocks. */
static void fuzz_destroy(struct fuzz_cache *c)
{
	int ret;

	fuzz_log("cpu %lu: destroy(cache %lu)", lab.cpu, c - fuzz.cache, 0);
	if (c->live || fuzz.unsure)
		fuzz_expect(BIT(CP_BAD_LEAK), c->live && !fuzz.unsure);
	ret = curpage_cache_destroy(c->cache);
	if (!fuzz.unsure && ret != (c->live ? -EBUSY : 0))
		fuzz_fail("destroying a cache with %u live blocks returned %d",
			  c->live, ret);
	if (!ret || !c->live)
		c->cache = NULL;
	fuzz_judge();
}

/* Free the blocks of a cache, the last first, and destroy the cache. */
static void fuzz_renew(void)
{
	struct fuzz_cache *c = fuzz_any_cache();
	unsigned int at;

	for (at = fuzz_nr_live; at; at--)
		if (at <= fuzz_nr_live && fuzz_live_at(at - 1)->cache == c)
			fuzz_free_right(fuzz_live_at(at - 1));
	if (c->cache && !c->live)
		fuzz_destroy(c);
}

/* Destroy a cache with live blocks, which must be refused. */
void fuzz_destroy_live(void)
{
	struct fuzz_cache *c = fuzz_any_cache();

	if (c->live && !fuzz.unsure)
		fuzz_destroy(c);
}

static void fuzz_retune(void)
{
	struct fuzz_cache *c = fuzz_any_cache();
	const struct cp_strategy *s = fuzz_strategy();
	unsigned int freetol = fuzz_random(2) * FUZZ_ANY(fuzz_freetols);
	bool refused = fuzz_once_in(8);

	lab.objects_left = refused ? fuzz_random(4) : ULONG_MAX;
	fuzz_log("retune(cache %lu, strategy %lu, freetol %lu)",
		 c - fuzz.cache, s->name[0], freetol);
	if (cp_cache_retune(c->cache, s, freetol) && !refused)
		fuzz_fail("a strategy cannot be changed");
	lab.objects_left = ULONG_MAX;
}

/* Do the idle work, as the timer does. */
static void fuzz_idle(void)
{
	struct curpage_cache *cache;
	int cpu;

	fuzz_log("cpu %lu: idle", lab.cpu, 0, 0);
	mutex_lock(&cp_caches_lock);
	list_for_each_entry(cache, &cp_caches, list) {
		cp_heap_give_back(&cache->side);
		for_each_possible_cpu(cpu)
			cp_heap_give_back(per_cpu_ptr(cache->heaps, cpu));
	}
	cp_stock_drain();
	cp_fit_drain_idle();
	cp_arena_age(&cp_arena, fuzz_once_in(2));
	mutex_unlock(&cp_caches_lock);
}

static void fuzz_cpu_dies(void)
{
	unsigned int dead = (lab.cpu + 1 + fuzz_random(LAB_CPUS - 1)) %
			    LAB_CPUS;

	fuzz_log("cpu %lu: cpu %lu is dead", lab.cpu, dead, 0);
	lab.cpu_dead(dead);
}

/* Make a call that is rare, on any CPU. */
void fuzz_housekeeping(void)
{
	struct fuzz_cache *c;

	lab.cpu = fuzz_random(LAB_CPUS);
	switch (fuzz_random(10)) {
	case 0:
		fuzz_renew();
		break;
	case 1:
	case 2:
		fuzz_retune();
		break;
	case 3:
		fuzz_cpu_dies();
		break;
	case 4:
		fuzz_log("crossover", 0, 0, 0);
		cp_size_set_crossover(fuzz_random(5) * 1024);
		break;
	case 5:
	case 6:
		c = fuzz_any_cache();
		fuzz_log("cpu %lu: shrink(cache %lu)", lab.cpu,
			 c - fuzz.cache, 0);
		curpage_cache_shrink(c->cache);
		break;
	case 7:
	case 8:
		fuzz_idle();
		break;
	default:
		fuzz_judge_check();
		fuzz_verify_all();
		fuzz_others_look_all();
	}
	fuzz_judge();
}

/* Start the allocator with random parameters of the module. */
static void fuzz_start(void)
{
	static const unsigned int keeps[] = { 0, 0, 1, 8, 8, CP_KEEP_ALL };
	static const unsigned long most[] = { 0, 0, 300, 2000 };
	unsigned long max_pages = FUZZ_ANY(most);

	fuzz.bounded = max_pages;
	cp_page_init_map();
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = &cp_buddy_policies[fuzz_random(CP_NR_BUDDY_POLICIES)],
		.desired = { .learn = true },
		.chunk_order = fuzz_random(6),
		.min_pages = fuzz_once_in(4) ? 64 : 0,
		.max_pages = max_pages, .apart = fuzz_random(2),
	});
	cp_stock_init(fuzz_random(3) * 8);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = &cp_strategy_mru,
		.freetol = FUZZ_ANY(fuzz_freetols), .keep = FUZZ_ANY(keeps),
		.check = fuzz_once_in(8),
	};
	lab.init_on_free = fuzz_once_in(8);
	cp_harden_init(fuzz_random(2), fuzz_random(U16_MAX));
	if (cp_size_init() || cp_hotplug_init())
		fuzz_fail("the allocator does not start");
}

void fuzz_caches_init(void)
{
	fuzz_start();
	cp_size_set_crossover(fuzz_random(5) * 1024);
	fuzz_any_cache();
}

/* Free everything.  Nothing may be held then except damaged pages. */
void fuzz_end_round(void)
{
	unsigned long lost = fuzz_runs_damaged();
	unsigned int i;

	while (fuzz_nr_live)
		fuzz_free_right(fuzz_live_at(fuzz_nr_live - 1));
	fuzz_judge_check();
	for (i = 0; i < FUZZ_CACHES; i++)
		if (fuzz.cache[i].cache)
			fuzz_destroy(&fuzz.cache[i]);
	fuzz_others_end();
	lost = max(lost, fuzz_runs_damaged()) +
	       cp_arena.stat[CP_EXPELLED_PAGES];
	fuzz_log("exit", 0, 0, 0);
	if (lost || fuzz.unsure)
		fuzz_expect(BIT(CP_BAD_LEAK), false);
	cp_hotplug_exit();
	cp_size_exit();
	cp_pages_exit();
	if (!fuzz.unsure)
		fuzz_judge();
	if (lab.spinning || lab.preempt)
		fuzz_fail("a lock is held, or preemption disabled");
	if (fuzz.unsure)
		return;
	if (lab.objects_lent)
		fuzz_fail("in the end %lu objects are held", lab.objects_lent);
	if (lab.pages_lent > lost)
		fuzz_fail("in the end %lu pages are held, %lu of them may be lost",
			  lab.pages_lent, lost);
}
