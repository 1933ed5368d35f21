# SPDX-License-Identifier: GPL-2.0
"""Nielsen's loads: the base load against a second program and the paper's totals, the
others against the columns of the paper's Table II."""
import json

import nielsen
import nielsen_loads
import pytest
from hosttest import assert_refused

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


def load(lab, number, *options):
    """What the lab says of a load."""
    data = json.loads(lab.output("engine", "--json", "--engine", ENGINE, *options,
                                 f"nielsen-{number}"))
    return {name: value for name, value in data["load"].items() if name != "name"}


@pytest.mark.parametrize("args, word", BAD, ids=[" ".join(bad[0]) for bad in BAD])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run("engine", *args), word)


def test_seed():
    """The own seed is the first with which the totals are the paper's."""
    assert nielsen.search() == OWN_SEED
    assert nielsen.far(nielsen.totals(OWN_SEED)) <= nielsen.NEAR


def test_base(lab):
    """With its own seed the base load is the model's."""
    assert load(lab, 1) == nielsen.cut(OWN_SEED)


@pytest.mark.parametrize("_", range(CASES))
def test_model(lab, rng, _):
    """With other seeds, and cut short, the base load is the model's."""
    seed = rng.randint(1, nielsen.MODULUS - 1)
    limit = rng.randint(1, 17000)
    assert load(lab, 1, "--seed", seed, "--limit", limit) == \
        nielsen.cut(seed, limit), (seed, limit)


def coexisting(lab, number, whole):
    """The mean number of blocks, at some of the requests after the start."""
    first, last = whole["warm"], whole["events"]
    limits = [first + (last - first) * i // SAMPLES
              for i in range(1, SAMPLES + 1)]
    return sum(load(lab, number, "--limit", limit)["blocks_end"]
               for limit in limits) / SAMPLES


ROWS = list(enumerate(nielsen_loads.PAPER, 1))


@pytest.mark.parametrize("number, row", ROWS, ids=[str(n) for n, _ in ROWS])
def test_column(lab, number, row):
    """Table II: allocations, and how many blocks coexist."""
    sources, mean, _, _, cycling, allocs = row
    got = load(lab, number)
    assert got["allocs"] == pytest.approx(allocs, rel=nielsen.NEAR)
    want = sources * int(mean.split()[0]) / (1 + (cycling != "none"))
    assert coexisting(lab, number, got) == pytest.approx(want, rel=NEAR_COEXIST)


@pytest.mark.parametrize("number", [n for n, row in ROWS if "mult" in row[2]])
def test_multiples(lab, number):
    """Sizes are multiples of 5 words."""
    got = load(lab, number)
    assert (got["asked"] // 4 + got["allocs"]) % 5 == 0


def test_sequential(lab):
    """Load 18: a block that ends is replaced at once by one of its size."""
    whole = load(lab, 18)["events"]
    for limit in range(whole - 20, whole + 1, 2):
        one, two = (load(lab, 18, "--limit", n) for n in (limit - 2, limit))
        assert one["live_end"] == two["live_end"], limit
        assert two["frees"] == one["frees"] + 1, limit
