# SPDX-License-Identifier: GPL-2.0
"""What the tables of Johnstone and Wilson 1998 have in common: eight traces of
programs of today, sixteen engines on each, and the paper's own figures."""
import json
import os
import pathlib
import statistics
import sys

import child

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE.parent / "traces"
RECORDED = pathlib.Path(os.environ.get("CURPAGE_CACHE") or
                        pathlib.Path.home() / ".cache/curpage") / "traces"

# Our program, and the paper's that it stands for, in the order of its Table 3.
PROGRAMS = {"minimiser": "Espresso", "gcc": "GCC",
            "ghostscript": "Ghostscript", "groebner": "Grobner",
            "network": "Hyper", "perl": "Perl", "translator": "P2C",
            "tree": "LRUsim"}

ENGINES = {
    "jw-best-fit-ao-8k": "best fit AO 8K", "jw-best-fit-ao": "best fit AO",
    "jw-best-fit-lifo": "best fit LIFO", "jw-best-fit-fifo": "best fit FIFO",
    "jw-first-fit-ao-8k": "first fit AO 8K",
    "jw-first-fit-ao": "first fit AO",
    "jw-first-fit-lifo": "first fit LIFO",
    "jw-first-fit-fifo": "first fit FIFO", "jw-next-fit-ao": "next fit AO",
    "jw-next-fit-lifo": "next fit LIFO",
    "jw-next-fit-fifo": "next fit FIFO", "jw-lea": "Lea 2.6.1",
    "jw-binary-buddy": "binary buddy", "jw-double-buddy": "double buddy",
    "jw-segregated-2n": "simple seg 2^N",
    "jw-segregated-3-2n": "simple seg 3*2^N"}

SIZES = "16 32 64 128 256 512 1K 2K 4K 8K 16K 32K 64K 128K 256K 512K 1M 2M"

def place(name):
    """The trace of a program, or None."""
    for folder in (KEPT, RECORDED):
        path = folder / f"{name}.trace.gz"
        if path.is_file():
            return path
    return None


def programs(lab):
    """Those that have a trace; in the short form only those that are kept."""
    there = [name for name in PROGRAMS
             if (place(name) and
                 (not lab.short or place(name).parent == KEPT))]
    missing = [name for name in PROGRAMS if name not in there]
    if missing and not lab.sections[-1].get("missing"):
        lab.sections[-1]["missing"] = True
        text = ("no trace of " + ", ".join(missing) +
                "; study/traces/record-programs makes them")
        if lab.short:
            lab.note(text)
        else:
            lab.check(False, text)
    return there


