# SPDX-License-Identifier: GPL-2.0
"""Table 3.2: PQSIM, a priority queue of 20-byte nodes."""
import pqsim

TITLE = "Table 3.2, PQSIM: 20-byte blocks, 512-byte pages, working set 50"

# Strategy, phi0: virtual size, page faults, normalized.
PAPER = {
    ("stack", None): (101, 561080, 0.71),
    ("queue", None): (101, 803555, 1.01),
    ("random", None): (102, 794000, 1.00),
    ("nofree", None): (31360, 445709, 0.56),
    ("quick", None): (1823, 531122, 0.67),
    ("first-fit", None): (98, 455026, 0.57),
    ("random-b", None): (103, 606035, 0.76),
    ("most-free", None): (102, 453102, 0.57),
    ("most-free", 5): (118, 361515, 0.46),
    ("least-free", None): (102, 511869, 0.64),
    ("least-free", 5): (116, 377282, 0.48),
    ("mru", None): (101, 374908, 0.47),
    ("mru", 5): (118, 337436, 0.42),
}
ORDER = ("mru", "most-free", "least-free", "quick", "stack", "random")
NEAR = 0.12
READINGS = (
    ("as above", {}),
    ("a new arrival is put in before its end", {"variant": "arrival-first"}),
    ("one mean lifetime for all", {"variant": "one-lifetime"}),
    ("lifetimes less spread", {"variant": "less-spread"}),
)


def judge(lab, runs):
    for row, (_, _, theirs) in PAPER.items():
        ours = runs.normalized(row)
        lab.check(abs(ours - theirs) <= NEAR,
                  f"{pqsim.name(row)}: {ours:.2f} of the faults of RANDOM, the "
                  f"paper {theirs:.2f}, within {NEAR}")
    faults = [runs.faults((strategy, None)) for strategy in ORDER]
    lab.check(all(a < b for a, b in zip(faults, faults[1:])),
              "fewer faults in the order " + " < ".join(
                  f"{s.upper()} {f:,.0f}" for s, f in zip(ORDER, faults)))


def readings(lab):
    """How the result moves with what the paper leaves open."""
    rows = [(s, None) for s in ("random", *ORDER[:-1], "nofree")]
    made = [(text, pqsim.Runs(lab, rows, **other))
            for text, other in READINGS]
    lab.table("Other readings of the paper: normalized page faults",
              ["reading", *(pqsim.name(row) for row in rows[1:]), "RANDOM"],
              [[text, *(runs.normalized(row) for row in rows[1:]),
                int(runs.faults(("random", None)))] for text, runs in made])


def run(lab):
    runs = pqsim.Runs(lab, PAPER)
    table = []
    for row, (size, faults, ratio) in PAPER.items():
        ours = runs.normalized(row)
        table.append([pqsim.name(row), size, round(runs.size(row)), faults,
                      round(runs.faults(row)), ratio, round(ours, 2),
                      round(ours - ratio, 2), round(runs.spread(row), 2),
                      runs.mean(row, lambda sim: sim["efficiency"])])
    lab.table(TITLE, ["strategy", "size, paper", "ours", "faults, paper", "ours",
                      "normalized, paper", "ours", "difference", "+-",
                      "efficiency, ours"], table,
              note=f"Means over {len(runs.seeds)} seeds; +- is how far one of "
                   "them was from the mean.")
    judge(lab, runs)
    if not lab.short:
        readings(lab)
