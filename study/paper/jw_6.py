# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's Table 6: as Table 5, each byte counted."""
import jw_runs as jw

NAME = "jw-6"
TITLE = ("Johnstone and Wilson, Table 6: time until parts of the free bytes "
         "have both temporal neighbours free")

# 90, 99 and 99.9 per cent, Kbytes.
PAPER = {"Espresso": (1, 62, 9552), "GCC": (223, 2355, 17805),
         "Ghostscript": (14, 44876, 48752), "Grobner": (2, 2464, 3836),
         "Hyper": (1, 11, 16), "Perl": (1, 13, 7153),
         "P2C": (16, 4142, 4614), "LRUsim": (1, 1, 8)}


def run(lab):
    """All of it."""
    jw.waits(lab, TITLE, "wait_bytes", PAPER)
