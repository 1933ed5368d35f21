# SPDX-License-Identifier: GPL-2.0
"""What the tables of a paper are made with: runs of the lab, side by side,
tables with the paper's figures beside ours, and checks that can fail."""
import concurrent.futures
import json
import os
import sys

import child


class Table:
    """Rows of cells under a line of names; None is an empty cell.  name is that of
    the file in Documentation/tables, None for what is printed only."""

    def __init__(self, name, title, columns, rows, note=None):
        self.name, self.title, self.note = name, title, note
        self.columns = list(columns)
        self.rows = [list(row) for row in rows]

    @staticmethod
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
        return f"{value:,}" if isinstance(value, int) else str(value)

    def cells(self):
        return [[self.cell(value) for value in row] for row in self.rows]

    def text(self):
        rows = self.cells()
        widths = [max(map(len, column)) for column in zip(self.columns, *rows)]
        lines = [self.title, ""]
        for row in [self.columns, *rows]:
            cells = [row[0].ljust(widths[0])]
            cells += [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
            lines.append("  ".join(cells).rstrip())
        if self.note:
            lines += ["", self.note]
        return "\n".join(lines) + "\n"


class Lab:
    """Runs `lab sim`, each set of arguments once, and keeps what came out."""

    def __init__(self, labs, short=False, jobs=None):
        self.labs, self.short = labs, short
        self.pool = concurrent.futures.ThreadPoolExecutor(
            jobs or min(2, os.cpu_count() or 1))
        self.running = {}
        self.sections = []

    def section(self, name, title):
        self.sections.append({"name": name, "title": title, "tables": [],
                              "curves": [], "checks": [], "bars": [],
                              "notes": []})

    @staticmethod
    def words(arguments):
        """Options of one run: --name=value, with the load in front."""
        options = dict(arguments)
        build, load = options.pop("build", None), options.pop("load")
        words = [f"lab-{build}" if build else "lab", "sim", load, "--json"]
        for name, value in sorted(options.items()):
            if value is not None:
                words.append(f"--{name.replace('_', '-')}={value}")
        return tuple(words)

    def run(self, words):
        try:
            done = child.run([self.labs / words[0], *words[1:]])
        except OSError as error:
            sys.exit(f"paper: {error}; make -C study builds it")
        if done.returncode:
            sys.exit(f"paper: {' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def once(self, key, work, *args):
        """work(*args) is begun, unless it was under this key; its future."""
        if key not in self.running:
            self.running[key] = self.pool.submit(work, *args)
        return self.running[key]

    def sims(self, runs):
        """The figures of many runs, in order; two run at a time."""
        keys = [self.words(run) for run in runs]
        return [job.result()
                for job in [self.once(key, self.run, key) for key in keys]]

    def sim(self, **run):
        return self.sims([run])[0]

    def table(self, title, columns, rows, note=None):
        """Add a table that is printed, and written as NAME.csv or NAME-N.csv."""
        section = self.sections[-1]
        number = 1 + sum(table.name is not None for table in section["tables"])
        name = section["name"] + (f"-{number}" if number > 1 else "")
        section["tables"].append(Table(name, title, columns, rows, note))

    def inexact(self, title, columns, rows, note=None):
        """Add a table that is printed only, as its figures differ in each run."""
        self.sections[-1]["tables"].append(
            Table(None, title, columns, rows, note))

    def curve(self, name, columns, rows):
        """Add the points of a chart, which are written as NAME.csv only."""
        self.sections[-1]["curves"].append(Table(name, name, columns, rows))

    def check(self, passed, text):
        self.sections[-1]["checks"].append((bool(passed), text))

    def bar(self, met, text):
        """What was to come out, said before anything ran; it is shown whether it
        did, and where it did not a note says why.  No check."""
        self.sections[-1]["bars"].append((bool(met), text))

    def note(self, text):
        self.sections[-1]["notes"].append(" ".join(text.split()))

    def failed(self):
        return [text for section in self.sections
                for passed, text in section["checks"] if not passed]

    def passed(self):
        return sum(passed for section in self.sections
                   for passed, _ in section["checks"])


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def print_section(section, to=sys.stdout):
    print(f"{section['name']}: {section['title']}\n", file=to)
    for table in section["tables"]:
        print(table.text(), file=to)
    for note in section["notes"]:
        print(f"# {note}", file=to)
    for met, text in section["bars"]:
        print(f"# bar {'met' if met else 'MISSED'}: {text}", file=to)
    for passed, text in section["checks"]:
        print(f"{'ok' if passed else 'not ok'} - {section['name']}: {text}",
              file=to)
    print(file=to, flush=True)


def as_json(sections):
    return [{"name": s["name"], "title": s["title"], "notes": s["notes"],
             "tables": [{"title": t.title, "columns": t.columns,
                         "rows": t.rows} for t in s["tables"]],
             "bars": [{"met": m, "text": x} for m, x in s["bars"]],
             "checks": [{"passed": p, "text": x} for p, x in s["checks"]]}
            for s in sections]
