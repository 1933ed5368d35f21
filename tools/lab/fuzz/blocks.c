// SPDX-License-Identifier: GPL-2.0
/*
 * Live blocks: the owner of each byte, and what the owner wrote.  Freed blocks:
 * their addresses, to free them a second time.
 */
#include "fuzz.h"

#define FUZZ_BLOCKS	4096
#define FUZZ_DEAD	4096	/* freed blocks that are kept */

unsigned int fuzz_nr_live;

static struct fuzz_block fuzz_blocks[FUZZ_BLOCKS];
static unsigned int fuzz_live[FUZZ_BLOCKS];	/* numbers, live first */
static u32 *fuzz_owners;	/* by FUZZ_UNIT bytes: number plus 1, or 0 */

static struct fuzz_dead fuzz_deads[FUZZ_DEAD];
static unsigned int fuzz_died;

void fuzz_blocks_init(void)
{
	unsigned int i;

	fuzz_owners = calloc(lab_pages() * (PAGE_SIZE / FUZZ_UNIT),
			     sizeof(*fuzz_owners));
	if (!fuzz_owners)
		fuzz_fail("out of memory");
	for (i = 0; i < FUZZ_BLOCKS; i++)
		fuzz_live[i] = i;
}

static u32 *fuzz_owner_of(const void *addr)
{
	return fuzz_owners + ((char *)addr - lab.memory) / FUZZ_UNIT;
}

/* Return: the live block that contains the address, or NULL. */
struct fuzz_block *fuzz_owner(const void *addr)
{
	u32 owner = virt_addr_valid(addr) ? *fuzz_owner_of(addr) : 0;

	return owner ? &fuzz_blocks[owner - 1] : NULL;
}

struct fuzz_block *fuzz_live_at(unsigned int at)
{
	return &fuzz_blocks[fuzz_live[at]];
}

/* Return: a random live block, or NULL. */
struct fuzz_block *fuzz_pick(void)
{
	return fuzz_nr_live ? fuzz_live_at(fuzz_random(fuzz_nr_live)) : NULL;
}

/* Return: what the constructor writes to the first 8 bytes of a block. */
static u64 fuzz_constructed(const void *block)
{
	return (u64)block ^ 0x636f6e7374727563;
}

void fuzz_ctor(void *block)
{
	*(u64 *)block = fuzz_constructed(block);
}

static void fuzz_check_ctor(const struct fuzz_block *b)
{
	if (*(u64 *)b->addr != fuzz_constructed(b->addr) &&
	    !fuzz_spoilt(b->addr))
		fuzz_fail("block %#lx of %zu bytes is not as it was constructed",
			  fuzz_at(b->addr), b->size);
}

static void fuzz_fill(const struct fuzz_block *b)
{
	size_t words = b->size / 8, i;

	for (i = 0; i < words; i++)
		((u64 *)b->addr)[i] = b->fill;
	memcpy((u64 *)b->addr + words, &b->fill, b->size % 8);
}

/* Check that a live block holds what its owner wrote. */
void fuzz_verify(const struct fuzz_block *b)
{
	size_t words = b->size / 8, i;
	const u64 *word = b->addr;
	u64 wrong = 0;

	if (b->smeared)
		return;
	for (i = 0; i < words; i++)
		wrong |= word[i] ^ b->fill;
	if (wrong || memcmp(word + words, &b->fill, b->size % 8))
		fuzz_fail("block %#lx of %zu bytes has not the contents that its owner wrote",
			  fuzz_at(b->addr), b->size);
}

void fuzz_verify_all(void)
{
	unsigned int i;

	for (i = 0; i < fuzz_nr_live; i++)
		fuzz_verify(fuzz_live_at(i));
}

static void fuzz_check_place(const void *addr, size_t size)
{
	size_t at;

	if (!virt_addr_valid(addr) || (u64)addr % FUZZ_UNIT)
		fuzz_fail("%#lx is handed out, which is no place for a block",
			  fuzz_at(addr));
	for (at = 0; at < size; at = ALIGN((u64)addr + at + 1, PAGE_SIZE) -
	     (u64)addr)
		if (!fuzz_is_curpages(addr + at))
			fuzz_fail("%#lx is handed out, on a page that is not the arena's",
				  fuzz_at(addr + at));
}

