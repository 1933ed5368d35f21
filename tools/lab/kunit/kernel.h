/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lab's twin of kunit/kernel.h: the same guard, forced in before each file,
 * so that the suites compile unchanged in user space.
 *
 * test.h is the twin of <kunit/test.h>.  Here is what the suites ask of the
 * kernel beside it.  The lab has several CPUs and one thread: a call to another
 * CPU, and a kernel thread that is woken, runs to its end at once.
 */
#ifndef CP_KUNIT_KERNEL_H
#define CP_KUNIT_KERNEL_H

#include "test.h"

/* Parameters of the suites: --seed sets this one. */
#define module_param_named(name, value, type, perm)			\
	unsigned int * const lab_param_##name = &(value)
#define MODULE_PARM_DESC(name, text) extern unsigned int * const lab_param_##name
MODULE_PARM_DESC(test_seed, );
typedef unsigned int uint;

/* A function that begins with KUNIT_STATIC_STUB_REDIRECT() may have a stub. */
const void *lab_stub(const void *fn);
void lab_stub_set(const void *fn, const void *replacement);
void lab_stub_clear_all(void);
#define kunit_activate_static_stub(test, fn, replacement)		\
	lab_stub_set(fn, (__typeof__(&(fn))){ replacement })
#define kunit_deactivate_static_stub(test, fn) lab_stub_set(fn, NULL)
#undef KUNIT_STATIC_STUB_REDIRECT
#define KUNIT_STATIC_STUB_REDIRECT(fn, args...) do {			\
	__typeof__(&(fn)) stub_ = lab_stub(fn);				\
	if (stub_)							\
		return stub_(args);					\
} while (0)

/* CPUs: lab_call_others() calls this one as well, if it is among them. */
#define raw_smp_processor_id()	lab.cpu
#define num_online_cpus()	num_possible_cpus()
#define for_each_online_cpu(cpu) for_each_possible_cpu(cpu)
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))
#define cpu_online_mask		LAB_ALL_CPUS
#define LAB_ALL_CPUS		((1UL << LAB_CPUS) - 1)
#define cpumask_of(cpu)		(1UL << (cpu))
#define cpumask_any_but(mask, cpu) ((int)__ffs((mask) & ~cpumask_of(cpu)))
#define set_cpus_allowed_ptr(task, mask) ((void)(mask), 0)
#define lockdep_hardirq_threaded() do { } while (0)
#define smp_call_function_single(cpu, fn, arg, wait)			\
	lab_call_others(cpumask_of(cpu), fn, arg)
#define on_each_cpu(fn, arg, wait) lab_call_others(LAB_ALL_CPUS, fn, arg)

/* Threads: one runs to its end when it is woken, so nobody waits for it. */
struct task_struct {
	int (*fn)(void *data);
	void *data;
	int cpu;
};

struct completion {
	bool done;
};

struct task_struct *lab_kthread_create(int (*fn)(void *data), void *data);
void wake_up_process(struct task_struct *task);
#define kthread_create(fn, data, name) lab_kthread_create(fn, data)
#define kthread_bind(task, on) ((task)->cpu = (on))
#define kthread_stop(task)	((void)(task))
#define get_task_struct(task)	((void)(task))
#define put_task_struct(task)	free(task)
#define IS_ERR(p)		(!(p))
#define init_completion(c)	((c)->done = false)
#define complete(c)		((c)->done = true)
#define wait_for_completion(c)	assert((c)->done)
#define wait_for_completion_timeout(c, time) ((void)(time), (c)->done)
#define msecs_to_jiffies(ms)	(ms)
#define mdelay(ms)		((void)(ms))
#define raw_spin_lock_irq(l)	(lab.spinning++, lab_lock(&(l)->taken))
#define raw_spin_unlock_irq(l)	(lab_unlock(&(l)->taken), (void)lab.spinning--)
typedef raw_spinlock_t spinlock_t;
#define spin_lock_init(l)	raw_spin_lock_init(l)
#define spin_lock_irqsave(l, flags) ((flags) = 0, lab_lock(&(l)->taken))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), lab_unlock(&(l)->taken))

/* The shrinker, and who calls it. */
struct shrinker;
struct shrink_control {
	unsigned long nr_to_scan;
};

