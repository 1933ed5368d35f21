# SPDX-License-Identifier: GPL-2.0
"""lab replay and lab gen: what is refused, what is printed, and figures that are
counted once more from the placements."""
import gzip
import json
import re

import pytest
from hosttest import assert_refused

PROFILES = ("mix", "fixed", "churn", "drop", "phases", "blocks")

BAD_TRACES = (
    # what is wrong, the trace, the line at fault, what the error says of it
    ("an unknown request", "a 1 8\nx 1 8\n", 2, "'x 1 8': must be"),
    ("a request alone", "a\n", 1, "'a': must be"),
    ("no SIZE", "a 1\n", 1, "'a 1': must be"),
    ("an ID that is no number", "a one 8\n", 1, "'a one 8': must be"),
    ("a SIZE that is no number", "a 1 8k\n", 1, "'a 1 8k': must be"),
    ("a negative ID", "a -1 8\n", 1, "'a -1 8': must be"),
    ("no blank", "a1 8\n", 1, "'a1 8': must be"),
    ("too many words", "a 1 8 8\n", 1, "'a 1 8 8': must be"),
    ("a comment behind a request", "a 1 8 # x\n", 1, "must be"),
    ("a size to free", "a 1 8\nf 1 8\n", 2, "'f 1 8': must be"),
    ("a carriage return", "a 1 8\r\n", 1, "'a 1 8?': must be"),
    ("a NUL", "a 1 8\0\n", 1, "must be"),
    ("an ID that is too large", "a 4294967296 8\n", 1,
     "ID must be 0 to 4294967295"),
    ("an ID far too large", "f 99999999999999999999999\n", 1,
     "ID must be 0 to 4294967295"),
    ("a SIZE of 0", "a 1 0\n", 1, "SIZE must be 1 to 4194304"),
    ("a SIZE that is too large", "a 1 4194305\n", 1,
     "SIZE must be 1 to 4194304"),
    ("a SIZE far too large", "a 1 18446744073709551624\n", 1,
     "SIZE must be 1 to 4194304"),
    ("an ID that is live", "# x\n\na 1 8\na 1 9\n", 4,
     "'a 1 9': this ID is live"),
    ("an ID that never was", "a 1 8\nf 2\n", 2, "'f 2': this ID is not live"),
    ("an ID that was freed", "a 1 8\nf 1\nf 1\n", 3, "this ID is not live"),
    ("a line of 81 bytes", "a 1 8\na 1" + " " * 77 + "8\n", 2, "80 bytes"),
    ("a very long line", "a 1 8\n" + "a" * 200000 + "\n", 2, "80 bytes"),
    ("no end of the last line", "a 1 8\na 2 8", 2, "'a 2 8': the last line"),
    ("rubbish", "\x7fELF\2\1\1\n", 1, "'?ELF???': must be"),
)

BAD_OPTIONS = (
    # arguments, what the error says
    ((), "must be replay, gen", "lab"),
    (("play",), "unknown command 'play': must be replay, gen", None),
    (("replay",), "TRACE is missing", None),
    (("replay", "one", "two"), "'two' is too much", None),
    (("replay", "/no/such"), "/no/such: No such file", None),
    (("replay", "/"), "/: ", None),
    (("replay", "--strategy", "best", "x"), "'best': must be one of mru", None),
    (("replay", "--freetol", "0", "x"), "'0': must be 1 to 4096", None),
    (("replay", "--freetol", "4097", "x"), "'4097': must be 1 to 4096", None),
    (("replay", "--freetol=1x", "x"), "'1x': must be 1 to 4096", None),
    (("replay", "--keep", "65537", "x"), "'65537': must be 0 to 65536", None),
    (("replay", "--keep", "-1", "x"), "'-1': must be 0 to 65536 or all", None),
    (("replay", "--keep"), "--keep needs a value: 0 to 65536", None),
    (("replay", "--json=1", "x"), "--json takes no value", None),
    (("replay", "--fast", "x"), "unknown option '--fast'", None),
    (("replay", "-x", "x"), "unknown option '-x': must be one of --help", None),
    (("replay", "--s", "1", "x"), "unknown option '--s': must be", None),
    (("replay", "--", "-x", "y"), "'y' is too much: one TRACE", None),
    (("gen", "--profile", "no"), "'no': must be one of mix", None),
    (("gen", "--events", "0"), "'0': must be 1 to 100000000", None),
    (("gen", "--seed", "18446744073709551616"), "must be 0 to 1844", None),
    (("gen", "x"), "'x' is too much", None),
)


