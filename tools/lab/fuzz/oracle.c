// SPDX-License-Identifier: GPL-2.0
/* Log the calls, and judge whether the reports of each are the right ones. */
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"

#define FUZZ_LOG	20

struct fuzz fuzz;
struct fuzz_counts *fuzz_counts;

/* The last calls, printed only when a round fails. */
static struct {
	const char *fmt;
	u64 op, a, b, c;
} fuzz_last[FUZZ_LOG];
static unsigned int fuzz_nr_last;

/*
 * Reports that the current call must (sure) or may (unsure) cause; their kinds.
 */
static struct {
	unsigned int sure, unsure, kinds;
} fuzz_due;

/* Reports and messages that have been judged. */
static unsigned long fuzz_seen[CP_NR_BAD], fuzz_messages;

/* Return: an address as it is printed, counted from the start of memory. */
u64 fuzz_at(const void *addr)
{
	return virt_addr_valid(addr) ? (char *)addr - lab.memory : (u64)addr;
}

void fuzz_log(const char *fmt, u64 a, u64 b, u64 c)
{
	unsigned int i = fuzz_nr_last++ % FUZZ_LOG;

	fuzz_last[i].fmt = fmt;
	fuzz_last[i].op = fuzz.op;
	fuzz_last[i].a = a;
	fuzz_last[i].b = b;
	fuzz_last[i].c = c;
}

static void fuzz_print_again(void)
{
	const struct fuzz_settings *s = fuzz.settings;
	unsigned int i;

	fprintf(stderr, "once more: lab fuzz --seed %lu --ops %lu", fuzz.seed,
		fuzz.op + 1);
	if (s->misuse != 100)
		fprintf(stderr, " --misuse %lu", s->misuse);
	if (s->strategy)
		fprintf(stderr, " --strategy %s", s->strategy->name);
	for (i = 0; s->kinds != BIT(FUZZ_NR_MISUSES) - 1 &&
	     i < FUZZ_NR_MISUSES; i++)
		if (s->kinds & BIT(i))
			fprintf(stderr, "%s%s", s->kinds & (BIT(i) - 1) ?
				"," : " --kinds ", fuzz_misuse_names[i]);
	fprintf(stderr, "\n");
}

static void fuzz_print_last(void)
{
	unsigned int i;

	fprintf(stderr, "the last calls, addresses from the start of memory:\n");
	for (i = 0; i < FUZZ_LOG; i++) {
		unsigned int at = (fuzz_nr_last + i) % FUZZ_LOG;

		if (!fuzz_last[at].fmt)
			continue;
		fprintf(stderr, "  op %lu: ", fuzz_last[at].op);
		fprintf(stderr, fuzz_last[at].fmt, fuzz_last[at].a,
			fuzz_last[at].b, fuzz_last[at].c);
		fprintf(stderr, "\n");
	}
	fuzz_print_again();
}

void fuzz_fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "lab: fuzz: seed %lu, op %lu: ", fuzz.seed, fuzz.op);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
	fuzz_print_last();
	_exit(LAB_FAILED);
}

static void fuzz_signal(int sig)
{
	fuzz_fail("%s", sig == SIGALRM ? "a call does not end" :
		  strsignal(sig));
}

/* Called after the sanitizer has printed what it found. */
static void __attribute__((__unused__)) fuzz_sanitizer(void)
{
	fprintf(stderr, "lab: fuzz: seed %lu, op %lu: see above\n", fuzz.seed,
		fuzz.op);
	fuzz_print_last();
}

void fuzz_oracle_init(void)
{
	signal(SIGABRT, fuzz_signal);
	signal(SIGALRM, fuzz_signal);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_set_death_callback(fuzz_sanitizer);
#else
	signal(SIGSEGV, fuzz_signal);
	signal(SIGBUS, fuzz_signal);
	signal(SIGFPE, fuzz_signal);
#endif
}

/*
 * Expect a report of one of these kinds from the next call; none if not sure.
 */
void fuzz_expect(unsigned int kinds, bool sure)
{
	fuzz_counts->offences++;
	fuzz_due.kinds |= kinds;
	if (sure)
		fuzz_due.sure++;
	else
		fuzz_due.unsure++;
}

