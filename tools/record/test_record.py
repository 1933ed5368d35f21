# SPDX-License-Identifier: GPL-2.0
"""The recorder, by a program that knows what it asked for (probe.c)."""
import collections
import glob
import gzip
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import hosttest
import pytest

HERE = pathlib.Path(__file__).resolve().parent
MARK = 4000037
THREADS = 4
STEPS = 20000       # of each thread

# One arena and no caches of threads: an address goes from one thread to another.
SHARED = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:"
          "glibc.malloc.arena_max=1"}

# What probe.c does in forms(): sizes of new blocks, and which of them ends.
FORMS = ["f early", "a 1", "f 1", "a 21", "a 5000", "f 21", "a 5001", "f 5000",
         "a 200", "f 5001", "f 200", "a 33", "f 33", "a 65", "f 65", "a 34",
         "f 34", "a 35", "f 35", "a 36", "f 36", "a 4096", "f 4096", "a 5", "f 5"]

Run = collections.namedtuple("Run", "status said trace folder")


def read(path):
    """The requests of a trace, (ID, size) with size 0 for an end, and comments."""
    events, comments, live = [], [], set()
    with gzip.open(path, "rt") as lines:
        for number, line in enumerate(lines, 1):
            assert line.endswith("\n"), f"{path}: line {number} has no end"
            word = line.split()
            if word[0] == "a":
                assert word[1] not in live, f"line {number}: {line!r} is live"
                assert int(word[2]) > 0, f"line {number}: {line!r}"
                live.add(word[1])
                events.append((int(word[1]), int(word[2])))
            elif word[0] == "f":
                assert word[1] in live, f"line {number}: {line!r} is not live"
                live.remove(word[1])
                events.append((int(word[1]), 0))
            else:
                assert word[0] == "#", f"line {number}: {line!r}"
                comments.append(line[2:-1])
    return events, comments


def between_marks(events, last=True):
    """What is asked for between the end of a mark and the start of the next."""
    marks = [i for i, (_, size) in enumerate(events) if size == MARK]
    assert len(marks) >= 2 or not last, f"{len(marks)} marks"
    return events[marks[0] + 2:marks[1] if last else None]


def complete(comments):
    """A comment that says that something is missing."""
    bad = [c for c in comments
           if re.match("left out|ended when|requests under way|CUT", c)]
    assert not bad, f"the trace says: {bad}"


def read_logs(folder):
    """By thread: (size, owner, serial) as the probe noted them."""
    logs = []
    for thread in range(THREADS):
        data = pathlib.Path(folder, f"log.{thread}").read_bytes()
        nr = struct.unpack_from("Q", data)[0]
        logs.append(list(struct.iter_unpack("III", data[8:8 + 12 * nr])))
    return logs


def compare_with_logs(events, logs, spare):
    """Each noted request is there, in its thread's order; spare: not noted."""
    position, serial, block = {}, [0] * THREADS, {}
    for at, (number, size) in enumerate(events):
        if size:
            owner = size % 16 - 1
            assert 0 <= owner < THREADS, f"a block of {size} bytes"
            block[number] = owner, serial[owner]
            position[(size, *block[number])] = at
            serial[owner] += 1
        else:
            assert number in block, f"an end of {number}, nobody's"
            position[(0, *block.pop(number))] = at
    noted = 0
    for log in logs:
        before = -1
        for entry in log:
            assert entry in position, f"{entry} is not in the trace"
            assert position[entry] > before, f"{entry} is too early"
            before = position[entry]
        noted += len(log)
    assert noted <= len(events) <= noted + spare, \
        f"{len(events)} events, {noted} requests"


class Recorder:
    """A build of the recorder and what is tried with it."""

    def __init__(self, work, binary, probe):
        self.work, self.binary, self.program = work, binary, probe
        self.runs = 0

    def folder(self):
        self.runs += 1
        folder = self.work / f"run.{self.runs}"
        folder.mkdir()
        return folder

    def record(self, *words, env=None, options=(), **more):
        folder = self.folder()
        done = subprocess.run(
            [self.binary, *options, "-o", folder / "x.trace", "--", *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})}, timeout=hosttest.SECONDS, check=False,
            **more)
        assert not glob.glob(f"{folder}/*.raw.*"), "a folder was left behind"
        return Run(done.returncode, done.stderr, folder / "x.trace", folder)

    def probe(self, *words, **more):
        return self.record(self.program, *words, **more)

    def threads(self, forks=0, kill=0):
        logs = self.folder()
        steps = 100 * STEPS if kill else STEPS
        run = self.probe("threads", logs, str(steps), str(forks), str(kill),
                         env=SHARED)
        assert run.status == (137 if kill else 0), run.said
        events, comments = read(run.trace)
        if not kill:
            complete(comments)
        compare_with_logs(between_marks(events, not kill), read_logs(logs),
                          2 * THREADS if kill else 0)
        most = int(re.search(r"bytes, (\d+) blocks", comments[-1] if not kill
                             else " ".join(comments)).group(1))
        assert max(number for number, _ in events) <= most, \
            f"IDs are larger than the {most} blocks at most"
        return run


