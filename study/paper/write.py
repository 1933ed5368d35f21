# SPDX-License-Identifier: GPL-2.0
"""Tables and charts of a paper as a page of the documentation."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

HEAD = """.. SPDX-License-Identifier: GPL-2.0
.. Written by out/study/lab paper all --write: change it there.
"""

# The pages, and what stands before the sections whose names begin so.
PAGES = {"papers": ("""The papers' tables
==================

``out/study/lab paper NAME`` runs the comparisons of a paper with the allocator of
``mm/`` in user space and prints the paper's figures with ours beside them;
``make papers`` runs all of them and rewrites this page. The last lines of each
section are checks: they are part of ``make check``, with shorter runs. The papers
that compare other allocators are in :doc:`results`.
""", {
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
order k - 2. ``out/study/lab kaufman`` is one run of it, or some.

+- is half the width of a 95 % confidence interval, over runs with seeds of their
own.
"""}), "results": ("""Allocators of fifty years
=========================

Engines are allocators that are not curpage's, made of what a paper says, or of
what a kernel does; ``out/study/lab engines`` lists them. They serve the same requests
as curpage does, in the lab (:doc:`/lab`). Each section below is a table of a paper
with what is measured here beside it, what was assumed, what was checked, and what
it teaches somebody who uses curpage. ``make papers`` makes this page.

The matrix
----------

Every engine on every load, by every measure. Below are medians over the loads;
all cells are in ``study/Documentation/matrix.csv``. How to read it stands in
:doc:`commands`.

.. figure:: img/matrix.svg
   :alt: Engines by measures, light where good

   Light is good; a box is the best of those that no load was too much for.

.. literalinclude:: matrix.txt
   :language: none

Two of the loads drop half of what is live, at random, and then replace the rest some
twenty times. What is held at the end, in percent of what is live then, is what an
allocator does after a peak:

.. literalinclude:: matrix-end.txt
   :language: none

*For curpage:* this is what it is for. Its strategies that fill pages (``least-free``,
``least-free-8``, ``lowest-page``) hold less than all others but a first fit that gives
back its end; ``mru`` lies between them and SLUB. Who gives nothing back, or takes all
partial slabs in turn, holds twice what is live: ``slub-7`` is the SLUB of Linux 7.3 slab
by slab (:doc:`engines`), and under the load of ``make demo`` that kernel gives back not one
page either (:doc:`/performance`). Where all is small, as in Nielsen's loads, chunks of 16
pages are what one sees of curpage.
""", {
    "nielsen": """Nielsen 1977
------------

N. R. Nielsen, *Dynamic memory allocation in computer simulation* (1977), times 35
algorithms on requests of simulations, in a memory of fixed size.
""",
    "jw": """Johnstone and Wilson 1998
-------------------------

M. S. Johnstone and P. R. Wilson, *The memory fragmentation problem: solved?* (1998),
take the requests of eight real programs and ask what policies waste when headers,
alignment and least sizes are taken out.
""",
    "vavrenyuk": """Vavrenyuk and others 2016
-------------------------

A. B. Vavrenyuk and others, *Dynamic memory allocation using free blocks* (2016),
measure a list of free areas with tags at both ends beside the C library's malloc.
"""})}


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
    if section["teaches"]:
        lines += [f"*For curpage:* {section['teaches']}", ""]
    for name, title, _ in section["charts"]:
        lines += [f".. figure:: img/{name}.svg", f"   :alt: {title}", "",
                  f"   {title}.", ""]
    if section["bars"]:
        lines += ["Bars that were set before anything ran:", ""]
        lines += [f"- {'met' if met else '**missed**'}: {text}"
                  for met, text in section["bars"]] + [""]
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


def page(lab, name, images):
    """The lines of a page; its charts are in images."""
    head, papers = PAGES[name]
    lines, paper = [*HEAD.splitlines(), "", *head.splitlines(), ""], None
    for section in lab.sections:
        of = section["name"].split("-")[0]
        if of not in papers:
            continue
        if paper != of:
            paper = of
            lines += papers[paper].splitlines() + [""]
        lines += section_lines(section)
        for image, _, draw in section["charts"]:
            chart(images, image, draw)
    return lines


def write(lab, documentation):
    """The pages, and img/ beside them."""
    matplotlib.rcParams["svg.hashsalt"] = "curpage"
    images = documentation / "img"
    images.mkdir(exist_ok=True)
    for name in PAGES:
        text = "\n".join(page(lab, name, images)).rstrip() + "\n"
        (documentation / f"{name}.rst").write_text(text)