static void fuzz_fail_reports(const unsigned long *new, const char *why)
{
	char told[200] = "", due[200] = "";
	unsigned int kind;

	for (kind = 0; kind < CP_NR_BAD; kind++) {
		size_t told_len = strlen(told), due_len = strlen(due);

		if (new[kind])
			snprintf(told + told_len, sizeof(told) - told_len,
				 " %lu %s", new[kind], cp_bad_stat_name[kind]);
		if (fuzz_due.kinds & BIT(kind))
			snprintf(due + due_len, sizeof(due) - due_len,
				 "%s %s", due_len ? "," : " of",
				 cp_bad_stat_name[kind]);
	}
	fuzz_fail("%s: reported%s, expected %u to %u%s", why,
		  *told ? told : " nothing", fuzz_due.sure,
		  fuzz_due.sure + fuzz_due.unsure, due);
}

/*
 * Check the kinds of the reports.  Overwritten memory may cause reports in any
 * call.  After a wrong free that went untold, a right call may be refused.
 */
static void fuzz_judge_kinds(const unsigned long *new)
{
	unsigned int kinds = fuzz_due.kinds, kind;

	if (fuzz_damages() || fuzz.unsure)
		kinds |= BIT(CP_BAD_POISON) | BIT(CP_BAD_REDZONE);
	/* In a pool a damaged link may lead to a block that is live. */
	if (fuzz.unsure || (fuzz_damages() && fuzz.pooled))
		kinds |= BIT(CP_BAD_DOUBLE);
	for (kind = 0; kind < CP_NR_BAD; kind++)
		if (new[kind] && !(kinds & BIT(kind)))
			fuzz_fail_reports(new, "a kind that cannot be");
}

/* Check the number: an overwritten place is reported once at most. */
static void fuzz_judge_number(const unsigned long *new, unsigned long planned,
			      unsigned long stray)
{
	unsigned long most = fuzz_due.sure + fuzz_due.unsure;
	unsigned long told = stray + cp_up_to(planned, most);

	if (planned < fuzz_due.sure)
		fuzz_fail_reports(new, "an offence went untold");
	if (fuzz.unsure && told && new[CP_BAD_DOUBLE])
		fuzz.refused = true;
	if (told > fuzz_damages() && !fuzz.unsure)
		fuzz_fail_reports(new, "reported too often");
	if (told)
		fuzz_damage_told(min_t(unsigned long, told, fuzz_damages()));
}

/* Judge the reports of a call.  Return: how many of the expected ones came. */
unsigned int fuzz_judge(void)
{
	unsigned long new[CP_NR_BAD], planned = 0, stray = 0;
	unsigned int kind;

	for (kind = 0; kind < CP_NR_BAD; kind++) {
		unsigned long count = cp_report_count(kind);

		new[kind] = count - fuzz_seen[kind];
		fuzz_seen[kind] = count;
		fuzz_counts->told[kind] += new[kind];
		if (fuzz_due.kinds & BIT(kind))
			planned += new[kind];
		else
			stray += new[kind];
	}
	fuzz_judge_kinds(new);
	fuzz_judge_number(new, planned, stray);
	if (lab.messages - fuzz_messages > planned + stray)
		fuzz_fail("a message that is no report: %s", lab.said);
	fuzz_messages = lab.messages;
	memset(&fuzz_due, 0, sizeof(fuzz_due));
	fuzz_others_look();
	return planned;
}

/* Judge a call that makes a cache, which may print a message. */
void fuzz_judge_made(void)
{
	fuzz_messages = lab.messages;
	fuzz_judge();
}

/* Run the walker, which must find nothing unless memory was overwritten. */
void fuzz_judge_check(void)
{
	int broken;

	fuzz_counts->checks++;
	fuzz_log("cpu %lu: check()", lab.cpu, 0, 0);
	broken = curpage_check();
	if (broken && fuzz_quiet()) {
		lab.quiet = false;	/* again, printed */
		curpage_check();
		fuzz_fail("curpage_check() found %d broken, see above",
			  broken);
	}
	fuzz_messages = lab.messages;
	fuzz_judge();
}
