# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's Table 2: the most live objects of each size."""
import jw_runs as jw

NAME = "jw-2"
TITLE = "Johnstone and Wilson, Table 2: most live objects by size"

PAPER = {
    "LRUsim": (41, 30, 39010, 0, 9, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0),
    "GCC": (14665, 57204, 11846, 3420, 172, 18, 73, 18, 18,
            18, 18, 18, 4, 1, 4, 4, 0, 0),
    "Espresso": (10, 98, 4325, 18, 11, 13, 5, 8, 6,
                 8, 7, 2, 4, 0, 0, 0, 0, 0),
    "Ghostscript": (0, 552, 10472, 2644, 1317, 318, 36, 4, 33,
                    2, 2, 4, 0, 0, 0, 0, 0, 0),
    "Grobner": (3664, 7185, 483, 36, 80, 19, 4, 1, 0,
                0, 1, 0, 0, 0, 0, 0, 0, 0),
    "Hyper": (0, 1, 292, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1),
    "P2C": (1383, 5595, 5336, 1517, 1, 1, 10, 1, 0,
            0, 2, 0, 0, 0, 0, 0, 0, 0),
    "Perl": (377, 248, 1284, 28, 4, 5, 3, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0),
}
SMALL = 5       # columns: up to 256 bytes
SHARE = 0.9     # of the paper's eight, each has so many small ones at least


def histogram(most):
    """From 16 to 2M; what is larger is counted with the largest."""
    columns = [0] * len(jw.SIZES.split())
    for size, number in most.items():
        column = min(int(size).bit_length() - 5, len(columns) - 1)
        columns[column] += number
    return columns


def share(columns):
    return sum(columns[:SMALL]) / sum(columns)


def run(lab):
    """All of it."""
    ours = {name: histogram(stats["most"])
            for name, stats in jw.trace_statistics(lab).items()}
    lab.table(TITLE, ["Object size", *jw.SIZES.split()],
              [[name, *columns] for name, columns in ours.items()])
    lab.table("The paper's programs", ["Object size", *jw.SIZES.split()],
              [[name, *PAPER[name]] for name in jw.PROGRAMS.values()])
    mean = jw.average([share(columns) for columns in ours.values()])
    lab.check(mean >= SHARE, f"up to 256 bytes are {mean:.1%} on average, "
              f"at least {SHARE:.0%}, as in each of the paper's")
