# SPDX-License-Identifier: GPL-2.0
"""Johnstone and Wilson's engines: each request to a model in which a free list is a
list that is walked, and the statistics of traces to their definition."""
import bisect
import gzip
import json
import pathlib
import random

import hosttest
import pytest

STATS = pathlib.Path(__file__).resolve().parent / "paper/jw_stats.py"
LEAST, PAGE = 16, 4096
PURE = 16
CASES = 6
# Of this one the last block of a list, where the rover is, becomes part of another.
LAST_MERGES = 100253
FITS = {f"jw-{search}-fit-{order}": (search, order)
        for search in ("best", "first", "next")
        for order in ("ao", "lifo", "fifo")}
STEPS = {"jw-best-fit-ao-8k": 8192, "jw-first-fit-ao-8k": 8192}
FITS.update({name: (name.split("-")[1], "ao") for name in STEPS})


class Fit:
    """Blocks end to end from address 4; a list of the free ones in its order."""

    header = 4

    def __init__(self, name):
        self.search, self.order = FITS[name]
        self.step = STEPS.get(name, 4096)
        self.used = 0
        self.list = []          # (start, size), as the list has them
        self.busy = {}          # start: size
        self.rover = None       # a block on the list, or None for its start

    def put(self, start, size):
        if self.order == "lifo":
            self.list.insert(0, (start, size))
        elif self.order == "fifo":
            self.list.append((start, size))
        else:
            bisect.insort(self.list, (start, size))

    def leave(self, block):
        """It leaves the list; who roves goes on with the next."""
        at = self.list.index(block)
        del self.list[at]
        if self.rover == block:
            self.rover = self.list[at] if at < len(self.list) else None
        return at

    def release(self, start, size):
        """With its free neighbours, found by looking at all."""
        roving = False
        for block in [b for b in self.list
                      if b[0] + b[1] == start or b[0] == start + size]:
            roving |= block == self.rover
            self.leave(block)
            start, size = min(start, block[0]), size + block[1]
        self.put(start, size)
        if roving and self.order == "ao":
            self.rover = (start, size)

    def grow(self, want):
        have = [b for b in self.list if b[0] + b[1] == self.used - 4]
        want += 0 if self.used else 8
        more = -(-(want - sum(size for _, size in have)) // self.step)
        more *= self.step
        start = self.used - 4 if self.used else 4
        self.used += more
        self.release(start, self.used - 4 - start)

    def find(self, want):
        fitting = [b for b in self.list if b[1] >= want]
        if not fitting:
            return None
        if self.search == "best":
            least = min(size for _, size in fitting)
            return next(b for b in fitting if b[1] == least)
        if self.search == "next" and self.rover:
            at = self.list.index(self.rover)
            return next((b for b in self.list[at:] if b[1] >= want),
                        fitting[0])
        return fitting[0]

    def alloc(self, size):
        want = max(LEAST, (size + self.header + 7) & ~7)
        block = self.find(want)
        if not block:
            self.grow(want)
            block = self.find(want)
        start, have = block
        after = self.list.index(block) + 1
        if self.search == "next":
            self.rover = (self.list[after] if after < len(self.list)
                          else None)
        self.leave(block)
        if have - want >= LEAST:
            rest = (start + want, have - want)
            self.put(*rest)
            if self.search == "next" and self.order == "ao":
                self.rover = rest
            have = want
        self.busy[start] = have
        return start + self.header

    def free(self, user):
        start = user - self.header
        self.release(start, self.busy.pop(start))


class Lea:
    """Bins of free blocks and the top; and what was cut off last, if it is kept
    apart."""

    header = 4
    rest_first = False

    def __init__(self, _name):
        self.used, self.top, self.rest = 0, None, None
        self.bins, self.busy = {}, {}

    @staticmethod
    def bin(size):
        for most, add, width in ((512, 0, 8), (2560, 56, 64),
                                 (10752, 91, 512), (43520, 110, 4096),
                                 (174592, 119, 32768), (698880, 124, 262144)):
            if size < most:
                return add + size // width
        return 126

    def put(self, block):
        mine = self.bins.setdefault(self.bin(block[1]), [])
        at = 0
        if block[1] >= 512:
            at = sum(other[1] > block[1] for other in mine)
        mine.insert(at, block)

    def leave(self, block):
        """True if it was what was cut off last."""
        if block == self.rest:
            self.rest = None
            return True
        self.bins[self.bin(block[1])].remove(block)
        return False

    def found(self, number, want):
        return next((b for b in reversed(self.bins.get(number, ()))
                     if b[1] >= want), None)

    def choose(self, want):
        """A block that has left its list, and whether it fits at once."""
        number, first = self.bin(want), None
        if want < 504:
            first = self.found(number, want) or self.found(number + 1, want)
            number += 2
        else:
            first = self.found(number, want)
            if first and first[1] - want >= LEAST:
                first = None
            else:
                number += 1
        if first:
            self.leave(first)
            return first, True
        block, self.rest = self.rest, None
        if block and block[1] >= want:
            return block, False
        if block:
            self.put(block)
        for n in range(number, 128):
            block = self.found(n, want)
            if block:
                self.leave(block)
                return block, False
        return None, False

    def cut_top(self, want):
        have = self.top[1] if self.top else 0
        if have < want + LEAST:
            lacks = want + LEAST - have + (0 if self.used else 8)
            self.used += -(-lacks // PAGE) * PAGE
            start = self.top[0] if self.top else 4
            self.top = (start, self.used - 4 - start)
        block, self.top = self.top, (self.top[0] + want, self.top[1] - want)
        return block

    def alloc(self, size):
        want = max(LEAST, (size + self.header + 7) & ~7)
        block, exact = self.choose(want)
        if not block:
            start = self.cut_top(want)[0]
            self.busy[start] = want
            return start + self.header
        start, have = block
        if have - want >= LEAST:
            assert not exact
            rest, have = (start + want, have - want), want
            if self.rest_first:
                self.rest = rest
            else:
                self.put(rest)
        elif self.rest_first and not exact:
            self.rest = None
        self.busy[start] = have
        return start + self.header

    def free(self, user):
        start = user - self.header
        size, last = self.busy.pop(start), False
        beside = [b for mine in self.bins.values() for b in mine]
        for block in beside + [self.rest] * bool(self.rest):
            if block[0] + block[1] == start or block[0] == start + size:
                last |= self.leave(block)
                start, size = min(start, block[0]), size + block[1]
        if start + size == self.top[0]:
            self.top = (start, size + self.top[1])
        elif last:
            self.rest = (start, size)
        else:
            self.put((start, size))


def class_size(size, series):
    """The least power of two, or three times one, that holds size."""
    sizes = [16 << n for n in range(40)]
    if series == 2:
        sizes += [24 << n for n in range(40)]
    return min(s for s in sizes if s >= size + 8)


def is_third(size):
    return size & (size - 1) != 0


class Classes:
    """What buddies and segregated storage share: lists, the last freed first."""

    header = 8

    def __init__(self, name):
        self.series = 1 if name in ("jw-binary-buddy",
                                    "jw-segregated-2n") else 2
        self.used = 0
        self.lists, self.busy = {}, {}

    def alloc(self, size):
        size = class_size(size, self.series)
        start = self.take(size)
        self.busy[start] = size
        return start + 8


class Segregated(Classes):
    """Memory of one class stays so."""

    def take(self, size):
        free = self.lists.setdefault(size, [])
        if not free:
            step = max(6144 if is_third(size) else 4096, size)
            free += range(self.used + step - size, self.used - 1, -size)
            self.used += step
        return free.pop()

    def free(self, user):
        start = user - 8
        self.lists[self.busy.pop(start)].append(start)


class Buddies(Classes):
    """A free piece is (start, tops): tops is the stretch it was halved from,
    None where all of memory is one."""

    def __init__(self, name):
        super().__init__(name)
        self.binary = self.series == 1
        self.top = {}           # start of a busy piece: its stretch

    def take(self, size):
        step = 6144 if is_third(size) else 4096
        while not any(self.lists.get(size << n) for n in range(40)):
            asked = step if self.binary else max(step, size)
            start, self.used = self.used, self.used + asked
            self.put(start, asked, (start, asked))
        have = next(size << n for n in range(40) if self.lists.get(size << n))
        start, top = self.lists[have].pop()
        while have > size:
            have //= 2
            self.lists.setdefault(have, []).append((start + have, top))
        self.top[start] = top
        return start

    def put(self, start, size, top):
        while True:
            base = 0 if self.binary else top[0]
            buddy = (start - base ^ size) + base if not is_third(size) else (
                base + ((start - base) // size ^ 1) * size)
            mine = self.lists.get(size, [])
            found = [p for p in mine if p[0] == buddy]
            if not found or not (self.binary or size < top[1]):
                break
            mine.remove(found[0])
            start, size = min(start, buddy), size * 2
        self.lists.setdefault(size, []).append((start, top))

    def free(self, user):
        start = user - 8
        self.put(start, self.busy.pop(start), self.top.pop(start))


class LeaRest(Lea):
    """As the sources of 2.6 have it."""
    rest_first = True


MODELS = {"jw-lea": Lea, "jw-binary-buddy": Buddies, "jw-double-buddy": Buddies,
          "jw-segregated-2n": Segregated, "jw-segregated-3-2n": Segregated,
          **dict.fromkeys(FITS, Fit)}


REST = "jw-lea, rest=first"


def modelled(name, events, pure):
    """What the lab says of a run: the most used, the measures, pages touched."""
    model = (LeaRest if name == REST else MODELS[name])(name)
    header = model.header
    unit = PURE if pure else 1
    live, users, pages = {}, {}, set()
    now = most = ratios = points = used = used_most = 0
    for name_of, size in events:
        if size:
            asked = max(size * unit, header + 1) - header if pure else size
            user = users[name_of] = model.alloc(asked)
            live[name_of] = size * unit
            now += size * unit
            pages.update(range(user // PAGE, (user + asked - 1) // PAGE + 1))
        else:
            model.free(users.pop(name_of))
            now -= live.pop(name_of)
        if now > most:
            most, used = now, model.used
        if model.used > used_most:
            used_most, at_most = model.used, now
        if now:
            ratios, points = ratios + model.used / now, points + 1
    return {"used_peak": used_most // unit, "used_end": model.used // unit,
            "pages": len(pages),
            "fragmentation": [ratios / points - 1, used / most - 1,
                              used_most / at_most - 1, used_most / most - 1]}


def requests(rng):
    """A trace that breaks memory up: sizes and numbers go up and down."""
    events, live, name = [], [], 0
    sizes = [rng.randint(1, rng.choice((40, 300, 3000, 20000)))
             for _ in range(rng.choice((3, 12, 80)))]
    for _ in range(rng.choice((2, 5))):
        for turn in (0.75, 0.5, 0.25):
            for _ in range(rng.choice((60, 200))):
                if rng.random() < turn or not live:
                    size = rng.choice(sizes) + rng.choice((0, 0, 1, 8))
                    events.append((name, size))
                    live.append(name)
                    name += 1
                else:
                    events.append((live.pop(rng.randrange(len(live))), 0))
    return events


def written(events):
    """The text of a trace."""
    return "".join(f"a {name} {size}\n" if size else f"f {name}\n"
                   for name, size in events)


@pytest.mark.parametrize("case", range(CASES))
def test_policies(lab, file, rng, case):
    """Each engine puts each block where its policy says."""
    events = requests(rng if case else random.Random(LAST_MERGES))
    pure = case % 2 == 1
    words = ["engine", "--verify", "--json", *["--pure"] * pure,
             file("jw.trace", written(events)), "--engine"]
    found = json.loads(lab.run(*words, "johnstone-wilson").stdout)["engines"]
    rest, = json.loads(lab.run(*words, "jw-lea", "--tune",
                               "1:rest=first").stdout)["engines"]
    found.append({**rest, "name": REST})
    assert {got["name"] for got in found} == MODELS.keys() | {REST}
    for got in found:
        assert got["ran"] and not got["failures"], got["why"]
        want = modelled(got["name"], events, pure)
        measures = want.pop("fragmentation")
        assert {key: got[key] for key in want} == want, got["name"]
        assert got["fragmentation"] == pytest.approx(measures, rel=2e-6, abs=2e-6), \
            got["name"]


def test_too_large(lab, file):
    """What is too large is refused, for none has 16 GiB; what follows is served."""
    path = file("large", "a 0 1073741824\na 1 100\nf 0\na 2 1073741824\nf 1\n")
    done = lab.run("engine", "--engine", "johnstone-wilson", "--pure",
                   "--verify", "--drain", "--json", path)
    for got in json.loads(done.stdout)["engines"]:
        assert got["ran"] and got["failures"] == 2, got


def slow_statistics(events):
    """By the words of the paper, object by object."""
    born, died, sizes, where, now = [], [], [], {}, 0
    for name, size in events:
        if size:
            where[name] = len(sizes)
            sizes.append(size)
            born.append(now)
            died.append(None)
            now += size
        else:
            died[where[name]] = now
    died = [now if d is None else d for d in died]
    waits = []
    for i, at in enumerate(died):
        near = died[max(0, i - 1):i + 2]
        waits.append((max(near) - at, sizes[i]))
    counts = sorted((sizes.count(s) for s in set(sizes)), reverse=True)
    return {"lifetime": sum(s * (d - b) for s, b, d in
                            zip(sizes, born, died)) / now,
            "wait_objects": parts(sorted((w, 1) for w, _ in waits)),
            "wait_bytes": parts(sorted(waits)),
            "sizes": [reach(counts, p) for p in (.9, .99, .999, 1)]}


def parts(pairs):
    total, at = sum(weight for _, weight in pairs), []
    for part in (.9, .99, .999):
        summed = 0
        for value, weight in pairs:
            summed += weight
            if summed >= part * total:
                at.append(value)
                break
    return at


def reach(counts, part):
    summed = 0
    for i, count in enumerate(counts):
        summed += count
        if summed >= part * sum(counts):
            return i + 1
    return None


def test_statistics(file, rng):
    """What jw_stats.py says of a trace is as defined."""
    events = requests(rng)
    path = file("stats.gz", gzip.compress(b"# a comment\n\n"
                                          + written(events).encode()))
    got = json.loads(hosttest.Program("/usr/bin/python3").output(STATS, path))
    want = slow_statistics(events)
    assert got.pop("lifetime") == pytest.approx(want.pop("lifetime"), rel=1e-6)
    assert {key: got[key] for key in want} == want
