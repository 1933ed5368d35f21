// SPDX-License-Identifier: GPL-2.0
/*
 * What the test records: it knows each of its requests.  Between two marks nobody
 * else asks for memory, so the trace has to have exactly those in there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK		4000037		/* bytes that nobody else asks for */
#define THREADS		4
#define HELD		64
#define HANDED		32

/* No compiler may leave a request out. */
static void *volatile sink;

static void *keep(void *block)
{
	sink = block;
	return block;
}

static void mark(void)
{
	free(keep(malloc(MARK)));
}

/* Thread T asks for sizes that are T + 1 more than a multiple of 16. */
struct entry {
	uint32_t size;		/* of a new block; 0 for an end */
	uint32_t owner, serial;	/* of the block, serial in its owner's order */
};

/* What a block starts with. */
struct tag {
	uint32_t owner, serial;
};

struct log {
	uint64_t nr;
	struct entry entry[];
};

static struct log *logs[THREADS];
static unsigned long steps;
static const char *folder;
static volatile int go;
static pthread_barrier_t all_there;
/* Blocks for anyone to free. */
static struct tag *handed[HANDED];

static struct log *new_log(unsigned int thread)
{
	size_t bytes = sizeof(struct log) + (2 * steps + HELD) *
		       sizeof(struct entry);
	char path[4096];
	struct log *log;
	int fd;

	snprintf(path, sizeof(path), "%s/log.%u", folder, thread);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, bytes))
		exit(99);
	log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return log;
}

