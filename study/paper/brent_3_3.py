# SPDX-License-Identifier: GPL-2.0
"""Table 3.3: PQSIM after the load was twice as high for the first half."""
import pqsim
from brent_3_2 import PAPER as NORMAL

TITLE = "Table 3.3, PQSIM: load doubled for the first 1000 seconds"

# Strategy, phi0: page faults, normalized, ratio to table 3.2.
PAPER = {
    ("stack", None): (1044235, 0.76, 1.86),
    ("queue", None): (1365741, 1.00, 1.70),
    ("random", None): (1372438, 1.00, 1.73),
    ("nofree", None): (520717, 0.38, 1.17),
    ("quick", None): (597452, 0.44, 1.12),
    ("first-fit", None): (643004, 0.47, 1.41),
    ("random-b", None): (568352, 0.41, 0.94),
    ("most-free", None): (498482, 0.36, 1.10),
    ("most-free", 5): (477215, 0.35, 1.32),
    ("least-free", None): (726429, 0.53, 1.42),
    ("least-free", 5): (523993, 0.38, 1.39),
    ("mru", None): (337648, 0.25, 0.90),
    ("mru", 5): (361058, 0.26, 1.07),
}
assert PAPER.keys() == NORMAL.keys()


def judge(lab, high, ratio):
    faults = {row: high.faults(row) for row in PAPER}
    best = min(faults, key=faults.get)
    lab.check(best == ("mru", None),
              f"MRU has the fewest faults, {faults['mru', None]:,.0f} "
              f"(the fewest: {pqsim.name(best)} {faults[best]:,.0f})")
    lab.check(ratio["mru", None] < 1,
              f"MRU is better after a high load than without: "
              f"{ratio['mru', None]:.2f} times the faults, below 1")
    lab.check(ratio["stack", None] > 1.5,
              f"STACK stays scattered: {ratio['stack', None]:.2f} times the "
              "faults, above 1.5")


SHOWN = "random", "stack", "least-free", "most-free", "mru"
TIME, LIVE, USED, FAULTS = 0, 1, 2, 4  # in a sample
STEPS = 8   # samples from one point to the next


def pages(high):
    """Points of the pages with a live block, and of what would do."""
    runs = [high.sims[(strategy, None), high.seeds[0]]["samples"][::STEPS]
            for strategy in SHOWN[1:]]
    return [[round(at[0][TIME]), *(s[USED] for s in at),
             round(at[-1][LIVE] / pqsim.CAPACITY)] for at in zip(*runs)]


def faults(high):
    """Points of the page faults a second, from one to the next."""
    runs = [high.sims[(strategy, None), high.seeds[0]]["samples"][::STEPS]
            for strategy in SHOWN]
    return [[round(runs[0][i + 1][TIME]),
             *(round((run[i + 1][FAULTS] - run[i][FAULTS]) /
                     (run[i + 1][TIME] - run[i][TIME]), 1) for run in runs)]
            for i in range(len(runs[0]) - 1)]


def run(lab):
    normal = pqsim.Runs(lab, PAPER)
    high = pqsim.Runs(lab, PAPER, first_rate=2)
    ratio = {row: high.faults(row) / normal.faults(row) for row in PAPER}
    lab.table(TITLE, ["strategy", "faults, paper", "ours", "normalized, paper",
                      "ours", "ratio, paper", "ours", "difference"],
              [[pqsim.name(row), faults, round(high.faults(row)), norm,
                round(high.normalized(row), 2), times, round(ratio[row], 2),
                round(ratio[row] - times, 2)]
               for row, (faults, norm, times) in PAPER.items()],
              note="The ratio is to the faults without the high load, as in "
                   "table 3.2.")
    judge(lab, high, ratio)
    lab.curve("pqsim-drop", ["Seconds", *SHOWN[1:], "needed"], pages(high))
    lab.curve("pqsim-drop-faults", ["Seconds", *SHOWN], faults(high))
