# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 3: first fit, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-3"
TITLE = vavrenyuk.title(3)


def run(lab):
    vavrenyuk.run(lab, 3)
