// SPDX-License-Identifier: GPL-2.0
/*
 * A trace is lines of text:
 *
 *	a ID SIZE	allocate SIZE bytes, 1 to REPLAY_SIZE_MAX, as ID
 *	f ID		free what ID stands for; it may then be used again
 *	# ...		a comment
 *
 * and blank lines.  An ID is a number from 0 to 2^32 - 1.  Every line has an
 * end: a last line without one may be the first half of another.
 *
 * A page is numbered when it comes from S1, which the tracepoint
 * curpage_refill tells: a page that was given back and comes again is a new
 * one.  A page block is a page of its own, always new.
 */
#include "kmod/kernel.h"
#include "replay.h"

#define REPLAY_CHUNK	1024	/* placements kept together */
#define REPLAY_FORM	"must be 'a ID SIZE', 'f ID', a comment with # or blank"

/* Say which line is at fault and why; returns err. */
static __printf(3, 4) int replay_fail(struct replay *r, int err,
				      const char *why, ...)
{
	char shown[44];
	unsigned int i;
	va_list args;
	int len;

	for (i = 0; i < sizeof(shown) - 1 && i < r->len && r->text[i]; i++)
		shown[i] = r->text[i] >= ' ' && r->text[i] <= '~' ?
			   r->text[i] : '?';
	shown[i] = '\0';
	len = snprintf(r->error, sizeof(r->error), "line %lu: '%s%s': ",
		       r->line, shown, i < r->len ? "..." : "");
	va_start(args, why);
	vsnprintf(r->error + len, sizeof(r->error) - len, why, args);
	va_end(args);
	return err;
}

void replay_init(struct replay *r)
{
	memset(r, 0, sizeof(*r));
	xa_init(&r->blocks);
	xa_init(&r->pages);
	xa_init(&r->placements);
	r->line = 1;
}

/* A page became current; the caller knows that it was for this replay. */
void replay_refilled(struct replay *r, unsigned long pfn, unsigned int source)
{
	if (!r->listening || source != 1)
		return;
	r->fresh = true;
	r->fresh_pfn = pfn;
}

const struct replay_placement *replay_placement(struct replay *r,
						unsigned long nr)
{
	struct replay_placement *chunk;

	if (nr >= r->nr)
		return NULL;
	chunk = xa_load(&r->placements, nr / REPLAY_CHUNK);
	return chunk + nr % REPLAY_CHUNK;
}

static int replay_keep(struct replay *r, u32 id, u32 page, u32 slot)
{
	unsigned long index = r->nr / REPLAY_CHUNK;
	struct replay_placement *chunk = xa_load(&r->placements, index);

	if (!chunk) {
		chunk = kcalloc(REPLAY_CHUNK, sizeof(*chunk), GFP_KERNEL);
		if (!chunk)
			return -ENOMEM;
		if (xa_err(xa_store(&r->placements, index, chunk,
				    GFP_KERNEL))) {
			kfree(chunk);
			return -ENOMEM;
		}
	}
	chunk[r->nr % REPLAY_CHUNK] = (struct replay_placement){
		.id = id, .page = page, .slot = slot,
	};
	r->nr++;
	return 0;
}

/* Number the page of a block that was just allocated, and keep its place. */
static int replay_place(struct replay *r, u32 id, void *block)
{
	unsigned long pfn = page_to_pfn(virt_to_page(block));
	size_t size = curpage_ksize(block);
	void *number;

	if (size > PAGE_SIZE)
		return replay_keep(r, id, r->next_block[get_order(size)]++, 0);
	if (r->fresh) {
		number = xa_mk_value(r->next_page[size / 8]++);
		if (xa_err(xa_store(&r->pages, r->fresh_pfn, number,
				    GFP_KERNEL)))
			return -ENOMEM;
	}
	number = xa_load(&r->pages, pfn);
	if (!number || offset_in_page(block) % size)
		return -ENXIO;
	return replay_keep(r, id, xa_to_value(number),
			   offset_in_page(block) / size);
}