BAD_CHUNKS = (
    # the script, what the error says
    ("704 1\n8 0\n704 0\n", "of 3 are left over"),
    ("704 3\n", "is of order 3, asked for is order 2"),
    ("", "all 0 chunks are used"),
    ("705 2\n", "line 1: '705 2': PFN must be a multiple"),
    ("99999999 0\n", "line 1: '99999999 0': PFN must be a multiple"),
    ("0 11\n", "line 1: '0 11': ORDER must be 0 to 10"),
    ("0 1 2\n", "line 1: '0 1 2': must be 'PFN ORDER'"),
    ("0\n", "line 1: '0': must be 'PFN ORDER'"),
    ("-8 0\n", "line 1: '-8 0': must be 'PFN ORDER'"),
    ("704 2", "line 1: '704 2': has no end"),
)


@pytest.mark.parametrize("_, text, line, word", BAD_TRACES,
                         ids=[bad[0] for bad in BAD_TRACES])
def test_bad_trace(lab, file, _, text, line, word):
    """A wrong line is named, and nothing is printed."""
    path = file("bad", text)
    assert_refused(lab.run("replay", path), f"{path}: line {line}: ", word)
    # The lab parses a line with room behind it in another way at first.
    if text.endswith("\n"):
        path = file("bad", text + "# " + "x" * 60 + "\n")
        assert_refused(lab.run("replay", path), f"{path}: line {line}: ", word)


def test_out_of_memory(lab, file):
    """A trace that needs too much memory: exit status 1."""
    path = file("bad", "".join(f"a {i} 4194304\n" for i in range(1100)))
    assert_refused(lab.run("replay", path), "line ", "out of memory", status=1)


def test_good_trace(lab, file):
    """Comments, blanks, the largest ID and size, an ID used again."""
    path = file("good", "# a comment longer than eighty bytes "
                + "x" * 200000 + "\n"
                "\n \t\na 4294967295 8\n  a\t0   4194304 \nf 4294967295\n"
                "a 4294967295 4097\n   # x\nf" + " " * 78 + "0\n")
    assert lab.output("replay", "--placements", path) == \
        "4294967295 0 0\n0 0 0\n4294967295 0 2\n"


def test_empty_trace(lab):
    """Nothing is placed."""
    assert lab.output("replay", "--placements", "/dev/null") == ""


@pytest.fixture
def packed(lab):
    """A trace in gzip's form."""
    return gzip.compress(lab.output("gen", "--events", 3000).encode())


def test_gzip(lab, file, packed):
    """gzip is read as plain text is, from the standard input as from a file."""
    args = ("replay", "--json", "--placements")
    expected = lab.output(*args, file("plain", gzip.decompress(packed)))
    assert lab.output(*args, file("trace.gz", packed)) == expected
    assert lab.output(*args, "-", input=packed) == expected


@pytest.mark.parametrize("part", (3, 12, 0.5, -9, -1))
def test_gzip_cut(lab, file, packed, part):
    """A cut is noticed after so many bytes, in the middle and before the end."""
    part = int(len(packed) * part) if part == 0.5 else part
    assert_refused(lab.run("replay", file("cut.gz", packed[:part])), "line ")


def test_gzip_trailer(lab, file, packed):
    """At the end of a line only gzip knows that more was to come."""
    trace = gzip.decompress(packed)
    deflated = gzip.compress(trace[:trace.rindex(b"a ")], 0)
    assert_refused(lab.run("replay", file("cut.gz", deflated[:-8])), "line ")