@pytest.fixture(scope="module")
def binary():
    """The recorder, built."""
    out = hosttest.ROOT / "out/record"
    hosttest.make(HERE, out)
    return out / "record"


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """The program that knows what it asks for, built."""
    path = tmp_path_factory.mktemp("probe") / "probe"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wno-use-after-free", "-pthread",
                    HERE / "probe.c", "-o", path], check=True)
    return path


@pytest.fixture
def r(binary, probe, tmp_path):
    """The recorder."""
    return Recorder(tmp_path, binary, probe)


def test_threads(r):
    """Four threads: every request, in order."""
    r.threads()


def test_fork_and_threads(r):
    """Forks in the midst of threads: nothing of the children in there."""
    run = r.threads(forks=10)
    children = glob.glob(f"{run.trace}.*")
    assert len(children) == 10
    for child in children:
        events, comments = read(child)
        complete(comments)
        assert [size for _, size in events] == [48] * 100, f"{child}: {events}"


def test_kill(r):
    """Killed in the midst of threads: all up to then."""
    for _ in range(2):
        r.threads(kill=50000)


def forms_of(events):
    """As FORMS has them."""
    size_of, found = {}, []
    for number, size in events:
        if size:
            size_of[number] = size
        found.append(f"a {size}" if size else
                     f"f {size_of.get(number, 'early')}")
    return found


def test_forms(r):
    """Every form of malloc, of none and too many bytes, a block of a constructor."""
    run = r.probe("forms")
    assert run.status == 0, run.said
    events, comments = read(run.trace)
    complete(comments)
    found = forms_of(between_marks(events))
    assert found == FORMS


def test_fork_and_exec(r):
    """A child and what it becomes have traces of their own, or none."""
    run = r.probe("forks")
    assert run.status == 0, run.said
    events, comments = read(run.trace)
    complete(comments)
    assert [size for _, size in between_marks(events)] == [0, 0], "parent"
    child, after = sorted(glob.glob(f"{run.trace}.*"))
    assert after == child + ".2"
    events, comments = read(child)
    assert any(c.startswith("left out") and c.endswith(" 2") for c in comments)
    assert [size for _, size in between_marks(events)] == [103, 0, 104, 0]
    events, comments = read(after)
    complete(comments)
    assert forms_of(between_marks(events)) == FORMS
    run = r.probe("forks", options=["--no-children"])
    assert os.listdir(run.folder) == ["x.trace"]


@pytest.mark.parametrize("how, status", (("return", 0), ("exit", 7),
                                         ("abort", 134), ("kill", 137)))
def test_ends(r, how, status):
    """A program that closed all, forgot its environment, and ends in any way."""
    run = r.probe("alone", "300000", how)
    assert run.status == status, f"{how}: {run.status}: {run.said}"
    events, comments = read(run.trace)
    complete(comments)
    assert [s for _, s in between_marks(events)] == [24] * 300000, how


