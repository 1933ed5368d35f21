# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 1: malloc, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-1"
TITLE = vavrenyuk.title(1)


def run(lab):
    vavrenyuk.run_malloc(lab, 1)
