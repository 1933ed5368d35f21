/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lab's CPUs, locks and atomic operations.
 *
 * The lab has one CPU and no interrupts: a lock only records that it is taken,
 * and a caller that had to wait would wait for ever.  The interleaving test
 * (LAB_INTERLEAVE, inter/inter.h) has several CPUs and may switch to another
 * one at every step of this file.  The fuzzer (LAB_SEVERAL, fuzz/fuzz.h) has
 * several CPUs and switches between calls only.
 */
#ifndef LAB_SMP_H
#define LAB_SMP_H

#ifdef LAB_INTERLEAVE
#define LAB_CPUS	4
/* Faults of the machine, which the interleaving test has to notice. */
enum lab_fault {
	LAB_FAULT_CMPXCHG = 1,	/* compares in one step, writes in another */
	LAB_FAULT_XCHG = 2,	/* reads in one step, writes in another */
	LAB_FAULT_ADD = 4,	/* the same for this_cpu_add() */
	LAB_FAULT_LOCK = 8,	/* locks do not lock */
	LAB_FAULT_RCU = 16,	/* grace periods end at once */
	LAB_FAULT_WAIT = 32,	/* no other wait waits */
	LAB_FAULT_CALL = 64,	/* no other CPU is interrupted */
	LAB_FAULT_MB = 128,	/* no barrier */
};
extern unsigned int lab_faults;
#define lab_faulty(fault) (lab_faults & (fault))
void lab_data_race(int within);
#define data_race(x) ({							\
	lab_data_race(1);						\
	__auto_type value_ = (x);					\
	lab_data_race(-1);						\
	value_;								\
})
void lab_step(const volatile void *addr, size_t size, bool write,
	      unsigned long caller);
void lab_check_store(const void *addr);
void lab_wait(const volatile void *addr, size_t size);
void lab_mb(void);
void lab_irqs(int disabled);
void lab_preempt(int disabled);
void *lab_object_get(size_t size);
void lab_object_put(void *object);
void synchronize_rcu(void);
void lab_call_others(unsigned long cpus, void (*fn)(void *), void *arg);
#else
#ifdef LAB_SEVERAL
#define LAB_CPUS	4
#else
#define LAB_CPUS	1
#endif
#define lab_faulty(fault) false
#define data_race(x)	(x)
#define lab_step(addr, size, write, caller) do { } while (0)
#define lab_check_store(addr) do { } while (0)
#define lab_wait(addr, size) assert(!"no other CPU can end the wait")
#define lab_mb() barrier()
#define lab_irqs(disabled) do { } while (0)
#define lab_object_get(size) aligned_alloc(cache_line_size(), size)
#define lab_object_put(object) free(object)
#define lab_preempt(disabled) ((void)(lab.preempt += (disabled)))
#define synchronize_rcu() assert(!lab.preempt)
/* As in an interrupt there. */
static inline void lab_call_others(unsigned long cpus, void (*fn)(void *),
				   void *arg)
{
	int caller = lab.cpu;

	for (lab.cpu = 0; lab.cpu < LAB_CPUS; lab.cpu++)
		if (cpus >> lab.cpu & 1)
			fn(arg);
	lab.cpu = caller;
}
#endif

/* Bytes from one CPU's part of a per-CPU object to the next. */
#define LAB_CPU_AREA	(LAB_CPUS > 1 ? 2048 : 0)

#define num_possible_cpus() ((unsigned int)LAB_CPUS)
#define nr_cpu_ids	LAB_CPUS
#define cpu_possible(cpu) ((cpu) < LAB_CPUS)
#define cp_cpu_isolated(cpu) ((void)(cpu), false)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < LAB_CPUS; (cpu)++)
#ifdef LAB_SEVERAL
/* As RELOC_HIDE(): hide from the sanitizer which object the pointer is in. */
#define lab_hide(ptr) ({						\
	__typeof__(ptr) hidden_ = (ptr);				\
	asm("" : "+r"(hidden_));					\
	hidden_;							\
})
#else
#define lab_hide(ptr)	(ptr)
#endif
#define per_cpu_ptr(ptr, cpu)						\
	((__typeof__(ptr))((char *)lab_hide(ptr) + (cpu) * LAB_CPU_AREA))
#define raw_cpu_ptr(ptr) per_cpu_ptr(ptr, lab.cpu)
#define this_cpu_ptr(ptr) raw_cpu_ptr(ptr)
#define this_cpu_read(var) READ_ONCE(*raw_cpu_ptr(&(var)))
#define this_cpu_add(var, n) lab_add((long *)raw_cpu_ptr(&(var)), n)
#define this_cpu_sub(var, n) this_cpu_add(var, -(long)(n))
#define this_cpu_inc(var) this_cpu_add(var, 1)
#define this_cpu_dec(var) this_cpu_add(var, -1)

/* All CPUs are online until cpu_dead() was called for them. */
struct cpumask {
	unsigned long bits;
};

