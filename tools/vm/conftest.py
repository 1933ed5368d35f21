# SPDX-License-Identifier: GPL-2.0
"""Makes what host tests share known, and --kernel."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "lib"), str(HERE.parent / "lib")]
pytest_plugins = ("hosttest",)
pytest.register_assert_rewrite("hosttest")


def pytest_addoption(parser):
    """Options of these tests."""
    parser.addoption("--kernel", default="6.12",
                     help="a series or a bzImage to boot; default 6.12")
