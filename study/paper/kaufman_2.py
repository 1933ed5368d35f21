# SPDX-License-Identifier: GPL-2.0
"""Kaufman's Table 2: how memory is used."""
import kaufman_runs as kaufman

NAME = "kaufman-2"
TITLE = "Kaufman, Table 2: memory utilization"

# percent
PAPER = {"binary": (29.1, 12.6, 38.0), "revised": (29.1, 16.0, 40.4),
         "tailored": (29.1, 13.6, 38.7)}
PAPER_INTERNAL = {"exponential": 29.1, "normal": 29.4, "uniform": 30.2}

# What has to come out, in points.
NEAR_INTERNAL, NEAR_EXTERNAL = 1.5, 3

FEWER = 0.9             # of the memory, desired in one of the variants


def keys(lab, loads=None, runs=None, **options):
    """One set of options for each mean and load."""
    loads = loads or ((10,) if lab.short else kaufman.LOADS)
    runs = runs or (200 if lab.short else 500)
    return [{"mean": mean, "lifetime": kaufman.INTERARRIVAL * load,
             "runs": runs, **options}
            for mean in kaufman.MEANS for load in loads]


def internal(cells, policy="binary", weight=100):
    """Terms: every mean counts as much, all loads of it together."""
    by_mean = {}
    for cell in cells:
        by_mean.setdefault(cell.data["mean"][0], []).append(cell)
    terms = []
    for group in by_mean.values():
        asked, given = (kaufman.pooled(cell.runs(policy, figure)
                                       for cell in group)
                        for figure in ("asked", "given"))
        terms.append((weight / len(by_mean),
                      [g - a for g, a in zip(given, asked)], given))
    return terms


def external(cells, policy, weight=100, first=False):
    """Terms: of all requests that were refused, or the first of each run,
    whatever the mean and load."""
    free = kaufman.pooled(cell.runs(policy, "free_first" if first else
                                    "free_refused") for cell in cells)
    refused = kaufman.pooled(
        [min(nr, 1) if first else nr for nr in cell.runs(policy, "refused")]
        for cell in cells)
    return [(weight, free, [kaufman.UNITS * nr for nr in refused])]


def total(inner, outer):
    """What both waste, as Peterson and Norman add them up."""
    return 100 - (100 - inner) * (100 - outer) / 100


def table_2(lab, cells):
    """The paper's table; returns external fragmentation by policy."""
    rows, found = [], {}
    for policy in kaufman.POLICIES:
        inner = kaufman.estimate(internal(cells, policy))
        outer = found[policy] = kaufman.estimate(external(cells, policy))
        paper = PAPER[policy]
        refused = sum(cell.total(policy, "refused") for cell in cells)
        rows.append([kaufman.NAMES[policy], paper[0], *inner, paper[1],
                     *outer, paper[2], total(inner[0], outer[0]),
                     int(refused)])
        lab.check(abs(inner[0] - paper[0]) <= NEAR_INTERNAL,
                  f"{policy}: internal fragmentation {inner[0]:.2f} % is "
                  f"within {NEAR_INTERNAL} points of the paper's {paper[0]}")
        lab.check(abs(outer[0] - paper[1]) <= NEAR_EXTERNAL,
                  f"{policy}: external fragmentation {outer[0]:.2f} % is "
                  f"within {NEAR_EXTERNAL} points of the paper's {paper[1]}")
    lab.table(TITLE, ["System", "Internal %, paper", "ours", "+-",
                      "External %, paper", "ours", "+-", "Total %, paper",
                      "ours", "Refused"], rows,
              note=f"{len(cells)} sets of mean and load, "
              f"{len(cells[0].runs('binary', 'requests'))} runs each; +- is "
              "95 % confidence. Total is 1 - (1 - internal)(1 - external), "
              "which is what the paper's figures add up to.")
    return found


def judge_order(lab, cells):
    for less, more in (("binary", "tailored"), ("tailored", "revised")):
        value, half = kaufman.estimate(external(cells, more) +
                                       external(cells, less, -100))
        lab.check(value > 0,
                  f"external fragmentation of {less} is below that of {more}:"
                  f" by {value:.2f} +- {half:.2f} points")


