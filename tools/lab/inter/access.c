// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler's hooks, and the bytes that more than one actor uses.
 *
 * A byte is shared once two actors have accessed it, in any order of steps, and
 * one of them has written to it.  No actor can notice an access to bytes that
 * are not shared, so such an access is not a step.  The search restarts when a
 * byte becomes shared.
 */
#include "inter.h"

#define INTER_BYTES	8
#define INTER_GRANULES	(1UL << 16)
#define INTER_OBJECTS	16
#define INTER_POOL	(256 * 1024)

/* The users of each byte, as bits by actor. */
struct inter_granule {
	unsigned long key;	/* address / INTER_BYTES, or 0 */
	u8 readers[INTER_BYTES];
	u8 writers[INTER_BYTES];
	bool shared[INTER_BYTES];
};

static struct inter_granule inter_granules[INTER_GRANULES];

void inter_forget(void)
{
	memset(inter_granules, 0, sizeof(inter_granules));
}

static struct inter_granule *inter_granule(unsigned long key)
{
	unsigned long at = key * 0x9e3779b97f4a7c15 >> 48;

	for (;; at = (at + 1) % INTER_GRANULES) {
		struct inter_granule *g = &inter_granules[at];

		if (g->key == key)
			return g;
		if (!g->key) {
			g->key = key;
			return g;
		}
	}
}

/* Note an access.  Return: true if a byte is shared; *fresh: since now. */
bool inter_shared(const struct inter_access *a, bool *fresh)
{
	unsigned long addr = (unsigned long)a->addr, end = addr + a->size;
	u8 me = 1u << inter_me();
	bool shared = false;

	*fresh = false;
	for (; addr < end; addr++) {
		struct inter_granule *g = inter_granule(addr / INTER_BYTES);
		unsigned int i = addr % INTER_BYTES;

		*(a->write ? &g->writers[i] : &g->readers[i]) |= me;
		if (!g->shared[i] && g->writers[i] &&
		    (g->writers[i] | g->readers[i]) &
		    ((g->writers[i] | g->readers[i]) - 1)) {
			g->shared[i] = true;
			*fresh = true;
		}
		shared |= g->shared[i];
	}
	return shared;
}

/*
 * An object of kzalloc().  It has the same address in every run, and its memory
 * is not used again in the run.
 */
static struct inter_object {
	size_t start, end;
	bool freed;
} inter_objects[INTER_OBJECTS];

static char inter_pool[INTER_POOL] __attribute__((__aligned__(64)));
static unsigned int inter_nr_objects;

void *lab_object_get(size_t size)
{
	struct inter_object *o = &inter_objects[inter_nr_objects];

	assert(inter_nr_objects < INTER_OBJECTS);
	o->start = inter_nr_objects ? o[-1].end : 0;
	o->end = o->start + size;
	o->freed = false;
	assert(o->end <= INTER_POOL);
	inter_nr_objects++;
	return inter_pool + o->start;
}

static struct inter_object *inter_object(const void *at)
{
	size_t offset = (char *)at - inter_pool;
	unsigned int i;

	for (i = 0; i < inter_nr_objects; i++)
		if (offset - inter_objects[i].start <
		    inter_objects[i].end - inter_objects[i].start)
			return &inter_objects[i];
	return NULL;
}

void lab_object_put(void *object)
{
	inter_object(object)->freed = true;
}

/* Forget the freed objects behind the last live one. */
void inter_forget_objects(void)
{
	while (inter_nr_objects && inter_objects[inter_nr_objects - 1].freed)
		inter_nr_objects--;
}

/* Fail if mm/ accesses a freed object or a free page. */
static void inter_check_lent(const struct inter_access *a)
{
	const struct inter_object *o = inter_object(a->addr);
	const struct cp_page *p;

	if (o && o->freed)
		inter_fail("an object is accessed that is free");
	if (!virt_addr_valid(a->addr))
		return;
	p = cp_page_of(virt_to_page(a->addr));
	if (!p->__page._refcount.counter || p->word.kind == CP_FREE)
		inter_fail("a page is accessed that is free");
}

/*
 * Fail if mm/ writes to the header of a free page.  A failed exchange does not.
 */
void lab_check_store(const void *addr)
{
	size_t offset = (char *)addr - (char *)lab.map;

	if (inter_running() && offset < lab_pages() * sizeof(*lab.map) &&
	    !lab.map[offset / sizeof(*lab.map)]._refcount.counter)
		inter_fail("the header of a free page is written");
}

static void inter_hook(const void *addr, size_t size, bool write, bool plain,
		       bool atomic, const void *where)
{
	struct inter_access a = {
		.addr = addr, .size = size, .write = write, .plain = plain,
		.where = where,
	};

	if (!inter_running() || inter_on_stack(addr) ||
	    (a.addr >= (char *)&lab && a.addr < (char *)(&lab + 1)))
		return;
	inter_about_to(&a);
	inter_check_lent(&a);
	if (write && !atomic)
		lab_check_store(addr);
	if (!inter_late() || !write || plain)
		return;
	if (size == 1 && !atomic)
		inter_store_late((void *)addr);
	else
		inter_tell(lab.cpu);
}

void lab_step(const volatile void *addr, size_t size, bool write,
	      unsigned long caller)
{
	inter_hook((const void *)addr, size, write, false, true,
		   (const void *)caller);
}

#define INTER_HOOK(name, size, write, plain)				\
	void __tsan_##name##size(const void *addr);			\
	void __tsan_##name##size(const void *addr)			\
	{								\
		inter_hook(addr, size, write, plain, false,		\
			   __builtin_return_address(0));		\
	}
#define INTER_HOOKS(size)						\
	INTER_HOOK(read, size, false, true)				\
	INTER_HOOK(write, size, true, true)				\
	INTER_HOOK(volatile_read, size, false, false)			\
	INTER_HOOK(volatile_write, size, true, false)			\
	INTER_HOOK(unaligned_read, size, false, true)			\
	INTER_HOOK(unaligned_write, size, true, true)
INTER_HOOKS(1)
INTER_HOOKS(2)
INTER_HOOKS(4)
INTER_HOOKS(8)
INTER_HOOKS(16)

#define INTER_RANGE(name, write)					\
	void __tsan_##name##_range(const void *addr, size_t size);	\
	void __tsan_##name##_range(const void *addr, size_t size)	\
	{								\
		inter_hook(addr, size, write, true, false,		\
			   __builtin_return_address(0));		\
	}
INTER_RANGE(read, false)
INTER_RANGE(write, true)

void __tsan_init(void);
void __tsan_init(void)
{
}
