# SPDX-License-Identifier: GPL-2.0
"""Kaufman's Table 1: what the lists are tailored to."""
import kaufman_runs as kaufman

NAME = "kaufman-1"
TITLE = "Kaufman, Table 1: tailored lists for UNIFORM(1,300)"

FIRST_LIST = 2
PAPER = (0, 0, 0, 2, 3, 4, 7, 3, 0, 0, 0)
ORDERS = len(PAPER)
REQUESTS = "uniform:1:300:4096"


def units(order):
    return 1 << (FIRST_LIST + order)


def spread(numbers):
    """Units that desired numbers of blocks have."""
    return sum(number * units(order) for order, number in enumerate(numbers))


def tailored(lab, **options):
    got = kaufman.cell(lab, policy="tailored", **options)
    return got.data["policies"]["tailored"]


def others(lab):
    """The numbers for the sizes of section 4."""
    rows = []
    for mean in kaufman.MEANS:
        desired = tailored(lab, mean=mean)["desired"]
        rows.append([mean, *desired[:8], spread(desired)])
        lab.check(spread(desired) == kaufman.UNITS,
                  f"mean {mean}: all units are spread: {spread(desired)}")
    lab.table("Desired numbers for negative-exponential sizes",
              ["Mean", *(f"{units(order)}" for order in range(8)), "Units"],
              rows, note="By block size. Not in the paper; the figures and "
              "Table 2 are made with them.")


def run(lab):
    """All of it."""
    got = tailored(lab, desired=REQUESTS)
    lab.table(TITLE, ["k-list", "Block size", "Desired, paper",
                      "Desired, ours", "At the start"],
              [[f"{FIRST_LIST + order}-list", units(order), PAPER[order],
                got["desired"][order], got["start"][order]]
               for order in range(ORDERS)])
    lab.check(tuple(got["desired"]) == PAPER,
              f"the desired numbers are the paper's: {got['desired']}")
    lab.check(got["start"] == got["desired"],
              "and before the first request the lists hold just as many: "
              f"{got['start']}")
    others(lab)
