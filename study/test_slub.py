# SPDX-License-Identifier: GPL-2.0
"""Tests of the models of SLUB: small cases, worked out by hand.

With 8192 bytes four objects are a slab and a sheaf holds four, so that without
frees in between a sheaf is a slab. slub_check holds the models against
kernels.
"""
import json

from events import drained

SIZES = (8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192)
SLABS = 60
FULL = range(4 * SLABS)         # IDs of objects that fill so many slabs
PINNED = 12                     # slabs in two sheaves and ten of the barn
MIN_PARTIAL = 6                 # of objects of 8192 bytes
# Orders of slabs, by the number of CPUs, of the sizes from 64 bytes on.
ORDERS = {
    1: (0, 0, 0, 0, 0, 0, 1, 2, 3, 3),
    2: (0, 0, 0, 0, 0, 1, 2, 3, 3, 3),
    8: (0, 0, 0, 0, 1, 2, 3, 3, 3, 3),
    64: (0, 0, 0, 1, 1, 2, 3, 3, 3, 3),
}
CAPACITIES = (60,) * 7 + (28, 28, 12, 12, 4, 4)

# What Linux 7.3.4 had on two CPUs while all was freed, which slub_check showed: pages
# of large blocks and the slabs of each size, by profile and event (seed 5, 60,000 events).
KERNEL_7_3 = {
    ("mix", 63000): [96, 5, 3, 6, 12, 9, 14, 18, 21, 43, 46, 44, 77, 36],
    ("mix", 64500): [0, 5, 3, 6, 12, 9, 14, 18, 21, 43, 43, 44, 41, 31],
    ("phases", 63000): [0, 4, 9, 15, 30, 8, 15, 35, 0, 122, 135, 122, 20, 0],
}

BAD_OPTIONS = (
    # arguments, what the error says
    (("slub",), "TRACE is missing"),
    (("slub", "/no/such"), "/no/such: No such file"),
    (("slub", "--model", "6.18", "x"), "'6.18': must be 6.12 or 7"),
    (("slub", "--cpus", "0", "x"), "'0': must be 1 to 8192"),
    (("slub", "--sample", "0", "x"), "'0': must be 1 to 4294967295 events"),
    (("slub", "--model", "7", "--no-cpu-partial", "/dev/null"),
     "--no-cpu-partial: not for --model 7: must be 6.12"),
)


def allocs(numbers, size=8192):
    """Lines of a trace."""
    return "".join(f"a {number} {size}\n" for number in numbers)


def frees(numbers):
    """Lines of a trace."""
    return "".join(f"f {number}\n" for number in numbers)


class Cases:
    """Traces through a model."""

    def __init__(self, suite, model):
        self.suite = suite
        self.model = model

    def run(self, trace, *options):
        """What lab slub says of it after each event."""
        path = self.suite.file("slub", trace)
        return json.loads(self.suite.output(
            "slub", "--model", self.model, "--sample", 1, "--json", *options,
            path))

    def slabs(self, trace, *options, size=8192, what="slabs"):
        """The slabs of a size, or those on the node's list, after each event."""
        place = SIZES.index(size)
        return [sample[what][place]
                for sample in self.run(trace, *options)["samples"]]

    def same(self, what, got, wanted):
        """A test."""
        self.suite.say(got == wanted, f"slub {self.model}: {what}",
                       f"{got}, not {wanted}")


def test_orders(cases):
    """Of slabs, as calculate_order() has them."""
    for cpus, orders in ORDERS.items():
        found = cases.run("", "--cpus", cpus)["caches"]
        cases.same(f"orders with {cpus} CPUs",
                   [cache["order"] for cache in found],
                   [0] * (len(SIZES) - len(orders)) + list(orders))


def test_large(cases):
    """Pages of the buddy allocator, and beyond as many as needed."""
    trace = allocs([0], 8193) + allocs([1], 16385) + \
        allocs([2], 4 << 20) + frees([1]) + frees([0, 2])
    cases.same("blocks of pages", [sample["large"] for sample
                                   in cases.run(trace)["samples"]],
               [4, 12, 1036, 1028, 1024, 0])


