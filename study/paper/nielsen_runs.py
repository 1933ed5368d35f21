# SPDX-License-Identifier: GPL-2.0
"""What the tables of Nielsen 1977 have in common: his algorithms on his loads
at three sizes of memory."""
import statistics

import instructions

WORD = 4                        # bytes
LEVELS = (50, 66.7, 80)         # most live, in percent of the memory
LOADS = tuple(f"nielsen-{number}" for number in range(1, 19))
BASE = LOADS[0]
CHOSEN = ("I-2", "I-5", "II-2", "II-6", "IV-1", "V-1", "V-5")
COUNTS = {"I": 8, "II": 8, "III": 6, "IV": 5, "V": 6, "VI": 2}
ALL = tuple(f"{category}-{number}" for category, nr in COUNTS.items()
            for number in range(1, nr + 1))

COST = """Instructions are those of this machine's compiler for engines written
in C, counted by callgrind; microseconds are those of Fortran on an IBM 360/65,
as the paper added them up. Items are what an algorithm looks at: a block or a
list's head."""


class Outcome:
    """One algorithm, one load, one size of memory."""

    def __init__(self, load, engine):
        self.load = load
        self.failed = bool(engine["failures"])
        self.use = engine["space_use"]
        self.collections = engine["collections"]
        frees = engine["requests"] - engine["allocs"]
        items = engine["items_alloc"]
        self.items = (items / engine["allocs"],
                      (engine["items"] - items) / frees)
        self.instructions = self.cost = None
        if "instructions" in engine:
            alloc, free = engine["instructions"]
            self.instructions = (alloc / load["allocs"],
                                 free / load["frees"])
            # To allocate one block and to give it back.
            self.cost = sum(self.instructions)


def counted(lab):
    """The sizes of memory for which instructions are counted."""
    return LEVELS[:1] if lab.short else LEVELS


def measure(lab, load, level, names, seed=None):
    """Outcomes by algorithm; with a seed not the load's own nothing is
    counted."""
    engines = ",".join(f"nielsen-{name}" for name in names)
    words = ("lab", "engine", "--json", f"--engine={engines}",
             f"--memory={level}", *([f"--seed={seed}"] if seed else ()), load)
    data = (instructions.run(lab, words)
            if level in counted(lab) and not seed else lab.run(words))
    return {engine["name"].removeprefix("nielsen-"):
            Outcome(data["load"], engine) for engine in data["engines"]}


def outcomes(lab, loads, names, seed=None):
    """Outcomes by load, size of memory and algorithm: each measured once."""
    keys = [(load, level, tuple(names), seed)
            for load in loads for level in LEVELS]
    jobs = [lab.once(key, measure, lab, *key) for key in keys]
    return {(key[0], key[1], name): outcome for key, job in zip(keys, jobs)
            for name, outcome in job.result().items()}


def number(load):
    return load.rpartition("-")[2]


def rounded(value):
    return value if value is None else round(value)


def ranks(values):
    """From 1; those that are the same share the mean of theirs."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) + 1) / 2
            for value in values]


def rank_correlation(first, second):
    """Spearman's."""
    return statistics.correlation(ranks(first), ranks(second))
