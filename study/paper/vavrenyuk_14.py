# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 14: malloc, 5,000,000 iterations, x64."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-14"
TITLE = vavrenyuk.title(14)


def run(lab):
    vavrenyuk.run_malloc(lab, 14)
    vavrenyuk.peers(lab)