def of_trace(path):
    done = child.run([sys.executable, HERE / "jw_stats.py", path])
    if done.returncode:
        sys.exit(f"paper: {path}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def trace_statistics(lab):
    """By program, each trace once."""
    running = {name: lab.once(("jw-stats", name), of_trace, place(name))
               for name in programs(lab)}
    return {name: job.result() for name, job in running.items()}


def engine_words(name, engines, *options):
    return ("lab", "engine", "--engine", engines, "--json", *options,
            str(place(name)))


def engine_runs(lab, engines="johnstone-wilson", *options, pure=True):
    """By program: what the lab says of the load, and of each engine."""
    running = {}
    for name in programs(lab):
        words = engine_words(name, engines, *["--pure"] * pure, *options)
        running[name] = lab.once(words, lab.run, words)
    runs = {}
    for name, job in running.items():
        data = job.result()
        runs[name] = {"load": data["load"],
                      "engines": {e["name"]: e for e in data["engines"]}}
    return runs


def average(values):
    return statistics.fmean(values) if values else 0.0


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def percent(value):
    return f"{value:.2f}" if abs(value) < 10 else f"{value:,.1f}"


def fragmentation(lab, title, measure, paper):
    """Table 3 or 4: measure is the number of the paper, from 1; our averages."""
    runs = engine_runs(lab)
    rows, means = [], {}
    for engine, theirs in zip(ENGINES, paper):
        values = [100 * run["engines"][engine]["fragmentation"][measure - 1]
                  for run in runs.values()]
        failed = sum(run["engines"][engine]["failures"]
                     for run in runs.values())
        if failed:
            lab.check(False, f"{ENGINES[engine]}: {failed} requests refused")
        means[engine] = average(values)
        rows.append([ENGINES[engine], *map(percent, values),
                     percent(means[engine]), percent(deviation(values)),
                     percent(theirs[-2]), percent(theirs[-1])])
    lab.table(title, ["Allocator", *runs, "Average", "Std dev",
                      "Average, paper", "Std dev, paper"], rows,
              note="Per cent more than is live, by measure "
              f"{measure}; our programs stand for the paper's in its order.")
    lab.table("The paper's own", ["Allocator", *PROGRAMS.values()],
              [[ENGINES[engine], *map(percent, theirs[:-2])]
               for engine, theirs in zip(ENGINES, paper)])
    return means


def figures(text):
    """Rows of numbers as they stand in the paper, percent signs left out."""
    return [[float(word.replace(",", "")) for word in line.split()]
            for line in text.strip().splitlines()]


# What was to come out: per cent, at most; times the average of the good ones.
BAR_GOOD, BAR_BAD = 3, 10
# What is checked, now that it is known what does.
GOOD = {"jw-best-fit-ao-8k": 4, "jw-first-fit-ao-8k": 3}
BAD = {"jw-first-fit-lifo": 3, "jw-next-fit-lifo": 3, "jw-binary-buddy": 10,
       "jw-double-buddy": 5, "jw-segregated-2n": 10, "jw-segregated-3-2n": 10}


def verdict(lab, means):
    """By measure 4: which policies fragment memory, and which do not."""
    good = average([means[engine] for engine in GOOD])
    for engine in GOOD:
        lab.bar(means[engine] < BAR_GOOD, f"{ENGINES[engine]}: on average "
                f"under {BAR_GOOD} %: {means[engine]:.2f}")
    for engine in BAD:
        lab.bar(means[engine] >= BAR_BAD * good, f"{ENGINES[engine]}: at least "
                f"{BAR_BAD} times the average of the two with 8K: "
                f"{means[engine] / good:.1f} times")
    for engine, limit in GOOD.items():
        lab.check(means[engine] < limit, f"{ENGINES[engine]}: on average "
                  f"under {limit} %: {means[engine]:.2f}")
    for engine, times in BAD.items():
        lab.check(means[engine] >= times * good,
                  f"{ENGINES[engine]}: at least {times} times the average of "
                  f"the two with 8K, {good:.2f} %: {means[engine]:.1f}, "
                  f"{means[engine] / good:.0f} times")


def doubles(lab, means):
    lab.check(means["jw-double-buddy"] < means["jw-binary-buddy"],
              "double buddy is below binary buddy: "
              f"{means['jw-double-buddy']:.1f} and "
              f"{means['jw-binary-buddy']:.1f}")


SOON = 0.75     # of the programs; of the paper's, all


def kbytes(value):
    """As in the paper: whole Kbytes, and not less than one."""
    return max(1, -(-value // 1024))


def waits(lab, title, figure, paper):
    """Table 5 or 6."""
    stats = trace_statistics(lab)
    rows = [[name, *map(kbytes, got[figure]), PROGRAMS[name],
             *paper[PROGRAMS[name]]] for name, got in stats.items()]
    ours = [average(column) for column in
            zip(*(map(kbytes, got[figure]) for got in stats.values()))]
    theirs = [average(column) for column in zip(*paper.values())]
    rows.append(["Average", *map(round, ours), None, *map(round, theirs)])
    lab.table(title, ["Program", "90%", "99%", "99.9%", "Stands for",
                      "90%, paper", "99%, paper", "99.9%, paper"], rows,
              note="Kbytes allocated after an object became free.")
    soon = [name for name, got in stats.items()
            if got[figure][0] <= got["most_bytes"]]
    lab.check(len(soon) >= SOON * len(stats),
              "90 % have both neighbours free before as much is allocated as "
              f"is live at the most, in {len(soon)} of {len(stats)} programs "
              f"({', '.join(soon)}); at least in {SOON:.0%}")
