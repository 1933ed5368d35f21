# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's Table 7: few sizes make up most objects."""
import jw_runs as jw

NAME = "jw-7"
TITLE = "Johnstone and Wilson, Table 7: sizes that make up parts of all objects"

# 90, 99, 99.9 and 100 per cent.
PAPER = {"Espresso": (9, 95, 308, 758), "GCC": (5, 12, 254, 641),
         "Ghostscript": (7, 85, 344, 589), "Grobner": (12, 55, 100, 139),
         "Hyper": (1, 2, 2, 6), "Perl": (10, 27, 60, 99),
         "P2C": (4, 26, 58, 92), "LRUsim": (1, 1, 5, 21)}
FEW = 20    # sizes


def run(lab):
    """All of it."""
    stats = jw.trace_statistics(lab)
    rows = [[name, *got["sizes"], jw.PROGRAMS[name],
             *PAPER[jw.PROGRAMS[name]]] for name, got in stats.items()]
    means = [jw.average(column)
             for column in zip(*(got["sizes"] for got in stats.values()))]
    theirs = [jw.average(column) for column in zip(*PAPER.values())]
    rows.append(["Average", *(f"{m:.1f}" for m in means), None,
                 *(f"{m:.1f}" for m in theirs)])
    lab.table(TITLE, ["Program", "90%", "99%", "99.9%", "100%",
                      "Stands for", "90%, paper", "99%, paper",
                      "99.9%, paper", "100%, paper"], rows)
    steps = [jw.average(column)
             for column in zip(*(got["aligned"] for got in stats.values()))]
    lab.table("Sizes in steps of 8 bytes, the alignment",
              ["Program", "90%", "99%", "99.9%", "100%"],
              [[name, *got["aligned"]] for name, got in stats.items()] +
              [["Average", *(f"{m:.1f}" for m in steps)]])
    lab.note(f"""The paper counts sizes to the byte, of which 6.1 make up 90 % of
all objects. Ours need {means[0]:.1f}, as programs of today have texts and arrays
of many lengths; a realloc() makes a new object here. What an allocator sees are
steps of its alignment, 8 bytes in the paper: of these it takes
{steps[0]:.1f}.""")
    lab.bar(means[0] < FEW, f"90 % of all objects have fewer than {FEW} sizes on "
            f"average: {means[0]:.1f}")
    lab.check(steps[0] < FEW, f"90 % of all objects have fewer than {FEW} "
              f"sizes in steps of 8 bytes on average: {steps[0]:.1f}")
