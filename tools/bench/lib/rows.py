# SPDX-License-Identifier: GPL-2.0
"""From the lines that the module writes to the rows of the table."""
import re
import statistics

import bars

LINE = re.compile(r"(\S+) round (\d+) blocks (\d+) "
                  r"curpage (\d+) peer (\d+) empty (\d+)\.")
UNIT = "unit/2"
# Time on a machine that others use, too, is compared pair by pair.
PAIRED = ("native",)
UNITS = {"icount": "instructions", "native": "ns"}


class BadFigures(Exception):
    """What came back from a kernel cannot be used."""


def read(text):
    """{case: [(blocks, curpage, peer, empty), ...]} from a log."""
    found = {}
    for match in LINE.finditer(text):
        found.setdefault(match[1], []).append(
            tuple(int(part) for part in match.groups()[2:]))
    return found


def prove_unit(samples):
    """The clock counts instructions, and none but those of the loops; else
    none of the figures is what it says."""
    if UNIT not in samples:
        raise BadFigures("the clock was not measured")
    for instructions, more, less, _ in samples.pop(UNIT):
        if more - less != instructions:
            raise BadFigures(f"the clock went on by {more - less} in a loop "
                             f"of {instructions} instructions")
    for name, taken in samples.items():
        empty = sorted({sample[-1] for sample in taken})
        if len(empty) > 1:
            raise BadFigures(f"{name}: the same empty loop took {empty[0]} "
                             f"and {empty[-1]} instructions")


def _ratio(mode, curpage, peer):
    if mode in PAIRED:
        return statistics.median(a / b for a, b in zip(curpage, peer))
    return statistics.median(curpage) / statistics.median(peer)


def _row(mode, name, taken, bar):
    """A row of the table, from the samples of a case; figures are those of
    one block, allocated and freed."""
    curpage, peer, empty = ([sample[i] / sample[0] for sample in taken]
                            for i in (1, 2, 3))
    most, aim = bar
    return {
        "name": name,
        "curpage": round(statistics.median(curpage), 2),
        "peer": round(statistics.median(peer), 2),
        "ratio": round(_ratio(mode, curpage, peer), 4),
        "bar": most,
        "aim": aim,
        "peer_is": bars.PEERS[bars.group(name)],
        "unit": UNITS[mode],
        "rounds": len(taken),
        "min": {"curpage": round(min(curpage), 2),
                "peer": round(min(peer), 2)},
        "median": {"curpage": round(statistics.median(curpage), 2),
                   "peer": round(statistics.median(peer), 2)},
        "loop": round(statistics.median(empty), 2),
    }


def made_of(mode, samples, rounds, barred=True):
    """All rows of a run, with so many rounds of each case. barred: is it held
    against the bars?"""
    for name, taken in samples.items():
        if len(taken) != rounds:
            raise BadFigures(f"{name}: {len(taken)} rounds came back of "
                             f"{rounds}")
    return [_row(mode, name, taken,
                 bars.bar(mode, name) if barred else (None, None))
            for name, taken in samples.items()]

