// SPDX-License-Identifier: GPL-2.0
/* Damage is planted, and curpage_check() has to find it, and it alone. */
#include "unit.h"
#include "cache/fast.h"

#define UNIT_SIZE	256
#define UNIT_BLOCKS	(16 * 6)	/* six pages, two of them each for */

/* A heap with a page in each set, and a buddy with free blocks. */
struct scene {
	struct curpage_cache *cache;
	struct cp_heap *heap;
	struct cp_page *low, *s3, *s2;
	void *block[UNIT_BLOCKS];
	void *pages;
};

static struct cp_page *scene_page(struct scene *s, unsigned int nr)
{
	struct cp_page *p = NULL;

	REQUIRE(cp_page_find(s->block[nr * 16], &p));
	return p;
}

static void scene_free(struct scene *s, unsigned int from, unsigned int to)
{
	for (; from < to; from++) {
		curpage_cache_free(s->cache, s->block[from]);
		s->block[from] = NULL;
	}
}

static void scene_make(struct scene *s, unsigned int flags)
{
	struct curpage_cache_args args = { .freetol = 512, .flags = flags };
	unsigned int size = flags ? UNIT_SIZE - 48 : UNIT_SIZE;

	s->cache = curpage_cache_create("scene", size, &args);
	REQUIRE(s->cache && s->cache->capacity == 16);
	s->heap = per_cpu_ptr(s->cache->heaps, 0);
	REQUIRE(curpage_cache_alloc_bulk(s->cache, GFP_KERNEL, UNIT_BLOCKS,
					 s->block) == UNIT_BLOCKS);
	s->low = scene_page(s, 0);
	s->s3 = scene_page(s, 1);
	s->s2 = scene_page(s, 2);
	scene_free(s, 0, 1);
	scene_free(s, 16, 20);
	scene_free(s, 32, 48);
	scene_free(s, 90, 92);		/* of the current page */
	s->pages = curpage_alloc(5 * PAGE_SIZE, GFP_KERNEL);
	REQUIRE(s->pages && !curpage_check());
	REQUIRE(s->heap->nr[CP_S3] == 1 && s->heap->nr[CP_S2] == 1);
}

static void scene_end(struct scene *s)
{
	scene_free(s, 0, UNIT_BLOCKS);
	curpage_free(s->pages);
	EXPECT(!curpage_cache_destroy(s->cache));
}

/* So many broken invariants are named, one message each. */
static bool found(void)
{
	unsigned long before = lab.messages;
	int broken = curpage_check();

	return broken > 0 && lab.messages - before == broken;
}

/* Flip bits, look, flip them back. */
static void plant(const char *what, void *where, size_t size, u64 mask)
{
	unsigned int i, turn;
	u8 *byte = where;

	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < size; i++)
			byte[i] ^= mask >> 8 * i;
		if (found() == turn) {
			fprintf(stderr, "%s: %s\n", what, turn ?
				"found again when mended" : "not found");
			unit_failures++;
		}
	}
}

#define PLANT(lvalue, mask) plant(#lvalue, &(lvalue), sizeof(lvalue), mask)

static void check_links(void)
{
	struct scene s = { };
	u64 *link, next;

	scene_make(&s, 0);
	link = cp_block_word(s.cache, cp_page_base(s.s3), s.s3->free);
	next = cp_word_open(s.cache, link);
	plant("out of the page", link, 2, 0x8000);
	plant("past the last block", link, 2, next ^ 16);
	plant("to itself", link, 2, next ^ s.s3->free);
	plant("to a live block", link, 2, next ^ 15);
	plant("to the end", link, 2, next ^ CP_NIL);
	plant("not free", link, 8, BIT(CP_WORD_SIZE * 2));
	PLANT(s.s3->free, 2);
	PLANT(s.heap->free, 1);
	PLANT(s.heap->cur->free, 2);
	PLANT(s.s2->free, CP_NIL ^ s.s2->free);
	scene_end(&s);
}

static void check_headers(void)
{
	struct cp_page *p[4], *cur;
	struct scene s = { };
	unsigned int i;

	scene_make(&s, 0);
	cur = s.heap->cur;
	p[0] = s.low;
	p[1] = s.s3;
	p[2] = s.s2;
	p[3] = cur;
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		PLANT(p[i]->word.all, BIT(63));	/* its key */
		PLANT(p[i]->word.all, 2);	/* its kind */
		PLANT(p[i]->heap, 8);
		PLANT(p[i]->nr_free, 1);
		PLANT(p[i]->nr_free, 0x100);
	}
	scene_end(&s);
}