static int replay_alloc(struct replay *r, u32 id, size_t size)
{
	void *block;
	int err;

	if (xa_load(&r->blocks, id))
		return replay_fail(r, -EINVAL,
				   "this ID is live: free it first");
	r->fresh = false;
	r->listening = true;
	block = curpage_alloc(size, GFP_KERNEL);
	r->listening = false;
	if (!block)
		return replay_fail(r, -ENOMEM, "out of memory");
	err = xa_err(xa_store(&r->blocks, id, block, GFP_KERNEL));
	if (err) {
		curpage_free(block);
		return replay_fail(r, -ENOMEM, "out of memory");
	}
	size = curpage_ksize(block);
	err = replay_place(r, id, block);
	if (err == -ENXIO)
		return replay_fail(r, err,
				   "its page is unknown: load curpage anew, without check=1");
	if (err)
		return replay_fail(r, err, "out of memory");
	if (r->watch)
		r->watch(r, size, true);
	return 0;
}

static int replay_free(struct replay *r, u32 id)
{
	void *block = xa_erase(&r->blocks, id);
	size_t size;

	if (!block)
		return replay_fail(r, -EINVAL,
				   "this ID is not live: allocate it first");
	size = curpage_ksize(block);
	curpage_free(block);
	if (r->watch)
		r->watch(r, size, false);
	return 0;
}

static const char *replay_skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* A blank and a number from min to max; where it ends, or NULL. */
static const char *replay_number(struct replay *r, const char *s,
				 const char *name, unsigned long min,
				 unsigned long max, unsigned long *number)
{
	const char *digits = replay_skip_blanks(s);
	unsigned long n = 0;
	const char *end;

	for (end = digits; *end >= '0' && *end <= '9'; end++)
		if (n <= max)
			n = n * 10 + (*end - '0');
	if (end == digits || digits == s) {
		replay_fail(r, -EINVAL, REPLAY_FORM);
		return NULL;
	}
	if (n < min || n > max) {
		replay_fail(r, -EINVAL, "%s must be %lu to %lu", name, min,
			    max);
		return NULL;
	}
	*number = n;
	return end;
}

static int replay_line(struct replay *r)
{
	const char *s = replay_skip_blanks(r->text);
	unsigned long id, size;
	char what = *s;

	if (what == '#')
		return 0;
	if (r->len > REPLAY_LINE_MAX)
		return replay_fail(r, -EINVAL, "longer than %u bytes",
				   REPLAY_LINE_MAX);
	if (s == r->text + r->len)
		return 0;
	if (what != 'a' && what != 'f')
		return replay_fail(r, -EINVAL, REPLAY_FORM);
	s = replay_number(r, s + 1, "ID", 0, U32_MAX, &id);
	if (s && what == 'a')
		s = replay_number(r, s, "SIZE", 1, REPLAY_SIZE_MAX, &size);
	if (!s)
		return -EINVAL;
	if (replay_skip_blanks(s) != r->text + r->len)
		return replay_fail(r, -EINVAL, REPLAY_FORM);
	return what == 'a' ? replay_alloc(r, id, size) : replay_free(r, id);
}

/* The next part of a trace; cut wherever it may be. */
int replay_feed(struct replay *r, const char *buf, size_t len)
{
	const char *end = buf + len;

	while (buf < end) {
		const char *newline = memchr(buf, '\n', end - buf);
		size_t part = (newline ?: end) - buf;
		size_t kept = min_t(size_t, r->len, REPLAY_LINE_MAX);
		size_t fits = min_t(size_t, part, REPLAY_LINE_MAX - kept);
		int err;

		memcpy(r->text + kept, buf, fits);
		r->text[kept + fits] = '\0';
		r->len += part;
		buf += part;
		if (!newline)
			break;
		buf++;
		err = replay_line(r);
		if (err)
			return err;
		r->len = 0;
		r->line++;
		cond_resched();
	}
	return 0;
}

/* The trace has ended. */
int replay_end(struct replay *r)
{
	if (!r->len)
		return 0;
	return replay_fail(r, -EINVAL,
			   "the last line has no end: is the trace cut off?");
}

static void replay_free_blocks(struct replay *r)
{
	unsigned long id;
	void *block;

	xa_for_each(&r->blocks, id, block) {
		curpage_free(block);
		cond_resched();
	}
	xa_destroy(&r->blocks);
}

/*
 * Ready for another trace: what is live is freed, placements are forgotten.
 * Pages keep their numbers, since the allocator may still have them.
 */
void replay_reset(struct replay *r)
{
	unsigned long index;
	void *chunk;

	replay_free_blocks(r);
	xa_for_each(&r->placements, index, chunk)
		kfree(chunk);
	xa_destroy(&r->placements);
	r->nr = 0;
	r->line = 1;
	r->len = 0;
}

void replay_exit(struct replay *r)
{
	replay_reset(r);
	xa_destroy(&r->pages);
}
