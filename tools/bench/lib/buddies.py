# SPDX-License-Identifier: GPL-2.0
"""Page blocks under loads that fragment memory: every policy of the buddy, and
the page allocator with as much memory."""
import dataclasses
import json
import pathlib
import re
import tempfile

import guests
import lab
from guests import Run
from policies import POLICIES
from rows import BadFigures

KERNEL = "alloc_pages"      # in place of a policy
SIDES = (*POLICIES, KERNEL)
# The paper's memory: 4096 units of 1 KiB, all of it there from the start.
POOL = ("chunk_order=10 stock=0 idle_ms=0 arena_min_mb={mb} "
        "arena_max_mb={mb}")
PAPER_MB, APART_MB = 4, 16
UNITS_A_PAGE = 4
INTERARRIVAL = 10
# The parts of a load whose cost a request may not grow with the number of
# free blocks. What a policy joins late, others join early: these are added.
LOADS = {
    "checkerboard": (("fill",), ("half",), ("refused",), ("rest", "large")),
    "checkerboard-2": (("fill",), ("half",), ("refused",), ("rest", "large")),
    "lifetimes": (("fill",), ("short",), ("refused",), ("between",),
                  ("rest", "large")),
    "random": (("take",), ("give",), ("take-again",),
               ("give-again", "large")),
}
TIMES, GROWTH = 10, 1.2

PHASE = re.compile(r"^(\S+) (\S+) requests (\d+) failed (\d+) ticks (\d+) "
                   r"worst (\d+)\.$", re.MULTILINE)
UNIT = re.compile(r"^unit (\d+) ticks (\d+) overhead (\d+)\.$", re.MULTILINE)
APART = re.compile(r"^apart objects (\d+) of (\d+) chunks (\d+)\.$",
                   re.MULTILINE)
# By order, of the file buddy.
COUNTED = ("searches", "splits", "merges")
COLUMNS = ("order", "free", "pairs", "desired", "asked", "missed", "searches",
           "splits", "merges")


@dataclasses.dataclass
class Scale:
    """How much is measured. factors: by mean size, the loading factors, which
    are lifetimes by interarrival times; mb: of the loads that fragment, and
    TIMES as much; apart: who does that load."""
    factors: dict
    seeds: int
    mb: int
    sides: tuple
    loads: tuple
    apart: tuple


# With a mean of 100 none is refused, with 250 some are.
FULL = Scale({100: (2, 4, 6, 8, 10), 250: (6, 8, 10)}, 4, 16, SIDES,
             tuple(LOADS), SIDES)
SHORT = Scale({100: (6,), 250: (10,)}, 1, 4, POLICIES,
              ("checkerboard", "lifetimes", "random"), ("binary",))


@dataclasses.dataclass
class Phase:
    """A part of a load."""
    requests: int = 0
    failed: int = 0
    ticks: int = 0
    worst: int = 0

    def each(self):
        """Instructions a request."""
        return self.ticks / self.requests if self.requests else 0.0

    def plus(self, other):
        """Both."""
        return Phase(self.requests + other.requests,
                     self.failed + other.failed, self.ticks + other.ticks,
                     max(self.worst, other.worst))


@dataclasses.dataclass
class Trace:
    """Requests of the paper's simulation, with each side's figures."""
    mean: int
    factor: int
    seed: int
    phases: dict        # {side: {phase: Phase}}
    largest: dict       # {side: pages of the largest block in the end}
    counted: dict       # {policy: {failed, largest and what COUNTED has}}
    lab: dict           # the same, as the lab has it


@dataclasses.dataclass
class Results:
    """All of it."""
    kernel: str
    scale: Scale
    parameters: list
    traces: list
    loads: dict         # {(load, side, mb): {phase: Phase}}
    apart: dict         # {(side, apart): {...}}


def phases_of(text):
    """{phase: Phase} of a log, whose clock is proved."""
    unit = UNIT.search(text)
    if not unit:
        raise BadFigures("the clock was not measured")
    loop, ticks, overhead = map(int, unit.groups())
    if not 0 <= ticks - loop <= 2 * overhead:
        raise BadFigures(f"the clock went on by {ticks} in a loop of {loop} "
                         "instructions")
    return {match[2]: Phase(*map(int, match.groups()[2:]))
            for match in PHASE.finditer(text)}


def lists_of(text):
    """The rows of the file buddy that are of lists: {column: [by order]}."""
    rows = [line.split() for line in text.splitlines()]
    rows = [row for row in rows if len(row) == len(COLUMNS)
            and row[0].isdigit()]
    if not rows:
        raise BadFigures("debugfs buddy has no lists")
    return {name: [0 if row[i] == "-" else int(row[i]) for row in rows]
            for i, name in enumerate(COLUMNS)}


def largest_of(text, word="largest"):
    """The largest block, in pages."""
    return int(re.search(rf"{word} (\d+)", text)[1])


def _trace_name(key):
    return "-".join(map(str, key))