def judge_internal(lab, cells):
    """The blocks that came are the same."""
    given = [sum(cell.total(policy, "given") for cell in cells)
             for policy in kaufman.POLICIES]
    asked = [sum(cell.total(policy, "asked") for cell in cells)
             for policy in kaufman.POLICIES]
    lab.check(len(set(given)) == 1 and len(set(asked)) == 1,
              "internal fragmentation is the same for the three systems, to "
              f"the unit: {int(given[0]):,} units in blocks for "
              f"{int(asked[0]):,} asked for")


def other_sizes(lab):
    """Both kinds of fragmentation for the other distributions."""
    rows, spread = [], kaufman.cells(lab, keys(lab, (10,), 200))
    for sizes, paper in PAPER_INTERNAL.items():
        cells = spread if sizes == "exponential" else kaufman.cells(
            lab, keys(lab, (10,), 200, sizes=sizes))
        inner = kaufman.estimate(internal(cells))
        row = [sizes, paper, *inner]
        for policy in kaufman.POLICIES:
            row += kaufman.estimate(external(cells, policy))
        rows.append(row)
        lab.check(abs(inner[0] - paper) <= NEAR_INTERNAL,
                  f"{sizes} sizes: internal fragmentation {inner[0]:.2f} % is "
                  f"within {NEAR_INTERNAL} points of the paper's {paper}")
    lab.table("Other distributions of sizes, load 10",
              ["Sizes", "Internal %, paper", "ours", "+-", "External %: binary",
               "+-", "revised", "+-", "tailored", "+-"], rows,
              note="Means from 25 to 250. The standard deviation of normal "
              "sizes, which the paper does not say, is a fifth of the mean.")


def continuous(lab):
    """The measure that the paper proposes and does not print."""
    rows = []
    for load, cell in kaufman.speed_cells(lab).items():
        ones = [1] * len(cell.runs("binary", "requests"))
        row = [load]
        for policy in kaufman.POLICIES:
            row += kaufman.estimate(
                [(100 / kaufman.UNITS, cell.runs(policy, "scattered"), ones)])
        rows.append(row)
    lab.table("Memory in free blocks whose buddy is not one as well, %",
              ["Load", "Binary", "+-", "Revised", "+-", "Tailored", "+-"],
              rows, note="The continuous measure of external fragmentation "
              "that the paper proposes, averaged over time; mean 100. It says "
              "what cannot be merged at once, not what is lost: binary has "
              "merged all it could, so that nearly all its free memory is in "
              "such blocks, and comes out as the worst.")


def variants(lab, cells):
    """What other readings of the paper come to."""
    shares = {cell.data["mean"][0]: cell.data["shares"] for cell in cells}
    some = keys(lab, (10,), 200)
    fewer = [{**key, "desired": shares[key["mean"]].replace(
        f":{kaufman.UNITS}:", f":{int(FEWER * kaufman.UNITS)}:")}
        for key in some]
    spread = kaufman.cells(lab, some)
    readings = (
        ("as above", cells, False),
        ("load 10 only", spread, False),
        ("load 10, the first refusal of each run only", spread, True),
        ("load 10, sizes above 512 are 512",
         kaufman.cells(lab, [{**key, "outside": "clamp"} for key in some]),
         False),
        (f"load 10, desired numbers for {FEWER} of the memory",
         kaufman.cells(lab, fewer), False),
    )
    lab.table("External fragmentation in other readings, %",
              ["Reading", "Binary", "+-", "Revised", "+-", "Tailored", "+-",
               "Internal"],
              [[text, *(x for policy in kaufman.POLICIES for x in
                        kaufman.estimate(external(runs, policy, first=first))),
                kaufman.estimate(internal(runs))[0]]
               for text, runs, first in readings])


def run(lab):
    """All of it."""
    cells = kaufman.cells(lab, keys(lab))
    table_2(lab, cells)
    judge_order(lab, cells)
    judge_internal(lab, cells)
    other_sizes(lab)
    continuous(lab)
    variants(lab, cells)
