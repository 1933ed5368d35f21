# SPDX-License-Identifier: GPL-2.0
"""Runs of `lab kaufman` that the tables and figures of Kaufman 1980 have in
common, and what can be said of their means."""
import math

POLICIES = ("binary", "revised", "tailored")
NAMES = {"binary": "Original", "revised": "Revised",
         "tailored": "Tailored-lists"}
LOADS = (2, 4, 6, 8, 10)
MEANS = tuple(range(25, 251, 25))
UNITS = 4096
INTERARRIVAL = 10
FACTORS = ("searches", "splits", "merges")
CONFIDENCE = 1.96       # standard errors, for 95 %


class Cell:
    """The runs of one set of options, seed by seed."""

    def __init__(self, data):
        self.data = data
        self.place = {name: i for i, name in enumerate(data["figures"])}

    def runs(self, policy, figure):
        at = self.place[figure]
        return [run[at] for run in self.data["policies"][policy]["runs"]]

    def total(self, policy, figure):
        total = self.data["policies"][policy]["total"]
        return total[self.place[figure]]


def words(options):
    return ("lab", "kaufman", "--json",
            *(f"--{name.replace('_', '-')}={value}"
              for name, value in sorted(options.items())))


def cells(lab, keys):
    """Each set of options once, two at a time; the runs, in order."""
    keys = [words(key) for key in keys]
    return [job.result() for job in
            [lab.once(key, lambda key: Cell(lab.run(key)), key)
             for key in keys]]


def cell(lab, **options):
    return cells(lab, [options])[0]


def pooled(columns):
    """Seed by seed, the sum over cells."""
    return [sum(seed) for seed in zip(*columns)]


def estimate(terms):
    """The value of a sum of WEIGHT * sum(NUM) / sum(DEN), and half the width
    of its 95 % confidence interval.  Runs of one seed have much in common, in
    whatever cell they are; those of different seeds have nothing."""
    value, errors = 0, None
    for weight, num, den in terms:
        middle = sum(den) / len(den)
        if not middle:
            return None, None
        ratio = sum(num) / sum(den)
        value += weight * ratio
        error = [weight * (n - ratio * d) / middle for n, d in zip(num, den)]
        errors = error if errors is None else [
            a + b for a, b in zip(errors, error)]
    count = len(errors)
    square = sum(e * e for e in errors) / (count - 1) / count
    return value, CONFIDENCE * math.sqrt(square)


def speed_cells(lab):
    """Five loads with a mean of 100, as in the figures: load, cell."""
    runs = 200 if lab.short else 2000
    return dict(zip(LOADS, cells(lab, [
        {"mean": 100, "lifetime": INTERARRIVAL * load, "runs": runs}
        for load in LOADS])))


def per_request(got, policy, figure, weight=1):
    """A term for estimate()."""
    return (weight, got.runs(policy, figure), got.runs(policy, "requests"))
