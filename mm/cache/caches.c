// SPDX-License-Identifier: GPL-2.0
/*
 * Caches as a whole: create, destroy, tune and count them.  None of this is on
 * the path of an allocation or a free.
 */
#include "base/kernel.h"
#include "arena/system.h"
#include "cache/borrow.h"
#include "cache/cache.h"
#include "heap/block.h"
#include "heap/harden.h"
#include "heap/report.h"

static const struct cp_cache_watch *cp_cache_watch;
static unsigned int cp_cache_last_id;

/* Taken outside of the claims and locks of heaps: base.h has the order. */
static DEFINE_MUTEX(cp_tune_lock);	/* for strategy and freetol */

struct cp_cache_defaults cp_cache_defaults;

/* Return: Brent's phi0, the free blocks that make a page a candidate. */
static unsigned int cp_phi0(const struct curpage_cache *cache,
			    unsigned int freetol)
{
	return clamp(DIV_ROUND_UP(freetol, cache->stride), 1U,
		     cache->capacity);
}

static unsigned int cp_cache_align(unsigned int size,
				   const struct curpage_cache_args *args)
{
	unsigned int align = CP_ALIGN_MIN(size);

	if (args->flags & CURPAGE_HWCACHE_ALIGN && size > cache_line_size() / 2)
		align = max_t(unsigned int, align, cache_line_size());
	return max(align, args->align);
}

/*
 * Return: the bytes of a page for each block's tag; 0 without profiling, and if
 * a block fills the page.
 */
static unsigned int cp_cache_tag_size(struct curpage_cache *cache)
{
	if (!cp_profiling() || cache->stride + CP_TAG_SIZE > PAGE_SIZE)
		return 0;
	cache->flags |= CP_CACHE_TAGS;
	return CP_TAG_SIZE;
}

/*
 * Lay out a block: the link is at its start, or behind the bytes that must not
 * change while the block is free.
 */
static void cp_cache_layout(struct curpage_cache *cache)
{
	unsigned int bytes = cache->size;

	if (cache->flags & CURPAGE_CHECK &&
	    ALIGN(cp_debug_link(cache->size) + CP_WORD_SIZE, cache->align) >
	    PAGE_SIZE) {
		pr_info("cache %s: no room for red zones beside %u bytes\n",
			cache->name, cache->size);
		cache->flags &= ~CURPAGE_CHECK;
	}
	if (cache->flags & CURPAGE_CHECK)
		cache->link = cp_debug_link(cache->size);
	else if (cp_cache_keeps(cache))
		cache->link = ALIGN(cache->size, CP_WORD_SIZE);
	if (cache->link)
		bytes = cache->link + CP_WORD_SIZE;
	bytes = max_t(unsigned int, bytes, CP_BLOCK_MIN);

	cache->stride = ALIGN(max(bytes, cache->align), cache->align);
	cache->capacity = PAGE_SIZE / (cache->stride + cp_cache_tag_size(cache));
	cache->span = cache->capacity * cache->stride;
	cache->magic = DIV_ROUND_UP_ULL(1ULL << 32, cache->stride);
	cache->occ_shift = max(order_base_2(cache->capacity) - 4, 0);
	cache->occ_mask = (1U << cache->occ_shift) - 1;
}

static bool cp_name_ok(const char *name)
{
	const char *s;

	if (!name || strlen(name) >= CP_NAME_LEN || strchr(".#", *name))
		return false;
	for (s = name; *s; s++)
		if (!isgraph(*s) || *s == '/')
			return false;
	return true;
}

/* Check arguments.  Logs the first that is wrong, and what is allowed. */
static bool cp_args_ok(const char *name, unsigned int size,
		       const struct curpage_cache_args *args)
{
	if (!cp_name_ok(name))
		pr_err("cache name %s: must be 1 to %d printable characters without / and not start with . or #\n",
		       name ?: "(null)", CP_NAME_LEN - 1);
	else if (!size || size > PAGE_SIZE)
		pr_err("cache %s: size %u: must be 1 to %lu\n", name, size,
		       PAGE_SIZE);
	else if (args->align > PAGE_SIZE ||
		 (args->align && !is_power_of_2(args->align)))
		pr_err("cache %s: align %u: must be 0 or a power of two up to %lu\n",
		       name, args->align, PAGE_SIZE);
	else if (args->freetol > PAGE_SIZE)
		pr_err("cache %s: freetol %u: must be 0 to %lu\n", name,
		       args->freetol, PAGE_SIZE);
	else if (args->flags & ~CURPAGE_CACHE_FLAGS)
		pr_err("cache %s: flags %#x: must be of %#x\n", name,
		       args->flags, CURPAGE_CACHE_FLAGS);
	else
		return true;
	return false;
}

