# SPDX-License-Identifier: GPL-2.0
"""What the tables of Vavrenyuk and others 2016 have in common: tests of one
allocator with other random numbers each, and their averages."""
import itertools
import math
import statistics

import instructions
from vavrenyuk_paper import TABLES, Test

NEAR = 2                # points of efficiency
NEAR_LIVE = 2           # percent, of blocks and bytes that are live
STAYS = {"x86": 8, "x64": 16}   # bytes: two words
SHORTER = 50000         # iterations; all in the short form, and what is timed
SHORT_TESTS = 10
BESIDE = 5              # tests of what is beside the paper's tables
PASSES = 5

NAMES = {"malloc": "malloc of the C library", "first-fit": "first fit",
         "best-fit": "best fit", "worst-fit": "worst fit"}

def title(number):
    table = TABLES[number]
    return (f"Vavrenyuk, Table {number}: {NAMES[table.what]}, "
            f"{table.iterations:,} iterations, {table.machine}")


def engine(what, machine="x64"):
    """Its name in the lab; malloc is that of this machine for either."""
    if what == "malloc":
        return what
    return f"vavrenyuk-{what}" + ("-x86" if machine == "x86" else "")


def engines(iterations=None):
    """All of the tables of so many iterations, or of all; malloc is first."""
    return ["malloc", *(engine(t.what, t.machine) for t in TABLES.values()
                        if iterations in (None, t.iterations)
                        and t.what != "malloc"
                        and (iterations or t.iterations == SHORTER
                             or t.machine == "x64"))]


def words(names, iterations, *options):
    return ("lab", "engine", "--engine", ",".join(names), "--json", *options,
            f"vavrenyuk-{iterations}")


def start(lab, key):
    return lab.once(key, lab.run, key)


def results(lab, names, iterations, tests):
    """What came out, for each test; seeds are numbers from 1."""
    return [job.result() for job in
            [start(lab, words(names, iterations, "--drain", "--seed",
                              str(seed + 1))) for seed in range(tests)]]


def found(data, name):
    """The figures of an engine, which the C library's always has."""
    return next(e for e in data["engines"] if e["name"] == name)


def ran(data, name):
    return found(data, name)["ran"]


def test_of(data, name):
    got = found(data, name)
    return Test(None, data["load"]["blocks_end"], data["load"]["live_end"],
                got["used_end"], got["used_after"])


def efficiency(test):
    return 100 * test.size / test.area


def average(values):
    """The mean, and half the width of its 95 % confidence interval."""
    quantile = {5: 2.78, 10: 2.26}[len(values)]
    return (statistics.fmean(values),
            quantile * statistics.stdev(values) / math.sqrt(len(values)))


def ours(lab, number):
    """The same tests here, as many; in the short form always the shorter."""
    table = TABLES[number]
    name = engine(table.what, table.machine)
    if lab.short:
        data = results(lab, engines(), SHORTER, SHORT_TESTS)
    else:
        data = results(lab, engines(table.iterations), table.iterations,
                       len(table.tests))
    return [test_of(test, name) for test in data]


def row(label, theirs, got):
    """A test of the paper's beside one of ours; either may be missing."""
    def pair(figure):
        return [None if test is None else figure(test)
                for test in (theirs, got)]
    return [label, *pair(lambda t: t.blocks), *pair(lambda t: t.size),
            *pair(lambda t: t.area), *pair(efficiency),
            *pair(lambda t: t.after)]


def mean_test(tests):
    return Test(*(round(statistics.fmean(column)) if column[0] is not None
                  else None for column in zip(*tests)))


def main_table(lab, number, tests):
    theirs = TABLES[number].tests
    rows = [row(str(i + 1), *pair) for i, pair in
            enumerate(itertools.zip_longest(theirs, tests))]
    means = [average([efficiency(t) for t in of]) for of in (theirs, tests)]
    last = row("Average", mean_test(theirs), mean_test(tests))
    last[7:9] = [mean for mean, _ in means]
    rows += [last, ["+-", *[None] * 6, *[half for _, half in means], None,
                    None]]
    lab.table(title(number), ["Test", "Blocks, paper", "ours", "Bytes, paper",
                              "ours", "Area, paper", "ours",
                              "Efficiency %, paper", "ours",
                              "Area after all is freed, paper", "ours"], rows,
              note="Test by test the random numbers are not the paper's; +- is "
              "95 % confidence of the average." +
              (f" Short form: ours has {SHORTER:,} iterations." if lab.short
               else ""))


def judge_load(lab, number, tests):
    """The blocks that are live at the end do not depend on the allocator."""
    for figure, text in (("blocks", "blocks"), ("size", "bytes")):
        paper = statistics.fmean(getattr(t, figure)
                                 for t in TABLES[number].tests)
        mine = statistics.fmean(getattr(t, figure) for t in tests)
        lab.check(abs(mine / paper - 1) <= NEAR_LIVE / 100,
                  f"{mine:,.0f} {text} are live at the end, within "
                  f"{NEAR_LIVE} % of the paper's {paper:,.0f}")


def judge(lab, number, tests):
    """The list of free areas: how well it uses memory, and leaves none."""
    table = TABLES[number]
    paper = average([efficiency(t) for t in table.tests])[0]
    mine = average([efficiency(t) for t in tests])[0]
    text = (f"{NAMES[table.what]}, {table.machine}: efficiency {mine:.2f} % is "
            f"within {NEAR} points of the paper's {paper:.2f}")
    if lab.short and table.iterations > SHORTER and table.machine == "x86":
        lab.note(f"Not judged here, as the test is shorter: {text}")
    else:
        lab.check(abs(mine - paper) <= NEAR, text)
    after = max(t.after for t in tests)
    stays = STAYS[table.machine]
    lab.check(after <= stays, f"{NAMES[table.what]}, {table.machine}: "
              f"{after} bytes stay when all is freed, at most {stays}")


