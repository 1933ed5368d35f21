// SPDX-License-Identifier: GPL-2.0
/* Scripts; see script.h. */
#include "script.h"

struct cp_script *cp_script_start(struct kunit *test, const char *strategy,
				  unsigned int freetol)
{
	struct curpage_cache_args args = {
		.strategy = strategy,
		.freetol = freetol,
		/* So many blocks with red zones as without. */
		.align = PAGE_SIZE / CP_SCRIPT_BLOCKS,
	};
	struct cp_script *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	cp_test_pin(test);
	s->cache = cp_test_cache(test, "kunit-script", args.align - 100, &args);
	s->cache->keep = CP_KEEP_ALL;
	return s;
}

static char name_of(struct kunit *test, struct cp_script *s, void *obj)
{
	struct cp_page *p = cp_test_page(obj);
	unsigned int i = 0;

	KUNIT_ASSERT_NOT_NULL(test, p);
	while (i < s->nr_pages && s->pages[i] != p)
		i++;
	if (i == s->nr_pages) {
		KUNIT_ASSERT_LT(test, i, CP_SCRIPT_PAGES);
		s->pages[s->nr_pages++] = p;
	}
	return 'A' + i;
}

static unsigned int number_of(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The pages of the allocations of this script, which goes on from the last. */
const char *cp_script_run(struct kunit *test, struct cp_script *s,
			  const char *script)
{
	unsigned int n = 0;

	for (; *script; script++) {
		if (*script == '+') {
			void *obj = curpage_cache_alloc(s->cache, GFP_KERNEL);

			KUNIT_ASSERT_LT(test, s->nr_objs, CP_SCRIPT_OBJS);
			s->objs[s->nr_objs++] = obj;
			s->out[n++] = name_of(test, s, obj);
		} else if (*script != ' ') {
			unsigned int nr = number_of(*script);

			KUNIT_ASSERT_NOT_NULL(test, s->objs[nr]);
			curpage_cache_free(s->cache, s->objs[nr]);
			s->objs[nr] = NULL;
		}
	}
	s->out[n] = '\0';
	KUNIT_EXPECT_EQ(test, 0, curpage_check());
	return s->out;
}

void cp_script_end(struct kunit *test, struct cp_script *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_objs; i++)
		curpage_cache_free(s->cache, s->objs[i]);
	cp_test_destroy(test, s->cache);
}

void cp_script_expect(struct kunit *test, struct cp_script *s,
		      const char *pages, const char *script)
{
	KUNIT_EXPECT_STREQ_MSG(test, pages, cp_script_run(test, s, script),
			       "script %s", script);
}
