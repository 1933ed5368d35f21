# SPDX-License-Identifier: GPL-2.0
"""What the tests of the study share: its lab with and without sanitizers."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from place import OUT, STUDY  # noqa: E402

pytest_plugins = ("hosttest",)
pytest.register_assert_rewrite("hosttest")

import hosttest  # noqa: E402


@pytest.fixture(scope="session")
def san():
    """The lab with sanitizers, built."""
    out = OUT.with_name("study-san")
    hosttest.make(STUDY, out, "all", "SAN=1")
    return out / "lab"


@pytest.fixture(scope="session")
def fast():
    """The folder of the lab as it is built for use."""
    hosttest.make(STUDY, OUT, OUT / "lab")
    return OUT


@pytest.fixture
def lab(san):
    """The lab with sanitizers."""
    return hosttest.Program(san)


@pytest.fixture
def plain(fast):
    """The lab as it is built for use."""
    return hosttest.Program(fast / "lab")