def malloc_table(number):
    """That of the same tests."""
    table = TABLES[number]
    return next(n for n, t in TABLES.items() if t.what == "malloc" and
                (t.machine, t.iterations) == (table.machine, table.iterations))


def timed(lab):
    """All engines on the same requests, with their times."""
    return start(lab, words(engines(), SHORTER, "--time",
                            str(PASSES))).result()


def counted(lab):
    """All engines' instructions; too slow for the short form."""
    if lab.short:
        return None
    key = words(engines(), SHORTER, "--seed", "1")
    return lab.once(("instructions", key), instructions.run, lab, key).result()


def costs(lab):
    """What the paper would rather count than time."""
    data, counts = timed(lab), counted(lab)
    rows = []
    for name in engines()[1:]:
        got = found(data, name)
        freed = got["requests"] - got["allocs"]
        ratio = (sum(found(counts, name)["instructions"]) /
                 sum(found(counts, "malloc")["instructions"])) if counts else None
        rows.append([name, ratio and f"{ratio:.1f}",
                     round(got["items_alloc"] / got["allocs"]),
                     round((got["items"] - got["items_alloc"]) / freed)])
    lab.table("Cost, not in the paper",
              ["Engine", "Instructions by malloc's",
               "Items looked at by an allocation", "by a free"], rows)


def times(lab, number):
    """By the time of malloc in the same run; never a time alone."""
    table = TABLES[number]
    data = timed(lab)
    got = found(data, engine(table.what, table.machine))
    malloc = found(data, "malloc")
    paper = [statistics.fmean(t.time for t in TABLES[n].tests)
             for n in (number, malloc_table(number))]
    more = 1e6 * (got["seconds"] - malloc["seconds"]) / got["allocs"]
    rows = [["time by malloc's", f"{paper[0] / paper[1]:.2f}",
             f"{got['seconds'] / malloc['seconds']:.1f}"],
            ["microseconds an iteration more than malloc",
             f"{1e3 * (paper[0] - paper[1]) / table.iterations:.1f}",
             f"{more:.2f}"]]
    lab.inexact("Time, by malloc's in the same run",
              ["", "Paper, the whole test", "Ours, the requests alone"], rows,
              note=f"Ours: medians of {PASSES} passes of {SHORTER:,} "
              "iterations. The paper's test also fills and checks each block "
              "and takes one off up to 5,000 lifetimes in each iteration, of "
              "which its time mostly is; the two cannot be compared.")


def run_malloc(lab, number):
    """A table of malloc: his is another version, so nothing is held against it
    but that it keeps what the list of free areas gives back."""
    tests = ours(lab, number)
    main_table(lab, number, tests)
    judge_load(lab, number, tests)
    kept = min(t.after for t in tests)
    most = max(STAYS.values())
    lab.check(kept > most, f"malloc keeps {kept:,} bytes or more when all is "
              f"freed; the list of free areas {most} or less")


def run(lab, number):
    """A table of the list of free areas."""
    tests = ours(lab, number)
    main_table(lab, number, tests)
    times(lab, number)
    judge(lab, number, tests)


def peers(lab):
    """Allocators of today on the same requests."""
    names = ("malloc", "jemalloc", "mimalloc", "vavrenyuk-first-fit",
             "vavrenyuk-best-fit", "vavrenyuk-worst-fit")
    data = results(lab, names, 50000, BESIDE)
    rows = []
    for name in names:
        if not ran(data[0], name):
            lab.note(f"{name}: {found(data[0], name)['why']}")
            continue
        tests = [test_of(d, name) for d in data]
        mean = mean_test(tests)
        rows.append([name, mean.area, *average([efficiency(t) for t in tests]),
                     mean.after])
    lab.inexact("Allocators of today, 50,000 iterations",
              ["Allocator", "Area", "Efficiency %", "+-",
               "Area after all is freed"], rows,
              note="Of malloc the pages of its heap that are there; of jemalloc "
              "and mimalloc those of their mappings, tables and all. After all "
              "is freed means at once: what they would give back after a "
              "while is still theirs. They are made for many more blocks.")


def readings(lab):
    """How the figures move with what was assumed."""
    ways = (("first fit", "first-fit"),
            ("best fit, ends at a block given whole", "best-fit"),
            ("best fit of the whole list", "best-fit-strict"),
            ("worst fit, ends at a block given whole", "worst-fit"),
            ("worst fit of the whole list", "worst-fit-strict"))
    names = [engine(what) for _, what in ways]
    data = results(lab, names, 50000, BESIDE)
    rows = []
    for text, name in zip((text for text, _ in ways), names):
        items = [found(d, name)["items_alloc"] / found(d, name)["allocs"]
                 for d in data]
        rows.append([text,
                     *average([efficiency(test_of(d, name)) for d in data]),
                     round(statistics.fmean(items))])
    lab.table("Where a search ends, 50,000 iterations, x64",
              ["Search", "Efficiency %", "+-",
               "Items looked at by an allocation"], rows,
              note="In the paper's tables the three ways are within 2 points "
              "of each other, and no two differ by two standard errors. So are "
              "ours whose search ends at a block that is given whole; those of "
              "the whole list are much further apart.")
    three = [rows[i][1] for i in (0, 1, 3)]
    lab.check(max(three) - min(three) <= NEAR,
              f"the three ways of searching are within {NEAR} points of each "
              f"other: {min(three):.2f} to {max(three):.2f} %")
    strict = rows[2][1] - rows[4][1]
    lab.check(strict > 5 * NEAR, "searches of the whole list are not: best fit "
              f"is {strict:.1f} points above worst fit")
