# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 16: first fit, 5,000,000 iterations, x64."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-16"
TITLE = vavrenyuk.title(16)


def run(lab):
    vavrenyuk.run(lab, 16)
