# SPDX-License-Identifier: GPL-2.0
"""The picture: a bar for each ratio, with the mark it may reach and the one
it aims at."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

GOOD, BAD, MOST, AIM = "#0072b2", "#d55e00", "#222222", "#009e73"
ROW_INCHES = 0.27
# What can share an axis, by what the figures are.
PANELS = (
    ("instructions: curpage over its peer",
     lambda section, row: section.mode == "icount"
     and row["unit"] == "instructions" and row["aim"] < 1),
    ("instructions: many live blocks over few; pages held over ideal",
     lambda section, row: row["unit"] != "bytes" and row["aim"] >= 1),
    ("book-keeping over what the arena holds",
     lambda section, row: row["unit"] == "bytes"),
    ("time, user-mode Linux: curpage over SLUB",
     lambda section, row: section.mode == "native"),
)


def _panels(sections):
    """[(title, rows), ...] for those that have any."""
    shown = [(section, row) for section in sections for row in section.rows
             if row["bar"] is not None]
    panels = [(title, [row for section, row in shown if fits(section, row)])
              for title, fits in PANELS]
    return [panel for panel in panels if panel[1]]


def _draw_panel(axes, title, rows):
    places = range(len(rows))
    axes.barh(places, [row["ratio"] for row in rows], height=0.62,
              color=[GOOD if row["ratio"] <= row["bar"] else BAD
                     for row in rows])
    for key, colour, label in (("bar", MOST, "at most"), ("aim", AIM, "aim")):
        axes.vlines([row[key] for row in rows], [y - 0.42 for y in places],
                    [y + 0.42 for y in places], color=colour, linewidth=2,
                    label=label)
    right = max(max(row["ratio"], row["bar"]) for row in rows)
    for y, row in zip(places, rows):
        axes.text(max(row["ratio"], row["bar"]) + 0.012 * right, y,
                  f"{row['ratio']:.3g}", va="center", fontsize=8)
    axes.set_yticks(places, [row["name"] for row in rows], fontsize=8)
    axes.set_xlim(0, 1.1 * right)
    axes.invert_yaxis()
    axes.set_title(title, fontsize=9, loc="left")


def draw(sections, folder):
    """bench.png and bench.svg; no file when no row has a bar."""
    panels = _panels(sections)
    if not panels:
        return False
    heights = [len(rows) + 2 for _, rows in panels]
    figure, grid = pyplot.subplots(
        len(panels), 1, squeeze=False, layout="constrained",
        figsize=(8, ROW_INCHES * sum(heights) + 0.8), height_ratios=heights)
    for (axes,), (title, rows) in zip(grid, panels):
        _draw_panel(axes, title, rows)
    figure.legend(*grid[0][0].get_legend_handles_labels(), fontsize=8,
                  loc="upper right")
    figure.suptitle(f"Linux {sections[0].kernel}", fontsize=11)
    for name in ("bench.png", "bench.svg"):
        figure.savefig(folder / name, dpi=130)
    return True
