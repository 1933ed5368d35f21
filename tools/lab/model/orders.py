# SPDX-License-Identifier: GPL-2.0
"""The orders in which strategies take pages, as plain lists where it can be.

Written from the paper (1984, sections 2.1 to 2.11) and from what is said about
the strategies that are not in it. A page has: number, pfn, capacity and free,
the list of its free blocks, the next one at the end.
"""


class Mru:
    """Section 2.11: the page on which a block was freed most recently."""

    def __init__(self, broken):
        self.broken = broken
        self.pages = []         # most recently freed first

    def enter(self, page):
        """The page has become a candidate."""
        self.pages.insert(0, page)

    def leave(self, page):
        """It is one no more."""
        self.pages.remove(page)

    def freed(self, page):
        """One more block of it is free."""
        if self.broken != "s3-not-moved":
            self.leave(page)
            self.enter(page)

    def pick(self):
        """The next one, or None."""
        if not self.pages:
            return None
        return self.pages[-1 if self.broken == "s3-oldest-first" else 0]


class ByFree:
    """Sections 2.9 and 2.10: the page with the most or the fewest free blocks;
    of those the one that came to its number last."""

    def __init__(self, broken, most, group=lambda live: live):
        self.broken = broken
        self.most = most
        self.group = group
        self.stacks = {}        # by group of live blocks, last in at the end

    def _of(self, page):
        return self.group(page.live())

    def enter(self, page):
        """The page has become a candidate."""
        self.stacks.setdefault(self._of(page), []).append(page)

    def leave(self, page):
        """It is one no more, and has been with its free blocks or one less."""
        for stack in self.stacks.values():
            if page in stack:
                stack.remove(page)

    def freed(self, page):
        """One more block of it is free."""
        if self.broken == "stack-not-left":
            return
        if page not in self.stacks.get(self._of(page), ()) or \
                self.broken == "stack-moved-within":
            self.leave(page)
            self.enter(page)

    def pick(self):
        """The next one, or None."""
        groups = [group for group, stack in self.stacks.items() if stack]
        if not groups:
            return None
        most = self.most != (self.broken == "other-end")
        stack = self.stacks[min(groups) if most else max(groups)]
        return stack[0 if self.broken == "ties-first-in" else -1]


def group_of_eight(live):
    """LEAST-FREE-8: 1, 2-3, 4-7, ... and from 128 on one group."""
    return min(live.bit_length() - 1, 7)


class Lowest:
    """The page with the lowest address."""

    def __init__(self, broken):
        self.broken = broken
        self.pages = []

    def enter(self, page):
        """The page has become a candidate."""
        self.pages.append(page)

    def leave(self, page):
        """It is one no more."""
        self.pages.remove(page)

    def freed(self, page):
        """One more block of it is free."""

    def pick(self):
        """The next one, or None."""
        choose = max if self.broken == "highest" else min
        return choose(self.pages, key=lambda page: page.pfn, default=None)

    def coldest(self):
        """The one that leaves when there are too many."""
        return max(self.pages, key=lambda page: page.pfn)


class Node:
    """A page in a digital search tree."""

    def __init__(self, page, weight):
        self.page = page
        self.weight = weight
        self.children = [None, None]

    def total(self):
        """The weight of it and all below."""
        return self.weight + sum(child.total() for child in self.children
                                 if child)


class Digital:
    """A digital search tree (Coffman and Eve 1970): a page hangs below another
    where the next bit of its number says, the highest bit first. Chance chooses
    a place among all of them: a node is before what is on its left, and that
    before what is on its right."""

    BITS = 36       # of a number

    def __init__(self):
        self.root = None

    def _side(self, page, depth):
        return page.pfn >> (self.BITS - 1 - depth) & 1

    def add(self, page, weight):
        """Where the first child is missing on its way."""
        node, depth = self.root, 0
        if not node:
            self.root = Node(page, weight)
            return
        while node.children[self._side(page, depth)]:
            node = node.children[self._side(page, depth)]
            depth += 1
        node.children[self._side(page, depth)] = Node(page, weight)

    def _find(self, page):
        """The node, and the one above."""
        above, node, depth = None, self.root, 0
        while node.page is not page:
            above, node = node, node.children[self._side(page, depth)]
            depth += 1
        return node, above

    def remove(self, page):
        """A leaf from below takes its place: that at the end of the way down,
        on the left where there is one."""
        node, above = self._find(page)
        leaf, over = node, above
        while any(leaf.children):
            over, leaf = leaf, leaf.children[0] or leaf.children[1]
        if leaf is not node:
            node.page, node.weight = leaf.page, leaf.weight
        if over:
            over.children[over.children.index(leaf)] = None
        else:
            self.root = None

    def total(self):
        """All weight."""
        return self.root.total() if self.root else 0

    def select(self, place):
        """The page at a place, from 0 on."""
        node = self.root
        while place >= node.weight:
            place -= node.weight
            left = node.children[0]
            if left and place < left.total():
                node = left
                continue
            place -= left.total() if left else 0
            node = node.children[1]
        return node.page


class SplitMix:
    """SplitMix64, from 0 on."""

    MASK = 2 ** 64 - 1

    def __init__(self, state=0):
        self.state = state

    def below(self, number):
        """Less than a number, from the upper half."""
        self.state = self.state + 0x9e3779b97f4a7c15 & self.MASK
        mixed = self.state
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9 & self.MASK
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb & self.MASK
        return ((mixed ^ mixed >> 31) >> 32) * number >> 32


class Chance:
    """Sections 2.3 and 2.8: any page; each as likely as the next, or as likely
    as it has free blocks. With s2 also one of these."""

    def __init__(self, broken, by_block):
        self.by_block = by_block and broken != "pages-alike"
        self.random = SplitMix(1 if broken == "other-seed" else 0)
        self.tree = Digital()
        self.s2 = None          # another Chance
        self.pages = []

    def enter(self, page):
        """The page has become a candidate."""
        self.pages.append(page)
        self.tree.add(page, len(page.free) if self.by_block else 1)

    def leave(self, page):
        """It is one no more."""
        self.pages.remove(page)
        self.tree.remove(page)

    def freed(self, page):
        """One more block of it is free."""
        if self.by_block:
            self.leave(page)
            self.enter(page)

    def pick(self):
        """The next one, or None."""
        mine = self.tree.total()
        other = self.s2.tree.total() if self.s2 else 0
        if not mine + other:
            return None
        place = self.random.below(mine + other)
        return self.tree.select(place) if place < mine else \
            self.s2.tree.select(place - mine)

    def coldest(self):
        """The one that leaves when there are too many."""
        return max(self.pages, key=lambda page: page.pfn)
