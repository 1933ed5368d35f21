# SPDX-License-Identifier: GPL-2.0
"""Nielsen's Table V: seven algorithms on all 18 loads."""
import nielsen_loads
import nielsen_runs as nielsen
from frame import mean
from nielsen_runs import CHOSEN, LEVELS, LOADS, number

NAME = "nielsen-5"
TITLE = "Nielsen, Table V: seven algorithms on 18 loads"

# Least and most microseconds for a block, and loads without failure, by level.
PAPER = {
    "I-2": ((106, 112, 18), (107, 130, 17), (108, 138, 2)),
    "I-5": ((76, 87, 18), (79, 113, 18), (79, 198, 9)),
    "II-2": ((137, 149, 18), (139, 146, 18), (146, 156, 7)),
    "II-6": ((90, 114, 18), (103, 166, 18), (133, 287, 10)),
    "IV-1": ((41, 42, 18), (41, 42, 18), (41, 169, 15)),
    "V-1": ((99, 110, 18), (103, 110, 8), (110, 110, 1)),
    "V-5": ((76, 77, 18), (76, 76, 3), (76, 76, 1)),
}
NEAR = 2                # loads
SEEDS = range(101, 111)


def served(found, level, name):
    """The loads that it got through."""
    return [load for load in LOADS if not found[load, level, name].failed]


def summary(found, level, name):
    """As in the paper, in instructions."""
    good = served(found, level, name)
    costs = [found[load, level, name].cost for load in good]
    if not costs or None in costs:
        return [None, None, len(good)]
    return [round(min(costs)), round(max(costs)), len(good)]


def summaries(lab, found):
    for at, level in enumerate(LEVELS):
        rows = [[name, *PAPER[name][at], *summary(found, level, name)]
                for name in CHOSEN]
        lab.table(f"At most {level} % of the memory in use",
                  ["Algorithm", "Least, us, paper", "Most, us",
                   "Successes of 18, paper", "Least, instructions, ours",
                   "Most, instructions", "Successes, ours"], rows)


def failures(lab, found):
    rows = [[name, *(", ".join(number(load) for load in LOADS
                               if found[load, level, name].failed) or "none"
                     for level in LEVELS)] for name in CHOSEN]
    lab.table("Loads that failed, ours",
              ["Algorithm", *(f"{level} %" for level in LEVELS)], rows)


def by_load(lab, found):
    rows = [[number(load), *(round(found[load, 50, name].cost)
                             for name in CHOSEN)] for load in LOADS]
    lab.table("Cost of a block at 50 % by load, instructions",
              ["Load", *CHOSEN], rows,
              note="The paper has no such table. " +
              " ".join(nielsen.COST.split()))


def other_seeds(lab):
    """How the successes move when only the random numbers are others."""
    runs = [nielsen.outcomes(lab, LOADS, CHOSEN, seed) for seed in SEEDS]
    rows = []
    for name in CHOSEN:
        row = [name]
        for at, level in enumerate(LEVELS):
            good = [len(served(found, level, name)) for found in runs]
            row += [PAPER[name][at][2], min(good), mean(good), max(good)]
        rows.append(row)
    lab.table(f"Successes of 18 with {len(SEEDS)} other seeds of each load",
              ["Algorithm", *(text for level in LEVELS for text in
                              (f"{level} %, paper", "ours, least", "mean",
                               "most"))], rows)


def collected(found, level):
    """The loads for which IV-1 collected and did not fail."""
    return [number(load) for load in served(found, level, "IV-1")
            if found[load, level, "IV-1"].collections]


def judge(lab, found):
    for at, level in enumerate(LEVELS):
        for name in CHOSEN:
            ours, paper = len(served(found, level, name)), PAPER[name][at][2]
            lab.check(abs(ours - paper) <= NEAR,
                      f"{name} at {level} %: {ours} loads without failure, "
                      f"within {NEAR} of the paper's {paper}")


def run(lab):
    """All of it."""
    found = nielsen.outcomes(lab, LOADS, CHOSEN)
    loads = {load: found[load, 50, CHOSEN[0]].load for load in LOADS}
    nielsen_loads.table(lab, loads)
    summaries(lab, found)
    failures(lab, found)
    by_load(lab, found)
    nielsen_loads.judge(lab, loads)
    judge(lab, found)
    if not lab.short:
        other_seeds(lab)
    lab.note("IV-1 collected garbage, without failing, in the loads " +
             "; ".join(f"{', '.join(collected(found, level)) or 'none'} "
                       f"at {level} %" for level in LEVELS) +
             ". In the paper: none, none, and two that cycle.")
