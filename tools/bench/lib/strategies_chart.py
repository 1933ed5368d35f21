# SPDX-License-Identifier: GPL-2.0
"""The picture: pages held over time, a line for each strategy."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STYLES = ("-", "--", ":")
# What never comes back would flatten all the others.
ROOM = 1.15


def draw(comparison, folder):
    """strategies.png and strategies.svg."""
    load = comparison.load
    churn = load.blocks + load.half()
    times = [((i + 1) * load.every() - churn) / (2 * load.half())
             for i in range(len(comparison.slub))]
    lines = [("SLUB", comparison.slub, {"color": "#222222", "linewidth": 2.4})]
    for i, run in enumerate(comparison.runs):
        lines.append((run.strategy, [sample[2] for sample in run.kernel],
                      {"color": COLOURS[i % len(COLOURS)],
                       "linestyle": STYLES[i // len(COLOURS)]}))
    figure, axes = pyplot.subplots(figsize=(9, 5), layout="constrained")
    # Some lie on each other: the legend has them in order, with their ends.
    for name, pages, style in sorted(lines, key=lambda line: -line[1][-1]):
        axes.plot(times, pages, label=f"{name}: {pages[-1]:,}", **style)
    axes.axhline(load.ideal(), color="#999999", linewidth=1,
                 label=f"ideal: {load.ideal():,}")
    axes.set_ylim(0, ROOM * max(comparison.slub))
    axes.set_xlim(times[0], times[-1])
    axes.set_xlabel("lifetimes of churn since half of the blocks were freed")
    axes.set_ylabel("pages held")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8,
                title="in the end")
    figure.suptitle(f"{load.blocks:,} blocks, then {load.half():,}, Linux "
                    f"{comparison.kernel}", fontsize=11)
    for name in ("strategies.png", "strategies.svg"):
        figure.savefig(folder / name, dpi=130)
    pyplot.close(figure)
