// SPDX-License-Identifier: GPL-2.0
/*
 * The file of a process.  Nothing here may ask for memory, and the program may have
 * closed all its files or changed its environment since it started.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store.h"

#define FIRST		(1UL << 13)	/* records of a new file: 64 KiB */
#define STEP		(1UL << 17)	/* it grows by at most, else doubles: 1 MiB */
#define ZEROS		(1UL << 16)
#define MAP_MOST	(1UL << 38)	/* addresses, not memory */
#define MAP_LEAST	(1UL << 26)

/* Before the first event, and in a process that is not recorded. */
static struct store none;
struct store *store = &none;

/* Stays over a fork(), for the child to begin with. */
static char folder[PATH_MAX], file[PATH_MAX + 32];
static void *mapped;
static size_t mapped_bytes;
static int off;			/* this process is not recorded */
static int begin_lock;

/* A signal's handler that asks for memory would wait for itself. */
static void lock(int *lock, sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(int *lock, const sigset_t *old)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void say(const char *text)
{
	if (write(2, text, strlen(text)) < 0)
		return;
}

static void complain(const char *what, int err)
{
	const char *why = strerrordesc_np(err);

	say("record: ");
	say(file);
	say(": ");
	say(what);
	say(": ");
	say(why ? why : "unknown error");
	say("\n");
}

/*
 * The environment as exec() made it: the first requests come before the C library
 * knows of it.
 */
static void find_folder(void)
{
	static const char name[] = RAW_FOLDER "=";
	size_t at = 0;		/* of the name that match, or the folder's length */
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	int in_value = 0, skip = 0;
	char c[4096];
	ssize_t len, i;

	if (fd < 0)
		return;
	while ((len = read(fd, c, sizeof(c))) > 0) {
		for (i = 0; i < len; i++) {
			if (in_value) {
				folder[at] = c[i];
				if (!c[i] || ++at == sizeof(folder) - 1)
					goto out;
			} else if (!c[i]) {
				at = skip = 0;
			} else if (!skip && c[i] == name[at]) {
				in_value = !name[++at];
				if (in_value)
					at = 0;
			} else {
				skip = 1;
			}
		}
	}
out:
	close(fd);
}

static int new_file(void)
{
	unsigned int nr;
	int fd;

	for (nr = 1; ; nr++) {
		snprintf(file, sizeof(file), "%s/%d.%u", folder, getpid(), nr);
		fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
}

/*
 * Puts zeros at the end of a file: to write to a page that has no place on the disk
 * is death.  They are written, not only reserved: pages that are in memory already
 * take a third of the time when they are touched.
 */
static int extend(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[ZEROS];
	uint64_t at = from;
	struct rlimit limit;
	ssize_t done;

	/* A signal comes with that one. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && from + bytes > limit.rlim_cur)
		return EFBIG;
	while (at < from + bytes) {
		uint64_t left = from + bytes - at;

		done = pwrite(fd, zeros, left < ZEROS ? left : ZEROS, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			int err = done ? errno : ENOSPC;

			/* What there is may be needed for the trace. */
			if (ftruncate(fd, from))
				return errno;
			return err;
		}
		at += done;
	}
	return 0;
}

static struct raw_head *map_file(int fd, size_t *bytes)
{
	struct raw_head *head;

	for (*bytes = MAP_MOST; *bytes >= MAP_LEAST; *bytes /= 2) {
		head = mmap(NULL, *bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE, fd, 0);
		if (head != MAP_FAILED) {
			madvise(head, *bytes, MADV_DONTDUMP);
			return head;
		}
	}
	return NULL;
}

static void fill_head(struct raw_head *head)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t len = 0;

	if (fd >= 0) {
		len = read(fd, head->command, sizeof(head->command));
		close(fd);
	}
	head->command_len = len > 0 ? len : 0;
	head->pid = getpid();
	head->parent = getppid();
	head->room = FIRST;
	memcpy(head->magic, RAW_MAGIC, sizeof(head->magic));
}

/* A page that a child of fork() finds empty. */
static struct store *new_store(void)
{
	struct store *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		return NULL;
	if (!madvise(s, sizeof(*s), MADV_WIPEONFORK))
		return s;
	munmap(s, sizeof(*s));
	return NULL;
}

static struct raw_head *begin_file(struct store *s)
{
	struct raw_head *head = NULL;
	size_t bytes;
	int err, fd;

	fd = new_file();
	if (fd < 0) {
		complain("cannot record", errno);
		return NULL;
	}
	err = extend(fd, 0, RAW_HEAD + FIRST * sizeof(uint64_t));
	if (!err) {
		head = map_file(fd, &bytes);
		err = errno;
	}
	close(fd);
	if (!head) {
		complain("cannot record", err);
		unlink(file);
		return NULL;
	}
	fill_head(head);
	mapped = head;
	mapped_bytes = bytes;
	s->record = (void *)((char *)head + RAW_HEAD);
	s->room = FIRST;
	s->most = (bytes - RAW_HEAD) / sizeof(uint64_t);
	return head;
}

static void begin_locked(void)
{
	struct raw_head *head;
	struct store *s = store;

	if (s->head || off)
		return;
	if (mapped)		/* the parent's */
		munmap(mapped, mapped_bytes);
	mapped = NULL;
	if (!*folder)
		find_folder();
	if (s == &none)
		s = *folder ? new_store() : NULL;
	if (!s) {
		if (*folder)
			complain("cannot record", errno);
		off = 1;
		return;
	}
	head = begin_file(s);
	off = !head;
	store = s;
	__atomic_store_n(&s->head, head, __ATOMIC_RELEASE);
}

struct raw_head *store_begin(void)
{
	int err = errno;
	sigset_t old;

	if (off)
		return NULL;
	lock(&begin_lock, &old);
	begin_locked();
	unlock(&begin_lock, &old);
	errno = err;
	return store->head;
}

static int grow_locked(struct store *s)
{
	uint64_t step = s->room < STEP ? s->room : STEP;
	uint64_t room = s->room + step;
	int fd, err;

	if (room > s->most)
		return ENOMEM;
	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	err = extend(fd, RAW_HEAD + s->room * sizeof(uint64_t),
		     step * sizeof(uint64_t));
	close(fd);
	if (err)
		return err;
	s->head->room = room;
	__atomic_store_n(&s->room, room, __ATOMIC_RELEASE);
	return 0;
}

int store_grow(struct store *s, uint64_t end)
{
	int err = errno;
	sigset_t old;

	if (s->cut)
		return 0;
	lock(&s->lock, &old);
	while (end > s->room && !s->cut) {
		s->cut = grow_locked(s);
		s->head->cut = s->cut;
	}
	unlock(&s->lock, &old);
	errno = err;
	return end <= s->room;
}
