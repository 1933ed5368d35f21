# SPDX-License-Identifier: GPL-2.0
"""Which instructions a turn of a case really runs, as QEMU sees them: those
of the two modules, as they stand in memory, jumps and nops patched in."""
import bisect
import collections
import pathlib
import re
import tempfile

import guests
import rows

SYMBOL = re.compile(r"^([0-9a-f]{16}) [tT] (\S+)\s+\[(curpage|curpage_bench)\]$",
                    re.MULTILINE)
MODULE = re.compile(r"^(curpage|curpage_bench) (\d+) .* 0x([0-9a-f]{16})",
                    re.MULTILINE)
TRACE = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]{16})/")
CODE = re.compile(r"0x([0-9a-f]{16}):  (?:[0-9a-f]{2} )+ +([a-z].*)$")
TIMEOUT = 900
# Cases whose turns are all alike, a block each.
CASES = ("pair/16", "pair/64", "pair/256", "pair/1024", "size/64", "size/200",
         "size/1000", "vary/64", "vary/200", "vary/1000", "pages/0",
         "pages/3", "pages/6")


class Memory:
    """Where the functions of the modules lie."""

    def __init__(self, output):
        found = sorted((int(match[1], 16), match[2], match[3])
                       for match in SYMBOL.finditer(output))
        self._starts = [address for address, _, _ in found]
        self._found = found
        self.ranges = [f"0x{match[3]}+{int(match[2]):#x}"
                       for match in MODULE.finditer(output)]

    def place(self, address):
        """(module, function, offset) of an address."""
        start, name, module = self._found[
            bisect.bisect_right(self._starts, address) - 1]
        return module, name, address - start

    def name(self, text):
        """An instruction, with the name of the place where it goes."""
        def named(match):
            address = int(match[0], 16)
            if not self._starts[0] <= address <= self._starts[-1]:
                return match[0]
            _, name, offset = self.place(address)
            return f"<{name}{f'+{offset:#x}' if offset else ''}>"
        return re.sub(r"\b0x[0-9a-f]{16}$", named, text)


def _boot(kernel, built, case, *more):
    """Nothing may move between the boots: no KASLR."""
    return guests.vm_run(
        "--kernel", kernel, "--icount", "--append",
        "nokaslr init_on_alloc=0", "--timeout", TIMEOUT,
        "--add", f"{built}/curpage.ko:/curpage.ko",
        "--add", f"{built}/tools/bench/kmod/curpage_bench.ko:"
                 "/curpage_bench.ko",
        *more, "--", guests.BENCH / "symbols.sh", case)


def _instructions(log):
    """Every instruction in the order in which it ran. QEMU runs code by the
    block; it shows a block when it translates it, and its name when it runs."""
    blocks, block, inside = {}, [], False
    for line in log:
        if line.startswith("IN:"):
            block, inside = [], True
        elif inside and (code := CODE.match(line)):
            block.append((int(code[1], 16), " ".join(code[2].split())))
            blocks[block[0][0]] = block
        elif ran := TRACE.match(line):
            inside = False
            yield from blocks.get(int(ran[1], 16), ())


def _turns(instructions, memory, loop):
    """The turns of a loop: each begins where the loop calls first."""
    turn, before, first = [], None, None
    for address, text in instructions:
        module, name, offset = memory.place(address)
        if name == loop or turn:
            if before == loop and module == "curpage":
                first = first or name
                if name == first and offset == 0 and turn:
                    yield turn
                    turn = []
            turn.append((module, name, offset, memory.name(text)))
        before = name


def _loop_of(case):
    """The function of the bench that has the loop."""
    group, _, number = case.partition("/")
    return (f"size_{number}_curpage" if group == "size" else
            f"{group}_curpage")


def trace(kernel, built, case):
    """(figure, turn): what the bench counts for a block, and the commonest
    turn of its loop, tuples of (module, function, offset, instruction)."""
    loop = _loop_of(case)
    memory = Memory(_boot(kernel, built, case))
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        ranges = [word for part in memory.ranges
                  for word in ("--trace-at", part)]
        output = _boot(kernel, built, case, "--trace", log, *ranges)
        if Memory(output).ranges != memory.ranges:
            raise rows.BadFigures("the modules lie elsewhere in another boot")
        with open(log, encoding="utf-8", errors="replace") as lines:
            turns = collections.Counter(
                tuple(turn) for turn in
                _turns(_instructions(lines), memory, loop))
    if not turns:
        raise rows.BadFigures(f"{case}: no turn of {loop}() was seen")
    (blocks, counted, _, _), = rows.read(output)[case]
    return counted / blocks, turns.most_common(1)[0][0]
