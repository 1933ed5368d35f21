# SPDX-License-Identifier: GPL-2.0
"""The bars: what each ratio may be at most, and what it aims at."""

# A check fails when a ratio passes its bar by more than this share.
SLACK = 0.05

# By mode: (rows, at most, aim). A row is a case, or a group of them. Counted
# instructions are held against it with init_on_alloc=0.
_TABLE = (
    ("icount", "pair", 0.42, 0.30),
    ("icount", "batch", 0.55, 0.40),
    ("icount", "shuffled", 0.60, 0.45),
    ("icount", "bulk", 0.60, 0.40),
    ("icount", "size", 0.50, 0.35),
    ("icount", "pages", 0.20, 0.10),
    ("icount", "remote", 0.80, 0.60),
    ("icount", "flat", 1.05, 1.00),
    ("native", "pair/64", 0.60, 0.45),
    ("memory", "hold/64", 1.28, 1.22),
    ("memory", "hold/256", 1.20, 1.15),
    ("memory", "overhead", 0.02, 0.016),
)

# What stands in the peer's column, by group.
PEERS = {
    "pair": "SLUB",
    "batch": "SLUB",
    "shuffled": "SLUB",
    "bulk": "SLUB",
    "size": "kmalloc",
    "vary": "kmalloc",
    "pages": "page allocator",
    "mixed": "page allocator",
    "buddy": "page allocator",
    "remote": "SLUB",
    "remote-alloc": "SLUB",
    "remote-free": "SLUB",
    "flat": "curpage, 1,000 live",
    "hold": "ideal",
    "overhead": "arena",
}


def group(name):
    """The group of a case: what is before the slash."""
    return name.partition("/")[0]


def bar(mode, name):
    """(at most, aim) of a case, or (None, None)."""
    for of_mode, row, most, aim in _TABLE:
        if of_mode == mode and (name == row or name.startswith(f"{row}/")):
            return most, aim
    return None, None


def named(name):
    """Has this group or case a bar in the short form?"""
    return any(mode != "native" and group(name) == group(row)
               for mode, row, _, _ in _TABLE)


def passed(ratio, most):
    """Is the ratio at or under the bar, slack included?"""
    return ratio <= most * (1 + SLACK)