typedef unsigned long cp_shrinker_fn(struct shrinker *s,
				     struct shrink_control *sc);
#define SHRINK_STOP		(~0UL)
#define SHRINK_EMPTY		(~0UL - 1)
struct shrinker *cp_shrinker_register(cp_shrinker_fn *count,
				      cp_shrinker_fn *scan);
#define cp_shrinker_unregister(s) ((void)(s))
void drop_slab(void);

/* Memory. */
#define GFP_NOWAIT		0u
#define GFP_KERNEL_ACCOUNT	(GFP_KERNEL | __GFP_ACCOUNT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define SZ_256K			0x40000
#define alloc_page(gfp)		alloc_pages(gfp, 0)
#define page_count(page)	page_ref_count(page)
#define page_private(page)	((page)->private)
#define set_page_private(page, value) ((void)((page)->private = (value)))
#define vmalloc(size)		malloc(size)
#define vfree(addr)		free(addr)
#define dma_get_cache_alignment() cp_dma_align()
#define init_on_alloc		lab.init_on_alloc
#define init_on_free		lab.init_on_free
#define static_key_enabled(key)	(*(key))
#define static_branch_enable(key) ((void)(*(key) = true))
#define static_branch_disable(key) ((void)(*(key) = false))

/* Addresses: user space has no vmalloc() area, and the map has no holes. */
#define TASK_SIZE		BIT(47)
#define VMALLOC_START		BIT(46)
#define VMALLOC_END		(BIT(46) + BIT(45))
#define max_pfn			lab_pages()
#define pfn_valid(pfn)		((pfn) < lab_pages())
#define PFN_PHYS(pfn)		((pfn) << PAGE_SHIFT)
#define __va(phys)		((void *)(PAGE_OFFSET + (phys)))
#define system_state		1
#define SYSTEM_SCHEDULING	0

/* Reports.  No interval ends, as time does not pass. */
#undef __ratelimit
#define __ratelimit(state)						\
	((state)->printed < (state)->burst && ++(state)->printed)
#define TAINT_BAD_PAGE		5
#define test_taint(flag)	lab.tainted
#define KSYM_SYMBOL_LEN		64

/* Numbers. */
#define OPTIMIZER_HIDE_VAR(v)	asm("" : "+r"(v))
#define hweight32(n)		((unsigned int)__builtin_popcount(n))
#define hash_32(n, bits)	((u32)(n) * 0x61c88647 >> (32 - (bits)))
#define round_up(n, to)		ALIGN(n, to)
#define swap(a, b) do {							\
	__auto_type swap_ = (a);					\
	(a) = (b);							\
	(b) = swap_;							\
} while (0)

struct rnd_state {
	u64 state;
};

#define prandom_seed_state(rnd, seed) ((void)((rnd)->state = (seed)))
static inline u32 prandom_u32_state(struct rnd_state *rnd)
{
	rnd->state = rnd->state * 6364136223846793005ULL +
		     1442695040888963407ULL;
	return rnd->state >> 32;
}

/* Bitmaps, a bit at a time, and lists. */
static inline void bitmap_set(unsigned long *map, unsigned int start,
			      unsigned int n)
{
	while (n--)
		__set_bit(start + n, map);
}

static inline void bitmap_clear(unsigned long *map, unsigned int start,
				unsigned int n)
{
	while (n--)
		__clear_bit(start + n, map);
}

#define bitmap_fill(map, n)	bitmap_set(map, 0, n)

static inline unsigned int bitmap_weight(const unsigned long *map,
					 unsigned int size)
{
	unsigned int weight = 0;

	while (size--)
		weight += test_bit(size, map);
	return weight;
}

static inline unsigned int find_next_zero_bit(const unsigned long *map,
					      unsigned int size, unsigned int n)
{
	while (n < size && test_bit(n, map))
		n++;
	return min(n, size);
}

static inline void list_replace(struct list_head *old, struct list_head *new)
{
	list_add(new, old);
	list_del(old);
}

static inline void list_replace_init(struct list_head *old,
				     struct list_head *new)
{
	list_replace(old, new);
	INIT_LIST_HEAD(old);
}

#endif /* CP_KUNIT_KERNEL_H */
