// SPDX-License-Identifier: GPL-2.0
/*
 * lab sizemap: compute the size map that suits a trace best, and compare it
 * with other maps, by the efficiency that is expected and that of a replay.
 *
 * The trace is replayed once for each map.  The first replay also records the
 * mean number of live blocks of each size.
 */
#include <unistd.h>

#include "lab.h"
#include "mm_options.h"

#define LAB_MAPS	6

struct lab_sizing_settings {
	unsigned int classes;
	const char *map;		/* another map to compare, or NULL */
	bool json;
};

/* Live blocks of one size, in units: now, since event, sum until then. */
struct lab_sizing_live {
	u64 now;
	u64 since;
	double sum;			/* over the events */
};

struct lab_sizing {
	struct replay replay;		/* first: its hook finds the rest */
	struct xarray sizes;		/* by ID: size, if a class serves it */
	struct lab_sizing_live live[CP_PAGE_UNITS + 1];
	unsigned long events;
	unsigned long served;		/* allocations by a class */
	u64 bytes;			/* live now, as asked for */
	double bytes_sum;
	double pages_sum;
};

/* A line of the output. */
struct lab_sized {
	char name[CP_NAME_LEN];
	struct cp_sizemap map;
	double expected;
	double measured;
};

static struct lab_sizing_settings lab_sizing_settings;

/* Does a size class serve this size?  Same rule as in mm/size/size.c. */
static bool lab_by_class(unsigned int size)
{
	unsigned int crossover = cp_size_crossover();
	unsigned int rounded = ALIGN(size, 8);

	return size <= PAGE_SIZE && (rounded <= ALIGN(crossover, 8) ||
				     (CP_MAP_POWERS && crossover &&
				      is_power_of_2(rounded)));
}

static void lab_sizing_count(struct lab_sizing *s, unsigned int size, int change)
{
	struct lab_sizing_live *live = &s->live[cp_sizemap_units(size)];

	live->sum += (double)live->now * (s->events - live->since);
	live->since = s->events;
	live->now += change;
	s->bytes += change * (int)size;
}

/* Called after each request. */
static int lab_sizing_watch(struct replay *r, const struct replay_event *e)
{
	struct lab_sizing *s = (struct lab_sizing *)r;
	void *size;

	if (!e->alloc) {
		size = xa_erase(&s->sizes, e->id);
		if (size)
			lab_sizing_count(s, xa_to_value(size), -1);
	} else if (lab_by_class(e->size)) {
		xa_store(&s->sizes, e->id, xa_mk_value(e->size), GFP_KERNEL);
		lab_sizing_count(s, e->size, 1);
		s->served++;
	}
	s->events++;
	s->bytes_sum += s->bytes;
	s->pages_sum += cp_arena.cache_pages;
	return 0;
}

/* Replay with this map.  Caches keep no empty pages. */
static int lab_sizing_replay(struct lab_sizing *s, const struct cp_sizemap *map,
			     const char *path)
{
	int status = LAB_FAILED;

	memset(s, 0, sizeof(*s));
	cp_sizemap_use(map);
	cp_page_init_map();
	cp_arena_init(&cp_arena, &(struct cp_arena_args) {
		.policy = cp_buddy_policies,
	});
	cp_stock_init(0);
	cp_cache_defaults = (struct cp_cache_defaults){
		.strategy = &cp_strategy_mru, .freetol = 1,
	};
	if (cp_size_init()) {
		fputs("lab: out of memory\n", stderr);
		return LAB_FAILED;
	}
	replay_init(&s->replay);
	s->replay.also = lab_sizing_watch;
	xa_init(&s->sizes);
	status = lab_trace(&s->replay, path, false);
	if (!status && curpage_check())
		status = LAB_FAILED;
	replay_exit(&s->replay);
	xa_destroy(&s->sizes);
	cp_size_exit();
	cp_pages_exit();
	return status;
}

/* Convert sums over the events to the means that cp_best_map() takes. */
static void lab_sizing_load(struct lab_sizing *s, struct cp_map_load *t)
{
	double events = max(s->events, 1UL);
	unsigned int units;

	for (units = 0; units <= CP_PAGE_UNITS; units++) {
		struct lab_sizing_live *live = &s->live[units];

		live->sum += (double)live->now * (s->events - live->since);
		t->live[units] = live->sum / events * CP_BEST_MAP_ONE + 0.5;
	}
	t->bytes = s->bytes_sum / events * CP_BEST_MAP_ONE + 0.5;
}

static void lab_sized_make(struct lab_sized *to, const char *text)
{
	char why[CP_SIZEMAP_WHY];

	assert(!cp_sizemap_make(&to->map, text, why));
	cp_sizemap_name(&to->map, to->name, sizeof(to->name));
}

/* Make all maps but the best one, which needs the first replay. */
static unsigned int lab_sized_makes(struct lab_sized *maps, const char *more)
{
	unsigned int n = 0;

	lab_sized_make(&maps[n++], "brent");
	lab_sized_make(&maps[n++], "geometric:1.25");
	lab_sized_make(&maps[n++], "powers");
	if (more)
		lab_sized_make(&maps[n++], more);
	return n;
}

static double lab_expected(const struct cp_map_load *t,
			   const struct cp_sizemap *map)
{
	u64 pages = cp_best_map_pages(t, map);

	return pages ? (double)t->bytes / pages / PAGE_SIZE : 0;
}

