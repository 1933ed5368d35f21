#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Brent's strategies as plain lists, to hold the allocator against.

Written from the paper (1984, sections 2, 4 and 5.1) and from what the lab says
it prints, not from mm/. Nothing here is fast or clever: a page is a list of
free blocks, the sets are lists of pages. Where the lab's pages and runs are is
told, since some strategies go by it.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import fit  # noqa: E402
import orders  # noqa: E402

PAGE = 4096

# Rules that can be broken on purpose, to see that somebody would notice: in
# which strategies, and how. A "-" stands for first fit of large blocks.
BREAKS = {
    "s3-oldest-first": (
        "mru",
        "S3 is served in the order of the earliest free"),
    "s3-not-moved": (
        "mru",
        "a second free on a page of S3 does not move it up"),
    "s2-queue": ("mru quick", "S2 is served first in, first out"),
    "s2-before-s3": ("mru least-free lowest-page", "S2 is served before S3"),
    "phi0-less": ("mru most-free random-b", "phi0 is one less"),
    "phi0-more": ("mru least-free-8 lowest-page", "phi0 is one more"),
    "current-moves": (
        "mru least-free",
        "a free into the current page, once it is full, makes it a "
        "candidate like any other"),
    "blocks-queue": (
        "mru random first-fit",
        "the free blocks of a page are a queue"),
    "blocks-from-end": (
        "mru quick nofree stack",
        "the blocks of a new page come from its end first"),
    "keep-newest": (
        "mru quick",
        "of the empty pages the one emptied last leaves"),
    "keep-one-more": ("mru random-b first-fit", "an empty page more is kept"),
    "ties-first-in": (
        "least-free most-free least-free-8",
        "of pages with as many free blocks the one that came first is "
        "chosen"),
    "other-end": (
        "least-free most-free least-free-8",
        "the page at the other end is chosen"),
    "stack-not-left": (
        "least-free most-free least-free-8",
        "a page stays where it is when another block is freed"),
    "stack-moved-within": (
        "least-free-8",
        "a page moves within its stack at each free"),
    "exact": ("least-free-8", "the stacks are those of least-free"),
    "highest": ("lowest-page first-fit", "the highest page is chosen"),
    "other-seed": ("random-b random", "chance starts elsewhere"),
    "pages-alike": ("random", "a page is as likely as any other"),
    "coldest-lowest": (
        "random first-fit",
        "of the empty pages the lowest leaves"),
    "s3-first": (
        "first-fit random",
        "pages with live blocks are served first"),
    "pool-other-end": ("stack queue", "a free block goes to the other end"),
    "pool-gives-back": (
        "stack queue",
        "empty pages leave when there are too many"),
    "two-ways": ("quick nofree", "the current page takes its blocks back"),
    "no-s2": ("quick mru", "empty pages are not used again"),
    "s2-used": ("nofree", "empty pages are used again"),
    **{name: ("-", about) for name, about in fit.BREAKS.items()},
}


