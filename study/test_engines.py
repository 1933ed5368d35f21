# SPDX-License-Identifier: GPL-2.0
"""Tests of `lab engine`: every engine against the reference, the reference
against engines that do what none may do, and what is measured against a count by
hand."""
import csv
import gzip
import json
import pathlib
import random
import subprocess
import textwrap
import time

from place import CURPAGE, DOCUMENTATION, STUDY
import suites

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


def engines(suite, *args):
    """Outcomes by name, and the load."""
    data = json.loads(suite.output("engine", "--json", *args))
    return {e["name"]: e for e in data["engines"]}, data["load"]


def test_refused(suite):
    """A wrong argument or trace, and nothing done."""
    for args, word in BAD_OPTIONS:
        done = suite.run("engine", *args)
        error = done.stderr.decode()
        suite.say(done.returncode == 2 and not done.stdout and word in error,
                  f"refused: lab engine {' '.join(args)}", error)
    for text, word in BAD_TRACES:
        done = suite.run("engine", suite.file("bad", text))
        error = done.stderr.decode()
        suite.say(done.returncode == 2 and not done.stdout and word in error,
                  f"refused: lab engine, trace {text!r}", error)
    packed = gzip.compress(b"a 1 8\nf 1\n" * 2000)
    path = suite.work / "cut.gz"
    path.write_bytes(packed[:len(packed) // 2])
    done = suite.run("engine", path)
    suite.say(done.returncode == 2 and not done.stdout,
              "refused: lab engine, a packed trace that was cut",
              done.stderr.decode())


def test_faults(suite):
    """The reference finds what it is for."""
    done = suite.run("engine", "--verify", "--json", "--engine", "faults",
                     "gen-mix")
    found = {e["name"]: e for e in json.loads(done.stdout)["engines"]}
    for name, word in FAULTS.items():
        why = found[name]["why"]
        suite.say(done.returncode == 1 and not found[name]["ran"]
                  and word in why, f"{name} is noticed: {word}", why)


def test_faults_at_end(suite):
    """What nobody frees is looked at in the end."""
    trace = suite.file("kept", "".join(f"a {i} 64\n" for i in range(720)))
    for name in ("fault-contents", "fault-check"):
        done = suite.run("engine", "--verify", "--json", "--engine", name, trace)
        why = json.loads(done.stdout)["engines"][0]["why"]
        suite.say(done.returncode == 1 and FAULTS[name] in why,
                  f"{name} is noticed in the end", why)


def test_verified(suite):
    """Every engine is right on random traces, also when memory is short."""
    rng = random.Random(suite.seed)
    for family in FAMILIES:
        listed = suite.output("engines").split(f"{family}: ")[1].splitlines()
        number = 0
        while listed[1 + number].startswith("  "):
            number += 1
        suite.say(number >= LEAST[family], f"{family}: {number} engines")
        for load in LOADS:
            seed = rng.randrange(1, 2 ** 31 - 1)
            words = ["engine", "--verify", "--drain", f"--limit={EVENTS}",
                     f"--seed={seed}", f"--engine={family}"]
            for more in ([], ["--memory=80"]):
                done = suite.run(*words, *more, load)
                suite.say(not done.returncode, f"{family} on {load}"
                          f"{' with 80 %' if more else ''}: no block lies over "
                          "another, changes or is lost",
                          f"--seed={seed}: {done.stderr.decode()[:500]}")


def test_recorded(suite):
    """What the recorder writes of four threads is a trace whose blocks stay as
    they were."""
    out, trace = suite.work / "record", suite.work / "threads.trace"
    suites.make(CURPAGE / "tools/record", out)
    subprocess.run([out / "record", "-o", trace, "--", "/usr/bin/python3", "-c",
                    THREADS], check=True, stderr=subprocess.DEVNULL,
                   env={"PYTHONMALLOC": "malloc"})
    done = suite.run("engine", "--engine", "jw-lea", "--verify", trace)
    suite.say(not done.returncode, "a recorded trace of four threads is replayed, "
              "its blocks are what they were", done.stderr.decode()[:500])


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


def test_measures(suite):
    """Fragmentation is that of a count by hand."""
    text = suite.output("gen", "--profile", "mix", "--events", EVENTS,
                        "--seed", suite.seed)
    trace = suite.file("measured", text)
    full = json.loads(suite.output("replay", "--json", "--sample", 1, trace))
    used = [held * PAGE for _, _, _, held in full["samples"]]
    lines = [line for line in text.splitlines() if line[0] != "#"]
    want = by_hand(lines, used)
    got, load = engines(suite, "--engine", "curpage-mru", trace)
    got = got["curpage-mru"]["fragmentation"]
    suite.say(all(abs(a - b) < 1e-5 for a, b in zip(want, got)),
              "the four measures of fragmentation are those of a count by hand",
              f"{want} {got}")
    suite.say(load["events"] == len(lines) == EVENTS, "all events are made")
    cut, short = engines(suite, "--engine", "curpage-mru", "--limit", 2000,
                         trace)
    path = suite.file("short", "\n".join(lines[:2000]) + "\n")
    same, alone = engines(suite, "--engine", "curpage-mru", path)
    for found in (cut, same):
        del found["curpage-mru"]["pid"]
    suite.say(cut == same and {**short, "name": ""} == {**alone, "name": ""},
              "--limit is a shorter trace", f"{short} {alone}")


def test_paging(suite):
    """Page faults are those of a plain list of pages.  An engine of the faults
    that does nothing wrong before its 700th block puts one behind the other."""
    rng = random.Random(suite.seed)
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
    want = []
    for resident in (5, 40):
        pages, faults = [], 0
        for page in touched:
            if page in pages:
                pages.remove(page)
            else:
                faults += 1
            pages = ([page] + pages)[:resident]
        want.append([resident, faults])
    got, _ = engines(suite, "--engine", "fault-check", "--working-set", "5,40",
                     suite.file("paged", "\n".join(lines) + "\n"))
    got = got["fault-check"]
    suite.say(got["faults"] == want and got["pages"] == len(set(touched)),
              "page faults and pages are those of a plain list",
              f"{got['faults']} {want}, {got['pages']} {len(set(touched))}")


def test_pure(suite):
    """Without headers, alignment and least size a block is what was asked for."""
    trace = suite.file("pure", "".join(f"a {i} 3\n" for i in range(1000)))
    got, _ = engines(suite, "--pure", "--engine", "jw-best-fit-ao", trace)
    used = got["jw-best-fit-ao"]["used_peak"]
    suite.say(3000 <= used <= 3000 + PAGE // 16,
              "--pure: 1,000 blocks of 3 bytes are 3,000 bytes and at most the "
              f"rest of a request to the system: {used}")
    got, _ = engines(suite, "--engine", "jw-best-fit-ao", trace)
    suite.say(got["jw-best-fit-ao"]["used_peak"] >= 16000,
              "without it they have least sizes and headers")


def test_failures(suite):
    """Memory that is too small is a failure that is counted; that in which an
    engine cannot even start is refused."""
    done = suite.run("engine", "--engine", "nielsen-IV-1",
                     suite.file("one", "a 1 1\n"))
    suite.say(done.returncode == 2 and not done.stdout and
              b"8 bytes are too few for nielsen-IV-1: must be" in done.stderr,
              "refused: a memory without room for the lists of an engine",
              done.stderr.decode())
    trace = suite.file("full", "".join(f"a {i} 1024\n" for i in range(100)))
    got, _ = engines(suite, "--memory", 100, "--engine", "vavrenyuk-best-fit",
                     trace)
    got = got["vavrenyuk-best-fit"]
    suite.say(0 < got["failures"] < 10 and got["first_failure"] > 90,
              "with no room for tags the last requests are refused", str(got))


def test_after_peak(suite):
    """The reason for all this: who gives back after a peak, whatever the seed."""
    for load in ("gen-churn", "gen-drop"):
        for seed in (1, 2, 3):
            got, about = engines(suite, "--seed", seed, "--engine",
                                 ",".join(AFTER_PEAK), load)
            held = [got[name]["used_end"] / about["live_end"]
                    for name in AFTER_PEAK]
            suite.say(held == sorted(set(held)) and
                      all(ratio <= most for ratio, most in
                          zip(held, AFTER_PEAK_MOST)),
                      f"{load}, seed {seed}: {' under '.join(AFTER_PEAK)}",
                      " ".join(f"{ratio:.3f}" for ratio in held))


def test_matrix(suite):
    """It has each engine and load; bad arguments are refused."""
    def matrix(*args):
        return subprocess.run(
            [suite.plain, "matrix", "--labs", suite.plain.parent, *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            timeout=300)

    done = matrix("--engines", "slub,vavrenyuk", "--loads", "nielsen-1,nielsen-7",
                  "--csv")
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    got, _ = engines(suite, "--engine", "slub-6.12", "nielsen-1")
    mine = [r for r in rows if r["engine"] == "slub-6.12"
            and r["load"] == "nielsen-1"]
    want = 100 * got["slub-6.12"]["fragmentation"][3]
    suite.say(not done.returncode and len(mine) == 1
              and abs(float(mine[0]["frag4"]) - want) < 0.01
              and float(mine[0]["instructions"]) > 10,
              "the matrix has what lab engine says", done.stderr.decode())
    for args, word in (
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
            (("--jobs", "0"), "'0': must be a whole number from 1 to 64")):
        done = matrix(*args)
        suite.say(done.returncode == 2 and not done.stdout
                  and word in done.stderr.decode(),
                  f"refused: lab matrix {' '.join(args)}", done.stderr.decode())


def at_work(program):
    """How many processes are engines of it."""
    found = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            found += (process / "exe").resolve() == program and \
                words[1:2] == [b"engine"]
        except OSError:
            pass        # it has ended
    return found


def test_ended(suite):
    """A matrix that is told to end takes its runs with it."""
    program = suite.plain.resolve()
    with subprocess.Popen([suite.plain, "matrix", "--labs", program.parent,
                           "--engines", "nielsen", "--loads", "gen-drop"],
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
    suite.say(began and status == 143 and not at_work(program),
              "a matrix that is told to end takes its runs with it",
              f"{began} began, status {status}")


def make(suite, *words):
    """The lab as it is built for use, again."""
    suites.make(STUDY, suite.plain.parent, suite.plain, *words)


def test_own(suite):
    """The engine of the manual can be built in, and is right; and goes again."""
    text = MANUAL.read_text().split(".. code-block:: c\n")[1]
    lines = text.splitlines()[1:]
    end = next(i for i, line in enumerate(lines) if line and line[0] != " ")
    path = suite.file("mine.c", textwrap.dedent("\n".join(lines[:end])))
    make(suite, f"ENGINE={path}")
    done = subprocess.run([suite.plain, "engine", "--verify", "--drain",
                           "--json", "--engine", "mine", "gen-drop"],
                          stdout=subprocess.PIPE, check=False)
    got = json.loads(done.stdout or "{}").get("engines", [{}])[0]
    suite.say(not done.returncode and got["failures"] == 0
              and got["used_peak"] == 256 * 10000,
              "the engine of the manual works", str(got))
    make(suite)
    done = subprocess.run([suite.plain, "engine", "--engine", "mine",
                           "gen-drop"], stderr=subprocess.PIPE, check=False)
    suite.say(done.returncode == 2, "and is gone without ENGINE=")


def test_engines(suite):
    """All of them."""
    for test in (test_refused, test_faults, test_faults_at_end, test_verified,
                 test_recorded, test_measures, test_paging, test_pure, test_failures,
                 test_after_peak, test_matrix, test_ended, test_own):
        test(suite)
