# SPDX-License-Identifier: GPL-2.0
"""Size maps: what the lab says of a trace, derived anew."""
import itertools
import json

import pytest
from hosttest import assert_refused

PAGE = 4096
POWERS = [16 << i for i in range(9)]
SIZES = (20, 64, 72, 90, 130, 150, 200, 300, 700)
SHARES = (30, 5, 9, 2, 20, 6, 3, 1, 1)
EVENTS = 4000

BAD_OPTIONS = (
    # arguments, what the error says
    (("sizemap",), "TRACE is missing"),
    (("sizemap", "/no/such"), "/no/such: No such file"),
    (("sizemap", "--classes", "8", "x"), "'8': must be 9 to 128"),
    (("sizemap", "--classes", "129", "x"), "'129': must be 9 to 128"),
    (("sizemap", "--sizemap", "fibonacci", "x"), "'fibonacci': must be brent"),
    (("sizemap", "--sizemap", "16,40", "x"),
     "entry 2, 40: must be 8 or a multiple of 16"),
    (("replay", "--sizemap", "geometric:1", "x"), "RHO from 1.001 to 8"),
    (("replay", "--sizemap", "16,32,80", "x"), "entry 3, 80: must be at most"),
    (("replay", "--ffcrossover", "4097", "x"), "'4097': must be 0 to 4096"),
    (("sizemap", "--ffcrossover", "-1", "x"), "'-1': must be 0 to 4096"),
)


def a_trace(rng, frees):
    """Requests as (ID, size), size None to free; and their text."""
    events, live, number = [], [], 0
    for _ in range(EVENTS):
        if frees and live and rng.random() < 0.45:
            events.append((live.pop(rng.randrange(len(live))), None))
        else:
            events.append((number, rng.choices(SIZES, SHARES)[0]))
            live.append(number)
            number += 1
    return events, "".join(f"a {i} {size}\n" if size else f"f {i}\n"
                           for i, size in events)


def means(events):
    """Live blocks of each size and their bytes, in the mean over events."""
    size_of, live = {}, dict.fromkeys(SIZES, 0)
    total = dict.fromkeys(SIZES, 0)
    for i, size in events:
        if size:
            size_of[i] = size
        live[size_of[i]] += 1 if size else -1
        for each, blocks in live.items():
            total[each] += blocks
    return ({size: n / len(events) for size, n in total.items()},
            sum(size * n for size, n in total.items()) / len(events))


def class_of(classes, size):
    """The smallest class that fits."""
    return min(c for c in classes if c >= size)


def expected(classes, live, total):
    """Storage efficiency: pages of full blocks, and half a page a class."""
    blocks = {}
    for size, n in live.items():
        c = class_of(classes, size)
        blocks[c] = blocks.get(c, 0) + n
    pages = sum(n / (PAGE // c) + 0.5 for c, n in blocks.items())
    return total / (pages * PAGE)


def measured(classes, events):
    """Without frees every page but the last of a class is full."""
    blocks, pages_sum, bytes_sum, total = {}, 0, 0, 0
    for _, size in events:
        c = class_of(classes, size)
        blocks[c] = blocks.get(c, 0) + 1
        total += size
        bytes_sum += total
        pages_sum += sum(-(-n // (PAGE // c)) for c, n in blocks.items())
    return bytes_sum / (pages_sum * PAGE)


def best(live, total, most):
    """The best efficiency of all maps of so many classes at most."""
    places = sorted({-(-size // 16) * 16 for size in SIZES} - set(POWERS))
    return max(expected(POWERS + list(some), live, total)
               for n in range(most - len(POWERS) + 1)
               for some in itertools.combinations(places, n))


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run(*args), word)


@pytest.mark.parametrize("most", (9, 10, 12, 16, 32))
def test_expected(lab, file, rng, most):
    """The efficiency expected of each map, and no map is better than the last."""
    events, text = a_trace(rng, frees=True)
    live, total = means(events)
    got = json.loads(lab.output("sizemap", "--json", "--classes", most, "--sizemap",
                                "geometric:1.1", file("sizes", text)))["sizemaps"]
    for one in got:
        assert one["expected"] == pytest.approx(
            expected(one["list"], live, total), abs=0.002), one["name"]
    last = got[-1]
    assert last["name"] == "best" and last["classes"] <= most
    assert last["expected"] == pytest.approx(best(live, total, most), abs=0.002)


def test_standard_input(lab, file, rng):
    """The standard input is read like a file."""
    _, text = a_trace(rng, frees=True)
    assert lab.output("sizemap", "-", input=text.encode()) == \
        lab.output("sizemap", file("sizes", text))


def test_measured(lab, file, rng):
    """What a replay measures where it is known."""
    events, text = a_trace(rng, frees=False)
    got = json.loads(lab.output("sizemap", "--json", file("sizes", text)))
    for one in got["sizemaps"]:
        assert one["measured"] == pytest.approx(
            measured(one["list"], events), abs=1e-6), one["name"]


def test_printed(lab, file, rng):
    """A replay takes the map that was printed."""
    path = file("sizes", a_trace(rng, frees=False)[1])
    line = lab.output("sizemap", path).splitlines()[-1]
    got = json.loads(lab.output("replay", "--json", "--sizemap", line, path))
    assert {c["class"] for c in got["classes"]} == \
        {f"size-{class_of(map(int, line.split(',')), size)}" for size in SIZES}
