# SPDX-License-Identifier: GPL-2.0
"""Tests of size maps: what the lab says of a trace, derived anew."""
import itertools
import json
import random

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


def test_expected(suite, rng):
    """What is expected of each map, and that none is better."""
    events, text = a_trace(rng, frees=True)
    path = suite.file("sizes", text)
    live, total = means(events)
    for most in (9, 10, 12, 16, 32):
        got = json.loads(suite.output("sizemap", "--json", "--classes", most,
                                      "--sizemap", "geometric:1.1", path))
        wrong = [f"{one['name']}: {one['expected']} is "
                 f"{expected(one['list'], live, total)}"
                 for one in got["sizemaps"]
                 if abs(one["expected"] -
                        expected(one["list"], live, total)) > 0.002]
        suite.say(not wrong, f"efficiency expected of "
                  f"{len(got['sizemaps'])} size maps, {most} classes",
                  "; ".join(wrong))
        tailored, limit = got["sizemaps"][-1], best(live, total, most)
        suite.say(tailored["name"] == "tailored" and
                  tailored["classes"] <= most and
                  abs(tailored["expected"] - limit) < 0.002,
                  f"the map tailored to {most} classes is the best of all: "
                  f"{tailored['expected']:.3f}", f"there is {limit:.4f}")
    same = suite.output("sizemap", "-", input=text.encode())
    suite.say(same == suite.output("sizemap", path),
              "size maps of the standard input")


def test_measured(suite, rng):
    """What a replay measures where it is known; and with the map printed."""
    events, text = a_trace(rng, frees=False)
    path = suite.file("sizes", text)
    got = json.loads(suite.output("sizemap", "--json", path))
    wrong = [f"{one['name']}: {one['measured']}" for one in got["sizemaps"]
             if abs(one["measured"] - measured(one["list"], events)) > 1e-6]
    suite.say(not wrong, "efficiency measured of every size map",
              "; ".join(wrong))
    line = suite.output("sizemap", path).splitlines()[-1]
    replay = json.loads(suite.output("replay", "--json", "--sizemap", line,
                                     path))
    used = {c["class"] for c in replay["classes"]}
    want = {f"size-{class_of(map(int, line.split(',')), size)}"
            for size in SIZES}
    suite.say(used == want, "a replay with the map that was printed",
              f"{used}, not {want}")


def test_sizemap(suite):
    """All of it."""
    for args, word in BAD_OPTIONS:
        done = suite.run(*args)
        error = done.stderr.decode()
        suite.say(done.returncode == 2 and not done.stdout and word in error,
                  f"refused: lab {' '.join(args)}", error)
    rng = random.Random(suite.seed)
    test_expected(suite, rng)
    test_measured(suite, rng)
