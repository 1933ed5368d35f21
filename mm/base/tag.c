// SPDX-License-Identifier: GPL-2.0
/* Memory allocation profiling: the tags of live blocks, see tag.h. */
#include "base/kernel.h"
#include "base/tag.h"

/* Low bits of a tag's address; the bits above are the same in all tags. */
#define CP_TAG_BITS	48

DEFINE_STATIC_KEY_FALSE(cp_tags_key);

static u64 cp_tag_key __ro_after_init;

/*
 * Set up the key.  Called before any block exists, as the word of a block
 * depends on it.
 */
void __init cp_tags_init(void)
{
	cp_tag_key = get_random_long();
	if (cp_profiling())
		static_branch_enable(&cp_tags_key);
}

/* Can this be a tag?  Tags lie among the data of the kernel and its modules. */
static bool cp_tag_ok(const void *tag)
{
	return !(((unsigned long)tag ^ (unsigned long)&cp_tag_key) >>
		 CP_TAG_BITS) &&
	       IS_ALIGNED((unsigned long)tag, __alignof__(struct alloc_tag));
}

static u64 cp_tag_mask(const u64 *at)
{
	return cp_tag_key ^ (unsigned long)at;
}

/* Count a block that is handed out.  The word of an uncounted block is 0. */
void cp_tag_set(u64 *at, size_t bytes)
{
	union codetag_ref ref = { };

	if (cp_profiling() && cp_tag_ok(current->alloc_tag))
		alloc_tag_add(&ref, current->alloc_tag, bytes);
	WRITE_ONCE(*at, ref.ct ? (unsigned long)ref.ct ^ cp_tag_mask(at) : 0);
}

/*
 * Count a block as freed, even if profiling was turned off since it was
 * allocated.  Where two CPUs free the same block, one of them finds the tag.
 *
 * Return: false if the word was written over; then the block stays counted.
 */
bool cp_tag_take(u64 *at, size_t bytes)
{
	u64 word = xchg(at, 0);
	union codetag_ref ref = {
		.ct = (void *)(unsigned long)(word ^ cp_tag_mask(at)),
	};

	if (!word)
		return true;
	if (unlikely(!cp_tag_ok(ref.ct)))
		return false;
	alloc_tag_sub(&ref, bytes);
	return true;
}
