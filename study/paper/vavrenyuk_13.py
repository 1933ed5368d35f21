# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 13: first fit, 5,000,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-13"
TITLE = vavrenyuk.title(13)


def run(lab):
    vavrenyuk.run(lab, 13)
