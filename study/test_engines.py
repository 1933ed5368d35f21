# SPDX-License-Identifier: GPL-2.0
"""lab engine: every engine against the reference, the reference against engines that
do what none may do, and what is measured against a count by hand."""
import csv
import gzip
import json
import pathlib
import shutil
import subprocess
import textwrap
import time

import hosttest
import pytest
from hosttest import assert_refused
from place import CURPAGE, DOCUMENTATION, STUDY

MANUAL = DOCUMENTATION / "commands.rst"
PAGE = 4096
LOADS = ("gen-mix", "gen-churn", "gen-phases", "gen-blocks")
EVENTS = 2500
# The reference is built into the lab; the C library's malloc and its like are not
# ours to look into, and the sanitizers put their own in its place.
FAMILIES = ("curpage", "nielsen", "johnstone-wilson", "vavrenyuk", "slub")
LEAST = {"curpage": 15, "nielsen": 35, "johnstone-wilson": 16, "vavrenyuk": 3,
         "slub": 2}

# A program for the recorder: threads that free each other's blocks.
THREADS = """
import threading
shared = [None] * 64
def work(start):
    for i in range(2000):
        shared[(start + 7 * i) % 64] = bytes(i % 900)
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

BAD_OPTIONS = (
    # arguments, what the error says
    ((), "LOAD|TRACE is missing"),
    (("gen-none",), "'gen-none': must be a trace, or one of the loads gen-mix"),
    (("--engine", "no", "gen-mix"), "--engine 'no': must be all, a family or"),
    (("--engine", "curpage,", "gen-mix"), "'curpage,': must be all"),
    (("--engine", "", "gen-mix"), "'': must be all"),
    (("--memory", "0", "gen-mix"), "'0': must be 1 to 100 percent"),
    (("--memory", "100.1", "gen-mix"), "'100.1': must be 1 to 100 percent"),
    (("--memory", "-50", "gen-mix"), "'-50': must be 1 to 100 percent"),
    (("--memory", "nan", "gen-mix"), "'nan': must be 1 to 100 percent"),
    (("--memory", "50%", "gen-mix"), "'50%': must be 1 to 100 percent"),
    (("--memory", "0x32", "gen-mix"), "'0x32': must be 1 to 100 percent"),
    (("--curve", "5", "gen-mix"), "--curve '5': must be with --json"),
    (("--time", "0", "gen-mix"), "'0': must be 1 to 9 passes"),
    (("--limit", "0", "gen-mix"), "'0': must be 1 to 4294967295 events"),
    (("--seed", "0", "gen-mix"), "'0': must be 1 to 2147483646"),
    (("--tune", "5", "gen-mix"), "'5': must be EVENT:TEXT"),
    (("--tune", "5:", "gen-mix"), "'5:': must be EVENT:TEXT"),
    (("--tune", "0:x", "gen-mix"), "'0:x': must be EVENT:TEXT"),
    (("--tune", "5:x", "--engine", "slub", "gen-mix"),
     "--tune 'x': must be cpu-partial=on"),
    (("--tune", "5:x", "--engine", "jw-binary-buddy", "gen-mix"),
     "--tune 'x': must not be with jw-binary"),
    (("--curve", "401", "gen-mix"), "'401': must be 1 to 400 points"),
    (("--working-set", "0", "gen-mix"), "--working-set '0': must be"),
    (("--json=1", "gen-mix"), "--json takes no value"),
    (("gen-mix", "x"), "'x' is too much"),
)

BAD_TRACES = (
    ("a 1 1073741825\n", "SIZE must be 1 to 1073741824"),
    ("a 1 8\na 1 8\n", "line 2: 'a 1 8': this ID is live"),
    ("f 1\n", "line 1: 'f 1': this ID is not live"),
    ("a 1 8\nf 1", "the last line has no end: is the trace cut off?"),
    ("# nothing\n", "no requests: must have at least one"),
)

# What is held when the blocks of a peak have gone, the least first.
AFTER_PEAK = ("curpage-least-free-8", "curpage-mru", "slub-6.12", "slub-7")
AFTER_PEAK_MOST = (1.2, 1.45)   # of what is live, by the first two

FAULTS = {
    "fault-overlap": "a block lies over another",
    "fault-align": "a block is not aligned",
    "fault-contents": "what was in a block is not there any more",
    "fault-outside": "a block lies outside of the engine's memory",
    "fault-used": "less memory is used than is live",
    "fault-check": "it says so itself",
    "fault-falls": "it ended with signal",
}


BAD_MATRIX = (
    # arguments, what the error says
    (("--loads", "none"), "'none': must be a trace, or one of"),
    (("--loads", ""), "'': must be a trace, or one of"),
    (("--loads", "gen-mix,none"), "'none': must be a trace, or one"),
    (("--picture", "/no/x.svg"), "must be in a folder that is there"),
    (("--labs", "/no"), "No such file or directory: "),
    (("--engines", "none"), "'none': must be all, a family or"),
    (("--by", "size"), "invalid choice: 'size' (choose from"),
    (("--picture", "x.doc"), "x.doc: must end in .svg or .png"),
    (("--csv", "--json"), "must be without --json"),
    (("--write", "--short"), "must be of all engines and loads"),
    (("--jobs", "0"), "'0': must be a whole number from 1 to 64"),
)


def engines(lab, *args):
    """Outcomes by name, and the load."""
    data = json.loads(lab.output("engine", "--json", *args))
    return {e["name"]: e for e in data["engines"]}, data["load"]


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run("engine", *args), word)


@pytest.mark.parametrize("text, word", BAD_TRACES,
                         ids=[repr(bad[0]) for bad in BAD_TRACES])
def test_bad_trace(lab, file, text, word):
    """A wrong line of a trace is named."""
    assert_refused(lab.run("engine", file("bad", text)), word)


def test_cut_trace(lab, file):
    """A packed trace that was cut is refused."""
    packed = gzip.compress(b"a 1 8\nf 1\n" * 2000)
    assert_refused(lab.run("engine", file("cut.gz", packed[:len(packed) // 2])))


@pytest.mark.parametrize("name", FAULTS)
def test_fault(lab, name):
    """The reference notices what an engine must not do."""
    done = lab.run("engine", "--verify", "--json", "--engine", name, "gen-mix")
    got, = json.loads(done.stdout)["engines"]
    assert done.returncode == 1 and not got["ran"]
    assert FAULTS[name] in got["why"]


@pytest.mark.parametrize("name", ("fault-contents", "fault-check"))
def test_fault_at_end(lab, file, name):
    """The reference looks at the end at blocks that nobody frees."""
    trace = file("kept", "".join(f"a {i} 64\n" for i in range(720)))
    done = lab.run("engine", "--verify", "--json", "--engine", name, trace)
    assert done.returncode == 1
    assert FAULTS[name] in json.loads(done.stdout)["engines"][0]["why"]


@pytest.mark.parametrize("family", FAMILIES)
def test_family(lab, family):
    """A family has no fewer engines than it is known to have."""
    listed = lab.output("engines").split(f"{family}: ")[1].splitlines()
    number = 0
    while listed[1 + number].startswith("  "):
        number += 1
    assert number >= LEAST[family]


@pytest.mark.parametrize("more", ((), ("--memory=80",)), ids=" ".join)
@pytest.mark.parametrize("load", [
    pytest.param(load, marks=[pytest.mark.full] * (load == "gen-blocks"))
    for load in LOADS])
@pytest.mark.parametrize("family", FAMILIES)
def test_verified(lab, rng, family, load, more):
    """No block lies over another, changes or is lost, also when memory is short."""
    done = lab.run("engine", "--verify", "--drain", f"--limit={EVENTS}",
                   f"--seed={rng.randrange(1, 2 ** 31 - 1)}", f"--engine={family}",
                   *more, load)
    assert not done.returncode, done.stderr[:500]


def test_recorded(lab, tmp_path):
    """A trace that was recorded of four threads is replayed, and its blocks stay as
    they were."""
    out, trace = hosttest.ROOT / "out/record", tmp_path / "threads.trace"
    hosttest.make(CURPAGE / "tools/record", out)
    subprocess.run([out / "record", "-o", trace, "--", "/usr/bin/python3", "-c",
                    THREADS], check=True, stderr=subprocess.DEVNULL,
                   env={"PYTHONMALLOC": "malloc"})
    done = lab.run("engine", "--engine", "jw-lea", "--verify", trace)
    assert not done.returncode, done.stderr[:500]


def by_hand(events, used):
    """The four measures, from what is live and what is used after each event."""
    asked, live, points = {}, 0, []
    for event, have in zip(events, used):
        word = event.split()
        if word[0] == "a":
            asked[word[1]] = int(word[2])
            live += int(word[2])
        else:
            live -= asked.pop(word[1])
        points.append((live, have))
    ratios = [have / live for live, have in points if live]
    most_live = max(live for live, _ in points)
    most_used = max(have for _, have in points)
    at_live = next(have for live, have in points if live == most_live)
    at_used = next(live for live, have in points if have == most_used)
    return [sum(ratios) / len(ratios) - 1, at_live / most_live - 1,
            most_used / at_used - 1, most_used / most_live - 1]


@pytest.fixture
def mixed(lab, seed):
    """The text of a random trace."""
    return lab.output("gen", "--profile", "mix", "--events", EVENTS, "--seed", seed)


def test_measures(lab, file, mixed):
    """The four measures of fragmentation are those of a count by hand."""
    trace = file("measured", mixed)
    full = json.loads(lab.output("replay", "--json", "--sample", 1, trace))
    used = [held * PAGE for _, _, _, held in full["samples"]]
    lines = [line for line in mixed.splitlines() if line[0] != "#"]
    got, load = engines(lab, "--engine", "curpage-mru", trace)
    assert got["curpage-mru"]["fragmentation"] == pytest.approx(
        by_hand(lines, used), abs=1e-5)
    assert load["events"] == len(lines) == EVENTS


def test_limit(lab, file, mixed):
    """--limit is a shorter trace."""
    lines = [line for line in mixed.splitlines() if line[0] != "#"]
    cut, short = engines(lab, "--engine", "curpage-mru", "--limit", 2000,
                         file("measured", mixed))
    same, alone = engines(lab, "--engine", "curpage-mru",
                          file("short", "\n".join(lines[:2000]) + "\n"))
    for found in (cut, same):
        del found["curpage-mru"]["pid"]
    assert cut == same
    assert {**short, "name": ""} == {**alone, "name": ""}


def paged(touched, resident):
    """Faults of a memory of this many pages, a plain list."""
    pages, faults = [], 0
    for page in touched:
        if page in pages:
            pages.remove(page)
        else:
            faults += 1
        pages = ([page] + pages)[:resident]
    return faults


def test_paging(lab, file, rng):
    """Page faults are those of a plain list of pages.  An engine of the faults
    that does nothing wrong before its 700th block puts one behind the other."""
    place, live, lines, touched = 0, [], [], []
    for number in range(600):
        size = rng.randrange(1, 9000)
        lines.append(f"a {number} {size}")
        live.append((number, place // PAGE, (place + size - 1) // PAGE))
        touched += range(live[-1][1], live[-1][2] + 1)
        place += -(-size // 8) * 8
        if rng.random() < 0.6:
            ended, first, last = live.pop(rng.randrange(len(live)))
            lines.append(f"f {ended}")
            touched += range(first, last + 1)
    got, _ = engines(lab, "--engine", "fault-check", "--working-set", "5,40",
                     file("paged", "\n".join(lines) + "\n"))
    assert got["fault-check"]["faults"] == [[n, paged(touched, n)] for n in (5, 40)]
    assert got["fault-check"]["pages"] == len(set(touched))


def test_pure(lab, file):
    """--pure: without headers, alignment and least size a block is what was asked
    for, and at most the rest of a request to the system is added."""
    trace = file("pure", "".join(f"a {i} 3\n" for i in range(1000)))
    args = ("--engine", "jw-best-fit-ao", trace)
    pure, plain = (engines(lab, *more, *args)[0]["jw-best-fit-ao"]["used_peak"]
                   for more in (("--pure",), ()))
    assert 3000 <= pure <= 3000 + PAGE // 16
    assert plain >= 16000


def test_no_room(lab, file):
    """A memory without room for the lists of an engine is refused."""
    assert_refused(lab.run("engine", "--engine", "nielsen-IV-1",
                           file("one", "a 1 1\n")),
                   "8 bytes are too few for nielsen-IV-1: must be")


def test_failures(lab, file):
    """With no room for tags the last requests fail, and are counted."""
    trace = file("full", "".join(f"a {i} 1024\n" for i in range(100)))
    got, _ = engines(lab, "--memory", 100, "--engine", "vavrenyuk-best-fit", trace)
    got = got["vavrenyuk-best-fit"]
    assert 0 < got["failures"] < 10 and got["first_failure"] > 90


@pytest.mark.parametrize("seed_of_load", (1, 2, 3))
@pytest.mark.parametrize("load", ("gen-churn", "gen-drop"))
def test_after_peak(lab, load, seed_of_load):
    """The reason for all this: which allocator gives back after a peak."""
    got, about = engines(lab, "--seed", seed_of_load, "--engine",
                         ",".join(AFTER_PEAK), load)
    held = [got[name]["used_end"] / about["live_end"] for name in AFTER_PEAK]
    assert held == sorted(set(held))
    assert all(ratio <= most for ratio, most in zip(held, AFTER_PEAK_MOST))


def matrix(plain, *args):
    """A run of the matrix."""
    return plain.run("matrix", "--labs", plain.path.parent, *args)


def test_matrix(lab, plain):
    """The matrix has each engine and load, and what lab engine says."""
    done = matrix(plain, "--engines", "slub,vavrenyuk", "--loads",
                  "nielsen-1,nielsen-7", "--csv")
    assert not done.returncode, done.stderr
    mine, = [r for r in csv.DictReader(done.stdout.splitlines())
             if (r["engine"], r["load"]) == ("slub-6.12", "nielsen-1")]
    got, _ = engines(lab, "--engine", "slub-6.12", "nielsen-1")
    assert float(mine["frag4"]) == pytest.approx(
        100 * got["slub-6.12"]["fragmentation"][3], abs=0.01)
    assert float(mine["instructions"]) > 10


@pytest.mark.parametrize("args, word", BAD_MATRIX,
                         ids=[" ".join(bad[0]) for bad in BAD_MATRIX])
def test_refused_matrix(plain, args, word):
    """A bad argument of the matrix is named."""
    assert_refused(matrix(plain, *args), word)


def at_work(program):
    """How many processes run engines of a program."""
    found = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            found += (process / "exe").resolve() == program and \
                words[1:2] == [b"engine"]
        except OSError:
            pass        # it has ended
    return found


def test_ended(plain, tmp_path):
    """A matrix that is told to end takes its runs with it."""
    program = tmp_path / "lab"      # its own, other tests run engines as well
    shutil.copy(plain.path, program)
    with subprocess.Popen([program, "matrix", "--labs", tmp_path, "--engines",
                           "nielsen", "--loads", "gen-drop"],
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as running:
        until, began = time.monotonic() + 30, 0
        while not began and time.monotonic() < until:
            time.sleep(0.05)
            began = at_work(program)
        running.terminate()
        status = running.wait(30)
    until = time.monotonic() + 10
    while at_work(program) and time.monotonic() < until:
        time.sleep(0.05)
    assert began and status == 143 and not at_work(program)


def test_own(fast, file, tmp_path):
    """The engine of the manual can be built in, and is right; and goes again."""
    text = MANUAL.read_text().split(".. code-block:: c\n")[1]
    lines = text.splitlines()[1:]
    end = next(i for i, line in enumerate(lines) if line and line[0] != " ")
    engine = file("mine.c", textwrap.dedent("\n".join(lines[:end])))
    out = tmp_path / "out"
    shutil.copytree(fast / "obj", out / "obj")
    shutil.copy2(fast / "strategies", out)
    own = hosttest.Program(out / "lab")
    hosttest.make(STUDY, out, own.path, f"ENGINE={engine}")
    done = own.run("engine", "--verify", "--drain", "--json", "--engine", "mine",
                   "gen-drop")
    assert not done.returncode, done.stderr
    got, = json.loads(done.stdout)["engines"]
    assert got["failures"] == 0 and got["used_peak"] == 256 * 10000
    hosttest.make(STUDY, out, own.path)
    assert own.run("engine", "--engine", "mine", "gen-drop").returncode == 2
