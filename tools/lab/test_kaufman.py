# SPDX-License-Identifier: GPL-2.0
"""Kaufman's simulation: the same requests to a model of the paper, and the requests
themselves against their distribution."""
import json
import math

import kaufman
import pytest
from hosttest import assert_refused

PAGES = 1024
POLICIES = ("binary", "revised", "tailored")
CASES = 8
SIGMAS = 5      # a share of the requests may be off by so many

BAD_OPTIONS = (
    # arguments, what the error says
    (("--policy", "best"), "'best': must be some of binary,"),
    (("--policy", ""), "'': must be some of binary,"),
    (("--policy", "binary,best"), "'binary,best': must be some of binary,"),
    (("--policy", "binary,"), "'binary,': must be some of binary,"),
    (("--sizes", "poisson"), "'poisson': must be one of exponential"),
    (("--mean", "0"), "'0': must be 1 to 256 units"),
    (("--mean", "257"), "'257': must be 1 to 256 units"),
    (("--mean", "40,"), "'40,': must be 1 to 256 units"),
    (("--mean", "1,2,3"), "'1,2,3': must be 1 to 256 units, up to 2"),
    (("--period", "0"), "'0': must be 1 to 10000000"),
    (("--deviation", "0"), "'0': must be 1 to 100 percent"),
    (("--deviation", "101"), "'101': must be 1 to 100 percent"),
    (("--outside", "drop"), "'drop': must be one of redraw"),
    (("--lifetime", "0"), "'0': must be 1 to 10000000"),
    (("--interarrival", "-1"), "'-1': must be 1 to 10000000"),
    (("--units", "10000001"), "'10000001': must be 1 to 10000000"),
    (("--reset", "5000"), "'5000': must be 0 to 4999, less than --units"),
    (("--seed", "x"), "'x': must be 0 to 18446744073709551615"),
    (("--runs", "0"), "'0': must be 1 to 100000"),
    (("--desired", "uniform:0:300:4096"), "must be auto, numbers"),
    (("--desired",), "--desired needs a value: auto, numbers"),
    (("--events", ""), "'': must be the name of a file"),
    (("--events", "/no/such/file"), "'/no/such/file': No such file"),
    (("--json=1",), "--json takes no value"),
    (("x",), "'x' is too much: no operand is taken"),
)


def simulated(lab, *args):
    """The lab's figures by name, and everything else."""
    data = json.loads(lab.output("kaufman", "--json", *args))
    totals = {policy: dict(zip(data["figures"], got["total"]))
              for policy, got in data["policies"].items()}
    return totals, data


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, and nothing is done."""
    assert_refused(lab.run("kaufman", *args), word)


def test_policies(lab):
    """The policies that are named run, and no other."""
    totals, _ = simulated(lab, "--policy", "tailored,binary")
    assert sorted(totals) == ["binary", "tailored"]


def test_refused_runs(lab, tmp_path):
    """The requests of more than one run cannot be written."""
    path = tmp_path / "refused"
    done = lab.run("kaufman", "--runs", 2, "--events", path)
    assert done.returncode == 2 and not path.exists()
    assert "--runs '2': must be 1 with --events" in done.stderr


def a_case(rng):
    """Options of a run that makes lists work."""
    args = ["--seed", rng.getrandbits(63), "--reset", 0,
            "--units", rng.choice((2000, 5000, 20000)),
            "--sizes", rng.choice(("exponential", "normal", "uniform")),
            "--mean", rng.choice(("2", "25", "100", "200", "256", "10,250")),
            "--outside", rng.choice(("redraw", "clamp")),
            "--lifetime", rng.choice((20, 60, 100, 500, 5000))]
    kind = rng.randrange(3)
    if kind == 1:
        args += ["--desired", f"uniform:1:{rng.randint(1, 512)}:4096"]
    if kind == 2:
        args += ["--desired", ",".join(str(rng.choice((0, 1, 3, 9, 200)))
                                       for _ in range(rng.randint(1, 11)))]
    return args


@pytest.mark.parametrize("_", range(CASES))
def test_model(lab, tmp_path, rng, _):
    """The three systems, request by request, as the paper has them."""
    path, args = tmp_path / "requests", a_case(rng)
    totals, data = simulated(lab, "--events", path, *args)
    trace = path.read_text()
    for policy in POLICIES:
        got = data["policies"][policy]
        known, start = kaufman.replay(trace, policy, got["desired"] or None)
        assert start == got["start"], args
        assert {name: totals[policy][name] for name in known} == known, args


@pytest.mark.parametrize("outside", ("redraw", "clamp"))
@pytest.mark.parametrize("sizes", ("exponential", "normal", "uniform"))
def test_shares(lab, tmp_path, rng, sizes, outside):
    """Requests are as many of each order as is said."""
    path = tmp_path / "requests"
    _, data = simulated(
        lab, "--events", path, "--sizes", sizes, "--mean", "30,240", "--outside",
        outside, "--deviation", 40, "--units", 500000, "--period", 100,
        "--seed", rng.getrandbits(63), "--policy", "revised")
    shares = [int(w) for w in data["shares"].split(":")[2].split(",")]
    found = [0] * len(shares)
    for line in path.read_text().splitlines():
        if line[0] == "a":
            found[kaufman.order_of(int(line.split()[2]) // 1024)] += 1
    nr = sum(found)
    assert abs(sum(shares) - 1e6) < 9
    for n, p in zip(found, (share / 1e6 for share in shares)):
        far = abs(n / nr - p) * math.sqrt(nr / max(p * (1 - p), 1 / nr))
        assert far < SIGMAS, f"{found} of {nr}, {shares}"


def test_seeds(lab, rng):
    """Runs follow from their seeds alone."""
    seed = rng.getrandbits(32)
    _, several = simulated(lab, "--seed", seed, "--runs", 3)
    alone = [simulated(lab, "--seed", seed + i)[1] for i in range(3)]
    for policy in POLICIES:
        runs = [got["policies"][policy]["runs"][0] for got in alone]
        assert several["policies"][policy]["runs"] == runs, policy
        assert runs[0] != runs[1], policy