def size_classes():
    """Section 5.1, in units of 16 bytes, with 8 bytes before the first."""
    units = PAGE // 16
    sizes, size = [8], 1
    while size <= units:
        sizes.append(size * 16)
        blocks = units // size
        # The largest size of which one block less fits on a page.
        size = max(size + 1, units // (blocks - 1)) if blocks > 1 \
            else units + 1
    return sizes


CLASSES = size_classes()


def size_class(size):
    """The smallest class that a size fits into."""
    return next(c for c in CLASSES if c >= size)


class Page:
    """A page and its free blocks, the next one to be taken at the end."""

    def __init__(self, number, pfn, capacity, reverse):
        self.number = number
        self.pfn = pfn
        self.capacity = capacity
        self.free = list(range(capacity))
        if not reverse:
            self.free.reverse()

    def live(self):
        """Blocks that are not free."""
        return self.capacity - len(self.free)

    def empty(self):
        """No block is live."""
        return not self.live()

    def put(self, slot, queue):
        """A block is free again."""
        self.free.insert(0 if queue else len(self.free), slot)


class Heap:
    """The pages of one size; see those that are made of it."""

    def __init__(self, size, settings, pfns):
        self.capacity = PAGE // size
        self.broken = settings.broken
        self.keep = settings.keep + (self.broken == "keep-one-more")
        self.pfns = pfns
        self.s2 = []        # most recently emptied last
        self.first = 0      # the number of the next page of S1
        self.count = dict.fromkeys(
            ("alloc", "free", "refill_s1", "refill_s2", "refill_s3",
             "emptied", "released", "pages"), 0)

    def from_s1(self):
        """A new page."""
        self.count["refill_s1"] += 1
        self.count["pages"] += 1
        self.first += 1
        if self.pfns is not None and self.first > len(self.pfns):
            raise fit.Strayed(f"there is no page {self.first - 1}")
        return Page(self.first - 1,
                    self.pfns[self.first - 1] if self.pfns else None,
                    self.capacity, self.broken == "blocks-from-end")

    def release(self):
        """An empty page leaves."""
        self.count["released"] += 1
        self.count["pages"] -= 1


def tolerance(size, settings):
    """Section 2.13: phi0, in blocks."""
    phi0 = min(max(math.ceil(settings.freetol / size), 1), PAGE // size)
    return phi0 + {"phi0-less": -1, "phi0-more": 1}.get(settings.broken, 0)


class CurrentPage(Heap):
    """Section 2.7: blocks come from the current page while it has any."""

    def __init__(self, size, settings, pfns):
        super().__init__(size, settings, pfns)
        self.phi0 = tolerance(size, settings)
        self.order = ORDERS[settings.strategy](self.broken)
        self.candidates = []
        self.current = None

    def is_candidate(self, page):
        """Does it belong to S3, as far as phi0 lets it?"""
        return not page.empty() and len(page.free) >= self.phi0 and page.free

    def from_s3(self):
        """The next current page from S3, or None."""
        page = self.order.pick()
        if page:
            self.count["refill_s3"] += 1
            self.order.leave(page)
            self.candidates.remove(page)
        return page

    def from_s2(self):
        """The next current page from S2, or None."""
        if not self.s2 or self.broken == "no-s2":
            return None
        self.count["refill_s2"] += 1
        return self.s2.pop(0 if self.broken == "s2-queue" else -1)

    def alloc(self):
        """A block: its page and the slot on it."""
        self.count["alloc"] += 1
        if not self.current or not self.current.free:
            if self.broken == "s2-before-s3":
                page = self.from_s2() or self.from_s3()
            else:
                page = self.from_s3() or self.from_s2()
            self.current = page or self.from_s1()
        return self.current, self.current.free.pop()

    def free(self, page, slot):
        """A block comes back."""
        self.count["free"] += 1
        full = not page.free
        page.put(slot, self.broken == "blocks-queue")
        if page is self.current:
            if self.broken != "current-moves" or not full:
                return
            self.current = None
        if page in self.candidates:
            if self.is_candidate(page):
                self.order.freed(page)
                return
            self.order.leave(page)
            self.candidates.remove(page)
        if page.empty():
            self.emptied(page)
        elif self.is_candidate(page):
            self.candidates.append(page)
            self.order.enter(page)

    def emptied(self, page):
        """No block of the page is live any more."""
        self.count["emptied"] += 1
        self.s2.append(page)
        if len(self.s2) > self.keep:
            self.s2.pop(-1 if self.broken == "keep-newest" else 0)
            self.release()


class OneWay(Heap):
    """Sections 2.4 and 2.5: the blocks of a page are taken once; with QUICK
    again when it is empty."""

    def __init__(self, size, settings, pfns):
        super().__init__(size, settings, pfns)
        self.again = settings.strategy == "quick"
        self.current = None
        self.left = []      # what has not been taken from it

    def next_page(self):
        """Another current page."""
        page = self.current
        if page and page.empty():
            self.s2.append(page)
        again = (self.again and self.broken != "no-s2") or \
            self.broken == "s2-used"
        if self.s2 and again:
            self.count["refill_s2"] += 1
            page = self.s2.pop(0 if self.broken == "s2-queue" else -1)
        else:
            page = self.from_s1()
        self.current = page
        self.left = page.free
        page.free = []

    def alloc(self):
        """A block: its page and the slot on it."""
        self.count["alloc"] += 1
        if not self.left:
            self.next_page()
        return self.current, self.left.pop()

    def free(self, page, slot):
        """A block comes back."""
        self.count["free"] += 1
        if page is self.current and self.broken == "two-ways":
            self.left.append(slot)
            return
        page.put(slot, self.broken == "blocks-queue")
        if page is self.current or not page.empty():
            return
        self.count["emptied"] += 1
        self.s2.append(page)
        if self.again and len(self.s2) > self.keep:
            self.s2.pop(-1 if self.broken == "keep-newest" else 0)
            self.release()


class ByBlock(Heap):
    """Sections 2.3 and 2.6: a page is chosen for each block."""

    def __init__(self, size, settings, pfns):
        super().__init__(size, settings, pfns)
        self.order = ORDERS[settings.strategy](self.broken)
        self.empties = ORDERS[settings.strategy](self.broken)
        if settings.strategy == "random" and self.broken != "s3-first":
            self.order.s2 = self.empties
        self.by_address = settings.strategy == "first-fit"

    def _order(self, page):
        return self.empties if page.empty() else self.order

    def pick(self):
        """The page of the next block, or None."""
        page = self.order.pick()
        if self.broken == "s3-first":
            return page or self.empties.pick()
        if not self.by_address:
            return page
        other = self.empties.pick()
        found = [page for page in (page, other) if page]
        choose = max if self.broken == "highest" else min
        return choose(found, key=lambda page: page.pfn, default=None)

    def alloc(self):
        """A block: its page and the slot on it."""
        self.count["alloc"] += 1
        page = self.pick()
        if not page:
            self.empties.enter(self.from_s1())
            page = self.pick()
        self._order(page).leave(page)
        slot = page.free.pop()
        if page.free:
            self.order.enter(page)
        return page, slot

    def free(self, page, slot):
        """A block comes back."""
        self.count["free"] += 1
        if page.free:
            self.order.leave(page)
        page.put(slot, self.broken == "blocks-queue")
        self._order(page).enter(page)
        if not page.empty():
            return
        self.count["emptied"] += 1
        if len(self.empties.pages) > self.keep:
            lowest = min(self.empties.pages, key=lambda page: page.pfn)
            self.empties.leave(lowest if self.broken == "coldest-lowest"
                               else self.empties.coldest())
            self.release()


class Pool(Heap):
    """Sections 2.1 and 2.2: the free blocks of all pages are on one list, and
    their pages stay."""

    def __init__(self, size, settings, pfns):
        super().__init__(size, settings, pfns)
        self.behind = (settings.strategy == "queue") != \
            (self.broken == "pool-other-end")
        self.pool = []      # of (page, slot), the next one at the end

    def alloc(self):
        """A block: its page and the slot on it."""
        self.count["alloc"] += 1
        if not self.pool:
            page = self.from_s1()
            self.pool = [(page, slot) for slot in page.free]
        page, slot = self.pool.pop()
        page.free.remove(slot)
        if page in self.s2:
            self.s2.remove(page)
        return page, slot

    def free(self, page, slot):
        """A block comes back."""
        self.count["free"] += 1
        page.free.append(slot)
        self.pool.insert(0 if self.behind else len(self.pool), (page, slot))
        if not page.empty():
            return
        self.count["emptied"] += 1
        self.s2.append(page)
        if self.broken == "pool-gives-back" and len(self.s2) > self.keep:
            page = self.s2.pop(0)
            self.pool = [place for place in self.pool if place[0] is not page]
            self.release()


def least_free_8(broken):
    """See group_of_eight()."""
    if broken == "exact":
        return orders.ByFree(broken, False)
    return orders.ByFree(broken, False, orders.group_of_eight)


# What a strategy makes of a heap's pages, and how it orders them.
HEAPS = {
    "mru": CurrentPage, "least-free": CurrentPage, "most-free": CurrentPage,
    "random-b": CurrentPage, "quick": OneWay, "first-fit": ByBlock,
    "stack": Pool, "queue": Pool, "random": ByBlock, "nofree": OneWay,
    "least-free-8": CurrentPage, "lowest-page": CurrentPage,
}
ORDERS = {
    "mru": orders.Mru,
    "least-free": lambda broken: orders.ByFree(broken, False),
    "most-free": lambda broken: orders.ByFree(broken, True),
    "least-free-8": least_free_8,
    "lowest-page": orders.Lowest,
    "random-b": lambda broken: orders.Chance(broken, False),
    "first-fit": orders.Lowest,
    "random": lambda broken: orders.Chance(broken, True),
}
# They go by addresses, which have to be told.
BY_ADDRESS = ("random-b", "first-fit", "random", "lowest-page")


@dataclasses.dataclass
class Settings:
    """As for lab replay. pages: {size: [pfn, ...]}, the pages of each class as
    they come; runs: [(pfn, order), ...], those of first fit."""
    strategy: str = "mru"
    freetol: int = 1
    keep: float = 8
    crossover: int = PAGE // 4
    broken: str = None
    pages: dict = None
    runs: list = None


class Model:
    """All sizes, and page blocks, each of which is a new page."""

    def __init__(self, settings):
        pages = settings.pages
        self.heaps = {size: HEAPS[settings.strategy](
            size, settings, None if pages is None else pages.get(size, []))
            for size in CLASSES}
        self.fit = fit.FirstFit(settings.crossover, settings.runs or [],
                                      settings.broken)
        self.orders = {}
        self.live = {}
        self.placements = []

    def alloc(self, ident, size):
        """Serve a request; keep where its block is."""
        if self.fit.takes(size):
            run, unit = self.fit.alloc(size)
            self.live[ident] = self.fit, run, unit
            self.placements.append((ident, run.number,
                                    fit.slot(unit)))
            return
        if size > PAGE:
            order = math.ceil(size / PAGE - 1).bit_length()
            number = self.orders.get(order, 0)
            self.orders[order] = number + 1
            self.placements.append((ident, number, 0))
            self.live[ident] = None
            return
        heap = self.heaps[size_class(size)]
        page, slot = heap.alloc()
        self.live[ident] = heap, page, slot
        self.placements.append((ident, page.number, slot))

    def free(self, ident):
        """End a request."""
        place = self.live.pop(ident)
        if place:
            heap, page, slot = place
            heap.free(page, slot)

    def replay(self, lines):
        """Serve the requests of a trace."""
        for line in lines:
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "a":
                self.alloc(int(words[1]), int(words[2]))
            else:
                self.free(int(words[1]))
        return self

    def counters(self):
        """What each size that was used has counted."""
        return {f"size-{size}": heap.count
                for size, heap in self.heaps.items() if heap.count["alloc"]}


def told(path):
    """Pages and runs, of what lab replay --json --placements has printed."""
    lab = json.loads(pathlib.Path(path).read_text(encoding="ascii"))
    return pages_of(lab), runs_of(lab)


def pages_of(lab):
    """{size: [pfn, ...]}"""
    pages = {}
    for name, pfn in lab["pages"]:
        pages.setdefault(int(name.partition("-")[2]), []).append(pfn)
    return pages


def runs_of(lab):
    """[(pfn, order), ...]"""
    return [tuple(run) for run in lab.get("runs", [])]


def main():
    """Print the placements, or the counters, of a trace."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--strategy", choices=HEAPS, default="mru")
    parser.add_argument("--freetol", type=int, default=1)
    parser.add_argument("--keep", default="8", help="a number or all")
    parser.add_argument("--ffcrossover", type=int, default=PAGE // 4)
    parser.add_argument("--break", dest="broken", choices=BREAKS,
                        help="break this rule")
    parser.add_argument("--counters", action="store_true")
    parser.add_argument("--told", metavar="FILE",
                        help="what lab replay --json --placements printed, for "
                             "where its pages are")
    parser.add_argument("trace")
    options = parser.parse_args()
    pages, runs = told(options.told) if options.told else (None, None)
    if options.strategy in BY_ADDRESS and pages is None:
        parser.error(f"--strategy {options.strategy} goes by addresses: it "
                     "needs --told")
    keep = math.inf if options.keep == "all" else int(options.keep)
    with open(options.trace, encoding="ascii") as trace:
        model = Model(Settings(options.strategy, options.freetol, keep,
                               options.ffcrossover, options.broken, pages,
                               runs)).replay(trace)
    if options.counters:
        json.dump(model.counters(), sys.stdout, indent=1)
    else:
        for place in model.placements:
            print(*place)


if __name__ == "__main__":
    main()
