// SPDX-License-Identifier: GPL-2.0
/*
 * Allocators of this machine beside: malloc of the C library, jemalloc, mimalloc.
 *
 * Each works as it comes, with no option set, in pages of 4 KiB.  What they are
 * said to use is the pages that the system has given them:
 *
 *	malloc		those of the heap from where the first block could lie to the
 *			break, and large blocks that are mappings of their own;
 *	the others	those of their mappings, tables and all.
 *
 * They reserve more than they touch, malloc up to 132 KiB and the others many
 * megabytes, which costs nobody anything and is not counted.  That is what a program
 * with the same requests takes from others, as the memory below its end is of an
 * engine; but the lab's own few blocks lie in the heap as well.  They take what they
 * want: --memory says nothing to them.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "peers.h"
#include "run.h"

#define SAMPLE		256	/* requests from one look at the memory to the next */
#define LIBRARIES	3
#define WHY		256

#ifdef __SANITIZE_ADDRESS__	/* which has a malloc of its own */
#define SANITIZED	true
#else
#define SANITIZED	false
#endif

/* What the C library's malloc keeps for each thread, by size. */
#define CACHED_MIN	24
#define CACHED_STEP	16
#define CACHED_MAX	(CACHED_MIN + 63 * CACHED_STEP)

/* Thread-local memory that libraries which come late may have. */
#define TUNABLES	"GLIBC_TUNABLES"
#define TLS_TUNABLE	"glibc.rtld.optional_static_tls"
#define TLS_BYTES	"16384"

struct peer_row {
	const char *library[LIBRARIES];	/* any of them; none: the C library */
	const char *package;
};

struct peer {
	void *(*alloc)(size_t size);
	void (*free)(void *block);
	size_t (*look)(struct peer *p);
	u64 requests;
	u64 asked;		/* requests when used() was called last */
	u64 looked;		/* and when the memory was looked at */
	size_t bytes;		/* that there were then */
	char *first;		/* page of the heap that counts */
	size_t mapped;		/* bytes in mappings of their own that do not */
};

/*
 * jemalloc wants more thread-local memory than programs keep for libraries that are
 * loaded later, and only the dynamic linker can be told to keep more: when a program
 * starts.  Preloaded it would be the lab's own allocator as well.
 */
__attribute__((constructor))
static void peers_room(int argc, char **argv, char **envp)
{
	const char *have = getenv(TUNABLES), *preload = getenv("LD_PRELOAD");
	char value[WHY];
	int len;

	if (argc < 2 || strcmp(argv[1], "engine") ||
	    (have && strstr(have, TLS_TUNABLE)) ||
	    (preload && strstr(preload, "vgpreload")))	/* loses valgrind */
		return;
	len = snprintf(value, sizeof(value), "%s%s" TLS_TUNABLE "=" TLS_BYTES,
		       have ?: "", have && *have ? ":" : "");
	if (len >= (int)sizeof(value) || setenv(TUNABLES, value, 1))
		return;
	/* What malloc holds depends on where its heap starts. */
	personality(ADDR_NO_RANDOMIZE);
	execv("/proc/self/exe", argv);
}

static size_t malloc_bytes(struct peer *p)
{
	return peer_pages((unsigned long)p->first, (unsigned long)sbrk(0)) +
	       mallinfo2().hblkhd - p->mapped;
}

static size_t library_bytes(struct peer *p)
{
	return peer_resident();
}

/* Blocks of this size, until one is not of what was free below top. */
static void malloc_fill_size(size_t size, const char *top)
{
	static void *kept;
	void *block;

	do {
		block = malloc(size);
		if (!block)
			return;
		*(void **)block = kept;
		kept = block;
	} while ((char *)block < top);
}

/* Where the last free block of the heap starts: from there on it grows. */
static char *malloc_top(void)
{
	return (char *)sbrk(0) - mallinfo2().keepcost;
}

