# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 2: best fit, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-2"
TITLE = vavrenyuk.title(2)
TEACHES = """A list in order of address gives all its memory back, which malloc
does not; curpage gives empty pages back but for its reserve."""


def run(lab):
    vavrenyuk.run(lab, 2)
