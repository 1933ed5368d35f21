# SPDX-License-Identifier: GPL-2.0
"""Theorem 6.1: the worst case, and an adversary that tries for it."""

NAME = "brent-6.1"
TITLE = "Theorem 6.1: pages against an adversary"

STRATEGIES = ("most-free", "least-free", "mru")
# page size, bytes live at most, largest block
CASES = (
    (4096, 1 << 20, 4096), (4096, 1 << 20, 1024), (4096, 1 << 20, 128),
    (4096, 1 << 18, 4096), (4096, 1 << 23, 4096), (4096, 1 << 23, 512),
    (512, 1 << 18, 512), (512, 1 << 18, 64), (512, 1 << 21, 512),
)
SHORT = (0, 2, 6)
# How much of the bound it has to get, or it would not have tried.
TRIED = 0.6


def bound(lab, case, strategy):
    """One attack."""
    size, live, largest = case
    return lab.run((f"lab-{size}", "bound", "--json",
                    f"--strategy={strategy}", f"--bytes={live}",
                    f"--largest={largest}",
                    f"--rounds={2 if lab.short else 5}"))


def attack(lab, case, strategy):
    """A row, and whether the bound held."""
    got = bound(lab, case, strategy)
    what = (f"{strategy.upper()}, pages of {case[0]}, {case[1]} bytes live, "
            f"blocks up to {case[2]}")
    lab.check(got["pages"] <= got["bound"],
              f"{what}: {got['pages']} pages, the bound is {got['bound']}")
    lab.check(got["pages"] >= TRIED * got["bound"],
              f"{what}: the adversary got at least {TRIED} of it")
    return [strategy.upper(), *case, got["pages"], got["bound"],
            round(got["pages"] / got["bound"], 3),
            round(got["theorem"], 1)]


def run(lab):
    """All of it."""
    cases = [CASES[i] for i in SHORT] if lab.short else CASES
    lab.table(TITLE, ["Strategy", "Page", "M", "n", "Pages", "Bound",
                      "Part of it", "e ln 2 M log2 n"],
              [attack(lab, case, strategy) for case in cases
               for strategy in STRATEGIES],
              note="M and n in bytes, which count in units of 8. The bound is "
              "the sum that lemma 6.2 estimates, class by class; the last "
              "column is the leading term of the theorem, to which terms of "
              "the order of M and p log n have to be added.")
    got = bound(lab, CASES[0], "nofree")
    lab.check(got["pages"] > got["bound"],
              f"NOFREE, which reuses nothing, does pass it: {got['pages']} "
              f"pages, {got['bound']}")
