# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 1: malloc, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-1"
TITLE = vavrenyuk.title(1)
TEACHES = """Small blocks of all sizes that come and go leave a quarter of
malloc's memory to tags, rounding and holes, and it keeps all of it when they
are freed."""


def run(lab):
    vavrenyuk.run_malloc(lab, 1)
