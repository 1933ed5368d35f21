/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tell the kernel's debugging tools of blocks: kmemleak, KASAN and KMSAN.
 *
 * KASAN: a free block, the slack behind a live block and the tail of a page are
 * poisoned.  The files of mm/ that read or write words of free blocks are not
 * instrumented (Kbuild).  Pages of the arena may be poisoned or not: the code
 * that takes a page for blocks says which bytes may be used.  The functions of
 * KASAN are not exported, so it is told only by curpage built into a kernel
 * with CONFIG_KASAN_GENERIC.
 *
 * KMSAN: a block is initialized if its request or its cache asked for that.
 *
 * All of this is empty in a kernel without these tools.
 */
#ifndef CP_HOOKS_H
#define CP_HOOKS_H

#if defined(CONFIG_KASAN_GENERIC) && !defined(MODULE)
#define CP_KASAN	1
#include "../../../kasan/kasan.h"

static inline void cp_kasan_unpoison(const void *obj, size_t size)
{
	kasan_unpoison(obj, size, false);
}

static inline void cp_kasan_poison(const void *obj, size_t size)
{
	kasan_poison(obj, round_up(size, KASAN_GRANULE_SIZE), KASAN_SLAB_FREE,
		     false);
}

static inline void cp_kasan_poison_slack(const void *from, const void *end)
{
	from = PTR_ALIGN(from, KASAN_GRANULE_SIZE);
	if (from < end)
		kasan_poison(from, end - from, KASAN_SLAB_REDZONE, false);
}

/* Is this the start of memory that may be accessed? */
static inline bool cp_kasan_live(const void *obj)
{
	return IS_ALIGNED((unsigned long)obj, KASAN_GRANULE_SIZE) &&
	       kasan_byte_accessible(obj);
}

#define cp_kasan_pause()	kasan_disable_current()
#define cp_kasan_resume()	kasan_enable_current()
#else
#define CP_KASAN	0
static inline void cp_kasan_unpoison(const void *obj, size_t size) { }
static inline void cp_kasan_poison(const void *obj, size_t size) { }
static inline void cp_kasan_poison_slack(const void *from, const void *end) { }
static inline bool cp_kasan_live(const void *obj) { return false; }
#define cp_kasan_pause()	do { } while (0)
#define cp_kasan_resume()	do { } while (0)
#endif

#define CP_KMSAN	IS_ENABLED(CONFIG_KMSAN)

/* For the argument init below: evaluated only for KMSAN, which needs it. */
#define cp_hook_init(init)	(CP_KMSAN && (init))

/* Do the tools have to be told of each block, one by one? */
#define CP_HOOKED (IS_ENABLED(CONFIG_DEBUG_KMEMLEAK) || CP_KASAN || CP_KMSAN)

/* Tell KMSAN of memory that is handed out.  @init: it has contents. */
static __always_inline void cp_kmsan_alloc(const void *addr, size_t size,
					   gfp_t gfp, bool init)
{
	if (init)
		kmsan_unpoison_memory(addr, size);
	else
		kmsan_poison_memory(addr, size, gfp);
}

/* As cp_hook_alloc(), for memory whose shadow is not KASAN's to change. */
static __always_inline void cp_hook_alloc_bare(void *obj, size_t size,
					       gfp_t gfp, bool init)
{
	cp_kmsan_alloc(obj, size, gfp, init);
	kmemleak_alloc(obj, size, 1, gfp);
}

/*
 * Tell the tools that a block of @size bytes is handed out, of which the first
 * @asked may be used.  @init: it has contents, from zeroing or from a
 * constructor.
 */
static __always_inline void cp_hook_alloc(void *obj, size_t asked, size_t size,
					  gfp_t gfp, bool init)
{
	cp_kasan_unpoison(obj, asked);
	cp_hook_alloc_bare(obj, size, gfp, init);
}

/*
 * Tell the tools that a block is freed and must not be accessed.  Only the
 * caller has the block.  @keep: its contents stay initialized.
 */
static __always_inline void cp_hook_free(const void *obj, size_t size, bool keep)
{
	kmemleak_free(obj);
	if (!keep)
		kmsan_poison_memory(obj, size, 0);
	cp_kasan_poison(obj, size);
}

/*
 * Tell the tools that a page block of @whole bytes is handed out, of which the
 * first @size may be used.  The user of a page block tells kmemleak, if at all.
 */
static __always_inline void cp_hook_alloc_pages(void *base, size_t size,
						size_t whole, gfp_t gfp,
						bool init)
{
	cp_kasan_unpoison(base, size);
	cp_kasan_poison_slack(base + size, base + whole);
	cp_kmsan_alloc(base, whole, gfp, init);
}

/*
 * Tell KASAN that pages become free blocks, or that all of them may be
 * accessed.
 */
static inline void cp_hook_pages(void *base, size_t size, bool free)
{
	if (free)
		cp_kasan_poison_slack(base, base + size);
	else
		cp_kasan_unpoison(base, size);
}

/*
 * Tell KASAN that the slack behind a block may be accessed: curpage_ksize() has
 * told the user of it.
 */
static inline void cp_hook_ksize(const void *obj, size_t size)
{
	if (CP_KASAN && size && cp_kasan_live(obj))
		cp_kasan_unpoison(obj, size);
}

/* Is memory, which may be poisoned, filled with @byte? */
static inline bool cp_filled_with(const void *start, u8 byte, size_t size)
{
	bool filled;

	cp_kasan_pause();
	filled = !memchr_inv(start, byte, size);
	cp_kasan_resume();
	return filled;
}

#endif /* CP_HOOKS_H */
