/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of curpage_torture share, grouped under the file
 * that owns them.  curpage_torture is the torture test of curpage; it uses only
 * curpage's public interface.
 */
#ifndef CPT_TORTURE_H
#define CPT_TORTURE_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/curpage.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/rwsem.h>
#include <linux/types.h>

/*
 * params.c: parameters, set when the module loads or through sysfs, but not
 * during a test.
 */
struct cpt_ops;

struct cpt_params {
	unsigned int seconds;
	unsigned int seed;
	unsigned int threads;
	unsigned int irq_us;
	unsigned int onoff_ms;
	unsigned int stutter_ms;
	unsigned int check_ms;
	unsigned int pressure_mb;
	unsigned int mix_size;
	unsigned int mix_cache;
	unsigned int mix_pages;
	unsigned int mix_bulk;
	unsigned int mix_pair;
	unsigned int mix_shrink;
	unsigned int mix_shortlived;
	unsigned int mix_same_pages;
	unsigned int misuse;
	unsigned int misuse_kinds;	/* bit i for cpt_kinds[i]; 0 for all */
};

extern struct cpt_params cpt_params;
extern const struct cpt_ops *cpt_ops;

/* stats.c: counters and errors. */
enum cpt_stat {
	CPT_ALLOC,
	CPT_FREE,
	CPT_REMOTE,	/* frees on another CPU than the allocation */
	CPT_HARDIRQ,	/* blocks allocated in a hard interrupt */
	CPT_SOFTIRQ,
	CPT_BULK,	/* blocks allocated in bulk */
	CPT_PAGES,	/* page blocks allocated */
	CPT_PAIR,	/* blocks freed at once by the allocating thread */
	CPT_SHRINK,
	CPT_CHECK,	/* calls of curpage_check() */
	CPT_SHORTLIVED,	/* caches made and destroyed */
	CPT_SAME_PAGES,	/* rounds of all CPUs on the same pages */
	CPT_OFF,	/* CPUs taken offline */
	CPT_ON,
	CPT_REFUSED,	/* allocations that got NULL where they may */
	CPT_MISUSE,	/* offences against the interface */
	CPT_NR_STATS
};

struct cpt_stats {
	unsigned long nr[CPT_NR_STATS];
};

DECLARE_PER_CPU(struct cpt_stats, cpt_stats);

static inline void cpt_count(enum cpt_stat stat)
{
	this_cpu_inc(cpt_stats.nr[stat]);
}

static inline void cpt_count_by(enum cpt_stat stat, unsigned int n)
{
	this_cpu_add(cpt_stats.nr[stat], n);
}

void cpt_stats_start(void);
__printf(1, 2) void cpt_err(const char *fmt, ...);
bool cpt_failed(void);
void cpt_stats_end(unsigned int seed);

/* State of one thread, or of one timer of a CPU. */
enum cpt_where { CPT_THREAD, CPT_IN_SOFTIRQ, CPT_IN_HARDIRQ };

struct cpt_ctx {
	struct rnd_state rnd;
	gfp_t gfp;
	enum cpt_where where;
};

static inline u32 cpt_random(struct cpt_ctx *ctx, u32 below)
{
	return (u64)prandom_u32_state(&ctx->rnd) * below >> 32;
}

/* caches.c: caches that exist during the whole test. */
struct cpt_cache {
	const char *name;
	unsigned int size;
	struct curpage_cache_args args;
	struct curpage_cache *cache;
};

/*
 * A constructor sets the first CPT_CTOR_BYTES bytes of a block to
 * CPT_CTOR_BYTE.
 */
#define CPT_CTOR_BYTES	24
#define CPT_CTOR_BYTE	0xc7

extern struct cpt_cache cpt_caches[];
extern const unsigned int cpt_nr_caches;

void cpt_ctor(void *block);
int cpt_caches_init(void);
void cpt_caches_exit(void);
struct cpt_cache *cpt_caches_any(struct cpt_ctx *ctx);

/* block.c: a live block, how it was allocated and what was written into it. */
enum cpt_how { CPT_BY_SIZE, CPT_BY_CACHE, CPT_BY_PAGES };

struct cpt_block {
	void *obj;
	u64 stamp;
	struct curpage_cache *cache;
	unsigned int size;	/* bytes, all of them stamped */
	unsigned int align;
	u16 cpu;		/* CPU that allocated the block */
	u8 how;
	u8 order;
	bool ctor;
};

void cpt_block_of_cache(struct cpt_block *b, const struct cpt_cache *c);
bool cpt_block_alloc(struct cpt_ctx *ctx, struct cpt_block *b);
void cpt_block_got(struct cpt_ctx *ctx, struct cpt_block *b, gfp_t gfp);
bool cpt_block_done(struct cpt_block *b);
void cpt_block_free(struct cpt_ctx *ctx, struct cpt_block *b);

/* ops.c, busted.c: the allocator under test. */
struct cpt_ops {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
	void *(*alloc)(struct cpt_block *b, gfp_t gfp);
	void (*free)(struct cpt_ctx *ctx, struct cpt_block *b);
};

extern const struct cpt_ops cpt_curpage_ops;
extern const struct cpt_ops cpt_busted_ops;

const struct cpt_ops *cpt_ops_find(const char *name);
void *cpt_curpage_alloc(struct cpt_block *b, gfp_t gfp);
void cpt_curpage_free(struct cpt_ctx *ctx, struct cpt_block *b);

/* slots.c: where blocks wait until any thread or timer takes them. */
enum cpt_room { CPT_SMALL, CPT_LARGE, CPT_NR_ROOMS };

