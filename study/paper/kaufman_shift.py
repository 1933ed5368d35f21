# SPDX-License-Identifier: GPL-2.0
"""Not in the paper, but what it fears: the sizes change, and lists are tailored
to those of before."""
import kaufman_runs as kaufman
from frame import mean

NAME = "kaufman-shift"
TITLE = "Lists tailored to sizes that change"

MEANS = (40, 200)
LOADS = (4, 6, 8, 10)
PERIODS = (5000, 20000)
FIXED = ("fixed for 40", "fixed for 200", "fixed for both")
SYSTEMS = ("binary", "revised", *FIXED, "auto")


def texts(lab):
    """Desired numbers for the first sizes, the second, and both."""
    given = [str(value) for value in MEANS] + [",".join(map(str, MEANS))]
    return dict(zip(FIXED, (kaufman.cell(lab, mean=value).data["shares"]
                            for value in given)))


def options(lab, system, desired, **load):
    policy = system if system in kaufman.POLICIES else "tailored"
    key = {"policy": policy, "runs": 20 if lab.short else 40, **load}
    if policy == "tailored":
        key["desired"] = desired.get(system, system)
    return policy, key


def per_request(lab, systems, loads):
    """System: policy and a cell for each load."""
    keys = {}
    for system, desired in systems.items():
        keys[system] = [options(lab, system, desired, **load)
                        for load in loads]
    kaufman.cells(lab, [key for each in keys.values() for _, key in each])
    return {system: [(policy, kaufman.cell(lab, **key))
                     for policy, key in each]
            for system, each in keys.items()}


def merges(group, weight=1):
    """Terms: the mean over loads."""
    return [kaufman.per_request(cell, policy, "merges", weight / len(group))
            for policy, cell in group]


def row_of(system, group):
    """Merges by load; means of all factors."""
    row = [system]
    row += [cell.total(policy, "merges") / cell.total(policy, "requests")
            for policy, cell in group]
    row += kaufman.estimate(merges(group))
    for factor in ("splits", "searches"):
        row.append(mean(cell.total(policy, factor) /
                        cell.total(policy, "requests")
                        for policy, cell in group))
    return row


def measure(lab, title, note, **load):
    """A table of all systems; what they came to."""
    desired = texts(lab)
    groups = per_request(lab, {system: desired for system in SYSTEMS},
                         [{"lifetime": kaufman.INTERARRIVAL * x, **load}
                          for x in LOADS])
    lab.table(title, ["System", *(f"load {x}" for x in LOADS), "Mean", "+-",
                      "Splits, mean", "Searches, mean"],
              [row_of(system, group) for system, group in groups.items()],
              note=note)
    return groups


def judge(lab, groups, period):
    """Learning has to be worth it."""
    for system in FIXED[:2]:
        value, half = kaufman.estimate(merges(groups[system]) +
                                       merges(groups["auto"], -1))
        part = value / kaufman.estimate(merges(groups[system]))[0]
        lab.check(value > 0,
                  f"sizes change every {period} units: auto merges less than "
                  f"lists {system}, by {100 * part:.0f} % ({value:.3f} +- "
                  f"{half:.3f} a request)")


def judge_steady(lab, groups, value):
    """Where nothing changes, too, for whoever guessed wrong."""
    wrong = FIXED[1 - MEANS.index(value)]
    less, half = kaufman.estimate(merges(groups[wrong]) +
                                  merges(groups["auto"], -1))
    lab.check(less > 0, f"mean {value} all the time: auto merges less than "
              f"lists {wrong}: {less:.3f} +- {half:.3f} a request")


def run(lab):
    """All of it."""
    sizes = ",".join(map(str, MEANS))
    units = 80000 if lab.short else 200000
    for period in PERIODS[:1] if lab.short else PERIODS:
        groups = measure(
            lab, f"Merges a request, means {MEANS[0]} and {MEANS[1]} by turns "
            f"of {period} units", f"{units} units of time.",
            mean=sizes, period=period, units=units)
        judge(lab, groups, period)
    groups = measure(
        lab, "The same in the paper's 5000 units, one change at 2500", None,
        mean=sizes, period=2500, runs=100 if lab.short else 500)
    judge(lab, groups, 2500)
    for value in MEANS:
        groups = measure(
            lab, f"The same, mean {value} all the time, {units} units", None,
            mean=value, units=units)
        judge_steady(lab, groups, value)
