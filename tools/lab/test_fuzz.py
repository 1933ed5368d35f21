# SPDX-License-Identifier: GPL-2.0
"""Tests of lab fuzz: that it finds nothing, and that it would."""
import os
import pathlib
import re
import shutil
import subprocess

from planted import plant

HERE = pathlib.Path(__file__).resolve().parent

OPS = 10000000
FAULT_OPS = 400000
SECONDS = 1800      # for all of OPS, under the sanitizers

# What does not write over memory, nor frees twice.
PLAIN = "cache,inside,foreign,order,leak"
# Where each offence has to be told.
CERTAIN = PLAIN + ",double,bulk"

# What mm/ must not do, by the rule of the oracle that has to notice it: file,
# what is there, what is put in its place, what the fuzzer says, kinds of misuse.
FUZZ_FAULTS = (
    ("a block that is handed out stays on its list", "fast.h",
     "	h->free = next;\n	h->stat[CP_ALLOC]++;", "	h->stat[CP_ALLOC]++;",
     "a kind that cannot be: reported 1 bad_poison", PLAIN),
    ("a block is handed out whose word was written over", "block.c",
     "			if (next != CP_NIL)\n				break;\n", "",
     "which was written over while it was free", "late"),
    ("a page block that is handed out stays in stock", "stock.h",
     "			s->nr[order] = nr - 1;\n", "",
     "is handed out, ", PLAIN),
    ("looking up a size writes to the block", "size.c",
     "		size = cp_page_heap(p)->cache->size;\n",
     "		size = cp_page_heap(p)->cache->size;\n"
     "		if (size > 8)\n			((char *)obj)[size - 1] ^= 1;\n",
     "not the contents that its owner wrote", PLAIN),
    ("looking at a foreign page writes to its struct page", "page.c",
     "	return cp_page_ours(p) ? p : NULL;",
     "	if (!cp_page_ours(p))\n		p->nr_free++;\n"
     "	return cp_page_ours(p) ? p : NULL;",
     "the struct page of", PLAIN),
    ("a page is written to after it went back", "system.c",
     "		__free_page(cp_page_to_page(p + i));",
     "		__free_page(cp_page_to_page(p + i));\n"
     "		*(char *)cp_page_base(p + i) = 0;",
     "AddressSanitizer: use-after-poison", PLAIN),
    ("a page goes back with something in its struct page", "page.c",
     "	page->cp_page_index = 0;", "	page->cp_page_index = 1;",
     "Aborted", PLAIN),
    ("a block of another cache goes untold", "cache.c",
     "		bad = cp_free_astray(cache, p, obj, &blocks, caller);\n	if (bad)\n",
     "		bad = cp_free_astray(cache, p, obj, &blocks, caller);\n	if (0)\n",
     "an offence went untold", PLAIN),
    ("a block of another cache is told twice", "cache.c",
     "		bad = cp_free_astray(cache, p, obj, &blocks, caller);\n	if (bad)\n",
     "		bad = cp_free_astray(cache, p, obj, &blocks, caller);\n	if (bad)\n"
     "		cp_report(bad, cache, obj, caller);\n	if (bad)\n",
     "reported too often", PLAIN),
    ("a wrong order is told as something else", "pages.c",
     "			return CP_BAD_ORDER;", "			return CP_BAD_INSIDE;",
     "a kind that cannot be", PLAIN),
    ("the last block of a page cannot be freed elsewhere", "remote.h",
     "old.nr_remote + n > cache->capacity",
     "old.nr_remote + n >= cache->capacity",
     "a kind that cannot be: reported 1 bad_double", PLAIN),
    ("a double free is not looked for", "cache.c",
     "	if (unlikely(cp_word_may_be_free(h->cache,\n"
     "					 CP_WORD_AT(obj + h->cache->link))) &&\n"
     "	    cp_heap_has_free(h, p, *nr, pins))",
     "	if (0)",
     "an offence went untold", "double"),
    ("a page leaves without a look at its blocks", "sets.c",
     "	if (unlikely(taken)) {", "	if (0) {", "", "late-double"),
    ("a red zone is not looked at", "debug.c",
     "	if (!cp_debug_red_ok(cache, obj) || state != CP_TRACK_LIVE) {",
     "	if (state != CP_TRACK_LIVE) {",
     "an offence went untold", "overflow"),
    ("frees are not counted", "heap_free.c",
     "	h->stat[CP_FREED] += n;\n	cp_heap_put", "	cp_heap_put",
     "destroying a cache with 0 live blocks returned", PLAIN),
    ("blocks are not constructed", "block.c",
     "			cache->ctor(obj);", "			continue;",
     "not as it was constructed", PLAIN),
    ("a block is not zero that was asked to be", "cache.c",
     "	if (want_init_on_alloc(gfp) || want_init_on_free())",
     "	if (want_init_on_free())",
     "is not zero", PLAIN),
    ("a size is told too small", "size.c",
     "size = cp_page_heap(p)->cache->size;",
     "size = cp_page_heap(p)->cache->size - 1;",
     "ksize(", PLAIN),
    ("first fit aligns nothing", "fit.c",
     "		r->align = max_t(unsigned int, size, align);",
     "		r->align = align;",
     "is not aligned", PLAIN),
    ("pages stay behind in the end", "pages.c",
     "	cp_arena_trim(&cp_arena, 0);", "",
     "pages are held", PLAIN),
    ("a cache leaves its memory behind", "caches.c",
     "	free_percpu(cache->heaps);\n", "",
     "objects are held", PLAIN),
)

