#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Say what SLUB and curpage held under the same load: a table, files with the
figures and a picture; or, with --check, judge the figures."""
import argparse
import csv
import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "lib"), str(HERE.parent / "lib")]

import figures  # noqa: E402
import judge  # noqa: E402

COLUMNS = ("bytes", "live", "allocator", "ideal", "peak", "live", "ideal",
           "drop", "3 lifetimes", "20 lifetimes", "held/ideal", "freed")


def _row(run, allocator):
    """The cells of a line of the table."""
    held = run["held"][allocator]
    return (run["size"], run["objects"], allocator, run["ideal_peak"],
            held["peak"], run["half"], run["ideal_half"], held["drop"],
            held["after_3"], held["after_20"], held["ratio"],
            held["freed"])


def _cell(value):
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_table(runs):
    """One line for each load and allocator, all figures in pages."""
    rows = [tuple(map(_cell, _row(run, allocator)))
            for run in runs for allocator in figures.ALLOCATORS]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows)]

    def line(cells):
        return "  ".join(cell.rjust(width) if i != 2 else cell.ljust(width)
                         for i, (cell, width) in enumerate(zip(cells, widths)))

    print(line(COLUMNS))
    for i, row in enumerate(rows):
        if i % 2 == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))
        print(line(row))


def print_notes(runs):
    """What the columns mean, and which load was shortened."""
    print("""
Pages held: for SLUB every page of the cache's slabs, for curpage every page
that the system has lent, free pages included. peak: the most at any time.
drop: when half of the objects had been freed at random; 3 and 20 lifetimes:
when as many objects as are then live had been replaced at random 3 and 20
times. held/ideal: after the 20. freed: all freed, both caches shrunk.""")
    for run in runs:
        if run["full_lifetimes"] != run["half_lifetimes"]:
            print(f"At {run['objects']:,} objects of {run['size']} bytes the "
                  f"churn before the drop was {run['full_lifetimes']} "
                  f"lifetimes, to save time; after it, "
                  f"{run['half_lifetimes']}.")


def write_files(folder, runs, samples, about):
    """demo.csv: every sample; demo.json: what the table says."""
    with open(folder / "demo.csv", "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, samples[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(samples)
    (folder / "demo.json").write_text(
        json.dumps(about | {"pages": runs}, indent=2) + "\n",
        encoding="utf-8")


def result_line(run):
    """The first load, in one line."""
    held = run["held"]
    return (f"{run['size']} bytes, {run['half']:,} live: "
            f"ideal {run['ideal_half']:,} pages, "
            f"SLUB {held['SLUB']['after_20']:,}, "
            f"curpage {held['curpage']['after_20']:,}")


def _about(text):
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}': must be NAME=VALUE")
    return name, value


def main():
    """Parse, read, report."""
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__)
    parser.add_argument("--check", action="store_true",
                        help="judge, print ok or not ok for each demand")
    parser.add_argument("--about", action="append", default=[],
                        type=_about, metavar="NAME=VALUE",
                        help="goes into demo.json; kernel and seed also above "
                             "table and picture")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="where the files go")
    parser.add_argument("samples", type=pathlib.Path, nargs="+",
                        metavar="SAMPLES.CSV")
    args = parser.parse_args()
    samples = [row for path in args.samples for row in figures.read(path)]
    runs = figures.summarise(samples)
    if args.check:
        return judge.judge(runs)
    about = dict(args.about)
    title = f"Pages held under the same load, Linux {about.get('kernel')}"
    print(f"{title}; one processor serves it, seed {about.get('seed')}\n")
    print_table(runs)
    print_notes(runs)
    if args.out:
        # Only here: the check does without the plotting package.
        import picture  # pylint: disable=import-outside-toplevel
        write_files(args.out, runs, samples, about)
        picture.draw(samples, title, args.out)
    print(f"\n{result_line(runs[0])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