static void note(struct log *log, uint32_t size, uint32_t owner,
		 uint32_t serial)
{
	log->entry[log->nr] = (struct entry){ size, owner, serial };
	__atomic_store_n(&log->nr, log->nr + 1, __ATOMIC_RELEASE);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* One of the ways to ask. */
static void *ask(size_t size, uint32_t way)
{
	void *block = NULL;

	switch (way % 8) {
	case 0:
		return calloc(1, size);
	case 1:
		return memalign(64, size);
	case 2:
		return aligned_alloc(32, size);
	case 3:
		return posix_memalign(&block, 128, size) ? NULL : block;
	case 4:
		return reallocarray(NULL, 1, size);
	default:
		return malloc(size);
	}
}

struct worker {
	pthread_t thread;
	uint32_t nr, seed, serial;
	struct log *log;
	struct tag *held[HELD];
};

static size_t worker_size(struct worker *w)
{
	uint32_t r = next_random(&w->seed);

	/* Now and then one that has pages of its own, and moves as they do. */
	return (r % 512 ? r / 512 % 40 * 16 : 200000) + 16 + w->nr + 1;
}

static struct tag *worker_name(struct worker *w, struct tag *block, size_t size)
{
	keep(block);
	*block = (struct tag){ w->nr, w->serial++ };
	note(w->log, size, block->owner, block->serial);
	return block;
}

static struct tag *worker_ask(struct worker *w)
{
	size_t size = worker_size(w);

	return worker_name(w, ask(size, next_random(&w->seed)), size);
}

static struct tag *worker_resize(struct worker *w, struct tag *block)
{
	struct tag old = *block;
	size_t size = worker_size(w);

	block = worker_name(w, realloc(block, size), size);
	note(w->log, 0, old.owner, old.serial);
	return block;
}

static void worker_free(struct worker *w, struct tag *block)
{
	struct tag old = *block;

	free(block);
	note(w->log, 0, old.owner, old.serial);
}

/* Leaves a block for the others, and frees the one that was there. */
static void worker_hand(struct worker *w, struct tag *block)
{
	block = __atomic_exchange_n(&handed[next_random(&w->seed) % HANDED],
				    block, __ATOMIC_ACQ_REL);
	if (block)
		worker_free(w, block);
}

static void worker_step(struct worker *w)
{
	struct tag **held = &w->held[next_random(&w->seed) % HELD];
	uint32_t what = next_random(&w->seed) % 8;

	if (!*held) {
		*held = worker_ask(w);
	} else if (what < 2) {
		*held = worker_resize(w, *held);
	} else {
		if (what < 4)
			worker_hand(w, *held);
		else
			worker_free(w, *held);
		*held = NULL;
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned long i;

	pthread_barrier_wait(&all_there);
	while (!go)
		sched_yield();
	for (i = 0; i < steps; i++)
		worker_step(w);
	pthread_barrier_wait(&all_there);
	pthread_barrier_wait(&all_there);
	return NULL;
}

/* Each asks on its own, and is gone without a word. */
static void fork_some(unsigned int nr)
{
	while (nr--) {
		pid_t pid = fork();
		int i;

		if (!pid) {
			for (i = 0; i < 100; i++)
				keep(malloc(48));
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* threads FOLDER STEPS FORKS KILL-AFTER-MICROSECONDS */
static int threads(char **arg)
{
	static struct worker worker[THREADS];
	unsigned int t;

	folder = arg[0];
	steps = strtoul(arg[1], NULL, 10);
	pthread_barrier_init(&all_there, NULL, THREADS + 1);
	for (t = 0; t < THREADS; t++) {
		logs[t] = new_log(t);
		worker[t] = (struct worker){ .nr = t, .seed = t,
					     .log = logs[t] };
		pthread_create(&worker[t].thread, NULL, work, &worker[t]);
	}
	pthread_barrier_wait(&all_there);
	mark();
	go = 1;
	fork_some(atoi(arg[2]));
	if (atoi(arg[3])) {
		usleep(atoi(arg[3]));
		kill(getpid(), SIGKILL);
	}
	pthread_barrier_wait(&all_there);
	mark();
	pthread_barrier_wait(&all_there);
	for (t = 0; t < THREADS; t++)
		pthread_join(worker[t].thread, NULL);
	return 0;
}

static void *early;

__attribute__((constructor)) static void before_main(void)
{
	early = keep(malloc(4000001));
}

/* Every form once; the test has the list. */
static int forms(char **arg)
{
	volatile size_t huge = SIZE_MAX / 2;
	void *p, *q = NULL;

	mark();
	free(early);
	free(NULL);
	free(keep(malloc(0)));
	p = keep(calloc(3, 7));
	keep(calloc(huge, 3));
	p = keep(realloc(p, 5000));
	p = keep(realloc(p, 5001));
	keep(realloc(p, huge));
	p = keep(reallocarray(p, 10, 20));
	keep(reallocarray(p, huge, 3));
	free(p);
	p = keep(realloc(NULL, 33));
	keep(realloc(p, 0));
	keep(malloc(huge));
	if (!posix_memalign(&q, 64, 65))
		free(keep(q));
	free(keep(aligned_alloc(32, 34)));
	free(keep(memalign(128, 35)));
	free(keep(valloc(36)));
	free(keep(pvalloc(37)));
	free(keep(strdup("four")));
	mark();
	return 0;
}

/* The child frees two of its parent's, and becomes another program. */
static int forks(char **arg)
{
	void *a = keep(malloc(101)), *b = keep(malloc(102));

	mark();
	if (!fork()) {
		mark();
		free(a);
		free(keep(realloc(b, 103)));
		free(keep(malloc(104)));
		mark();
		execl("/proc/self/exe", "probe", "forms", NULL);
		_exit(99);
	}
	wait(NULL);
	free(a);
	free(b);
	mark();
	return 0;
}

/* Many blocks, by a program that has closed and forgotten everything. */
static int alone(char **arg)
{
	unsigned long i, nr = strtoul(arg[0], NULL, 10);
	int fd;

	for (fd = 0; fd < 1024; fd++)
		close(fd);
	clearenv();
	if (chdir("/"))
		return 99;
	mark();
	for (i = 0; i < nr; i++)
		keep(malloc(24));
	mark();
	if (!strcmp(arg[1], "kill"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(arg[1], "abort"))
		abort();
	else if (!strcmp(arg[1], "exit"))
		_exit(7);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "threads"))
		return threads(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "forms"))
		return forms(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "forks"))
		return forks(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "alone"))
		return alone(argv + 2);
	return 98;
}
