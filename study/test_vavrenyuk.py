# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk's allocator and load against a model, and the allocators that are not
ours."""
import json
import os

import pytest
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


def outcome(lab, *args):
    """What the lab says, by engine."""
    data = json.loads(lab.output("engine", "--json", *args))
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


@pytest.mark.parametrize("largest", (30, 300, 5000))
def test_model(lab, file, rng, largest):
    """Each engine is its model to the byte and to the item, and two words stay."""
    events = requests(rng, EVENTS, largest)
    got, _ = outcome(lab, "--engine", "vavrenyuk", "--verify", "--drain",
                     file("trace", model.text(events)))
    for name, (fit, word) in ENGINES.items():
        assert figures(got[name]) == want(modelled(fit, word, events)), name
        assert got[name]["used_after"] == 2 * word, name


@pytest.mark.parametrize("name", ("vavrenyuk-first-fit", "vavrenyuk-worst-fit-x86"))
def test_short(lab, file, rng, name):
    """With less memory than it wants the same requests are refused."""
    events = requests(rng, EVENTS, 300)
    got, load = outcome(lab, "--engine", "vavrenyuk", "--verify", "--memory", 98,
                        file("trace", model.text(events)))
    m = modelled(*ENGINES[name], events, int(load["live_peak"] * 100 / 98) & ~7)
    assert m.refused and figures(got[name]) == want(m)


@pytest.mark.parametrize("to", FITS)
def test_tune(lab, file, rng, to):
    """An engine searches in another way from a request on."""
    events = requests(rng, EVENTS, 300)
    got, _ = outcome(lab, "--engine", "vavrenyuk-worst-fit", "--verify", "--tune",
                     f"1000:{to}", file("trace", model.text(events)))
    assert figures(got["vavrenyuk-worst-fit"]) == \
        want(modelled("worst-fit", 8, events, tune=(1000, to)))


def test_bad_tune(lab, file):
    """No other way of searching is known."""
    done = lab.run("engine", "--engine", "vavrenyuk-first-fit", "--tune",
                   "9:next-fit", file("trace", "a 1 8\n"))
    assert done.returncode == 2
    assert "--tune 'next-fit': must be first-fit" in done.stderr


@pytest.fixture
def paper(rng):
    """The paper's load by the model, and its seed."""
    seed = rng.randrange(1, 2 ** 31 - 1)
    return model.load(ITERATIONS, seed), seed


def test_load(lab, file, paper):
    """The load is that of the paper's figure 7, request by request."""
    events, seed = paper
    words = ("--engine", "vavrenyuk-first-fit", "--drain")
    mine = outcome(lab, *words, file("trace", model.text(events)))
    load = outcome(lab, *words, "--seed", seed, f"vavrenyuk-{ITERATIONS}")
    for got in (*mine, *load):
        got.pop("name", None)
    for got in (mine[0], load[0]):
        got["vavrenyuk-first-fit"].pop("pid")
    assert mine == load, seed


def test_sizes(paper):
    """Sizes are 1 to 256 bytes."""
    sizes = [size for _, size in paper[0] if size]
    assert len(sizes) == ITERATIONS
    assert (min(sizes), max(sizes)) == (1, 256)
    assert sum(sizes) / len(sizes) == pytest.approx(128.5, abs=1.7)


@pytest.mark.parametrize("name", PEERS)
def test_peer(lab, rng, name):
    """A peer is right, no block lies over another, changes or is lost; or it says why
    it is not there, as malloc with sanitizers."""
    done = lab.run(
        "engine", "--engine", name, "--verify", "--drain", "--json", "--limit",
        EVENTS, "--seed", rng.randrange(1, 2 ** 31 - 1), "vavrenyuk-50000")
    got, = json.loads(done.stdout)["engines"]
    assert not done.returncode, done.stderr
    assert got["ran"] or got["why"].startswith("not on this machine:"), got["why"]


def test_no_peer(lab):
    """A library that cannot be loaded is no failure."""
    done = lab.run("engine", "--engine", "jemalloc", "gen-mix",
                   env={**os.environ, "GLIBC_TUNABLES": NO_ROOM})
    assert not done.returncode and "not on this machine:" in done.stderr


@pytest.mark.parametrize("name", PEERS)
def test_plain_peer(plain, name):
    """Without the sanitizer: what a peer uses is more than what is live."""
    done = plain.run("engine", "--engine", name, "--drain", "--json",
                     "vavrenyuk-50000")
    assert not done.returncode
    data = json.loads(done.stdout)
    got, = data["engines"]
    live = data["load"]["live_end"]
    assert live < got["used_end"] < 3 * live if got["ran"] else name != "malloc"
