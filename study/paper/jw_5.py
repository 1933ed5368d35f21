# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's Table 5: when the neighbours in time are free, too."""
import jw_runs as jw

NAME = "jw-5"
TITLE = ("Johnstone and Wilson, Table 5: time until parts of the free objects "
         "have both temporal neighbours free")

# 90, 99 and 99.9 per cent, Kbytes.
PAPER = {"Espresso": (1, 8, 57), "GCC": (1, 2409, 17807),
         "Ghostscript": (1, 40091, 48593), "Grobner": (2, 3311, 3939),
         "Hyper": (2, 12, 18), "Perl": (1, 11, 184),
         "P2C": (11, 3823, 4494), "LRUsim": (1, 1, 1)}


def run(lab):
    """All of it."""
    jw.waits(lab, TITLE, "wait_objects", PAPER)