def _kaufman(program, key, file):
    """A run of the paper's simulation in the lab, all 5000 units of it."""
    mean, factor, seed = key
    return lab.run(program, "kaufman", "--sizes", "exponential", "--mean", mean,
                   "--lifetime", factor * INTERARRIVAL, "--interarrival",
                   INTERARRIVAL, "--reset", 0, "--runs", 1, "--seed", seed,
                   "--policy", "all", "--json", "--events", file)


def _events(program, scale, folder):
    """The traces, and what the lab counts for them, by (mean, factor, seed)."""
    folder.mkdir()
    keys = [(mean, factor, seed)
            for mean, factors in scale.factors.items() for factor in factors
            for seed in range(1, scale.seeds + 1)]
    return {key: json.loads(_kaufman(program, key, folder / _trace_name(key)))
            for key in keys}


def _side(policy, mb, more=""):
    """Parameters of curpage.ko and of the loads."""
    if policy == KERNEL:
        return "", f"curpage_buddies side=kernel mb={mb}"
    return (f"buddy={policy} {POOL.format(mb=mb)} {more}".strip(),
            f"curpage_buddies side=curpage mb={mb}")


def _event_runs(scale, told):
    for key, said in told.items():
        name = _trace_name(key)
        for side in scale.sides:
            desired = f"desired={said['shares']}"
            curpage, load = _side(side, PAPER_MB,
                                  desired if side == "tailored" else "")
            yield Run(f"events/{side}/{name}", curpage,
                      f"{load} load=events events=/events/{name}")


def _load_runs(scale):
    for side in scale.sides:
        for mb in (scale.mb, TIMES * scale.mb):
            for load in scale.loads:
                curpage, module = _side(side, mb)
                yield Run(f"loads/{side}/{load}/{mb}", curpage,
                          f"{module} load={load}")


def _apart_keys(scale):
    return [(side, apart) for side in scale.apart for apart in (0, 1)
            if side != KERNEL or not apart]


def _apart_runs(scale):
    for side, apart in _apart_keys(scale):
        curpage, load = _side(side, APART_MB, f"apart={apart}")
        yield Run(f"apart/{side}/{apart}", curpage, f"{load} load=apart")


def _log(out, *parts):
    return (out.joinpath(*parts) / "log").read_text()


def _trace_of(scale, out, key, said):
    """The figures of all sides for a trace."""
    name, trace = _trace_name(key), Trace(*key, {}, {}, {}, {})
    for side in scale.sides:
        log = _log(out, "events", side, name)
        trace.phases[side] = phases_of(log)
        if side == KERNEL:
            trace.largest[side] = largest_of(log)
            continue
        folder = out / "events" / side / name
        before, after = (lists_of((folder / name).read_text())
                         for name in ("before", "buddy"))
        trace.largest[side] = largest_of((folder / "merged").read_text())
        trace.counted[side] = {
            "failed": trace.phases[side]["alloc"].failed,
            "largest": trace.largest[side],
            **{what: sum(after[what]) - sum(before[what])
               for what in COUNTED}}
        trace.lab[side] = lab_counts(said, side)
    return trace


def _apart_of(out, side, apart):
    log = _log(out, "apart", side, str(apart))
    got, wanted, chunks = map(int, APART.search(log).groups())
    if got != wanted:
        raise BadFigures(f"apart: {got} objects of {wanted}")
    phases = phases_of(log)
    return {"objects": got, "chunks": chunks, "churn": phases["churn"],
            "large": phases["large"]}


def lab_counts(said, policy):
    """What the lab counted, as Trace.counted has it."""
    row = dict(zip(said["figures"], said["policies"][policy]["total"]))
    return {"failed": row["refused"],
            "largest": row["largest_joined"] / UNITS_A_PAGE,
            **{what: row[what] for what in COUNTED}}


def measure(options, built, say):
    """All runs in one guest."""
    scale = SHORT if options.check else FULL
    with tempfile.TemporaryDirectory() as name:
        tmp = pathlib.Path(name)
        told = _events(lab.build(), scale, tmp / "events")
        runs = [*_event_runs(scale, told), *_load_runs(scale),
                *_apart_runs(scale)]
        say(f"{len(runs)} loads of page blocks")
        out = tmp / "out"
        kernel = guests.loads(options, built, 0, runs, out, "--add",
                              f"{tmp / 'events'}:/events")
        return Results(
            kernel, scale, options.param,
            [_trace_of(scale, out, key, said) for key, said in told.items()],
            {(load, side, mb): phases_of(_log(out, "loads", side, load,
                                              str(mb)))
             for side in scale.sides for load in scale.loads
             for mb in (scale.mb, TIMES * scale.mb)},
            {key: _apart_of(out, *key) for key in _apart_keys(scale)})


def refused(options):
    """Why the parameters are none for these loads, or None."""
    for parameter in options.param:
        if parameter.partition("=")[0] not in ("strategy", "freetol", "keep"):
            return (f"--param {parameter}: must be strategy, freetol or keep "
                    "with --mode buddies")
    return None
