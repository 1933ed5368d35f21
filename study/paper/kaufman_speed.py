# SPDX-License-Identifier: GPL-2.0
"""What Kaufman's three figures have in common: a cost factor a request over the
loading factor."""
import kaufman_runs as kaufman
from frame import mean

MOST = 1 / 3            # of binary's, from a load of 4 on
HEAVY = [load for load in kaufman.LOADS if load >= 4]


def curves(loads, factor):
    """Policy, load: the mean a request and its confidence interval."""
    return {(policy, load): kaufman.estimate(
                [kaufman.per_request(cell, policy, factor)])
            for policy in kaufman.POLICIES for load, cell in loads.items()}


def rows_of(curve):
    """A row a load: each policy, and the lazy ones as a part of binary's."""
    rows = []
    for load in kaufman.LOADS:
        row = [load]
        for policy in kaufman.POLICIES:
            row += curve[policy, load]
        for policy in kaufman.POLICIES[1:]:
            row.append(curve[policy, load][0] / curve["binary", load][0])
        rows.append(row)
    return rows


def mean_row(curve):
    row = ["mean"]
    for policy in kaufman.POLICIES:
        row += [mean(curve[policy, load][0] for load in kaufman.LOADS), None]
    return row + [None, None]


def judge_ratio(lab, curve, factor):
    for policy in kaufman.POLICIES[1:]:
        worst = max(HEAVY, key=lambda load: curve[policy, load][0] /
                    curve["binary", load][0])
        ratio = curve[policy, worst][0] / curve["binary", worst][0]
        lab.check(ratio <= MOST,
                  f"{factor} of {policy} are at most a third of binary's at "
                  f"loads of 4 and up: {ratio:.3f} at load {worst}")


def judge_tailored(lab, loads, curve, factor):
    """Tailored against revised, on the average, as the paper has it."""
    part = 1 / len(kaufman.LOADS)
    value, half = kaufman.estimate(
        [kaufman.per_request(loads[load], policy, factor, sign * part)
         for load in kaufman.LOADS
         for policy, sign in (("tailored", 1), ("revised", -1))])
    more = factor == "merges"
    against = [load for load in kaufman.LOADS if more !=
               (curve["tailored", load][0] >= curve["revised", load][0])]
    lab.check(value >= 0 if more else value <= 0,
              f"{factor} of tailored are {'no fewer' if more else 'no more'} "
              "than revised's on the average of the five loads: "
              f"{value:+.4f} +- {half:.4f} a request")
    lab.note("The paper says so of the average, and it is not so load by load"
             f": at {', '.join(map(str, against))} it is the other way round."
             if against else "Here it is so at each of the loads.")


def figure(lab, title, name, factor):
    """One of the three, from the runs to the checks."""
    loads = kaufman.speed_cells(lab)
    curve = curves(loads, factor)
    columns = ["Load"]
    for policy in kaufman.POLICIES:
        columns += [policy.capitalize(), "+-"]
    runs = len(loads[2].runs("binary", "requests"))
    lab.table(title, [*columns, "Revised / binary", "Tailored / binary"],
              [*rows_of(curve), mean_row(curve)],
              note=f"{runs} runs a load; +- is 95 % confidence.")
    judge_ratio(lab, curve, factor)
    judge_tailored(lab, loads, curve, factor)