def test_limit(r):
    """A file that may not grow: the first events, and it is said."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5 << 19, 5 << 19))
    cut(r.probe("alone", "300000", "return", preexec_fn=limit), "File too large")


def cut(run, why):
    assert run.status == 1, run.said
    assert "cut" in run.said and why in run.said, run.said
    events, comments = read(run.trace)
    assert any(c.startswith("CUT") and why in c for c in comments)
    sizes = [s for _, s in between_marks(events, last=False)]
    assert set(sizes) == {24} and 50000 < len(sizes) < 300000


def test_full(r):
    """A full disk: the first events, and it is said."""
    disk, keep = r.folder(), r.folder()
    done = subprocess.run(
        ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c",
         'mount -t tmpfs -o size=3m none "$1" && cd "$1" && shift && '
         'keep=$1 && shift && "$@"; status=$?; cp x.trace "$keep"; exit $status',
         "sh", disk, keep, r.binary, "-o", "x.trace", "--", r.program,
         "alone", "300000", "return"],
        stderr=subprocess.PIPE, text=True, check=False, timeout=hosttest.SECONDS)
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("no disk can be made here: " + done.stderr.strip())
    cut(Run(done.returncode, done.stderr, keep / "x.trace", keep),
        "No space left")


def test_from(r):
    """What a recorder that was killed left: a trace, unless the disk is full."""
    folder = r.folder()
    trace = folder / "x.trace"
    with subprocess.Popen([r.binary, "-o", trace, "--", "sh", "-c",
                           "echo; exec sleep 100"],
                          stdout=subprocess.PIPE) as p:
        p.stdout.readline()
        p.kill()
    raw, = glob.glob(f"{trace}.raw.*")
    first = int(os.readlink(f"{raw}/first").split(".")[0])
    time.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    done = subprocess.run([r.binary, "-o", "/dev/full", "--from", raw],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "No space left" in done.stderr \
        and f"still in {raw}" in done.stderr, done.stderr
    assert os.path.exists("/dev/full"), "/dev/full is gone"
    done = subprocess.run([r.binary, "-o", trace, "--from", raw],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read(trace)
    assert not os.path.exists(raw), "the folder is still there"


def test_terminated(r):
    """Told to end: so is the program, and the trace is there."""
    trace = r.folder() / "x.trace"
    with subprocess.Popen([r.binary, "-o", trace, "--", "sh", "-c",
                           "echo; exec sleep 100"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as p:
        p.stdout.readline()
        p.terminate()
        assert p.wait(20) == 143, f"{p.returncode}"
    read(trace)


def test_terminated_late(r):
    """Told to end when only children are left: they are not waited for."""
    trace = r.folder() / "x.trace"
    with subprocess.Popen([r.binary, "-o", trace, "--", "sh", "-c",
                           "sleep 60 & echo $!"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as p:
        child = int(p.stdout.readline())
        time.sleep(0.5)
        p.terminate()
        said = p.stderr.readline()
        status = p.wait(20)
        os.kill(child, signal.SIGKILL)
    assert status == 0 and "children are recorded up to here" in said, \
        f"{status} {said}"
    read(trace)


def test_from_too_early(r):
    """The recording of a program that runs is left alone."""
    folder = r.folder()
    with subprocess.Popen([r.binary, "-o", folder / "x.trace", "--", "sh", "-c",
                           "echo; sleep 1"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as p:
        p.stdout.readline()
        raw = next(folder.glob("x.trace.raw.*"))
        early = subprocess.run([r.binary, "-o", folder / "y.trace",
                                "--from", raw], capture_output=True, text=True,
                               check=False)
        assert p.wait(20) == 0, f"{p.returncode}"
    assert early.returncode == 2 and not (folder / "y.trace").exists()
    assert "must be a recording that has ended" in early.stderr
    read(folder / "x.trace")


def test_static(r):
    """A program without shared libraries: nothing recorded, and it is said."""
    subprocess.run(["gcc", "-static", "-x", "c", "-", "-o", r.work / "static"],
                   input=b"int main(void) { return 0; }", check=True)
    run = r.record(r.work / "static")
    assert run.status == 1 and "nothing was recorded" in run.said, run.said
    assert not run.trace.exists(), "there is a trace"


BAD_OPTIONS = (
    # arguments, what the error says
    (["--", "true"], "no -o TRACE: must be given"),
    (["-o"], "-o: must be followed by a value"),
    (["-o", "x"], "no PROGRAM: must follow the options"),
    (["-q", "--", "true"], "option '-q': must be one of -o, --no-children"),
    (["-o", "/no/x", "--", "true"], "-o /no/x: must be in a folder that can"),
    (["-o", "x", "--note", "a\nb", "--", "true"], "must be one line of text"),
    (["-o", "x", *["--note", "a"] * 17, "--", "true"], "one of at most 16"),
    (["-o", "x", "--from", "/no"], "--from /no: must be the folder of"),
    (["-o", "x", "--from", ".", "--", "true"], "'true': must not be there"),
)


@pytest.mark.parametrize("words, said", BAD_OPTIONS,
                         ids=[bad[1] for bad in BAD_OPTIONS])
def test_refused(r, words, said):
    """A bad argument is named, with what is allowed."""
    hosttest.assert_refused(hosttest.Program(r.binary).run(*words, cwd=r.work), said)


@pytest.mark.parametrize("program, status", (("/no/program", 127),
                                             ("/etc/passwd", 126)))
def test_no_program(r, program, status):
    """A program that cannot be run is named, with the status of a shell."""
    run = r.record(program)
    assert run.status == status and program in run.said, run.said


def test_head(r):
    """The head of a trace: program, arguments, notes."""
    run = r.record("/usr/bin/printf", "a\nb", "", "c",
                   options=["--note", "package: coreutils"])
    _, comments = read(run.trace)
    assert comments[1:4] == ["program: printf", "arguments: a?b  c",
                             "package: coreutils"]


def test_replay(r):
    """The lab takes the trace of four threads."""
    out = hosttest.ROOT / "out/lab"
    hosttest.make(HERE.parent / "lab", out, out / "lab")
    hosttest.Program(out / "lab").output("replay", r.threads().trace)


@pytest.mark.parametrize("notice", hosttest.faults(HERE / "faults", "record"))
def test_fault(probe, tmp_path, notice):
    """The test of threads fails in one of five runs of a recorder with a fault."""
    shutil.copytree(HERE, tmp_path / "tree/tools/record")
    hosttest.plant(notice.patch, tmp_path / "tree")
    hosttest.make(HERE, tmp_path / "out", f"SRC={tmp_path / 'tree/tools/record'}")
    r = Recorder(tmp_path, tmp_path / "out/record", probe)
    with pytest.raises(AssertionError):
        for _ in range(5):
            r.threads()