static void check_heap(void)
{
	struct scene s = { };
	struct cp_heap *h;
	unsigned int i;

	scene_make(&s, 0);
	h = s.heap;
	for (i = 0; i < CP_NR_SETS; i++)
		PLANT(h->nr[i], 1);
	for (i = 0; i < CP_OCC_BUCKETS; i++)
		PLANT(h->occupancy[i], 1);
	PLANT(h->stat[CP_ALLOC], 1);
	PLANT(h->stat[CP_FREED], 1);
	PLANT(h->stat[CP_COLLECTED], 1);
	PLANT(h->stat[CP_LOST], 1);
	PLANT(h->moved, 1);
	PLANT(h->bias, 1);
	PLANT(h->base, 8);
	PLANT(h->claim.closed, CP_CLOSED_DRY);
	PLANT(h->phi0, 31);
	scene_end(&s);
}

static void check_lists(void)
{
	struct scene s = { };
	struct cp_heap *h;

	scene_make(&s, 0);
	h = s.heap;
	list_move(&s.s3->list, &h->set[CP_LOW]);
	EXPECT(found());
	list_move(&s.s3->list, &h->set[CP_S3]);
	list_move(&s.s2->list, &h->set[CP_S3]);
	EXPECT(found());
	list_move(&s.s2->list, &h->set[CP_S2]);
	list_del(&s.low->list);
	EXPECT(found());
	list_add(&s.low->list, &h->set[CP_LOW]);
	list_add(&h->cur->list, &h->set[CP_S3]);
	EXPECT(found());
	list_del_init(&h->cur->list);
	EXPECT(!curpage_check());
	scene_end(&s);
}

static void check_arena(void)
{
	struct cp_arena *a = &cp_arena;
	struct scene s = { };
	unsigned int order;

	scene_make(&s, 0);
	PLANT(a->held, 1);
	PLANT(a->cache_pages, 1);
	PLANT(a->block_pages, 1);
	PLANT(a->max_pages, LONG_MAX);
	for (order = 0; order < CP_NR_ORDERS; order++)
		PLANT(a->blocks[order], 1);
	scene_end(&s);
}

static struct cp_buddy *const the_buddy = &cp_arena.buddy[CP_FOR_CALLERS];

static struct cp_page *first_on(struct list_head *list)
{
	return list_first_entry_or_null(list, struct cp_page, list);
}

static void check_free_block(struct cp_page *p)
{
	PLANT(p->word.all, BIT(63));	/* its key */
	PLANT(p->word.all, CP_FREE ^ CP_TAIL);
	PLANT(p->word.all, 1 << 4);	/* of the other use */
	PLANT(p->order, 1);
	if (p->order)	/* a chunk of one page */
		PLANT(p->word.all, p->word.chunk_order << 5);
}

static void check_counts(struct cp_buddy *b)
{
	unsigned int order;

	PLANT(b->pages, 1);
	PLANT(b->free_pages, 1);
	PLANT(b->whole_pages, 1);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		PLANT(b->nr_free[order], 1);
		PLANT(b->nr_pairs[order], 1);
		PLANT(b->some, 1U << order);
		PLANT(b->paired, 1U << order);
	}
}

static void check_buddy(void)
{
	struct cp_buddy *b = the_buddy;
	struct scene s = { };
	unsigned int order, seen = 0;

	scene_make(&s, 0);
	check_counts(b);
	check_counts(&cp_arena.buddy[CP_FOR_CACHES]);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		struct cp_page *p = first_on(&b->lone[order]);

		if (!p)
			continue;
		seen++;
		check_free_block(p);
	}
	EXPECT(seen);
	scene_end(&s);
}

#define UNIT_PAIR_ORDER	1

/* Two buddies that are both free and, as the policy has it, not joined. */
static struct cp_page *scene_pair(struct scene *s)
{
	void *block[8];
	struct cp_page *p;
	unsigned int i;