static void cp_cache_init_heaps(struct curpage_cache *cache)
{
	unsigned int phi0 = cp_phi0(cache, cache->freetol);
	int cpu;

	cp_heap_init(&cache->side, cache, CP_SIDE, &cp_strategy_mru, phi0);
	for_each_possible_cpu(cpu)
		cp_heap_init(per_cpu_ptr(cache->heaps, cpu), cache, cpu,
			     &cp_strategy_mru, phi0);
}

static bool cp_cache_name_taken(const char *name)
{
	struct curpage_cache *cache;

	list_for_each_entry(cache, &cp_caches, list)
		if (!strcmp(cache->name, name))
			return true;
	return false;
}

static bool cp_cache_add(struct curpage_cache *cache)
{
	int cpu;

	mutex_lock(&cp_caches_lock);
	if (cp_cache_name_taken(cache->name)) {
		mutex_unlock(&cp_caches_lock);
		pr_err("cache %s: there is one of this name\n", cache->name);
		return false;
	}
	cache->id = ++cp_cache_last_id;
	list_add_tail(&cache->list, &cp_caches);
	/* Tracing may have begun or ended.  No CPU uses the heaps yet. */
	for_each_possible_cpu(cpu)
		cp_heap_trace(per_cpu_ptr(cache->heaps, cpu), NULL);
	if (cp_cache_watch)
		cp_cache_watch->created(cache);
	mutex_unlock(&cp_caches_lock);
	return true;
}

/*
 * Free the memory of a cache.  A free on another CPU may just have found a heap
 * of the cache in cp_hot, so wait for a grace period.
 */
static void cp_cache_free_struct(struct curpage_cache *cache)
{
	int cpu;

	synchronize_rcu_expedited();
	if (cache->heaps)
		for_each_possible_cpu(cpu)
			kfree(per_cpu_ptr(cache->heaps, cpu)->state);
	free_percpu(cache->heaps);
	kfree(cache->order);
	kfree(cache);
}

struct curpage_cache *
cp_cache_create(const char *name, unsigned int size,
		const struct curpage_cache_args *args)
{
	static const struct curpage_cache_args none;
	const struct cp_strategy *strategy;
	struct curpage_cache *cache;

	args = args ?: &none;
	if (!cp_cache_defaults.strategy) {
		pr_err("cache %s: curpage is not there yet\n", name);
		return NULL;
	}
	if (!cp_args_ok(name, size, args))
		return NULL;
	strategy = args->strategy ? cp_cache_strategy(name, args->strategy) :
				    cp_cache_defaults.strategy;
	if (!strategy)
		return NULL;

	cache = cp_system_zalloc(sizeof(*cache));
	if (!cache)
		return NULL;
	strscpy(cache->name, name, sizeof(cache->name));
	cache->size = size;
	cache->align = cp_cache_align(size, args);
	cache->ctor = args->ctor;
	cache->flags = args->flags;
	if (cp_cache_defaults.check)
		cache->flags |= CURPAGE_CHECK;
	cache->strategy = &cp_strategy_mru;
	cache->freetol = args->freetol ?: cp_cache_defaults.freetol;
	cache->keep = cp_cache_defaults.keep;
	cp_cache_layout(cache);
	cache->key = cp_harden_key();
	if (!cache->capacity) {
		pr_err("cache %s: size %u: no block fits on a page\n", name,
		       size);
		goto free;
	}
	if (cp_harden_cache(cache))
		goto free;
	cache->heaps = cp_system_alloc_percpu(sizeof(*cache->heaps),
					      __alignof__(*cache->heaps));
	if (!cache->heaps)
		goto free;
	cp_cache_init_heaps(cache);
	if (strategy != cache->strategy && cp_cache_retune(cache, strategy, 0))
		goto free;
	if (!cp_cache_add(cache))
		goto free;
	return cache;

free:
	cp_cache_free_struct(cache);
	return NULL;
}

