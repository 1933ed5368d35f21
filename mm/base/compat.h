/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hide the differences between the kernels that curpage is loaded into, 6.1 to
 * 7.3.  No other file of mm/ looks at LINUX_VERSION_CODE; the torture test has
 * torture/compat.h.
 */
#ifndef CP_COMPAT_H
#define CP_COMPAT_H

#include <linux/dma-mapping.h>
#include <linux/jump_label.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "base/refuse.h"

/*
 * Static stubs let KUnit make a call into the system fail.  They came with 6.4.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#include <kunit/static_stub.h>
#else
#define KUNIT_STATIC_STUB_REDIRECT(fn, args...) ((void)(fn))
#endif

/*
 * A flag for caches that must not be merged came with 6.5.  Before, another
 * flag has that effect: SLUB does not tell kmemleak of such a cache's objects.
 */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE SLAB_NOLEAKTRACE
#endif

/*
 * The offset in a mapping, struct page's index, is called __folio_index since
 * 6.16.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define cp_page_index __folio_index
#else
#define cp_page_index index
#endif

/*
 * Add to a counter of this CPU that an NMI may add to as well, in the middle of
 * this addition.  Where this_cpu_add() disables interrupts around a plain
 * addition, the addition of the NMI would be lost.  6.1 does not say on which
 * architectures this_cpu_add() is safe.
 */
#if defined(CONFIG_ARCH_HAS_NMI_SAFE_THIS_CPU_OPS) || defined(CONFIG_X86) || \
	defined(CONFIG_ARM64) || defined(CONFIG_S390)
#define cp_count_add(counter, n) this_cpu_add(counter, n)
#else
#define cp_count_add(counter, n) \
	atomic_long_add(n, (atomic_long_t *)raw_cpu_ptr(&(counter)))
#endif

/*
 * The first address of the linear map.  On arm64 a kernel for 52 address bits
 * also runs on a CPU with 48 bits.  PAGE_OFFSET is that for 52 bits; with 48
 * bits the map starts higher.
 */
#ifdef CONFIG_ARM64
#define CP_LINEAR_START	_PAGE_OFFSET(vabits_actual)
#else
#define CP_LINEAR_START	PAGE_OFFSET
#endif

/*
 * Return: alignment and padding of a block that shares no cache line with
 * others, as DMA that is not coherent needs; 1 where all DMA is coherent.
 */
static inline unsigned int cp_dma_align(void)
{
	return dma_get_cache_alignment();
}

/*
 * Does a block of this size need cache lines of its own?  For DMA the kernel
 * copies blocks of sizes that kmalloc() does not align: see
 * dma_kmalloc_size_aligned().
 */
static inline bool cp_dma_wants(size_t size)
{
	unsigned int align = cp_dma_align();

	return !IS_ENABLED(CONFIG_DMA_BOUNCE_UNALIGNED_KMALLOC) ||
	       size >= 2 * align ||
	       IS_ALIGNED(kmalloc_size_roundup(size), align);
}

/* Must every block be zeroed, whatever its request says? */
static __always_inline bool cp_init_on_alloc(void)
{
	return static_branch_maybe(CONFIG_INIT_ON_ALLOC_DEFAULT_ON,
				   &init_on_alloc);
}

/*
 * Is the CPU isolated from the kernel's everyday work?  cpu_is_isolated()
 * covers isolcpus= and cpusets, but nohz_full= in some versions only.  Since
 * 7.0 the masks may be replaced at run time.
 */
static inline bool cp_cpu_isolated(int cpu)
{
	bool isolated;

	rcu_read_lock();
	isolated = cpu_is_isolated(cpu) ||
		   !housekeeping_cpu(cpu, HK_TYPE_TICK);
	rcu_read_unlock();
	return isolated;
}

/* Is memory allocation profiling on?  Modules can ask since 6.14. */
#ifdef CONFIG_MEM_ALLOC_PROFILING
static inline bool cp_profiling(void)
{
#if defined(MODULE) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	return false;
#else
	return mem_alloc_profiling_enabled();
#endif
}
#endif

typedef unsigned long cp_shrinker_fn(struct shrinker *s,
				     struct shrink_control *sc);

/* The kernel allocates shrinkers since 6.7. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
static inline struct shrinker *cp_shrinker_register(cp_shrinker_fn *count,
						    cp_shrinker_fn *scan)
{
	struct shrinker *s = shrinker_alloc(0, "curpage");

	if (s) {
		s->count_objects = count;
		s->scan_objects = scan;
		shrinker_register(s);
	}
	return s;
}

static inline void cp_shrinker_unregister(struct shrinker *s)
{
	shrinker_free(s);
}
#else
static inline struct shrinker *cp_shrinker_register(cp_shrinker_fn *count,
						    cp_shrinker_fn *scan)
{
	static struct shrinker s;

	s.count_objects = count;
	s.scan_objects = scan;
	s.seeks = DEFAULT_SEEKS;
	return register_shrinker(&s, "curpage") ? NULL : &s;
}

static inline void cp_shrinker_unregister(struct shrinker *s)
{
	unregister_shrinker(s);
}
#endif

#endif /* CP_COMPAT_H */
