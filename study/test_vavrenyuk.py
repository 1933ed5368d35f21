# SPDX-License-Identifier: GPL-2.0
"""Tests of Vavrenyuk's allocator and load against a model, and of the allocators
that are not ours."""
import json
import os
import random
import subprocess

import vavrenyuk as model

FITS = ("first-fit", "best-fit", "worst-fit", "best-fit-strict",
        "worst-fit-strict")
ENGINES = {"vavrenyuk-" + fit + end: (fit, word) for fit in FITS[:3]
           for end, word in (("", 8), ("-x86", 4))}
ENGINES.update({f"vavrenyuk-{fit}": (fit, 8) for fit in FITS[3:]})
EVENTS = 3000
ITERATIONS = 50000
PEERS = ("malloc", "jemalloc", "mimalloc")
NO_ROOM = "glibc.rtld.optional_static_tls=64"


def outcome(suite, *args):
    """What the lab says, by engine."""
    data = json.loads(suite.output("engine", "--json", *args))
    return {e["name"]: e for e in data["engines"]}, data["load"]


def requests(rng, number, largest):
    """Random ones that let memory fill, empty and fill again."""
    live, events, grow = [], [], True
    for i in range(number):
        if len(live) > 120 or len(live) < 5:
            grow = len(live) < 60
        if not live or rng.random() < (0.65 if grow else 0.35):
            live.append(i)
            events.append((i, rng.choice((rng.randint(1, 12),
                                          rng.randint(1, largest)))))
        else:
            events.append((live.pop(rng.randrange(len(live))), 0))
    return events


def modelled(fit, word, events, limit=2 ** 35, tune=None):
    """The model after these requests; tune is (event, fit)."""
    m, blocks = model.Model(fit, word, limit), {}
    for number, (block, size) in enumerate(events, 1):
        if tune and number == tune[0]:
            m.fit = tune[1]
        if size:
            blocks[block] = m.alloc(size)
        elif blocks[block]:
            m.release(blocks[block])
    return m


def figures(got):
    return (got["used_end"], got["used_peak"], got["items"], got["failures"])


def want(m):
    return (m.used, m.peak, m.items, m.refused)


def test_model(suite, rng):
    """To the byte and to the item."""
    for largest in (30, 300, 5000):
        events = requests(rng, EVENTS, largest)
        trace = suite.file("vavrenyuk", model.text(events))
        got, _ = outcome(suite, "--engine", "vavrenyuk", "--verify", "--drain",
                         trace)
        for name, (fit, word) in ENGINES.items():
            m = modelled(fit, word, events)
            suite.say(figures(got[name]) == want(m) and
                      got[name]["used_after"] == 2 * word,
                      f"{name}, sizes to {largest}: as the model, and two words "
                      "stay", f"{figures(got[name])} {want(m)}")


def test_short(suite, rng):
    """With less memory than it wants the same requests are refused."""
    events = requests(rng, EVENTS, 300)
    trace = suite.file("vavrenyuk", model.text(events))
    got, load = outcome(suite, "--engine", "vavrenyuk", "--verify", "--memory",
                        98, trace)
    for name in ("vavrenyuk-first-fit", "vavrenyuk-worst-fit-x86"):
        fit, word = ENGINES[name]
        limit = int(load["live_peak"] * 100 / 98) & ~7
        m = modelled(fit, word, events, limit)
        suite.say(figures(got[name]) == want(m) and m.refused,
                  f"{name}, memory short: as the model, {m.refused} refused",
                  f"{figures(got[name])} {want(m)}")


def test_tune(suite, rng):
    """It searches in another way from a request on."""
    events = requests(rng, EVENTS, 300)
    trace = suite.file("vavrenyuk", model.text(events))
    for to in FITS:
        got, _ = outcome(suite, "--engine", "vavrenyuk-worst-fit", "--verify",
                         "--tune", f"1000:{to}", trace)
        m = modelled("worst-fit", 8, events, tune=(1000, to))
        suite.say(figures(got["vavrenyuk-worst-fit"]) == want(m),
                  f"from worst fit to {to} while it runs: as the model",
                  f"{got} {want(m)}")
    done = suite.run("engine", "--engine", "vavrenyuk-first-fit", "--tune",
                     "9:next-fit", trace)
    suite.say(done.returncode == 2 and
              b"--tune 'next-fit': must be first-fit" in done.stderr,
              "no other way of searching is known", done.stderr.decode())


def test_load(suite, rng):
    """The load is that of the paper's figure 7, request by request."""
    seed = rng.randrange(1, 2 ** 31 - 1)
    events = model.load(ITERATIONS, seed)
    trace = suite.file("vavrenyuk", model.text(events))
    words = ("--engine", "vavrenyuk-first-fit", "--drain")
    mine = outcome(suite, *words, trace)
    load = outcome(suite, *words, "--seed", seed, f"vavrenyuk-{ITERATIONS}")
    for got in (*mine, *load):
        got.pop("name", None)
    for got in (mine[0], load[0]):
        got["vavrenyuk-first-fit"].pop("pid")
    suite.say(mine == load, f"--seed={seed}: the load is that of the model",
              f"{mine} {load}")
    sizes = [size for _, size in events if size]
    middle = sum(sizes) / len(sizes)
    suite.say(len(sizes) == ITERATIONS and abs(middle - 128.5) < 1.7 and
              (min(sizes), max(sizes)) == (1, 256),
              f"sizes are 1 to 256 bytes, {middle:.1f} on average")


def test_peers(suite, rng):
    """They are right, or say why they are not there."""
    seed = rng.randrange(1, 2 ** 31 - 1)
    args = ("engine", "--engine", "peers", "--verify", "--drain", "--json",
            "--limit", EVENTS, "--seed", seed, "vavrenyuk-50000")
    done = suite.run(*args)
    got = {e["name"]: e for e in json.loads(done.stdout)["engines"]}
    for name in PEERS:
        there = got[name]["ran"]
        suite.say(not done.returncode and
                  (there or got[name]["why"].startswith("not on this machine:")),
                  f"{name}: " + ("no block lies over another, changes or is lost"
                                 if there else got[name]["why"]),
                  got[name]["why"])
    environment = {**os.environ, "GLIBC_TUNABLES": NO_ROOM}
    done = suite.run("engine", "--engine", "jemalloc", "gen-mix",
                     env=environment)
    suite.say(not done.returncode and b"not on this machine:" in done.stderr,
              "a library that cannot be loaded is no failure",
              done.stderr.decode())


def test_plain_peers(suite):
    """Without the sanitizer: what each uses is more than what is live."""
    done = subprocess.run([suite.plain, "engine", "--engine", "peers",
                           "--drain", "--json", "vavrenyuk-50000"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=60)
    data = json.loads(done.stdout)
    live = data["load"]["live_end"]
    for got in data["engines"]:
        suite.say(not done.returncode and
                  (live < got["used_end"] < 3 * live if got["ran"]
                   else got["name"] != "malloc"),
                  f"{got['name']}: " + (f"{got['used_end']} bytes are used for "
                                        f"{live}" if got["ran"]
                                        else got["why"]), str(got))


def test_vavrenyuk(suite):
    """All of it."""
    rng = random.Random(suite.seed)
    for test in (test_model, test_short, test_tune, test_load, test_peers):
        test(suite, rng)
    test_plain_peers(suite)