BAD_OPTIONS = (
    (("--seed", "-1"), "--seed '-1': must be 0 to 18446744073709551615"),
    (("--seed", "18446744073709551616"), "must be 0 to 18446744073709551615"),
    (("--ops", "0"), "--ops '0': must be 1 to 1000000000000"),
    (("--ops", "1000000000001"), "must be 1 to 1000000000000"),
    (("--ops",), "--ops needs a value: 1 to 1000000000000"),
    (("--misuse", "1001"), "--misuse '1001': must be 0 to 1000"),
    (("--kinds", "double,none"), "'double,none': must be some of double,bulk"),
    (("--strategy", "best"), "'best': must be mru, "),
    (("--fast",), "unknown option '--fast': must be one of --help, --seed"),
    (("trace",), "'trace' is too much"),
)


def fuzz(program, *args):
    """A run of the fuzzer."""
    return subprocess.run([program, *map(str, args)], check=False, text=True,
                          capture_output=True, timeout=SECONDS)


def test_fuzz(suite):
    """Random calls, right and wrong: no fault; the same for the same seed."""
    done = fuzz(suite.lab, "fuzz", "--seed", 1, "--ops", OPS)
    suite.say(not done.returncode and not done.stderr
              and done.stdout.startswith(f"{OPS} operations"),
              f"fuzz: {OPS:,} operations under the sanitizers: no fault",
              done.stdout + done.stderr)
    done = fuzz(suite.lab, "fuzz", "--seed", suite.seed, "--ops", OPS // 10,
                "--kinds", CERTAIN)
    suite.say(not done.returncode and not done.stderr,
              "fuzz: a seed of this run, nothing written over: no fault",
              done.stdout + done.stderr)
    one, two, other = (fuzz(suite.lab, "fuzz", "--kinds", PLAIN, "--seed", seed,
                            "--ops", 60000) for seed in (5, 5, 6))
    suite.say(not one.returncode and one.stdout == two.stdout != other.stdout,
              "fuzz: the same seed, the same calls",
              f"{one.stdout}{one.stderr} and {two.stdout} and {other.stdout}")


def test_fuzz_options(suite):
    """Bad arguments are named, with what is allowed."""
    for args, word in BAD_OPTIONS:
        done = fuzz(suite.lab, "fuzz", *args)
        suite.say(done.returncode == 2 and not done.stdout
                  and word in done.stderr,
                  f"refused: lab fuzz {' '.join(args)}", done.stderr)


def mutant(suite, file, old, new):
    """The fuzzer with another mm/."""
    out = suite.work / "fuzz-mutant"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(suite.lab.parent / "fuzz", out / "fuzz")
    shutil.copy2(suite.lab.parent / "strategies", out)
    folder = plant(suite.work, file, old, new)
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", HERE, "lab-fuzz",
                    f"OUT={out}", f"MMDIR={folder}", "SAN=1"], check=True)
    return out / "lab-fuzz"


def fault_is_found(suite, fault):
    """How a planted fault is not found as it should, or nothing."""
    _, file, old, new, rule, kinds = fault
    try:
        program = mutant(suite, file, old, new)
    except RuntimeError as why:
        return str(why)
    done = fuzz(program, "--ops", FAULT_OPS, "--kinds", kinds)
    if done.returncode != 1 or rule not in done.stderr:
        return f"exit {done.returncode}: {done.stdout}{done.stderr}"
    # What is printed to run it once more fails alike.
    again = re.search(r"^once more: lab fuzz (.*)$", done.stderr, re.M)
    if not again:
        return f"cannot be run once more: {done.stderr}"
    done = fuzz(program, *again[1].split())
    return "" if rule in done.stderr else f"once more: {done.stderr}"


def test_fuzz_faults(suite):
    """The fuzzer can fail: each rule of the oracle finds what breaks it."""
    for fault in FUZZ_FAULTS:
        why = fault_is_found(suite, fault)
        suite.say(not why, f"fuzz: noticed: {fault[0]}", why)
