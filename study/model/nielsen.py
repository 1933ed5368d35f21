#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Nielsen's base load, written a second time from his Table I, period by
period; and the search for the seed with which its totals are near the
paper's."""
import argparse
import heapq
import json
import math

MODULUS = 2 ** 31 - 1
PERIODS, PERIOD = 21, 4000
WORD = 4

# interval, lifetime, words
SOURCES = (
    (("normal", 100, 15), ("exponential", 3000), 38),
    (("uniform", 50, 100), ("exponential", 1500), 15),
    (("exponential", 125), ("exponential", 4000), 7),
    (("normal", 75, 5), ("exponential", 2500), 20),
    (("uniform", 25, 45), ("exponential", 250), 3),
    (("exponential", 165), ("uniform", 500, 2500), 14),
    (("exponential", 200), ("normal", 3000, 900), 20),
    (("constant", 150), ("normal", 900, 275), 2),
    (("exponential", 90), ("exponential", 3000), 14),
    (("normal", 125, 25), ("normal", 4500, 1000), 45),
)

# What the paper says of the 20 periods that it measures, and of all 21.
PAPER = {"allocs": 8861, "frees": 8795, "words, highest": 5768,
         "words, lowest": 4684, "allocs, highest": 474, "allocs, lowest": 413,
         "frees, highest": 473, "frees, lowest": 396, "allocs, all": 9277}
NEAR = 0.03


class Random:
    """The generator of Lewis, Goodman and Miller, and what is made of it."""

    def __init__(self, seed):
        self.state = seed

    def unit(self):
        self.state = 16807 * self.state % MODULUS
        return self.state / MODULUS

    def constant(self, value):
        return value

    def uniform(self, low, high):
        return low + (high - low) * self.unit()

    def exponential(self, mean):
        return -mean * math.log(self.unit())

    def normal(self, mean, variance):
        total = -6
        for _ in range(12):
            total += self.unit()
        return max(mean + math.sqrt(variance) * total, 0)

    def draw(self, law):
        return getattr(self, law[0])(*law[1:])


def events(seed):
    """(time, source, number of the block, is it an allocation) in order."""
    random, queue, order, number = Random(seed), [], 0, 0
    for source, (interval, _, _) in enumerate(SOURCES):
        queue.append((random.draw(interval), order, source, None))
        order += 1
    heapq.heapify(queue)
    while queue[0][0] < PERIODS * PERIOD:
        time, _, source, block = heapq.heappop(queue)
        if block is not None:
            yield time, source, block, False
            continue
        interval, life, _ = SOURCES[source]
        yield time, source, number, True
        heapq.heappush(queue, (time + random.draw(life), order, source,
                               number))
        heapq.heappush(queue, (time + random.draw(interval), order + 1,
                               source, None))
        number, order = number + 1, order + 2


def cut(seed, limit=None):
    """What the lab says of a load, of its first events or of all."""
    live = peak = blocks = blocks_peak = asked = warm = 0
    counts = [0, 0]
    for number, (time, source, _, fresh) in enumerate(events(seed)):
        if number == limit:
            break
        warm += time < PERIOD
        size = SOURCES[source][2] * WORD
        counts[fresh] += 1
        asked += size * fresh
        live += size if fresh else -size
        blocks += 1 if fresh else -1
        peak, blocks_peak = max(peak, live), max(blocks_peak, blocks)
    return {"events": sum(counts), "warm": warm, "allocs": counts[1],
            "frees": counts[0], "asked": asked, "live_peak": peak,
            "blocks_peak": blocks_peak, "live_end": live,
            "blocks_end": blocks}


def periods(seed):
    """Of each period: allocations, frees, and the most words in use."""
    found, live = [[0, 0, 0] for _ in range(PERIODS)], 0
    for time, source, _, fresh in events(seed):
        period, size = found[int(time // PERIOD)], SOURCES[source][2]
        live += size if fresh else -size
        period[0 if fresh else 1] += 1
        period[2] = max(period[2], live)
    return found


def totals(seed):
    """By the names of PAPER."""
    found = periods(seed)
    allocs, frees, words = zip(*found[1:])
    return {"allocs": sum(allocs), "frees": sum(frees),
            "words, highest": max(words), "words, lowest": min(words),
            "allocs, highest": max(allocs), "allocs, lowest": min(allocs),
            "frees, highest": max(frees), "frees, lowest": min(frees),
            "allocs, all": sum(allocs) + found[0][0]}


def far(got):
    """How far the figure is off that is furthest from the paper's."""
    return max(abs(got[name] / paper - 1) for name, paper in PAPER.items())


def search(first=1):
    """The first seed with all figures near the paper's."""
    seed = first
    while far(totals(seed)) > NEAR:
        seed += 1
    return seed


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, metavar="N",
                   help="its figures, not those of the first that is near")
    seed = p.parse_args().seed or search()
    got = totals(seed)
    print(json.dumps({"seed": seed, "far": round(far(got), 4),
                      **{name: [got[name], PAPER[name]] for name in PAPER}},
                     indent=1))


if __name__ == "__main__":
    main()