#define cpumask_set_cpu(cpu, mask) ((void)((mask)->bits |= 1UL << (cpu)))
#define cpumask_clear(mask) ((void)((mask)->bits = 0))
#define smp_call_function_many(mask, fn, arg, wait)			\
	lab_call_others((mask)->bits & ~(1UL << lab.cpu), fn, arg)

#define rcu_read_lock()		preempt_disable()
#define rcu_read_unlock()	preempt_enable()

/* Callbacks are called by rcu_barrier(). */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
void rcu_barrier(void);

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#if LAB_CPUS > 1
/*
 * The first variable takes a "static" in front of the macro; the value is last.
 */
#define DEFINE_PER_CPU(type, name)					\
	char lab_cpus_first_##name __attribute__((__unused__));	\
	extern __typeof__(type) name					\
		__attribute__((__alias__("lab_cpus_" #name)));		\
	union {								\
		__typeof__(type) value;					\
		char area[LAB_CPU_AREA];				\
	} lab_cpus_##name[LAB_CPUS]
#define CP_PER_CPU_VALUE(v...)						\
	{ [0 ... LAB_CPUS - 1] = { .value = v } }
#else
#define DEFINE_PER_CPU(type, name) __typeof__(type) name
#define CP_PER_CPU_VALUE(v...) v
#endif

#define __alloc_percpu(size, align)					\
	kzalloc(max((size_t)(size), (size_t)LAB_CPUS * LAB_CPU_AREA), GFP_KERNEL)
#define free_percpu(ptr) kfree(ptr)

#define preempt_disable() lab_preempt(1)
#define preempt_enable() lab_preempt(-1)
#define synchronize_rcu_expedited() synchronize_rcu()

/*
 * Memory is sequentially consistent, except for late stores in the interleaving
 * test, so other barriers are for the compiler only.
 */
#define cpu_relax()	assert(!"no other CPU can end the wait")
#define barrier()	asm volatile("" : : : "memory")
#define smp_mb()	lab_mb()
#define smp_rmb()	barrier()
#define smp_acquire__after_ctrl_dep() barrier()
#define smp_load_acquire(p) READ_ONCE(*(p))
#define smp_store_release(p, v) WRITE_ONCE(*(p), v)
#define smp_cond_load_acquire(p, cond) ({				\
	__typeof__(*(p)) VAL;						\
	while (VAL = READ_ONCE(*(p)), !(cond) && !lab_faulty(LAB_FAULT_WAIT))	\
		lab_wait(p, sizeof(VAL));				\
	VAL;								\
})

/* Each access is one step, of 4 or 8 bytes. */
u64 lab_xchg(void *p, u64 value, size_t size);
bool lab_cmpxchg(void *p, void *old, u64 value, size_t size);
void lab_add(long *p, long n);
void lab_inc(int *p);

#define xchg(p, v)							\
	((__typeof__(*(p)))lab_xchg(p, (unsigned long)(v), sizeof(*(p))))
#define xchg_acquire(p, v) xchg(p, v)
#define try_cmpxchg(p, old, v)						\
	lab_cmpxchg(p, old, (unsigned long)(v), sizeof(*(p)))
#define try_cmpxchg_acquire(p, old, v) try_cmpxchg(p, old, v)
#define try_cmpxchg_release(p, old, v) try_cmpxchg(p, old, v)

typedef struct {
	long value;
} atomic_long_t;

typedef struct {
	int value;
} atomic_t;

#define atomic_read(a)	READ_ONCE((a)->value)
#define atomic_inc(a)	lab_inc(&(a)->value)
#define atomic_xchg(a, v) xchg(&(a)->value, v)

#define atomic_long_read(a) READ_ONCE((a)->value)
#define atomic_long_set(a, v) WRITE_ONCE((a)->value, v)
#define atomic_long_inc_return(a) (lab_add(&(a)->value, 1), (a)->value)
#define atomic_long_inc(a) lab_add(&(a)->value, 1)
#define atomic_long_dec(a) lab_add(&(a)->value, -1)

typedef struct {
	bool taken;
} raw_spinlock_t;

struct mutex {
	bool taken;
};

void lab_lock(bool *taken);
bool lab_trylock(bool *taken);
void lab_unlock(bool *taken);

#define DEFINE_MUTEX(name) struct mutex name
#define mutex_lock(l) lab_lock(&(l)->taken)
#define mutex_trylock(l) lab_trylock(&(l)->taken)
#define mutex_unlock(l) lab_unlock(&(l)->taken)
#define lockdep_assert_held(l) assert(READ_ONCE((l)->taken))

#define raw_spin_lock_init(l) ((l)->taken = false)
#define raw_spin_lock_irqsave(l, flags) do {				\
	lab_irqs(1);							\
	(flags) = lab.spinning++;					\
	lab_lock(&(l)->taken);						\
} while (0)
#define raw_spin_unlock_irqrestore(l, flags) do {				\
	assert(lab.spinning == (flags) + 1);				\
	lab_unlock(&(l)->taken);					\
	lab.spinning = (flags);						\
	lab_irqs(-1);							\
} while (0)

#endif /* LAB_SMP_H */
