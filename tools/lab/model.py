#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Brent's MRU strategy as plain lists, to hold the allocator against.

Written from the paper (1984, sections 2.7, 2.11, 2.13, 4 and 5.1) and from what
the lab says it prints, not from mm/. Nothing here is fast or clever: a page is
a list of free blocks, the sets are lists of pages.
"""
import argparse
import json
import math
import sys

PAGE = 4096

# Rules that can be broken on purpose, to see that somebody would notice.
BREAKS = {
    "s3-oldest-first": "S3 is served in the order of the earliest free",
    "s3-not-moved": "a second free on a page of S3 does not move it up",
    "s2-queue": "S2 is served first in, first out",
    "s2-before-s3": "S2 is served before S3",
    "phi0-less": "phi0 is one less",
    "phi0-more": "phi0 is one more",
    "current-moves": "a free into the current page, once it is full, makes it"
                     " a candidate like any other",
    "blocks-queue": "the free blocks of a page are a queue",
    "blocks-from-end": "the blocks of a new page come from its end first",
    "keep-newest": "of the empty pages the one emptied last leaves",
    "keep-one-more": "an empty page more is kept",
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

    def __init__(self, number, capacity, reverse):
        self.number = number
        self.capacity = capacity
        self.free = list(range(capacity))
        if not reverse:
            self.free.reverse()

    def empty(self):
        """No block is live."""
        return len(self.free) == self.capacity


class Heap:
    """The pages of one size."""

    def __init__(self, size, freetol, keep, broken=None):
        self.capacity = PAGE // size
        self.phi0 = min(max(math.ceil(freetol / size), 1), self.capacity)
        if broken == "phi0-less":
            self.phi0 -= 1
        elif broken == "phi0-more":
            self.phi0 += 1
        self.keep = keep + (broken == "keep-one-more")
        self.broken = broken
        self.current = None
        self.s3 = []        # most recently freed first
        self.s2 = []        # most recently emptied last
        self.first = 0      # the number of the next page of S1
        self.count = dict.fromkeys(
            ("alloc", "free", "refill_s1", "refill_s2", "refill_s3",
             "emptied", "released", "pages"), 0)

    def candidate(self, page):
        """Does it belong to S3, as far as phi0 lets it?"""
        return not page.empty() and len(page.free) >= self.phi0 and page.free

    def from_s3(self):
        """The next current page from S3, or None."""
        if not self.s3:
            return None
        self.count["refill_s3"] += 1
        return self.s3.pop(-1 if self.broken == "s3-oldest-first" else 0)

    def from_s2(self):
        """The next current page from S2, or None."""
        if not self.s2:
            return None
        self.count["refill_s2"] += 1
        return self.s2.pop(0 if self.broken == "s2-queue" else -1)

    def from_s1(self):
        """A new page."""
        self.count["refill_s1"] += 1
        self.count["pages"] += 1
        self.first += 1
        return Page(self.first - 1, self.capacity,
                    self.broken == "blocks-from-end")

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
        page.free.insert(0 if self.broken == "blocks-queue" else
                         len(page.free), slot)
        if page is self.current:
            if self.broken != "current-moves" or not full:
                return
            self.current = None
        if page in self.s3:
            if self.broken == "s3-not-moved" and not page.empty():
                return
            self.s3.remove(page)
        if page.empty():
            self.emptied(page)
        elif self.candidate(page):
            self.s3.insert(0, page)

    def emptied(self, page):
        """No block of the page is live any more."""
        self.count["emptied"] += 1
        self.s2.append(page)
        if len(self.s2) > self.keep:
            self.s2.pop(-1 if self.broken == "keep-newest" else 0)
            self.count["released"] += 1
            self.count["pages"] -= 1


class Model:
    """All sizes, and page blocks, each of which is a new page."""

    def __init__(self, freetol=1, keep=4, broken=None):
        self.heaps = {size: Heap(size, freetol, keep, broken)
                      for size in CLASSES}
        self.orders = {}
        self.live = {}
        self.placements = []

    def alloc(self, ident, size):
        """Serve a request; keep where its block is."""
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


def main():
    """Print the placements, or the counters, of a trace."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--freetol", type=int, default=1)
    parser.add_argument("--keep", default="4", help="a number or all")
    parser.add_argument("--break", dest="broken", choices=BREAKS,
                        help="break this rule")
    parser.add_argument("--counters", action="store_true")
    parser.add_argument("trace")
    options = parser.parse_args()
    keep = math.inf if options.keep == "all" else int(options.keep)
    with open(options.trace, encoding="ascii") as trace:
        model = Model(options.freetol, keep, options.broken).replay(trace)
    if options.counters:
        json.dump(model.counters(), sys.stdout, indent=1)
    else:
        for place in model.placements:
            print(*place)


if __name__ == "__main__":
    main()
