# SPDX-License-Identifier: GPL-2.0
"""Runs of PQSIM that tables 3.2, 3.3 and 3.4 have in common."""
from frame import mean

WORKING_SET = 50
CAPACITY = 512 // 20


def arguments(strategy, phi0, seed, **other):
    return {"load": "pqsim", "build": 512, "strategy": strategy, "phi0": phi0,
            "working_set": WORKING_SET, "seed": seed, **other}


def seeds(lab):
    return (1, 2, 3) if lab.short else (1, 2, 3, 4, 5)


class Runs:
    """The mean over seeds of rows, each a strategy and phi0."""

    def __init__(self, lab, rows, **other):
        self.seeds = seeds(lab)
        keys = [(row, seed) for row in dict.fromkeys(rows)
                for seed in self.seeds]
        sims = lab.sims([arguments(*row, seed, **other)
                         for row, seed in keys])
        self.sims = dict(zip(keys, sims))

    def mean(self, row, figure):
        return mean(figure(self.sims[row, seed]) for seed in self.seeds)

    def faults(self, row):
        return self.mean(row, lambda sim: sim["paging"][0]["faults"])

    def size(self, row):
        return self.mean(row, lambda sim: sim["virtual_size"])

    def normalized(self, row, to=("random", None)):
        return self.faults(row) / self.faults(to)

    def spread(self, row, to=("random", None)):
        """The largest distance of a seed from the mean."""
        def ratio(seed):
            return (self.sims[row, seed]["paging"][0]["faults"] /
                    self.sims[to, seed]["paging"][0]["faults"])
        middle = self.normalized(row, to)
        return max(abs(ratio(seed) - middle) for seed in self.seeds)


def name(row):
    """As the paper has it."""
    strategy, phi0 = row
    text = {"random-b": "RANDOM(B)"}.get(strategy, strategy.upper())
    return text if phi0 is None else f"{text} (phi0={phi0})"