	scene_make(s, 0);
	cp_arena.min_pages = 256;	/* none goes back */
	cp_arena_set_policy(&cp_arena, &cp_buddy_policies[CP_BUDDY_REVISED]);
	for (i = 0; i < ARRAY_SIZE(block); i++)
		block[i] = curpage_alloc(PAGE_SIZE << UNIT_PAIR_ORDER,
					 GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(block); i++)
		curpage_free(block[i]);
	p = first_on(&the_buddy->pair[UNIT_PAIR_ORDER]);
	REQUIRE(p && !curpage_check());
	return p;
}

/* Both on the list of those whose buddy is not free, and counted like that. */
static void check_apart(struct cp_page *lower, struct cp_page *upper)
{
	struct cp_buddy *b = the_buddy;
	u32 paired = b->paired;

	list_move(&lower->list, &b->lone[UNIT_PAIR_ORDER]);
	list_add(&upper->list, &b->lone[UNIT_PAIR_ORDER]);
	if (!--b->nr_pairs[UNIT_PAIR_ORDER])
		b->paired &= ~(1U << UNIT_PAIR_ORDER);
	EXPECT(found());
	list_move(&lower->list, &b->pair[UNIT_PAIR_ORDER]);
	list_del_init(&upper->list);
	b->nr_pairs[UNIT_PAIR_ORDER]++;
	b->paired = paired;
}

static void check_pairs(void)
{
	struct list_head *lone = &the_buddy->lone[UNIT_PAIR_ORDER];
	struct list_head *pair = &the_buddy->pair[UNIT_PAIR_ORDER];
	struct scene s = { };
	struct cp_page *p = scene_pair(&s);
	struct cp_page *upper = p + (1UL << UNIT_PAIR_ORDER);

	check_counts(the_buddy);
	check_free_block(p);
	check_free_block(upper);
	list_move(&p->list, lone);		/* as if its buddy was not free */
	EXPECT(found());
	list_del_init(&p->list);
	list_add(&upper->list, pair);		/* the upper one for the lower */
	EXPECT(found());
	list_del_init(&upper->list);
	EXPECT(found());			/* on no list */
	list_add(&p->list, pair);
	list_add(&upper->list, lone);		/* on two */
	EXPECT(found());
	list_del_init(&upper->list);
	EXPECT(!curpage_check());
	check_apart(p, upper);
	EXPECT(!curpage_check());
	scene_end(&s);
}

/* Pairs are no offence but where buddies are joined always. */
static void check_unjoined(void)
{
	struct scene s = { };

	scene_pair(&s);
	the_buddy->policy = &cp_buddy_policies[CP_BUDDY_TAILORED];
	EXPECT(!curpage_check());
	the_buddy->policy = &cp_buddy_policies[CP_BUDDY_BINARY];
	EXPECT(found());
	/* Those of an earlier policy have to be joined first. */
	cp_buddy_set_policy(the_buddy, the_buddy->policy);
	EXPECT(!curpage_check());
	EXPECT(the_buddy->paired);
	cp_arena_set_policy(&cp_arena, the_buddy->policy);
	EXPECT(!the_buddy->paired && !the_buddy->settling);
	EXPECT(!curpage_check());
	scene_end(&s);
}

/* With red zones and poison; what check() finds is mended by the next user. */
static void check_red_zones(void)
{
	struct scene s = { };
	u8 *live, *free;

	scene_make(&s, CURPAGE_CHECK);
	live = s.block[21];
	free = cp_page_base(s.s3) + s.s3->free * s.cache->stride;
	plant("red zone of a live block", live + s.cache->size, 1, 1);
	plant("red zone of a free block", free + s.cache->size, 1, 1);
	plant("first byte of a free block", free, 1, 1);
	plant("last byte of a free block", free + s.cache->size - 1, 1, 0x80);
	scene_end(&s);
}

const struct unit_case unit_check_cases[] = {
	{ "check() finds broken links", check_links },
	{ "check() finds broken page headers", check_headers },
	{ "check() finds wrong counts of a heap", check_heap },
	{ "check() finds pages on wrong lists", check_lists },
	{ "check() finds wrong counts of the arena", check_arena },
	{ "check() finds wrong counts and headers of the buddy", check_buddy },
	{ "check() finds wrong pairs of buddies", check_pairs },
	{ "check() finds buddies that should be joined", check_unjoined },
	{ "check() finds broken red zones and poison", check_red_zones },
	{ }
};