/*
 * Takes what is free in the heap below its last free block, so that requests need
 * new memory as they would in a program of their own.  The small sizes one by one:
 * a thread's cache has blocks of each.
 */
static void malloc_fill(void)
{
	const char *top = malloc_top();
	size_t size;

	for (size = SZ_64K; size > SZ_1K; size /= 2)
		malloc_fill_size(size, top);
	for (size = CACHED_MAX; size >= CACHED_MIN; size -= CACHED_STEP)
		malloc_fill_size(size, top);
}

static const char *start_malloc(struct peer *p)
{
	if (SANITIZED)
		return "the sanitizer's malloc says nothing of its memory";
	malloc_fill();
	malloc_trim(0);
	p->first = (char *)((unsigned long)malloc_top() & ~(PAGE_SIZE - 1));
	p->mapped = mallinfo2().hblkhd;
	p->look = malloc_bytes;
	p->alloc = malloc;
	p->free = free;
	return NULL;
}

static const char *start_library(struct peer *p, const struct peer_row *row)
{
	static char why[WHY];
	void *library = NULL;
	unsigned int i;

	if (!peer_resident_start())
		return "/proc/self/maps cannot be read";
	for (i = 0; i < LIBRARIES && row->library[i] && !library; i++)
		library = dlopen(row->library[i], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(why, sizeof(why), "%s (of Debian's package %s)",
			 dlerror(), row->package);
		return why;
	}
	p->look = library_bytes;
	p->alloc = (void *(*)(size_t))dlsym(library, "malloc");
	p->free = (void (*)(void *))dlsym(library, "free");
	return p->alloc && p->free ? NULL : "no malloc in the library";
}

static bool start(struct engine *e)
{
	const struct peer_row *row = e->kind->row;
	struct peer *p = calloc(1, sizeof(*p));
	static char absent[2 * WHY];
	const char *why;

	if (!p)
		return false;
	/* Pages are counted: not those of a machine with huge ones. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	why = row->package ? start_library(p, row) : start_malloc(p);
	if (!why) {
		e->state = p;
		return true;
	}
	snprintf(absent, sizeof(absent), ENGINE_ABSENT ": %s", why);
	e->why = absent;
	free(p);
	return false;
}

static void *peer_alloc(struct engine *e, size_t size)
{
	struct peer *p = e->state;

	p->requests++;
	return p->alloc(size);
}

static void peer_free(struct engine *e, void *block)
{
	struct peer *p = e->state;

	p->requests++;
	p->free(block);
}

/*
 * A look takes long.  Who asks after each request has the answer of the last one
 * for a while; who asks twice, or not for some requests, has a new one.
 */
static size_t used(struct engine *e)
{
	struct peer *p = e->state;

	if (p->requests - p->asked != 1 || p->requests - p->looked >= SAMPLE) {
		p->bytes = p->look(p);
		p->looked = p->requests;
	}
	p->asked = p->requests;
	return p->bytes;
}

static void stop(struct engine *e)
{
	free(e->state);
	e->state = NULL;
}

#define PEER(title, text, least, bytes, ...)				\
	{								\
		.name = title, .about = text,				\
		.outside = true, .unbounded = true,			\
		.row = &(const struct peer_row){ __VA_ARGS__ },		\
		.align = least, .header = bytes, .start = start,	\
		.alloc = peer_alloc, .free = peer_free, .used = used,	\
		.stop = stop,						\
	}

static const struct engine_kind kinds[] = {
	PEER("malloc", "of the C library", 16, 8, .package = NULL),
	PEER("jemalloc", "of this machine", 8, 0,
	     { "libjemalloc.so.2" }, "libjemalloc2"),
	PEER("mimalloc", "of this machine", 8, 0,
	     { "libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so" },
	     "libmimalloc-dev"),
};

static const struct engine_family peers = {
	.name = "peers",
	.about = "malloc of the C library, jemalloc and mimalloc as they come",
	.kind = kinds,
	.nr = ARRAY_SIZE(kinds),
};

ENGINE_FAMILY(peers);
