# SPDX-License-Identifier: GPL-2.0
"""What curpage has to hold under the load, and no more."""
from count import Count

# 1.33 times the ideal 375 pages.
MOST_64 = 500


def _judge_run(count, run):
    name = f"{run['size']} bytes, {run['half']:,} live after 20 lifetimes"
    held = {which: of["after_20"] for which, of in run["held"].items()}
    count.check(held["curpage"] < held["SLUB"],
                f"{name}: curpage holds {held['curpage']:,} pages, less than "
                f"SLUB with {held['SLUB']:,} (ideal {run['ideal_half']:,})")
    if run["size"] == 64 and run["objects"] == 48000:
        count.check(held["curpage"] <= MOST_64,
                    f"{name}: curpage holds {held['curpage']} pages, at most "
                    f"{MOST_64} are allowed")
    freed = run["held"]["curpage"]["freed"]
    count.check(freed == 0,
                f"{run['size']} bytes, {run['objects']:,} objects freed, "
                f"shrunk: curpage holds {freed} pages, none is allowed")


def _judge_growth(count, small, large):
    ratios = [run["held"]["curpage"]["ratio"] for run in (small, large)]
    count.check(ratios[1] <= ratios[0],
                f"{small['size']} bytes: {ratios[1]:.3f} of ideal with "
                f"{large['objects']:,} objects, {ratios[0]:.3f} with "
                f"{small['objects']:,}; no worse is allowed")


def judge(runs):
    """A line for each demand, then the count; returns the exit status."""
    count = Count()
    first = {}
    for run in runs:
        _judge_run(count, run)
        if run["size"] in first:
            _judge_growth(count, first[run["size"]], run)
        first.setdefault(run["size"], run)
    return count.end()
