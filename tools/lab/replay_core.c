// SPDX-License-Identifier: GPL-2.0
/*
 * A trace is lines of text:
 *
 *	a ID SIZE	allocate SIZE bytes, 1 to r->size_max, as ID
 *	f ID		free what ID stands for; it may then be used again
 *	# ...		a comment
 *
 * and blank lines.  An ID is a number from 0 to 2^32 - 1.  Every line ends with
 * a newline: a last line without one may have been cut off.
 *
 * A page gets a number when it comes from S1, which the tracepoint
 * curpage_refill reports.  A page that was given back and comes again gets a
 * new number, and so does each page block.  A run of first fit is numbered when
 * it is taken, which curpage_run_take reports.
 */
#include "kmod/kernel.h"
#include "replay.h"

#define REPLAY_CHUNK	1024	/* placements in an array */
#define REPLAY_FORM	"must be 'a ID SIZE', 'f ID', a comment with # or blank"

/* Note which line is at fault and why.  Return: err. */
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
	r->run.order = -1;
	r->gone.order = -1;
	r->line = 1;
	r->size_max = REPLAY_SIZE_MAX;
}

/* Note that a page became current for this replay. */
void replay_refilled(struct replay *r, unsigned long pfn, unsigned int source)
{
	if (!r->listening || source != 1)
		return;
	r->fresh = true;
	r->fresh_pfn = pfn;
}

/* Note a run; it is numbered later.  Called under a lock of curpage. */
void replay_run_taken(struct replay *r, unsigned long pfn, unsigned int order)
{
	if (r->listening)
		r->run = (struct replay_pages){ .pfn = pfn, .order = order };
}

void replay_run_gone(struct replay *r, unsigned long pfn, unsigned int order)
{
	if (r->listening)
		r->gone = (struct replay_pages){ .pfn = pfn, .order = order };
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

/*
 * Values of r->pages: a page's number, or a run's and the page's place in it.
 */
#define REPLAY_RUN		1UL
#define REPLAY_PLACE_BITS	11	/* with REPLAY_RUN */
static_assert(CURPAGE_MAX_ORDER < REPLAY_PLACE_BITS);

static int replay_number_page(struct replay *r, unsigned long pfn,
			      unsigned long number)
{
	return xa_err(xa_store(&r->pages, pfn, xa_mk_value(number),
			       GFP_KERNEL));
}

static int replay_number_run(struct replay *r)
{
	unsigned long number = r->next_run++, i;

	for (i = 0; i < 1UL << r->run.order; i++)
		if (replay_number_page(r, r->run.pfn + i,
				       number << (REPLAY_PLACE_BITS + 1) |
				       i << 1 | REPLAY_RUN))
			return -ENOMEM;
	r->run.order = -1;
	return 0;
}

/*
 * Forget a run that is gone.  Page blocks, which may come next, have no number.
 */
static void replay_forget_run(struct replay *r)
{
	unsigned long i;

	for (i = 0; r->keep && i < 1UL << r->gone.order; i++)
		xa_erase(&r->pages, r->gone.pfn + i);
	r->gone.order = -1;
}

static int replay_place_run(struct replay *r, u32 id, void *block,
			    unsigned long number)
{
	unsigned long page = number >> 1 & ((1UL << REPLAY_PLACE_BITS) - 1);

	return replay_keep(r, id, number >> (REPLAY_PLACE_BITS + 1),
			   (page * PAGE_SIZE + offset_in_page(block)) /
			   REPLAY_UNIT);
}

/* Number the page of a new block, and keep the placement. */
static int replay_place(struct replay *r, u32 id, void *block)
{
	unsigned long pfn = page_to_pfn(virt_to_page(block)), number;
	size_t size = curpage_ksize(block);
	void *entry;

	if (r->fresh && replay_number_page(r, r->fresh_pfn,
					   (unsigned long)r->next_page[size]++ << 1))
		return -ENOMEM;
	if (r->run.order >= 0 && replay_number_run(r))
		return -ENOMEM;
	entry = xa_load(&r->pages, pfn);
	number = entry ? xa_to_value(entry) : 0;
	if (number & REPLAY_RUN)
		return replay_place_run(r, id, block, number);
	if (size > PAGE_SIZE)
		return replay_keep(r, id, r->next_block[get_order(size)]++, 0);
	if (!entry || offset_in_page(block) % size)
		return -ENXIO;
	return replay_keep(r, id, number >> 1, offset_in_page(block) / size);
}

/* Note why a request fails.  Return: err. */
static int replay_why(struct replay *r, int err, const char *why)
{
	r->why = why;
	return err;
}

static int replay_alloc(struct replay *r, u32 id, size_t size)
{
	void *block;
	int err;

	r->fresh = false;
	r->listening = true;
	block = curpage_alloc(size, GFP_KERNEL);
	r->listening = false;
	if (unlikely(!block))
		return replay_why(r, -ENOMEM, "out of memory");
	err = xa_insert(&r->blocks, id, block, GFP_KERNEL);
	if (unlikely(err)) {
		curpage_free(block);
		if (err == -EBUSY)
			return replay_why(r, -EINVAL,
					  "this ID is live: free it first");
		return replay_why(r, -ENOMEM, "out of memory");
	}
	if (unlikely(r->gone.order >= 0))
		replay_forget_run(r);
	err = r->keep ? replay_place(r, id, block) : 0;
	if (err == -ENXIO)
		return replay_why(r, err,
				  "its page is unknown: load curpage anew, without check=1");
	if (err)
		return replay_why(r, err, "out of memory");
	if (r->watch)
		r->watch(r, r->sort(r, block), true);
	return 0;
}

static int replay_free(struct replay *r, u32 id)
{
	void *block = xa_erase(&r->blocks, id);
	unsigned int sort;

	if (unlikely(!block))
		return replay_why(r, -EINVAL,
				  "this ID is not live: allocate it first");
	sort = r->watch ? r->sort(r, block) : 0;
	r->listening = true;
	curpage_free(block);
	r->listening = false;
	if (unlikely(r->gone.order >= 0))
		replay_forget_run(r);
	if (r->watch)
		r->watch(r, sort, false);
	return 0;
}

static int replay_event(struct replay *r, const struct replay_event *e)
{
	int err;

	r->events++;
	if (unlikely(r->take))
		return r->take(r, e);
	err = e->alloc ? replay_alloc(r, e->id, e->size) :
			 replay_free(r, e->id);
	if (!err && r->also && r->also(r, e))
		err = replay_why(r, -ENOMEM, "out of memory");
	return err;
}

static const char *replay_skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* Parse blanks and a number from min to max.  Return: its end, or NULL. */
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
	unsigned long id, size = 0;
	char what = *s;
	int err;

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
		s = replay_number(r, s, "SIZE", 1, r->size_max, &size);
	if (!s)
		return -EINVAL;
	if (replay_skip_blanks(s) != r->text + r->len)
		return replay_fail(r, -EINVAL, REPLAY_FORM);
	err = replay_event(r, &(struct replay_event){
		.alloc = what == 'a', .id = id, .size = size });
	return err ? replay_fail(r, err, "%s", r->why) : 0;
}

