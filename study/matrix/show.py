# SPDX-License-Identifier: GPL-2.0
"""The matrix as text, CSV, JSON and a picture; the best of a column is marked."""
import csv
import json
import math
import statistics

from measure import INEXACT, MEASURES, WHOLE, WRITTEN


def middle(values):
    """The median of those that there are; None when there are none."""
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def medians(matrix):
    """Each engine by each measure, over all loads on which nothing was refused;
    refusals themselves are summed up over all loads."""
    found = {}
    for engine in matrix.engines:
        rows = [r for r in matrix.rows if r["engine"] == engine]
        good = [r for r in rows if not r["failures"]]
        found[engine] = {m.name: middle(r[m.name] for r in good)
                         for m in MEASURES}
        found[engine]["failures"] = sum(r["failures"] for r in rows)
        found[engine]["loads"] = len(good)
    return found


def in_order(found, by):
    """Engines, the best first; those that were refused something come after
    those that had all loads."""
    most = max(row["loads"] for row in found.values())

    def key(engine):
        value = found[engine][by]
        return (found[engine]["loads"] < most,
                math.inf if value is None else value, engine)
    return sorted(found, key=key)


def best(found, by):
    """The least of a column among those that had all loads; nobody is best
    where many are the same."""
    most = max(row["loads"] for row in found.values())
    values = [row[by] for row in found.values()
              if row[by] is not None and row["loads"] == most]
    least = min(values, default=None)
    return least if values.count(least) < len(values) / 2 else None


def as_text(matrix, by, to):
    found = medians(matrix)
    marks = {m.name: best(found, m.name) for m in MEASURES}
    lines = [["engine", "loads", *(m.title for m in MEASURES)]]
    for engine in in_order(found, by):
        row = found[engine]
        cells = [engine, str(row["loads"])]
        for m in MEASURES:
            value = row[m.name]
            text = "-" if value is None else m.form.format(value)
            cells.append(text + ("*" if value is not None and
                                 value == marks[m.name] else " "))
        lines.append(cells)
    widths = [max(map(len, column)) for column in zip(*lines)]
    for cells in lines:
        print("  ".join([cells[0].ljust(widths[0])] +
                        [c.rjust(w) for c, w in zip(cells[1:], widths[1:])]
                        ).rstrip(), file=to)
    print(f"\nMedians of the loads without a refusal, of {len(matrix.loads)}; "
          f"sorted by {by}; * the best of those that had them all.", file=to)
    for m in MEASURES:
        print(f"{m.title:>9}  {m.text}", file=to)
    for fault in matrix.not_run:
        print(f"not run: {fault}", file=to)


def as_csv(matrix, to):
    writer = csv.DictWriter(to, ["load", "engine", "family",
                                 *(m.name for m in MEASURES)],
                            lineterminator="\n")
    writer.writeheader()
    for row in matrix.rows:
        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v
                         for k, v in row.items()})


def as_json(matrix, to):
    json.dump({"measures": {m.name: m.text for m in MEASURES},
               "loads": matrix.loads, "rows": matrix.rows,
               "medians": medians(matrix), "not_run": matrix.not_run},
              to, indent=1)
    print(file=to)


def ends(rows):
    """What is held when a load has halved and gone on for long, by engine."""
    loads = sorted({r["load"] for r in rows if r["load"] in WHOLE})
    found = {}
    for row in rows:
        if row["load"] in loads and row["end"] and not row["failures"]:
            found.setdefault(row["engine"], {})[row["load"]] = row["end"]
    lines = sorted((statistics.fmean(ends.values()), engine, ends)
                   for engine, ends in found.items()
                   if len(ends) == len(loads))
    return loads, [(engine, *(had[load] for load in loads))
                   for _, engine, had in lines]


def shades(values):
    """From 0, the best, to 1: by rank, so that one bad value hides nothing."""
    known = sorted({v for v in values if v is not None})
    last = max(1, len(known) - 1)
    return [math.nan if v is None else known.index(v) / last for v in values]


def draw(found, measures, by, path):
    """Draw a cell for each engine and measure: dark is bad, a box is the best."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams["svg.hashsalt"] = "curpage"
    matplotlib.rcParams["svg.fonttype"] = "none"    # text stays text
    order = in_order(found, by)
    columns = [shades([found[e][m.name] for e in order]) for m in measures]
    figure, axes = pyplot.subplots(
        figsize=(11, 1.5 + 0.19 * len(order)), layout="constrained")
    axes.imshow(list(zip(*columns)), aspect="auto", cmap="YlOrRd",
                vmin=0, vmax=1.3)
    for x, m in enumerate(measures):
        mark = best(found, m.name)
        for y, engine in enumerate(order):
            value = found[engine][m.name]
            if value is None:
                continue
            axes.text(x, y, m.form.format(value), ha="center", va="center",
                      fontsize=6, weight="bold" if value == mark else None,
                      bbox={"pad": 1, "fill": False} if value == mark else None)
    axes.set_xticks(range(len(measures)), [m.title for m in measures],
                    fontsize=7)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(order)),
                    [f"{e} ({found[e]['loads']})" for e in order], fontsize=6)
    axes.set_xlabel("light is good; boxed: the best of those that had all "
                    "loads; (loads without a refusal)", fontsize=7)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg"
                   else None)
    pyplot.close(figure)


def write_rows(path, head, rows):
    """One CSV file."""
    with open(path, "w", encoding="utf-8") as to:
        csv.writer(to, lineterminator="\n").writerows([head, *rows])


def write(matrix, by, folder):
    """Write matrix.csv, the medians, and matrix-end.csv: what a rerun repeats."""
    found = medians(matrix)
    write_rows(folder / "matrix.csv",
               ["engine", "loads", *(m.title for m in WRITTEN)],
               [[engine, found[engine]["loads"],
                 *("" if found[engine][m.name] is None else
                   m.form.format(found[engine][m.name]) for m in WRITTEN)]
                for engine in in_order(found, by) if engine not in INEXACT])
    loads, rows = ends(matrix.rows)
    write_rows(folder / "matrix-end.csv", ["engine", *loads],
               [[engine, *(f"{end:.1f}" for end in of)]
                for engine, *of in rows if engine not in INEXACT])


def read(path):
    """The medians that write() wrote, by engine and measure."""
    with open(path, encoding="utf-8") as lines:
        return {row["engine"]: {"loads": int(row["loads"]), **{
            m.name: float(row[m.title].replace(",", "")) if row[m.title] else
            None for m in WRITTEN}} for row in csv.DictReader(lines)}
