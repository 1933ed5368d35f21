# SPDX-License-Identifier: GPL-2.0
"""Nielsen's Table VI: what seven algorithms cost by the fastest of them."""
import itertools
import statistics

import nielsen_runs as nielsen
from nielsen_runs import CHOSEN, LOADS

NAME = "nielsen-6"
TITLE = "Nielsen, Table VI: cost of seven algorithms relative to IV-1"

# At 50, 66.7 and 80 %; None where half of the loads failed or more.
PAPER = {
    "IV-1": (1.0, 1.0, 1.0), "V-5": (1.8, None, None),
    "I-5": (2.0, 2.3, None), "V-1": (2.5, None, None),
    "I-2": (2.6, 2.8, None), "II-6": (2.6, 3.2, 4.3),
    "II-2": (3.5, 3.4, None),
}
NEIGHBOURS = 1.1        # so far apart may they change places


def median(found, level, name, cost):
    """Of the loads that it got through, if they are more than half."""
    good = [cost(found[load, level, name]) for load in LOADS
            if not found[load, level, name].failed]
    return statistics.median(good) if 2 * len(good) > len(LOADS) else None


def relative(found, level, cost):
    medians = {name: median(found, level, name, cost) for name in CHOSEN}
    return {name: value and value / medians["IV-1"]
            for name, value in medians.items()}


def instructions(outcome):
    return outcome.cost


def items(outcome):
    return sum(outcome.items)


def judge(lab, ours):
    """Of each two that are not the same in the paper."""
    paper = {name: cells[0] for name, cells in PAPER.items()}
    for less, more in itertools.combinations(PAPER, 2):
        if paper[less] * NEIGHBOURS >= paper[more]:
            continue
        lab.check(ours[less] <= ours[more] * NEIGHBOURS,
                  f"{less} costs less than {more} at 50 %, or they are within "
                  f"10 %: {ours[less]:.2f} and {ours[more]:.2f}, the paper "
                  f"{paper[less]} and {paper[more]}")


def run(lab):
    """All of it."""
    found = nielsen.outcomes(lab, LOADS, CHOSEN)
    levels = nielsen.counted(lab)
    by_level = {level: relative(found, level, instructions)
                for level in levels}
    lab.table(TITLE, ["Algorithm", *(text for level in levels for text in
                                     (f"{level} %, paper", "ours"))],
              [[name, *(cell for at, level in enumerate(levels) for cell in
                        (PAPER[name][at], by_level[level][name]))]
               for name in PAPER],
              note="Medians over the loads, of instructions to allocate and "
              "free a block; empty where half of the loads failed or more.")
    looked = relative(found, 50, items)
    lab.table("The same at 50 %, in items that are looked at",
              ["Algorithm", "Paper", "Ours"],
              [[name, PAPER[name][0], looked[name]] for name in PAPER])
    judge(lab, by_level[50])
