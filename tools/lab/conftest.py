# SPDX-License-Identifier: GPL-2.0
"""What the tests of the lab share: its programs, and copies with a fault in mm/."""
import pathlib
import shutil
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "model"), str(HERE.parent / "lib")]
pytest_plugins = ("hosttest",)
pytest.register_assert_rewrite("hosttest")

import hosttest  # noqa: E402

OUT = HERE.parent.parent / "out"


@pytest.fixture(scope="session")
def san():
    """The folder of the programs with sanitizers, built."""
    hosttest.make(HERE, OUT / "lab-san", "all", "SAN=1")
    return OUT / "lab-san"


@pytest.fixture(scope="session")
def fast():
    """The folder of the programs as they are built for use, and interleave."""
    hosttest.make(HERE, OUT / "lab", "all", "interleave")
    return OUT / "lab"


@pytest.fixture
def lab(san):
    """The lab with sanitizers."""
    return hosttest.Program(san / "lab")


@pytest.fixture
def plain(fast):
    """The lab as it is built for use."""
    return hosttest.Program(fast / "lab")


@pytest.fixture
def interleave(fast):
    """The interleaving test."""
    return hosttest.Program(fast / "interleave")


@pytest.fixture
def mutant(tmp_path):
    """mutant(NOTICE, OUT, OBJECTS, TARGET, MAKE WORDS...): a program with the fault
    planted in mm/, made in a copy of these folders of OUT."""
    def build(notice, out, objects, target, *words):
        shutil.copytree(hosttest.ROOT / "mm", tmp_path / "tree/mm")
        hosttest.plant(notice.patch, tmp_path / "tree")
        for name in objects:
            shutil.copytree(out / name, tmp_path / "out" / name)
        shutil.copy2(out / "strategies", tmp_path / "out")
        hosttest.make(HERE, tmp_path / "out", tmp_path / "out" / target,
                      f"MMDIR={tmp_path / 'tree/mm'}", *words)
        return hosttest.Program(tmp_path / "out" / target)
    return build


@pytest.fixture
def trace(lab, file):
    """trace(PROFILE, SEED): a random trace of 5,000 events."""
    def write(profile, seed):
        return file("trace", lab.output("gen", "--profile", profile, "--events",
                                        5000, "--seed", seed))
    return write
