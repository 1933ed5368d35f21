# SPDX-License-Identifier: GPL-2.0
"""A model of Kaufman's simulation: one chunk of 4096 units, free blocks in plain
lists, and only what the paper says of the three systems."""

PAGE, CHUNK, ORDERS = 4, 10, 11
JOINS = 64      # for one request, while there is a larger block to cut


class Memory:
    """The free blocks of each order by their first page: those whose buddy is
    not free, and the lower ones of pairs; what was freed last is last."""

    def __init__(self, joins, desired):
        self.lone = [[] for _ in range(ORDERS)]
        self.pair = [[] for _ in range(ORDERS)]
        self.joins = joins      # (order, blocks on its list): join two buddies?
        self.searches = self.splits = self.merges = 0
        self.break_down(desired)
        self.start = [self.free(order) for order in range(ORDERS)]
        self.searches = self.splits = self.merges = 0

    def free(self, order):
        """Blocks on a list."""
        return len(self.lone[order]) + 2 * len(self.pair[order])

    def units(self):
        """Free ones."""
        return sum(self.free(k) * PAGE << k for k in range(ORDERS))

    def largest(self):
        """Units in the largest free block."""
        return max((PAGE << k for k in range(ORDERS) if self.free(k)),
                   default=0)

    def break_down(self, desired):
        """All of the memory: at each order as many blocks are cut, the lower
        ones, as smaller lists need."""
        order, blocks = CHUNK, 1
        while blocks:
            lack = sum(desired[k] << k for k in range(order))
            cut = min(-(-lack >> order), blocks)
            for i in range(cut, blocks):
                self.put(i << order, order)
            order, blocks = order - 1, 2 * cut

    def put(self, block, order):
        """Free, and perhaps the second of two."""
        buddy = block ^ 1 << order
        if order < CHUNK and buddy in self.lone[order]:
            self.lone[order].remove(buddy)
            self.pair[order].append(min(block, buddy))
        else:
            self.lone[order].append(block)

    def pop(self, order):
        """One whose buddy is in use, if there is one."""
        if self.lone[order]:
            return self.lone[order].pop()
        block = self.pair[order].pop()
        self.lone[order].append(block + (1 << order))
        return block

    def raised(self, order, top):
        """Join a pair, and what comes of it: block, order, how often."""
        block, joins = self.pair[order].pop(), 1
        order += 1
        while order < top and block ^ 1 << order in self.lone[order]:
            self.lone[order].remove(block ^ 1 << order)
            block &= ~(1 << order)
            order += 1
            joins += 1
        self.merges += joins
        return block, order, joins

    def coalesced(self, want):
        """A block made of smaller ones, or None."""
        joins = 0
        while any(self.pair[:want]):
            if joins >= JOINS and any(map(self.free, range(want, ORDERS))):
                return None
            order = max(k for k in range(want) if self.pair[k])
            block, order, more = self.raised(order, want)
            joins += more
            if order == want:
                return block
            self.put(block, order)
        return None

    def take(self, want):
        """A block, or None."""
        if self.free(want):
            return self.pop(want)
        block = self.coalesced(want)
        if block is not None:
            return block
        for order in range(want + 1, ORDERS):
            self.searches += 1
            if self.free(order):
                return self.cut(self.pop(order), order, want)
        return None

    def cut(self, block, order, want):
        """The lower halves, the upper ones being free."""
        while order > want:
            order -= 1
            self.splits += 1
            self.put(block + (1 << order), order)
        return block

    def give(self, block, order):
        """Joined as often as the policy has it."""
        while (order < CHUNK and block ^ 1 << order in self.lone[order] and
               self.joins(order, self.free(order) + 1)):
            self.lone[order].remove(block ^ 1 << order)
            block &= ~(1 << order)
            order += 1
            self.merges += 1
        self.put(block, order)


def memory(policy, desired):
    """Of a policy."""
    none = [0] * ORDERS
    return {"binary": lambda: Memory(lambda order, blocks: True, none),
            "revised": lambda: Memory(lambda order, blocks: False, none),
            "tailored": lambda: Memory(
                lambda order, blocks: blocks > desired[order], desired),
            }[policy]()


def order_of(size):
    """Of a request, in units."""
    order = 0
    while PAGE << order < size:
        order += 1
    return order


def replay(trace, policy, desired):
    """What the requests of a trace come to, as `lab kaufman` names it."""
    mem, live = memory(policy, desired), {}
    got = dict.fromkeys(("requests", "refused", "asked", "given",
                         "free_refused", "free_first"), 0)
    for line in trace.splitlines():
        what, number, *size = line.split()
        if what == "f":
            if number in live:
                mem.give(*live.pop(number))
            continue
        size = int(size[0]) // 1024
        order, free = order_of(size), mem.units()
        block = mem.take(order)
        got["requests"] += 1
        got["asked"] += size
        got["given"] += PAGE << order
        if block is None:
            if not got["refused"]:
                got["free_first"] = free
            got["free_refused"] += free
            got["refused"] += 1
        else:
            live[number] = block, order
    got.update(searches=mem.searches, splits=mem.splits, merges=mem.merges,
               largest=mem.largest())
    return got, mem.start
