# SPDX-License-Identifier: GPL-2.0
"""The models of SLUB: small cases, worked out by hand.

With 8192 bytes four objects are a slab and a sheaf holds four, so that without
frees in between a sheaf is a slab. slub_check holds the models against
kernels.
"""
import json

import pytest
from events import drained
from hosttest import assert_refused

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
    (("slub", "--model", "6.18", "x"), "'6.18': must be one of 6.12 (up"),
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


class Model:
    """Traces through a model of SLUB."""

    def __init__(self, lab, file, name):
        self.lab = lab
        self.file = file
        self.name = name

    def run(self, trace, *options):
        """What lab slub says of it after each event."""
        return json.loads(self.lab.output(
            "slub", "--model", self.name, "--sample", 1, "--json", *options,
            self.file("slub", trace)))

    def slabs(self, trace, *options, size=8192, what="slabs"):
        """The slabs of a size, or those on the node's list, after each event."""
        place = SIZES.index(size)
        return [sample[what][place]
                for sample in self.run(trace, *options)["samples"]]


@pytest.fixture
def cpu(lab, file):
    """Up to 6.17: partial slabs of each CPU."""
    return Model(lab, file, "6.12")


@pytest.fixture
def sheaves(lab, file):
    """From 7.0 on: sheaves of objects."""
    return Model(lab, file, "7")


@pytest.fixture(params=("cpu", "sheaves"))
def either(request):
    """Each of the models."""
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(lab, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(lab.run(*args), word)


@pytest.mark.parametrize("cpus", ORDERS)
def test_orders(either, cpus):
    """Orders of slabs are as calculate_order() has them."""
    found = either.run("", "--cpus", cpus)["caches"]
    assert [cache["order"] for cache in found] == \
        [0] * (len(SIZES) - len(ORDERS[cpus])) + list(ORDERS[cpus])


def test_large(either):
    """Pages of the buddy allocator, and beyond as many as needed."""
    trace = allocs([0], 8193) + allocs([1], 16385) + \
        allocs([2], 4 << 20) + frees([1]) + frees([0, 2])
    assert [sample["large"] for sample in either.run(trace)["samples"]] == \
        [4, 12, 1036, 1028, 1024, 0]


def test_cpu_partial(cpu):
    """Slabs on the CPU's partial list."""
    assert [cache["cpu_partial_slabs"] for cache in cpu.run("")["caches"]] == \
        [1, 1, 2, 4, 6, 8, 12, 7, 7, 3, 3, 2, 3]


def test_cpu_fill(cpu):
    """A slab is made when the last is full."""
    assert cpu.slabs(allocs(FULL)) == [1 + number // 4 for number in FULL]


def test_cpu_empty(cpu):
    """Empty slabs are kept by the node and by the CPU."""
    # Slabs 0 to 56 leave the CPU's list by threes, six of them stay with the
    # node; 57 and 58 are on the CPU's list and 59 is the CPU's.
    assert cpu.slabs(allocs(FULL) + frees(FULL))[-1] == MIN_PARTIAL + 3


def test_cpu_no_list(cpu):
    """Empty slabs without a list of the CPU's."""
    # Slab 5, the sixth on the node's list, is one too many when it is empty.
    assert cpu.slabs(allocs(FULL) + frees(FULL), "--no-cpu-partial")[-1] == \
        MIN_PARTIAL - 1 + 1


def test_cpu_again(cpu):
    """Empty slabs are used before another is made."""
    again = range(4 * (MIN_PARTIAL + 3) + 1)
    assert cpu.slabs(allocs(FULL) + frees(FULL) + allocs(again))[-2:] == \
        [MIN_PARTIAL + 3, MIN_PARTIAL + 4]


def test_holes(either):
    """Holes are filled before there is another slab."""
    # One free object a slab. With sheaves 48 of the objects are in sheaves and 12
    # are back in their slabs: no slab is free.
    holes = range(0, 4 * SLABS, 4)
    assert either.slabs(allocs(FULL) + frees(holes) + allocs(holes)
                        + allocs([1000]))[-2:] == [SLABS, SLABS + 1]


def test_sheaf_capacity(sheaves):
    """Objects in a sheaf."""
    assert [cache["sheaf_capacity"] for cache in sheaves.run("")["caches"]] == \
        list(CAPACITIES)


def test_sheaf_filled(sheaves):
    """A sheaf is filled whole, of slabs of eight."""
    assert sheaves.slabs(allocs(range(40), 4096), size=4096) == \
        [1 + number // 8 for number in range(40)]


def test_sheaf_filled_of_more(sheaves):
    """A sheaf is filled whole, of slabs of 42."""
    # 60 objects at once.
    assert sheaves.slabs(allocs(range(200), 96), size=96) == \
        [-(-60 * (1 + number // 60) // 42) for number in range(200)]


def test_sheaf_pins(sheaves):
    """Objects in sheaves pin their slabs."""
    # What is in main, spare and barn pins its slabs; of the others, flushed
    # one by one, some stay with the node.
    assert sheaves.slabs(allocs(FULL) + frees(FULL))[-1] == PINNED + MIN_PARTIAL


def test_sheaf_again(sheaves):
    """All of them are used before there is another slab."""
    again = range(4 * (PINNED + MIN_PARTIAL) + 1)
    assert sheaves.slabs(allocs(FULL) + frees(FULL) + allocs(again))[-2:] == \
        [PINNED + MIN_PARTIAL, PINNED + MIN_PARTIAL + 1]


def test_barn(sheaves):
    """Nothing goes back while there is room in the barn."""
    # One object more, and the spare sheaf is flushed to make room.
    some = frees(range(4 * PINNED + 1))
    assert sheaves.slabs(allocs(FULL) + some, what="partial")[-2:] == [0, 1]


def test_head_of_list(sheaves):
    """Slabs of the node are taken from the head of its list."""
    # Flushed are one object each of slabs 0 to 3, then slab 19. What is freed
    # besides comes back first, 45 objects, and then those of the list's head.
    order = [0, 4, 8, 12, *range(16, 56), *range(76, 80), *range(56, 61)]
    partial = sheaves.slabs(allocs(range(80)) + frees(order) + allocs(order[:50]),
                            what="partial")
    assert partial[-51:] == [5] * 46 + [1] * 4 + [0]


def test_freed_is_next(sheaves):
    """An object that was freed is the next."""
    assert sheaves.slabs(allocs(FULL) + "f 7\na 7 8192\n" * 20)[-1] == SLABS


@pytest.mark.parametrize("profile, event", KERNEL_7_3)
def test_kernel(sheaves, lab, profile, event):
    """What a real kernel had, where it is not at hand: by the order of the lists."""
    text = drained(lab.output("gen", "--profile", profile, "--events", 60000,
                              "--seed", 5))
    sample = sheaves.run(text, "--sample", 1500)["samples"][event // 1500 - 1]
    assert [sample["large"], *sample["slabs"]] == KERNEL_7_3[profile, event]


@pytest.mark.parametrize("level", ((), ("--memory", 90)),
                         ids=("no bound", "--memory 90"))
def test_verified(lab, file, seed, level):
    """Both engines are right to the byte, and fail only when memory is short."""
    trace = file("mix", lab.output("gen", "--profile", "mix", "--events", 20000,
                                   "--seed", seed))
    found = json.loads(lab.output("engine", "--engine", "slub", "--verify",
                                  "--drain", "--json", *level, trace))["engines"]
    assert len(found) == 2
    for engine in found:
        assert (engine["failures"] > 0) == bool(level), engine["name"]
