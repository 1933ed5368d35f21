#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What Johnstone and Wilson say of a trace in their Tables 1, 2, 5, 6 and 7, as
JSON.  Time is counted in bytes allocated."""
import collections
import gzip
import json
import sys

import numpy

PARTS = (0.9, 0.99, 0.999)
ALIGN = 8           # bytes; what an allocator can tell apart


def lines_of(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.split(b"\n")


class Trace:
    """Births and deaths of all objects, and the most that were alive."""

    def __init__(self, lines):
        self.sizes, self.born, self.died = [], [], []
        self.now = self.most_bytes = self.most_objects = 0
        self.most = collections.Counter()       # by power of two
        self.live = {}
        self.bytes, self.classes = 0, collections.Counter()
        for line in lines:
            words = line.split()
            if words and words[0] == b"a":
                self.alloc(words[1], int(words[2]))
            elif words and words[0] == b"f":
                self.free(words[1])
        self.died = numpy.array(
            [self.now if at is None else at for at in self.died])
        self.sizes = numpy.array(self.sizes)
        self.born = numpy.array(self.born)

    def alloc(self, name, size):
        self.live[name] = len(self.sizes)
        self.sizes.append(size)
        self.born.append(self.now)
        self.died.append(None)
        self.now += size
        self.bytes += size
        self.most_bytes = max(self.most_bytes, self.bytes)
        self.most_objects = max(self.most_objects, len(self.live))
        order = max(4, (size - 1).bit_length())
        self.classes[order] += 1
        self.most[order] = max(self.most[order], self.classes[order])

    def free(self, name):
        number = self.live.pop(name)
        self.died[number] = self.now
        self.bytes -= self.sizes[number]
        self.classes[max(4, (self.sizes[number] - 1).bit_length())] -= 1

    def lifetime(self):
        """The mean of all bytes; who lives to the end dies with the program."""
        return float(((self.died - self.born) * self.sizes).sum() / self.now)

    def waits(self):
        """From the death of each to when it and both its neighbours in time are
        dead; the first and the last have one neighbour."""
        last = self.died.copy()
        last[1:] = numpy.maximum(last[1:], self.died[:-1])
        last[:-1] = numpy.maximum(last[:-1], self.died[1:])
        return last - self.died

    def common_sizes(self, step=1):
        """So many sizes make up the parts of all objects, and all of them."""
        _, counts = numpy.unique(-(-self.sizes // step), return_counts=True)
        summed = numpy.cumsum(numpy.sort(counts)[::-1])
        return [int(numpy.searchsorted(summed, part * summed[-1])) + 1
                for part in (*PARTS, 1)]


def quantiles(values, weights):
    """The least value that parts of the weight do not exceed."""
    order = numpy.argsort(values, kind="stable")
    summed = numpy.cumsum(weights[order])
    return [int(values[order][numpy.searchsorted(summed, part * summed[-1])])
            for part in PARTS]


def statistics(path):
    t = Trace(lines_of(path))
    waits = t.waits()
    return {"bytes": t.now, "objects": len(t.sizes),
            "most_objects": t.most_objects, "most_bytes": t.most_bytes,
            "lifetime": t.lifetime(),
            "most": {str(1 << order): t.most[order]
                     for order in sorted(t.most)},
            "wait_objects": quantiles(waits, numpy.ones(len(waits))),
            "wait_bytes": quantiles(waits, t.sizes),
            "sizes": t.common_sizes(), "aligned": t.common_sizes(ALIGN)}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: jw_stats.py TRACE", file=sys.stderr)
        sys.exit(2)
    json.dump(statistics(sys.argv[1]), sys.stdout)
