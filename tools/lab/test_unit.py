# SPDX-License-Identifier: GPL-2.0
"""The KUnit suites and the tests in C: that they pass, and that they can fail."""
import os
import pathlib
import re
import shutil
import subprocess

from planted import plant

HERE = pathlib.Path(__file__).resolve().parent

# Of cp_heap_limit_s2(): a page that may not leave.
TRIED_ONCE = """\
		if (!p->nr_free)
			continue;	/* it was lost, and has left S2 */
		cp_heap_leave(h, p, p->nr_free);
		list_add(&p->list, &stay);
"""

# What mm/ must not do, and the case of unit that has to notice it, or the test of
# kunit (SUITE.TEST): file, what is there, what is put in its place.
UNIT_FAULTS = (
    ("a block of a pool is handed out whose word leads nowhere",
     "a live block on the list of a pool", "strategy_pool.c",
     "	if (unlikely(*bad == CP_BAD_POISON))\n		return NULL;",
     "	if (unlikely(behind > CP_WORD_MAX))\n		return NULL;"),
    ("a pool that is given up takes every small value for a place",
     "a pool that is given up leaves", "heap_by_block.c",
     "place > CP_NIL && cp_pool_has(h, place)",
     "place > CP_NIL && place <= CP_WORD_MAX"),
    ("a cache gives a page away whose blocks are not all free",
     "a cache at its end gives nobody", "heap_whole.c",
     "		page_ref_inc(cp_page_to_page(p));", "		(void)p;"),
    ("a cache cannot be destroyed while the count of live blocks is not 0",
     "a cache with fewer live blocks", "caches.c",
     "	if (live > 0) {\n		cp_report_leak(cache, live, _RET_IP_);",
     "	if (live) {\n		cp_report_leak(cache, live, _RET_IP_);"),
    ("one more page stays for each that may not leave",
     "pages leave beside one that is pinned", "sets.c", TRIED_ONCE, "		keep++;\n"),
    ("one more page stays for each that may not leave",
     "pages leave beside damaged ones", "sets.c", TRIED_ONCE, "		keep++;\n"),
    ("pages of a private cache are counted as to be had",
     "pages of a private cache", "heap_whole.c",
     "	if (unlikely(cp_heap_keeps(h)))\n		return 0;\n"
     "	return cp_peek(h->nr[CP_S2]) + empty;",
     "	return cp_peek(h->nr[CP_S2]) + empty;"),
    ("a page that is linked anew begins at random",
     "a page is linked anew", "heap_free.c",
     "first = cp_block_link_all(h->cache, base, 0);",
     "first = cp_block_link_all(h->cache, base, cp_harden_begin(h->cache));"),
    ("pages of a private cache go to others",
     "curpage_reuse.private_pages_stay_until_the_cache_ends", "sets.c",
     "	return h->cpu == CP_SIDE && h->cache->flags & CURPAGE_PRIVATE_PAGES;",
     "	return false;"),
    ("each fresh page begins with the same block",
     "curpage_harden.order_is_that_of_the_seed", "harden.c",
     "	return cp_harden_below(random, cache->capacity);", "	return random & 0;"),
    ("the walker passes first fit by",
     "curpage_check.run_that_is_broken_is_found", "check.c",
     "cp_arena_check(&cp_arena) + cp_fit_check()", "cp_arena_check(&cp_arena)"),
    ("pages that the system did not lend stay in transit",
     "curpage_arena_pool.room_is_made_in_vain", "arena.c",
     "	a->held -= pages;\n	a->transit -= pages;", "	a->held -= pages;"),
    ("a request fails while a stock could serve it",
     "curpage_stock.request_that_a_stock_serves_has_not_failed", "stock.c",
     "		cp_stock_drain();\n		p = cp_arena_take(",
     "		p = cp_arena_take("),
    ("a page block keeps its contents with init_on_free",
     "curpage_init.page_block_is_zero_if_it_should_be", "pages.c",
     "	if (want_init_on_free())\n		cp_pages_zero(p, order);\n", ""),
    ("a damaged header is not told",
     "curpage_fit.damaged_header_is_told_once", "fit.c",
     "	r->damaged = cp_run_payload(run, run->damaged);\n", ""),
    ("a double free is believed",
     "curpage_misuse.block_freed_twice_in_a_row_is_reported", "free.c",
     "	    cp_heap_has_free(h, p, *nr, pins))", "	    false)"),
    ("CPUs are interrupted again for what is done",
     "curpage_claim.claims_are_wanted_before_anybody_is_interrupted",
     "claim.c", "	cpumask_clear(&cp_claim_owners);\n", ""),
)

# One case ran, and failed: the last line of unit, and of kunit.
ONE_FAILED = r"^0 passed, 1 failed$|^# Totals: pass:0 fail:1 "


def run_unit(suite):
    """The tests in C."""
    done = subprocess.run([suite.unit], check=False, text=True,
                          capture_output=True)
    for line in done.stdout.splitlines():
        result, _, name = line.partition(" - ")
        if result in ("ok", "not ok"):
            suite.say(result == "ok", name)
    if done.returncode:
        print(done.stderr, end="")
    suite.say(" passed, 0 failed" in done.stdout and not done.returncode,
              "the tests in C ran to their end")


def run_kunit(suite):
    """The KUnit suites; KTAP has a line for each test, four spaces deep."""
    done = subprocess.run([suite.unit.parent / "kunit"], check=False,
                          text=True, capture_output=True)
    for result, name in re.findall(r"^ {4}(ok|not ok) \d+ (.*)", done.stdout,
                                   re.M):
        suite.say(result == "ok", name)
    if done.returncode:
        print(done.stdout, done.stderr, sep="", end="")
    suite.say(" fail:0 " in done.stdout and not done.returncode,
              "the KUnit suites ran to their end")


def test_unit_faults(suite):
    """A case fails with the fault that it is for, and passes without."""
    plain = suite.interleave.parent
    for name, case, file, old, new in UNIT_FAULTS:
        out = suite.work / "unit-mutant"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(plain, out)
        folder = plant(suite.work, file, old, new)
        program = "kunit" if case.startswith("curpage_") else "unit"
        subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", HERE,
                        out / program, f"OUT={out}", f"MMDIR={folder}"],
                       check=True)
        good, bad = (subprocess.run([where / program, case], check=False,
                                    text=True, capture_output=True)
                     for where in (plain, out))
        suite.say(not good.returncode and bad.returncode == 1
                  and re.search(ONE_FAILED, bad.stdout, re.M),
                  f"noticed: {name}: {case}", good.stdout + good.stderr
                  + bad.stdout + bad.stderr)
