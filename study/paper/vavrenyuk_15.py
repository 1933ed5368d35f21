# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 15: best fit, 5,000,000 iterations, x64."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-15"
TITLE = vavrenyuk.title(15)
TEACHES = """Tags of 8 bytes instead of 4 cost five points and more, which no
way of searching wins back: small blocks want a page that knows their size, as
curpage's have."""


def run(lab):
    vavrenyuk.run(lab, 15)