/**
 * curpage_cache_create - create a cache
 * @name: its name in debugfs, unlike that of any other cache
 * @size: bytes of a block, up to the page size
 * @args: less common arguments, or NULL; see &struct curpage_cache_args
 *
 * Called in process context.  The module cannot be unloaded while the cache
 * exists.
 *
 * Return: the cache; NULL if memory is short or an argument is not allowed,
 * which the log says.
 */
struct curpage_cache *
curpage_cache_create(const char *name, unsigned int size,
		     const struct curpage_cache_args *args)
{
	struct curpage_cache *cache = cp_cache_create(name, size, args);

	if (cache)
		__module_get(THIS_MODULE);
	return cache;
}
EXPORT_SYMBOL_GPL(curpage_cache_create);
ALLOW_ERROR_INJECTION(curpage_cache_create, NULL);

unsigned long cp_cache_live(struct curpage_cache *cache)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(cache, &sum);
	return sum.live;
}

/*
 * Destroy a cache.  Pages with live blocks are never given back: their users
 * may still write to them.
 */
void cp_cache_destroy(struct curpage_cache *cache, unsigned long caller)
{
	long live = cp_cache_live(cache);

	if (live > 0)
		cp_report_leak(cache, live, caller);
	mutex_lock(&cp_caches_lock);
	list_del(&cache->list);
	if (cp_cache_watch)
		cp_cache_watch->destroyed(cache);
	/* Wait for frees that have counted a block and not yet pushed it. */
	synchronize_rcu_expedited();
	if (live > 0) {
		cp_cache_drain(cache);
	} else {
		cache->flags &= ~CURPAGE_PRIVATE_PAGES;
		cp_cache_dismiss(cache);
	}
	mutex_unlock(&cp_caches_lock);
	/* The module may be unloaded next, with cp_heap_release_rcu(). */
	if (cache->flags & CURPAGE_TYPESAFE_BY_RCU)
		rcu_barrier();
	cp_cache_free_struct(cache);
}

/**
 * curpage_cache_destroy - destroy a cache
 * @cache: the cache, or NULL
 *
 * Called in process context.  Refused while blocks are live: their number is
 * reported, and the cache stays as it was, so that they can be freed.
 *
 * Return: 0, or -EBUSY if blocks are live.
 */
int curpage_cache_destroy(struct curpage_cache *cache)
{
	long live;

	if (!cache)
		return 0;
	live = cp_cache_live(cache);
	/* Less than 0: blocks were freed twice, and no check could tell. */
	if (live > 0) {
		cp_report_leak(cache, live, _RET_IP_);
		return -EBUSY;
	}
	cp_cache_destroy(cache, _RET_IP_);
	module_put(THIS_MODULE);
	return 0;
}
EXPORT_SYMBOL_GPL(curpage_cache_destroy);

static void cp_states_free(void **states)
{
	int cpu;

	if (states)
		for_each_possible_cpu(cpu)
			kfree(states[cpu]);
	kfree(states);
}

/*
 * Allocate the memory that the heaps need for a strategy.
 *
 * Return: an array by CPU, or NULL if there is no memory.
 */
static void **cp_states_alloc(const struct curpage_cache *cache,
			      const struct cp_strategy *strategy)
{
	size_t size = cp_strategy_state_size(strategy, cache);
	void **states = cp_system_zalloc(nr_cpu_ids * sizeof(*states));
	int cpu;

	if (!states || !size)
		return states;
	for_each_possible_cpu(cpu) {
		states[cpu] = cp_system_zalloc(size);
		if (!states[cpu]) {
			cp_states_free(states);
			return NULL;
		}
	}
	return states;
}

/*
 * Retune a heap.  states has a new state for each CPU; the old state of the
 * heap takes its place.
 */
static void cp_cache_retune_heap(struct cp_heap *h, void *states)
{
	struct curpage_cache *cache = h->cache;
	unsigned int phi0 = cp_phi0(cache, cache->freetol);
	void **state = states;

	if (state && h->cpu != CP_SIDE)
		state[h->cpu] = cp_heap_retune(h, cache->strategy, phi0,
					       state[h->cpu]);
	else
		cp_heap_retune(h, cache->strategy, phi0, h->state);
}

