# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 12: best fit, 5,000,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-12"
TITLE = vavrenyuk.title(12)


def run(lab):
    vavrenyuk.run(lab, 12)
