// SPDX-License-Identifier: GPL-2.0
/*
 * The cache and the blocks of a case, and the checks at the end of an order.
 *
 * The heap of CPU 0 owns the blocks.  After each order of steps, everything is
 * freed and drained.  No block may be lost or be there twice, all counters must
 * be exact, and nothing may be held.  misuse.c has the end of cases of misuse.
 */
#include "inter.h"

#define INTER_PAGES	16	/* at most, in any case */

struct curpage_cache *inter_cache;
struct curpage_cache *inter_other;
void *inter_block[INTER_BLOCKS];
unsigned long inter_offences;

static unsigned long inter_told;	/* double frees reported so far */

struct cp_heap *inter_heap(int cpu)
{
	return per_cpu_ptr(inter_cache->heaps, cpu);
}

/* Reset the arena for each order, as its buddies learn from requests. */
void inter_init_arena(void)
{
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
	});
}

/* Start a case.  Each order leaves this state as it was. */
void inter_begin(const struct inter_case *c)
{
	lab.quiet = c->offends || c->misuse || inter_brief;
	cp_page_init_map();
	inter_init_arena();
	cp_stock_init(1);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = &cp_strategy_mru, .freetol = 1, .keep = 0,
	};
	inter_cache = curpage_cache_create("inter", c->size ?: 2048, NULL);
	INTER_EXPECT(inter_cache && !cp_hotplug_init());
}

static void inter_expect_empty(void)
{
	struct cp_cache_sum sum;

	cp_cache_get_sum(inter_cache, &sum);
	INTER_EXPECT(!sum.live);
	INTER_EXPECT(!sum.pending);
	INTER_EXPECT(!sum.stat[CP_LOST]);
	INTER_EXPECT(!sum.nr[CP_LOW] && !sum.nr[CP_S3] && !sum.nr[CP_S2]);
	INTER_EXPECT(!sum.current_live && !sum.current_empty);
	INTER_EXPECT(!cp_stock_pages());
	INTER_EXPECT(!atomic_long_read(&cp_arena.loose));
	INTER_EXPECT(!cp_arena.held && !lab.pages_lent);
}

/* Check that a live block holds what its owner wrote. */
static void inter_expect_intact(unsigned int nr)
{
	INTER_EXPECT(!inter_case->misuse || !inter_block[nr] ||
		     !memchr_inv(inter_block[nr], INTER_FILL, INTER_FILLED));
}

void inter_free_rest(void)
{
	unsigned int i;

	for (i = 0; i < INTER_BLOCKS; i++) {
		inter_expect_intact(i);
		if (inter_block[i])
			curpage_cache_free(inter_cache, inter_block[i]);
		inter_block[i] = NULL;
	}
}

void inter_heap_anew(struct cp_heap *h, int cpu)
{
	INTER_EXPECT(!cp_heap_pages(h) && !h->inbox && !h->todo);
	cp_heap_init(h, inter_cache, cpu, &cp_strategy_mru, 1);
}

/* Free what is left, drain, and check everything. */
void inter_end(void)
{
	if (inter_case->misuse) {
		inter_end_misuse();
		return;
	}
	INTER_EXPECT(!curpage_check());
	inter_free_rest();
	curpage_cache_shrink(inter_cache);
	inter_expect_empty();
	INTER_EXPECT(!curpage_check());
	INTER_EXPECT(inter_case->offends || !lab.messages);
	inter_init_arena();
	inter_forget_objects();
	inter_told += inter_offences;
	inter_offences = 0;
	INTER_EXPECT(cp_report_count(CP_BAD_DOUBLE) == inter_told);
	INTER_EXPECT(!cp_report_count(CP_BAD_FOREIGN) &&
		     !cp_report_count(CP_BAD_INSIDE) &&
		     !cp_report_count(CP_BAD_CACHE) &&
		     !cp_report_count(CP_BAD_POISON));
}

static u64 inter_mix(u64 hash, u64 value)
{
	return (hash ^ value) * 0x100000001b3;
}

static u64 inter_heap_state(u64 hash, struct cp_heap *h)
{
	struct cp_page *p;
	unsigned int i;

	hash = inter_mix(hash, (unsigned long)h->cur);
	hash = inter_mix(hash, (unsigned long)h->inbox);
	hash = inter_mix(hash, h->free);
	hash = inter_mix(hash, cp_heap_taken(h));
	for (i = 0; i < CP_NR_SETS; i++)
		list_for_each_entry(p, &h->set[i], list)
			hash = inter_mix(hash, (unsigned long)p + i);
	return hash;
}

/* Return: a hash of the end state of an order. */
u64 inter_state(void)
{
	u64 hash = 0xcbf29ce484222325;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		hash = inter_heap_state(hash, inter_heap(cpu));
	hash = inter_heap_state(hash, &inter_cache->side);
	for (i = 0; i < INTER_BLOCKS; i++)
		hash = inter_mix(hash, (unsigned long)inter_block[i]);
	for (i = 0; i < INTER_PAGES; i++) {
		struct cp_page *p = cp_page_of(lab.map + i);

		hash = inter_mix(hash, (unsigned long)p->heap);
		hash = inter_mix(hash, p->link);
		hash = inter_mix(hash, p->word.all);
		hash = inter_mix(hash, p->free | p->nr_free << 16);
	}
	return hash;
}

/* Allocate block nr, which must not be live already. */
void inter_alloc(unsigned int nr)
{
	void *obj = curpage_cache_alloc(inter_cache, GFP_ATOMIC);
	unsigned int i;

	INTER_EXPECT(obj);
	for (i = 0; i < INTER_BLOCKS; i++)
		INTER_EXPECT(inter_block[i] != obj);
	inter_block[nr] = obj;
	if (inter_case->misuse)
		memset(obj, INTER_FILL, INTER_FILLED);
}

/* Free block nr, which may be handed out again before this returns. */
void inter_free(unsigned int nr)
{
	void *obj = inter_block[nr];

	inter_expect_intact(nr);
	inter_block[nr] = NULL;
	curpage_cache_free(inter_cache, obj);
}

void inter_drain(void)
{
	curpage_cache_shrink(inter_cache);
}

/* Take the empty pages of CPU 0; the arena keeps them. */
void inter_take_pages(void)
{
	cp_heap_give_back(inter_heap(0));
}

void inter_retune(void)
{
	cp_cache_retune(inter_cache, &cp_strategy_mru, 1);
}

void inter_cpu_0_dies(void)
{
	INTER_EXPECT(!lab.cpu_dead(0));
}

/* Allocate n blocks on the current CPU. */
void inter_setup_blocks(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		inter_alloc(i);
}

void inter_begin_pool(void)
{
	INTER_EXPECT(!cp_cache_retune(inter_cache, &cp_strategy_stack, 1));
}
