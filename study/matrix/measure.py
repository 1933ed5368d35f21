# SPDX-License-Identifier: GPL-2.0
"""What engines cost on loads: runs of `lab engine`, side by side."""
import concurrent.futures
import dataclasses
import json
import sys

import child
import instructions
from place import STUDY

TRACES = STUDY / "traces"
PAGE = 4096
PASSES = 3
ABSENT = "not on this machine"  # how the lab says that a peer is not installed
INEXACT = ("jemalloc", "mimalloc")  # give memory back when time has passed
LEFT = 0.1      # of the peak is live in the end, if that is to be looked at
# Page faults are counted with memory for this part of what is live at most.
RESIDENT = 0.5
# Requests of a load: lists of all blocks are walked for each, which takes long.
LIMIT, LIMIT_SHORT, INSTRUCTIONS = 50000, 20000, 5000
# What comes back after a peak shows at the end: these are short enough.
WHOLE = ("gen-churn", "gen-drop")
SHORT_LOADS = ("nielsen-1", "gen-churn", "perl")


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column: how it is got from what the lab said, and how it is written."""
    name: str
    title: str
    text: str           # what it is
    form: str = "{:.1f}"
    timed: bool = False  # differs in each run, so it is not written


MEASURES = (
    Measure("instructions", "instr.", "instructions a request, of the first "
            f"{INSTRUCTIONS:,} of a load", "{:,.0f}"),
    Measure("time", "ns", "nanoseconds a request, of the median pass",
            "{:,.0f}", timed=True),
    Measure("against", "/malloc", "that time, malloc's being 1", "{:.2f}",
            timed=True),
    Measure("items", "items", "items looked at a request", "{:,.1f}"),
    Measure("space", "space %", "most memory used, of what is live at most; "
            "where it is fixed, without what is free between blocks"),
    Measure("frag1", "frag 1", "memory beyond what is live, on average: %"),
    Measure("frag2", "frag 2", "the same when most is live: %"),
    Measure("frag3", "frag 3", "the same when most is used: %"),
    Measure("frag4", "frag 4", "most used beyond most live: %"),
    Measure("end", "end", "memory used at the end, of what is live then: %, "
            "on loads that end with a tenth of their peak or more"),
    Measure("pages", "pages", "pages that blocks ever lay on, of those that "
            "the most live bytes need", "{:.2f}"),
    Measure("faults", "faults", "page faults in a thousand requests, with "
            "memory for half of what is live at most", "{:.1f}"),
    Measure("failures", "failures", "requests that were refused", "{:,.0f}"),
)
NAMES = tuple(m.name for m in MEASURES)
WRITTEN = tuple(m for m in MEASURES if not m.timed)


def traces():
    """Kept traces by name."""
    return {path.name.removesuffix(".trace.gz"): path
            for path in sorted(TRACES.glob("*.trace.gz"))}


def load_of(name):
    """What the lab calls it: its own load, or the path of a trace."""
    return str(traces().get(name, name))


class Matrix:
    """Rows by engine and load; None where a measure makes no sense."""

    def __init__(self, labs, jobs, short):
        self.labs, self.short = labs, short
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.rows, self.faults, self.not_run = [], [], []
        self.loads, self.engines = [], []

    def said(self, *words):
        """What the lab prints; it has said itself what was wrong."""
        try:
            done = child.run([self.labs / "lab", *words])
        except OSError as error:
            print(f"matrix: {error}; make -C study builds it", file=sys.stderr)
            sys.exit(2)
        if done.returncode == 2 or not done.stdout:
            sys.stderr.write(done.stderr)
            sys.exit(done.returncode or 1)
        return done.stdout

    def all_loads(self):
        """Names of loads that make themselves, and of kept traces."""
        said = self.said("engines")
        listed = said[said.index("loads:"):].splitlines()[1:]
        names = [line.split()[0] for line in listed]
        return [name for name in names if name != "vavrenyuk-5000000"] + \
            list(traces())

    def run(self, engines, loads):
        names = loads.split(",") if loads is not None else \
            SHORT_LOADS if self.short else self.all_loads()
        for name in names:      # a wrong one is said before anything is run
            self.said("engine", "--limit=1", "--engine=curpage-mru", load_of(name))
        self.said("engine", "--limit=100", f"--engine={engines}", "gen-drop")
        jobs = [self.pool.submit(self.one, engines, name) for name in names]
        for number, job in enumerate(jobs):
            self.add(names[number], *job.result())
            print(f"matrix: {number + 1} of {len(jobs)} loads: "
                  f"{names[number]}", file=sys.stderr)

    def one(self, engines, name):
        """All engines on a load; first what is live, for the memory."""
        load = load_of(name)
        limit = [] if name in WHOLE else \
            [f"--limit={LIMIT_SHORT if self.short else LIMIT}"]
        about = json.loads(self.said("engine", *limit, "--json",
                                     "--engine=curpage-mru", load))["load"]
        resident = max(1, round(about["live_peak"] * RESIDENT / PAGE))
        got = json.loads(self.said(
            "engine", *limit, "--json", f"--engine={engines}",
            f"--time={PASSES}", f"--working-set={resident}", load))
        counted = instructions.run(
            self, ["lab", "engine", f"--limit={INSTRUCTIONS}", "--json",
                   f"--engine={engines}", load])
        events = counted["load"]["events"]
        return got, {e["name"]: sum(e["instructions"]) / events
                     for e in counted["engines"] if e["ran"]}

    def add(self, name, got, counted):
        about = got["load"]
        self.loads.append({**about, "name": name})
        malloc = [e["seconds"] for e in got["engines"]
                  if e["name"] == "malloc" and e["ran"]]
        for engine in got["engines"]:
            if not engine["ran"]:
                said = f"{engine['name']} on {name}: {engine['why']}"
                self.not_run.append(said)
                if not engine["why"].startswith(ABSENT):
                    self.faults.append(said)
                continue
            if engine["name"] not in self.engines:
                self.engines.append(engine["name"])
            self.rows.append({
                "load": name, "engine": engine["name"],
                "family": engine["family"],
                **figures(engine, about, malloc,
                          counted.get(engine["name"]))})


def at_end(engine, about):
    """What has been given back; nothing is, of a memory that is fixed."""
    used = engine["held_peak"] if engine["memory"] else engine["used_end"]
    if about["live_end"] < LEFT * about["live_peak"]:
        return None
    return 100 * used / about["live_end"]


def figures(engine, about, malloc, counted):
    """One engine on one load, by all measures."""
    each = engine["requests"] or 1
    fragments = [100 * f for f in engine["fragmentation"]]
    looked = engine["items"] if engine["family"] != "peers" else None
    return {
        "instructions": counted,
        "time": 1e9 * engine["seconds"] / each,
        "against": engine["seconds"] / malloc[0] if malloc else None,
        "items": looked / each if looked is not None else None,
        "space": 100 * engine["used_peak"] / about["live_peak"],
        **{f"frag{i + 1}": f for i, f in enumerate(fragments)},
        "end": at_end(engine, about),
        "pages": engine["pages"] * PAGE / max(PAGE, about["live_peak"]),
        "faults": 1000 * engine["faults"][0][1] / about["events"],
        "failures": engine["failures"],
    }
