# SPDX-License-Identifier: GPL-2.0
"""The samples that the guest took, and what they come to."""
import csv

# The name that is shown, and the column of the samples.
ALLOCATORS = {"SLUB": "slub", "curpage": "curpage"}
_TEXT = ("phase",)


class IncompleteError(Exception):
    """A sample that the table needs is not there."""


def _number(text):
    return float(text) if "." in text else int(text)


def read(path):
    """The samples of a file, in the order in which they were taken."""
    with open(path, newline="", encoding="utf-8") as handle:
        return [{key: text if key in _TEXT else _number(text)
                 for key, text in row.items()}
                for row in csv.DictReader(handle)]


def loads(samples):
    """The samples of each load, by (size, objects): sizes in the order of
    the smallest number of objects first."""
    found = {}
    for sample in samples:
        found.setdefault((sample["size"], sample["objects"]), []).append(sample)
    return dict(sorted(found.items(), key=lambda item: item[0][::-1]))


def _at(samples, phase, lifetimes=None):
    """The last sample of a phase, or the one after so many lifetimes."""
    for sample in reversed(samples):
        if sample["phase"] == phase and lifetimes in (None,
                                                      sample["lifetimes"]):
            return sample
    raise IncompleteError(f"no sample of phase {phase}, {lifetimes} lifetimes")


def _held(samples, column):
    """What one allocator held when, in pages."""
    end = _at(samples, "half", 20)
    return {
        "peak": max(sample[column] for sample in samples),
        "drop": _at(samples, "drop")[column],
        "after_3": _at(samples, "half", 3)[column],
        "after_20": end[column],
        "ratio": round(end[column] / end["ideal"], 4),
        "freed": _at(samples, "shrink")[column],
    }


def summarise(samples):
    """What the table says, load by load."""
    runs = []
    for (size, objects), taken in loads(samples).items():
        end = _at(taken, "half", 20)
        runs.append({
            "size": size,
            "objects": objects,
            "half": end["live"],
            "full_lifetimes": int(_at(taken, "full")["lifetimes"]),
            "half_lifetimes": int(_at(taken, "half")["lifetimes"]),
            "ideal_peak": max(sample["ideal"] for sample in taken),
            "ideal_half": end["ideal"],
            "held": {name: _held(taken, column)
                     for name, column in ALLOCATORS.items()},
        })
    return runs
