# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's Table 3: fragmentation where the most is used."""
import jw_runs as jw

NAME = "jw-3"
TITLE = "Johnstone and Wilson, Table 3: fragmentation by measure 3"
TEACHES = """Measure 3 looks at the moment of the most memory, which may have little
that is live (minimiser, translator): for sizing a machine take measure 4, for how
much could be given back then, measure 3."""

# Espresso, GCC, Ghost, Grobner, Hyper, Perl, P2C, LRUsim, average, deviation.
PAPER = jw.figures("""
0.30 0.34 3.25 1.67 0.03 1.07 1.17 0.03 0.98 1.09
1.64 0.49 3.65 4.14 0.20 17.3 2.09 0.29 3.73 5.68
1.65 0.50 3.65 4.35 0.20 17.3 2.11 0.29 3.76 5.68
1.63 0.49 5.40 4.11 0.20 17.3 2.05 0.29 3.93 5.72
0.30 0.36 3.02 1.11 0.03 1.06 1.33 0.03 0.91 0.99
25.3 0.51 3.40 3.78 0.20 17.3 2.22 0.29 6.63 9.41
41.4 92.9 180 68.6 0.23 17.3 5.28 0.29 50.7 62.3
1.66 0.53 7.59 9.74 0.21 17.3 2.46 0.29 4.97 6.13
27.2 0.84 19.4 36.2 0.24 17.3 8.34 0.29 13.7 13.6
41.4 88.6 201 57.2 0.23 17.3 16.9 0.29 52.9 67.0
1.69 0.88 54.6 81.3 0.24 17.3 10.6 0.29 20.9 30.5
1.66 0.48 3.65 4.52 0.20 17.3 2.31 0.29 3.80 5.68
82.3 34.2 41.5 37.0 102 48.3 55.1 77.6 59.8 24.7
77.7 34.9 22.0 12.7 51.2 24.9 32.7 33.6 36.2 20.2
480 451 41.0 57.5 26.0 76.4 87.1 13328 1818 4654
475 452 34.4 41.6 26.0 56.1 64.9 10595 1468 3693
""")


def run(lab):
    """All of it."""
    jw.doubles(lab, jw.fragmentation(lab, TITLE, 3, PAPER))
    lab.note("""The paper's measure 3: the most that an allocator ever has, over
what was live when it first had as much.""")
    lab.note(jw.ASSUMED)
