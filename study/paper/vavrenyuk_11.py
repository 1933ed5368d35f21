# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 11: malloc, 5,000,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-11"
TITLE = vavrenyuk.title(11)


def run(lab):
    vavrenyuk.run_malloc(lab, 11)
