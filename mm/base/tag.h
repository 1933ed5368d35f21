/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tags of live blocks, which count them for the callers in /proc/allocinfo, in
 * a kernel with CONFIG_MEM_ALLOC_PROFILING.
 *
 * Each line of code that calls an allocating function has a tag, which counts
 * the live blocks and their bytes.  A live block has a word of 8 bytes that
 * leads to its tag:
 *
 *	block of a cache	at the end of its page, that of block 0 last
 *	page block		in the header of its first page, over lru.prev
 *	block of first fit	in front of the header behind the block
 *
 * A cache has these words if profiling is on when the cache is created, page
 * blocks and first fit have them if it is on when curpage is loaded.
 *
 * A write past the end of a block may hit a word.  So a word is the address of
 * the tag, mixed with a key and with the address of the word.  A word that does
 * not decode to the address of a tag is not followed.
 */
#ifndef CP_TAG_H
#define CP_TAG_H

#ifdef CONFIG_MEM_ALLOC_PROFILING
#define CP_TAG_SIZE	sizeof(u64)
#define CP_CACHE_TAGS	BIT(15)		/* in curpage_cache.flags */

DECLARE_STATIC_KEY_FALSE(cp_tags_key);

/* Do page blocks and blocks of first fit have a word for their tag? */
static __always_inline bool cp_tags_on(void)
{
	return static_branch_unlikely(&cp_tags_key);
}

void cp_tags_init(void);
void cp_tag_set(u64 *at, size_t bytes);
bool cp_tag_take(u64 *at, size_t bytes);
#else
#define CP_TAG_SIZE	0
#define CP_CACHE_TAGS	0
static inline bool cp_profiling(void) { return false; }
static __always_inline bool cp_tags_on(void) { return false; }
static inline void cp_tags_init(void) { }
static inline void cp_tag_set(u64 *at, size_t bytes) { }
static inline bool cp_tag_take(u64 *at, size_t bytes) { return true; }
#endif

#endif /* CP_TAG_H */
