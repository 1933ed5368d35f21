# SPDX-License-Identifier: GPL-2.0
"""The tests in C, by the programs that run them."""
from test_unit import run_kunit, run_unit


def test_unit(suite):
    """Every case passes."""
    run_unit(suite)


def test_kunit(suite):
    """Every test of the suites passes."""
    run_kunit(suite)
