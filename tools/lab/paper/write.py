# SPDX-License-Identifier: GPL-2.0
"""Tables and charts of a paper as a page of the documentation."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

HEAD = """.. SPDX-License-Identifier: GPL-2.0
.. Written by out/lab/lab paper all --write: change it there.

The papers' tables
==================

``out/lab/lab paper NAME`` runs the comparisons of a paper with the allocator of
``mm/`` in user space and prints the paper's figures with ours beside them;
``make papers`` runs all of them and rewrites this page. The last lines of each
section are checks: they are part of ``make check``, with shorter runs.
"""

# What comes before the sections whose names begin so.
PAPERS = {
    "brent": """Brent 1984
----------

R. P. Brent, *Dynamic storage allocation on a computer with virtual memory*
(1984), compares ten strategies in tables.

The programs that the paper measured are not in it, nor are the distributions
of Bozman et al. What was assumed in their place stands below each table. Paging
is simulated in the same way, strictly by what was used least recently; no page
is given back, as in the paper.
""",
    "kaufman": """Kaufman 1980
------------

A. Kaufman, *Variations on the binary buddy system for dynamic memory management*
(1980), simulates three systems that differ in when two buddies are joined. Here
the simulation runs on the arena of ``mm/``: its 4096 units are one chunk of 1024
pages, a unit being a quarter of a page, and the paper's k-list is the list of
order k - 2. ``out/lab/lab kaufman`` is one run of it, or some.

+- is half the width of a 95 % confidence interval, over runs with seeds of their
own.
""",
}


def heading(text, line):
    return [text, line * len(text), ""]


def table_lines(table):
    """A list-table, which takes cells of any width."""
    lines = [f".. list-table:: {table.title}", "   :header-rows: 1", ""]
    for row in [table.columns, *table.cells()]:
        for i, cell in enumerate(row):
            mark = "   * - " if i == 0 else "     - "
            lines.append((mark + cell).rstrip())
    return lines + [""] + ([table.note, ""] if table.note else [])


def section_lines(section):
    lines = heading(section["title"], "~")
    for table in section["tables"]:
        lines += table_lines(table)
    for note in section["notes"]:
        lines += [note, ""]
    for name, title, _ in section["charts"]:
        lines += [f".. figure:: img/{name}.svg", f"   :alt: {title}", "",
                  f"   {title}.", ""]
    lines += ["Checked:", ""]
    for passed, text in section["checks"]:
        lines.append(f"- {text}" + ("" if passed else " -- **not so**"))
    return lines + [""]


def chart(directory, name, draw):
    """The same figures give the same file."""
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    draw(axes)
    figure.savefig(directory / f"{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def write(lab, documentation):
    """papers.rst, and img/ beside it."""
    matplotlib.rcParams["svg.hashsalt"] = "curpage"
    images = documentation / "img"
    images.mkdir(exist_ok=True)
    lines, paper = HEAD.splitlines() + [""], None
    for section in lab.sections:
        if paper != section["name"].split("-")[0]:
            paper = section["name"].split("-")[0]
            lines += PAPERS[paper].splitlines() + [""]
        lines += section_lines(section)
        for name, _, draw in section["charts"]:
            chart(images, name, draw)
    (documentation / "papers.rst").write_text("\n".join(lines).rstrip() + "\n")
