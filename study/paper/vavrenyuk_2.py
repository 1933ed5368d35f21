# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 2: best fit, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-2"
TITLE = vavrenyuk.title(2)


def run(lab):
    vavrenyuk.run(lab, 2)
