# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 11: malloc, 5,000,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-11"
TITLE = vavrenyuk.title(11)
TEACHES = """A hundred times as many requests cost malloc some points more:
what a steady load loses, it loses early."""


def run(lab):
    vavrenyuk.run_malloc(lab, 11)