@pytest.mark.parametrize("at", (0.5, -6))
def test_gzip_damage(lab, file, packed, at):
    """A wrong byte is noticed, in the middle and in the sum of the trailer."""
    broken = bytearray(packed)
    broken[int(len(packed) * at) if at == 0.5 else at] ^= 0x10
    assert_refused(lab.run("replay", file("broken.gz", bytes(broken))), "line ")


@pytest.mark.parametrize("args, word, other", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word, other):
    """A bad argument is named, with what is allowed."""
    done = lab.run(*args)
    assert_refused(done)
    assert word in done.stderr or other and other in done.stderr


@pytest.mark.parametrize("args", ("--help", "replay --help", "gen -h"))
def test_help(lab, args):
    """Help goes to the standard output."""
    assert "usage: lab" in lab.output(*args.split())


def test_help_option(lab):
    """The help of an option has its range and its default."""
    told = " ".join(lab.output("replay", "--keep", 3, "--help").split())
    assert ("--keep N empty pages that a class keeps: 0 to 65536 or all "
            "(default 8) ") in told
    assert "--json print JSON, with" in told


def test_full_disk(lab, file):
    """A full disk: exit status 1."""
    with open("/dev/full", "wb") as full:
        done = lab.run("replay", file("plain", "a 1 8\n"), stdout=full)
    assert done.returncode == 1 and "No space" in done.stderr


@pytest.mark.parametrize("profile", PROFILES)
def test_gen(lab, profile):
    """A generated trace is as long as asked for, and follows from its seed alone."""
    args = ("gen", "--profile", profile, "--events", 2000, "--seed")
    one = lab.output(*args, 7)
    assert one == lab.output(*args, 7) != lab.output(*args, 8)
    assert len([line for line in one.splitlines() if line[0] in "af"]) == 2000


@pytest.fixture
def replayed(lab, file):
    """A trace, and what lab replay --json says of it."""
    path = file("trace", lab.output("gen", "--events", 20000))
    return path, json.loads(lab.output("replay", "--json", "--placements", path))


def test_table(lab, replayed):
    """The table and JSON have the same counters."""
    path, full = replayed
    names, *rows = map(str.split, lab.output("replay", path).splitlines())
    cells = {row[0]: {name: cell for name, cell in zip(names, row) if cell != "-"}
             for row in rows if row}
    for known in full["classes"] + [full["total"]]:
        assert cells[known["class"]] == {name: str(value)
                                         for name, value in known.items()}


def test_total(replayed):
    """The total is the sum of the classes."""
    _, full = replayed
    for name, value in full["total"].items():
        if name != "class" and not name.endswith("_peak"):
            assert value == sum(c.get(name, 0) for c in full["classes"]), name


def test_held(replayed):
    """What is held is what is used and what is free."""
    arena, total = replayed[1]["arena"], replayed[1]["total"]
    used = arena["cache_pages"] + arena["block_pages"]
    assert arena["held"] == used + arena["stock_pages"] + arena["free_pages"]
    assert used == total["pages"] <= total["pages_peak"] <= arena["held_peak"]
    assert arena["held"] <= arena["held_peak"]


def test_placements(lab, replayed):
    """The placements are the same in JSON."""
    path, full = replayed
    words = "".join("{} {} {}\n".format(*p) for p in full["placements"])
    assert words == lab.output("replay", "--placements", path)


def test_samples(lab, trace, seed):
    """A sample every 1,000 events, the last as the totals are."""
    path = trace("mix", seed)
    lines = lab.output("replay", "--sample", 1000, path).splitlines()
    full = json.loads(lab.output("replay", "--json", "--sample", 1000, path))
    rows = [[int(word) for word in line.split()] for line in lines]
    assert rows == full["samples"]
    assert rows[-1] == [5000, full["total"]["live"], full["total"]["pages"],
                        full["arena"]["held"]]
    assert [row[0] for row in rows] == [1000, 2000, 3000, 4000, 5000]


def paged(references, size):
    """Faults of a memory of this many pages that drops the least recently used."""
    memory, faults = {}, 0
    for page in references:
        if page not in memory:
            faults += 1
            if len(memory) == size:
                memory.pop(next(iter(memory)))
        memory.pop(page, None)
        memory[page] = True
    return faults


