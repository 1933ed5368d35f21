# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 4: worst fit, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-4"
TITLE = vavrenyuk.title(4)


def run(lab):
    vavrenyuk.run(lab, 4)
    vavrenyuk.costs(lab)
    vavrenyuk.readings(lab)
