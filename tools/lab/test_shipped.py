# SPDX-License-Identifier: GPL-2.0
"""Without the study mm/ compiles, places alike, and has no other strategy."""
import pathlib

import hosttest
import pytest

HERE = pathlib.Path(__file__).resolve().parent
OUT = hosttest.ROOT / "out/lab-shipped"
STRATEGIES = ("mru", "least-free", "least-free-8", "lowest-page")


@pytest.fixture(scope="module")
def shipped():
    """The lab without the study."""
    hosttest.make(HERE, OUT, OUT / "lab", "STUDY=0")
    return hosttest.Program(OUT / "lab")


@pytest.mark.full
def test_warnings(tmp_path):
    """It compiles without a warning."""
    assert not hosttest.make(HERE, tmp_path, tmp_path / "lab", "STUDY=0")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_places(plain, shipped, trace, seed, strategy):
    """A strategy places as with the study."""
    args = ("replay", "--json", "--placements", "--strategy", strategy,
            trace("mix", seed))
    assert plain.output(*args) == shipped.output(*args)


def test_strategies(shipped):
    """There are no other strategies."""
    done = shipped.run("replay", "--strategy", "stack", "-")
    assert done.returncode == 2
    assert done.stderr.strip().endswith("must be one of " + ", ".join(STRATEGIES))
