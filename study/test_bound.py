# SPDX-License-Identifier: GPL-2.0
"""lab bound, the adversary."""
import json

import pytest
from hosttest import assert_refused

BAD_OPTIONS = (
    # arguments, what the error says
    (("bound", "--bytes", "4095"), "'4095': must be 4096 to 67108864"),
    (("bound", "--largest", "100"), "'100': must be 32 to 4096"),
    (("bound", "--largest", "8192"), "'8192': must be 32 to 4096"),
    (("bound", "--rounds", "0"), "'0': must be 1 to 100"),
)


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run(*args), word)


@pytest.mark.parametrize("strategy, held", (
    ("mru", True), ("least-free", True), ("most-free", True), ("nofree", False)))
def test_bound(lab, strategy, held):
    """An adversary stays below the bound, except against NOFREE."""
    got = json.loads(lab.output("bound", "--json", "--bytes", 131072, "--largest",
                                1024, "--strategy", strategy))
    assert got["within"] == held == (got["pages"] <= got["bound"])
