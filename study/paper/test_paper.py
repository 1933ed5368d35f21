# SPDX-License-Identifier: GPL-2.0
"""The tables of the papers in a short form, and that their checks can fail: labs with
a fault in mm/ or in an engine have to be noticed."""
import json
import re
import runpy
import shutil

import hosttest
import pytest
from place import CURPAGE, OUT, STUDY

NAMES = runpy.run_path(str(STUDY / "paper/paper"))["NAMES"]
SECONDS = 1800      # for all tables, on a busy machine

BAD_SIM = (
    # arguments, what the error says
    (("xyz",), "load 'xyz': must be one of pqsim, tridiag"),
    (("--json",), "LOAD is missing"),
    (("pqsim", "--working-set", "5,4"), "--working-set '5,4': must be"),
    (("pqsim", "--variant", "last"), "--variant 'last': must be"),
    (("pqsim", "--strategy", "lru"), "--strategy 'lru': must be"),
    (("pqsim", "--phi0", "0"), "--phi0 '0': must be"),
    (("pqsim", "--rate", "-1"), "--rate '-1': must be"),
    (("pqsim", "--seconds", "1e9"), "--seconds '1e9': must be"),
)

# The lab whose faults show in a paper's tables, and the folder of its objects.
LABS = {"brent": ("lab-512", "p512"), "kaufman": ("lab", "obj"),
        "nielsen": ("lab", "obj"), "jw": ("lab", "obj")}


@pytest.fixture(scope="session")
def labs():
    """The folder of the labs, those with the paper's pages as well."""
    hosttest.make(STUDY, OUT, "all")
    return OUT


def paper(labs, *args):
    """A run of lab paper."""
    return hosttest.Program(labs / "lab").run("paper", *args, timeout=SECONDS)


@pytest.fixture(scope="session")
def tables(labs, tmp_path_factory):
    """What lab paper says of all tables, once for all workers of xdist."""
    folder = tmp_path_factory.getbasetemp().parent
    path = folder / "tables"
    with hosttest.locked(folder):
        if not path.exists():
            done = paper(labs, "all", "--short")
            path.write_text(done.stdout + done.stderr)
    return path.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_table(tables, name):
    """The checks of a table hold."""
    checks = re.findall(f"^(ok|not ok) - ({re.escape(name)}: .*)", tables, re.M)
    assert checks, tables[-2000:]
    assert not [check for result, check in checks if result != "ok"]


def test_tables(tables):
    """All tables came to their end, and no other check fails."""
    assert re.fullmatch(r"[0-9]+ passed, 0 failed", tables.splitlines()[-1])


@pytest.fixture
def sim(labs):
    """sim(OPTION...): figures of pqsim, except for the time that it took."""
    def run(*options):
        text = hosttest.Program(labs / "lab-512").output(
            "sim", "pqsim", "--working-set", 20, "--seconds", 60, "--warmup", 30,
            "--json", *options)
        json.loads(text)
        return re.sub(r'"cpu_seconds": [0-9.]*', "", text)
    return run


def test_seed(sim):
    """The same seed gives the same figures, another seed others."""
    assert sim() == sim() != sim("--seed", 2)


@pytest.mark.parametrize("args, word", BAD_SIM,
                         ids=[" ".join(bad[0]) for bad in BAD_SIM])
def test_refused_sim(labs, args, word):
    """A bad argument is named, with what is allowed."""
    hosttest.assert_refused(hosttest.Program(labs / "lab").run("sim", *args), word)


def test_refused(labs):
    """A paper that is not there is refused."""
    done = paper(labs, "brent-9.9")
    assert done.returncode == 2
    assert re.search("brent-9.9.*choose from", done.stderr)


@pytest.mark.parametrize("notice", hosttest.faults(STUDY / "faults", "paper"))
def test_fault(labs, tmp_path, notice):
    """A check of a table fails with a fault in mm/ or in an engine."""
    lab, objects = LABS[notice.options.split("-", maxsplit=1)[0]]
    tree, out = tmp_path / "tree", tmp_path / "out"
    shutil.copytree(CURPAGE / "mm", tree / "mm")
    shutil.copytree(STUDY, tree / "study", ignore=shutil.ignore_patterns("traces"))
    hosttest.plant(notice.patch, tree)
    shutil.copytree(labs / objects, out / objects)
    for name in ("strategies", "own"):
        shutil.copy2(labs / name, out)
    hosttest.make(tree / "study", out, out / lab, f"CURPAGE={CURPAGE}",
                  f"MMDIR={tree / 'mm'}")
    done = paper(labs, notice.options, "--short", "--labs", out)
    assert done.returncode == 1, done.stderr
    assert re.search(f"^not ok - {notice.options}: {notice.text}", done.stdout, re.M)
