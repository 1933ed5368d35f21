# SPDX-License-Identifier: GPL-2.0
"""lab fuzz: it finds nothing, and it would: each rule of the oracle finds the faults
in mm/ that break it."""
import pathlib
import re

import hosttest
import pytest
from hosttest import assert_refused

HERE = pathlib.Path(__file__).resolve().parent

OPS = 10000000
FAULT_OPS = 400000
SECONDS = 3600      # for all of OPS, under the sanitizers

# What does not write over memory, nor frees twice.
PLAIN = "cache,inside,foreign,order,leak"
# Where each offence has to be told.
CERTAIN = PLAIN + ",double,bulk"

BAD_OPTIONS = (
    (("--seed", "-1"), "--seed '-1': must be 0 to 18446744073709551615"),
    (("--seed", "18446744073709551616"), "must be 0 to 18446744073709551615"),
    (("--ops", "0"), "--ops '0': must be 1 to 1000000000000"),
    (("--ops", "1000000000001"), "must be 1 to 1000000000000"),
    (("--ops",), "--ops needs a value: 1 to 1000000000000"),
    (("--misuse", "1001"), "--misuse '1001': must be 0 to 1000"),
    (("--kinds", "double,none"), "'double,none': must be some of double,bulk"),
    (("--strategy", "best"), "'best': must be one of mru, "),
    (("--fast",), "unknown option '--fast': must be one of --help, --seed"),
    (("trace",), "'trace' is too much"),
)


@pytest.mark.parametrize("ops", (OPS // 25, pytest.param(
    OPS, marks=pytest.mark.full)))
def test_no_fault(lab, ops):
    """Random calls, right and wrong, under the sanitizers: no fault."""
    out = lab.output("fuzz", "--seed", 1, "--ops", ops, timeout=SECONDS)
    assert out.startswith(f"{ops} operations")


@pytest.mark.parametrize("ops", (OPS // 100, pytest.param(
    OPS // 10, marks=pytest.mark.full)))
def test_no_fault_of_a_seed(lab, seed, ops):
    """A seed of this run, and nothing is written over: no fault."""
    lab.output("fuzz", "--seed", seed, "--ops", ops, "--kinds", CERTAIN,
               timeout=SECONDS)


def test_same(lab):
    """The same seed makes the same calls, another seed others."""
    one, two, other = (lab.output("fuzz", "--kinds", PLAIN, "--seed", seed, "--ops",
                                  60000) for seed in (5, 5, 6))
    assert one == two != other


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run("fuzz", *args), word)


@pytest.mark.full
@pytest.mark.parametrize("notice", hosttest.faults(HERE / "faults", "fuzz"))
def test_source_fault(san, mutant, notice):
    """A fault is found, and found again by what is printed to run it once more."""
    program = mutant(notice, san, ["fuzz"], "lab-fuzz", "SAN=1")
    done = program.run("--ops", FAULT_OPS, *notice.options.split(), timeout=SECONDS)
    assert done.returncode == 1 and notice.text in done.stderr, \
        done.stdout + done.stderr
    again = re.search(r"^once more: lab fuzz (.*)$", done.stderr, re.M)
    assert again, done.stderr
    assert notice.text in program.run(*again[1].split(), timeout=SECONDS).stderr
