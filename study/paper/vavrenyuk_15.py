# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 15: best fit, 5,000,000 iterations, x64."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-15"
TITLE = vavrenyuk.title(15)


def run(lab):
    vavrenyuk.run(lab, 15)