/* Replay with every map.  The last one is the best map. */
static int lab_sized_replays(struct lab_sizing *s, struct lab_sized *maps,
			     unsigned int *nr, unsigned int classes,
			     const char *path)
{
	struct cp_map_load load = { };
	unsigned int i;
	int status;

	for (i = 0; i < *nr; i++) {
		status = lab_sizing_replay(s, &maps[i].map, path);
		if (status)
			return status;
		maps[i].measured = s->pages_sum ? s->bytes_sum /
				   (s->pages_sum * PAGE_SIZE) : 0;
		if (!i) {
			lab_sizing_load(s, &load);
			if (cp_best_map(&load, classes, &maps[*nr].map))
				return LAB_FAILED;
			strscpy(maps[*nr].name, "best", CP_NAME_LEN);
			++*nr;
		}
		maps[i].expected = lab_expected(&load, &maps[i].map);
	}
	return 0;
}

static void lab_sized_print(const struct lab_sizing *s,
			    const struct lab_sized *maps, unsigned int nr)
{
	char text[CP_SIZEMAP_TEXT];
	unsigned int i;

	printf("events %lu\nallocations by class %lu\n\n", s->events, s->served);
	printf("%-16s %8s %9s %9s\n", "sizemap", "classes", "expected",
	       "measured");
	for (i = 0; i < nr; i++)
		printf("%-16s %8u %9.4f %9.4f\n", maps[i].name,
		       maps[i].map.count, maps[i].expected, maps[i].measured);
	cp_sizemap_list(&maps[nr - 1].map, text, sizeof(text));
	printf("\n%s\n", text);
}

static void lab_sized_json(const struct lab_sizing *s,
			   const struct lab_sized *maps, unsigned int nr)
{
	char text[CP_SIZEMAP_TEXT];
	unsigned int i;

	printf("{\"events\": %lu, \"by_class\": %lu,\n \"sizemaps\": [", s->events,
	       s->served);
	for (i = 0; i < nr; i++) {
		cp_sizemap_list(&maps[i].map, text, sizeof(text));
		printf("%s\n  {\"name\": \"%s\", \"classes\": %u", i ? "," : "",
		       maps[i].name, maps[i].map.count);
		printf(", \"expected\": %.6f, \"measured\": %.6f,\n   \"list\": [%s]}",
		       maps[i].expected, maps[i].measured, text);
	}
	puts("]}");
}

/*
 * Copy the standard input, as replays read it again.  Return: a path in /proc.
 */
static const char *lab_spool(void)
{
	static char path[32];
	static char buf[65536];
	FILE *file = tmpfile();
	size_t len;

	while (file && (len = fread(buf, 1, sizeof(buf), stdin)))
		if (fwrite(buf, 1, len, file) != len)
			break;
	if (!file || ferror(stdin) || ferror(file) || fflush(file)) {
		perror("lab: a copy of the standard input");
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	return path;
}

static int lab_sizemap_run(const char *path)
{
	const struct lab_sizing_settings *set = &lab_sizing_settings;
	static struct lab_sized maps[LAB_MAPS];
	static struct lab_sizing sizing;
	unsigned int nr, classes = set->classes;
	int status;

	if (!strcmp(path, "-"))
		path = lab_spool();
	if (!path)
		return LAB_FAILED;
	nr = lab_sized_makes(maps, set->map);
	status = lab_sized_replays(&sizing, maps, &nr,
				   classes ?: maps[0].map.count, path);
	if (status)
		return status;
	(set->json ? lab_sized_json : lab_sized_print)(&sizing, maps, nr);
	if (fflush(stdout)) {
		perror("lab: standard output");
		return LAB_FAILED;
	}
	return 0;
}

static bool lab_classes_set(const struct lab_option *o, const char *text)
{
	u64 n;

	if (!lab_number(text, cp_best_map_min(), CP_MAX_CLASSES, &n))
		return false;
	lab_sizing_settings.classes = n;
	return true;
}

static void lab_classes_allowed(const struct lab_option *o, FILE *to)
{
	fprintf(to, "%u to %u", cp_best_map_min(), CP_MAX_CLASSES);
}

static const struct lab_type lab_classes_type = {
	.set = lab_classes_set,
	.allowed = lab_classes_allowed,
};

static const struct lab_option lab_sizemap_options[] = {
	LAB_OWN("classes", "K", lab_classes_type, NULL,
		"classes of the best map, by default as many as brent has"),
	LAB_SIZEMAP(lab_sizing_settings.map, "one more map to compare"),
	LAB_CROSSOVER(),
	LAB_FLAG("json", lab_sizing_settings.json,
		 "print JSON, with the classes of every map"),
	{ }
};

static const struct lab_command lab_sizemap = {
	.name = "sizemap",
	.operand = "TRACE",
	.about =
"\n"
"Makes the size map that suits the requests of TRACE best, and compares it with\n"
"others: storage efficiency (bytes asked for of the bytes of all pages of size\n"
"classes, in the mean over the events) as it is expected, and as measured in a\n"
"replay. The last line is the best map, for --sizemap and sizemap=.\n",
	.options = lab_sizemap_options,
	.run = lab_sizemap_run,
};
LAB_COMMAND(lab_sizemap);