def test_paging(lab, trace, seed):
    """Faults and efficiency, counted once more from the placements."""
    path = trace("churn", seed)
    got = json.loads(lab.output("replay", "--json", "--placements", "--keep", "all",
                                "--working-set", "50,100", path))
    placed = iter(got["placements"])
    where, references, taken = {}, [], set()
    asked, asked_sum, page_sum = {}, 0, 0
    for line in path.read_text().splitlines():
        word = line.split()
        if word[0] == "#":
            continue
        if word[0] == "a":
            asked[word[1]] = int(word[2])
            where[word[1]] = (word[2], next(placed)[1])
            taken.add(where[word[1]])
        else:
            del asked[word[1]]
        references.append(where[word[1]])
        asked_sum += sum(asked.values())
        page_sum += len(taken)
    assert [row["faults"] for row in got["paging"]["working_sets"]] == \
        [paged(references, size) for size in (50, 100)]
    assert got["paging"]["pages"] == len(taken)
    assert got["efficiency"] == pytest.approx(asked_sum / page_sum / 4096, abs=1e-5)
    # An allocation is two items and a free one, lists of pages come on top.
    assert 3 * len(references) / 2 / got["total"]["alloc"] < \
        got["items_visited"] < 20


@pytest.mark.parametrize("profile", ("mix", "phases"))
def test_peaks(lab, trace, seed, profile):
    """Peaks of live, pages and held are those of the samples."""
    full = json.loads(lab.output("replay", "--json", "--sample", 1, "--keep", 0,
                                 trace(profile, seed)))
    most = [max(column) for column in list(zip(*full["samples"]))[1:]]
    assert most == [full["total"]["live_peak"], full["total"]["pages_peak"],
                    full["arena"]["held_peak"]]


@pytest.fixture
def few(file):
    """A short trace."""
    return file("few", "a 1 64\na 2 64\na 3 128\nf 3\n")


def test_chunks(lab, file, few):
    """Pages are where the script of chunks says."""
    got = json.loads(lab.output("replay", "--json", "--placements", "--chunks",
                                file("chunks", "704 2\n"), few))
    assert [pfn for _, pfn in got["pages"]] == [704, 705]


@pytest.mark.parametrize("text, word", BAD_CHUNKS,
                         ids=[repr(bad[0]) for bad in BAD_CHUNKS])
def test_bad_chunks(lab, file, few, text, word):
    """A script of chunks that does not fit is refused."""
    assert_refused(lab.run("replay", "--chunks", file("chunks", text), few), word)


def test_chunks_twice(lab, file):
    """Chunks that are lent twice are refused."""
    twice = file("twice", "".join(f"a {i} 4096\n" for i in range(20)))
    done = lab.run("replay", "--chunks", file("chunks", "8 2\n" * 6), twice)
    assert done.returncode == 2 and "are lent already" in done.stderr


def test_chunks_missing(lab, few):
    """A script of chunks that is not there is named."""
    done = lab.run("replay", "--chunks", "/no/such", few)
    assert done.returncode == 2 and "/no/such: No such" in done.stderr


@pytest.mark.parametrize("name, number", (
    ("scattered", lambda n: n * 2654435761 % 2 ** 32),
    ("far apart", lambda n: n << 16 | n >> 16),
    ("from the end", lambda n: 2 ** 32 - 1 - n)))
def test_ids(lab, file, trace, seed, name, number):
    """IDs are names: other IDs change no placement."""
    path = trace("mix", seed)
    text = re.sub(r"^([af]) (\d+)", lambda m: f"{m[1]} {number(int(m[2]))}",
                  path.read_text(), flags=re.M)
    expected, got = ([line.split()[1:] for line in
                      lab.output("replay", "--placements", one).splitlines()]
                     for one in (path, file(name, text)))
    assert got == expected


def test_progress(lab, trace, seed):
    """--progress says how many events and how fast, not among the results."""
    path = trace("mix", seed)
    done = lab.run("replay", "--progress", path)
    assert not done.returncode and "lab: 5000 events, " in done.stderr
    assert done.stdout == lab.run("replay", path).stdout