def test_cpu(suite):
    """Up to 6.17."""
    cases = Cases(suite, "6.12")
    test_orders(cases)
    test_large(cases)
    found = cases.run("")["caches"]
    cases.same("slabs on the CPU's partial list",
               [cache["cpu_partial_slabs"] for cache in found],
               [1, 1, 2, 4, 6, 8, 12, 7, 7, 3, 3, 2, 3])
    fill = allocs(FULL)
    cases.same("a slab is made when the last is full", cases.slabs(fill),
               [1 + number // 4 for number in FULL])
    # Slabs 0 to 56 leave the CPU's list by threes, six of them stay with the
    # node; 57 and 58 are on the CPU's list and 59 is the CPU's.
    cases.same("empty slabs are kept by the node and by the CPU",
               cases.slabs(fill + frees(FULL))[-1], MIN_PARTIAL + 3)
    # Slab 5, the sixth on the node's list, is one too many when it is empty.
    cases.same("empty slabs without a list of the CPU's",
               cases.slabs(fill + frees(FULL), "--no-cpu-partial")[-1],
               MIN_PARTIAL - 1 + 1)
    again = range(4 * (MIN_PARTIAL + 3) + 1)
    cases.same("they are used before there is another",
               cases.slabs(fill + frees(FULL) + allocs(again))[-2:],
               [MIN_PARTIAL + 3, MIN_PARTIAL + 4])
    # One free object each: the node's slabs come first to last, two and more
    # at a time, and all are full before there is another.
    holes = range(0, 4 * SLABS, 4)
    cases.same("holes are filled before there is another slab",
               cases.slabs(fill + frees(holes) + allocs(holes) +
                           allocs([1000]))[-2:], [SLABS, SLABS + 1])


def test_sheaves(suite):
    """From 7.0 on."""
    cases = Cases(suite, "7")
    test_orders(cases)
    test_large(cases)
    cases.same("objects in a sheaf",
               [cache["sheaf_capacity"] for cache in cases.run("")["caches"]],
               list(CAPACITIES))
    cases.same("a sheaf is filled whole, of slabs of eight",
               cases.slabs(allocs(range(40), 4096), size=4096),
               [1 + number // 8 for number in range(40)])
    # 60 objects at once, of slabs of 42.
    cases.same("a sheaf is filled whole, of slabs of 42",
               cases.slabs(allocs(range(200), 96), size=96),
               [-(-60 * (1 + number // 60) // 42) for number in range(200)])
    fill = allocs(FULL)
    # What is in main, spare and barn pins its slabs; of the others, flushed
    # one by one, some stay with the node.
    cases.same("objects in sheaves pin their slabs",
               cases.slabs(fill + frees(FULL))[-1], PINNED + MIN_PARTIAL)
    again = range(4 * (PINNED + MIN_PARTIAL) + 1)
    cases.same("all of them are used before there is another slab",
               cases.slabs(fill + frees(FULL) + allocs(again))[-2:],
               [PINNED + MIN_PARTIAL, PINNED + MIN_PARTIAL + 1])
    # One object more, and the spare sheaf is flushed to make room.
    some = frees(range(4 * PINNED + 1))
    cases.same("nothing goes back while there is room in the barn",
               cases.slabs(fill + some, what="partial")[-2:], [0, 1])
    # 48 objects of as many slabs in sheaves, 12 back in theirs: no slab is
    # free, and all 60 objects come again before there is another.
    holes = range(0, 4 * SLABS, 4)
    cases.same("objects of many slabs in sheaves",
               cases.slabs(fill + frees(holes) + allocs(holes) +
                           allocs([1000]))[-2:], [SLABS, SLABS + 1])
    # Flushed are one object each of slabs 0 to 3, then slab 19. What is freed
    # besides comes back first, 45 objects, and then those of the list's head.
    order = [0, 4, 8, 12, *range(16, 56), *range(76, 80), *range(56, 61)]
    partial = cases.slabs(allocs(range(80)) + frees(order) +
                          allocs(order[:50]), what="partial")
    cases.same("slabs of the node are taken from the head of its list",
               partial[-51:], [5] * 46 + [1] * 4 + [0])
    cases.same("an object freed is the next",
               cases.slabs(fill + "f 7\na 7 8192\n" * 20)[-1], SLABS)


def test_kernel(suite):
    """What a real kernel had, where it is not at hand: by the order of the lists."""
    cases = Cases(suite, "7")
    for (profile, event), slabs in KERNEL_7_3.items():
        text = drained(suite.output("gen", "--profile", profile, "--events",
                                    60000, "--seed", 5))
        sample = cases.run(text, "--sample", 1500)["samples"][event // 1500 - 1]
        cases.same(f"{profile}, the slabs of Linux 7.3 after {event} events",
                   [sample["large"], *sample["slabs"]], slabs)


def test_slub(suite):
    """Both models, and bad options."""
    for args, word in BAD_OPTIONS:
        done = suite.run(*args)
        suite.say(done.returncode == 2 and not done.stdout
                  and word in done.stderr.decode(),
                  f"slub: refused: {' '.join(args)}", done.stderr.decode())
    test_cpu(suite)
    test_sheaves(suite)
    test_kernel(suite)
    trace = suite.file("slub-mix", suite.output(
        "gen", "--profile", "mix", "--events", 20000, "--seed", suite.seed))
    for level in ((), ("--memory", 90)):
        found = json.loads(suite.output(
            "engine", "--engine", "slub", "--verify", "--drain", "--json",
            *level, trace))["engines"]
        suite.say(len(found) == 2 and all(
            (engine["failures"] > 0) == bool(level) for engine in found),
            f"slub: every byte, {' '.join(map(str, level)) or 'no bound'}",
            str(found))
