# SPDX-License-Identifier: GPL-2.0
"""What is held, and what the book-keeping takes: the load of tools/demo."""
import pathlib
import sys
import tempfile

import bars
from guests import ROOT, TIMEOUT, vm_run

DEMO = ROOT / "tools/demo"
sys.path.append(str(DEMO / "lib"))

import figures  # noqa: E402  pylint: disable=wrong-import-position

PAGE = 4096
# As the demo has them: SIZE:OBJECTS:FULL:HALF, see its guest.sh. Half of the
# objects is live when it is measured.
SMALL, LARGE = "{}:48000:20:20", "{}:480000:5:20"
SEED = 1
# The smallest objects make the smallest arena, and the largest share.
OVERHEAD_SIZE = 64


def _numbers(path):
    """{name: number} of a file of debugfs."""
    pairs = (line.split() for line in path.read_text().splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs
            if len(pair) == 2 and pair[1].isdigit()}


def _row(name, curpage, peer, unit, more):
    most, aim = bars.bar("memory", name)
    return {"name": name, "curpage": curpage, "peer": peer,
            "ratio": round(curpage / peer, 4), "bar": most, "aim": aim,
            "peer_is": bars.PEERS[bars.group(name)], "unit": unit,
            "rounds": 1, "min": {"curpage": curpage, "peer": peer},
            "median": {"curpage": curpage, "peer": peer}} | more


def _hold(run):
    held = run["held"]
    return _row(f"hold/{run['size']}/{run['half']}",
                held["curpage"]["after_20"], run["ideal_half"], "pages",
                {"slub": held["SLUB"]["after_20"],
                 "slub_ratio": held["SLUB"]["ratio"]})


def _overhead(run, folder):
    """Bytes that serve the allocator, of those that the arena holds: what its
    caches and heaps take, and pages that are neither lent nor free. Headers of
    pages lie over their struct page and take nothing."""
    folder = folder / f"debugfs/{run['size']}x{run['objects']}"
    fixed = _numbers(folder / "stats")["fixed_bytes"]
    arena = _numbers(folder / "arena")
    used = sum(arena.get(name, 0) for name in
               ("cache_pages", "block_pages", "free_pages", "stock_pages"))
    return _row(f"overhead/{run['half']}",
                fixed + PAGE * (arena["held"] - used), PAGE * arena["held"],
                "bytes", {"fixed_bytes": fixed,
                          "free_pages": arena["free_pages"],
                          "held_pages": arena["held"]})


def needed(size, cases):
    """Does a case need the load with objects of this size?"""
    return any(case in ("hold", f"hold/{size}") or
               case == "overhead" and size == OVERHEAD_SIZE for case in cases)


def measure(options, built, size, loads, cases):
    """(kernel, rows) of a size; loads: see SMALL and LARGE."""
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        vm_run("--kernel", options.kernel, "--smp", 2, "--mem", 640,
               "--append", "mitigations=off", "--timeout", TIMEOUT,
               "--want", "load done", "--out", out,
               "--add", f"{built}/curpage.ko:/curpage.ko",
               "--add", f"{built}/tools/demo/kmod/curpage_load.ko:"
                        "/curpage_load.ko",
               "--", DEMO / "guest.sh", SEED, ",".join(options.param) or "-",
               *(load.format(size) for load in loads))
        runs = figures.summarise(figures.read(out / "samples.csv"))
        rows = []
        if set(cases) & {"hold", f"hold/{size}"}:
            rows += [_hold(run) for run in runs]
        if size == OVERHEAD_SIZE and "overhead" in cases:
            rows += [_overhead(run, out) for run in runs]
        return (out / "kernel").read_text().strip(), rows
