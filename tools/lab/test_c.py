# SPDX-License-Identifier: GPL-2.0
"""The tests in C, by the program that runs them."""
from test_unit import run_unit


def test_unit(suite):
    """Every case passes."""
    run_unit(suite)