/* Parse at most 10 digits, which cannot overflow.  Return: the end, or NULL. */
static __always_inline const char *replay_digits(const char *s,
						 unsigned long *number)
{
	const char *start = s;
	unsigned long n = 0;
	unsigned int digit;

	while ((digit = (unsigned char)*s - '0') <= 9 && s - start < 10) {
		n = n * 10 + digit;
		s++;
	}
	*number = n;
	return s > start ? s : NULL;
}

/* "a ", two numbers of 10 digits, a blank between them, a newline. */
#define REPLAY_QUICK	24

/*
 * Parse a line in the common form, of which REPLAY_QUICK bytes are readable.
 * Return: its end, or NULL for any other line, which replay_line() judges.
 */
static __always_inline const char *replay_quick(const char *s,
						unsigned long size_max,
						struct replay_event *e)
{
	unsigned long id, size = 0;

	e->alloc = s[0] == 'a';
	if ((!e->alloc && s[0] != 'f') || s[1] != ' ')
		return NULL;
	s = replay_digits(s + 2, &id);
	if (s && e->alloc)
		s = *s == ' ' ? replay_digits(s + 1, &size) : NULL;
	if (!s || *s != '\n' || id > U32_MAX || size > size_max ||
	    (e->alloc && !size))
		return NULL;
	e->id = id;
	e->size = size;
	return s;
}

/* Collect a line up to its end.  Return: false if buf ended before. */
static bool replay_gather(struct replay *r, const char **buf, const char *end)
{
	const char *newline = memchr(*buf, '\n', end - *buf);
	size_t part = (newline ?: end) - *buf;
	size_t kept = min_t(size_t, r->len, REPLAY_LINE_MAX);
	size_t fits = min_t(size_t, part, REPLAY_LINE_MAX - kept);

	memcpy(r->text + kept, *buf, fits);
	r->text[kept + fits] = '\0';
	r->len += part;
	*buf += part + !!newline;
	return newline;
}

/*
 * Replay lines in the common form, up to the first other one.  Return: 0, or an
 * error with the line in r->text.
 */
static int replay_feed_quick(struct replay *r, const char **buf,
			     const char *end)
{
	while (end - *buf >= REPLAY_QUICK) {
		struct replay_event e;
		const char *s = replay_quick(*buf, r->size_max, &e);
		int err;

		if (!s)
			break;
		err = replay_event(r, &e);
		if (unlikely(err)) {
			replay_gather(r, buf, end);
			return replay_fail(r, err, "%s", r->why);
		}
		*buf = s + 1;
		r->line++;
		cond_resched();
	}
	return 0;
}

/* Replay the next part of a trace, which may end anywhere in a line. */
int replay_feed(struct replay *r, const char *buf, size_t len)
{
	const char *end = buf + len;

	while (buf < end) {
		int err = r->len ? 0 : replay_feed_quick(r, &buf, end);

		if (err)
			return err;
		if (buf == end || !replay_gather(r, &buf, end))
			break;
		err = replay_line(r);
		if (err)
			return err;
		r->len = 0;
		r->line++;
		cond_resched();
	}
	return 0;
}

/* End the trace.  Its last line must have been complete. */
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
 * Prepare for another trace: free live blocks and drop placements.  Pages keep
 * their numbers, as the allocator may still hold them.
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
	r->events = 0;
	r->line = 1;
	r->len = 0;
}

void replay_exit(struct replay *r)
{
	replay_reset(r);
	xa_destroy(&r->pages);
}
