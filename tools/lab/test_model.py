# SPDX-License-Identifier: GPL-2.0
"""Placements and counters of lab replay, compared with model/model.py on random
traces; and with each rule of the model broken, which has to show."""
import dataclasses
import json
import math

import fit
import model
import pytest

PROFILES = ("mix", "fixed", "churn", "drop", "phases", "blocks")
KEEPS = ("0", "1", "4", "all")
FREETOLS = (1, 200, 1638)
CROSSOVERS = (0, 500, 1024, 4096)
# Traces on which a broken rule shows, if not with each seed: in some hundred runs of
# all rules with the first seed alone, one run missed one rule.
BREAK_TRACES = (("churn", 200, "1"), ("mix", 1, "4"), ("phases", 1638, "1"),
                ("phases", 1, "1"), ("phases", 200, "all"), ("blocks", 1, "4"))
BREAK_SEEDS = 8


def keep_number(keep):
    """As the model takes it."""
    return math.inf if keep == "all" else int(keep)


def differs(lab, path, settings):
    """How the lab and the model part on a trace, or nothing."""
    keep = "all" if settings.keep == math.inf else settings.keep
    got = json.loads(lab.output(
        "replay", "--json", "--placements", "--strategy", settings.strategy,
        "--freetol", settings.freetol, "--keep", keep, "--ffcrossover",
        settings.crossover, path))
    known = model.Model(dataclasses.replace(
        settings, pages=model.pages_of(got), runs=model.runs_of(got)))
    try:
        known.replay(path.read_text().splitlines())
    except (fit.Strayed, LookupError, ValueError) as why:
        return f"the model strays: {why!r}"
    for left, right in zip(got["placements"], known.placements):
        if tuple(left) != right:
            return f"placed {left} by the lab, {right} by the model"
    if len(got["placements"]) != len(known.placements):
        return "numbers of placements"
    counters = known.counters()
    for counted in got["classes"]:
        for name, value in counters.pop(counted["class"], {}).items():
            if counted[name] != value:
                return (f"{counted['class']}: {name} {counted[name]} by the "
                        f"lab, {value} by the model")
    return f"classes {counters} not used by the lab" if counters else ""


def assert_same(lab, path, settings):
    """Every block is where the model has it, and every counter is the model's."""
    why = differs(lab, path, settings)
    assert not why, settings


@pytest.mark.parametrize("strategy", model.HEAPS)
def test_strategy(lab, trace, rng, strategy):
    """As the model, with each kind of load."""
    for profile in PROFILES:
        settings = model.Settings(
            strategy, rng.choice(FREETOLS), keep_number(rng.choice(KEEPS)),
            rng.choice(CROSSOVERS) if profile == "mix" else 1024)
        assert_same(lab, trace(profile, rng.getrandbits(64)), settings)


def test_strategies(lab):
    """The model knows every strategy of the lab."""
    known = lab.run("replay", "--strategy", "", "-").stderr
    assert known.strip().endswith("must be one of " + ", ".join(model.HEAPS))


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("freetol", FREETOLS)
def test_freetol(lab, trace, rng, freetol, keep):
    """MRU as the model, with each tolerance and each number of pages kept."""
    assert_same(lab, trace(rng.choice(PROFILES), rng.getrandbits(64)),
                model.Settings("mru", freetol, keep_number(keep)))


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_crossover(lab, trace, rng, crossover):
    """First fit as the model, from each size on."""
    for profile in ("mix", "blocks"):
        assert_same(lab, trace(profile, rng.getrandbits(64)),
                    model.Settings(crossover=crossover))


@pytest.mark.full
@pytest.mark.parametrize("broken, strategy", [
    pytest.param(broken, strategy, id=f"{strategy}: {about}")
    for broken, (strategies, about) in model.BREAKS.items()
    for strategy in strategies.split()])
def test_broken_model(lab, trace, rng, broken, strategy):
    """The comparison notices a model with a broken rule, and that rule alone."""
    for seed in [rng.getrandbits(64) for _ in range(BREAK_SEEDS)]:
        for profile, freetol, keep in BREAK_TRACES:
            settings = model.Settings(
                "mru" if strategy == "-" else strategy, freetol,
                keep_number(keep), broken=broken)
            path = trace(profile, seed)
            if differs(lab, path, settings):
                assert_same(lab, path, dataclasses.replace(settings, broken=None))
                return
    pytest.fail("the broken rule shows on no trace")
