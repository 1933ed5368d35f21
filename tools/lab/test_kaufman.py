# SPDX-License-Identifier: GPL-2.0
"""Tests of Kaufman's simulation: the same requests to a model of the paper, and
the requests themselves against their distribution."""
import json
import math
import random

import kaufman

PAGES = 1024
POLICIES = ("binary", "revised", "tailored")
CASES = 8
SIGMAS = 5      # a share of the requests may be off by so many

BAD_OPTIONS = (
    # arguments, what the error says
    (("--policy", "best"), "'best': must be one of binary"),
    (("--policy", ""), "'': must be one of binary"),
    (("--sizes", "poisson"), "'poisson': must be exponential"),
    (("--mean", "0"), "'0': must be 1 to 256 units"),
    (("--mean", "257"), "'257': must be 1 to 256 units"),
    (("--mean", "40,"), "'40,': must be 1 to 256 units"),
    (("--mean", "1,2,3"), "'1,2,3': must be 1 to 256 units, or two"),
    (("--period", "0"), "'0': must be 1 to 10000000"),
    (("--deviation", "0"), "'0': must be 1 to 100 percent"),
    (("--deviation", "101"), "'101': must be 1 to 100 percent"),
    (("--outside", "drop"), "'drop': must be redraw, clamp"),
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


def simulated(suite, *args):
    """The lab's figures by name, and everything else."""
    data = json.loads(suite.output("kaufman", "--json", *args))
    totals = {policy: dict(zip(data["figures"], got["total"]))
              for policy, got in data["policies"].items()}
    return totals, data


def test_refused(suite):
    """A wrong argument, and nothing done."""
    for args, word in BAD_OPTIONS:
        done = suite.run("kaufman", *args)
        error = done.stderr.decode()
        suite.say(done.returncode == 2 and not done.stdout and word in error,
                  f"refused: lab kaufman {' '.join(args)}", error)
    path = suite.work / "refused"
    done = suite.run("kaufman", "--runs", 2, "--events", path)
    suite.say(done.returncode == 2 and not path.exists() and
              b"--runs '2': must be 1 with --events" in done.stderr,
              "refused: the requests of more than one run",
              done.stderr.decode())


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


def differences(suite, args):
    """Of the lab to the model."""
    path, found = suite.work / "requests", []
    totals, data = simulated(suite, "--events", path, *args)
    trace = path.read_text()
    for policy in POLICIES:
        got = data["policies"][policy]
        model, start = kaufman.replay(trace, policy, got["desired"] or None)
        if start != got["start"]:
            found.append(f"{policy}: starts with {got['start']}, not {start}")
        found += [f"{policy}: {name} {totals[policy][name]:g}, not {value}"
                  for name, value in model.items()
                  if totals[policy][name] != value]
    return found


def test_model(suite, rng):
    """The three systems, request by request, as the paper has them."""
    for _ in range(CASES):
        args = a_case(rng)
        found = differences(suite, args)
        suite.say(not found, f"as the model: {' '.join(map(str, args))}",
                  "; ".join(found))


def test_shares(suite, rng):
    """What the sizes are said to be is what is drawn."""
    path = suite.work / "requests"
    for sizes in ("exponential", "normal", "uniform"):
        for outside in ("redraw", "clamp"):
            args = ["--sizes", sizes, "--mean", "30,240", "--outside", outside,
                    "--deviation", 40, "--units", 500000, "--period", 100,
                    "--seed", rng.getrandbits(63), "--policy", "revised"]
            _, data = simulated(suite, "--events", path, *args)
            shares = [int(w) for w in data["shares"].split(":")[2].split(",")]
            found = [0] * len(shares)
            for line in path.read_text().splitlines():
                if line[0] == "a":
                    found[kaufman.order_of(
                        int(line.split()[2]) // 1024)] += 1
            nr = sum(found)
            far = [abs(n / nr - p / 1e6) * math.sqrt(
                nr / max(p / 1e6 * (1 - p / 1e6), 1 / nr))
                for n, p in zip(found, shares)]
            suite.say(max(far) < SIGMAS and abs(sum(shares) - 1e6) < 9,
                      f"{sizes} sizes, {outside}: requests are as many of "
                      "each order as is said", f"{found} of {nr}, {shares}")


def test_seeds(suite, rng):
    """Runs follow from their seeds alone."""
    seed = rng.getrandbits(32)
    _, several = simulated(suite, "--seed", seed, "--runs", 3)
    alone = [simulated(suite, "--seed", seed + i)[1] for i in range(3)]
    for policy in POLICIES:
        runs = [got["policies"][policy]["runs"][0] for got in alone]
        suite.say(several["policies"][policy]["runs"] == runs and
                  runs[0] != runs[1],
                  f"{policy}: three runs are those of three seeds",
                  f"--seed {seed}")


def test_kaufman(suite):
    """All of it."""
    rng = random.Random(suite.seed)
    test_refused(suite)
    test_model(suite, rng)
    test_shares(suite, rng)
    test_seeds(suite, rng)
