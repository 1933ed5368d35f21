# SPDX-License-Identifier: GPL-2.0
"""The same load over every strategy, in a kernel and in the lab: 64-byte
blocks, half of them freed at random, then churn."""
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

import lab
from guests import BENCH, TIMEOUT, Failed, vm_run

SIZE, PAGE, SEED = 64, 4096, 1
# What the table shows, in lifetimes of churn.
SHOWN = (0, 1, 3, 5, 10, 20)


@dataclasses.dataclass
class Load:
    """So many blocks, half of them dropped; then so many lifetimes of what is
    left, and samples a lifetime."""
    blocks: int
    lifetimes: int
    samples: int = 2

    def half(self):
        """Blocks live in the end."""
        return self.blocks // 2

    def events(self):
        """Requests in all; a lifetime is a free and an allocation a block."""
        return self.blocks + self.half() + 2 * self.half() * self.lifetimes

    def every(self):
        """Events from one sample to the next."""
        return 2 * self.half() // self.samples

    def at(self, lifetimes):
        """The number of the sample after so many lifetimes."""
        return ((self.blocks + self.half()) // self.every()
                + self.samples * lifetimes - 1)

    def shown(self):
        """The lifetimes that the table shows."""
        return [n for n in SHOWN if n <= self.lifetimes]

    def ideal(self):
        """Pages that would do in the end."""
        return -(-self.half() // (PAGE // SIZE))


FULL, SHORT = Load(48000, 20), Load(12000, 5)


@dataclasses.dataclass
class Run:
    """The samples of a strategy: live blocks, pages in use, pages held."""
    strategy: str
    kernel: list
    lab: list
    broken: int         # invariants, as the kernel's own check has it
    chunks: int

    def equal(self):
        """Are they the same to the page?"""
        return bool(self.kernel) and self.kernel == self.lab


@dataclasses.dataclass
class Comparison:
    """All runs of a load."""
    kernel: str
    load: Load
    parameters: list
    runs: list
    slub: list          # pages, by sample


def names(program):
    """The strategies, as the lab knows them."""
    done = subprocess.run([program, "replay", "--strategy", "", "-"],
                          check=False, text=True, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    known = re.search(r"must be one of (.*)", done.stderr)
    if not known:
        raise Failed(f"the lab does not name its strategies: {done.stderr}")
    return known[1].split(", ")


def _trace(program, load, tmp):
    """The trace, and a folder of its parts, each to the next sample."""
    trace = tmp / "trace"
    trace.write_text(lab.run(program, "gen", "--profile", "drop", "--seed",
                             SEED, "--live", load.blocks,
                             "--events", load.events()))
    lines = [line for line in trace.read_text().splitlines(True)
             if not line.startswith("#")]
    parts = tmp / "parts"
    parts.mkdir()
    for i in range(0, len(lines), load.every()):
        (parts / f"{i:09}").write_text("".join(lines[i:i + load.every()]))
    return trace, parts


def _guest(options, built, parts, strategies, out):
    vm_run("--kernel", options.kernel, "--smp", 1, "--mem", 768,
           "--append", "mitigations=off", "--timeout", 2 * TIMEOUT,
           "--want", "strategies compared", "--out", out,
           "--add", f"{built}/curpage.ko:/curpage.ko",
           "--add", f"{built}/tools/lab/kmod/curpage_replay.ko:"
                    "/curpage_replay.ko",
           "--add", f"{parts}:/parts", "--", BENCH / "strategies-guest.sh",
           ",".join(options.param) or "-", SIZE, *strategies)


def refused(options):
    """Why the parameters are none that the lab has as well, or None."""
    for parameter in options.param:
        if parameter.partition("=")[0] not in ("freetol", "keep"):
            return (f"--param {parameter}: must be freetol or keep with "
                    "--mode strategies")
    return None


def _parameters(options):
    """What the module is told, for the lab."""
    return [word for parameter in options.param
            for word in f"--{parameter}".split("=", 1)]


def _run(program, options, load, trace, folder):
    """A strategy's samples, from the kernel's folder and from the lab."""
    lines = [line.split() for line in
             (folder / "samples").read_text().splitlines()]
    chunks = folder / "chunks"
    said = lab.run(program, "replay", "--strategy", folder.name, "--sample",
                   load.every(), "--chunks", chunks, *_parameters(options),
                   trace)
    run = Run(folder.name, [tuple(map(int, line[:3])) for line in lines],
              [tuple(map(int, line.split()[1:]))
               for line in said.splitlines()],
              int((folder / "check").read_text()),
              len(chunks.read_text().splitlines()))
    return run, [int(line[3]) for line in lines if line[3] != "-"]


def measure(options, built, say):
    """Every strategy in one guest, and each in the lab."""
    load = SHORT if options.check else FULL
    with tempfile.TemporaryDirectory() as name:
        tmp = pathlib.Path(name)
        program = lab.build()
        strategies = names(program)
        trace, parts = _trace(program, load, tmp)
        say(f"{len(strategies)} strategies, {load.events():,} requests each")
        _guest(options, built, parts, strategies, tmp / "out")
        runs, slub = [], []
        for strategy in strategies:
            run, pages = _run(program, options, load, trace,
                              tmp / "out" / strategy)
            runs.append(run)
            slub += pages
        return Comparison((tmp / "out/kernel").read_text().strip(), load,
                          options.param, runs, slub)


def _held(run, load, lifetimes):
    return run.kernel[load.at(lifetimes)][2]


def _line(cells, widths):
    return "  ".join(cell.ljust(width) if not i else cell.rjust(width)
                     for i, (cell, width) in enumerate(zip(cells, widths)))


def table(comparison):
    """Lines of text."""
    load, ideal = comparison.load, comparison.load.ideal()
    rows = [("strategy", "peak", "dropped",
             *(f"{n} lifetime{'s' * (n > 1)}" for n in load.shown()[1:]),
             "held/ideal", "lab")]
    for run in comparison.runs:
        end = _held(run, load, load.lifetimes)
        rows.append((run.strategy, f"{max(s[2] for s in run.kernel):,}",
                     *(f"{_held(run, load, n):,}" for n in load.shown()),
                     f"{end / ideal:.2f}",
                     "equal" if run.equal() else "DIFFERS"))
    slub = comparison.slub
    rows.append(("SLUB", f"{max(slub):,}",
                 *(f"{slub[load.at(n)]:,}" for n in load.shown()),
                 f"{slub[load.at(load.lifetimes)] / ideal:.2f}", ""))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [f"Pages held, Linux {comparison.kernel}, one processor: "
            f"{load.blocks:,} blocks of {SIZE} bytes, half freed at random, "
            f"churn;", f"ideal at the end {ideal:,}. lab: is each of "
            f"{len(comparison.runs[0].kernel)} samples (live, in use, held) "
            "the lab's?", "", *(_line(row, widths).rstrip() for row in rows)]


def demands(comparison):
    """[(met, text), ...] for the judge."""
    found = []
    load = comparison.load
    for run in comparison.runs:
        found.append((run.equal() and not run.broken,
                      f"{run.strategy}: {len(run.kernel)} samples are the "
                      f"lab's to the page, {run.broken} invariants broken"))
    first = comparison.runs[0]
    other = dataclasses.replace(
        first, kernel=[*first.kernel[:-1],
                       (*first.kernel[-1][:2], first.kernel[-1][2] + 1)])
    found.append((first.equal() and not other.equal(),
                  "control: a page more in the last sample is noticed"))
    slub = comparison.slub[load.at(load.lifetimes)]
    for run in comparison.runs:
        if run.strategy in ("mru", "least-free"):
            held = _held(run, load, load.lifetimes)
            found.append((held < slub, f"{run.strategy}: {held:,} pages held "
                          f"in the end, SLUB {slub:,}"))
    return found


def write(comparison, folder):
    """Print the table, write strategies.txt, .json and the chart."""
    # Only here: the check does without the plotting package.
    import strategies_chart  # pylint: disable=import-outside-toplevel
    lines = table(comparison)
    print("\n".join(["", *lines]))
    (folder / "strategies.txt").write_text("\n".join(lines) + "\n",
                                           encoding="utf-8")
    load = comparison.load
    (folder / "strategies.json").write_text(json.dumps({
        "kernel": comparison.kernel, "seed": SEED, "bytes": SIZE,
        "parameters": comparison.parameters, "ideal": load.ideal(),
        "load": dataclasses.asdict(load) | {"events": load.events(),
                                            "every": load.every()},
        "columns": ["live", "pages", "held"],
        "strategies": {run.strategy: {"equal": run.equal(),
                                      "chunks": run.chunks,
                                      "samples": run.kernel}
                       for run in comparison.runs},
        "slub": comparison.slub}, indent=1) + "\n", encoding="utf-8")
    strategies_chart.draw(comparison, folder)
    print(f"In {folder}: strategies.txt, strategies.json, strategies.png, "
          "strategies.svg")
