# SPDX-License-Identifier: GPL-2.0
"""Tests of Nielsen's loads: the base load against a second program and the
paper's totals, the others against the columns of the paper's Table II."""
import json
import random

import nielsen
import nielsen_loads

ENGINE = "curpage-mru"          # any one: the requests are what is looked at
OWN_SEED = 10
CASES = 8
SAMPLES = 6
NEAR_COEXIST = 0.15

BAD = (
    # arguments, what the error says
    (("nielsen-0",), "'nielsen-0': must be a trace, or one of the loads"),
    (("nielsen-19",), "'nielsen-19': must be a trace, or one of the loads"),
    (("--seed", "0", "nielsen-1"), "'0': must be 1 to 2147483646"),
    (("--seed", "2147483647", "nielsen-1"), "must be 1 to 2147483646"),
)


def load(suite, number, *options):
    """What the lab says of a load."""
    data = json.loads(suite.output("engine", "--json", "--engine", ENGINE,
                                   *options, f"nielsen-{number}"))
    return {name: value for name, value in data["load"].items()
            if name != "name"}


def test_refused(suite):
    for args, word in BAD:
        done = suite.run("engine", *args)
        error = done.stderr.decode()
        suite.say(done.returncode == 2 and not done.stdout and word in error,
                  f"refused: lab engine {' '.join(args)}", error)


def test_paper(suite):
    """The own seed is the first with which the totals are the paper's."""
    seed = nielsen.search()
    far = nielsen.far(nielsen.totals(OWN_SEED))
    suite.say(seed == OWN_SEED and far <= nielsen.NEAR,
              f"base load: seed {OWN_SEED} is the first near the paper's "
              "totals", f"it is {seed}; {OWN_SEED} is off by {far:.3f}")
    got, want = load(suite, 1), nielsen.cut(OWN_SEED)
    suite.say(got == want, "base load: as the model's, with its own seed",
              f"{got}, not {want}")


def test_model(suite, rng):
    """Other seeds, and the first of the requests."""
    for _ in range(CASES):
        seed = rng.randint(1, nielsen.MODULUS - 1)
        limit = rng.randint(1, 17000)
        got = load(suite, 1, "--seed", seed, "--limit", limit)
        want = nielsen.cut(seed, limit)
        suite.say(got == want,
                  f"base load: as the model's, seed {seed}, {limit} requests",
                  f"{got}, not {want}")


def coexisting(suite, number, whole):
    """The mean number of blocks, at some of the requests after the start."""
    first, last = whole["warm"], whole["events"]
    limits = [first + (last - first) * i // SAMPLES
              for i in range(1, SAMPLES + 1)]
    return sum(load(suite, number, "--limit", limit)["blocks_end"]
               for limit in limits) / SAMPLES


def test_columns(suite):
    """Table II."""
    for number, (sources, mean, sizes, _, cycling, allocs) in enumerate(
            nielsen_loads.PAPER, 1):
        got = load(suite, number)
        suite.say(abs(got["allocs"] / allocs - 1) <= nielsen.NEAR,
                  f"load {number}: allocations near the paper's {allocs}",
                  str(got["allocs"]))
        want = sources * int(mean.split()[0]) / (1 + (cycling != "none"))
        blocks = coexisting(suite, number, got)
        suite.say(abs(blocks / want - 1) <= NEAR_COEXIST,
                  f"load {number}: some {want:.0f} blocks coexist",
                  f"{blocks:.0f}")
        if "mult" in sizes:
            words = got["asked"] // 4 + got["allocs"]
            suite.say(words % 5 == 0, f"load {number}: multiples of 5 words",
                      f"{words} words in all")


def test_sequential(suite):
    """Load 18: what ends is replaced at once by as much."""
    whole = load(suite, 18)
    for limit in range(whole["events"] - 20, whole["events"] + 1, 2):
        pair = [load(suite, 18, "--limit", n) for n in (limit - 2, limit)]
        suite.say(pair[0]["live_end"] == pair[1]["live_end"] and
                  pair[1]["frees"] == pair[0]["frees"] + 1,
                  f"load 18: a block for one of its size, request {limit}",
                  f"{pair}")


def test_nielsen(suite):
    """All of it."""
    test_refused(suite)
    test_paper(suite)
    test_model(suite, random.Random(suite.seed))
    test_columns(suite)
    test_sequential(suite)
