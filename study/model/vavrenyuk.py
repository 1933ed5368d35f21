# SPDX-License-Identifier: GPL-2.0
"""Vavrenyuk's allocator and his test, written from the paper and from what is said
to be assumed: blocks in a list in order of address, no tags and no pointers."""
import dataclasses

BLOCKS, LIFETIME, SIZE = 5000, 5000, 256
MASK = 2 ** 64 - 1


@dataclasses.dataclass
class Block:
    """Bytes between its two tags."""
    start: int
    size: int
    free: bool = False


class Model:
    """Memory as a list of blocks; what it holds, and items looked at."""

    def __init__(self, fit, word, limit=2 ** 35):
        self.fit, self.word, self.limit = fit, word, limit
        self.blocks = []
        self.used = 2 * word
        self.peak = self.items = self.refused = 0

    def search(self, need):
        """The place of the block to take, or None."""
        free = [i for i, b in enumerate(self.blocks) if b.free]
        fits = []
        for i in free:
            self.items += 1
            over = self.blocks[i].size - need
            if over < 0:
                continue
            if self.fit == "first-fit" or \
                    (self.fit in ("best-fit", "worst-fit")
                     and over < 3 * self.word) or \
                    (self.fit == "best-fit-strict" and not over):
                return i
            fits.append(i)
        if not fits:
            return None
        # The first in order of address, of those that are as good.
        best = min if self.fit.startswith("best") else max
        return best(fits, key=lambda i: self.blocks[i].size)

    def alloc(self, size):
        """A block, or None."""
        need = max(size, self.word)
        at = self.search(need)
        if at is None:
            return self.extend(need)
        block = self.blocks[at]
        over = block.size - need
        block.free = False
        if over >= 3 * self.word:
            block.size = need
            rest = Block(block.start + need + 2 * self.word,
                         over - 2 * self.word, True)
            self.blocks.insert(at + 1, rest)
        return block

    def extend(self, need):
        """A block behind the last."""
        if self.used + need + 2 * self.word > self.limit:
            self.refused += 1
            return None
        block = Block(self.used, need)
        self.used += need + 2 * self.word
        self.peak = max(self.peak, self.used)
        self.blocks.append(block)
        return block

    def walk(self, start):
        """Along the list to the first free block that is not below start."""
        for block in self.blocks:
            if block.free:
                self.items += 1
                if block.start >= start:
                    return

    def release(self, block):
        """It falls free, with its neighbours, or goes back to the system."""
        at = next(i for i, b in enumerate(self.blocks) if b is block)
        self.items += 2
        left = self.blocks[at - 1] if at and self.blocks[at - 1].free else None
        if block is self.blocks[-1]:
            if left:
                self.walk(left.start)
                del self.blocks[at - 1]
            del self.blocks[-1]
            self.used = (left or block).start
            return
        if left:
            left.size += block.size + 2 * self.word
            del self.blocks[at]
            block, at = left, at - 1
        else:
            self.walk(block.start)
            block.free = True
        right = self.blocks[at + 1]
        if right.free:
            block.size += right.size + 2 * self.word
            del self.blocks[at + 1]


def draws(seed):
    """SplitMix64."""
    while True:
        seed = (seed + 0x9e3779b97f4a7c15) & MASK
        z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        yield z ^ z >> 31


def load(iterations, seed):
    """His test as a list of requests: (ID, size), size 0 for a free."""
    random = draws(seed)
    spare = list(range(BLOCKS - 1, -1, -1))
    ends = {}
    events = []
    for now in range(iterations):
        if spare:
            block = spare.pop()
            end = now + next(random) % LIFETIME + 1
            ends.setdefault(end, []).append(block)
            events.append((block, next(random) % SIZE + 1))
        for block in reversed(ends.pop(now, [])):
            events.append((block, 0))
            spare.append(block)
    return events


def text(events):
    """As a trace."""
    return "".join(f"a {i} {size}\n" if size else f"f {i}\n"
                   for i, size in events)
