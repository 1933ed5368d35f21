# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's Table 1: what the programs ask for."""
import jw_runs as jw

NAME = "jw-1"
TITLE = "Johnstone and Wilson, Table 1: basic statistics of the programs"

# Kbytes allocated, most objects, objects, most Kbytes, average lifetime.
PAPER = {
    "Espresso": (104388, 4390, 1672889, 263, 15478),
    "GCC": (17972, 86872, 721353, 2320, 926794),
    "Ghostscript": (48993, 15376, 566542, 1110, 786699),
    "Grobner": (3986, 11366, 163310, 145, 173170),
    "Hyper": (7378, 297, 108720, 2049, 10531),
    "LRUsim": (1397, 39039, 39103, 1380, 701598),
    "P2C": (4641, 12652, 194997, 393, 187015),
    "Perl": (33041, 1971, 1600560, 69, 39811),
}
COLUMNS = ["Kbytes alloc'd", "Max objects", "Num objects", "Max Kbytes",
           "Avg lifetime"]
LEAST, MOST = 39103, 1672889    # objects of a program, in the paper


def row(stats):
    return [round(stats["bytes"] / 1024), stats["most_objects"],
            stats["objects"], round(stats["most_bytes"] / 1024),
            round(stats["lifetime"])]


def averages(rows):
    return [round(jw.average(column)) for column in zip(*rows)]


def run(lab):
    """All of it."""
    stats, runs = jw.trace_statistics(lab), jw.engine_runs(lab)
    ours = {name: row(stats[name]) for name in stats}
    rows = [[name, *values] for name, values in ours.items()]
    if ours:
        rows.append(["Average", *averages(ours.values())])
    lab.table(TITLE, ["Program", *COLUMNS], rows)
    rows = [[theirs, *PAPER[theirs]] for theirs in jw.PROGRAMS.values()]
    rows.append(["Average", *averages(PAPER.values())])
    lab.table("The paper's programs", ["Program", *COLUMNS], rows)
    for name, got in stats.items():
        load = runs[name]["load"]
        lab.check((load["asked"], load["allocs"], load["live_peak"],
                   load["blocks_peak"]) ==
                  (got["bytes"], got["objects"], got["most_bytes"],
                   got["most_objects"]),
                  f"{name}: the lab and the statistics read the same: "
                  f"{got['objects']:,} objects, at most "
                  f"{got['most_bytes']:,} bytes")
        lab.check(LEAST <= got["objects"] <= MOST,
                  f"{name}: as many objects as a program of the paper, "
                  f"{LEAST:,} to {MOST:,}: {got['objects']:,}")
