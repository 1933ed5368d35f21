# SPDX-License-Identifier: GPL-2.0
"""The picture: pages held over time by both allocators, and the ideal."""
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

import figures  # noqa: E402

LINES = (("SLUB", "slub", "#d55e00", "-"), ("curpage", "curpage", "#0072b2", "-"),
         ("ideal", "ideal", "#555555", "--"))
SHADE = "#f0f0f0"
# A ramp is drawn as wide as so many lifetimes.
RAMP = 2.0
PHASES = ("fill", "full", "drop", "half", "free")
LABELS = {
    "full": "all live,\n{:g} lifetimes",
    "half": "half live,\n{:g} lifetimes",
}


def _spans(samples):
    """{phase: (where it begins, its width)} in lifetimes."""
    spans, at = {}, 0.0
    for phase in PHASES:
        of = [s for s in samples if s["phase"] == phase]
        width = max(s["lifetimes"] for s in of) or RAMP
        spans[phase] = (at, width)
        at += width
    return spans


def _places(samples, spans):
    """Where each sample is on the axis."""
    seen, places = {}, []
    total = {phase: sum(s["phase"] == phase for s in samples)
             for phase in PHASES}
    end = sum(spans["free"])
    for sample in samples:
        phase = sample["phase"]
        seen[phase] = seen.get(phase, 0) + 1
        if phase in spans:
            start, width = spans[phase]
            places.append(start + width * seen[phase] / total[phase])
        else:
            places.append(0.0 if phase == "start" else end)
    return places


def _panel(axes, load, samples):
    spans = _spans(samples)
    places = _places(samples, spans)
    for label, column, colour, style in LINES:
        axes.plot(places, [s[column] for s in samples], style, color=colour,
                  label=label, linewidth=1.8)
    top = 1.25 * max(max(s["slub"], s["curpage"]) for s in samples)
    for phase, (start, width) in spans.items():
        if phase in LABELS:
            axes.text(start + width / 2, 0.97 * top,
                      LABELS[phase].format(width), ha="center", va="top",
                      fontsize=8)
        else:
            axes.axvspan(start, start + width, color=SHADE, linewidth=0)
    axes.set_title(f"{load[0]} bytes, {load[1]:,} objects, then half",
                   fontsize=10)
    axes.set_xlim(0, sum(spans["free"]))
    axes.set_ylim(0, top)
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


def draw(samples, title, folder):
    """demo.png and demo.svg."""
    loads = figures.loads(samples)
    sizes = sorted({size for size, _ in loads})
    counts = sorted({objects for _, objects in loads})
    figure, grid = pyplot.subplots(len(sizes), len(counts), squeeze=False,
                                   figsize=(5.6 * len(counts),
                                            3.6 * len(sizes)),
                                   layout="constrained")
    for (size, objects), taken in loads.items():
        _panel(grid[sizes.index(size)][counts.index(objects)],
               (size, objects), taken)
    for axes in grid[-1]:
        axes.set_xlabel("lifetimes: as many objects replaced at random as are "
                        "live\n(grey: allocating all, freeing half, freeing "
                        "the rest)")
    for row in grid:
        row[0].set_ylabel("pages held")
    grid[0][0].legend(loc="lower center", fontsize=9)
    figure.suptitle(textwrap.fill(title, 55 * len(counts)))
    figure.savefig(folder / "demo.png", dpi=130)
    # The same figures, the same file.
    matplotlib.rcParams["svg.hashsalt"] = "curpage"
    figure.savefig(folder / "demo.svg", metadata={"Date": None})
