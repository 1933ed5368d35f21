# SPDX-License-Identifier: GPL-2.0
"""Nielsen's Table II, what his loads are like, and ours beside."""
import nielsen_runs as nielsen
from nielsen_runs import LOADS

NEAR = 3                # percent of the allocations

# Sources, coexisting blocks of each, sizes, lifetimes of one and of all
# sources, cycling, allocations of 21 periods.
D, S, Q = "dissimilar", "similar", "sequential"
PAPER = (
    (10, "22 / wide", "wide", f"{D} / {D}", "none", 9277),
    (20, "40 / wide", "wide", f"{D} / {D}", "long, uncoord.", 13315),
    (20, "40 / wide", "wide", f"{D} / {D}", "long, coord.", 13318),
    (20, "40 / wide", "wide", f"{D} / {D}", "short", 13325),
    (10, "22 / wide", "narrow", f"{D} / {D}", "none", 9235),
    (10, "22 / wide", "wide, mult.", f"{D} / {D}", "none", 9357),
    (3, "27 / wide", "wide", f"{D} / {D}", "none", 2647),
    (3, "27 / wide", "narrow", f"{D} / {D}", "none", 2620),
    (3, "27 / wide", "wide, mult.", f"{D} / {D}", "none", 2638),
    (25, "36 / wide", "wide", f"{D} / {D}", "none", 29517),
    (25, "36 / wide", "narrow", f"{D} / {D}", "none", 29685),
    (25, "36 / wide", "wide, mult.", f"{D} / {D}", "none", 29462),
    (10, "33 / wide", "wide", f"{S} / {S}", "none", 9382),
    (10, "33 / wide", "wide", f"{D} / {S}", "none", 9266),
    (10, "22 / wide", "wide", f"{S} / {D}", "none", 9315),
    (10, "7 / narrow", "wide", f"{D} / {D}", "none", 9303),
    (10, "50 / narrow", "wide", f"{D} / {D}", "none", 17524),
    (10, "22 / wide", "wide", f"{Q} / {D}", "none", 9365),
)


def table(lab, loads):
    """loads: what the lab says of each."""
    rows = []
    for name, paper in zip(LOADS, PAPER):
        load = loads[name]
        rows.append([nielsen.number(name), *paper, load["allocs"],
                     load["blocks_peak"],
                     load["live_peak"] // nielsen.WORD])
    lab.table("The loads: Table II, and what ours come to",
              ["Load", "Sources", "Coexisting of each", "Sizes",
               "Lifetimes of one / all", "Cycling", "Allocations, paper",
               "Allocations, ours", "Most blocks, ours", "Most words, ours"],
              rows)


def judge(lab, loads):
    for name, paper in zip(LOADS, PAPER):
        off = 100 * (loads[name]["allocs"] / paper[-1] - 1)
        lab.check(abs(off) <= NEAR,
                  f"{name}: {loads[name]['allocs']} allocations, {off:+.1f} % "
                  f"of the paper's {paper[-1]}, at most {NEAR}")
