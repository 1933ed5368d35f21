// SPDX-License-Identifier: GPL-2.0
/* Damage is planted, and curpage_check() has to find it, and it alone. */
#include "unit.h"
#include "../../mm/fast.h"

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
	u16 *link;

	scene_make(&s, 0);
	link = cp_block_link(s.cache, cp_page_base(s.s3), s.s3->free);
	plant("out of the page", link, 2, 0x8000);
	plant("past the last block", link, 2, *link ^ 16);
	plant("to itself", link, 2, *link ^ s.s3->free);
	plant("to a live block", link, 2, *link ^ 15);
	plant("to the end", link, 2, *link ^ CP_NIL);
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
		PLANT(p[i]->tag, 1UL << CP_LINK_BITS);
		PLANT(p[i]->word.all, 1);	/* its kind */
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
	PLANT(h->live, 1);
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

static struct cp_page *a_free_block(unsigned int order)
{
	return list_first_entry_or_null(&cp_arena.buddy.free[order],
					struct cp_page, list);
}

static void check_buddy(void)
{
	struct cp_buddy *b = &cp_arena.buddy;
	struct scene s = { };
	unsigned int order, seen = 0;
	struct cp_page *p;

	scene_make(&s, 0);
	PLANT(b->free_pages, 1);
	for (order = 0; order < CP_NR_ORDERS; order++) {
		PLANT(b->nr_free[order], 1);
		p = a_free_block(order);
		if (!p)
			continue;
		seen++;
		PLANT(p->tag, 1UL << CP_LINK_BITS);
		PLANT(p->word.all, CP_FREE ^ CP_TAIL);
		PLANT(p->order, 1);
		if (order)	/* a chunk of one page */
			PLANT(p->word.all, p->word.chunk_order << 4);
	}
	EXPECT(seen);
	scene_end(&s);
}

/* A free block is cut and its halves left apart. */
static void check_unjoined(void)
{
	struct cp_buddy *b = &cp_arena.buddy;
	struct cp_page *p = NULL;
	struct scene s = { };
	unsigned int order;
	void *block;

	scene_make(&s, 0);
	block = curpage_alloc(2 * PAGE_SIZE, GFP_KERNEL);
	curpage_free(block);
	for (order = 1; order < CP_NR_ORDERS && !p; order++)
		p = a_free_block(order);
	REQUIRE(p);
	cp_buddy_mark_taken(b, p);
	cp_buddy_split(b, p);
	cp_buddy_mark_free(b, p, p->order);
	EXPECT(found());
	cp_buddy_mark_taken(b, p);
	b->policy->give(b, p);
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
	{ "check() finds buddies that should be joined", check_unjoined },
	{ "check() finds broken red zones and poison", check_red_zones },
	{ }
};
