# SPDX-License-Identifier: GPL-2.0
"""What the host tests share: a pytest plugin with --seed and --short, programs
that are built once, and faults that a test has to notice.

A conftest.py names this module in pytest_plugins.  tools/lib/hosttest runs pytest.
"""
import contextlib
import fcntl
import os
import pathlib
import random
import re
import shutil
import subprocess
import typing

import argtypes
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 600       # for a run of a program, far more than any takes
NOTICED = re.compile(r"^Noticed-by: ([^\s:]+) ?(.*?): (.*)$", re.M)


def pytest_addoption(parser):
    """Options of every host test."""
    group = parser.getgroup("curpage")
    group.addoption("--seed", type=argtypes.whole(0, 2 ** 64 - 1), metavar="N",
                    help="seed of the random tests; default a random one")
    group.addoption("--short", action="store_true",
                    help="leave out the tests that are marked full")


def pytest_configure(config):
    """Draw the seed before xdist's workers start: they get the same."""
    config.addinivalue_line("markers", "full: takes long, not run with --short")
    if config.option.seed is None:
        config.option.seed = random.SystemRandom().getrandbits(32)


def pytest_report_header(config):
    """The line that repeats a run."""
    return f"--seed {config.option.seed}"


def pytest_collection_modifyitems(config, items):
    """Leave out the tests marked full; begin with them, as they take longest."""
    full = [item for item in items if item.get_closest_marker("full")]
    rest = [item for item in items if not item.get_closest_marker("full")]
    if config.option.short:
        config.hook.pytest_deselected(items=full)
        full = []
    items[:] = full + rest


def pytest_unconfigure(config):
    """Print the sum as all test programs do, after pytest's own."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(config, "workerinput"):
        count = {word: len(reporter.stats.get(word, ()))
                 for word in ("passed", "failed", "error")}
        print(f"{count['passed']} passed, {count['failed'] + count['error']} failed")


@pytest.fixture
def tmp_path(tmp_path):
    """pytest's folder for a test, without keeping builds of hundreds of MB."""
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def file(tmp_path):
    """file(NAME, DATA): the path of a file with this text or these bytes."""
    def write(name, data):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes)
                         else data.encode("latin-1"))
        return path
    return write


@pytest.fixture
def seed(request):
    """--seed."""
    return request.config.option.seed


@pytest.fixture
def rng(request):
    """Random numbers of this test, from --seed."""
    return random.Random(f"{request.config.option.seed} {request.node.name}")


class Program:
    """A program under test."""

    def __init__(self, path):
        self.path = path

    def run(self, *args, **more):
        """Run with these arguments; what was printed is text."""
        more = {"timeout": SECONDS, "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE, **more}
        done = subprocess.run([self.path, *map(str, args)], check=False, **more)
        done.stdout = (done.stdout or b"").decode(errors="replace")
        done.stderr = (done.stderr or b"").decode(errors="replace")
        return done

    def output(self, *args, **more):
        """What the program prints; it succeeds without a word of complaint."""
        done = self.run(*args, **more)
        assert not done.returncode and not done.stderr, done.stderr[:2000]
        return done.stdout


def assert_refused(done, *words, status=2):
    """The run printed nothing and said each of the words on standard error."""
    assert done.returncode == status, done.stderr[:2000]
    assert not done.stdout
    for word in words:
        assert word in done.stderr[:2000]


def setup(*groups):
    """Install the packages of these groups that are missing."""
    subprocess.run([ROOT / "tools/setup/setup", *groups], check=True)


@contextlib.contextmanager
def locked(folder):
    """Keep xdist's other workers from building in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(folder, out, *words):
    """Build what the Makefile of a folder knows into out, one worker at a time."""
    with locked(out):
        done = subprocess.run(
            ["make", "-s", f"-j{os.cpu_count()}", "-C", folder, *words,
             f"OUT={out}"], check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
    assert not done.returncode, f"make -C {folder} {words}:\n{done.stdout[-4000:]}"
    return done.stdout


class Notice(typing.NamedTuple):
    """A program that has to notice a fault: options, and what it has to say."""
    patch: pathlib.Path
    options: str
    text: str


def faults(folder, program):
    """Parameters of a test: each Noticed-by line of this program in *.patch."""
    found = [pytest.param(Notice(patch, options, text),
                          id=f"{patch.stem}: {text}")
             for patch in sorted(folder.glob("*.patch"))
             for name, options, text in NOTICED.findall(patch.read_text())
             if name == program]
    assert found, f"{folder}: no patch is noticed by {program}"
    return found


def plant(patch, tree):
    """Apply a patch to a copy of the sources; make takes what it touches as new."""
    done = subprocess.run(
        ["patch", "-p1", "--no-backup-if-mismatch", "-r", tree / "reject",
         "-d", tree, "-i", patch], check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        reject = tree / "reject"
        pytest.fail(f"{patch.name} does not apply:\n{done.stdout}"
                    + (reject.read_text() if reject.exists() else ""),
                    pytrace=False)
    # Objects depend on headers by their place in the checkout, not in the copy.
    if re.search(r"^\+\+\+ .*\.h$", patch.read_text(), re.M):
        for path in tree.rglob("*.c"):
            path.touch()