int cpt_slots_init(void);
void cpt_slots_exit(struct cpt_ctx *ctx);
enum cpt_room cpt_slots_room(const struct cpt_block *b);
unsigned int cpt_slots_any(struct cpt_ctx *ctx, enum cpt_room room);
bool cpt_slots_take(enum cpt_room room, unsigned int at, struct cpt_block *b);
bool cpt_slots_put(enum cpt_room room, unsigned int at,
		   const struct cpt_block *b);
void cpt_slots_leave(struct cpt_ctx *ctx, struct cpt_block *b);

/* work.c: worker threads, and the steps that timers take as well. */
void cpt_work_swap(struct cpt_ctx *ctx);
void cpt_work_bulk(struct cpt_ctx *ctx);
void cpt_work_migrate(struct cpt_ctx *ctx);
int cpt_work_start(void);
void cpt_work_stop(void);

/* shortlived.c: short-lived caches. */
void cpt_shortlived(struct cpt_ctx *ctx);

/* same_pages.c: all CPUs on the same pages, at the same time. */
void cpt_same_pages(struct cpt_ctx *ctx);

/* irq.c: timers on every CPU. */
int cpt_irq_start(void);
void cpt_irq_stop(void);

/* onoff.c: CPUs go offline and come back. */
#ifdef CONFIG_HOTPLUG_CPU
int cpt_onoff_start(void);
void cpt_onoff_stop(void);
#else
static inline int cpt_onoff_start(void) { return 0; }
static inline void cpt_onoff_stop(void) { }
#endif

/* pressure.c: memory pressure. */
int cpt_pressure_start(void);
void cpt_pressure_stop(void);

/*
 * own.c: a cache that only one thread allocates from, so it knows what is free.
 */
#define CPT_OWN_BLOCKS	256

struct cpt_own {
	struct cpt_cache c;
	char name[32];
	unsigned int nr;		/* live blocks */
	struct cpt_block block[CPT_OWN_BLOCKS];
};

bool cpt_own_create(struct cpt_ctx *ctx, struct cpt_own *own, const char *kind);
void cpt_own_destroy(struct cpt_ctx *ctx, struct cpt_own *own);
struct cpt_block *cpt_own_alloc(struct cpt_ctx *ctx, struct cpt_own *own);
void cpt_own_fill(struct cpt_ctx *ctx, struct cpt_own *own);
void cpt_own_drop(struct cpt_ctx *ctx, struct cpt_own *own, unsigned int from);
bool cpt_own_take(struct cpt_own *own, unsigned int at, struct cpt_block *b);
bool cpt_own_pair(struct cpt_ctx *ctx, struct cpt_own *own);

/*
 * elsewhere.c: calls on any CPU, in a thread or in an interrupt.  With
 * PREEMPT_RT no hard interrupt may allocate or free: threads and softirqs do
 * all of it.
 */
#define CPT_HARDIRQS	(!IS_ENABLED(CONFIG_PREEMPT_RT))

void cpt_each_cpu(void (*fn)(void *data), void *data);

struct cpt_elsewhere;

struct cpt_elsewhere *cpt_elsewhere_new(void);
void cpt_elsewhere_free(struct cpt_elsewhere *e);
void cpt_elsewhere_call(struct cpt_elsewhere *e, struct cpt_ctx *ctx,
			struct cpt_own *own, void (*fn)(void *data),
			void *data);

/* misuse.c, misuse_free.c, misuse_write.c: what no caller may do. */
struct cpt_misuse {
	struct cpt_ctx *ctx;
	struct cpt_elsewhere *elsewhere;
	unsigned int age;		/* offences; see cpt_misuse_renew() */
	struct cpt_own own;		/* cache for wrong frees */
	struct cpt_own late;		/* cache for one wrong write */
	bool pooled;			/* the strategy of late has a pool */
};

void *cpt_free_second(struct cpt_misuse *m, struct cpt_own *own);
bool cpt_misuse_double(struct cpt_misuse *m);
bool cpt_misuse_bulk(struct cpt_misuse *m);
bool cpt_misuse_gone(struct cpt_misuse *m);
bool cpt_misuse_shared(struct cpt_misuse *m);
bool cpt_misuse_cache(struct cpt_misuse *m);
bool cpt_misuse_inside(struct cpt_misuse *m);
bool cpt_misuse_order(struct cpt_misuse *m);
bool cpt_misuse_foreign(struct cpt_misuse *m);

extern struct rw_semaphore cpt_damage;

bool cpt_misuse_redzone(struct cpt_misuse *m);
bool cpt_misuse_poison(struct cpt_misuse *m);
bool cpt_misuse_late(struct cpt_misuse *m);
bool cpt_misuse_overflow(struct cpt_misuse *m);
bool cpt_misuse_brush(struct cpt_misuse *m);
void cpt_writes_start(void);
bool cpt_writes_checked(void);

#define CPT_KINDS_LEN	160

bool cpt_kinds_parse(char *text, unsigned int *kinds);
void cpt_kinds_print(unsigned int kinds, char *buf, size_t size);
void cpt_misuse_start(void);
void cpt_misuse_end(void);
struct cpt_misuse *cpt_misuse_new(struct cpt_ctx *ctx);
void cpt_misuse_free(struct cpt_misuse *m);
void cpt_misuse(struct cpt_misuse *m);

/* main.c: a test from its start to its end. */
struct task_struct;

void cpt_ctx_init(struct cpt_ctx *ctx, enum cpt_where where);
struct task_struct *cpt_thread(int (*fn)(void *data), const char *name,
			       unsigned int nr);
void cpt_thread_stop(struct task_struct *task);
bool cpt_thread_goes_on(unsigned int ms);
bool cpt_resting(void);
bool cpt_active(void);
int cpt_start(void);
void cpt_stop(void);

#endif /* CPT_TORTURE_H */
