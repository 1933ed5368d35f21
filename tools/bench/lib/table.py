# SPDX-License-Identifier: GPL-2.0
"""The tables on stdout and in bench.txt."""

COLUMNS = ("case", "curpage", "min", "peer", "min", "ratio", "at most", "aim",
           "", "peer is")
_LEFT = (0, 8, 9)


def _figure(value):
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _ratio(value):
    if value is None:
        return ""
    return f"{value:.3f}" if value >= 0.1 else f"{value:.4f}"


def verdict(row):
    """How a row stands to its bar, in a word or two."""
    if row["bar"] is None:
        return ""
    if row["ratio"] <= row["aim"]:
        return "aim met"
    return "ok" if row["ratio"] <= row["bar"] else "OVER"


def _cells(row):
    return (row["name"], _figure(row["curpage"]),
            _figure(row["min"]["curpage"]), _figure(row["peer"]),
            _figure(row["min"]["peer"]), _ratio(row["ratio"]),
            _ratio(row["bar"]), _ratio(row["aim"]), verdict(row),
            row["peer_is"] + (f"; SLUB {row['slub']:,}, "
                              f"{row['slub_ratio']:.2f}"
                              if "slub" in row else ""))


def table(rows):
    """Lines for the rows, with a head."""
    cells = [COLUMNS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]

    def line(row):
        return "  ".join(
            cell.ljust(width) if i in _LEFT else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))).rstrip()

    lines = [line(row) for row in cells]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _notes(rows):
    """What the figures are."""
    units = " and ".join(dict.fromkeys(row["unit"] for row in rows))
    rounds = rows[0]["rounds"]
    if rounds == 1:
        return f"In {units}; the load is the same each time."
    loops = [row["loop"] for row in rows]
    return (f"In {units} for a block, allocated and freed; medians and minima "
            f"of {rounds} rounds.\nThe loop is in them, with {min(loops):.1f} "
            f"to {max(loops):.1f}.")


def section(title, rows):
    """A table with its title, and what its figures are."""
    return [title, "", *table(rows), "", _notes(rows), ""]
