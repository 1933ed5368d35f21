# SPDX-License-Identifier: GPL-2.0
"""The interleaving test: every case passes, and fails with a broken machine or with
a fault in mm/."""
import pathlib
import re

import hosttest
import pytest

HERE = pathlib.Path(__file__).resolve().parent

# What is broken in the machine of the interleaving test, and in which cases it
# has to show.
MACHINE_FAULTS = (
    ("cmpxchg", "is no single step", "two CPUs push onto two pages"),
    ("cmpxchg", "is no single step", "a page block is freed twice"),
    ("xchg", "is no single step", "the owner's collect and another page"),
    ("this_cpu_add", "is no single step", "one in an interrupt"),
    ("lock", "lets anybody in", "the owner and two borrowers"),
    ("synchronize_rcu", "waits for nobody", "a CPU dies, a push"),
    ("synchronize_rcu", "waits for nobody", "a cache is destroyed"),
    ("smp_cond_load_acquire", "does not wait", "the owner and the walker"),
    ("smp_call_function_many", "calls nobody", "seen late, its page"),
    ("smp_call_function_many", "calls nobody", "seen late, used and drained"),
    ("smp_call_function_many", "calls nobody", "of an owner are seen late"),
    ("smp_call_function_many", "calls nobody", "of two owners are seen late"),
    ("smp_mb", "is none", "seen late, its page"),
    ("lock", "lets anybody in", "the owner, a borrower and one that only"),
)

# Where a list may go round for a fault.
ENDLESS = ("a page block is freed twice",)

# Cases that take more than 2 s, or whose name stands in the name of one that does.
LONG = (
    "the owner is seen late, its page is taken",
    "a stock is seen late, used and drained",
    "two pushes and a borrower",
    "the owner, a push and a borrower",
    "the owner and two borrowers",
    "an interrupt frees, a push, the owner allocates",
    "a CPU dies, two pushes",
    "a CPU dies, a borrower",
    "misuse: freed elsewhere by two",
    "misuse: freed elsewhere by two, on a page that stays",
    "misuse: freed again by the owner while its page leaves",
    "misuse: freed again by address, the page to another cache",
    "misuse: freed again in bulk, the page to another cache",
    "misuse: freed to the wrong cache while its page leaves",
    "misuse: freed again, its page of the reserves lent to another cache",
    "misuse: freed again by address while a file maps its page",
    "misuse: freed again while the page is adopted and used",
)

REDUCED = ("two CPUs push onto", "a push and the owner's collect",
           "a push, the owner's collect", "freed twice")

BAD_OPTIONS = (
    # arguments, what the error says
    (("--fault", "none"), "'none': must be one of cmpxchg"),
    (("--fault",), "'': must be one of"),
    (("--fast",), "'--fast': must be --fault NAME"),
    (("no such",), "'no such': in the name of no case"),
    (("one", "two"), "'two': must be --fault NAME"),
)


def pytest_generate_tests(metafunc):
    """A test for each case that the program lists."""
    if "listed" in metafunc.fixturenames:
        out = hosttest.ROOT / "out/lab"
        hosttest.make(HERE, out, "interleave")
        cases = hosttest.Program(out / "interleave").output("--list").splitlines()
        assert set(LONG) <= set(cases), set(LONG) - set(cases)
        metafunc.parametrize("listed", [
            pytest.param(case, marks=[pytest.mark.full] * any(case in long
                                                              for long in LONG))
            for case in cases])


def test_case(interleave, listed):
    """Every order of the steps of two or three CPUs and interrupts."""
    done = interleave.run(listed)
    assert not done.returncode and f"ok - {listed}: " in done.stdout, \
        done.stdout + done.stderr


def assert_noticed(done, case):
    """The case failed: the program did not, nor did it run out of time."""
    assert done.returncode == 1 and "not ok - " in done.stdout, done.stderr
    assert case in ENDLESS or "CPU time limit" not in done.stdout


@pytest.mark.full
@pytest.mark.parametrize("name, about, case", MACHINE_FAULTS, ids=[
    f"{name} {about}: {case}" for name, about, case in MACHINE_FAULTS])
def test_machine_fault(interleave, name, about, case):
    """A case fails on a machine that is broken."""
    assert_noticed(interleave.run("--brief", "--fault", name, case), case)


@pytest.mark.full
@pytest.mark.parametrize("notice", hosttest.faults(HERE / "faults", "interleave"))
def test_source_fault(fast, mutant, notice):
    """A case fails with what mm/ must not do."""
    program = mutant(notice, fast, ["inter"], "interleave")
    assert_noticed(program.run("--brief", notice.text), notice.text)


@pytest.mark.parametrize("case", REDUCED)
def test_reduction(interleave, case):
    """Leaving out orders that end alike leaves out no end."""
    some, every = (re.findall(r"^ok - (.*): (\d+) orders, (\d+) ends",
                              interleave.run(*args, case).stdout, re.M)
                   for args in ((), ("--all",)))
    assert some and [(name, ends) for name, _, ends in some] == \
        [(name, ends) for name, _, ends in every]
    assert all(int(a[1]) < int(b[1]) for a, b in zip(some, every))


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(interleave, args, word):
    """A bad argument is named, with what is allowed."""
    hosttest.assert_refused(interleave.run(*args), word)