/*
 * Change the strategy of all heaps, unless it is NULL, and the tolerance,
 * unless it is 0.  Each heap is borrowed while its pages are sorted anew, which
 * takes time for each page.
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int cp_cache_retune(struct curpage_cache *cache,
		    const struct cp_strategy *strategy, unsigned int freetol)
{
	void **states = NULL;

	if (strategy) {
		states = cp_states_alloc(cache, strategy);
		if (!states)
			return -ENOMEM;
	}
	mutex_lock(&cp_tune_lock);
	if (strategy)
		WRITE_ONCE(cache->strategy, strategy);
	if (freetol)
		WRITE_ONCE(cache->freetol, freetol);
	cp_cache_each_heap(cache, cp_cache_retune_heap, states);
	mutex_unlock(&cp_tune_lock);
	cp_states_free(states);
	return 0;
}

/* Return: a counter, summed over the heaps of all CPUs and the side heap. */
static unsigned long cp_cache_stat(struct curpage_cache *cache,
				   enum cp_heap_stat stat)
{
	unsigned long sum = cp_peek(cache->side.stat[stat]);
	int cpu;

	for_each_possible_cpu(cpu)
		sum += cp_peek(per_cpu_ptr(cache->heaps, cpu)->stat[stat]);
	return sum;
}

static unsigned long cp_cache_freed_own(struct curpage_cache *cache)
{
	unsigned long sum = cp_heap_freed_own(&cache->side);
	int cpu;

	for_each_possible_cpu(cpu)
		sum += cp_heap_freed_own(per_cpu_ptr(cache->heaps, cpu));
	return sum;
}

/*
 * Add up what the heaps of a cache have counted.  Racy read: the owners go on,
 * so the sums are exact once the owners stop.  A block is counted in CP_ALLOC
 * before it can be freed, and in CP_FREE_REMOTE before it is collected.  So
 * they are read in the reverse order, which never shows more of the later
 * event.
 */
void cp_cache_get_sum(struct curpage_cache *cache, struct cp_cache_sum *sum)
{
	unsigned long remote;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	cp_heap_add_sum(&cache->side, sum);
	for_each_possible_cpu(cpu)
		cp_heap_add_sum(per_cpu_ptr(cache->heaps, cpu), sum);
	smp_rmb();	/* CP_COLLECTED, then CP_FREE_REMOTE */
	remote = cp_cache_stat(cache, CP_FREE_REMOTE);
	sum->stat[CP_FREE_REMOTE] = remote;
	sum->stat[CP_FREED] = cp_cache_freed_own(cache) + remote +
			      atomic_read(&cache->reserve_freed);
	smp_rmb();	/* frees, then CP_ALLOC */
	sum->stat[CP_ALLOC] = cp_cache_stat(cache, CP_ALLOC) +
			      atomic_read(&cache->reserve_alloc);
	sum->live = sum->stat[CP_ALLOC] - sum->stat[CP_FREED];
	sum->pending = remote - min(remote, sum->stat[CP_COLLECTED]);
}

static void cp_trace_count(int change)
{
	struct curpage_cache *cache;

	mutex_lock(&cp_caches_lock);
	WRITE_ONCE(cp_heap_traced, cp_heap_traced + change);
	list_for_each_entry(cache, &cp_caches, list)
		cp_cache_each_heap(cache, cp_heap_trace, NULL);
	mutex_unlock(&cp_caches_lock);
}

/*
 * Called when the tracepoint of allocations or of frees gets its first probe.
 */
int cp_trace_begin(void)
{
	cp_trace_count(1);
	return 0;
}

/*
 * Called when the tracepoint of allocations or of frees has lost its last
 * probe.
 */
void cp_trace_end(void)
{
	cp_trace_count(-1);
}

/* Set the watch for caches, and tell it of the caches that exist. */
void cp_cache_set_watch(const struct cp_cache_watch *watch)
{
	struct curpage_cache *cache;

	mutex_lock(&cp_caches_lock);
	cp_cache_watch = watch;
	if (watch)
		list_for_each_entry(cache, &cp_caches, list)
			watch->created(cache);
	mutex_unlock(&cp_caches_lock);
}