static void fuzz_fail_twice(const void *addr, size_t size,
			    const struct fuzz_block *live)
{
	fuzz_fail("block %#lx of %zu bytes is handed out, %#lx of %zu is live",
		  fuzz_at(addr), size, fuzz_at(live->addr), live->size);
}

/*
 * Judge a new block, before the reports of the call are judged.  A free block
 * whose link was written over must not be handed out.  The link is at the start
 * of the block unless the cache has a red zone or a constructor.
 */
void fuzz_check_new(const void *addr, size_t size, const struct fuzz_cache *c)
{
	const struct fuzz_block *live = fuzz_owner(addr);

	if (live)
		fuzz_fail_twice(addr, size, live);
	if (c && c->plain && fuzz_damaged_link(addr) && !fuzz.pooled)
		fuzz_fail("block %#lx is handed out, which was written over while it was free",
			  fuzz_at(addr));
}

/* Make the block the owner of its memory, which had no owner. */
static void fuzz_own(const struct fuzz_block *b)
{
	u32 *owner = fuzz_owner_of(b->addr), nr = b - fuzz_blocks + 1;
	size_t n = DIV_ROUND_UP(b->size, FUZZ_UNIT), i;

	for (i = 0; i < n; i++) {
		if (owner[i])
			fuzz_fail_twice(b->addr, b->size,
					&fuzz_blocks[owner[i] - 1]);
		owner[i] = nr;
	}
}

/* Register a block that the allocator has handed out, and fill it. */
struct fuzz_block *fuzz_born(void *addr, size_t size, enum fuzz_way way,
			     struct fuzz_cache *cache)
{
	struct fuzz_block *b = &fuzz_blocks[fuzz_live[fuzz_nr_live]];

	fuzz_counts->allocs++;
	fuzz_check_place(addr, size);
	*b = (struct fuzz_block){
		.addr = addr, .size = size, .way = way, .cache = cache,
		.cpu = lab.cpu, .at = fuzz_nr_live++,
		.fill = lab_random(&fuzz.random),
	};
	fuzz_own(b);
	if (cache && cache->ctor)
		fuzz_check_ctor(b);
	if (cache)
		cache->live++;
	fuzz_damage_gone(addr, size);
	fuzz_fill(b);
	return b;
}

static void fuzz_bury(const struct fuzz_block *b)
{
	struct fuzz_dead *d = &fuzz_deads[fuzz_died++ % FUZZ_DEAD];

	d->addr = b->addr;
	d->way = b->way;
	d->order = b->order;
	if (b->cache) {
		d->cache = b->cache - fuzz.cache;
		d->made = fuzz.made[d->cache];
	}
}

/* Unregister a live block just before its owner frees it. */
void fuzz_dies(struct fuzz_block *b)
{
	unsigned int last = fuzz_live[--fuzz_nr_live];

	fuzz_counts->frees++;
	fuzz_verify(b);
	if (b->cache && b->cache->ctor)
		fuzz_ctor(b->addr);
	if (b->red)
		fuzz_expect(BIT(CP_BAD_REDZONE), true);
	if (b->cache)
		b->cache->live--;
	memset(fuzz_owner_of(b->addr), 0,
	       DIV_ROUND_UP(b->size, FUZZ_UNIT) * sizeof(*fuzz_owners));
	fuzz_bury(b);
	fuzz_live[b->at] = last;
	fuzz_blocks[last].at = b->at;
	fuzz_live[fuzz_nr_live] = b - fuzz_blocks;
}

/* Return: the block freed ago frees before the last one, or NULL. */
const struct fuzz_dead *fuzz_dead(unsigned int ago)
{
	if (ago >= min_t(unsigned int, fuzz_died, FUZZ_DEAD))
		return NULL;
	return &fuzz_deads[(fuzz_died - 1 - ago) % FUZZ_DEAD];
}
