# SPDX-License-Identifier: GPL-2.0
"""Kaufman's Figure 2: splits a request."""
import kaufman_speed

NAME = "kaufman-fig2"
TITLE = "Kaufman, Figure 2: splits a request by loading factor"


def run(lab):
    """All of it."""
    kaufman_speed.figure(lab, TITLE, NAME, "splits")
