// SPDX-License-Identifier: GPL-2.0
/*
 * The size map: which class serves a request of a given size.
 *
 * The default is Brent's map (1984, section 5.1) for the real page size.  Sizes
 * of which the same number of blocks fits on a page need not be told apart, so
 * the next class is the largest size of which one block less fits.  Other maps
 * have a ratio from class to class (section 6.1), powers of two, or a list of
 * sizes.
 *
 * Sizes are counted in units of 16 bytes.  8 bytes, counted as 0 units, is a
 * class before the first one.  In every map each power of two from one unit on
 * is a class, so that such a request gets a block aligned to its size.  Brent's
 * map has these classes by itself, as p / 2^k is exact.
 */
#include "base/kernel.h"
#include "size/sizemap.h"

#define CP_RHO_ONE	1000	/* ratios are in thousandths */
#define CP_RHO_MAX	(8 * CP_RHO_ONE)
#define CP_RHO_PREFIX	"geometric:"

static struct cp_sizemap cp_sizes __ro_after_init;
static u8 cp_class_of[CP_PAGE_UNITS + 1] __ro_after_init;	/* by units */

static __printf(2, 3) int cp_sizemap_refuse(char *why, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, CP_SIZEMAP_WHY, fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Check whether every map must have this class. */
bool cp_sizemap_must(unsigned int units)
{
	return units == CP_PAGE_UNITS ||
	       (CP_MAP_POWERS && units && is_power_of_2(units));
}

/*
 * Collect the classes of a map, each marked in an array by units, and those
 * that every map must have.  Return: -EINVAL if there are too many; map->count
 * says how many.
 */
static int cp_sizemap_collect(struct cp_sizemap *map, const bool *classes)
{
	unsigned int units, count = 0;

	for (units = CP_UNITS_MIN; units <= CP_PAGE_UNITS; units++) {
		if (!classes[units] && !cp_sizemap_must(units))
			continue;
		if (count < CP_MAX_CLASSES)
			map->size[count] = cp_sizemap_bytes(units);
		count++;
	}
	map->count = count;
	return count <= CP_MAX_CLASSES ? 0 : -EINVAL;
}

static void cp_sizemap_brent(bool *classes)
{
	unsigned int units = 1;

	for (;;) {
		classes[units] = true;
		if (units == CP_PAGE_UNITS)
			break;
		units = max(units + 1, (unsigned int)CP_PAGE_UNITS /
				       ((unsigned int)CP_PAGE_UNITS / units - 1));
	}
}

static void cp_sizemap_geometric(bool *classes, unsigned int rho)
{
	unsigned int units;

	for (units = 1; units < CP_PAGE_UNITS;
	     units = max(units + 1, units * rho / CP_RHO_ONE))
		classes[units] = true;
}

/*
 * Parse a decimal from 1.001 to 8 with at most three places.  Return:
 * thousandths; 0 if the text is no such number.
 */
static unsigned int cp_sizemap_rho(const char *text)
{
	unsigned int rho = 0, place = CP_RHO_ONE;

	if (!isdigit(*text))
		return 0;
	rho = (*text++ - '0') * place;
	if (*text && (*text++ != '.' || !isdigit(*text)))
		return 0;
	for (; isdigit(*text) && place > 1; text++) {
		place /= 10;
		rho += (*text - '0') * place;
	}
	return *text || rho <= CP_RHO_ONE || rho > CP_RHO_MAX ? 0 : rho;
}

static int cp_sizemap_make_geometric(struct cp_sizemap *map, bool *classes,
				     const char *text, char *why)
{
	map->rho = cp_sizemap_rho(text + strlen(CP_RHO_PREFIX));
	if (!map->rho)
		return cp_sizemap_refuse(why,
					 "%.40s: must be geometric:RHO with RHO from 1.001 to 8, at most 3 decimals",
					 text);
	cp_sizemap_geometric(classes, map->rho);
	if (cp_sizemap_collect(map, classes))
		return cp_sizemap_refuse(why,
					 "%.40s: makes %u classes, must make at most %u",
					 text, map->count, CP_MAX_CLASSES);
	return 0;
}

/*
 * Check the nr-th entry of a list, after an entry of last bytes.  Return: 0, or
 * -EINVAL with the reason in why.
 */
static int cp_sizemap_judge(unsigned int nr, unsigned long value,
			    unsigned int last, char *why)
{
	unsigned int power = last < CP_UNIT ? CP_UNIT :
					      2U << ilog2(last);

	if (value < CP_SIZE_MIN)
		return cp_sizemap_refuse(why,
					 "entry %u, %lu: must be at least %u",
					 nr, value, CP_SIZE_MIN);
	if (value != CP_SIZE_MIN && value % CP_UNIT)
		return cp_sizemap_refuse(why,
					 "entry %u, %lu: must be %u or a multiple of %u",
					 nr, value, CP_SIZE_MIN, CP_UNIT);
	if (value <= last)
		return cp_sizemap_refuse(why,
					 "entry %u, %lu: must be more than %u, the one before",
					 nr, value, last);
	if (CP_MAP_POWERS && value > power)
		return cp_sizemap_refuse(why,
					 "entry %u, %lu: must be at most %u, no power of two from %u on may be left out",
					 nr, value, power, CP_UNIT);
	if (nr > CP_MAX_CLASSES)
		return cp_sizemap_refuse(why,
					 "entry %u, %lu: must not be there, at most %u are allowed",
					 nr, value, CP_MAX_CLASSES);
	return 0;
}

/*
 * Parse a number.  It stops growing once it is beyond U32_MAX, which is too
 * large in any case.  Return: where the number ends.
 */
static const char *cp_sizemap_number(const char *text, unsigned long *value)
{
	for (*value = 0; isdigit(*text); text++)
		if (*value < U32_MAX)
			*value = *value * 10 + (*text - '0');
	return text;
}

static int cp_sizemap_make_list(struct cp_sizemap *map, const char *text,
				char *why)
{
	unsigned int last = 0, nr = 0;
	unsigned long value;
	const char *end;
	int err;

	do {
		end = cp_sizemap_number(text, &value);
		nr++;
		if (end == text || (*end && *end != ','))
			return cp_sizemap_refuse(why,
					 "entry %u, '%.*s': must be a number",
					 nr, min_t(int, strcspn(text, ","), 20),
					 text);
		if (value > PAGE_SIZE)
			return cp_sizemap_refuse(why,
					 "entry %u, %.*s: must be at most %lu, the page size",
					 nr, min_t(int, end - text, 20), text,
					 PAGE_SIZE);
		err = cp_sizemap_judge(nr, value, last, why);
		if (err)
			return err;
		map->size[nr - 1] = value;
		last = value;
		text = end + 1;
	} while (*end);
	if (last != PAGE_SIZE)
		return cp_sizemap_refuse(why,
					 "entry %u, %u: the last one must be %lu, the page size",
					 nr, last, PAGE_SIZE);
	map->count = nr;
	return 0;
}

/**
 * cp_sizemap_make - make a map from its description
 * @map: the map to fill in
 * @text: brent, geometric:RHO, powers, or sizes with commas between them
 * @why: buffer of CP_SIZEMAP_WHY bytes; if @text is refused, it says what is
 *	wrong and what is allowed
 *
 * Return: 0 or -EINVAL.
 */
int cp_sizemap_make(struct cp_sizemap *map, const char *text, char *why)
{
	bool classes[CP_PAGE_UNITS + 1] = { [0] = true };

	map->rho = 0;
	map->kind = CP_MAP_LIST;
	if (isdigit(*text))
		return cp_sizemap_make_list(map, text, why);
	map->kind = CP_MAP_GEOMETRIC;
	if (!strncmp(text, CP_RHO_PREFIX, strlen(CP_RHO_PREFIX)))
		return cp_sizemap_make_geometric(map, classes, text, why);
	map->kind = CP_MAP_BRENT;
	if (!strcmp(text, "brent")) {
		cp_sizemap_brent(classes);
		return cp_sizemap_collect(map, classes);
	}
	map->kind = CP_MAP_POWERS_OF_2;
	if (!strcmp(text, "powers")) {
		cp_sizemap_geometric(classes, 2 * CP_RHO_ONE);
		return cp_sizemap_collect(map, classes);
	}
	return cp_sizemap_refuse(why,
				 "%.40s: must be brent, geometric:RHO, powers or a list of sizes",
				 text);
}

/* Make the map of the marked classes, of which there are not too many. */
void cp_sizemap_make_marked(struct cp_sizemap *map, const bool *classes)
{
	map->kind = CP_MAP_LIST;
	map->rho = 0;
	WARN_ON_ONCE(cp_sizemap_collect(map, classes));
}

/* Write the kind of a map, as the parameter has it. */
void cp_sizemap_name(const struct cp_sizemap *map, char *buf, size_t size)
{
	static const char * const names[] = {
		[CP_MAP_BRENT] = "brent",
		[CP_MAP_GEOMETRIC] = "geometric",
		[CP_MAP_POWERS_OF_2] = "powers",
		[CP_MAP_LIST] = "list",
	};

	if (map->kind == CP_MAP_GEOMETRIC)
		snprintf(buf, size, CP_RHO_PREFIX "%u.%03u",
			 map->rho / CP_RHO_ONE, map->rho % CP_RHO_ONE);
	else
		snprintf(buf, size, "%s", names[map->kind]);
}

/* Write the classes of a map, as the parameter takes them. */
void cp_sizemap_list(const struct cp_sizemap *map, char *buf, size_t size)
{
	unsigned int class;
	size_t len = 0;

	for (class = 0; class < map->count; class++)
		len += scnprintf(buf + len, size - len, "%s%u",
				 class ? "," : "", map->size[class]);
}

/* Use a map from now on.  Called before there are caches. */
void __init cp_sizemap_use(const struct cp_sizemap *map)
{
	unsigned int class = 0, units;

	cp_sizes = *map;
	for (units = CP_UNITS_MIN; units <= CP_PAGE_UNITS; units++) {
		if (cp_sizemap_bytes(units) > map->size[class])
			class++;
		cp_class_of[units] = class;
	}
}

int __init cp_sizemap_init(const char *text)
{
	struct cp_sizemap map;
	char why[CP_SIZEMAP_WHY];
	int err;

	err = cp_sizemap_make(&map, text, why);
	if (err)
		pr_err("parameter sizemap: %s\n", why);
	else
		cp_sizemap_use(&map);
	return err;
}

const struct cp_sizemap *cp_sizemap_used(void)
{
	return &cp_sizes;
}

/* Return: the class of a size from 1 to PAGE_SIZE bytes. */
unsigned int cp_sizemap(size_t size)
{
	return cp_class_of[cp_sizemap_units(size)];
}

unsigned int cp_sizemap_size(unsigned int class)
{
	return cp_sizes.size[class];
}

unsigned int cp_sizemap_count(void)
{
	return cp_sizes.count;
}
