# SPDX-License-Identifier: GPL-2.0
"""Address-ordered first fit for large blocks, as a list of free extents.

A run of pages is cut into units of 16 bytes. A block of n units has 8 bytes of
header and 16 n - 8 of payload; unit u has its header at 16 u + 8 and its
payload at 16 (u + 1) from the start of the run, so the last unit of a run is
not used.
"""
PAGE, UNIT, HEAD, LARGEST = 4096, 16, 8, 65536

# As in model.py.
BREAKS = {
    "fit-best": "the smallest extent that is large enough is taken",
    "fit-last": "the highest extent that is large enough is taken",
    "fit-next": "the search goes on where the last one ended",
    "fit-from-end": "a block is cut from the end of its extent",
    "fit-not-merged": "a free extent is not merged with the one after it",
    "fit-run-kept": "an empty run more is kept",
    "fit-header": "a block is a unit larger",
}


def slot(unit):
    """What a placement says of a block: where its payload is, in 8 bytes."""
    return (unit + 1) * UNIT // 8


class Strayed(Exception):
    """The lab has not told of pages that the model needs."""


class Run:
    """Pages of first fit, and its free extents, (unit, units) in order."""

    def __init__(self, number, pfn, order):
        self.number = number
        self.pfn = pfn
        self.units = (PAGE << order) // UNIT - 1
        self.free = [(0, self.units)]
        self.sizes = {}         # by unit, of live blocks

    def empty(self):
        """No block is live."""
        return not self.sizes


class FirstFit:
    """All runs."""

    def __init__(self, crossover, told, broken):
        self.crossover = -(-crossover // 8) * 8
        self.told = told
        self.broken = broken
        self.runs = []          # by address
        self.taken = 0
        self.kept = None        # the empty run that stays
        self.at = (0, 0)        # where the last search ended

    def takes(self, size):
        """Is the request one for first fit?"""
        if size > LARGEST:
            return False
        if not self.crossover:
            return True
        if size <= PAGE:
            size = -(-size // 8) * 8
        return size > self.crossover and size & (size - 1) != 0

    def _aligned(self, size):
        """Units in front that a block may need to be aligned to itself."""
        return size // UNIT if size > UNIT and not size & (size - 1) else 1

    def _fits(self, size, units):
        """Every place that will do, lowest first: (run, extent, unit)."""
        align = self._aligned(size)
        for run in self.runs:
            for extent in run.free:
                first = -(-(extent[0] + 1) // align) * align - 1
                if first + units <= sum(extent):
                    yield run, extent, first

    def _find(self, size, units):
        found = list(self._fits(size, units))
        if not found:
            return None
        if self._aligned(size) > 1:
            return self._find_aligned(found, size, units)
        if self.broken == "fit-best":
            return min(found, key=lambda place: place[1][1])
        if self.broken == "fit-next":
            found.sort(key=lambda place: (place[0].pfn, place[2]) < self.at)
        return found[-1 if self.broken == "fit-last" else 0]

    def _find_aligned(self, found, size, units):
        """In the page where the first extent that is large enough starts, the
        first that holds the block aligned. Where none does, the same for the
        first extent that would hold it in any case."""
        for least in (units, units + self._aligned(size) - 1):
            run, start = next(((run, extent[0]) for run in self.runs
                               for extent in run.free if extent[1] >= least),
                              (None, None))
            for place in found:
                if place[0] is run and self._page(place[1][0]) == \
                        self._page(start):
                    return place
        return None

    @staticmethod
    def _page(unit):
        """The page that a block starts in."""
        return (unit * UNIT + HEAD) // PAGE

    def _grow(self):
        if self.taken == len(self.told):
            raise Strayed(f"there is no run {self.taken}")
        pfn, order = self.told[self.taken]
        self.runs.append(Run(self.taken, pfn, order))
        self.runs.sort(key=lambda run: run.pfn)
        self.taken += 1

    def alloc(self, size):
        """A block: its run and unit."""
        units = -(-(size + HEAD) // UNIT) + (self.broken == "fit-header")
        place = self._find(size, units)
        if not place:
            self._grow()
            place = self._find(size, units)
        if not place:
            raise Strayed(f"run {self.taken - 1} is too small")
        run, (start, length), unit = place
        if self.broken == "fit-from-end" and self._aligned(size) == 1:
            unit = start + length - units
        run.free.remove((start, length))
        rest = [(start, unit - start), (unit + units,
                                        start + length - unit - units)]
        run.free = sorted(run.free + [part for part in rest if part[1]])
        run.sizes[unit] = units
        if run is self.kept:
            self.kept = None
        self.at = run.pfn, unit
        return run, unit

    def free(self, run, unit):
        """A block comes back."""
        run.free = sorted(run.free + [(unit, run.sizes.pop(unit))])
        merged = [run.free[0]]
        for start, length in run.free[1:]:
            last, before = merged[-1]
            if last + before == start and not (
                    self.broken == "fit-not-merged" and last == unit):
                merged[-1] = last, before + length
            else:
                merged.append((start, length))
        run.free = merged
        if not run.empty():
            return
        if self.kept is None or self.broken == "fit-run-kept":
            self.kept = run
        else:
            self.runs.remove(run)
