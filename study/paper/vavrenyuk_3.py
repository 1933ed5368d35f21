# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk and others, Table 3: first fit, 50,000 iterations, x86."""
import vavrenyuk_runs as vavrenyuk

NAME = "vavrenyuk-3"
TITLE = vavrenyuk.title(3)
TEACHES = """First fit in order of address packs no better than a best fit that
ends early, and looks at three times as many areas."""


def run(lab):
    vavrenyuk.run(lab, 3)
